//! Utilisation over time: bins of equal length, for classes and for single links.

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

    fn add_row(&mut self, row: usize, mut start: u64, end: u64) {
        let row = &mut self.rows[row];
        while start < end {
            let at = start / self.bin;
            let last = at >= MOST_BINS as u64 - 1;
            let until = if last { end } else { end.min((at + 1) * self.bin) };
            let at = if last { MOST_BINS - 1 } else { at as usize };
            if row.len() <= at {
                row.resize(at + 1, 0);
            }
            row[at] += until - start;
            start = until;
        }
    }

    /// Busy picoseconds: rows of the classes, then of the single links; all equally long.
    pub(super) fn rows(mut self) -> Vec<Vec<u64>> {
        let bins = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        self.rows.iter_mut().for_each(|row| row.resize(bins, 0));
        self.rows
    }
}
