//! Hosts of a list by the switch on which they hang, and how far the switches are apart.

use super::{Desk, Failure};
use crate::names::End;

/// Leaves in the order of their first member.
pub(super) struct Leaves {
    /// Switch of each leaf; the endpoint itself where it hangs on none.
    pub(super) switch: Vec<u32>,
    /// Per leaf: its ends.
    pub(super) members: Vec<Vec<End>>,
    /// Hops there and back between the first members of two leaves, row by row.
    distance: Vec<u32>,
}

/// Farther than any way.
const FAR: u32 = 1 << 17;

impl Leaves {
    /// O(ends log ends + leaves * (leaves + switches)).
    pub(super) fn new(desk: &mut Desk<'_>, ends: &[End]) -> Result<Leaves, Failure> {
        let atlas = &desk.generation.atlas;
        let mut leaves = Leaves { switch: Vec::new(), members: Vec::new(), distance: Vec::new() };
        let mut at = rustc_hash::FxHashMap::default();
        for &end in ends {
            let switch = atlas.leaf(end.vertex).unwrap_or(end.vertex);
            let leaf = *at.entry(switch).or_insert_with(|| {
                leaves.switch.push(switch);
                leaves.members.push(Vec::new());
                leaves.members.len() - 1
            });
            leaves.members[leaf].push(end);
        }
        let (n, most) = (leaves.members.len(), desk.limits.matrix);
        if n > most {
            return Err(Failure::wrong(format!("hosts on {n} leaves, at most {most} are allowed")));
        }
        leaves.distance = vec![0; n * n];
        for (column, target) in leaves.members.iter().map(|m| m[0]).enumerate() {
            desk.column.clear();
            for (row, source) in leaves.members.iter().map(|m| m[0]).enumerate() {
                let reach = desk.column.reach(atlas, source.vertex, target.vertex, target.lid);
                let hops = reach.map_or(FAR, |r| u32::from(r.hops));
                leaves.distance[row * n + column] += hops;
                leaves.distance[column * n + row] += hops;
            }
        }
        Ok(leaves)
    }

    /// Number of leaves.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Hops there and back.
    #[inline]
    pub(super) fn distance(&self, a: usize, b: usize) -> u32 {
        self.distance[a * self.len() + b]
    }

    /// All distances, each once, ascending. O(leaves^2) for few different ones.
    pub(super) fn distances(&self) -> Vec<u32> {
        let mut all: Vec<u32> = Vec::new();
        for d in &self.distance {
            if let Err(at) = all.binary_search(d) {
                all.insert(at, *d);
            }
        }
        all
    }

    /// Number of members.
    pub(super) fn size(&self, leaf: usize) -> u32 {
        self.members[leaf].len() as u32
    }
}
