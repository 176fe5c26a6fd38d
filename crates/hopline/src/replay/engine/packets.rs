//! Packets enter the network, go on and leave it.

use super::Engine;
use crate::error::Result;
use crate::id::VertexId;
use crate::replay::NONE;
use crate::replay::events::EventKind;
use crate::replay::links::Passage;
use crate::replay::message::{ALL_SENT, Message};
use crate::replay::model::Rate;
use crate::replay::packet::{FIRST, Packet};
use crate::replay::routes::{LAST, link_of, spread};

impl Engine<'_> {
    /// Where a message enters and leaves the network.
    pub(super) fn endpoints(&self, m: &Message) -> (VertexId, VertexId) {
        let (from, to) = m.ends();
        let at = |rank: u32| self.input.places.endpoint[rank as usize];
        (at(from), at(to))
    }

    /// The next packet of a message enters the network.
    pub(super) fn inject(&mut self, id: u32, t: u64) -> Result<()> {
        let model = self.input.model;
        let m = &mut self.wire.messages[id];
        let unsent = m.unsent;
        let data = unsent.min(u64::from(model.packet)) as u32;
        let more = unsent > u64::from(data);
        let counts = !(m.orderly && more) || self.wire.buffers.is_some();
        let k = u64::from(m.packets) + (u64::from(m.number) << 20);
        m.packets += 1;
        m.under_way += u32::from(counts);
        m.unsent = if more { unsent - u64::from(data) } else { ALL_SENT };
        let (way, op, (from, to), places) = (m.way, m.op, m.ends(), &self.input.places.endpoint);
        let ends = || (places[from as usize], places[to as usize]);
        let bytes = data + model.header;
        let message = if counts { id } else { NONE };
        let Some(track) = self.wire.routes.track(way, ends, spread(op, k), &self.wire.links)? else {
            self.follow(id, NONE, (t, bytes), t);
            self.land(message, t);
            return Ok(());
        };
        let mut packet = Packet { message, bytes, tail: t, track };
        if self.wire.buffers.is_some() {
            packet.bytes |= FIRST;
            self.wire.add_packet();
            self.stand(packet, t);
            return Ok(());
        }
        let link = packet.track.link(&self.wire.routes.arena);
        let passage = self.wire.links.pass(link_of(link), t, t, bytes);
        self.wire.hops += 1;
        let last = link & LAST != 0;
        if last {
            self.wire.routes.drop_track(&packet.track);
        } else {
            self.wire.add_packet();
            self.go_on(link_of(link), packet, passage);
        }
        self.follow(id, link_of(link), (t, bytes), passage.start);
        if last {
            self.land(message, passage.tail);
        }
        Ok(())
    }

    /// The next packet of a message, or else the first of the message behind it, stands in line as soon as one of
    /// so many bytes, whose turn came at `t`, has begun to leave over a link.
    #[inline]
    pub(super) fn follow(&mut self, id: u32, link: u32, (t, bytes): (u64, u32), start: u64) {
        let next = if self.wire.messages[id].unsent == ALL_SENT { self.wire.left(id) } else { Some(id) };
        let Some(next) = next else { return };
        let model = self.input.model;
        // The adapter may not be ready for a message that waited.
        let ready = if next == id { 0 } else { self.wire.messages[next].arrival };
        if model.gap_per_byte != Rate::default() || link == NONE || ready > start {
            let gap = model.gap_per_byte.time(u64::from(bytes - model.header));
            self.queue.push(t.saturating_add(gap).max(start).max(ready), EventKind::Inject, next);
            return;
        }
        if self.wire.before.push(link, start, next) {
            self.queue.push(start, EventKind::Follow, link);
        }
    }

    /// A packet has begun to leave over a link, and what stands behind it may enter the network.
    pub(super) fn followed(&mut self, link: u32, t: u64) -> Result<()> {
        let (id, next) = self.wire.before.pop(link);
        if let Some(due) = next {
            self.queue.push(due, EventKind::Follow, link);
        }
        self.inject(id, t)
    }

    /// The head of the first packet on a link is at its end.
    #[inline]
    pub(super) fn hop(&mut self, link: u32, t: u64) {
        let (packet, next) = self.wire.on.pop(link);
        if let Some(due) = next {
            self.queue.push(due, EventKind::Hop, link);
        }
        if self.wire.buffers.is_some() {
            return self.stand(packet, t);
        }
        let link = packet.track.link(&self.wire.routes.arena);
        let passage = self.wire.links.pass(link_of(link), t, packet.tail, packet.bytes);
        self.wire.hops += 1;
        if link & LAST == 0 {
            return self.go_on(link_of(link), packet, passage);
        }
        self.wire.drop_packet(&packet);
        self.land(packet.message, passage.tail);
    }

    /// A packet is on a link that is not its last.
    #[inline]
    pub(super) fn go_on(&mut self, link: u32, mut packet: Packet, passage: Passage) {
        packet.track.advance();
        packet.tail = passage.tail;
        if self.wire.on.push(link, passage.head, packet) {
            self.queue.push(passage.head, EventKind::Hop, link);
        }
    }

    /// The last byte of a packet is at the receiver's adapter at a time.
    #[inline]
    pub(super) fn land(&mut self, id: u32, tail: u64) {
        if id == NONE {
            return;
        }
        let m = &mut self.wire.messages[id];
        m.arrival = m.arrival.max(tail);
        m.under_way -= 1;
        if m.under_way == 0 && m.unsent == ALL_SENT {
            self.queue.push(m.arrival.saturating_add(self.input.model.latency), EventKind::Arrive, id);
        }
    }
}
