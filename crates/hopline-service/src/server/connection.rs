//! One client: bytes in, bytes out.

use super::{Served, Shared};
use crate::answer::{self, Desk};
use crate::atlas::Column;
use crate::metrics::{Dropped, Tally, add};
use crate::protocol::{self, Hosts, Page, Request};
use mio::net::TcpStream;
use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// For its client.
    Event,
    /// For others: it has had its turn.
    Turn,
    /// For its rate.
    Rate(Instant),
    /// For nothing: it is over.
    Over,
}

/// What a thread lends to the connection that it serves.
pub(super) struct Tools<'a> {
    pub(super) shared: &'a Shared,
    pub(super) served: &'a Served,
    pub(super) tally: &'a Tally,
    pub(super) column: &'a mut Column,
    /// Where requests are read into.
    pub(super) chunk: &'a mut [u8],
    /// A buffer for answers, on loan to a connection while it has some to send.
    pub(super) spare: &'a mut Vec<u8>,
    pub(super) now: Instant,
}

/// A client's connection with what was not yet answered and not yet read.
pub(super) struct Connection {
    stream: TcpStream,
    input: Vec<u8>,
    output: Vec<u8>,
    sent: usize,
    /// The socket may hold more bytes.
    readable: bool,
    /// `input` may hold whole requests.
    pending: bool,
    /// Closed when everything is sent.
    closing: bool,
    http: bool,
    /// Requests that may be answered now; negative after an expensive one.
    tokens: f64,
    refilled: Instant,
    /// When the last request was answered.
    asked: Instant,
    /// Since when a request is unfinished, or answers are unread.
    unfinished: Option<Instant>,
    unread: Option<(Instant, u64)>,
    written: u64,
}

/// A client that reads less than this in the time to stall does not read.
const SLOWEST: u64 = 4096;

/// Chunks that are read in one turn.
const TURN: usize = 8;

impl Connection {
    pub(super) fn new(stream: TcpStream, rate: u32, now: Instant) -> Connection {
        Connection {
            stream,
            input: Vec::new(),
            output: Vec::new(),
            sent: 0,
            readable: true,
            pending: false,
            closing: false,
            http: false,
            tokens: f64::from(rate),
            refilled: now,
            asked: now,
            unfinished: None,
            unread: None,
            written: 0,
        }
    }

