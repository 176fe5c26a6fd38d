//! Messages and packets under way.

use super::buffers::Buffers;
use super::engine::{Engine, Kind};
use super::links::Links;
use super::routes::{EMPTY, LAST, Routes, Track, Way, spread};
use super::{Network, Setting};
use crate::error::Result;
use crate::id::VertexId;
use crate::schedule::What as Does;

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// The bytes of a send.
    Data,
    /// A large send asks for its receive.
    Request,
    /// And is told that it is posted.
    Grant,
}

/// A message under way: a line of the cache.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Message {
    /// The send, the receive that it meets, and the ranks of both.
    pub(super) op: u32,
    recv: u32,
    sender: u32,
    receiver: u32,
    pub(super) what: What,
    /// Whether its data need no grant.
    eager: bool,
    /// Whether its way is kept for the next of its kind.
    keep: bool,
    /// Its number among the messages of its send.
    number: u32,
    /// The record of what let it go, for the critical path.
    pub(super) cause: u32,
    /// Packets that have left, and those of them that have not arrived.
    packets: u32,
    under_way: u32,
    pub(super) way: Way,
    /// Bytes that have not left, or `ALL_SENT`.
    unsent: u64,
    /// When the last packet so far arrives.
    arrival: u64,
    /// The message that leaves when this one has, or `NONE`.
    next: u32,
}

/// No message.
const NONE: u32 = u32::MAX;

/// No packet of a message is left.
const ALL_SENT: u64 = u64::MAX;

/// A packet under way: half a line of the cache, and an event of 16 bytes.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub(super) struct Packet {
    pub(super) message: u32,
    /// Where buffers are finite, with `FIRST`.
    pub(super) bytes: u32,
    /// When its last byte is at the next link.
    pub(super) tail: u64,
    pub(super) track: Track,
}

/// Marks a packet that has not taken its first link.
pub(super) const FIRST: u32 = 1 << 31;

/// Objects that are used again.
#[derive(Debug)]
struct Pool<T> {
    all: Vec<T>,
    unused: Vec<u32>,
}

impl<T> Pool<T> {
    const fn new() -> Self {
        Pool { all: Vec::new(), unused: Vec::new() }
    }

    #[inline]
    fn add(&mut self, item: T) -> u32 {
        match self.unused.pop() {
            Some(at) => {
                self.all[at as usize] = item;
                at
            }
            None => {
                self.all.push(item);
                self.all.len() as u32 - 1
            }
        }
    }
}

/// Everything between adapters.
pub(super) struct Wire<'a> {
    pub(super) links: Links,
    pub(super) routes: Routes<'a>,
    pub(super) buffers: Option<Buffers>,
    messages_: Pool<Message>,
    packets: Pool<Packet>,
    /// Per operation that repeats: the way of its messages; of receives that of grants.
    kept: Vec<Option<Way>>,
    /// Per endpoint: when its adapter may send and take the next message.
    out: Vec<u64>,
    taken: Vec<u64>,
    /// Per rank: when its last copy ends, and the last message that it launched.
    copied: Vec<u64>,
    latest: Vec<u32>,
    /// Messages that have overtaken others of their send.
    held: Vec<u32>,
    /// Messages of the whole run.
    pub(super) expected: u64,
    pub(super) messages: u64,
    pub(super) copies: u64,
    pub(super) hops: u64,
}

