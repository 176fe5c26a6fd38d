//! T_i by brute force: every message along its way, through the routing `dor`.

use crate::demand::{Demand, Unit};
use crate::error::Result;
use crate::id::VertexId;
use crate::loads::{Summary, evaluate};
use crate::routing::Routing;
use crate::study::machine::Machine;

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
        let demand = demand(table, scatter)?;
        let loads = evaluate(&demand, &self.places, &*self.routing)?;
        let summary = Summary::new(&demand, &loads, self.routing.fabric());
        Ok(summary.classes.iter().map(|c| c.max_load).collect())
    }
}

/// Task x sends to `table[x]`, or receives from it.
pub(super) fn demand(table: &[u32], scatter: bool) -> Result<Demand> {
    let send = |(x, &y): (usize, &u32)| if scatter { (y, x as u32, 1.0) } else { (x as u32, y, 1.0) };
    Demand::new(table.len() as u32, Unit::Units, table.iter().enumerate().map(send).collect(), Vec::new())
}
