//! Messages and packets under way.

use super::engine::{Engine, Kind};
use super::links::Links;
use super::routes::{EMPTY, LAST, Routes, Way, spread};
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

/// A message under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message {
    /// The send, the receive that it meets, and the rank of that.
    pub(super) op: u32,
    recv: u32,
    rank: u32,
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
}

/// No packet of a message is left.
const ALL_SENT: u64 = u64::MAX;

/// A packet under way: 24 bytes, and an event of 16.
#[derive(Debug, Clone, Copy)]
struct Packet {
    message: u32,
    /// Its next link in the arena, and the beginning of its run where that is its own.
    at: u32,
    own: u32,
    bytes: u32,
    /// When its last byte is at the next link.
    tail: u64,
}

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
    messages_: Pool<Message>,
    packets: Pool<Packet>,
    /// Per operation that repeats: the way of its messages; of receives that of grants.
    kept: Vec<Option<Way>>,
    /// Per endpoint: when its adapter may send and take the next message.
    out: Vec<u64>,
    taken: Vec<u64>,
    /// Per rank: when its last copy ends.
    copied: Vec<u64>,
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
            messages_: Pool::new(),
            packets: Pool::new(),
            kept: Vec::new(),
            out: vec![0; endpoints],
            taken: vec![0; endpoints],
            copied: vec![0; setting.schedule.ranks() as usize],
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

    /// Bytes of a message that has not begun to leave.
    pub(super) fn bytes(&self, id: u32) -> u64 {
        self.messages_.all[id as usize].unsent
    }

    pub(super) fn message(&self, id: u32) -> &Message {
        &self.messages_.all[id as usize]
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

impl Engine<'_> {
    /// Sending and receiving rank of a message.
    fn ends_of(&self, op: u32, what: What) -> (u32, u32) {
        let send = &self.setting.schedule.ops()[op as usize];
        let sender = self.setting.schedule.ops()[send.partner as usize].peer;
        if what == What::Grant { (send.peer, sender) } else { (sender, send.peer) }
    }

    pub(super) fn endpoints(&self, op: u32, what: What) -> (VertexId, VertexId) {
        let (from, to) = self.ends_of(op, what);
        let at = |rank: u32| self.setting.places.endpoint[rank as usize];
        (at(from), at(to))
    }

    /// A message leaves its host.
    pub(super) fn launch(&mut self, what: What, op: u32, t: u64, cause: u32) -> Result<()> {
        let (from, to) = self.ends_of(op, what);
        let (setting, model) = (self.setting, self.setting.model);
        let data = what == What::Data;
        let bytes = if data { setting.schedule.ops()[op as usize].amount } else { 0 };
        let number = if data && bytes <= model.eager { self.ranks.count(op) } else { 0 };
        let mut message = Message {
            op,
            recv: setting.schedule.ops()[op as usize].partner,
            rank: setting.schedule.ops()[op as usize].peer,
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
        };
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
                } else {
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
        let ends = self.endpoints(message.op, message.what);
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
        let (op, what, way) = (m.op, m.what, m.way);
        let unsent = m.unsent;
        let data = unsent.min(u64::from(model.packet)) as u32;
        let k = u64::from(m.packets) + (u64::from(m.number) << 20);
        m.packets += 1;
        m.under_way += 1;
        let more = unsent > u64::from(data);
        m.unsent = if more { unsent - u64::from(data) } else { ALL_SENT };
        let (run, own) = match way {
            Way::One(run) => (run, false),
            _ => {
                let ends = self.endpoints(op, what);
                self.wire.routes.choose(way, ends, spread(op, k), &self.wire.links)?
            }
        };
        let bytes = data + model.header;
        let mut next = t.saturating_add(model.gap_per_byte.time(u64::from(data)));
        if run == EMPTY {
            if more {
                self.queue.push(next, Kind::Inject, id);
            }
            self.land(id, t);
            return Ok(());
        }
        let link = self.wire.routes.arena[run as usize];
        let passage = self.wire.links.pass(link & !LAST, t, t, bytes);
        self.wire.hops += 1;
        next = next.max(passage.start);
        if link & LAST == 0 {
            let own = if own { run } else { EMPTY };
            let packet = Packet { message: id, at: run + 1, own, bytes, tail: passage.tail };
            let packet = self.wire.packets.add(packet);
            self.queue.push(passage.head, Kind::Hop, packet);
        } else if own {
            self.wire.routes.drop_run(run);
        }
        // The next packet stands in line as soon as this one has begun to leave.
        if more {
            self.queue.push(next, Kind::Inject, id);
        }
        if link & LAST != 0 {
            self.land(id, passage.tail);
        }
        Ok(())
    }

    /// The head of a packet is at its next link.
    #[inline]
    pub(super) fn hop(&mut self, id: u32, t: u64) {
        let wire = &mut self.wire;
        let packet = &mut wire.packets.all[id as usize];
        let link = wire.routes.arena[packet.at as usize];
        let passage = wire.links.pass(link & !LAST, t, packet.tail, packet.bytes);
        wire.hops += 1;
        if link & LAST == 0 {
            packet.at += 1;
            packet.tail = passage.tail;
            self.queue.push(passage.head, Kind::Hop, id);
            return;
        }
        let (message, own) = (packet.message, packet.own);
        wire.packets.unused.push(id);
        if own != EMPTY {
            wire.routes.drop_run(own);
        }
        self.land(message, passage.tail);
    }

    /// The last byte of a packet is at the receiver's adapter at a time.
    #[inline]
    fn land(&mut self, id: u32, tail: u64) {
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
        let to = self.endpoints(m.op, m.what).1;
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
                self.received((m.op, m.recv, m.rank), m.eager, t, m.cause)?;
                if self.wire.held.is_empty() { Ok(()) } else { self.take_held(m.recv, t) }
            }
            What::Request => {
                self.wire.drop_message(id);
                self.requested(m.op, t, m.cause)
            }
            What::Grant => {
                self.wire.drop_message(id);
                debug_assert_eq!(self.setting.schedule.ops()[m.op as usize].what, Does::Send);
                self.launch(What::Data, m.op, t, m.cause)
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
