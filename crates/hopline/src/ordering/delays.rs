//! Delay matrices: how far apart two places are.

use crate::error::Result;
use crate::id::VertexId;
use crate::replay::Places;
use crate::routing::{Path, Routing};

/// What separates each two of n places; smaller is closer. Between places of one endpoint it is 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Delays {
    /// Per place: its row, shared by places of one endpoint.
    row: Vec<u32>,
    rows: usize,
    cells: Vec<f64>,
}

impl Delays {
    pub(super) fn new(places: &Places, mut delay: impl FnMut(VertexId, VertexId) -> Result<f64>) -> Result<Delays> {
        let mut ends = places.endpoint.clone();
        ends.sort_unstable();
        ends.dedup();
        let at = |v: &VertexId| ends.partition_point(|e| e < v) as u32;
        let mut cells = Vec::with_capacity(ends.len() * ends.len());
        for &a in &ends {
            for &b in &ends {
                cells.push(if a == b { 0.0 } else { delay(a, b)? });
            }
        }
        Ok(Delays { row: places.endpoint.iter().map(at).collect(), rows: ends.len(), cells })
    }

    /// Links of the first path between each two places (section IV-B1). O(endpoints^2 * links of a path).
    ///
    /// # Errors
    /// Two places have no way between them.
    pub fn by_hops(places: &Places, routing: &dyn Routing) -> Result<Delays> {
        let mut path = Path::default();
        Delays::new(places, |a, b| {
            routing.path(a, b, 0, &mut path)?;
            Ok(path.links.len() as f64)
        })
    }

    /// The inverse of the rate of the slower end, in ns per byte (section IV-B2): the
    /// fastest link that leaves an endpoint, unlimited where one has no limit.
    ///
    /// # Errors
    /// Never.
    pub fn by_speed(places: &Places, routing: &dyn Routing) -> Result<Delays> {
        let fabric = routing.fabric();
        let slowness = |v: VertexId| {
            let rates = fabric.out_links(v).map(|l| {
                let class = fabric.class_of(l);
                class.bandwidth.map_or(0.0, |b| 1.0 / b.as_gb_s())
            });
            rates.fold(f64::INFINITY, f64::min)
        };
        Delays::new(places, |a, b| Ok(slowness(a).max(slowness(b))))
    }

    /// Number of places.
    pub fn places(&self) -> u32 {
        self.row.len() as u32
    }

    /// The delay between two places.
    pub fn between(&self, a: u32, b: u32) -> f64 {
        self.cells[self.row[a as usize] as usize * self.rows + self.row[b as usize] as usize]
    }
}
