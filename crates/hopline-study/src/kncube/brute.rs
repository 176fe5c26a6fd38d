//! T_i by brute force: every message along its way, through the routing `dor`.

use crate::machine::Machine;
use hopline::demand::{Demand, Unit};
use hopline::error::Result;
use hopline::id::VertexId;
use hopline::loads::{Summary, evaluate};
use hopline::routing::Routing;

/// A k-ary n-cube, or a mesh, on which messages are counted.
pub(super) struct Cube {
    routing: Box<dyn Routing>,
    places: Vec<VertexId>,
}

impl Cube {
    pub(super) fn new(k: u32, n: usize) -> Result<Cube> {
        Cube::of(&format!("kncube:k={k},n={n}"), "dor:tie=plus")
    }

    /// n dimensions of k nodes without wraparound links.
    pub(super) fn mesh(k: u32, n: usize) -> Result<Cube> {
        Cube::of(&format!("mesh:dims={}", vec![k.to_string(); n].join("x")), "dor")
    }

    fn of(topology: &str, routing: &str) -> Result<Cube> {
        let routing = Machine::new(topology)?.routing(routing)?;
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

/// Task x sends to `table[x]`, or receives from it.
pub(super) fn demand(table: &[u32], scatter: bool) -> Result<Demand> {
    let send = |(x, &y): (usize, &u32)| if scatter { (y, x as u32, 1.0) } else { (x as u32, y, 1.0) };
    Demand::new(table.len() as u32, Unit::Units, table.iter().enumerate().map(send).collect(), Vec::new())
}
