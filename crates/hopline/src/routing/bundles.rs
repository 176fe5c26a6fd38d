//! Routes as sums of few bundles: what a search needs to follow a move in
//! less time than it takes to write its routes down.

use super::Route;
use crate::id::VertexId;

/// A routing whose routes are sums of *bundles*: sets of links that many pairs
/// of endpoints load in the same proportions, such as all first hops from one
/// router, or all paths between two groups. Loads are linear in what goes over
/// each bundle, and a move changes few of these sums: the paths need not be
/// named one by one.
pub trait Bundles: Send + Sync {
    /// Number of bundles.
    fn count(&self) -> u32;

    /// Writes the bundles that one unit from `source` to `target` goes over;
    /// none where both are one vertex.
    fn of(&self, source: VertexId, target: VertexId, bundles: &mut Vec<u32>);

    /// Writes the links of a bundle with the share of one unit that each takes; negative where it takes off what other
    /// bundles of the same routes add, such as a detour that they do not make.
    fn links(&self, bundle: u32, route: &mut Route);
}

/// Consecutive numbers for tables of bundles.
#[derive(Default)]
pub(super) struct Numbers(u32);

impl Numbers {
    /// The first number of a table of `size` bundles.
    pub(super) fn table(&mut self, size: u32) -> u32 {
        let first = self.0;
        self.0 += size;
        first
    }

    /// Bundles of all tables so far.
    pub(super) fn count(&self) -> u32 {
        self.0
    }
}
