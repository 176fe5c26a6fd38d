//! Finite buffers: a packet leaves over a link when its far end has room for it.
//!
//! Each link has a buffer at its far end for each virtual channel of the routing,
//! shared by packets for all next links. A packet takes its whole size when it
//! leaves and gives it back when its last byte has left over the next link, or has
//! arrived; the near end knows that the link's latency later (credits). Packets for
//! one link and channel leave in order of arrival; those that find no room hold up
//! no other channel. Because room is taken in that order too, a packet may take it
//! as soon as it stands in line, and events are needed only where somebody waits.

use super::engine::{Engine, EventKind};
use super::network::{FIRST, Packet};
use super::routes::{LAST, link_of, vc_of};
use crate::fabric::Fabric;
use crate::id::LinkId;
use crate::routing::Routing;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The buffer of one channel of a link, as its near end knows it.
#[derive(Debug, Clone)]
struct Buffer {
    /// Bytes that are free, and more of them by the time from which they are.
    room: u64,
    returns: BinaryHeap<Reverse<(u64, u32)>>,
    /// Packets in line.
    waiting: VecDeque<Packet>,
    /// The next event for those.
    due: Option<u64>,
}

/// The buffers of all links, channel by channel.
#[derive(Debug)]
pub(super) struct Buffers {
    all: Vec<Buffer>,
    /// Channels of a link.
    vcs: u32,
}

impl Buffers {
    /// So many bytes for every channel.
    pub(super) fn new(bytes: u64, routing: &dyn Routing) -> Buffers {
        let buffer = Buffer { room: bytes, returns: BinaryHeap::new(), waiting: VecDeque::new(), due: None };
        let vcs = u32::from(routing.vcs());
        Buffers { all: vec![buffer; routing.fabric().links() * vcs as usize], vcs }
    }

    /// The buffer behind a link of a path.
    fn of(&self, word: u32) -> u32 {
        link_of(word) * self.vcs + vc_of(word)
    }

    /// Takes room for a packet if it is there at a time.
    fn take(&mut self, at: u32, bytes: u32, t: u64) -> bool {
        let b = &mut self.all[at as usize];
        while let Some(&Reverse((_, back))) = b.returns.peek().filter(|r| r.0.0 <= t) {
            b.room += u64::from(back);
            b.returns.pop();
        }
        let fits = b.room >= u64::from(bytes);
        if fits {
            b.room -= u64::from(bytes);
        }
        fits
    }

    /// Takes the first packet in line for a buffer if there is room for it at a time.
    fn next(&mut self, at: u32, t: u64) -> Option<Packet> {
        let bytes = self.all[at as usize].waiting.front()?.bytes & !FIRST;
        self.take(at, bytes, t).then(|| self.all[at as usize].waiting.pop_front())?
    }

    /// When somebody must look again whether a buffer has room: where nobody is due so early.
    fn wake(&mut self, at: u32) -> Option<u64> {
        let b = &mut self.all[at as usize];
        if b.waiting.is_empty() {
            return None;
        }
        let next = b.returns.peek()?.0.0;
        if b.due.is_some_and(|due| due <= next) {
            return None;
        }
        b.due = Some(next);
        b.due
    }
}

impl Engine<'_> {
    /// The head of a packet is at its next link and stands in line.
    pub(super) fn stand(&mut self, packet: Packet, t: u64) {
        let word = packet.track.link(&self.wire.routes.arena);
        let Some(buffers) = &mut self.wire.buffers else { return };
        let at = buffers.of(word);
        if buffers.all[at as usize].waiting.is_empty() && buffers.take(at, packet.bytes & !FIRST, t) {
            return self.leave(packet, t);
        }
        buffers.all[at as usize].waiting.push_back(packet);
        self.wake(at);
    }

    /// A buffer may have room for those in line.
    pub(super) fn room(&mut self, at: u32, t: u64) {
        if let Some(buffers) = &mut self.wire.buffers {
            let due = &mut buffers.all[at as usize].due;
            *due = due.filter(|&due| due > t);
        }
        while let Some(packet) = self.wire.buffers.as_mut().and_then(|b| b.next(at, t)) {
            self.leave(packet, t);
        }
        self.wake(at);
    }

    fn wake(&mut self, at: u32) {
        if let Some(time) = self.wire.buffers.as_mut().and_then(|b| b.wake(at)) {
            self.queue.push(time, EventKind::Room, at);
        }
    }

    /// Bytes of a packet leave the buffer behind a link of its path at a time.
    fn give_back(&mut self, word: u32, bytes: u32, t: u64) {
        let time = t.saturating_add(self.wire.links.latency(link_of(word)));
        let Some(buffers) = &mut self.wire.buffers else { return };
        let at = buffers.of(word);
        buffers.all[at as usize].returns.push(Reverse((time, bytes)));
        self.wake(at);
    }

    /// A packet that has room leaves over its next link.
    fn leave(&mut self, mut packet: Packet, t: u64) {
        let (first, bytes, begun) = (packet.bytes & FIRST != 0, packet.bytes & !FIRST, packet.tail);
        let word = packet.track.link(&self.wire.routes.arena);
        let (link, last) = (link_of(word), word & LAST != 0);
        let passage = self.wire.links.pass(link, t, begun, bytes);
        self.wire.hops += 1;
        packet.bytes = bytes;
        if !last {
            self.go_on(link, packet, passage);
        }
        if first {
            self.follow(packet.message, link, (begun, bytes), passage.start);
        } else {
            let end = passage.tail - self.wire.links.latency(link);
            let before = packet.track.before(&self.wire.routes.arena);
            self.give_back(before, bytes, end);
        }
        if last {
            self.give_back(word, bytes, passage.tail);
            self.wire.drop_packet(&packet);
            self.land(packet.message, passage.tail);
        }
    }

    /// Links whose buffers are full of packets for the next of them, the first again after the last.
    pub(super) fn circle(&self) -> Option<Vec<u32>> {
        let buffers = self.wire.buffers.as_ref()?;
        let mut next = std::collections::BTreeMap::new();
        for (at, b) in (0u32..).zip(&buffers.all) {
            for packet in &b.waiting {
                if packet.bytes & FIRST == 0 {
                    next.entry(buffers.of(packet.track.before(&self.wire.routes.arena))).or_insert(at);
                }
            }
        }
        let mut way: Vec<u32> = next.values().copied().take(1).collect();
        while let Some(&after) = way.last().and_then(|at| next.get(at)) {
            if let Some(begin) = way.iter().position(|&at| at == after) {
                return Some(way.split_off(begin).into_iter().map(|at| at / buffers.vcs).collect());
            }
            way.push(after);
        }
        None
    }
}

/// A circle of full buffers, for people.
pub(super) fn say(circle: &[u32], fabric: &Fabric) -> String {
    const MOST: usize = 8;
    let mut names: Vec<String> = circle.iter().take(MOST).map(|&link| fabric.link_name(LinkId(link))).collect();
    if circle.len() > MOST {
        names.push(format!("{} more", circle.len() - MOST));
    }
    names.join(", then ")
}
