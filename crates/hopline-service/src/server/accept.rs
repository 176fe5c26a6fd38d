//! Taking connections and handing them to the answering threads in turn.

use super::Shared;
use super::refuse::Refusals;
use super::worker::Inbox;
use hopline::error::{Error, Result};
use mio::net::TcpListener;
use mio::{Events, Interest, Poll, Token};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Connections that one address may bring before the next one has its turn.
const TURN: usize = 1024;

/// Opens all addresses.
pub(super) fn bind(addresses: &[SocketAddr]) -> Result<Vec<TcpListener>> {
    let open = |a: &SocketAddr| {
        let listener = TcpListener::bind(*a)?;
        // 128 clients may wait to be taken, says the standard library, and the next one tries again
        // after a second. The kernel makes of this as many as the system allows: net.core.somaxconn.
        rustix::net::listen(&listener, i32::MAX)?;
        Ok(listener)
    };
    let named =
        |a: &SocketAddr| open(a).map_err(|e: std::io::Error| Error::failed(format!("cannot listen on {a}: {e}")));
    addresses.iter().map(named).collect()
}

/// Takes connections until the server stops.
pub(super) fn run(shared: &Shared, mut listeners: Vec<TcpListener>, inboxes: &[Inbox]) {
    let Ok(mut poll) = Poll::new() else { return };
    for (i, listener) in listeners.iter_mut().enumerate() {
        if poll.registry().register(listener, Token(i), Interest::READABLE).is_err() {
            return;
        }
    }
    let mut events = Events::with_capacity(16);
    let (mut door, mut more) = (Refusals::default(), false);
    let why = format!("all {} connections are taken, try again later", shared.limits.connections);
    while !shared.stopped() {
        // Woken also without an event: to stop, and to go on where descriptors had run out.
        let wait = match (more, door.is_empty()) {
            (true, _) => Duration::ZERO,
            (false, true) => Duration::from_millis(100),
            (false, false) => Duration::from_millis(10),
        };
        if poll.poll(&mut events, Some(wait)).is_err() {
            continue;
        }
        more = false;
        for listener in &listeners {
            more |= take(shared, listener, inboxes, &mut door);
        }
        door.turn(&why);
    }
}

/// Takes those that wait; true where there may be more.
fn take(shared: &Shared, listener: &TcpListener, inboxes: &[Inbox], door: &mut Refusals) -> bool {
    for _ in 0..TURN {
        let (stream, from) = match listener.accept() {
            Ok(taken) => taken,
            Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionAborted) => continue,
            // Nobody waits, or there are no descriptors left: tried again later.
            Err(_) => return false,
        };
        if !shared.allow.is_empty() && !shared.allow.iter().any(|net| net.contains(from.ip())) {
            shared.metrics.refused.fetch_add(1, Relaxed);
            continue;
        }
        let held = |(i, inbox): (usize, &Inbox)| shared.metrics.open_of(i) + inbox.waiting();
        if inboxes.iter().enumerate().map(held).sum::<u64>() >= shared.limits.connections as u64 {
            shared.metrics.refused.fetch_add(1, Relaxed);
            door.refuse(stream);
            continue;
        }
        // Answers are written whole, so waiting to fill a packet only costs time.
        let _ = stream.set_nodelay(true);
        // To the thread that has the fewest: clients come and go unevenly.
        if let Some((_, inbox)) = inboxes.iter().enumerate().min_by_key(|&(i, inbox)| held((i, inbox))) {
            inbox.give(stream);
        }
    }
    true
}
