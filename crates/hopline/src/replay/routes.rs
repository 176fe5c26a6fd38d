//! Paths of messages, as runs of links in one arena.
//!
//! A send that is played once asks the routing when its message leaves, and its
//! run is used again when the message has arrived; a send that repeats keeps
//! its paths. Packets carry a copy of a short path, so that a packet which goes
//! on touches one place of memory.

use super::links::Links;
use crate::error::Result;
use crate::id::VertexId;
use crate::rng::GOLDEN_RATIO;
use crate::routing::{Path, Routing};

/// Marks the last link of a run.
pub(super) const LAST: u32 = 1 << 31;

/// A link of a run stands with its virtual channel, where buffers are finite.
const VC: u32 = 28;

/// As many of these as there is room for.
pub(super) const MOST_VCS: u8 = 8;

/// The link alone.
#[inline]
pub(super) fn link_of(word: u32) -> u32 {
    word & ((1 << VC) - 1)
}

/// Its virtual channel.
pub(super) fn vc_of(word: u32) -> u32 {
    (word & !LAST) >> VC
}

/// A run without links, or none.
pub(super) const EMPTY: u32 = u32::MAX;

/// Most paths of a message that are written down.
const MOST: u64 = 64;

/// How one message travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageRoute {
    /// All packets take the run at this place.
    One(u32),
    /// The table of that number.
    Table(u32),
    /// Each packet asks the routing for one of so many paths.
    Ask(u32),
}

/// Links that a packet carries with it.
const SHORT: usize = 3;

/// The path of one packet and where it is on it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Track {
    /// Its next link: below `SHORT` in `short`, else in the arena, so much further on.
    at: u32,
    /// A short path; of a long one its run in the arena first, where no message keeps that.
    short: [u32; SHORT],
}

impl Track {
    /// The next link, with `LAST`.
    #[inline]
    pub(super) fn link(&self, arena: &[u32]) -> u32 {
        self.link_at(self.at, arena)
    }

    /// The link before that.
    pub(super) fn before(&self, arena: &[u32]) -> u32 {
        self.link_at(self.at - 1, arena)
    }

    #[inline]
    fn link_at(&self, at: u32, arena: &[u32]) -> u32 {
        match self.short.get(at as usize) {
            Some(&link) => link,
            None => arena[at as usize - SHORT],
        }
    }

    /// Goes on to the next link.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.at += 1;
    }
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
    /// The links of that which take time.
    found: Vec<u32>,
    /// Its virtual channels, where they count.
    channels: Option<Vec<u8>>,
}

