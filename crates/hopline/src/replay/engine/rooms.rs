//! Packets stand in line for room behind their next link, and leave when it is there.

use super::Engine;
use crate::replay::events::EventKind;
use crate::replay::packet::{FIRST, Packet};
use crate::replay::routes::{LAST, link_of};
use std::cmp::Reverse;

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
}
