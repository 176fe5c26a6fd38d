//! A connection, over whatever it came.

use mio::event::Source;
use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};
use std::io::{Read, Result, Write};
use std::net::Shutdown;

/// A client's end of the line.
pub(super) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// One of these for all that both kinds can do.
macro_rules! either {
    ($stream:expr, $it:ident => $do:expr) => {
        match $stream {
            Stream::Tcp($it) => $do,
            Stream::Unix($it) => $do,
        }
    };
}

impl Stream {
    /// Nothing more is written.
    pub(super) fn finish(&mut self) -> Result<()> {
        either!(self, s => s.shutdown(Shutdown::Write))
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        either!(self, s => s.read(into))
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        either!(self, s => s.write(bytes))
    }

    fn flush(&mut self) -> Result<()> {
        either!(self, s => s.flush())
    }
}

impl Source for Stream {
    fn register(&mut self, registry: &Registry, token: Token, interests: Interest) -> Result<()> {
        either!(self, s => s.register(registry, token, interests))
    }

    fn reregister(&mut self, registry: &Registry, token: Token, interests: Interest) -> Result<()> {
        either!(self, s => s.reregister(registry, token, interests))
    }

    fn deregister(&mut self, registry: &Registry) -> Result<()> {
        either!(self, s => s.deregister(registry))
    }
}
