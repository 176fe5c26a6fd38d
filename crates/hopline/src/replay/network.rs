//! Packets under way.

use super::buffers::Buffers;
use super::engine::{Engine, EventKind};
use super::lines::Lines;
use super::links::{Links, Passage};
use super::message::{ALL_SENT, Message, Messages};
use super::model::Rate;
use super::routes::{LAST, Routes, Track, Way, link_of, spread};
use super::{NONE, Setting};
use crate::error::Result;
use crate::id::VertexId;
use rustc_hash::FxHashMap;

/// A packet under way: on a link it stands in line with 8 bytes for when it is at its end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Packet {
    /// Its message; `NONE` where later packets of that count.
    pub(super) message: u32,
    /// Where buffers are finite, with `FIRST`.
    pub(super) bytes: u32,
    /// When its last byte is at the next link.
    pub(super) tail: u64,
    pub(super) track: Track,
}

/// Marks a packet that has not taken its first link.
pub(super) const FIRST: u32 = 1 << 31;

/// Everything between adapters.
pub(super) struct Wire<'a> {
    pub(super) links: Links,
    pub(super) routes: Routes<'a>,
    pub(super) buffers: Option<Buffers>,
    pub(super) messages: Messages,
    /// Per link: packets that are on it.
    on: Lines<Packet>,
    /// Per link: messages whose next packet stands in line for the network when one of theirs begins to leave there.
    before: Lines<u32>,
    /// Packets that have a link before them, now and at most.
    pub(super) packets: u64,
    pub(super) most_packets: u64,
    /// Per operation that repeats: the way of its messages; of receives that of grants.
    pub(super) kept: Vec<Option<Way>>,
    /// Per endpoint: when its adapter may send and take the next message.
    pub(super) out: Vec<u64>,
    pub(super) taken: Vec<u64>,
    /// Per rank: when its last copy ends.
    pub(super) copied: Vec<u64>,
    /// From one rank to another: the last message of data that has not left as a whole.
    pub(super) leaving: FxHashMap<(u32, u32), u32>,
    /// Messages that have overtaken others of their send.
    pub(super) held: Vec<u32>,
    /// Messages of the whole run, and those that were sent so far: all, and those within a host.
    pub(super) expected: u64,
    pub(super) sent: u64,
    pub(super) copies: u64,
    pub(super) hops: u64,
}

impl<'a> Wire<'a> {
    pub(super) fn new(setting: Setting<'a>, links: Links) -> Wire<'a> {
        let fabric = setting.routing.fabric();
        let (endpoints, ranks) = (fabric.vertices() as usize, setting.schedule.ranks() as usize);
        Wire {
            links,
            routes: Routes::new(setting.routing, setting.model.buffers.is_some()),
            buffers: setting.model.buffers.map(|bytes| Buffers::new(bytes, setting.routing)),
            messages: Messages::default(),
            on: Lines::new(fabric.links()),
            before: Lines::new(fabric.links()),
            packets: 0,
            most_packets: 0,
            kept: Vec::new(),
            out: vec![0; endpoints],
            taken: vec![0; endpoints],
            copied: vec![0; ranks],
            leaving: FxHashMap::default(),
            held: Vec::new(),
            expected: setting.schedule.volume().0,
            sent: 0,
            copies: 0,
            hops: 0,
        }
    }

    /// Bytes of what is under way.
    pub(super) fn bytes(&self) -> u64 {
        // Packets stand on links, or wait for room.
        let waiting = if self.buffers.is_some() { self.packets * size_of::<Packet>() as u64 } else { 0 };
        self.messages.bytes() + self.on.bytes() + self.before.bytes() + waiting
    }

    /// One more packet has a link before it.
    #[inline]
    fn add_packet(&mut self) {
        self.packets += 1;
        self.most_packets = self.most_packets.max(self.packets);
    }

    /// A packet has taken its last link, but not its first.
    #[inline]
    pub(super) fn drop_packet(&mut self, packet: &Packet) {
        self.packets -= 1;
        self.routes.drop_track(&packet.track);
    }

    /// Reads what an event is about, for the cache.
    #[inline]
    pub(super) fn glance(&self, kind: EventKind, id: u32) -> u32 {
        match kind {
            EventKind::Hop => {
                let packet = self.on.glance(id);
                let word = packet.track.link(&self.routes.arena);
                let link = link_of(word);
                let next = self.links.glance(link) ^ self.on.glance_at_end(link);
                if word & LAST == 0 { next } else { next ^ self.messages.glance(packet.message) }
            }
            EventKind::Follow => self.messages.glance(*self.before.glance(id)),
            EventKind::Inject | EventKind::Signal | EventKind::Arrive => self.messages.glance(id),
            _ => 0,
        }
    }

    /// A message has arrived.
    pub(super) fn drop_message(&mut self, id: u32) {
        let Message { keep, way, .. } = self.messages[id];
        if !keep {
            self.routes.drop_way(way);
        }
        self.messages.drop(id);
    }
}

impl Engine<'_> {
    /// Where a message enters and leaves the network.
    pub(super) fn endpoints(&self, m: &Message) -> (VertexId, VertexId) {
        let (from, to) = m.ends();
        let at = |rank: u32| self.setting.places.endpoint[rank as usize];
        (at(from), at(to))
    }

    /// The next packet of a message enters the network.
    pub(super) fn inject(&mut self, id: u32, t: u64) -> Result<()> {
        let model = self.setting.model;
        let m = &mut self.wire.messages[id];
        let unsent = m.unsent;
        let data = unsent.min(u64::from(model.packet)) as u32;
        let more = unsent > u64::from(data);
        let counts = !(m.orderly && more) || self.wire.buffers.is_some();
        let k = u64::from(m.packets) + (u64::from(m.number) << 20);
        m.packets += 1;
        m.under_way += u32::from(counts);
        m.unsent = if more { unsent - u64::from(data) } else { ALL_SENT };
        let (way, op, (from, to), places) = (m.way, m.op, m.ends(), &self.setting.places.endpoint);
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
        let model = self.setting.model;
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
            self.queue.push(m.arrival.saturating_add(self.setting.model.latency), EventKind::Arrive, id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_under_way_is_small() {
        assert!(size_of::<(u64, Packet)>() <= 40);
    }
}
