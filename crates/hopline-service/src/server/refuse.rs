//! A word for those for whom there is no room, in the language that they speak.

use super::connection::{error_page, is_http};
use super::stream::Stream;
use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

/// So many are told; more at once are closed without a word.
const MOST: usize = 256;

/// A first byte, which tells HTTP from lines, is waited for so long.
const FIRST: Duration = Duration::from_millis(200);

/// The client has so long to read the word and to close.
const LAST: Duration = Duration::from_secs(2);

/// Connections that are on their way out.
#[derive(Default)]
pub(super) struct Refusals(Vec<Refused>);

struct Refused {
    stream: Stream,
    /// What is to be said, over HTTP with a status; empty once it is.
    status: u16,
    why: String,
    since: Instant,
}

impl Refusals {
    /// Takes one more, who is told why; over TLS a word would cost more than an answer.
    pub(super) fn refuse(&mut self, stream: Stream, status: u16, why: String) {
        if self.0.len() < MOST && !stream.holds_back() {
            self.0.push(Refused { stream, status, why, since: Instant::now() });
        }
    }

    /// True where nobody is left.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Goes on with all of them.
    pub(super) fn turn(&mut self) {
        self.0.retain_mut(Refused::stays);
    }
}

impl Refused {
    /// What a client sends is read to the end: a socket that is closed with bytes
    /// unread is reset, and the word with it.
    fn stays(&mut self) -> bool {
        let mut chunk = [0; 4096];
        let age = self.since.elapsed();
        match self.stream.read(&mut chunk) {
            Ok(0) => {
                self.tell(b"");
                return false;
            }
            Ok(n) => self.tell(&chunk[..n]),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                if age > FIRST {
                    self.tell(b"");
                }
            }
            Err(_) => return false,
        }
        age < LAST
    }

    fn tell(&mut self, first: &[u8]) {
        let why = std::mem::take(&mut self.why);
        if why.is_empty() {
            return;
        }
        let word = if is_http(first) { error_page(self.status, &why) } else { format!("error {why}\n").into_bytes() };
        // A few bytes, into a socket that is empty. Who has gone need not hear it.
        let _ = self.stream.write(&word).and_then(|_| self.stream.finish());
    }
}