impl<'a> Wire<'a> {
    pub(super) fn new(setting: Setting<'a>, links: Links) -> Wire<'a> {
        let endpoints = setting.routing.fabric().vertices() as usize;
        Wire {
            links,
            routes: Routes::new(setting.routing),
            buffers: setting.model.buffers.map(|bytes| Buffers::new(bytes, setting.routing.fabric().links())),
            messages_: Pool::new(),
            packets: Pool::new(),
            kept: Vec::new(),
            out: vec![0; endpoints],
            taken: vec![0; endpoints],
            copied: vec![0; setting.schedule.ranks() as usize],
            latest: vec![NONE; setting.schedule.ranks() as usize],
            held: Vec::new(),
            expected: setting.schedule.volume().0,
            messages: 0,
            copies: 0,
            hops: 0,
        }
    }

    pub(super) fn most_packets(&self) -> u64 {
        self.packets.all.len() as u64
    }

    pub(super) fn packet(&self, id: u32) -> Packet {
        self.packets.all[id as usize]
    }

    /// Reads a packet, its next link, and its message where that is the last, for the cache.
    #[inline]
    pub(super) fn glance_at_packet(&self, id: u32) -> u32 {
        let packet = &self.packets.all[id as usize];
        let link = packet.track.link(&self.routes.arena);
        if link & LAST == 0 { link } else { self.messages_.all[packet.message as usize].under_way }
    }

    /// The next link of a packet, and its bytes.
    pub(super) fn next_of(&self, id: u32) -> (u32, u32) {
        let packet = &self.packets.all[id as usize];
        (packet.track.link(&self.routes.arena) & !LAST, packet.bytes & !FIRST)
    }

    /// A packet has taken a link that is not its last.
    pub(super) fn go_on(&mut self, id: u32, tail: u64) {
        let packet = &mut self.packets.all[id as usize];
        packet.track.advance();
        (packet.bytes, packet.tail) = (packet.bytes & !FIRST, tail);
    }

    /// A packet has taken its last link.
    pub(super) fn drop_packet(&mut self, id: u32) {
        self.packets.unused.push(id);
        self.routes.drop_track(&self.packets.all[id as usize].track);
    }

    /// Bytes of a message that has not begun to leave.
    pub(super) fn bytes(&self, id: u32) -> u64 {
        self.messages_.all[id as usize].unsent
    }

    pub(super) fn message(&self, id: u32) -> &Message {
        &self.messages_.all[id as usize]
    }

    /// Whether a new message has to wait until the rank's latest one has left, which goes to the same rank.
    fn queues(&mut self, id: u32) -> bool {
        let Message { sender, receiver, .. } = self.messages_.all[id as usize];
        let latest = std::mem::replace(&mut self.latest[sender as usize], id);
        let Some(before) = self.messages_.all.get_mut(latest as usize).filter(|_| latest != id) else { return false };
        // The place of the latest message may have been given to another one.
        let same = (before.sender, before.receiver, before.what) == (sender, receiver, What::Data);
        let waits = same && before.unsent != ALL_SENT;
        if waits {
            before.next = id;
        }
        waits
    }

    fn drop_message(&mut self, id: u32) -> Message {
        let message = self.messages_.all[id as usize];
        if !message.keep {
            self.routes.drop_way(message.way);
        }
        self.messages_.unused.push(id);
        message
    }
}

/// A message without a way: it takes no link.
const NOWHERE: Way = Way::One(EMPTY);

impl Message {
    pub(super) fn recv(&self) -> u32 {
        self.recv
    }

    /// From which rank to which it goes: grants go back.
    fn ends(&self) -> (u32, u32) {
        if self.what == What::Grant { (self.receiver, self.sender) } else { (self.sender, self.receiver) }
    }
}

impl Engine<'_> {
    /// Where a message enters and leaves the network.
    pub(super) fn endpoints(&self, m: &Message) -> (VertexId, VertexId) {
        let (from, to) = m.ends();
        let at = |rank: u32| self.setting.places.endpoint[rank as usize];
        (at(from), at(to))
    }

    /// A message about the send `op` of rank `sender` leaves its host.
    pub(super) fn launch(&mut self, what: What, (op, sender): (u32, u32), t: u64, cause: u32) -> Result<()> {
        let (setting, model) = (self.setting, self.setting.model);
        let send = &setting.schedule.ops()[op as usize];
        let data = what == What::Data;
        let bytes = if data { send.amount } else { 0 };
        let number = if data && bytes <= model.eager { self.ranks.count(op) } else { 0 };
        let mut message = Message {
            op,
            recv: send.partner,
            sender,
            receiver: send.peer,
            eager: bytes <= model.eager,
            what,
            keep: false,
            number,
            cause,
            packets: 0,
            under_way: 0,
            way: NOWHERE,
            unsent: bytes,
            arrival: 0,
            next: NONE,
        };
        let (from, to) = message.ends();
        self.wire.messages += u64::from(data);
        if setting.places.host[from as usize] == setting.places.host[to as usize] {
            self.wire.copies += u64::from(data);
            let copied = &mut self.wire.copied[from as usize];
            *copied = t.max(*copied).saturating_add(model.memory.time(bytes));
            let arrival = copied.saturating_add(model.memory_latency);
            let id = self.wire.messages_.add(message);
            self.queue.push(arrival, Kind::Take, id);
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
                let id = self.wire.messages_.add(message);
                self.queue.push(start.saturating_add(model.latency).saturating_add(gap), Kind::Arrive, id);
            }
            Network::Fluid => {
                let id = self.wire.messages_.add(message);
                self.queue.push(start, Kind::Join, id);
            }
            Network::Packets => {
                (message.way, message.keep) = self.way(&message, from)?;
                let id = self.wire.messages_.add(message);
                if start > t {
                    self.queue.push(start, Kind::Inject, id);
                } else if !(data && self.wire.queues(id)) {
                    self.inject(id, start)?;
                }
            }
        }
        Ok(())
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

