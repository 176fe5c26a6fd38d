//! What there is of TLS in a build without it: a refusal.

use hopline::error::{Error, Result};
use mio::net::TcpStream;
use std::io;
use std::path::Path;

/// A server's certificate.
#[derive(Debug, Clone)]
pub enum Acceptor {}

/// Whom a client trusts, and who it is.
#[derive(Debug, Clone)]
pub enum Connector {}

/// A client's connection.
pub(crate) enum Session {}

fn refuse<T>() -> Result<T> {
    Err(Error::input("this program was built without TLS")
        .hint("build it with the feature: cargo build --features tls"))
}

impl Acceptor {
    /// Never there.
    ///
    /// # Errors
    /// This build has no TLS.
    pub fn read(_certificate: &Path, _key: &Path, _clients: Option<&Path>) -> Result<Acceptor> {
        refuse()
    }

    pub(crate) fn session(&self, _stream: TcpStream) -> io::Result<Session> {
        match *self {}
    }
}

impl Connector {
    /// Never there.
    ///
    /// # Errors
    /// This build has no TLS.
    pub fn read(_authority: &Path, _own: Option<(&Path, &Path)>) -> Result<Connector> {
        refuse()
    }

    pub(crate) fn session<S>(&self, _host: &str, _stream: S) -> io::Result<S> {
        match *self {}
    }
}

impl Session {
    pub(crate) fn socket(&mut self) -> &mut TcpStream {
        match *self {}
    }

    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match *self {}
    }
}

impl io::Read for Session {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match *self {}
    }
}

impl io::Write for Session {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match *self {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match *self {}
    }
}
