//! Taking connections and handing them to the answering threads in turn.

use super::Shared;
use super::clients::Clients;
use super::door::{Door, Peer};
use super::refuse::Refusals;
use super::worker::Inbox;
use crate::limits::Access;
use crate::metrics::Refused;
use mio::{Events, Poll, Token};
use std::io::ErrorKind;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Connections that one door may bring before the next one has its turn.
const TURN: usize = 1024;

/// Takes connections until the server stops.
pub(super) fn run(shared: &Shared, mut doors: Vec<Door>, inboxes: &[Inbox]) {
    let Ok(mut poll) = Poll::new() else { return };
    for (i, door) in doors.iter_mut().enumerate() {
        if door.register(poll.registry(), Token(i)).is_err() {
            return;
        }
    }
    let mut events = Events::with_capacity(16);
    let (mut clients, mut refusals, mut more) = (Clients::default(), Refusals::default(), false);
    while !shared.stopped() {
        // Woken also without an event: to stop, and to go on where descriptors had run out.
        let wait = match (more, refusals.is_empty()) {
            (true, _) => Duration::ZERO,
            (false, true) => Duration::from_millis(100),
            (false, false) => Duration::from_millis(10),
        };
        if poll.poll(&mut events, Some(wait)).is_err() {
            continue;
        }
        more = false;
        for door in &doors {
            more |= take(shared, door, inboxes, &mut clients, &mut refusals);
        }
        refusals.turn();
        clients.sweep(Instant::now());
    }
}

/// Takes those that wait; true where there may be more.
fn take(shared: &Shared, door: &Door, inboxes: &[Inbox], clients: &mut Clients, refusals: &mut Refusals) -> bool {
    let now = Instant::now();
    let count = |why: Refused| shared.metrics.refused[why as usize].fetch_add(1, Relaxed);
    for _ in 0..TURN {
        let (stream, peer) = match door.accept() {
            Ok(taken) => taken,
            Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionAborted) => continue,
            // Nobody waits, or there are no descriptors left: tried again later.
            Err(_) => return false,
        };
        if !is_allowed(&shared.access, peer) {
            count(if matches!(peer, Peer::User(..)) { Refused::User } else { Refused::Elsewhere });
            refusals.refuse(stream, 403, format!("{peer} may not ask here; the administrator says who may"));
            continue;
        }
        let held = |(i, inbox): (usize, &Inbox)| shared.metrics.open_of(i) + inbox.waiting();
        if inboxes.iter().enumerate().map(held).sum::<u64>() >= shared.limits.connections as u64 {
            count(Refused::Full);
            let why = format!("all {} connections are taken, try again later", shared.limits.connections);
            refusals.refuse(stream, 503, why);
            continue;
        }
        let account = match clients.admit(peer, &shared.limits, now) {
            Ok(account) => account,
            Err(why) => {
                count(Refused::Client);
                refusals.refuse(stream, 429, why);
                continue;
            }
        };
        // To the thread that has the fewest: clients come and go unevenly.
        if let Some((_, inbox)) = inboxes.iter().enumerate().min_by_key(|&(i, inbox)| held((i, inbox))) {
            inbox.give(stream, account);
        }
    }
    true
}

fn is_allowed(access: &Access, peer: Peer) -> bool {
    match peer {
        Peer::Machine(address) => access.networks.is_empty() || access.networks.iter().any(|n| n.contains(address)),
        Peer::User(user, group) => {
            let anybody = access.users.is_empty() && access.groups.is_empty();
            anybody || access.users.contains(&user) || access.groups.contains(&group)
        }
    }
}
