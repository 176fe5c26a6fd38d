//! Taking connections and handing them to the answering threads in turn.

use super::Shared;
use super::worker::Inbox;
use hopline::error::{Error, Result};
use mio::net::TcpListener;
use mio::{Events, Interest, Poll, Token};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Opens all addresses.
pub(super) fn bind(addresses: &[SocketAddr]) -> Result<Vec<TcpListener>> {
    let open = |a: &SocketAddr| TcpListener::bind(*a).map_err(|e| Error::failed(format!("cannot listen on {a}: {e}")));
    addresses.iter().map(open).collect()
}

/// Takes connections until the server stops.
pub(super) fn run(shared: &Shared, mut listeners: Vec<TcpListener>, inboxes: &[Inbox]) {
    let Ok(mut poll) = Poll::new() else { return };
    for (i, listener) in listeners.iter_mut().enumerate() {
        if poll.registry().register(listener, Token(i), Interest::READABLE).is_err() {
            return;
        }
    }
    let (mut events, mut next) = (Events::with_capacity(16), 0);
    while !shared.stopped() {
        // Woken also without an event: to stop, and to go on where descriptors had run out.
        if poll.poll(&mut events, Some(Duration::from_millis(100))).is_err() {
            continue;
        }
        for listener in &listeners {
            take(shared, listener, inboxes, &mut next);
        }
    }
}

fn take(shared: &Shared, listener: &TcpListener, inboxes: &[Inbox], next: &mut usize) {
    loop {
        let (stream, from) = match listener.accept() {
            Ok(taken) => taken,
            Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionAborted) => continue,
            // Nobody waits, or there are no descriptors left: tried again later.
            Err(_) => return,
        };
        let allowed = shared.allow.is_empty() || shared.allow.iter().any(|net| net.contains(from.ip()));
        let waiting: u64 = inboxes.iter().map(|i| i.waiting()).sum();
        if !allowed || shared.metrics.open() + waiting >= shared.limits.connections as u64 {
            shared.metrics.refused.fetch_add(1, Relaxed);
            continue;
        }
        // Answers are written whole, so waiting to fill a packet only costs time.
        let _ = stream.set_nodelay(true);
        inboxes[*next % inboxes.len()].give(stream);
        *next += 1;
    }
}
