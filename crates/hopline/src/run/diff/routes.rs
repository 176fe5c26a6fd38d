//! Which ways between hosts have changed.

use crate::id::{LinkId, VertexId};
use crate::parallel;
use crate::plan::Network;
use crate::routing::{Path, Route, Routing};
use rustc_hash::FxHashMap;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// Ways between hosts that are in both machines.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct RouteChanges {
    /// Ordered pairs of endpoints that were looked at.
    pub pairs: u64,
    /// How many of them have another way now, or none any more.
    pub changed: u64,
    /// How many have none any more.
    pub lost: u64,
    /// The first few that changed.
    pub examples: Vec<(String, String)>,
    /// Whether only every so many sources were looked at, as there are too many pairs.
    pub sampled: bool,
}

/// The most pairs that are looked at.
const MOST: u64 = 2_000_000;
const EXAMPLES: usize = 5;

/// What one source finds: pairs, changed, lost, first targets.
type Row = (u64, u64, u64, Vec<VertexId>);

/// O(pairs * hops), on all threads.
pub(super) fn changes(old: &Network, new: &Network, same: &[Option<LinkId>]) -> RouteChanges {
    let ends = common(old, new, same);
    let every = ((ends.len() as u64).pow(2) / MOST + 1) as usize;
    let sources: Vec<_> = ends.iter().step_by(every).collect();
    let row = |i: usize| -> Row {
        let (mut row, mut ways) = ((0, 0, 0, Vec::new()), Ways::default());
        for (a, b) in ends.iter().filter(|(a, _)| *a != sources[i].0) {
            row.0 += 1;
            let before = ways.of(&*old.routing, sources[i].0, *a, |l| same[l.index()]);
            let now = ways.of(&*new.routing, sources[i].1, *b, Some);
            if before.is_some() && before != now {
                row.1 += 1;
                row.2 += u64::from(now.is_none());
                if row.3.len() < EXAMPLES {
                    row.3.push(*a);
                }
            }
        }
        row
    };
    let rows = parallel::map(sources.len(), row);
    let name = |v: VertexId| old.fabric.vertex_name(v).to_string();
    let examples = rows.iter().zip(&sources).flat_map(|(row, source)| row.3.iter().map(|&t| (name(source.0), name(t))));
    RouteChanges {
        pairs: rows.iter().map(|row| row.0).sum(),
        changed: rows.iter().map(|row| row.1).sum(),
        lost: rows.iter().map(|row| row.2).sum(),
        examples: examples.take(EXAMPLES).collect(),
        sampled: every > 1,
    }
}

/// Endpoints with hosts that both have, by GUID or name.
fn common(old: &Network, new: &Network, same: &[Option<LinkId>]) -> Vec<(VertexId, VertexId)> {
    let (old, new) = (&*old.fabric, &*new.fabric);
    let owned = |f: &crate::fabric::Fabric| -> Vec<VertexId> {
        (0..f.endpoints()).map(VertexId).filter(|&v| f.hosts().owner(v).is_some()).collect()
    };
    let by_name: FxHashMap<&str, VertexId> = owned(new).iter().map(|&v| (new.vertex_name(v), v)).collect();
    let partner = |v: VertexId| {
        let cable = old.out_links(v).find_map(|l| same[l.index()]).map(|l| new.source(l));
        cable.or_else(|| by_name.get(old.vertex_name(v)).copied())
    };
    owned(old).into_iter().filter_map(|v| Some((v, partner(v)?))).collect()
}

/// The links of a way in order, or where there are several ways, all of them sorted, with their shares in millionths; a
/// link that the other machine does not have is `None`.
type Way = Vec<(Option<LinkId>, u64)>;

#[derive(Default)]
struct Ways {
    path: Path,
    route: Route,
}

impl Ways {
    fn of(
        &mut self,
        routing: &dyn Routing,
        from: VertexId,
        to: VertexId,
        known: impl Fn(LinkId) -> Option<LinkId>,
    ) -> Option<Way> {
        if routing.choices(from, to).ok()? == 1 {
            routing.path(from, to, 0, &mut self.path).ok()?;
            return Some(self.path.links.iter().map(|&l| (known(l), 1_000_000)).collect());
        }
        routing.route(from, to, &mut self.route).ok()?;
        let share = |share: f64| (share * 1e6).round() as u64;
        let mut way: Way = self.route.iter().map(|&(l, part)| (known(l), share(part))).collect();
        way.sort_unstable();
        Some(way)
    }
}