/// A point in [0, 2^64) for packet `k` of a flow: a Kronecker sequence, with a beginning of its own per flow.
pub(super) fn spread(flow: u32, k: u64) -> u64 {
    let begin = (u64::from(flow) + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let begin = (begin ^ (begin >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
    begin.wrapping_add(k.wrapping_mul(GOLDEN_RATIO))
}

impl<'a> Routes<'a> {
    /// With virtual channels if asked.
    pub(super) fn new(routing: &'a dyn Routing, channels: bool) -> Routes<'a> {
        Routes {
            routing,
            arena: Vec::new(),
            unused: Vec::new(),
            tables: Vec::new(),
            unused_tables: Vec::new(),
            path: Path::default(),
            found: Vec::new(),
            channels: channels.then(Vec::new),
        }
    }

    /// The way of a message of `packets` packets; `keep` where the same message comes again.
    pub(super) fn way(
        &mut self,
        ends: (VertexId, VertexId),
        packets: u64,
        keep: bool,
        links: &Links,
    ) -> Result<MessageRoute> {
        let choices = self.routing.choices(ends.0, ends.1)?;
        if choices > MOST || (!keep && (packets < choices || packets == 1)) {
            return Ok(MessageRoute::Ask(choices.min(u64::from(u32::MAX)) as u32));
        }
        if choices == 1 {
            self.find(ends, 0, links)?;
            return Ok(MessageRoute::One(self.run()));
        }
        let at = self.unused_tables.pop().unwrap_or_else(|| {
            self.tables.push(Table::new());
            self.tables.len() as u32 - 1
        });
        let mut sum = 0.0;
        for choice in 0..choices {
            self.find(ends, choice, links)?;
            sum += self.path.share;
            // The last one takes what rounding leaves.
            let until = if choice + 1 == choices { u64::MAX } else { (sum * 2f64.powi(64)) as u64 };
            let run = self.run();
            self.tables[at as usize].push((until, run));
        }
        Ok(MessageRoute::Table(at))
    }

    /// Finds path `choice`.
    fn find(&mut self, (source, target): (VertexId, VertexId), choice: u64, links: &Links) -> Result<()> {
        self.routing.path(source, target, choice, &mut self.path)?;
        self.keep(choice, links);
        Ok(())
    }

    /// Finds the path that a point chooses of so many.
    fn draw(&mut self, ends: (VertexId, VertexId), choices: u32, point: u64, links: &Links) -> Result<()> {
        let choice = self.routing.draw(ends.0, ends.1, choices.into(), point, &mut self.path)?;
        self.keep(choice, links);
        Ok(())
    }

    /// Takes of the path, which has this number, the links that take time.
    fn keep(&mut self, choice: u64, links: &Links) {
        self.found.clear();
        let taken = self.path.links.iter().map(|l| l.0);
        match &mut self.channels {
            None => self.found.extend(taken.filter(|&l| !links.is_free(l))),
            Some(channels) => {
                self.routing.channels(&self.path, choice, channels);
                let with = taken.zip(channels).filter(|(l, _)| !links.is_free(*l));
                self.found.extend(with.map(|(l, vc)| l | u32::from(*vc) << VC));
            }
        }
    }

    /// Writes the path that was found into the arena.
    fn run(&mut self) -> u32 {
        let length = self.found.len();
        if length == 0 {
            return EMPTY;
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
        run.copy_from_slice(&self.found);
        run[length - 1] |= LAST;
        at as u32
    }

    /// The run that one packet takes, and whether it was written down for it alone.
    pub(super) fn run_of(
        &mut self,
        way: MessageRoute,
        ends: (VertexId, VertexId),
        point: u64,
        links: &Links,
    ) -> Result<(u32, bool)> {
        match way {
            MessageRoute::One(run) => Ok((run, false)),
            MessageRoute::Table(table) => Ok((self.entry(table, point), false)),
            MessageRoute::Ask(choices) => {
                self.draw(ends, choices, point, links)?;
                Ok((self.run(), true))
            }
        }
    }

    /// The run of a table that a point chooses.
    #[inline]
    fn entry(&self, table: u32, point: u64) -> u32 {
        let table = &self.tables[table as usize];
        table[table.partition_point(|t| t.0 < point).min(table.len() - 1)].1
    }

    /// The path of a packet; `None` where it takes no link. `point` chooses among several.
    #[inline]
    pub(super) fn track(
        &mut self,
        way: MessageRoute,
        ends: impl FnOnce() -> (VertexId, VertexId),
        point: u64,
        links: &Links,
    ) -> Result<Option<Track>> {
        let run = match way {
            MessageRoute::One(run) => run,
            MessageRoute::Table(table) => self.entry(table, point),
            MessageRoute::Ask(choices) => {
                self.draw(ends(), choices, point, links)?;
                return Ok(self.own_track());
            }
        };
        if run == EMPTY {
            return Ok(None);
        }
        let mut track = Track { at: 0, short: [0; SHORT] };
        for (cell, &link) in track.short.iter_mut().zip(&self.arena[run as usize..]) {
            *cell = link;
            if link & LAST != 0 {
                return Ok(Some(track));
            }
        }
        track.at = run + SHORT as u32;
        track.short[0] = EMPTY;
        Ok(Some(track))
    }

    /// The path that was found, for one packet.
    fn own_track(&mut self) -> Option<Track> {
        let length = self.found.len();
        let mut track = Track { at: 0, short: [0; SHORT] };
        if length > SHORT {
            let run = self.run();
            (track.at, track.short[0]) = (run + SHORT as u32, run);
        } else {
            track.short[..length].copy_from_slice(&self.found);
            *track.short.get_mut(length.checked_sub(1)?)? |= LAST;
        }
        Some(track)
    }

    /// Gives back what only this packet has travelled on.
    #[inline]
    pub(super) fn drop_track(&mut self, track: &Track) {
        if track.at as usize >= SHORT {
            self.drop_run(track.short[0]);
        }
    }

    /// Gives back a run that nothing travels on any more.
    fn drop_run(&mut self, run: u32) {
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
    pub(super) fn drop_way(&mut self, way: MessageRoute) {
        match way {
            MessageRoute::One(run) => self.drop_run(run),
            MessageRoute::Table(at) => {
                let mut table = std::mem::take(&mut self.tables[at as usize]);
                table.drain(..).for_each(|(_, run)| self.drop_run(run));
                self.tables[at as usize] = table;
                self.unused_tables.push(at);
            }
            MessageRoute::Ask(_) => {}
        }
    }
}
