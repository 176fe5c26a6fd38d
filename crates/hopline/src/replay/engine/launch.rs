//! Messages leave their hosts.

use super::Engine;
use crate::error::Result;
use crate::replay::events::EventKind;
use crate::replay::message::{Message, What};
use crate::replay::network::Wire;
use crate::replay::routes::MessageRoute;
use crate::replay::{NONE, Network};

impl Engine<'_> {
    /// A message about the send `op` of rank `sender` leaves its host.
    pub(super) fn launch(&mut self, what: What, (op, sender): (u32, u32), t: u64, cause: u32) -> Result<()> {
        let (input, model) = (self.input, self.input.model);
        let send = &input.schedule.ops()[op as usize];
        let data = what == What::Data;
        let bytes = if data { send.amount } else { 0 };
        let mut message = Message::new(what, (op, send.partner), (sender, send.peer), bytes);
        message.cause = cause;
        message.eager = bytes <= model.eager;
        if data && message.eager {
            message.number = self.ranks.count(op);
        }
        self.wire.sent += u64::from(data);
        let (from, to) = message.ends();
        let places = input.places;
        self.wire.copies += u64::from(data && places.machine[from as usize] == places.machine[to as usize]);
        if input.places.host[from as usize] == input.places.host[to as usize] {
            self.copy(message, from, t);
            return Ok(());
        }
        let out = &mut self.wire.out[input.places.endpoint[from as usize].index()];
        // Requests and grants pass what stands in line.
        let start = if data { t.max(*out) } else { t };
        let gap = model.gap_per_byte.time(bytes.saturating_sub(1));
        if data {
            *out = start.saturating_add(model.gap).saturating_add(gap);
        }
        match model.network {
            Network::Ideal => {
                let id = self.wire.messages.add(message);
                self.queue.push(start.saturating_add(model.latency).saturating_add(gap), EventKind::Arrive, id);
            }
            Network::Fluid => {
                message.arrival = start;
                let id = self.wire.messages.add(message);
                if !self.wire.queues(id) {
                    self.wire.connect(id);
                    self.queue.push(start, EventKind::Join, id);
                }
            }
            Network::Packets if !data => self.begin_signal(message, start)?,
            Network::Packets => {
                (message.way, message.keep) = self.way(&message)?;
                message.orderly = matches!(message.way, MessageRoute::One(_) | MessageRoute::Ask(1));
                message.arrival = start;
                let id = self.wire.messages.add(message);
                if self.wire.queues(id) {
                    return Ok(());
                }
                if start > t || bytes > u64::from(model.packet) {
                    self.wire.connect(id);
                }
                if start > t {
                    self.queue.push(start, EventKind::Inject, id);
                } else {
                    self.inject(id, start)?;
                }
            }
        }
        Ok(())
    }

    /// A message stays within the host of rank `from`.
    fn copy(&mut self, message: Message, from: u32, t: u64) {
        let model = self.input.model;
        let copied = &mut self.wire.copied[from as usize];
        *copied = t.max(*copied).saturating_add(model.memory.time(message.unsent));
        let arrival = copied.saturating_add(model.memory_latency);
        let id = self.wire.messages.add(message);
        self.queue.push(arrival, EventKind::Take, id);
    }

    /// The way of a message, and whether it is kept.
    pub(super) fn way(&mut self, message: &Message) -> Result<(MessageRoute, bool)> {
        let schedule = self.input.schedule;
        let op = &schedule.ops()[message.op as usize];
        // Grants take the place of the receive: their way leads back.
        let cell = if message.what == What::Grant { op.partner } else { message.op } as usize;
        if let Some(Some(way)) = self.wire.kept.get(cell) {
            return Ok((*way, true));
        }
        let keep = schedule.is_repeated();
        let amount = if message.what == What::Data { op.amount } else { 0 };
        let packets = amount.div_ceil(u64::from(self.input.model.packet)).max(1);
        let ends = self.endpoints(message);
        let way = self.wire.routes.way(ends, packets, keep, &self.wire.links)?;
        if keep {
            if self.wire.kept.is_empty() {
                self.wire.kept = vec![None; schedule.ops().len()];
            }
            self.wire.kept[cell] = Some(way);
        }
        Ok((way, keep))
    }
}

/// Data from one rank to another leaves message by message, as over a connection.
impl Wire<'_> {
    /// Whether a new message has to wait until those before it have left; it is the last of them then.
    fn queues(&mut self, id: u32) -> bool {
        let Some(last) = self.connection(id).and_then(|pair| self.leaving.get_mut(&pair)) else { return false };
        let before = std::mem::replace(last, id);
        self.messages[before].next = id;
        true
    }

    /// A message takes its time to leave, and others wait for that.
    fn connect(&mut self, id: u32) {
        if let Some(pair) = self.connection(id) {
            self.leaving.insert(pair, id);
        }
    }

    /// A message has left as a whole. Answers the one that waited for that.
    pub(super) fn left(&mut self, id: u32) -> Option<u32> {
        let next = self.messages[id].next;
        if next != NONE {
            return Some(next);
        }
        if !self.leaving.is_empty()
            && let Some(pair) = self.connection(id)
        {
            self.leaving.remove(&pair);
        }
        None
    }

    fn connection(&self, id: u32) -> Option<(u32, u32)> {
        let m = &self.messages[id];
        (m.what == What::Data).then_some((m.sender, m.receiver))
    }
}
