//! Utilisation over time: bins of equal length, for classes, for single links and for the processors of ranks.

use super::NONE;
use crate::fabric::Fabric;
use crate::id::LinkId;

/// What is recorded: the length of a bin, and links to record one by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watch {
    /// Length of a bin in picoseconds.
    pub bin: u64,
    /// Links that get a row of their own; every class has one.
    pub links: Vec<LinkId>,
}

/// The most bins of a row: later times are counted in the last.
const MOST_BINS: usize = 1 << 16;

/// Busy picoseconds per row and bin.
#[derive(Debug, Clone)]
pub(super) struct Timeline {
    bin: u64,
    /// Per link: the row of its class, and its own or `NONE`.
    class: Vec<u8>,
    own: Vec<u32>,
    rows: Vec<Vec<u64>>,
}

impl Timeline {
    pub(super) fn new(watch: &Watch, fabric: &Fabric) -> Timeline {
        let classes = fabric.classes().len();
        let mut own = vec![NONE; fabric.links()];
        watch.links.iter().enumerate().for_each(|(i, l)| own[l.index()] = (classes + i) as u32);
        Timeline {
            bin: watch.bin.max(1),
            class: fabric.link_ids().map(|l| fabric.class_id(l).0 as u8).collect(),
            own,
            rows: vec![Vec::new(); classes + watch.links.len()],
        }
    }

    /// Link `link` is busy from `start` to `end`. O(bins between them).
    pub(super) fn add(&mut self, link: u32, start: u64, end: u64) {
        let (class, own) = (u32::from(self.class[link as usize]), self.own[link as usize]);
        self.add_row(class as usize, start, end);
        if own != NONE {
            self.add_row(own as usize, start, end);
        }
    }

    fn add_row(&mut self, row: usize, start: u64, end: u64) {
        fill(&mut self.rows[row], self.bin, start, end);
    }

    /// Busy picoseconds: rows of the classes, then of the single links; all equally long.
    pub(super) fn rows(self) -> Vec<Vec<u64>> {
        even(self.rows)
    }
}

/// Adds a time from `start` to `end` to the bins of a row.
fn fill(row: &mut Vec<u64>, bin: u64, mut start: u64, end: u64) {
    while start < end {
        let at = start / bin;
        let last = at >= MOST_BINS as u64 - 1;
        let until = if last { end } else { end.min((at + 1) * bin) };
        let at = if last { MOST_BINS - 1 } else { at as usize };
        if row.len() <= at {
            row.resize(at + 1, 0);
        }
        row[at] += until - start;
        start = until;
    }
}

fn even(mut rows: Vec<Vec<u64>>) -> Vec<Vec<u64>> {
    let bins = rows.iter().map(Vec::len).max().unwrap_or(0);
    rows.iter_mut().for_each(|row| row.resize(bins, 0));
    rows
}

/// Rows of ranks at most: those of large jobs stand for several ranks each.
const MOST_ROWS: u32 = 64;

/// Ranks in a row of [`Replayed::processors`](super::Replayed::processors) of so many ranks.
pub fn ranks_in_row(ranks: u32) -> u32 {
    ranks.div_ceil(MOST_ROWS).max(1)
}

/// Busy picoseconds of processors per row of ranks and bin.
#[derive(Debug, Clone)]
pub(super) struct Processors {
    bin: u64,
    in_row: u32,
    rows: Vec<Vec<u64>>,
}

impl Processors {
    pub(super) fn new(watch: &Watch, ranks: u32) -> Processors {
        let in_row = ranks_in_row(ranks);
        Processors { bin: watch.bin.max(1), in_row, rows: vec![Vec::new(); ranks.div_ceil(in_row) as usize] }
    }

    /// The processor of a rank is busy from `start` to `end`. O(bins between them).
    pub(super) fn add(&mut self, rank: u32, start: u64, end: u64) {
        fill(&mut self.rows[(rank / self.in_row) as usize], self.bin, start, end);
    }

    /// All rows, equally long.
    pub(super) fn rows(self) -> Vec<Vec<u64>> {
        even(self.rows)
    }
}
