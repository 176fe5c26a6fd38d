//! A small client: one connection, one question after the other, or many at once.
//!
//! ```no_run
//! use hopline_service::client::Client;
//! use std::time::Duration;
//!
//! let mut client = Client::connect("127.0.0.1:7476", Duration::from_secs(5))?;
//! let route = client.ask("query i101-101:i102-201")?;
//! assert_eq!(route.lines.len(), 1);
//! # Ok::<(), hopline::error::Error>(())
//! ```

mod timed;

use crate::address;
use crate::tls::Connector;
use hopline::error::{Error, Result};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};
use timed::{Limit, Timed};

/// Bytes to a server and from it.
trait Channel: Read + Write + Send {}

impl<T: Read + Write + Send> Channel for T {}

/// A connection to a server.
pub struct Client {
    server: String,
    patience: Duration,
    stream: BufReader<Box<dyn Channel>>,
    /// Something of the present answer has come.
    hears: bool,
}

/// An answer of the line protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The number behind `@`, where the request began with one.
    pub generation: Option<u64>,
    /// Its lines; of an error the only one, without `error `.
    pub lines: Vec<String>,
    /// True where it is an error.
    pub error: bool,
}

impl Client {
    /// Connects to `HOST:PORT` or `unix:PATH`; `patience` bounds each wait for the server.
    ///
    /// # Errors
    /// Nobody answers there.
    pub fn connect(server: &str, patience: Duration) -> Result<Client> {
        Client::through(server, patience, None)
    }

    /// The same; over the network by TLS where a connector is given, which then knows the host by its certificate.
    ///
    /// # Errors
    /// Nobody answers there, or somebody whom the connector does not trust.
    pub fn through(server: &str, patience: Duration, tls: Option<&Connector>) -> Result<Client> {
        Client::open(server, patience, Limit::Each(patience), tls)
    }

    /// The same, with a time for all that is asked together, from now on: a server that says little at a time has no more.
    /// Only names of hosts may take longer.
    ///
    /// # Errors
    /// As [`Client::through`].
    pub fn within(server: &str, time: Duration, tls: Option<&Connector>) -> Result<Client> {
        // A time that no clock reaches is none.
        let limit = Instant::now().checked_add(time).map_or(Limit::Each(time), Limit::Until);
        Client::open(server, time, limit, tls)
    }

    fn open(server: &str, patience: Duration, limit: Limit, tls: Option<&Connector>) -> Result<Client> {
        let fail = |e: std::io::Error| {
            let hint = match e.kind() {
                ErrorKind::PermissionDenied => "the socket's mode (`--socket-mode`) and its folder say who may ask",
                _ => "is `hopline fabric serve` running there?",
            };
            Error::failed(why(server, patience, &e)).hint(hint)
        };
        address::check_server(server)?;
        let stream: Box<dyn Channel> = match (address::unix(server), tls) {
            (Some(path), _) => Box::new(local(path, limit).map_err(fail)?),
            (None, None) => Box::new(remote(server, limit).map_err(fail)?),
            (None, Some(tls)) => {
                let host = server.rsplit_once(':').map_or(server, |(host, _)| host);
                let host = host.trim_start_matches('[').trim_end_matches(']');
                Box::new(remote(server, limit).and_then(|stream| tls.session(host, stream)).map_err(fail)?)
            }
        };
        let stream = BufReader::with_capacity(1 << 16, stream);
        Ok(Client { server: server.to_string(), patience, stream, hears: false })
    }

    /// Shows a token, to a server that wants one.
    ///
    /// # Errors
    /// It does not know the token, or the connection is lost.
    pub fn show(&mut self, token: &str) -> Result<()> {
        self.ask(&format!("token {token}"))?.good().map(drop)
    }

    /// Asks one question and waits for its answer.
    ///
    /// # Errors
    /// The connection is lost or too slow. An answer that is an error is none here.
    pub fn ask(&mut self, request: &str) -> Result<Answer> {
        self.send(&[request])?;
        self.receive()
    }

