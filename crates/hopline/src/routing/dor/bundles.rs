//! Dimension-order routes as sums of bundles: one for the way along a dimension
//! from a vertex to a coordinate.

use super::Dor;
use crate::id::VertexId;
use crate::routing::{Bundles, Route};

/// Larger tori have too many bundles to keep.
const MOST_HOPS: u64 = 1 << 24;

impl Dor {
    /// Number of bundles of the dimensions below `d`.
    fn below(&self, d: usize) -> u32 {
        self.torus.endpoints() * self.torus.dims[..d].iter().sum::<u32>()
    }

    /// Whether all bundles with their links fit into memory.
    pub(super) fn has_bundles(&self) -> bool {
        let hops: u64 = self.torus.dims.iter().map(|&k| u64::from(k) * u64::from(k)).sum();
        u64::from(self.torus.endpoints()) * hops <= MOST_HOPS
    }
}

impl Bundles for Dor {
    fn count(&self) -> u32 {
        self.below(self.torus.dims.len())
    }

    fn of(&self, source: VertexId, target: VertexId, bundles: &mut Vec<u32>) {
        bundles.clear();
        let (mut at, mut first, mut stride) = (source.0, 0, 1);
        for &k in &self.torus.dims {
            let (x, y) = (source.0 / stride % k, target.0 / stride % k);
            if x != y {
                bundles.push(first + at * k + y);
                at = at - x * stride + y * stride;
            }
            first += self.torus.endpoints() * k;
            stride *= k;
        }
    }

    fn links(&self, bundle: u32, route: &mut Route) {
        route.clear();
        let dims = &self.torus.dims;
        let d = (1..dims.len()).take_while(|&d| self.below(d) <= bundle).count();
        let (at, y) = ((bundle - self.below(d)) / dims[d], (bundle - self.below(d)) % dims[d]);
        let x = self.torus.coordinate(at, d);
        for (way, share) in self.ways(dims[d], x, y).into_iter().filter(|w| w.1 > 0.0) {
            let mut next = x;
            for _ in 0..way.hops {
                let from = at - x * self.torus.stride(d) + next * self.torus.stride(d);
                route.push((self.torus.link(&self.fabric, from, d, way.is_up), share));
                next = if way.is_up { (next + 1) % dims[d] } else { (next + dims[d] - 1) % dims[d] };
            }
        }
    }
}
