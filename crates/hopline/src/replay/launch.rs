//! Messages leave their hosts.

use super::Network;
use super::engine::{Engine, Kind};
use super::message::{ALL_SENT, Message, What};
use super::network::Wire;
use super::routes::Way;
use crate::error::Result;

impl Engine<'_> {
    /// A message about the send `op` of rank `sender` leaves its host.
    pub(super) fn launch(&mut self, what: What, (op, sender): (u32, u32), t: u64, cause: u32) -> Result<()> {
        let (setting, model) = (self.setting, self.setting.model);
        let send = &setting.schedule.ops()[op as usize];
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
        if setting.places.host[from as usize] == setting.places.host[to as usize] {
            self.copy(message, from, t);
            return Ok(());
        }
        let out = &mut self.wire.out[setting.places.endpoint[from as usize].index()];
        let start = t.max(*out);
        let gap = model.gap_per_byte.time(bytes.saturating_sub(1));
        if data {
            *out = start.saturating_add(model.gap).saturating_add(gap);
        }
        match model.network {
            Network::Ideal => {
                let id = self.wire.messages.add(message);
                self.queue.push(start.saturating_add(model.latency).saturating_add(gap), Kind::Arrive, id);
            }
            Network::Fluid => {
                let id = self.wire.messages.add(message);
                self.queue.push(start, Kind::Join, id);
            }
            Network::Packets => {
                (message.way, message.keep) = self.way(&message, from)?;
                message.orderly = matches!(message.way, Way::One(_) | Way::Ask(1));
                let id = self.wire.messages.add(message);
                if start > t {
                    self.queue.push(start, Kind::Inject, id);
                } else if !(data && self.wire.queues(id)) {
                    self.inject(id, start)?;
                }
            }
        }
        Ok(())
    }

    /// A message stays within the host of rank `from`.
    fn copy(&mut self, message: Message, from: u32, t: u64) {
        let model = self.setting.model;
        self.wire.copies += u64::from(message.what == What::Data);
        let copied = &mut self.wire.copied[from as usize];
        *copied = t.max(*copied).saturating_add(model.memory.time(message.unsent));
        let arrival = copied.saturating_add(model.memory_latency);
        let id = self.wire.messages.add(message);
        self.queue.push(arrival, Kind::Take, id);
    }

    /// The way of a message, and whether it is kept.
    fn way(&mut self, message: &Message, from: u32) -> Result<(Way, bool)> {
        let schedule = self.setting.schedule;
        let op = &schedule.ops()[message.op as usize];
        // Grants take the place of the receive: their way leads back.
        let cell = if message.what == What::Grant { op.partner } else { message.op } as usize;
        if let Some(Some(way)) = self.wire.kept.get(cell) {
            return Ok((*way, true));
        }
        let keep = self.ranks.is_repeated(schedule, from);
        let packets = op.amount.div_ceil(u64::from(self.setting.model.packet)).max(1);
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

impl Wire<'_> {
    /// Whether a new message has to wait until the rank's latest one has left, which goes to the same rank.
    fn queues(&mut self, id: u32) -> bool {
        let Message { sender, receiver, .. } = self.messages[id];
        let latest = std::mem::replace(&mut self.latest[sender as usize], id);
        let Some(before) = self.messages.get_mut(latest).filter(|_| latest != id) else { return false };
        // The place of the latest message may have been given to another one.
        let same = (before.sender, before.receiver, before.what) == (sender, receiver, What::Data);
        let waits = same && before.unsent != ALL_SENT;
        if waits {
            before.next = id;
        }
        waits
    }
}