    /// Asks many questions at once; the answers come in their order. Keep the
    /// questions together below 64 KiB: they are sent before an answer is read.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn ask_all(&mut self, requests: &[&str]) -> Result<Vec<Answer>> {
        self.send(requests)?;
        requests.iter().map(|_| self.receive()).collect()
    }

    /// The switches from one end to another, by their GUIDs.
    ///
    /// # Errors
    /// The connection is lost, an end is unknown, or there is no way.
    pub fn query(&mut self, from: &str, to: &str) -> Result<Vec<String>> {
        let pair = |name: &str| crate::protocol::quoted(name).into_owned();
        let line = self.ask(&format!("query {} {}", pair(from), pair(to)))?.only()?;
        let words: Vec<&str> = line.split(' ').collect();
        Ok(words.get(1..words.len() - 1).unwrap_or(&[]).iter().map(|w| w.to_string()).collect())
    }

    /// Hops between switches, from every host (row) to every other; `None` where no way leads.
    ///
    /// # Errors
    /// The connection is lost or a host is unknown.
    pub fn hops(&mut self, hosts: &[&str]) -> Result<Vec<Vec<Option<u16>>>> {
        let names: Vec<_> = hosts.iter().map(|h| crate::protocol::quoted(h)).collect();
        let answer = self.ask(&format!("matrix hops {}", names.join(" ")))?.good()?;
        Ok(answer.lines.iter().map(|row| row.split(' ').map(|cell| cell.parse().ok()).collect()).collect())
    }

    fn send(&mut self, requests: &[&str]) -> Result<()> {
        if requests.iter().any(|r| r.contains(['\n', '\r'])) {
            return Err(Error::input("a request is one line"));
        }
        let text: String = requests.iter().flat_map(|r| [*r, "\n"]).collect();
        self.stream.get_mut().write_all(text.as_bytes()).map_err(|e| self.lost(&e))
    }

    fn receive(&mut self) -> Result<Answer> {
        self.hears = false;
        let (mut answer, more) = Answer::begin(&self.line()?);
        for _ in 0..more {
            answer.lines.push(self.line()?);
        }
        Ok(answer)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line);
        self.hears |= !line.is_empty();
        match read {
            Ok(_) if line.ends_with('\n') => {
                line.pop();
                Ok(line)
            }
            Ok(_) => Err(self.lost(&ErrorKind::UnexpectedEof.into())),
            Err(e) => Err(self.lost(&e)),
        }
    }

    fn lost(&self, e: &std::io::Error) -> Error {
        let is_late = matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        Error::failed(match is_late && self.hears {
            true => format!("{}: its answer is not whole after {} seconds", self.server, self.patience.as_secs_f64()),
            false => why(&self.server, self.patience, e),
        })
    }
}

fn local(path: &Path, limit: Limit) -> std::io::Result<Timed<UnixStream>> {
    Timed::new(UnixStream::connect(path)?, limit)
}

/// To the first of the name's addresses that answers.
fn remote(server: &str, limit: Limit) -> std::io::Result<Timed<TcpStream>> {
    let mut last = std::io::Error::new(ErrorKind::NotFound, "no such address, expected HOST:PORT or unix:PATH");
    for address in server.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, limit.left()?) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Timed::new(stream, limit);
            }
            Err(e) => last = e,
        }
    }
    Err(last)
}

/// What went wrong with a server, in a sentence.
fn why(server: &str, patience: Duration, e: &std::io::Error) -> String {
    match e.kind() {
        // A time limit of a socket is either, by system and call.
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            format!("{server} does not answer: nothing came in {} seconds", patience.as_secs_f64())
        }
        ErrorKind::UnexpectedEof => format!("{server}: the server closed the connection"),
        ErrorKind::ConnectionRefused => format!("{server}: nobody listens there"),
        _ => format!("{server}: {e}"),
    }
}

impl Answer {
    /// Reads the text of an answer.
    pub fn read(text: &str) -> Answer {
        let mut lines = text.lines();
        let (mut answer, more) = Answer::begin(lines.next().unwrap_or(""));
        answer.lines.extend(lines.take(more).map(String::from));
        answer
    }

    /// From its first line, with the number of lines that follow.
    fn begin(first: &str) -> (Answer, usize) {
        let (generation, rest) = match first.strip_prefix('@').and_then(|r| r.split_once(' ')) {
            Some((number, rest)) => (number.parse().ok(), rest),
            None => (None, first),
        };
        let wrong = rest.strip_prefix("error ").or(Some(rest).filter(|r| r.starts_with("{\"error\":")));
        let more = rest.strip_prefix("lines ").and_then(|n| n.parse().ok());
        let lines = if more.is_some() { Vec::new() } else { vec![wrong.unwrap_or(rest).to_string()] };
        (Answer { generation, lines, error: wrong.is_some() }, more.unwrap_or(0))
    }

    /// The answer, if it is no error.
    ///
    /// # Errors
    /// It is one.
    pub fn good(self) -> Result<Answer> {
        if self.error { Err(Error::input(self.lines.concat())) } else { Ok(self) }
    }

    fn only(self) -> Result<String> {
        Ok(self.good()?.lines.concat())
    }
}
