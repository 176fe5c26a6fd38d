//! A word for those for whom there is no room, in the language that they speak.

use super::connection::{error_page, is_http};
use mio::net::TcpStream;
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
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
    stream: TcpStream,
    since: Instant,
    told: bool,
}

impl Refusals {
    /// Takes one more.
    pub(super) fn refuse(&mut self, stream: TcpStream) {
        if self.0.len() < MOST {
            self.0.push(Refused { stream, since: Instant::now(), told: false });
        }
    }

    /// True where nobody is left.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Goes on with all of them; `why` is said to those that were not yet told.
    pub(super) fn turn(&mut self, why: &str) {
        self.0.retain_mut(|client| client.stays(why));
    }
}

impl Refused {
    /// What a client sends is read to the end: a socket that is closed with bytes
    /// unread is reset, and the word with it.
    fn stays(&mut self, why: &str) -> bool {
        let mut chunk = [0; 4096];
        let age = self.since.elapsed();
        match self.stream.read(&mut chunk) {
            Ok(0) => {
                self.tell(why, b"");
                return false;
            }
            Ok(n) => self.tell(why, &chunk[..n]),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                if age > FIRST {
                    self.tell(why, b"");
                }
            }
            Err(_) => return false,
        }
        age < LAST
    }

    fn tell(&mut self, why: &str, first: &[u8]) {
        if std::mem::replace(&mut self.told, true) {
            return;
        }
        let word = if is_http(first) { error_page(503, why) } else { format!("error {why}\n").into_bytes() };
        // A few bytes, into a socket that is empty. Who has gone need not hear it.
        let _ = self.stream.write(&word).and_then(|_| self.stream.shutdown(Shutdown::Write));
    }
}
