//! T_i by brute force: every message along its way, through the routing `dor`.

use crate::machine::Machine;
use hopline::demand::{Demand, Unit};
use hopline::error::Result;
use hopline::id::VertexId;
use hopline::loads::{Summary, evaluate};
use hopline::routing::Routing;

/// A k-ary n-cube on which messages are counted.
pub(super) struct Cube {
    routing: Box<dyn Routing>,
    places: Vec<VertexId>,
}

impl Cube {
    pub(super) fn new(k: u32, n: usize) -> Result<Cube> {
        let routing = Machine::new(&format!("kncube:k={k},n={n}"))?.routing("dor:tie=plus")?;
        let places = (0..routing.fabric().endpoints()).map(VertexId).collect();
        Ok(Cube { routing, places })
    }

    /// T_0, T_1, ... where node x sends to `table[x]`, or receives from it.
    pub(super) fn contention(&self, table: &[u32], scatter: bool) -> Result<Vec<f64>> {
        self.counted(&demand(table, scatter)?, &self.places)
    }

    /// T_0, T_1, ... where task x of a demand sits on node `at[x]`.
    pub(super) fn contention_at(&self, demand: &Demand, at: &[u32]) -> Result<Vec<f64>> {
        self.counted(demand, &at.iter().copied().map(VertexId).collect::<Vec<_>>())
    }

    fn counted(&self, demand: &Demand, places: &[VertexId]) -> Result<Vec<f64>> {
        let loads = evaluate(demand, places, &*self.routing)?;
        let summary = Summary::new(demand, &loads, self.routing.fabric());
        Ok(summary.classes.iter().map(|c| c.max_load).collect())
    }
}

/// T_0, T_1, ... on a mesh of n dimensions and k nodes a side, dimension 0 first, where
/// node x sends to `table[x]`.
pub(super) fn walked(table: &[u32], k: u32, n: usize) -> Vec<f64> {
    // Messages over the link that leaves a node upwards, and over the one that comes back.
    let mut load = vec![[vec![0u32; table.len()], vec![0u32; table.len()]]; n];
    for (x, &y) in table.iter().enumerate() {
        let (mut at, mut stride) = (x as u32, 1);
        for links in &mut load {
            while at / stride % k != y / stride % k {
                let up = at / stride % k < y / stride % k;
                let low = if up { at } else { at - stride };
                links[usize::from(!up)][low as usize] += 1;
                at = if up { at + stride } else { low };
            }
            stride *= k;
        }
    }
    load.iter().map(|links| f64::from(links.iter().flatten().copied().max().unwrap_or(0))).collect()
}

/// Task x sends to `table[x]`, or receives from it.
pub(super) fn demand(table: &[u32], scatter: bool) -> Result<Demand> {
    let send = |(x, &y): (usize, &u32)| if scatter { (y, x as u32, 1.0) } else { (x as u32, y, 1.0) };
    Demand::new(table.len() as u32, Unit::Units, table.iter().enumerate().map(send).collect(), Vec::new())
}