    /// The next packet of a message enters the network.
    pub(super) fn inject(&mut self, id: u32, t: u64) -> Result<()> {
        let model = self.setting.model;
        let m = &mut self.wire.messages_.all[id as usize];
        let (op, way) = (m.op, m.way);
        let unsent = m.unsent;
        let data = unsent.min(u64::from(model.packet)) as u32;
        let k = u64::from(m.packets) + (u64::from(m.number) << 20);
        m.packets += 1;
        m.under_way += 1;
        let more = unsent > u64::from(data);
        m.unsent = if more { unsent - u64::from(data) } else { ALL_SENT };
        let (m, places) = (self.wire.messages_.all[id as usize], &self.setting.places.endpoint);
        let ends = || {
            let (from, to) = m.ends();
            (places[from as usize], places[to as usize])
        };
        let bytes = data + model.header;
        let Some(mut track) = self.wire.routes.track(way, ends, spread(op, k), &self.wire.links)? else {
            self.inject_next(id, t, bytes, t);
            self.land(id, t);
            return Ok(());
        };
        if self.wire.buffers.is_some() {
            let packet = self.wire.packets.add(Packet { message: id, bytes: bytes | FIRST, tail: t, track });
            self.stand(packet, t);
            return Ok(());
        }
        let link = track.link(&self.wire.routes.arena);
        let passage = self.wire.links.pass(link & !LAST, t, t, bytes);
        self.wire.hops += 1;
        let last = link & LAST != 0;
        if last {
            self.wire.routes.drop_track(&track);
        } else {
            track.advance();
            let packet = self.wire.packets.add(Packet { message: id, bytes, tail: passage.tail, track });
            self.queue.push(passage.head, Kind::Hop, packet);
        }
        if more || m.next != NONE {
            self.inject_next(id, t, bytes, passage.start);
        }
        if last {
            self.land(id, passage.tail);
        }
        Ok(())
    }

    /// The next packet of a message, or else the first of the message behind it, stands in line as soon as one of
    /// so many bytes, whose turn came at `t`, has begun to leave.
    pub(super) fn inject_next(&mut self, id: u32, t: u64, bytes: u32, start: u64) {
        let m = self.wire.message(id);
        let next = if m.unsent == ALL_SENT { m.next } else { id };
        if next != NONE {
            let model = self.setting.model;
            let gap = model.gap_per_byte.time(u64::from(bytes - model.header));
            self.queue.push(t.saturating_add(gap).max(start), Kind::Inject, next);
        }
    }

    /// The head of a packet is at its next link.
    #[inline]
    pub(super) fn hop(&mut self, id: u32, t: u64) {
        if self.wire.buffers.is_some() {
            return self.stand(id, t);
        }
        let wire = &mut self.wire;
        let packet = &mut wire.packets.all[id as usize];
        let link = packet.track.link(&wire.routes.arena);
        let passage = wire.links.pass(link & !LAST, t, packet.tail, packet.bytes);
        wire.hops += 1;
        if link & LAST == 0 {
            packet.track.advance();
            packet.tail = passage.tail;
            self.queue.push(passage.head, Kind::Hop, id);
            return;
        }
        let message = packet.message;
        wire.drop_packet(id);
        self.land(message, passage.tail);
    }

    /// The last byte of a packet is at the receiver's adapter at a time.
    #[inline]
    pub(super) fn land(&mut self, id: u32, tail: u64) {
        let m = &mut self.wire.messages_.all[id as usize];
        m.arrival = m.arrival.max(tail);
        m.under_way -= 1;
        if m.under_way == 0 && m.unsent == ALL_SENT {
            self.queue.push(m.arrival.saturating_add(self.setting.model.latency), Kind::Arrive, id);
        }
    }

    /// A message is at its receiver's adapter, which takes one in every gap.
    pub(super) fn arrive(&mut self, id: u32, t: u64) -> Result<()> {
        let m = self.wire.message(id);
        let gap = self.setting.model.gap;
        if gap == 0 || m.what != What::Data {
            return self.take(id, t);
        }
        let to = self.endpoints(m).1;
        let taken = &mut self.wire.taken[to.index()];
        let at = t.max(*taken);
        *taken = at + gap;
        if at == t {
            return self.take(id, t);
        }
        self.queue.push(at, Kind::Take, id);
        Ok(())
    }

    /// The host has a message.
    pub(super) fn take(&mut self, id: u32, t: u64) -> Result<()> {
        let m = *self.wire.message(id);
        match m.what {
            What::Data => {
                if m.eager && !self.ranks.is_next(m.recv, m.number) {
                    self.wire.held.push(id);
                    return Ok(());
                }
                self.wire.drop_message(id);
                self.received((m.op, m.recv, m.receiver), m.eager, t, m.cause)?;
                if self.wire.held.is_empty() { Ok(()) } else { self.take_held(m.recv, t) }
            }
            What::Request => {
                self.wire.drop_message(id);
                self.requested((m.op, m.sender), t, m.cause)
            }
            What::Grant => {
                self.wire.drop_message(id);
                debug_assert_eq!(self.setting.schedule.ops()[m.op as usize].what, Does::Send);
                self.launch(What::Data, (m.op, m.sender), t, m.cause)
            }
        }
    }

    /// Messages for a receive that had overtaken the last one.
    fn take_held(&mut self, recv: u32, t: u64) -> Result<()> {
        let next = |engine: &Self, &id: &u32| {
            let m = engine.wire.message(id);
            m.recv == recv && engine.ranks.is_next(recv, m.number)
        };
        match self.wire.held.iter().position(|id| next(self, id)) {
            Some(at) => {
                let id = self.wire.held.swap_remove(at);
                self.take(id, t)
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::queue::Event;
    use super::*;

    #[test]
    fn a_packet_under_way_is_small() {
        assert!(size_of::<Packet>() + size_of::<Event<Kind>>() <= 48);
        assert_eq!(size_of::<Message>(), 64);
    }
}
