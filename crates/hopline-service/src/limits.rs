//! What clients may do: how much, how fast, from where.

use crate::tls::Acceptor;
use crate::tokens::Tokens;
use hopline::error::{Error, Result};
use serde::Deserialize;
use std::net::IpAddr;
use std::time::Duration;

/// Limits of a server; every one has a default.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of a line or an HTTP head.
    pub line: usize,
    /// Connections at a time; one more is told so and closed.
    pub connections: usize,
    /// Requests a second of one connection; more wait, as do those that ask for
    /// much: a list of hosts counts one more for each 64 hosts and for each 4,096 pairs.
    pub rate: u32,
    /// Hosts of a list.
    pub hosts: usize,
    /// Hosts of a matrix.
    pub matrix: usize,
    /// Bytes of answers that wait for a client to read; no more is answered before they are read.
    pub unread: usize,
    /// Connections of one client, a user of a Unix socket or an address of the network; one more is told so and closed.
    pub client_connections: usize,
    /// Requests a second of one client, counted as those of a connection; what is more is refused.
    pub client_rate: u32,
    /// Bytes that wait for one client to read or to finish them; who has more is refused and closed.
    pub client_bytes: usize,
    /// Seconds after which a client that sends nothing is dropped.
    pub idle_seconds: f64,
    /// Seconds after which a client that does not finish a request, or does not read, is dropped.
    pub stall_seconds: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            line: 64 << 10,
            connections: 4096,
            rate: 2_000_000,
            hosts: 4096,
            matrix: 1024,
            unread: 1 << 20,
            client_connections: 1024,
            // One connection alone waits for its own rate and is never refused.
            client_rate: 4_000_000,
            client_bytes: 64 << 20,
            idle_seconds: 600.0,
            stall_seconds: 20.0,
        }
    }
}

impl Limits {
    /// Refuses limits under which nothing could be answered.
    ///
    /// # Errors
    /// A limit is 0 or no time.
    pub fn check(self) -> Result<Limits> {
        let all = [self.line, self.connections, self.rate as usize, self.hosts, self.matrix, self.unread];
        let each = [self.client_connections, self.client_rate as usize, self.client_bytes];
        if all.contains(&0) || each.contains(&0) {
            return Err(Error::input("a limit is 0").hint("leave it out for its default"));
        }
        for (name, time) in [("idle_seconds", self.idle_seconds), ("stall_seconds", self.stall_seconds)] {
            if !(0.001..=1e9).contains(&time) {
                let message = format!("{name} is {time}, expected 0.001 to 1000000000 seconds");
                return Err(Error::input(message).hint("leave it out for its default"));
            }
        }
        Ok(self)
    }

    /// [`Limits::idle_seconds`] as a time.
    pub fn idle(&self) -> Duration {
        Duration::from_secs_f64(self.idle_seconds)
    }

    /// [`Limits::stall_seconds`] as a time.
    pub fn stall(&self) -> Duration {
        Duration::from_secs_f64(self.stall_seconds)
    }
}

/// Which clients are taken.
#[derive(Debug, Clone)]
pub struct Access {
    /// Networks from which clients may come; empty for any.
    pub networks: Vec<Network>,
    /// Mode of the file of a Unix socket: who may write to it may connect.
    pub socket_mode: u32,
    /// Users who may ask over a Unix socket, by number; with no users and no groups all who may connect.
    pub users: Vec<u32>,
    /// Groups who may, by number: the first group of a process counts.
    pub groups: Vec<u32>,
    /// Tokens of which those must have one who ask over the network; none where nobody needs one.
    pub tokens: Option<Tokens>,
    /// The certificate by which connections over the network are encrypted; none where they are not.
    pub tls: Option<Acceptor>,
}

impl Default for Access {
    fn default() -> Self {
        Access {
            networks: Vec::new(),
            socket_mode: 0o666,
            users: Vec::new(),
            groups: Vec::new(),
            tokens: None,
            tls: None,
        }
    }
}

/// A network such as `10.0.0.0/8` or `fe80::/10`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl Network {
    /// Reads `ADDRESS/BITS` or an address alone.
    ///
    /// # Errors
    /// The text is neither.
    pub fn parse(text: &str) -> Result<Network> {
        let wrong = || Error::input(format!("`{text}` is no network, expected such as 10.0.0.0/8"));
        let (address, bits) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |b| b.parse().map_err(|_| wrong()))?;
        if bits > most { Err(wrong()) } else { Ok(Network { address: address.to_canonical(), bits }) }
    }

    /// True where the address lies in the network.
    pub fn contains(&self, address: IpAddr) -> bool {
        let shifted = |a: u128, width: u8| a.checked_shr(u32::from(width - self.bits)).unwrap_or(0);
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(net), IpAddr::V4(a)) if self.bits <= 32 => {
                shifted(u128::from(u32::from(net)), 32) == shifted(u128::from(u32::from(a)), 32)
            }
            (IpAddr::V6(net), IpAddr::V6(a)) => shifted(u128::from(net), 128) == shifted(u128::from(a), 128),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_contain_their_addresses() {
        let contains = |net: &str, a: &str| Network::parse(net).expect(net).contains(a.parse().expect(a));
        assert!(contains("10.0.0.0/8", "10.200.1.1") && !contains("10.0.0.0/8", "11.0.0.1"));
        assert!(contains("10.1.2.3", "10.1.2.3") && !contains("10.1.2.3", "10.1.2.4"));
        assert!(contains("10.0.0.0/8", "::ffff:10.0.0.1"), "an IPv4 client of an IPv6 socket");
        assert!(contains("fd00::/8", "fd12::1") && !contains("fd00::/8", "fe80::1"));
        assert!(contains("0.0.0.0/0", "1.2.3.4") && contains("::/0", "::1") && !contains("0.0.0.0/0", "::1"));
        for text in ["", "10.0.0.0/33", "host", "10.0.0.0/", "::/129", "10.0.0/8"] {
            assert!(Network::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn limits_are_not_zero() {
        assert!(Limits::default().check().is_ok());
        assert!(Limits { matrix: 0, ..Limits::default() }.check().is_err());
        assert!(Limits { idle_seconds: f64::NAN, ..Limits::default() }.check().is_err());
    }
}
