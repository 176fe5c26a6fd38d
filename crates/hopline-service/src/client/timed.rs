//! Bytes to a server and from it, for which there is not more than some time.

use std::io::{ErrorKind, Read, Result, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// How long is waited.
#[derive(Debug, Clone, Copy)]
pub(super) enum Limit {
    /// So long each time.
    Each(Duration),
    /// Until then, in all.
    Until(Instant),
}

impl Limit {
    /// What the next wait may take.
    pub(super) fn left(self) -> Result<Duration> {
        match self {
            Limit::Each(time) => Ok(time),
            Limit::Until(end) => match end.saturating_duration_since(Instant::now()) {
                Duration::ZERO => Err(ErrorKind::TimedOut.into()),
                left => Ok(left),
            },
        }
    }
}

/// A socket whose waits have a limit.
pub(super) trait Socket: Read + Write {
    /// Sets it for what is read and written next.
    fn wait_at_most(&self, time: Duration) -> Result<()>;
}

impl Socket for TcpStream {
    fn wait_at_most(&self, time: Duration) -> Result<()> {
        self.set_read_timeout(Some(time)).and_then(|()| self.set_write_timeout(Some(time)))
    }
}

impl Socket for UnixStream {
    fn wait_at_most(&self, time: Duration) -> Result<()> {
        self.set_read_timeout(Some(time)).and_then(|()| self.set_write_timeout(Some(time)))
    }
}

/// A socket with its limit.
pub(super) struct Timed<S> {
    socket: S,
    limit: Limit,
}

impl<S: Socket> Timed<S> {
    pub(super) fn new(socket: S, limit: Limit) -> Result<Timed<S>> {
        socket.wait_at_most(limit.left()?)?;
        Ok(Timed { socket, limit })
    }

    fn wait(&self) -> Result<()> {
        match self.limit {
            Limit::Each(_) => Ok(()),
            Limit::Until(_) => self.socket.wait_at_most(self.limit.left()?),
        }
    }
}

impl<S: Socket> Read for Timed<S> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        self.wait()?;
        self.socket.read(bytes)
    }
}

impl<S: Socket> Write for Timed<S> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.wait()?;
        self.socket.write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.socket.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_waited_for_after_the_end() {
        let (socket, mut other) = UnixStream::pair().expect("a pair");
        other.write_all(b"late").expect("written");
        let mut timed = Timed { socket, limit: Limit::Until(Instant::now()) };
        assert_eq!(timed.read(&mut [0; 4]).expect_err("over").kind(), ErrorKind::TimedOut);
        assert_eq!(timed.write(b"x").expect_err("over").kind(), ErrorKind::TimedOut);
        timed.limit = Limit::Each(Duration::from_secs(60));
        assert_eq!(timed.read(&mut [0; 4]).expect("there"), 4);
    }
}
