//! Things in line: each leaves when it is due, in the order in which they came.
//!
//! Packets on a link reach its end in the order in which they left. So only the
//! first of them is an event of the queue, and the others stand here. The first is
//! kept with its line, which is all of most lines; the others in blocks, so that
//! going along a line is going along memory, however many packets are under way.

/// Things of a block.
const BLOCK: u32 = 8;

/// One line: with packets, a line of the cache.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Line<T> {
    first: (u64, T),
    length: u32,
    /// Places of the second and the last in `Lines::all`.
    second: u32,
    last: u32,
}

/// Lines that share their room. Those of one line must come in order of time.
#[derive(Debug)]
pub(super) struct Lines<T> {
    lines: Vec<Line<T>>,
    all: Vec<(u64, T)>,
    /// Per block: the one after it in its line.
    next: Vec<u32>,
    unused: Vec<u32>,
}

impl<T: Copy + Default> Lines<T> {
    pub(super) fn new(lines: usize) -> Self {
        Lines { lines: vec![Line::default(); lines], all: Vec::new(), next: Vec::new(), unused: Vec::new() }
    }

    /// Adds to the end of a line. Answers whether it is the first, which has to be called when it is due.
    #[inline]
    pub(super) fn push(&mut self, line: u32, due: u64, thing: T) -> bool {
        let l = &mut self.lines[line as usize];
        l.length += 1;
        if l.length == 1 {
            l.first = (due, thing);
            return true;
        }
        self.push_behind(line, (due, thing));
        false
    }

    /// Adds to a line that has a first.
    fn push_behind(&mut self, line: u32, thing: (u64, T)) {
        let Line { length, last, .. } = self.lines[line as usize];
        let at = if length > 2 && (last + 1) % BLOCK != 0 {
            last + 1
        } else {
            let at = self.block(thing) * BLOCK;
            match length {
                2 => self.lines[line as usize].second = at,
                _ => self.next[(last / BLOCK) as usize] = at / BLOCK,
            }
            at
        };
        self.all[at as usize] = thing;
        self.lines[line as usize].last = at;
    }

    /// Takes the first of a line that is not empty, and tells when the next one is due.
    #[inline]
    pub(super) fn pop(&mut self, line: u32) -> (T, Option<u64>) {
        let l = &mut self.lines[line as usize];
        let thing = l.first.1;
        l.length -= 1;
        if l.length == 0 {
            return (thing, None);
        }
        let at = l.second;
        l.first = self.all[at as usize];
        let used_up = (at + 1).is_multiple_of(BLOCK);
        l.second = if used_up { self.next[(at / BLOCK) as usize] * BLOCK } else { at + 1 };
        if used_up || l.length == 1 {
            self.unused.push(at / BLOCK);
        }
        (thing, Some(l.first.0))
    }

    /// Reads the first of a line that is not empty and when the next is due, for the cache.
    #[inline]
    pub(super) fn glance(&self, line: u32) -> &T {
        let l = &self.lines[line as usize];
        if l.length > 1 {
            std::hint::black_box(self.all[l.second as usize].0);
        }
        &l.first.1
    }

    /// Reads a line, for the cache.
    #[inline]
    pub(super) fn glance_at_end(&self, line: u32) -> u32 {
        self.lines[line as usize].last
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.all.len() * size_of::<(u64, T)>()) as u64
    }

    /// A block that is not used, or a new one filled with something.
    fn block(&mut self, thing: (u64, T)) -> u32 {
        self.unused.pop().unwrap_or_else(|| {
            self.all.resize(self.all.len() + BLOCK as usize, thing);
            self.next.push(0);
            self.next.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::VecDeque;

    #[test]
    fn a_line_of_things_as_large_as_packets_is_a_line_of_the_cache() {
        assert_eq!(size_of::<Line<[u64; 4]>>(), 64);
    }

    #[test]
    fn lines_keep_their_order_and_share_their_room() {
        let mut rng = Rng::new(1, "lines");
        let mut lines = Lines::new(5);
        let mut plain: Vec<VecDeque<(u64, u32)>> = vec![VecDeque::new(); 5];
        let (mut most, mut all) = (0, 0);
        for i in 0..20_000u32 {
            let line = rng.below(5) as u32;
            let want = &mut plain[line as usize];
            if rng.below(2) > 0 {
                let due = u64::from(i);
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
