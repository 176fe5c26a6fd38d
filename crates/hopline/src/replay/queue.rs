//! The queue of events: a radix heap with 64 buckets a level and a sorted front.
//!
//! Time never goes back, so an event waits at the highest digit (of 6 bits) in
//! which its time differs from the beginning of the front, in the bucket of that
//! digit. When the front is empty the earliest bucket becomes it: sorted where it
//! has few events, else spread over the levels below. Events of one time leave in
//! the order of their turns, which are given out in order of arrival: nothing
//! depends on anything but what was pushed. A turn may be taken long before its
//! event is pushed, so that of events in line only the first has to be here.
//! Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for the shortest path
//! problem", J. ACM 37 (1990), section 2.

/// Bits of a digit.
const DIGIT: u32 = 6;
const SLOTS: usize = 1 << DIGIT;
const LEVELS: usize = 64usize.div_ceil(DIGIT as usize);

/// A bucket with more events is spread, and a front with many more is given up.
const FEW: usize = 32;
const MANY: usize = 4 * FEW;

/// When an event leaves: at a time, in picoseconds, and in its turn among those of that time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Due {
    pub(super) time: u64,
    turn: u64,
}

/// Something that happens to `id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Event<K> {
    pub(super) due: Due,
    pub(super) id: u32,
    pub(super) kind: K,
}

/// Events by time, then by turn.
#[derive(Debug)]
pub(super) struct Queue<K> {
    /// The beginning of the front, and the time from which events wait in buckets.
    base: u64,
    end: u64,
    /// Turns so far.
    turns: u64,
    /// Events before `end`, the next one last.
    front: Vec<Event<K>>,
    /// Nobody has looked at the front since it began.
    fresh: bool,
    /// Whether the first bucket of level 0 is in order; its events that have left, and that were looked at.
    sorted: bool,
    gone: usize,
    seen: usize,
    /// Levels with events, and buckets with events per level.
    levels: u32,
    filled: [u64; LEVELS],
    buckets: Vec<Vec<Event<K>>>,
    /// Emptied buckets keep their room for others.
    spare: Vec<Vec<Event<K>>>,
}

impl<K: Copy> Queue<K> {
    pub(super) fn new() -> Self {
        Queue {
            base: 0,
            end: 0,
            turns: 0,
            front: Vec::new(),
            fresh: false,
            sorted: false,
            gone: 0,
            seen: 0,
            levels: 0,
            filled: [0; LEVELS],
            buckets: (0..LEVELS * SLOTS).map(|_| Vec::new()).collect(),
            spare: Vec::new(),
        }
    }

    /// Takes a turn for an event of that time.
    #[inline]
    pub(super) fn turn(&mut self, time: u64) -> Due {
        self.turns += 1;
        Due { time, turn: self.turns }
    }

    /// Adds an event that is not before the last one that left.
    #[inline]
    pub(super) fn push(&mut self, time: u64, kind: K, id: u32) {
        let due = self.turn(time);
        self.push_due(due, kind, id);
    }

    /// Adds an event whose turn was taken before, and comes after the last one that left.
    #[inline]
    pub(super) fn push_due(&mut self, due: Due, kind: K, id: u32) {
        let event = Event { due, id, kind };
        if due.time >= self.end {
            return self.put(event);
        }
        if self.front.len() >= MANY {
            self.give_up();
            return self.put(event);
        }
        // The front is short and new events mostly go far back: look from there.
        let at = self.front.iter().position(|e| e.due < due).unwrap_or(self.front.len());
        self.front.insert(at, event);
    }

    /// Puts an event into its bucket.
    #[inline]
    fn put(&mut self, event: Event<K>) {
        let time = event.due.time;
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
        // Only the first bucket of level 0 is kept in order, while its events leave.
        let first = self.sorted && level == 0 && slot == self.filled[0].trailing_zeros() as usize;
        if first && bucket.last().is_some_and(|e| e.due.turn > event.due.turn) {
            self.squeeze(slot, event);
        } else {
            bucket.push(event);
        }
    }

    /// Puts an event before others into the first bucket of level 0, which is in order; those that have left
    /// made room.
    fn squeeze(&mut self, slot: usize, event: Event<K>) {
        let bucket = &mut self.buckets[slot];
        let at = self.gone + bucket[self.gone..].partition_point(|e| e.due.turn < event.due.turn);
        if self.gone == 0 {
            return bucket.insert(at, event);
        }
        bucket.copy_within(self.gone..at, self.gone - 1);
        bucket[at - 1] = event;
        self.gone -= 1;
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
        if !self.sorted || self.gone < self.seen {
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
            if let Some(event) = self.front.pop() {
                return Some(event);
            }
            if self.levels == 0 {
                return None;
            }
            if self.levels & 1 == 0 {
                self.open();
                continue;
            }
            // A bucket of level 0 holds one time.
            let slot = self.filled[0].trailing_zeros() as usize;
            let bucket = &mut self.buckets[slot];
            if !self.sorted {
                bucket.sort_unstable_by_key(|e| e.due.turn);
                self.sorted = true;
            }
            if let Some(&event) = bucket.get(self.gone) {
                self.gone += 1;
                return Some(event);
            }
            (self.gone, self.seen, self.sorted) = (0, 0, false);
            bucket.clear();
            let room = std::mem::take(bucket);
            self.keep(room);
            self.filled[0] &= !(1 << slot);
            self.levels = (self.levels & !1) | u32::from(self.filled[0] != 0);
        }
    }

    /// Makes the earliest bucket above level 0 the front, or spreads it over the levels below.
    fn open(&mut self) {
        let level = self.levels.trailing_zeros();
        let slot = self.filled[level as usize].trailing_zeros() as usize;
        self.filled[level as usize] &= !(1 << slot);
        if self.filled[level as usize] == 0 {
            self.levels &= !(1 << level);
        }
        let mut bucket = std::mem::take(&mut self.buckets[level as usize * SLOTS + slot]);
        if bucket.len() <= FEW {
            let below = level * DIGIT;
            let high = self.base >> below >> DIGIT << DIGIT << below;
            self.base = high | ((slot as u64) << below);
            self.end = self.base.saturating_add(1 << below);
            std::mem::swap(&mut self.front, &mut bucket);
            self.front.sort_unstable_by_key(|e| std::cmp::Reverse(e.due));
            self.fresh = true;
        } else {
            // Many events often have one time: from the first on, they are at level 0 at once.
            self.base = bucket.iter().map(|e| e.due.time).min().unwrap_or(self.base);
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
            // Events that have their turn and are pushed later, but before it comes.
            let mut kept: Vec<(Due, u32)> = Vec::new();
            for i in 0..20_000u32 {
                if rng.below(3) > 0 {
                    let due = queue.turn(now + rng.below(reach));
                    heap.push(Reverse((due, i)));
                    if rng.below(2) > 0 { kept.push((due, i)) } else { queue.push_due(due, (), i) }
                } else {
                    let next = heap.pop().map(|r| r.0);
                    kept.retain(|&(due, i)| {
                        let waits = rng.below(4) > 0 && next != Some((due, i));
                        if !waits {
                            queue.push_due(due, (), i);
                        }
                        waits
                    });
                    assert_eq!(queue.pop().map(|e| (e.due, e.id)), next);
                    now = next.map_or(now, |n| n.0.time);
                }
            }
            kept.into_iter().for_each(|(due, i)| queue.push_due(due, (), i));
            while let Some(Reverse(next)) = heap.pop() {
                assert_eq!(queue.pop().map(|e| (e.due, e.id)), Some(next));
            }
            assert_eq!(queue.pop(), None);
        }
    }
}
