//! What several test files share.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

#[path = "../../../hopline/tests/common/skip.rs"]
pub(crate) mod skip;
#[path = "../../../hopline/tests/common/trace.rs"]
pub(crate) mod trace;

use hopline_service::answer::{self, Desk};
use hopline_service::atlas::Column;
use hopline_service::generation::Generation;
use hopline_service::limits::Limits;
use hopline_service::protocol;
use hopline_service::server::{Options, Server};
use hopline_service::store::Source;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder of real data, or `None` and the test is skipped.
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    skip::data(name).map(PathBuf::from)
}

/// The machine of a directory of dumps.
pub(crate) fn dumps(dir: &Path) -> Generation {
    Source::Dumps(dir.into()).load(0).unwrap_or_else(|e| panic!("{e}"))
}

/// A machine of the repository's own.
pub(crate) fn own(name: &str) -> Generation {
    dumps(&root().join("testdata/fabrics").join(name))
}

/// Answers lines from one generation, as a server does.
pub(crate) struct Asker<'a> {
    generation: &'a Generation,
    limits: Limits,
    column: Column,
}

impl<'a> Asker<'a> {
    pub(crate) fn new(generation: &'a Generation) -> Asker<'a> {
        Asker { generation, limits: Limits::default(), column: Column::new(&generation.atlas) }
    }

    pub(crate) fn ask(&mut self, line: &str) -> String {
        let mut desk =
            Desk { generation: self.generation, limits: &self.limits, warning: "", column: &mut self.column };
        let mut out = Vec::new();
        answer::line(&mut desk, &protocol::parse(line), &mut out);
        String::from_utf8(out).expect("answers are UTF-8")
    }
}

/// A directory that is gone after the test.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    /// An empty directory; `name` is one that no other test has.
    pub(crate) fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("hopline-service-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("temporary directory");
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The text of a file of a machine of the repository's own.
pub(crate) fn dump(machine: &str, file: &str) -> String {
    let path = root().join("testdata/fabrics").join(machine).join(file);
    hopline::files::read_text(&hopline::files::Disk, &path.to_string_lossy()).unwrap_or_else(|e| panic!("{e}"))
}

/// Publishes dumps as the next generation.
pub(crate) fn publish(store: &Path, cables: &str, tables: &str) -> u64 {
    let atlas = hopline_service::store::parse(cables, tables).unwrap_or_else(|e| panic!("{e}"));
    let draft = hopline_service::store::Draft {
        collected: "2026-11-21T12:00:00Z".into(),
        cables: cables.into(),
        tables: tables.into(),
        atlas,
        counts: Default::default(),
        tools: Default::default(),
        notes: Vec::new(),
        lost: Default::default(),
    };
    hopline_service::store::publish(store, &draft, 8).unwrap_or_else(|e| panic!("{e}"))
}

/// Another state of rack64: what the leaves send to hosts over one spine goes over the other.
pub(crate) fn swapped(tables: &str) -> String {
    let mut leaf = false;
    let swap = |line: &str, leaf: bool| match line.split_at_checked(6) {
        // The spines themselves have LIDs 7 and 12.
        Some((lid, " 035 ")) if leaf && !["0x0007", "0x000c"].contains(&lid) => format!("{lid} 036 \n"),
        Some((lid, " 036 ")) if leaf && !["0x0007", "0x000c"].contains(&lid) => format!("{lid} 035 \n"),
        _ => format!("{line}\n"),
    };
    let lines = tables.lines().map(|line| {
        leaf = if line.starts_with("Unicast") { line.contains("(leaf") } else { leaf };
        swap(line, leaf)
    });
    lines.collect()
}

/// How long a test waits for a server.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A server of a directory on a free port of loopback.
pub(crate) fn start(dir: &Path, limits: Limits) -> Server {
    let options = Options { limits, look: Duration::from_millis(10), ..Options::loopback(0) };
    let source = Source::open(dir).unwrap_or_else(|e| panic!("{e}"));
    Server::start(source, options, Arc::new(|_: &str| ())).unwrap_or_else(|e| panic!("{e}"))
}

/// A server of the repository's own machine.
pub(crate) fn rack64(limits: Limits) -> Server {
    start(&root().join("testdata/fabrics/rack64"), limits)
}

/// Where a server listens on the network.
pub(crate) fn port(server: &Server) -> std::net::SocketAddr {
    server.addresses()[0].tcp().expect("a port")
}

/// A bare connection.
pub(crate) fn raw(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(port(server)).expect("connected");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream
}

/// Everything until the server closes.
pub(crate) fn all(mut stream: impl Read) -> String {
    let mut text = Vec::new();
    // A reset after the last word is as good as an end.
    let _ = stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// What a server answers to a GET: the status line and the body.
pub(crate) fn get(server: &Server, path: &str) -> (String, String) {
    let mut stream = raw(server);
    let head = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("sent");
    let text = all(stream);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{path}: {text}"));
    (head.lines().next().unwrap_or("").to_string(), body.to_string())
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