    pub(super) fn stream(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    /// The socket has something to say.
    pub(super) fn wake(&mut self) {
        self.readable = true;
    }

    /// Why it is to be dropped, if it is.
    pub(super) fn overdue(&mut self, idle: Duration, stall: Duration, now: Instant) -> Option<Dropped> {
        if self.unfinished.is_some_and(|since| now.duration_since(since) > stall) {
            return Some(Dropped::Stalled);
        }
        if let Some((since, before)) = self.unread.filter(|(since, _)| now.duration_since(*since) > stall) {
            if self.written - before < SLOWEST {
                return Some(Dropped::Stalled);
            }
            self.unread = Some((now.max(since), self.written));
        }
        let quiet = self.unfinished.is_none() && self.unread.is_none() && !self.pending;
        (quiet && now.duration_since(self.asked) > idle).then_some(Dropped::Idle)
    }

    /// Reads, answers and writes as much as can be done now.
    pub(super) fn drive(&mut self, tools: &mut Tools<'_>) -> Next {
        for _ in 0..TURN {
            match self.flush(tools) {
                Ok(true) => {}
                Ok(false) => return Next::Event,
                Err(_) => return Next::Over,
            }
            if self.pending {
                let input = std::mem::take(&mut self.input);
                match self.take_in(tools, &input) {
                    Some(due) => return self.flush(tools).map_or(Next::Over, |_| Next::Rate(due)),
                    None => continue,
                }
            }
            if self.closing {
                return Next::Over;
            }
            if !self.readable {
                return Next::Event;
            }
            match self.stream.read(tools.chunk) {
                Ok(0) => {
                    // Requests that came before are answered; half a request is none.
                    self.closing = true;
                }
                Ok(n) => {
                    add(&tools.tally.read, n as u64);
                    // Less than asked for: the socket is empty, and epoll tells when it no longer is.
                    self.readable = n == tools.chunk.len();
                    let chunk = std::mem::take(&mut tools.chunk);
                    let due = if self.input.is_empty() {
                        self.take_in(tools, &chunk[..n])
                    } else {
                        let mut input = std::mem::take(&mut self.input);
                        input.extend_from_slice(&chunk[..n]);
                        self.take_in(tools, &input)
                    };
                    tools.chunk = chunk;
                    if let Some(due) = due {
                        return self.flush(tools).map_or(Next::Over, |_| Next::Rate(due));
                    }
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => self.readable = false,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Next::Over,
            }
        }
        Next::Turn
    }

    /// Answers what is complete in `bytes` and keeps the rest. Returns when to go
    /// on where the rate is used up.
    fn take_in(&mut self, tools: &mut Tools<'_>, bytes: &[u8]) -> Option<Instant> {
        let (limits, rate) = (&tools.shared.limits, f64::from(tools.shared.limits.rate));
        let earned = tools.now.duration_since(self.refilled).as_secs_f64() * rate;
        self.tokens = (self.tokens + earned).min(rate);
        self.refilled = tools.now;
        if self.output.capacity() == 0 {
            std::mem::swap(&mut self.output, tools.spare);
        }
        let (mut at, mut due) = (0, None);
        self.pending = false;
        let mut complete = true;
        while at < bytes.len() && !self.closing {
            if self.tokens < 0.0 {
                add(&tools.tally.slowed, 1);
                due = Some(tools.now + Duration::from_secs_f64((-self.tokens / rate).clamp(0.001, 60.0)));
                self.pending = true;
                break;
            }
            if self.output.len() - self.sent > limits.unread {
                self.pending = true;
                break;
            }
            let used = self.one(tools, &bytes[at..]);
            complete = used > 0;
            if !complete {
                break;
            }
            at += used;
            self.asked = tools.now;
            self.unfinished = None;
        }
        let rest = if self.closing { &[][..] } else { &bytes[at..] };
        self.input.extend_from_slice(rest);
        if !complete && !rest.is_empty() {
            self.unfinished.get_or_insert(tools.now);
        }
        due
    }

    /// Answers the first request of `bytes`; returns its length, 0 where it is not complete.
    fn one(&mut self, tools: &mut Tools<'_>, bytes: &[u8]) -> usize {
        self.http = self.http || is_http(bytes);
        if self.http {
            return self.http(tools, bytes);
        }
        let limit = tools.shared.limits.line;
        let Some(length) = bytes.iter().position(|b| *b == b'\n') else {
            if bytes.len() > limit {
                self.give_up(tools, &format!("error a line of more than {limit} bytes\n"));
            }
            return 0;
        };
        let line = bytes[..length].strip_suffix(b"\r").unwrap_or(&bytes[..length]);
        if line.len() > limit {
            self.give_up(tools, &format!("error a line of more than {limit} bytes\n"));
            return length + 1;
        }
        let line = std::str::from_utf8(line).map_err(|_| "a line that is no UTF-8".to_string());
        let line = line.and_then(protocol::parse);
        if let Ok(line) = &line {
            self.charge(tools, &line.request);
        } else {
            self.tokens -= 1.0;
        }
        let good = answer::line(&mut tools.desk(), &line, &mut self.output);
        add(&tools.tally.errors, u64::from(!good));
        length + 1
    }

    fn http(&mut self, tools: &mut Tools<'_>, bytes: &[u8]) -> usize {
        let head = match protocol::head(bytes) {
            Ok(Some(head)) => head,
            Ok(None) => {
                if bytes.len() > tools.shared.limits.line {
                    respond(&mut self.output, 431, JSON, &answer::json_error("the head is too long"), false, false);
                    self.give_up(tools, "");
                }
                return 0;
            }
            Err(message) => {
                respond(&mut self.output, 400, JSON, &answer::json_error(&message), false, false);
                self.give_up(tools, "");
                return 0;
            }
        };
        add(&tools.tally.http, 1);
        let (status, kind, body) = match &head.page {
            Ok(Page::Answer(request)) => {
                self.charge(tools, request);
                match answer::json(&mut tools.desk(), request) {
                    Ok(body) => (200, JSON, body),
                    Err((status, body)) => (status, JSON, body),
                }
            }
            Ok(Page::Metrics) => (200, METRICS, tools.shared.metrics.text(&tools.served.generation)),
            Ok(Page::Health) => (200, JSON, health(tools.served)),
            Err((status, message)) => (*status, JSON, answer::json_error(message)),
        };
        add(&tools.tally.errors, u64::from(status != 200));
        respond(&mut self.output, status, kind, &body, head.bodiless, head.keep);
        self.closing |= !head.keep;
        head.length
    }

    fn charge(&mut self, tools: &Tools<'_>, request: &Request<'_>) {
        add(&tools.tally.requests[request.command()], 1);
        let all = tools.served.generation.atlas.hosts().len();
        let (hosts, pairs) = match request {
            Request::Select(_, hosts) | Request::Order(hosts) => (count(hosts, all), 0),
            Request::Matrix(_, hosts) => (count(hosts, all), count(hosts, all).pow(2)),
            Request::Groups => (all, 0),
            _ => (0, 0),
        };
        self.tokens -= 1.0 + hosts as f64 / 64.0 + pairs as f64 / 4096.0;
    }

    /// Says a last word and closes.
    fn give_up(&mut self, tools: &mut Tools<'_>, word: &str) {
        self.output.extend_from_slice(word.as_bytes());
        add(&tools.tally.dropped[Dropped::Malformed as usize], 1);
        self.closing = true;
    }

    /// Writes what is left; true where nothing is.
    fn flush(&mut self, tools: &mut Tools<'_>) -> std::io::Result<bool> {
        while self.sent < self.output.len() {
            match self.stream.write(&self.output[self.sent..]) {
                Ok(n) => {
                    add(&tools.tally.written, n as u64);
                    self.written += n as u64;
                    self.sent += n;
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => {
                    self.unread.get_or_insert((tools.now, self.written));
                    return Ok(false);
                }
                Err(e) => return Err(e),
            }
        }
        self.unread = None;
        self.sent = 0;
        self.output.clear();
        // A connection that waits holds no buffer, and a large one is given back.
        let buffer = std::mem::take(&mut self.output);
        if tools.spare.capacity() == 0 && buffer.capacity() <= LARGE {
            *tools.spare = buffer;
        }
        Ok(true)
    }
}

/// A buffer that is not kept.
const LARGE: usize = 4 << 20;

impl Tools<'_> {
    fn desk(&mut self) -> Desk<'_> {
        Desk {
            generation: &self.served.generation,
            limits: &self.shared.limits,
            warning: &self.served.warning,
            column: self.column,
        }
    }
}

const JSON: &str = "application/json";
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

fn respond(out: &mut Vec<u8>, status: u16, kind: &str, body: &str, bodiless: bool, keep: bool) {
    let words = match status {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        _ => "Error",
    };
    let close = if keep { "" } else { "Connection: close\r\n" };
    let allow = if status == 405 { "Allow: GET, HEAD\r\n" } else { "" };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} {words}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-store\r\n{allow}{close}\r\n"
    );
    out.extend_from_slice(head.as_bytes());
    if !bodiless {
        out.extend_from_slice(body.as_bytes());
    }
}

fn health(served: &Served) -> String {
    let status = if served.warning.is_empty() { "ok" } else { "warning" };
    serde_json::json!({ "status": status, "generation": served.generation.number, "warning": served.warning })
        .to_string()
}

fn count(hosts: &Hosts<'_>, all: usize) -> usize {
    match hosts {
        Hosts::All => all,
        Hosts::Named(names) => names.len(),
    }
}

/// True for the methods of HTTP, which are no commands of the line protocol.
fn is_http(bytes: &[u8]) -> bool {
    const METHODS: [&[u8]; 7] = [b"GET /", b"HEAD /", b"POST /", b"PUT /", b"DELETE /", b"PATCH /", b"OPTIONS "];
    METHODS.iter().any(|method| bytes.starts_with(method))
}
