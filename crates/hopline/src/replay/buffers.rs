//! Finite buffers: a packet leaves over a link when its far end has room for it.
//!
//! Each link has one buffer at its far end, shared by packets for all next
//! links: nobody waits behind a packet for another link. A packet takes its
//! whole size when it leaves and gives it back when its last byte has left over
//! the next link, or has arrived; the near end knows that the link's latency
//! later (credits). There are no virtual channels. Packets for one link leave in order of arrival. Because room
//! is taken in that order too, a packet may take it as soon as it stands in line,
//! and events are needed only where somebody waits.

use super::engine::{Engine, Kind};
use super::network::FIRST;
use super::routes::LAST;
use crate::fabric::Fabric;
use crate::id::LinkId;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The buffer of one link, as its near end knows it.
#[derive(Debug, Clone)]
struct Buffer {
    /// Bytes that are free, and more of them by the time from which they are.
    room: u64,
    returns: BinaryHeap<Reverse<(u64, u32)>>,
    /// Packets in line.
    waiting: VecDeque<u32>,
    /// The next event for those.
    due: Option<u64>,
}

/// The buffers of all links.
#[derive(Debug)]
pub(super) struct Buffers(Vec<Buffer>);

impl Buffers {
    pub(super) fn new(bytes: u64, links: usize) -> Buffers {
        let buffer = Buffer { room: bytes, returns: BinaryHeap::new(), waiting: VecDeque::new(), due: None };
        Buffers(vec![buffer; links])
    }

    /// Takes room for a packet if it is there at a time.
    fn take(&mut self, link: u32, bytes: u32, t: u64) -> bool {
        let b = &mut self.0[link as usize];
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

    /// The first packet in line for a link.
    fn front(&self, link: u32) -> Option<u32> {
        self.0[link as usize].waiting.front().copied()
    }

    /// It leaves the line.
    fn advance(&mut self, link: u32) {
        self.0[link as usize].waiting.pop_front();
    }

    /// When somebody must look again whether a link has room: where nobody is due so early.
    fn wake(&mut self, link: u32) -> Option<u64> {
        let b = &mut self.0[link as usize];
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
    pub(super) fn stand(&mut self, id: u32, t: u64) {
        let (link, bytes) = self.wire.next_of(id);
        let Some(buffers) = &mut self.wire.buffers else { return };
        if buffers.0[link as usize].waiting.is_empty() && buffers.take(link, bytes, t) {
            return self.leave(id, t);
        }
        buffers.0[link as usize].waiting.push_back(id);
        self.wake(link);
    }

    /// A link may have room for those in line.
    pub(super) fn room(&mut self, link: u32, t: u64) {
        if let Some(buffers) = &mut self.wire.buffers {
            let due = &mut buffers.0[link as usize].due;
            *due = due.filter(|&due| due > t);
        }
        while let Some(id) = self.wire.buffers.as_ref().and_then(|b| b.front(link)) {
            let bytes = self.wire.next_of(id).1;
            if !self.wire.buffers.as_mut().is_some_and(|b| b.take(link, bytes, t)) {
                break;
            }
            self.wire.buffers.iter_mut().for_each(|b| b.advance(link));
            self.leave(id, t);
        }
        self.wake(link);
    }

    fn wake(&mut self, link: u32) {
        if let Some(time) = self.wire.buffers.as_mut().and_then(|b| b.wake(link)) {
            self.queue.push(time, Kind::Room, link);
        }
    }

    /// Bytes of a packet leave the buffer of a link at a time.
    fn give_back(&mut self, link: u32, bytes: u32, t: u64) {
        let time = t.saturating_add(self.wire.links.latency(link));
        if let Some(buffers) = &mut self.wire.buffers {
            buffers.0[link as usize].returns.push(Reverse((time, bytes)));
        }
        self.wake(link);
    }

    /// A packet that has room leaves over its next link.
    fn leave(&mut self, id: u32, t: u64) {
        let packet = self.wire.packet(id);
        let (first, bytes) = (packet.bytes & FIRST != 0, packet.bytes & !FIRST);
        let (link, begun) = (packet.track.link(&self.wire.routes.arena), packet.tail);
        let last = link & LAST != 0;
        let passage = self.wire.links.pass(link & !LAST, t, packet.tail, bytes);
        self.wire.hops += 1;
        if !last {
            self.wire.go_on(id, passage.tail);
            self.queue.push(passage.head, Kind::Hop, id);
        }
        if first {
            self.inject_next(packet.message, begun, bytes, passage.start);
        } else {
            let end = passage.tail - self.wire.links.latency(link & !LAST);
            let before = packet.track.before(&self.wire.routes.arena);
            self.give_back(before, bytes, end);
        }
        if last {
            self.give_back(link & !LAST, bytes, passage.tail);
            self.wire.drop_packet(id);
            self.land(packet.message, passage.tail);
        }
    }

    /// Links whose buffers are full of packets for the next of them, the first again after the last.
    pub(super) fn circle(&self) -> Option<Vec<u32>> {
        let buffers = self.wire.buffers.as_ref()?;
        let mut next = std::collections::BTreeMap::new();
        for (link, b) in (0u32..).zip(&buffers.0) {
            for &id in &b.waiting {
                let packet = self.wire.packet(id);
                if packet.bytes & FIRST == 0 {
                    next.entry(packet.track.before(&self.wire.routes.arena)).or_insert(link);
                }
            }
        }
        let mut way: Vec<u32> = next.values().copied().take(1).collect();
        while let Some(&after) = way.last().and_then(|link| next.get(link)) {
            if let Some(begin) = way.iter().position(|&link| link == after) {
                return Some(way.split_off(begin));
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
