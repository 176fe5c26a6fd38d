//! Requests and grants: packets without data in a lane of their own.
//!
//! A request or grant passes all data, at its adapter and on every link, and waits
//! only for others of its kind; what is being sent goes on beside it. It takes its
//! header's bytes from the link, so data behind it leave that much later. There is
//! always room for it: it never waits for a buffer, nor does anything wait for its.

use super::Engine;
use crate::error::Result;
use crate::replay::NONE;
use crate::replay::events::EventKind;
use crate::replay::message::Message;
use crate::replay::routes::{EMPTY, LAST, MessageRoute, link_of, spread};

impl Engine<'_> {
    /// A request or grant enters the network.
    pub(super) fn begin_signal(&mut self, mut message: Message, t: u64) -> Result<()> {
        (message.way, message.keep) = self.way(&message)?;
        let (ends, point) = (self.endpoints(&message), spread(message.op, 0));
        let (run, own) = self.wire.routes.run_of(message.way, ends, point, &self.wire.links)?;
        if own {
            (message.way, message.keep) = (MessageRoute::One(run), false);
        }
        message.next = run;
        let id = self.wire.messages.add(message);
        self.signal(id, t);
        Ok(())
    }

    /// A request or grant is at its next link.
    pub(super) fn signal(&mut self, id: u32, t: u64) {
        let (at, latency) = (self.wire.messages[id].next, self.input.model.latency);
        if at == EMPTY {
            return self.queue.push(t.saturating_add(latency), EventKind::Arrive, id);
        }
        let word = self.wire.routes.arena[at as usize];
        let there = self.wire.links.pass_by(link_of(word), t, self.input.model.header);
        self.wire.hops += 1;
        if word & LAST == 0 {
            self.wire.messages[id].next = at + 1;
            self.queue.push(there, EventKind::Signal, id);
        } else {
            self.wire.messages[id].next = NONE;
            self.queue.push(there.saturating_add(latency), EventKind::Arrive, id);
        }
    }
}
