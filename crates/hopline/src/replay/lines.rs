//! Things in line: each leaves when it is due, in the order in which they came.
//!
//! Packets on a link reach its end in the order in which they left. So only the
//! first of them is an event of the queue, and the others stand here: in blocks, so
//! that going along a line is going along memory, however many packets are under
//! way.

use super::queue::Due;

/// Things of a block.
const BLOCK: u32 = 8;

/// One line: places in `Lines::all`.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    first: u32,
    last: u32,
    length: u32,
}

/// Lines that share their room. Those of one line must come in order of time.
#[derive(Debug)]
pub(super) struct Lines<T> {
    lines: Vec<Line>,
    all: Vec<(Due, T)>,
    /// Per block: the one after it in its line.
    next: Vec<u32>,
    unused: Vec<u32>,
}

impl<T: Copy> Lines<T> {
    pub(super) fn new(lines: usize) -> Self {
        Lines { lines: vec![Line::default(); lines], all: Vec::new(), next: Vec::new(), unused: Vec::new() }
    }

    /// Adds to the end of a line. Answers whether it is the first, which has to be called when it is due.
    #[inline]
    pub(super) fn push(&mut self, line: u32, due: Due, thing: T) -> bool {
        let Line { last, length, .. } = self.lines[line as usize];
        let at = if length > 0 && (last + 1) % BLOCK != 0 {
            last + 1
        } else {
            let block = self.block((due, thing));
            if length > 0 {
                self.next[(last / BLOCK) as usize] = block;
            }
            block * BLOCK
        };
        self.all[at as usize] = (due, thing);
        let l = &mut self.lines[line as usize];
        if length == 0 {
            l.first = at;
        }
        (l.last, l.length) = (at, length + 1);
        length == 0
    }

    /// Takes the first of a line that is not empty, and tells when the next one is due.
    #[inline]
    pub(super) fn pop(&mut self, line: u32) -> (T, Option<Due>) {
        let l = &mut self.lines[line as usize];
        let at = l.first;
        l.length -= 1;
        let next = if l.length == 0 {
            None
        } else {
            let next = if (at + 1).is_multiple_of(BLOCK) { self.next[(at / BLOCK) as usize] * BLOCK } else { at + 1 };
            l.first = next;
            Some(self.all[next as usize].0)
        };
        if next.is_none() || (at + 1).is_multiple_of(BLOCK) {
            self.unused.push(at / BLOCK);
        }
        (self.all[at as usize].1, next)
    }

    /// Reads the first of a line that is not empty and when the next is due, for the cache.
    #[inline]
    pub(super) fn glance(&self, line: u32) -> &T {
        let Line { first, length, .. } = self.lines[line as usize];
        if length > 1 {
            let next = if (first + 1) % BLOCK == 0 { self.next[(first / BLOCK) as usize] * BLOCK } else { first + 1 };
            std::hint::black_box(self.all[next as usize].0);
        }
        &self.all[first as usize].1
    }

    /// Reads where the last of a line is, for the cache.
    #[inline]
    pub(super) fn glance_at_end(&self, line: u32) -> u32 {
        self.lines[line as usize].last
    }

    /// A block that is not used, or a new one filled with something.
    fn block(&mut self, thing: (Due, T)) -> u32 {
        self.unused.pop().unwrap_or_else(|| {
            self.all.resize(self.all.len() + BLOCK as usize, thing);
            self.next.push(0);
            self.next.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::queue::Queue;
    use super::*;
    use crate::rng::Rng;
    use std::collections::VecDeque;

    #[test]
    fn lines_keep_their_order_and_share_their_room() {
        let (mut rng, mut queue) = (Rng::new(1, "lines"), Queue::<()>::new());
        let mut lines = Lines::new(5);
        let mut plain: Vec<VecDeque<(Due, u32)>> = vec![VecDeque::new(); 5];
        let (mut most, mut all) = (0, 0);
        for i in 0..20_000u32 {
            let line = rng.below(5) as u32;
            let want = &mut plain[line as usize];
            if rng.below(2) > 0 {
                let due = queue.turn(u64::from(i));
                assert_eq!(lines.push(line, due, i), want.is_empty());
                want.push_back((due, i));
                all += 1;
                most = most.max(all);
            } else if let Some((_, first)) = want.pop_front() {
                assert_eq!(lines.pop(line), (first, want.front().map(|f| f.0)));
                all -= 1;
            }
        }
        assert!(lines.next.len() <= most / BLOCK as usize + 10, "{} blocks for {most}", lines.next.len());
    }
}
