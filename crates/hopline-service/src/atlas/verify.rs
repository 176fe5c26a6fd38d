//! Does every host reach every other?

use super::{Atlas, Column};

/// What a walk of all pairs of endpoints with hosts found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// Ordered pairs of endpoints.
    pub pairs: u64,
    /// Those that do not arrive over some LID of the target.
    pub broken: u64,
    /// The first few of them: source, target, LID.
    pub examples: Vec<(u32, u32, u16)>,
}

impl Atlas {
    /// Follows every LID of every endpoint with a host from every leaf switch;
    /// all endpoints of a leaf share their way. O(LIDs * switches).
    pub fn verify(&self) -> Verdict {
        let mut ends: Vec<(Option<u32>, u32)> =
            (0..self.endpoints()).filter(|&v| self.host_of(v).is_some()).map(|v| (self.leaf(v), v)).collect();
        ends.sort_unstable();
        // Endpoints without a leaf are cabled to each other or to nothing: each is on its own.
        let groups: Vec<&[(Option<u32>, u32)]> = ends.chunk_by(|a, b| a.0 == b.0 && a.0.is_some()).collect();
        let (mut verdict, mut column) = (Verdict::default(), Column::new(self));
        for &(_, target) in &ends {
            let vertex = &self.vertices()[target as usize];
            let mut lost: Vec<Option<u16>> = vec![None; groups.len()];
            for lid in vertex.lid..vertex.lid.saturating_add(vertex.lids.max(1)) {
                column.clear();
                for (group, lost) in groups.iter().zip(&mut lost) {
                    let source = group.iter().find(|s| s.1 != target);
                    if source.is_some_and(|s| column.reach(self, s.1, target, lid).is_none()) {
                        lost.get_or_insert(lid);
                    }
                }
            }
            for (group, lost) in groups.iter().zip(lost) {
                let sources = group.iter().filter(|s| s.1 != target).count() as u64;
                verdict.pairs += sources;
                let Some(lid) = lost else { continue };
                verdict.broken += sources;
                if verdict.examples.len() < 3
                    && let Some(source) = group.iter().find(|s| s.1 != target)
                {
                    verdict.examples.push((source.1, target, lid));
                }
            }
        }
        verdict
    }
}
