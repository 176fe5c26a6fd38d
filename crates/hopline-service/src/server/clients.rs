//! What one client has of the server, over all of his connections: a user of a Unix socket, an address of the network.

use super::door::Peer;
use crate::limits::Limits;
use crate::metrics::Denied;
use rustc_hash::FxHashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A client may be ahead of his rate by so much, in nanoseconds.
const AHEAD: u64 = 1_000_000_000;

/// Those that have left are forgotten so often.
const SWEEP: Duration = Duration::from_secs(1);

/// What is said to those who show no token that is known.
const NEEDED: &str = "a token is needed that this server knows: `token SECRET` before all else, over HTTP `Authorization: Bearer SECRET`";

/// What his connections share; as many hold it as he has.
pub(super) struct Account {
    pub(super) peer: Peer,
    began: Instant,
    /// When what he has asked for would have been answered at his rate, in nanoseconds since `began`.
    due: AtomicU64,
    /// Bytes that wait: of requests for their end, of answers for their reader.
    held: AtomicU64,
}

impl Account {
    pub(super) fn new(peer: Peer, now: Instant) -> Account {
        Account { peer, began: now, due: AtomicU64::new(0), held: AtomicU64::new(0) }
    }

    fn now(&self, now: Instant) -> u64 {
        now.saturating_duration_since(self.began).as_nanos() as u64
    }

    /// Takes a request that counts for so many. What is denied costs nothing.
    pub(super) fn charge(&self, cost: f64, limits: &Limits, now: Instant) -> Result<(), Denied> {
        if self.held.load(Relaxed) > limits.client_bytes as u64 {
            return Err(Denied::Bytes);
        }
        let (now, takes) = (self.now(now), (cost * 1e9 / f64::from(limits.client_rate)) as u64);
        let next = |due: u64| (due <= now + AHEAD).then(|| due.max(now) + takes);
        self.due.fetch_update(Relaxed, Relaxed, next).map(|_| ()).map_err(|_| Denied::Rate)
    }

    /// Why, and what to do.
    pub(super) fn words(&self, denied: Denied, limits: &Limits) -> String {
        match denied {
            Denied::Rate => {
                format!(
                    "{} asks more than {} requests a second; wait a second and ask again",
                    self.peer, limits.client_rate
                )
            }
            Denied::Bytes => {
                let most = limits.client_bytes;
                format!("{} has left more than {most} bytes of answers unread; read them and connect again", self.peer)
            }
            Denied::Token => NEEDED.to_string(),
        }
    }

    /// A connection holds `now` bytes where it held `before`.
    pub(super) fn hold(&self, before: u64, now: u64) {
        if now != before {
            self.held.fetch_add(now.wrapping_sub(before), Relaxed);
        }
    }
}

/// All clients of whom something is known; only the thread that takes connections has them.
#[derive(Default)]
pub(super) struct Clients {
    all: FxHashMap<Key, Arc<Account>>,
    swept: Option<Instant>,
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Machine(IpAddr),
    User(u32),
}

impl Clients {
    /// The account of a client, for one more connection.
    ///
    /// # Errors
    /// He has as many as he may.
    pub(super) fn admit(&mut self, peer: Peer, limits: &Limits, now: Instant) -> Result<Arc<Account>, String> {
        let key = match peer {
            Peer::Machine(address) => Key::Machine(address),
            Peer::User(user, _) => Key::User(user),
        };
        let account = self.all.entry(key).or_insert_with(|| Arc::new(Account::new(peer, now)));
        // One is the list's own.
        if Arc::strong_count(account) > limits.client_connections {
            let most = limits.client_connections;
            return Err(format!("{peer} has {most} connections, as many as it may; close one or use one for all"));
        }
        Ok(account.clone())
    }

    /// Forgets those that have no connection and nothing to make up for.
    pub(super) fn sweep(&mut self, now: Instant) {
        if self.swept.is_none_or(|swept| now.duration_since(swept) >= SWEEP) {
            self.swept = Some(now);
            self.all.retain(|_, a| Arc::strong_count(a) > 1 || a.due.load(Relaxed) > a.now(now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_may_be_ahead_by_a_second_and_earns_it_back() {
        let limits = Limits { client_rate: 10, client_bytes: 100, ..Limits::default() };
        let (start, peer) = (Instant::now(), Peer::User(7, 7));
        let account = Account::new(peer, start);
        let asked = |at: f64, cost| account.charge(cost, &limits, start + Duration::from_secs_f64(at));
        assert_eq!((0..20).filter(|_| asked(0.0, 1.0).is_ok()).count(), 11);
        assert_eq!((asked(0.0, 1.0), asked(0.1, 1.0), asked(0.1, 1.0)), (Err(Denied::Rate), Ok(()), Err(Denied::Rate)));
        assert_eq!((asked(50.0, 100.0), asked(58.9, 1.0), asked(59.0, 1.0)), (Ok(()), Err(Denied::Rate), Ok(())));
        account.hold(0, 101);
        assert_eq!(asked(500.0, 1.0), Err(Denied::Bytes));
        account.hold(101, 100);
        assert_eq!(asked(500.0, 1.0), Ok(()));
    }

    #[test]
    fn who_has_left_is_forgotten_once_he_owes_nothing() {
        let limits = Limits { client_rate: 1, client_connections: 2, ..Limits::default() };
        let (mut clients, start) = (Clients::default(), Instant::now());
        let two: Vec<_> = (0..2).map(|_| clients.admit(Peer::User(7, 7), &limits, start).expect("room")).collect();
        let full = clients.admit(Peer::User(7, 9), &limits, start).err().expect("as many as he may");
        assert!(full.starts_with("user 7 has 2 connections"), "{full}");
        assert!(clients.admit(Peer::User(8, 7), &limits, start).is_ok(), "another user");
        two[0].charge(5.0, &limits, start).expect("asked");
        drop(two);
        clients.sweep(start);
        assert_eq!(clients.all.len(), 1, "user 8 is forgotten, user 7 has five seconds to make up for");
        clients.sweep(start + Duration::from_secs(6));
        assert_eq!(clients.all.len(), 0);
    }
}
