//! [`Address`]: where a server listens, on the network or in the file system.

use hopline::error::{Error, Result};
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// What stands before the path of a Unix socket.
const UNIX: &str = "unix:";

/// Where a server listens: `127.0.0.1:7476`, `[::1]:7476` or `unix:/run/hopline/routes`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// On the network.
    Tcp(SocketAddr),
    /// A Unix socket: reached by those on this machine whom the file's mode lets in.
    Unix(PathBuf),
}

impl Address {
    /// The address on the network, if it is one.
    pub fn tcp(&self) -> Option<SocketAddr> {
        if let Address::Tcp(address) = self { Some(*address) } else { None }
    }

    /// True where only processes of this machine reach it.
    pub fn is_local(&self) -> bool {
        self.tcp().is_none_or(|address| address.ip().to_canonical().is_loopback())
    }
}

/// The path of a Unix socket, if a text names one.
pub(crate) fn unix(text: &str) -> Option<&Path> {
    text.strip_prefix(UNIX).filter(|path| !path.is_empty()).map(Path::new)
}

/// Refuses what cannot be the address of a server that is asked: unlike one who listens it may have a host's name.
pub(crate) fn check_server(text: &str) -> Result<()> {
    let is_port = |(host, port): (&str, &str)| {
        let is_one = host.starts_with('[') || !host.contains([':', '/']);
        !host.is_empty() && is_one && port.parse::<u16>().is_ok()
    };
    if unix(text).is_some() || text.rsplit_once(':').is_some_and(is_port) {
        return Ok(());
    }
    Err(Error::input(format!("`{text}` is no address of a server"))
        .hint("expected such as node001:7476, [::1]:7476 or unix:/run/hopline/routes"))
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Address> {
        if let Some(path) = unix(text) {
            return Ok(Address::Unix(path.into()));
        }
        text.parse().map(Address::Tcp).map_err(|_| {
            Error::input(format!("`{text}` is no address to listen on"))
                .hint("expected such as 127.0.0.1:7476, [::1]:7476 or unix:/run/hopline/routes")
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(address) => address.fmt(f),
            Address::Unix(path) => write!(f, "{UNIX}{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        for text in ["127.0.0.1:7476", "[::1]:1", "unix:/run/hopline/routes", "unix:routes"] {
            assert_eq!(text.parse::<Address>().expect(text).to_string(), text);
        }
        for text in ["", "localhost:1", "unix:", "/run/hopline/routes", "127.0.0.1"] {
            assert!(text.parse::<Address>().is_err_and(|e| e.to_string().contains("unix:/run")), "{text}");
        }
        for text in ["node001:7476", "127.0.0.1:1", "[::1]:1", "[fe80::1%eth0]:1", "unix:routes"] {
            check_server(text).expect(text);
        }
        for text in ["", "node001", "::1", "unix:", "http://node001:7476", ":7476", "node001:70000", "node001:"] {
            assert!(check_server(text).is_err_and(|e| e.to_string().contains("node001:7476")), "{text}");
        }
        let local = |text: &str| text.parse::<Address>().expect(text).is_local();
        assert!(local("unix:a") && local("[::ffff:127.0.0.1]:1") && !local("0.0.0.0:1"));
    }
}
