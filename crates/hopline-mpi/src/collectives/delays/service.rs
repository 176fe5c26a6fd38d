//! The route service asked for a matrix: one line, one answer. The protocol is
//! `hopline-service`'s; its own client is not used here because it brings the whole library.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest wait for the service, from the first word to the last.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes of an answer: the first line and, of each cell, more than any number has.
const MOST_BYTES: usize = 64;

/// What is read until a point in time, however little comes at once.
struct Patient {
    stream: Box<dyn Channel>,
    until: Instant,
}

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let late = || io::Error::new(ErrorKind::TimedOut, "it does not answer in time");
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(late());
        }
        self.stream.wait(left)?;
        self.stream.read(buffer).map_err(|e| if e.kind() == ErrorKind::WouldBlock { late() } else { e })
    }
}

/// The answer to `matrix hops` or `matrix speed` for hosts, row by row.
///
/// # Errors
/// Why there is none.
pub(super) fn matrix(server: &str, measure: &str, hosts: &[String], patience: Duration) -> Result<Vec<f64>, String> {
    let until = Instant::now() + patience;
    let fail = |e: std::io::Error| format!("{server}: {e}");
    let mut stream = connect(server, patience).map_err(fail)?;
    let shown = match std::env::var_os("HOPLINE_TOKEN_FILE").filter(|path| !path.is_empty()) {
        Some(path) => format!("token {}\n", token(Path::new(&path))?),
        None => String::new(),
    };
    stream.write_all(format!("{shown}matrix {measure} {}\n", hosts.join(" ")).as_bytes()).map_err(fail)?;
    let most = (MOST_BYTES * (hosts.len() * hosts.len() + 2)) as u64;
    let answer = BufReader::new(Patient { stream, until }.take(most));
    let mut lines = answer.lines().map(|line| line.map_err(fail));
    if !shown.is_empty() {
        let said = lines.next().unwrap_or_else(|| Err(format!("{server}: the answer ends too early")))?;
        if said != "token accepted" {
            return Err(format!("{server}: {said}"));
        }
    }
    rows(server, hosts, lines)
}

/// The first line of a file that nobody else may read.
fn token(path: &Path) -> Result<String, String> {
    let fail = |e: std::io::Error| format!("HOPLINE_TOKEN_FILE: {}: {e}", path.display());
    let file = std::fs::File::open(path).map_err(fail)?;
    if file.metadata().map_err(fail)?.mode() & 0o027 != 0 {
        return Err(format!("HOPLINE_TOKEN_FILE: others may read {}; `chmod 600` it", path.display()));
    }
    let mut line = String::new();
    BufReader::new(file.take(4096)).read_line(&mut line).map_err(fail)?;
    Ok(line.trim().to_string())
}

/// Bytes to the service and from it.
trait Channel: Read + Write {
    /// The next read takes no longer.
    fn wait(&self, patience: Duration) -> io::Result<()>;
}

impl Channel for TcpStream {
    fn wait(&self, patience: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(patience))
    }
}

impl Channel for UnixStream {
    fn wait(&self, patience: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(patience))
    }
}

/// To `HOST:PORT` or `unix:PATH`.
fn connect(server: &str, patience: Duration) -> io::Result<Box<dyn Channel>> {
    if let Some(path) = server.strip_prefix("unix:") {
        let stream = UnixStream::connect(path)?;
        stream.set_write_timeout(Some(patience))?;
        return Ok(Box::new(stream));
    }
    let address = server.to_socket_addrs()?.next().ok_or_else(|| io::Error::other("no such address"))?;
    let stream = TcpStream::connect_timeout(&address, patience)?;
    stream.set_write_timeout(Some(patience))?;
    Ok(Box::new(stream))
}

