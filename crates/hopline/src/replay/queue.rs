//! The queue of events: a radix heap with 64 buckets a level and a sorted front.
//!
//! Time never goes back, so an event waits at the highest digit (of 6 bits) in
//! which its time differs from the beginning of the front, in the bucket of that
//! digit. When the front is empty the earliest bucket becomes it: sorted where it
//! has few events, else spread over the levels below. Events of one time stay in
//! one bucket, and leave in the order in which they came: nothing depends on
//! anything but what was pushed. Events that come in order of time anyway stand
//! in a line beside it all, and leave before others of their time.
//! Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for the shortest path
//! problem", J. ACM 37 (1990), section 2.

use std::collections::VecDeque;

/// Bits of a digit.
const DIGIT: u32 = 6;
const SLOTS: usize = 1 << DIGIT;
const LEVELS: usize = 64usize.div_ceil(DIGIT as usize);

/// A bucket with more events is spread, and a front with many more is given up.
const FEW: usize = 64;
const MANY: usize = 2 * FEW;

/// Something that happens to `id` at a time, in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Event<K> {
    pub(super) time: u64,
    pub(super) id: u32,
    pub(super) kind: K,
}

/// Events by time, then as they came.
#[derive(Debug)]
pub(super) struct Queue<K> {
    /// The beginning of the front, and the time from which events wait in buckets.
    base: u64,
    end: u64,
    /// Events before `end`, the next one last.
    front: Vec<Event<K>>,
    /// Nobody has looked at the front since it began.
    fresh: bool,
    /// Events of the first bucket of level 0 that have left, and that were looked at.
    gone: usize,
    seen: usize,
    /// Levels with events, and buckets with events per level.
    levels: u32,
    filled: [u64; LEVELS],
    buckets: Vec<Vec<Event<K>>>,
    /// Emptied buckets keep their room for others.
    spare: Vec<Vec<Event<K>>>,
    /// Events that came in order.
    steady: VecDeque<Event<K>>,
}

impl<K: Copy> Queue<K> {
    pub(super) fn new() -> Self {
        Queue {
            base: 0,
            end: 0,
            front: Vec::new(),
            fresh: false,
            gone: 0,
            seen: 0,
            levels: 0,
            filled: [0; LEVELS],
            buckets: (0..LEVELS * SLOTS).map(|_| Vec::new()).collect(),
            spare: Vec::new(),
            steady: VecDeque::new(),
        }
    }

    /// Adds an event that is not before the last one that left.
    #[inline]
    pub(super) fn push(&mut self, time: u64, kind: K, id: u32) {
        let event = Event { time, id, kind };
        if time >= self.end {
            return self.put(event);
        }
        if self.front.len() >= MANY {
            self.give_up();
            return self.put(event);
        }
        // The front is short and new events mostly go far back: look from there.
        let at = self.front.iter().position(|e| e.time <= time).unwrap_or(self.front.len());
        self.front.insert(at, event);
    }

    /// The same for an event that probably is not before the last of its like.
    #[inline]
    pub(super) fn push_steady(&mut self, time: u64, kind: K, id: u32) {
        match self.steady.back() {
            Some(last) if last.time > time => self.push(time, kind, id),
            _ => self.steady.push_back(Event { time, id, kind }),
        }
    }

    /// Puts an event into its bucket.
    #[inline]
    fn put(&mut self, event: Event<K>) {
        let time = event.time;
        let level = (63 - ((time ^ self.base) | 1).leading_zeros()) / DIGIT;
        let slot = (time >> (level * DIGIT)) as usize % SLOTS;
        self.levels |= 1 << level;
        self.filled[level as usize] |= 1 << slot;
        let bucket = &mut self.buckets[level as usize * SLOTS + slot];
        if bucket.capacity() == 0
            && let Some(room) = self.spare.pop()
        {
            *bucket = room;
        }
        bucket.push(event);
    }

    /// Puts a front that has grown too long into buckets.
    fn give_up(&mut self) {
        let mut front = std::mem::take(&mut self.front);
        self.end = self.base;
        front.drain(..).rev().for_each(|event| self.put(event));
        self.front = front;
    }

