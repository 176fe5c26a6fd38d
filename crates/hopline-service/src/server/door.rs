//! Where connections come in: a port, or a Unix socket.

use super::socket::Socket;
use super::stream::Stream;
use super::{Access, Address};
use crate::tls::Acceptor;
use hopline::error::{Error, Result};
use mio::event::Source;
use mio::net::TcpListener;
use mio::{Interest, Registry, Token};
use std::fmt;
use std::io;
use std::net::IpAddr;

/// A place that is listened at.
pub(super) enum Door {
    Tcp(TcpListener, Option<Acceptor>),
    Unix(Socket),
}

/// Who is at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    /// Somebody on a machine.
    Machine(IpAddr),
    /// A user and his group, as the kernel says.
    User(u32, u32),
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Peer::Machine(address) => write!(f, "address {address}"),
            Peer::User(user, _) => write!(f, "user {user}"),
        }
    }
}

impl Door {
    /// Begins to listen.
    pub(super) fn open(address: &Address, access: &Access) -> Result<Door> {
        match address {
            Address::Tcp(address) => {
                let open = || {
                    let listener = TcpListener::bind(*address)?;
                    // 128 clients may wait to be taken, says the standard library, and the next one tries again
                    // after a second. The kernel makes of this as many as the system allows: net.core.somaxconn.
                    rustix::net::listen(&listener, i32::MAX)?;
                    Ok(Door::Tcp(listener, access.tls.clone()))
                };
                open().map_err(|e: io::Error| Error::input(format!("cannot listen on {address}: {e}")))
            }
            Address::Unix(path) => Socket::open(path, access.socket_mode).map(Door::Unix),
        }
    }

    /// Where it is; a port that was left to the system is known now.
    pub(super) fn address(&self) -> io::Result<Address> {
        match self {
            Door::Tcp(listener, _) => listener.local_addr().map(Address::Tcp),
            Door::Unix(socket) => Ok(Address::Unix(socket.path().into())),
        }
    }

    /// Takes one who waits.
    pub(super) fn accept(&self) -> io::Result<(Stream, Peer)> {
        match self {
            Door::Tcp(listener, tls) => {
                let (stream, from) = listener.accept()?;
                // Answers are written whole, so waiting to fill a packet only costs time.
                let _ = stream.set_nodelay(true);
                let stream = match tls {
                    Some(tls) => Stream::Tls(Box::new(tls.session(stream)?)),
                    None => Stream::Tcp(stream),
                };
                Ok((stream, Peer::Machine(from.ip().to_canonical())))
            }
            Door::Unix(socket) => {
                let stream = socket.accept()?;
                let who = rustix::net::sockopt::socket_peercred(&stream)?;
                Ok((Stream::Unix(stream), Peer::User(who.uid.as_raw(), who.gid.as_raw())))
            }
        }
    }

    /// Has the poll tell who comes.
    pub(super) fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        match self {
            Door::Tcp(listener, _) => listener.register(registry, token, Interest::READABLE),
            Door::Unix(socket) => socket.listener().register(registry, token, Interest::READABLE),
        }
    }
}