/// The rows of an answer.
///
/// # Errors
/// What is no such answer.
pub(super) fn rows(
    server: &str,
    hosts: &[String],
    mut lines: impl Iterator<Item = Result<String, String>>,
) -> Result<Vec<f64>, String> {
    let mut next = || lines.next().unwrap_or_else(|| Err(format!("{server}: the answer ends too early")));
    let first = next()?;
    if first != format!("lines {}", hosts.len()) {
        return Err(format!("{server}: {first}"));
    }
    let mut cells = Vec::with_capacity(hosts.len() * hosts.len());
    for row in 0..hosts.len() {
        let line = next()?;
        let before = cells.len();
        for (column, cell) in line.split(' ').enumerate().take(hosts.len() + 1) {
            let value = cell.parse().or(if row == column { Ok(0.0) } else { Err(()) });
            cells.push(value.map_err(|()| format!("{server}: no way from {} to {column}: `{cell}`", hosts[row]))?);
        }
        if cells.len() - before != hosts.len() {
            return Err(format!("{server}: expected {} cells in each row", hosts.len()));
        }
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Answers one question with a text; the question is what the thread ends with.
    fn answer(text: &'static str) -> (String, std::thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let serve = move || {
            let (stream, _) = listener.accept().expect("a client");
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line).expect("a question");
            (&stream).write_all(text.as_bytes()).expect("an answer");
            line
        };
        (address, std::thread::spawn(serve))
    }

    #[test]
    fn the_matrix_is_asked_for_in_one_line_and_read_row_by_row() {
        let hosts = ["a".to_string(), "b".to_string()];
        let (server, asked) = answer("lines 2\n0 3\n4 0\n");
        assert_eq!(matrix(&server, "hops", &hosts, PATIENCE), Ok(vec![0.0, 3.0, 4.0, 0.0]));
        assert_eq!(asked.join().expect("served"), "matrix hops a b\n");
        let path = std::env::temp_dir().join(format!("hopline-delays-{}", std::process::id()));
        let listener = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
        let served =
            std::thread::spawn(move || listener.accept().expect("a client").0.write_all(b"lines 2\n0 3\n4 0\n"));
        assert_eq!(matrix(&format!("unix:{}", path.display()), "hops", &hosts, PATIENCE), Ok(vec![0.0, 3.0, 4.0, 0.0]));
        served.join().expect("served").expect("an answer");
        std::fs::remove_file(&path).expect("a socket");
        let (server, _) = answer("lines 2\n- 1.5\n1.5 -\n");
        assert_eq!(matrix(&server, "speed", &hosts, PATIENCE), Ok(vec![0.0, 1.5, 1.5, 0.0]));
        for text in ["error no host `a`\n", "lines 2\n0 -\n1 0\n", "lines 2\n0 1\n", "lines 2\n0\n1\n", "lines 3\n", ""]
        {
            let (server, _) = answer(text);
            assert!(matrix(&server, "hops", &hosts, PATIENCE).is_err_and(|why| why.starts_with(&server)), "{text:?}");
        }
    }

    /// One that says nothing, one that says ever a little, and one that says ever more: each is left in time.
    #[test]
    fn a_service_that_hangs_is_left() {
        let hosts = ["a".to_string(), "b".to_string()];
        for (text, every) in [("", 10), ("l", 10), ("lines 2\n0 1 1 1 1", 0)] {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let address = listener.local_addr().expect("an address").to_string();
            let hangs = std::thread::spawn(move || {
                let (mut stream, _) = listener.accept().expect("a client");
                let mut byte = [0];
                stream.set_nonblocking(true).expect("a stream");
                // Until the client is gone.
                let is_gone = |read: io::Result<usize>| match read {
                    Ok(n) => n == 0,
                    Err(e) => e.kind() != ErrorKind::WouldBlock,
                };
                while !is_gone(stream.read(&mut byte)) {
                    let _ = stream.write(text.as_bytes());
                    std::thread::sleep(Duration::from_millis(every));
                }
            });
            let why = matrix(&address, "hops", &hosts, Duration::from_millis(200)).expect_err("no answer");
            assert!(why.starts_with(&address), "{why}");
            hangs.join().expect("the client is gone");
        }
    }
}
