//! The busy time of every link, what it costs over a limit, and what the last move changed of it.

use crate::fabric::Fabric;
use crate::id::LinkId;

/// A link.
#[derive(Debug, Clone, Copy)]
struct Cell {
    /// Seconds per unit (in GB).
    busy: f64,
    /// Number of the last move that touched it.
    stamp: u32,
    /// Index of its limit.
    limit: u32,
}

/// Limits: of links between routers, of host links, and of those that do not matter.
const NETWORK: u32 = 0;
const HOST: u32 = 1;
const IGNORED: u32 = 2;

#[derive(Clone)]
pub(super) struct Busy {
    cells: Vec<Cell>,
    /// The links that matter.
    watched: Vec<u32>,
    /// Busy time over which links cost.
    limits: [f64; 3],
    /// Links over their limit.
    over: i64,
    /// Number of the last move, and the links that it touched with their busy time before.
    stamp: u32,
    journal: Vec<(u32, f64)>,
}

impl Busy {
    /// Idle links, of which those that are watched matter.
    pub(super) fn new(fabric: &Fabric, is_watched: impl Fn(LinkId) -> bool) -> Busy {
        let cells = vec![Cell { busy: 0.0, stamp: 0, limit: IGNORED }; fabric.links()];
        let watched: Vec<u32> = fabric.link_ids().filter(|&l| is_watched(l)).map(|l| l.0).collect();
        let (limits, journal) = ([f64::INFINITY; 3], Vec::new());
        let mut busy = Busy { cells, watched: Vec::new(), limits, over: 0, stamp: 0, journal };
        busy.watch(fabric, &watched);
        busy
    }

    /// From now on only these links matter.
    pub(super) fn watch(&mut self, fabric: &Fabric, links: &[u32]) {
        self.watched.iter().for_each(|&l| self.cells[l as usize].limit = IGNORED);
        self.watched.clear();
        self.watched.extend_from_slice(links);
        for &link in links {
            self.cells[link as usize].limit = if fabric.is_host_link(LinkId(link)) { HOST } else { NETWORK };
        }
    }

    /// All links idle, in a move that is not taken back.
    pub(super) fn clear(&mut self) {
        self.cells.iter_mut().for_each(|cell| cell.busy = 0.0);
        self.begin();
    }

    /// Begins a move.
    pub(super) fn begin(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        self.journal.clear();
    }

    /// Number of the last move.
    pub(super) fn stamp(&self) -> u32 {
        self.stamp
    }

    #[inline]
    pub(super) fn add(&mut self, link: u32, busy: f64) {
        let cell = &mut self.cells[link as usize];
        if cell.stamp != self.stamp {
            cell.stamp = self.stamp;
            self.journal.push((link, cell.busy));
        }
        cell.busy += busy;
    }

    /// By how much the cost has grown since the move began.
    pub(super) fn grown(&mut self) -> f64 {
        let mut grown = 0.0;
        for &(link, before) in &self.journal {
            let Cell { busy, limit, .. } = self.cells[link as usize];
            let limit = self.limits[limit as usize];
            if before > limit || busy > limit {
                grown += cost(busy, limit) - cost(before, limit);
                self.over += i64::from(busy > limit) - i64::from(before > limit);
            }
        }
        grown
    }

    /// Takes the last move back.
    pub(super) fn undo(&mut self) {
        for &(link, before) in &self.journal {
            let cell = &mut self.cells[link as usize];
            let limit = self.limits[cell.limit as usize];
            self.over += i64::from(before > limit) - i64::from(cell.busy > limit);
            cell.busy = before;
        }
    }

    /// Largest busy time: of links between routers, of host links. O(links that matter).
    pub(super) fn busiest(&self) -> [f64; 2] {
        let mut most = [0.0; 2];
        for cell in self.watched.iter().map(|&l| self.cells[l as usize]) {
            let most: &mut f64 = &mut most[cell.limit as usize];
            *most = most.max(cell.busy);
        }
        most
    }

    /// Sets the limits of links between routers and of host links; returns the cost of all. O(links that matter).
    pub(super) fn aim(&mut self, [network, host]: [f64; 2]) -> f64 {
        self.limits = [network, host, f64::INFINITY];
        let watched = || self.watched.iter().map(|&l| self.cells[l as usize]);
        self.over = watched().filter(|c| c.busy > self.limits[c.limit as usize]).count() as i64;
        watched().map(|c| cost(c.busy, self.limits[c.limit as usize])).sum()
    }

    /// Links over their limit.
    pub(super) fn over(&self) -> i64 {
        self.over
    }

    pub(super) fn is_over(&self, link: u32) -> bool {
        let cell = self.cells[link as usize];
        cell.busy > self.limits[cell.limit as usize]
    }

    #[cfg(test)]
    pub(super) fn of(&self, link: u32) -> f64 {
        self.cells[link as usize].busy
    }
}

/// The square of the share by which a busy time is over its limit.
fn cost(busy: f64, limit: f64) -> f64 {
    let excess = ((busy - limit) / limit).max(0.0);
    excess * excess
}
