//! Finite buffers: a packet leaves over a link when its far end has room for it.
//!
//! Each link has a buffer at its far end for each virtual channel of the routing,
//! shared by packets for all next links. A packet takes its whole size when it
//! leaves and gives it back when its last byte has left over the next link, or has
//! arrived; the near end knows that the link's latency later (credits). Packets for
//! one link and channel leave in order of arrival; those that find no room hold up
//! no other channel. Because room is taken in that order too, a packet may take it
//! as soon as it stands in line, and events are needed only where somebody waits.

use super::packet::{FIRST, Packet};
use super::routes::{link_of, vc_of};
use crate::fabric::Fabric;
use crate::id::LinkId;
use crate::routing::Routing;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The buffer of one channel of a link, as its near end knows it.
#[derive(Debug, Clone)]
pub(super) struct Buffer {
    /// Bytes that are free, and more of them by the time from which they are.
    room: u64,
    pub(super) returns: BinaryHeap<Reverse<(u64, u32)>>,
    /// Packets in line.
    pub(super) waiting: VecDeque<Packet>,
    /// The next event for those.
    pub(super) due: Option<u64>,
}

/// The buffers of all links, channel by channel.
#[derive(Debug)]
pub(super) struct Buffers {
    pub(super) all: Vec<Buffer>,
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
    pub(super) fn of(&self, word: u32) -> u32 {
        link_of(word) * self.vcs + vc_of(word)
    }

    /// Takes room for a packet if it is there at a time.
    pub(super) fn take(&mut self, at: u32, bytes: u32, t: u64) -> bool {
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
    pub(super) fn next(&mut self, at: u32, t: u64) -> Option<Packet> {
        let bytes = self.all[at as usize].waiting.front()?.bytes & !FIRST;
        self.take(at, bytes, t).then(|| self.all[at as usize].waiting.pop_front())?
    }

    /// When somebody must look again whether a buffer has room: where nobody is due so early.
    pub(super) fn wake(&mut self, at: u32) -> Option<u64> {
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

    /// Links whose buffers are full of packets for the next of them, the first again after the last.
    pub(super) fn circle(&self, arena: &[u32]) -> Option<Vec<u32>> {
        let mut next = std::collections::BTreeMap::new();
        for (at, b) in (0u32..).zip(&self.all) {
            for packet in &b.waiting {
                if packet.bytes & FIRST == 0 {
                    next.entry(self.of(packet.track.before(arena))).or_insert(at);
                }
            }
        }
        let mut way: Vec<u32> = next.values().copied().take(1).collect();
        while let Some(&after) = way.last().and_then(|at| next.get(at)) {
            if let Some(begin) = way.iter().position(|&at| at == after) {
                return Some(way.split_off(begin).into_iter().map(|at| at / self.vcs).collect());
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
