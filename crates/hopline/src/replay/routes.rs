//! Paths of messages, as runs of links in one arena.
//!
//! A send that is played once asks the routing when its message leaves, and its
//! run is used again when the message has arrived; a send that repeats keeps
//! its paths.

use super::links::Links;
use crate::error::Result;
use crate::id::{LinkId, VertexId};
use crate::routing::{Path, Routing};

/// Marks the last link of a run.
pub(super) const LAST: u32 = 1 << 31;

/// A run without links.
pub(super) const EMPTY: u32 = u32::MAX;

/// Most paths of a message that are written down.
const MOST: u64 = 64;

/// How one message travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// All packets take the run at this place.
    One(u32),
    /// The table of that number.
    Table(u32),
    /// Each packet asks the routing for one of so many paths.
    Ask(u32),
}

/// Several paths: the share of those up to it, in parts of 2^64, and its run.
type Table = Vec<(u64, u32)>;

pub(super) struct Routes<'a> {
    routing: &'a dyn Routing,
    pub(super) arena: Vec<u32>,
    /// Runs to use again, by length.
    unused: Vec<Vec<u32>>,
    tables: Vec<Table>,
    unused_tables: Vec<u32>,
    path: Path,
}

/// 2^64 divided by the golden ratio: multiples of it are spread evenly.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A point in [0, 2^64) for packet `k` of a flow: a Kronecker sequence, with a beginning of its own per flow.
pub(super) fn spread(flow: u32, k: u64) -> u64 {
    let begin = (u64::from(flow) + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let begin = (begin ^ (begin >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
    begin.wrapping_add(k.wrapping_mul(GOLDEN))
}

impl<'a> Routes<'a> {
    pub(super) fn new(routing: &'a dyn Routing) -> Routes<'a> {
        Routes {
            routing,
            arena: Vec::new(),
            unused: Vec::new(),
            tables: Vec::new(),
            unused_tables: Vec::new(),
            path: Path::default(),
        }
    }

    /// The way of a message of `packets` packets; `keep` where the same message comes again.
    pub(super) fn way(&mut self, ends: (VertexId, VertexId), packets: u64, keep: bool, links: &Links) -> Result<Way> {
        let choices = self.routing.choices(ends.0, ends.1)?;
        if choices == 1 {
            return self.run(ends, 0, links).map(|r| Way::One(r.0));
        }
        if choices > MOST || (!keep && packets < choices) {
            return Ok(Way::Ask(choices.min(u64::from(u32::MAX)) as u32));
        }
        let at = self.unused_tables.pop().unwrap_or_else(|| {
            self.tables.push(Table::new());
            self.tables.len() as u32 - 1
        });
        let mut sum = 0.0;
        for choice in 0..choices {
            let (run, share) = self.run(ends, choice, links)?;
            sum += share;
            // The last one takes what rounding leaves.
            let until = if choice + 1 == choices { u64::MAX } else { (sum * 2f64.powi(64)) as u64 };
            self.tables[at as usize].push((until, run));
        }
        Ok(Way::Table(at))
    }

    /// The run of path `choice` and its share.
    fn run(&mut self, (source, target): (VertexId, VertexId), choice: u64, links: &Links) -> Result<(u32, f64)> {
        self.routing.path(source, target, choice, &mut self.path)?;
        self.path.links.retain(|l| !links.is_free(l.0));
        let length = self.path.links.len();
        if length == 0 {
            return Ok((EMPTY, self.path.share));
        }
        let at = match self.unused.get_mut(length).and_then(Vec::pop) {
            Some(at) => at as usize,
            None => {
                let at = self.arena.len();
                self.arena.resize(at + length, 0);
                at
            }
        };
        let run = &mut self.arena[at..at + length];
        run.iter_mut().zip(&self.path.links).for_each(|(cell, &LinkId(l))| *cell = l);
        run[length - 1] |= LAST;
        Ok((at as u32, self.path.share))
    }

    /// The run of a packet, and whether it is the packet's own.
    #[inline]
    pub(super) fn choose(
        &mut self,
        way: Way,
        ends: (VertexId, VertexId),
        point: u64,
        links: &Links,
    ) -> Result<(u32, bool)> {
        match way {
            Way::One(run) => Ok((run, false)),
            Way::Table(table) => {
                let table = &self.tables[table as usize];
                Ok((table[table.partition_point(|t| t.0 < point).min(table.len() - 1)].1, false))
            }
            Way::Ask(choices) => {
                let choice = ((u128::from(point) * u128::from(choices)) >> 64) as u64;
                self.run(ends, choice, links).map(|r| (r.0, true))
            }
        }
    }

    /// Gives back a run that nothing travels on any more.
    pub(super) fn drop_run(&mut self, run: u32) {
        if run == EMPTY {
            return;
        }
        let length = 1 + self.arena[run as usize..].iter().take_while(|&l| l & LAST == 0).count();
        if self.unused.len() <= length {
            self.unused.resize(length + 1, Vec::new());
        }
        self.unused[length].push(run);
    }

    /// Gives back what a message has travelled on.
    pub(super) fn drop_way(&mut self, way: Way) {
        match way {
            Way::One(run) => self.drop_run(run),
            Way::Table(at) => {
                let mut table = std::mem::take(&mut self.tables[at as usize]);
                table.drain(..).for_each(|(_, run)| self.drop_run(run));
                self.tables[at as usize] = table;
                self.unused_tables.push(at);
            }
            Way::Ask(_) => {}
        }
    }
}
