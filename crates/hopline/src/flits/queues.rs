//! Flits and the queues that they stand in: records in one pool, joined by
//! their numbers, so that memory follows the flits in flight and not the buffers.

use super::bytes::{Bytes, Writer};
use super::port_set::PortSet;
use super::process::NEVER;
use crate::error::Result;
use crate::forwarding::Header;
use std::ops::Range;

/// No flit.
pub(super) const NONE: u32 = u32::MAX;
/// Most endpoints, so that they fit [`Flit::words`].
pub(super) const MOST_ENDPOINTS: u32 = 1 << 26;
/// In [`Flit::words`]: whether it is the first or the last of its packet.
pub(super) const HEAD: u32 = 1 << 30;
pub(super) const TAIL: u32 = 1 << 31;

/// A flit in flight, in 16 bytes. All flits of a packet carry its endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flit {
    /// The one behind it in its queue.
    pub(super) next: u32,
    /// Its endpoint, above that the routers that it came to, see [`FlitModel::target`](super::FlitModel),
    /// and [`HEAD`] and [`TAIL`].
    pub(super) words: u32,
    /// What the forwarding noted.
    pub(super) header: Header,
    /// Cycle in which the packet was generated.
    pub(super) birth: u32,
}

/// Flits of one part of the network.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    pub(super) flits: Vec<Flit>,
    free: u32,
}

impl Pool {
    pub(super) fn new() -> Pool {
        Pool { flits: Vec::new(), free: NONE }
    }

    #[inline]
    pub(super) fn add(&mut self, flit: Flit) -> u32 {
        if self.free == NONE {
            self.flits.push(flit);
            return self.flits.len() as u32 - 1;
        }
        let id = self.free;
        self.free = self.flits[id as usize].next;
        self.flits[id as usize] = flit;
        id
    }

    #[inline]
    pub(super) fn remove(&mut self, id: u32) -> Flit {
        let flit = self.flits[id as usize];
        self.flits[id as usize].next = self.free;
        self.free = id;
        flit
    }

    #[inline]
    pub(super) fn get(&self, id: u32) -> Flit {
        self.flits[id as usize]
    }
}

/// A queue of flits: a ring of records of which the last is known, whose
/// follower is the first. Two bytes more belong to its buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Queue {
    tail: u32,
    pub(super) len: u16,
    /// Of an input buffer: the port that the packet at its head wants, counted
    /// at the router, and the VCs there that it may take: one once it has it, 0
    /// where no packet is at the head or on its way through. Of an output
    /// buffer: the input port and VC whose packet is on its way here, or [`FREE`].
    pub(super) note: (u8, u8),
}

impl Queue {
    pub(super) fn empty(note: (u8, u8)) -> Queue {
        Queue { tail: NONE, len: 0, note }
    }

    #[inline]
    pub(super) fn push(&mut self, pool: &mut Pool, id: u32) {
        if self.len > 0 {
            let head = self.head(pool);
            pool.flits[self.tail as usize].next = id;
            pool.flits[id as usize].next = head;
        }
        self.tail = id;
        self.len += 1;
    }

    /// The first; there must be one.
    #[inline]
    pub(super) fn head(&self, pool: &Pool) -> u32 {
        if self.len == 1 { self.tail } else { pool.flits[self.tail as usize].next }
    }

    /// The last; there must be one.
    #[inline]
    pub(super) fn last(&self) -> u32 {
        self.tail
    }

    /// Takes the first; there must be one.
    #[inline]
    pub(super) fn pop(&mut self, pool: &mut Pool) -> u32 {
        let id = self.head(pool);
        self.len -= 1;
        if self.len > 0 {
            pool.flits[self.tail as usize].next = pool.flits[id as usize].next;
        }
        id
    }

    /// The port and the VCs that the head of an input buffer asks for.
    #[inline]
    pub(super) fn wish(&self) -> (u8, u8) {
        self.note
    }

    /// The holder of an output buffer.
    #[inline]
    pub(super) fn holder(&self) -> (u8, u8) {
        self.note
    }

    /// The flits in order.
    pub(super) fn iter<'a>(&self, pool: &'a Pool) -> impl Iterator<Item = Flit> + use<'a> {
        let (mut at, mut left) = (if self.len > 0 { self.head(pool) } else { NONE }, self.len);
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let flit = pool.get(at);
            at = flit.next;
            Some(flit)
        })
    }
}

/// Nobody holds it.
pub(super) const FREE: (u8, u8) = (u8::MAX, u8::MAX);

/// An input buffer that an output VC serves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grant {
    /// The input port, counted at the router, and its VC.
    pub(super) input: u8,
    pub(super) from: u8,
    /// The VC of the output port.
    pub(super) to: u8,
}

