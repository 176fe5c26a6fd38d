//! Racks on a floor, and the length of cables between them.

use super::Prices;
use crate::fabric::{Fabric, metrics};
use crate::id::VertexId;

/// The rack of every vertex; racks stand in rows.
pub(super) struct Floor {
    rack: Vec<u32>,
    /// Racks of a row.
    row: u32,
    pitch: f64,
    slack: f64,
}

impl Floor {
    /// Endpoints in their order, then switches from the endpoints up: each in the middle of what is below it.
    /// O(vertices log vertices + links).
    pub(super) fn new(fabric: &Fabric, prices: &Prices) -> Floor {
        let endpoints = (0..fabric.endpoints()).map(VertexId);
        let level = metrics::hops_to_any(fabric, endpoints);
        let mut rack: Vec<u32> =
            (0..fabric.vertices()).map(|v| v.min(fabric.endpoints().max(1) - 1) / prices.rack).collect();
        let mut switches: Vec<VertexId> = (fabric.endpoints()..fabric.vertices()).map(VertexId).collect();
        switches.sort_by_key(|v| level[v.index()]);
        for v in switches {
            let below = fabric.out_links(v).map(|l| fabric.target(l)).filter(|to| level[to.index()] < level[v.index()]);
            let (sum, count) = below.fold((0u64, 0u64), |(sum, n), to| (sum + u64::from(rack[to.index()]), n + 1));
            if let Some(mean) = sum.checked_div(count) {
                rack[v.index()] = mean as u32;
            }
        }
        let racks = fabric.endpoints().div_ceil(prices.rack).max(1);
        let row = f64::from(racks).sqrt().ceil() as u32;
        Floor { rack, row, pitch: prices.pitch, slack: prices.slack }
    }

    /// The length of a cable between two vertices.
    pub(super) fn metres(&self, a: VertexId, b: VertexId) -> f64 {
        let [a, b] = [a, b].map(|v| self.rack[v.index()]);
        let steps = (a % self.row).abs_diff(b % self.row) + (a / self.row).abs_diff(b / self.row);
        self.slack + self.pitch * f64::from(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Torus;

    #[test]
    fn cables_follow_rows_and_columns() {
        let torus = Torus::new(&[4, 4]).and_then(|t| t.build()).expect("torus");
        let prices = Prices { rack: 2, ..Prices::default() };
        // Eight racks, three to a row: routers 0 and 1 in rack 0, 14 and 15 in rack 7, at (1, 2).
        let floor = Floor::new(&torus, &prices);
        assert_eq!(floor.metres(VertexId(0), VertexId(1)), 2.0);
        assert_eq!(floor.metres(VertexId(0), VertexId(15)), 2.0 + 3.0 * 1.2);
    }
}
