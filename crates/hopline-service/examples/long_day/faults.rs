//! What is done to the server.

use hopline_service::store::{self, MANIFEST, ROUTES};
use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
use rustix::process::{Resource, getrlimit, setrlimit};
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// A connection from that address of loopback, if there is one.
fn from(host: u8, server: &str) -> Option<TcpStream> {
    let stream = socket(AddressFamily::INET, SocketType::STREAM, None).ok()?;
    bind(&stream, &SocketAddr::from(([127, 0, 0, host], 0))).ok()?;
    connect(&stream, &server.parse::<SocketAddr>().ok()?).ok()?;
    let stream = TcpStream::from(stream);
    stream.set_nonblocking(true).ok()?;
    Some(stream)
}

/// So many connects at once, from ten addresses, held until it is dropped.
pub(crate) struct Storm(Vec<TcpStream>);

impl Storm {
    pub(crate) fn of(server: &str, connects: usize) -> Storm {
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        let _ = setrlimit(Resource::Nofile, limit);
        let held: Vec<TcpStream> = (0..connects).filter_map(|i| from(20 + (i % 10) as u8, server)).collect();
        assert!(held.len() == connects, "{} connects of {connects}: raise `ulimit -n` to 11000", held.len());
        // Half of them ask, and none reads.
        held.iter().step_by(2).for_each(|mut stream| drop(stream.write(b"query node001:node036\n")));
        Storm(held)
    }
}

impl Drop for Storm {
    fn drop(&mut self) {
        self.0.clear();
    }
}

/// More connections than one address may have.
pub(crate) fn crowd(server: &str) -> Vec<TcpStream> {
    (0..1100).filter_map(|_| from(40, server)).collect()
}

/// Clients that ask for far more than sockets hold and read nothing, from one address.
pub(crate) fn deaf(server: &str) -> Vec<TcpStream> {
    let connections = (0..200).filter_map(|_| from(50, server));
    let lines = b"matrix hops *\n".repeat(500);
    connections.inspect(|mut stream| drop(stream.write(&lines))).collect()
}

/// Puts a generation into the store that is none.
pub(crate) fn damage(store: &Path) {
    let draft = store.join(".damaged");
    loop {
        let number = store::numbers(store).expect("a store").pop().unwrap_or(0) + 1;
        let text = format!("{{\"format\": 1, \"generation\": {number}, \"files\": 7}}");
        std::fs::create_dir_all(&draft).expect("a draft");
        std::fs::write(draft.join(MANIFEST), text).expect("a manifest");
        std::fs::write(draft.join(ROUTES), b"HOPATLAS").expect("routes");
        // Taken, where the collector was quicker.
        if std::fs::rename(&draft, store::path(store, number)).is_ok() {
            return;
        }
    }
}

/// Nonsense, half requests, heads without end, and bytes one by one.
pub(crate) fn hostile(server: &str, stop: &AtomicBool) {
    let texts: [&[u8]; 9] = [
        b"\xff\xfe\n\0\0\n",
        b"query\nselect\nmatrix hops\n",
        b"query node00",
        b"@@@\n\"\ntoken x\n",
        b"GET / HTTP/9\r\n\r\n",
        b"GET /groups HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"GET /matrix?of=hops&hosts=* HTTP/1.1\r\n\r\nquery node001:node002\n",
        b"matrix speed *\nselect 9999999 *\norder \"\n",
        &[b'x'; 70_000],
    ];
    let (mut open, mut round) = (Vec::new(), 0);
    while !stop.load(Relaxed) {
        round += 1;
        if let Some(mut stream) = from(60, server) {
            let text = texts[round % texts.len()];
            let _ = stream.write(&text[..if round % 4 == 0 { text.len() / 2 } else { text.len() }]);
            open.push(stream);
        }
        // One byte more to each that waits.
        for stream in open.iter_mut().skip(round % 5).step_by(5) {
            let _ = stream.write(b"q");
        }
        if open.len() > 100 {
            open.drain(..50);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