    /// Events that come soon and have not been told before.
    #[inline]
    pub(super) fn soon(&mut self) -> &[Event<K>] {
        if std::mem::take(&mut self.fresh) {
            return &self.front;
        }
        if self.gone == 0 || self.gone < self.seen {
            return &[];
        }
        let bucket = &self.buckets[self.filled[0].trailing_zeros() as usize];
        self.seen = bucket.len().min(self.gone + FEW);
        &bucket[self.gone..self.seen]
    }

    /// The next event.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Event<K>> {
        loop {
            let level = self.levels.trailing_zeros();
            let least = match self.front.last() {
                Some(event) => event.time,
                None if self.levels == 0 => return self.steady.pop_front(),
                None => self.begin(level),
            };
            if self.steady.front().is_some_and(|e| e.time <= least) {
                return self.steady.pop_front();
            }
            if let Some(event) = self.front.pop() {
                return Some(event);
            }
            if level > 0 {
                self.open();
                continue;
            }
            // A bucket of level 0 holds one time.
            let slot = self.filled[0].trailing_zeros() as usize;
            let bucket = &mut self.buckets[slot];
            if let Some(&event) = bucket.get(self.gone) {
                self.gone += 1;
                return Some(event);
            }
            (self.gone, self.seen) = (0, 0);
            bucket.clear();
            let room = std::mem::take(bucket);
            self.keep(room);
            self.filled[0] &= !(1 << slot);
            self.levels = (self.levels & !1) | u32::from(self.filled[0] != 0);
        }
    }

    /// The time with which the first bucket of a level begins.
    #[inline]
    fn begin(&self, level: u32) -> u64 {
        let (below, slot) = (level * DIGIT, u64::from(self.filled[level as usize].trailing_zeros()));
        self.base >> below >> DIGIT << DIGIT << below | slot << below
    }

    /// Makes the earliest bucket above level 0 the front, or spreads it over the levels below.
    fn open(&mut self) {
        let level = self.levels.trailing_zeros();
        let (begin, slot) = (self.begin(level), self.filled[level as usize].trailing_zeros() as usize);
        self.filled[level as usize] &= !(1 << slot);
        if self.filled[level as usize] == 0 {
            self.levels &= !(1 << level);
        }
        let mut bucket = std::mem::take(&mut self.buckets[level as usize * SLOTS + slot]);
        if bucket.len() <= FEW {
            self.base = begin;
            self.end = begin.saturating_add(1 << (level * DIGIT));
            std::mem::swap(&mut self.front, &mut bucket);
            self.front.reverse();
            self.front.sort_by_key(|e| std::cmp::Reverse(e.time));
            self.fresh = true;
        } else {
            // Many events often have one time: from the first on, they are at level 0 at once.
            let first = bucket.iter().chain(self.steady.front()).map(|e| e.time).min();
            self.base = first.unwrap_or(begin);
            self.end = self.base;
            bucket.drain(..).for_each(|event| self.put(event));
        }
        self.keep(bucket);
    }

    fn keep(&mut self, room: Vec<Event<K>>) {
        if room.capacity() > 0 && self.spare.len() < LEVELS * SLOTS {
            self.spare.push(room);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    #[test]
    fn events_leave_as_from_a_binary_heap() {
        let mut rng = Rng::new(1, "queue");
        for reach in [1u64, 3, 100, 1 << 20, 1 << 45] {
            let (mut queue, mut heap, mut now) = (Queue::new(), BinaryHeap::new(), 0);
            let mut last = 0;
            for i in 0..20_000u32 {
                if rng.below(3) > 0 {
                    let time = now + rng.below(reach);
                    // Those that are in order leave before others of their time.
                    let probably = rng.below(2) > 0;
                    let steady = probably && time >= last;
                    last = if steady { time } else { last };
                    heap.push(Reverse((time, !steady, i)));
                    if probably { queue.push_steady(time, (), i) } else { queue.push(time, (), i) }
                } else {
                    let next = heap.pop().map(|r| (r.0.0, r.0.2));
                    assert_eq!(queue.pop().map(|e| (e.time, e.id)), next);
                    now = next.map_or(now, |n| n.0);
                }
            }
            while let Some(Reverse((time, _, i))) = heap.pop() {
                assert_eq!(queue.pop().map(|e| (e.time, e.id)), Some((time, i)));
            }
            assert_eq!(queue.pop(), None);
        }
    }
}