/// A port with its buffers. Masks have a bit per VC. What the input side needs
/// comes first, so that with 4 VCs it is a cache line.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(super) struct Port<const V: usize, P = u64> {
    pub(super) inputs: [Queue; V],
    /// The port at the other end, counted in its part, and that part.
    pub(super) peer_port: u32,
    pub(super) peer_part: u16,
    /// The [place](super::mail::place) to which flits go, or at a terminal the
    /// number of the endpoint's source.
    pub(super) there: u32,
    pub(super) terminal: bool,
    /// Cycles to there.
    pub(super) latency: u16,
    /// Flits that left by it.
    pub(super) sent: u32,
    /// The input buffer has flits.
    pub(super) held: u8,
    /// Somebody asks for it.
    pub(super) asked: u8,
    /// The output buffer takes what may come next.
    pub(super) room: u8,
    /// The output buffer has flits.
    pub(super) filled: u8,
    /// The next router takes the first of them.
    pub(super) credit: u8,
    /// The VC from which the link, the input port and the VC from which the
    /// switch look for the next flit, round robin.
    pub(super) link_turn: u8,
    pub(super) input_turn: u8,
    pub(super) vc_turn: u8,
    /// Its number at its router.
    pub(super) offset: u8,
    /// Input ports of which a head wants to come to each output buffer.
    pub(super) asks: [P; V],
    pub(super) outputs: [Queue; V],
}

impl<const V: usize, P: PortSet> Port<V, P> {
    /// VCs that somebody asks for and that have room.
    #[inline]
    pub(super) fn open(&self) -> u8 {
        self.asked & self.room
    }

    /// Flits in the output buffers, and those for which the next router, with so many credits left of its buffers, holds a place.
    #[inline]
    pub(super) fn waiting(&self, credits: &[u16; V], buffers: u16) -> u32 {
        let own: u32 = self.outputs.iter().map(|queue| u32::from(queue.len)).sum();
        own + credits.iter().map(|&free| u32::from(buffers - free)).sum::<u32>()
    }
}

/// What is known of a router.
#[derive(Debug, Clone, Copy)]
pub(super) struct RouterState<P: PortSet> {
    /// Output ports that somebody asks for and that have room.
    pub(super) asked: P,
    /// Output ports that can send.
    pub(super) sending: P,
    /// Where packets of one flit decide at every hop: input ports of which some head may have to, all that have among them.
    pub(super) undecided: P,
    /// The output port that the switch serves first.
    pub(super) turn: u8,
    /// Its ports: how many, and the first, counted in the part.
    ports: P::Count,
    first: u32,
    /// The same of its endpoints' sources.
    senders: P::Count,
    sender: u32,
    /// The cycle of the oldest packet that waits at one of them, or of the next.
    pub(super) due: u32,
}

impl<P: PortSet> RouterState<P> {
    /// A router with these ports, on which nobody sends.
    pub(super) fn new(ports: Range<u32>) -> RouterState<P> {
        RouterState {
            asked: P::default(),
            sending: P::default(),
            undecided: P::default(),
            turn: 0,
            ports: P::count(ports.len()),
            first: ports.start,
            senders: P::count(0),
            sender: 0,
            due: NEVER,
        }
    }

    /// Its ports, counted in the part.
    #[inline]
    pub(super) fn range(&self) -> Range<usize> {
        self.first as usize..self.first as usize + self.ports.into()
    }

    /// Notes when the oldest or next packet of its endpoints was generated or will be.
    #[inline]
    pub(super) fn note_due(&mut self, births: &[u32]) {
        self.due = births[self.sources()].iter().copied().min().unwrap_or(NEVER);
    }

    /// Its endpoints send from these sources, counted in the part.
    pub(super) fn set_sources(&mut self, sources: Range<usize>) {
        self.sender = sources.start as u32;
        self.senders = P::count(sources.len());
    }

    /// Its endpoints' sources.
    #[inline]
    pub(super) fn sources(&self) -> Range<usize> {
        self.sender as usize..self.sender as usize + self.senders.into()
    }
}

impl Writer {
    pub(super) fn queue(&mut self, queue: &Queue, pool: &Pool) {
        [u16::from(queue.note.0), u16::from(queue.note.1), queue.len].into_iter().for_each(|n| self.put(n));
        queue.iter(pool).for_each(|f| self.flit(f));
    }

    pub(super) fn flit(&mut self, flit: Flit) {
        [flit.words, flit.header.0, flit.birth].into_iter().for_each(|n| self.put(n));
    }
}

impl Bytes<'_> {
    pub(super) fn flit(&mut self, next: u32) -> Result<Flit> {
        Ok(Flit { next, words: self.get()?, header: Header(self.get()?), birth: self.get()? })
    }

    pub(super) fn queue(&mut self, pool: &mut Pool) -> Result<Queue> {
        let mut queue = Queue::empty((self.get()?, self.get()?));
        for _ in 0..self.get::<u16>()? {
            let id = pool.add(self.flit(NONE)?);
            queue.push(pool, id);
        }
        Ok(queue)
    }
}
