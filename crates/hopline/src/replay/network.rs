//! Packets under way.

use super::ReplayInput;
use super::buffers::Buffers;
use super::events::EventKind;
use super::lines::Lines;
use super::links::Links;
use super::message::{Message, Messages};
use super::packet::Packet;
use super::routes::{LAST, MessageRoute, Routes, link_of};
use rustc_hash::FxHashMap;

/// Everything between adapters.
pub(super) struct Wire<'a> {
    pub(super) links: Links,
    pub(super) routes: Routes<'a>,
    pub(super) buffers: Option<Buffers>,
    pub(super) messages: Messages,
    /// Per link: packets that are on it.
    pub(super) on: Lines<Packet>,
    /// Per link: messages whose next packet stands in line for the network when one of theirs begins to leave there.
    pub(super) before: Lines<u32>,
    /// Packets that have a link before them, now and at most.
    pub(super) packets: u64,
    pub(super) most_packets: u64,
    /// Per operation that repeats: the way of its messages; of receives that of grants.
    pub(super) kept: Vec<Option<MessageRoute>>,
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
    pub(super) fn new(input: ReplayInput<'a>, links: Links) -> Wire<'a> {
        let fabric = input.routing.fabric();
        let (endpoints, ranks) = (fabric.vertices() as usize, input.schedule.ranks() as usize);
        Wire {
            links,
            routes: Routes::new(input.routing, input.model.buffers.is_some()),
            buffers: input.model.buffers.map(|bytes| Buffers::new(bytes, input.routing)),
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
            expected: input.schedule.volume().messages,
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
    pub(super) fn add_packet(&mut self) {
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
