//! An answering thread: an event loop over its connections.

use super::clients::Account;
use super::connection::{Connection, Next, Tools};
use super::handed::Handed;
use super::stream::Stream;
use super::{Served, Shared};
use crate::atlas::Column;
use crate::metrics::add;
use mio::{Events, Interest, Poll, Token, Waker};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The token of the waker; connection i has token i.
const WAKE: Token = Token(usize::MAX);

/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;

/// A connection and its client.
type Arrival = (Stream, Arc<Account>);

/// How connections reach a thread.
#[derive(Clone)]
pub(super) struct Inbox {
    streams: Handed<Arrival>,
    waker: Arc<Waker>,
}

impl Inbox {
    /// Hands over a connection.
    pub(super) fn give(&self, stream: Stream, account: Arc<Account>) {
        self.streams.give((stream, account));
        // Without it the thread looks at its next tick.
        let _ = self.waker.wake();
    }

    /// Connections that were not yet taken out.
    pub(super) fn waiting(&self) -> u64 {
        self.streams.waiting()
    }
}

struct Slot {
    connection: Connection,
    /// When its rate allows more.
    due: Option<Instant>,
}

/// One answering thread.
pub(super) struct Worker {
    shared: Arc<Shared>,
    id: usize,
    poll: Poll,
    inbox: Inbox,
    slots: Vec<Option<Slot>>,
    free: Vec<usize>,
    /// Connections that have had their turn, and those that wait for their rate.
    turns: Vec<usize>,
    delayed: Vec<usize>,
    served: Arc<Served>,
    column: Column,
    chunk: Vec<u8>,
    spare: Vec<u8>,
}

impl Worker {
    pub(super) fn new(shared: Arc<Shared>, id: usize) -> std::io::Result<(Worker, Inbox)> {
        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKE)?);
        let inbox = Inbox { streams: Handed::new(), waker };
        let served = shared.current();
        let column = Column::new(&served.generation.atlas);
        let worker = Worker {
            shared,
            id,
            poll,
            inbox: inbox.clone(),
            slots: Vec::new(),
            free: Vec::new(),
            turns: Vec::new(),
            delayed: Vec::new(),
            served,
            column,
            chunk: vec![0; CHUNK],
            spare: Vec::new(),
        };
        Ok((worker, inbox))
    }

    /// Serves until the server stops.
    pub(super) fn run(mut self) {
        let (idle, stall) = (self.shared.limits.idle(), self.shared.limits.stall());
        let tick = (idle.min(stall) / 4).clamp(Duration::from_millis(5), Duration::from_millis(200));
        let mut events = Events::with_capacity(1024);
        let mut swept = Instant::now();
        while !self.shared.stopped() {
            let wait = if self.turns.is_empty() { self.wait(tick) } else { Duration::ZERO };
            // An interrupted poll has no events.
            let _ = self.poll.poll(&mut events, Some(wait));
            self.refresh();
            self.take_in();
            let now = Instant::now();
            for at in std::mem::take(&mut self.turns) {
                self.drive(at, now);
            }
            for event in &events {
                if event.token() != WAKE {
                    if let Some(Some(slot)) = self.slots.get_mut(event.token().0) {
                        slot.connection.wake(event.is_read_closed());
                    }
                    self.drive(event.token().0, now);
                }
            }
            self.drive_delayed(now);
            if now.duration_since(swept) >= tick {
                swept = now;
                self.sweep(idle, stall, now);
            }
        }
    }

    /// Until the next tick or the first connection that is due.
    fn wait(&self, tick: Duration) -> Duration {
        let due = self.delayed.iter().filter_map(|&at| self.slots.get(at)?.as_ref()?.due).min();
        due.map_or(tick, |due| due.saturating_duration_since(Instant::now()).min(tick))
    }

    /// Takes the newest generation.
    fn refresh(&mut self) {
        let current = self.shared.current();
        if !Arc::ptr_eq(&current, &self.served) {
            if !Arc::ptr_eq(&current.generation, &self.served.generation) {
                self.column = Column::new(&current.generation.atlas);
            }
            self.served = current;
        }
    }

    /// Takes the connections that were handed over.
    fn take_in(&mut self) {
        let streams = self.inbox.streams.take();
        let now = Instant::now();
        for (stream, account) in streams {
            let tally = &self.shared.metrics.tallies[self.id];
            add(&tally.opened, 1);
            self.inbox.streams.taken();
            let mut connection = Connection::new(stream, account, self.shared.limits.rate, now);
            let at = self.free.pop().unwrap_or_else(|| {
                self.slots.push(None);
                self.slots.len() - 1
            });
            let interest = Interest::READABLE | Interest::WRITABLE;
            if self.poll.registry().register(connection.stream(), Token(at), interest).is_err() {
                add(&tally.closed, 1);
                self.free.push(at);
                continue;
            }
            self.slots[at] = Some(Slot { connection, due: None });
            self.drive(at, now);
        }
    }

    fn drive(&mut self, at: usize, now: Instant) {
        let Some(Some(slot)) = self.slots.get_mut(at) else { return };
        let mut tools = Tools {
            shared: &self.shared,
            served: &self.served,
            tally: &self.shared.metrics.tallies[self.id],
            column: &mut self.column,
            chunk: &mut self.chunk,
            spare: &mut self.spare,
            now,
        };
        match slot.connection.drive(&mut tools) {
            Next::Event => {}
            Next::Turn => self.turns.push(at),
            Next::Rate(due) => {
                if slot.due.replace(due).is_none() {
                    self.delayed.push(at);
                }
            }
            Next::Over => self.close(at),
        }
    }

    fn drive_delayed(&mut self, now: Instant) {
        for at in std::mem::take(&mut self.delayed) {
            let Some(Some(slot)) = self.slots.get_mut(at) else { continue };
            match slot.due {
                Some(due) if due <= now => {
                    slot.due = None;
                    self.drive(at, now);
                }
                Some(_) => self.delayed.push(at),
                None => {}
            }
        }
    }

    /// Drops the clients that are silent or slow, and those that were told to go.
    fn sweep(&mut self, idle: Duration, stall: Duration, now: Instant) {
        for at in 0..self.slots.len() {
            if self.slots[at].as_ref().is_some_and(|slot| slot.connection.has_left(now)) {
                self.close(at);
                continue;
            }
            let overdue = |slot: &mut Slot| slot.connection.overdue(idle, stall, now);
            if let Some(why) = self.slots[at].as_mut().and_then(overdue) {
                add(&self.shared.metrics.tallies[self.id].dropped[why as usize], 1);
                self.close(at);
            }
        }
    }

    fn close(&mut self, at: usize) {
        if let Some(mut slot) = self.slots[at].take() {
            // Closing the socket takes it out of the poll in any case.
            let _ = self.poll.registry().deregister(slot.connection.stream());
            add(&self.shared.metrics.tallies[self.id].closed, 1);
            self.free.push(at);
        }
    }
}
