//! Server and collector as processes of their own, and what the server tells of itself.

use hopline_service::address::Address;
use hopline_service::limits::Limits;
use hopline_service::server::{Options, Server};
use hopline_service::store::{self, Source};
use hopline_service::watch::{Watch, watch};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// In a child: serves until its input ends.
pub(crate) fn serve(store: &Path, socket: &str) -> ExitCode {
    let limits = Limits {
        stall_seconds: 2.0,
        client_connections: 1000,
        client_bytes: 8 << 20,
        unread: 100_000,
        ..Limits::default()
    };
    let listen = vec![Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 0))), Address::Unix(socket.into())];
    let source = Source::open(store).expect("a store");
    let server = Server::start(source, Options { listen, limits, ..Options::loopback(0) }, Arc::new(|_: &str| ()));
    let server = server.expect("a server");
    println!("{}", server.addresses()[0]);
    std::io::stdin().lines().for_each(drop);
    ExitCode::SUCCESS
}

/// In a child: collects what is handed over until it is killed.
pub(crate) fn collect(store: &Path, from: &Path) -> ExitCode {
    let options = hopline_service::collect::Options {
        from: Some(from.into()),
        ..hopline_service::collect::Options::new(store.into())
    };
    let watched = Watch { log: None, every: Duration::from_secs(3600), beat: Duration::from_millis(500) };
    let ended = watch(&options, &watched, &(Arc::new(|_: &str| ()) as _), &AtomicBool::new(false));
    if ended.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// As the subnet manager's plugin does.
pub(crate) fn hand_over(from: &Path, cables: &str, tables: &str) {
    let text = format!("{cables}\n# tables\n{tables}# end\n");
    hopline_disk::replace(from, |to| to.write_all(text.as_bytes())).expect("handed over");
}

fn child(words: &[&Path]) -> Child {
    let own = std::env::current_exe().expect("this program");
    Command::new(own).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a process")
}

/// A collector, killed where it is dropped.
pub(crate) struct Collector(Child);

impl Collector {
    /// Starts one and waits until there is a generation.
    pub(crate) fn start(store: &Path, from: &Path) -> Collector {
        let collector = Collector(child(&["collect".as_ref(), store, from]));
        until("a generation", || store::numbers(store).is_ok_and(|numbers| !numbers.is_empty()));
        collector
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A server and where it is.
pub(crate) struct Served {
    child: Child,
    pub(crate) tcp: String,
    pub(crate) unix: String,
}

impl Served {
    pub(crate) fn start(store: &Path, socket: &Path) -> Served {
        let mut child = child(&["serve".as_ref(), store, socket]);
        let mut tcp = String::new();
        BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut tcp).expect("an address");
        Served { child, tcp: tcp.trim().to_string(), unix: format!("unix:{}", socket.display()) }
    }

    /// KiB that it holds in memory.
    pub(crate) fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it lives");
        let line = status.lines().find(|l| l.starts_with("VmRSS:")).expect("VmRSS");
        line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// The page `/metrics`, over one connection that is there before any storm.
pub(crate) struct Metrics(TcpStream);

impl Metrics {
    pub(crate) fn of(server: &Served) -> Metrics {
        let stream = TcpStream::connect(&server.tcp).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        Metrics(stream)
    }

    fn now(&mut self) -> BTreeMap<String, f64> {
        self.0.write_all(b"GET /metrics HTTP/1.1\r\nHost: soak\r\n\r\n").expect("asked");
        let (mut reader, mut line, mut length) = (BufReader::new(&self.0), String::new(), 0);
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line).expect("a head");
            length = line.strip_prefix("Content-Length: ").and_then(|n| n.trim().parse().ok()).unwrap_or(length);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("a page");
        let text = String::from_utf8(body).expect("text");
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.filter_map(|line| line.rsplit_once(' ')).filter_map(|(k, v)| Some((k.into(), v.parse().ok()?))).collect()
    }

    /// Does something, which lasts a moment, until a counter tells of it.
    pub(crate) fn provoke<T>(&mut self, name: &str, fault: impl Fn() -> T) {
        let before = self.now().get(name).copied().unwrap_or(0.0);
        until(name, || {
            let lasts = fault();
            std::thread::sleep(Duration::from_millis(300));
            drop(lasts);
            self.now().get(name).is_some_and(|now| *now > before)
        });
    }

    /// Waits until a gauge is that.
    pub(crate) fn until(&mut self, what: &str, name: &str, value: f64) {
        until(what, || self.now().get(name) == Some(&value));
    }

    /// Prints what was told of each fault; false where nothing was.
    pub(crate) fn told(&mut self) -> bool {
        let now = self.now();
        let faults = [
            "hopline_reloads_total",
            "hopline_bad_generations_total",
            "hopline_connections_opened_total",
            "hopline_connections_refused_total{reason=\"full\"}",
            "hopline_connections_refused_total{reason=\"client\"}",
            "hopline_connections_dropped_total{reason=\"stalled\"}",
            "hopline_connections_dropped_total{reason=\"malformed\"}",
            "hopline_requests_refused_total{reason=\"bytes\"}",
        ];
        let told = faults.map(|name| now.get(name).copied().unwrap_or(0.0));
        faults.iter().zip(told).for_each(|(name, value)| println!("  {name} {value}"));
        told.iter().all(|value| *value > 0.0)
    }
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
