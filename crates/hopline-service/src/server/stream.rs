//! A connection, over whatever it came.

use crate::tls::Session;
use mio::event::Source;
use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};
use std::io::{Read, Result, Write};
use std::net::Shutdown;

/// A client's end of the line.
pub(super) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<Session>),
}

/// One of these for all that every kind can do.
macro_rules! either {
    ($stream:expr, $it:ident => $do:expr) => {
        match $stream {
            Stream::Tcp($it) => $do,
            Stream::Unix($it) => $do,
            Stream::Tls($it) => $do,
        }
    };
}

impl Stream {
    /// Nothing more is written.
    pub(super) fn finish(&mut self) -> Result<()> {
        match self {
            Stream::Tcp(s) => s.shutdown(Shutdown::Write),
            Stream::Unix(s) => s.shutdown(Shutdown::Write),
            Stream::Tls(s) => s.finish(),
        }
    }

    /// True where what was read may not be all that has come.
    pub(super) fn holds_back(&self) -> bool {
        matches!(self, Stream::Tls(_))
    }

    /// What the poll is told of.
    fn source(&mut self) -> &mut dyn Source {
        match self {
            Stream::Tcp(s) => s,
            Stream::Unix(s) => s,
            Stream::Tls(s) => s.socket(),
        }
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
        self.source().register(registry, token, interests)
    }

    fn reregister(&mut self, registry: &Registry, token: Token, interests: Interest) -> Result<()> {
        self.source().reregister(registry, token, interests)
    }

    fn deregister(&mut self, registry: &Registry) -> Result<()> {
        self.source().deregister(registry)
    }
}
