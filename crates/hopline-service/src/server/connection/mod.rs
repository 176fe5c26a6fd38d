//! One client: bytes in, bytes out.

mod request;
mod respond;

pub(super) use request::is_http;
pub(super) use respond::error_page;

use super::clients::Account;
use super::stream::Stream;
use super::{Served, Shared};
use crate::atlas::Column;
use crate::metrics::{Dropped, Tally, add};
use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;
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
    stream: Stream,
    /// What it shares with its client's other connections, and the bytes that it has told there.
    account: Arc<Account>,
    held: u64,
    input: Vec<u8>,
    output: Vec<u8>,
    sent: usize,
    /// The socket may hold more bytes.
    readable: bool,
    /// The client has sent its last byte, though it may not have been read yet.
    ended: bool,
    /// `input` may hold whole requests.
    pending: bool,
    /// Closed when everything is sent.
    closing: bool,
    /// Everything is sent, and the client has a moment to read it.
    leaving: Option<Instant>,
    http: bool,
    /// It has shown a token that is known.
    known: bool,
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

/// A client that is told to go has so long to read why.
const FAREWELL: Duration = Duration::from_secs(2);

impl Connection {
    pub(super) fn new(stream: Stream, account: Arc<Account>, rate: u32, now: Instant) -> Connection {
        Connection {
            stream,
            account,
            held: 0,
            input: Vec::new(),
            output: Vec::new(),
            sent: 0,
            readable: true,
            ended: false,
            pending: false,
            closing: false,
            leaving: None,
            http: false,
            known: false,
            tokens: f64::from(rate),
            refilled: now,
            asked: now,
            unfinished: None,
            unread: None,
            written: 0,
        }
    }

    pub(super) fn stream(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// The socket has something to say; `ended` where the client sends nothing more. That
    /// is told once, and perhaps together with bytes that come before the end.
    pub(super) fn wake(&mut self, ended: bool) {
        self.readable = true;
        self.ended |= ended;
    }

    /// True where its client has had time to read the last word.
    pub(super) fn has_left(&self, now: Instant) -> bool {
        self.leaving.is_some_and(|since| now.duration_since(since) > FAREWELL)
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
        let next = self.go_on(tools);
        self.hold((self.input.len() + self.output.len() - self.sent) as u64);
        next
    }

    /// Tells the account how many bytes wait here.
    fn hold(&mut self, bytes: u64) {
        self.account.hold(std::mem::replace(&mut self.held, bytes), bytes);
    }

    fn go_on(&mut self, tools: &mut Tools<'_>) -> Next {
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
            if self.closing && self.leaving.is_none() {
                if self.stream.finish().is_err() {
                    return Next::Over;
                }
                self.leaving = Some(tools.now);
            }
            if !self.readable {
                return Next::Event;
            }
            match self.stream.read(tools.chunk) {
                // What a client sends after the last word is read and dropped: a socket that is
                // closed with bytes unread is reset, and the word with it.
                Ok(n) if n > 0 && self.closing => {}
                Ok(0) if self.input.is_empty() || self.closing => return Next::Over,
                Ok(0) => self.last_request(tools),
                Ok(n) => {
                    add(&tools.tally.read, n as u64);
                    // Less than asked for: the socket is empty, and epoll tells when it no longer is.
                    self.readable = n == tools.chunk.len() || self.ended || self.stream.holds_back();
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
        self.sent = 0;
        self.output.clear();
        // TLS may have taken what the socket has not.
        match self.stream.flush() {
            Err(e) if e.kind() == ErrorKind::WouldBlock => {
                self.unread.get_or_insert((tools.now, self.written));
                return Ok(false);
            }
            done => done?,
        }
        self.unread = None;
        // A connection that waits holds no buffer, and a large one is given back.
        let buffer = std::mem::take(&mut self.output);
        if tools.spare.capacity() == 0 && buffer.capacity() <= LARGE {
            *tools.spare = buffer;
        }
        Ok(true)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.hold(0);
    }
}

/// A buffer that is not kept.
const LARGE: usize = 4 << 20;
