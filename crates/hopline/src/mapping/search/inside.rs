//! What rearranging tasks inside parts can change, found from routes alone.

use super::moves::Parts;
use super::task_graph::TaskGraph;
use super::ways::Ways;
use crate::id::VertexId;
use crate::mapping::Problem;
use rustc_hash::{FxHashMap, FxHashSet};

/// What [`inside`] finds.
pub(in crate::mapping) struct Inside {
    /// No rearrangement inside the parts makes the busiest link less busy than
    /// this (seconds per unit).
    ///
    /// Proof: let traffic A go from part p to part q. Wherever its tasks sit in
    /// their parts, each unit keeps link l busy for at least the least that any
    /// route from an endpoint of p to one of q keeps it busy. So l is busy for at
    /// least the sum of A times that, over all p and q; and the busiest link is
    /// at least as busy as l.
    pub(in crate::mapping) floor: f64,
    /// Where moves inside different parts never change the same link: the links
    /// that those inside each part can change, ascending.
    pub(in crate::mapping) links: Option<Vec<Vec<u32>>>,
}

/// More routes are not looked at.
const MOST_ROUTES: usize = 1 << 22;
const NOBODY: u32 = u32::MAX;

/// Looks at the routes between all endpoints of all pairs of parts that talk:
/// O(pairs of parts * endpoints of a part^2 * links of a route). `None` where
/// they are more than 2^22, or one is missing.
pub(in crate::mapping) fn inside(
    problem: &Problem<'_>,
    graph: &TaskGraph,
    places: &[u32],
    parts: &Parts,
) -> Option<Inside> {
    look(problem, graph, places, parts, true)
}

/// The [`Inside::floor`] alone, in less time.
pub(in crate::mapping) fn floor(
    problem: &Problem<'_>,
    graph: &TaskGraph,
    places: &[u32],
    parts: &Parts,
) -> Option<f64> {
    look(problem, graph, places, parts, false).map(|inside| inside.floor)
}

/// Whether parts have links of their `own` is found only where it is asked for.
fn look(problem: &Problem<'_>, graph: &TaskGraph, places: &[u32], parts: &Parts, own: bool) -> Option<Inside> {
    let hosts = problem.fabric().hosts();
    let ends: Vec<Vec<VertexId>> = parts
        .places()
        .iter()
        .map(|places| {
            let mut ends: Vec<_> = places.iter().map(|&p| hosts.endpoint_of(problem.slots()[p as usize])).collect();
            ends.sort_unstable();
            ends.dedup();
            ends
        })
        .collect();
    let mut amounts: FxHashMap<(u32, u32), f64> = FxHashMap::default();
    for task in 0..graph.tasks() {
        for pair in graph.of(task).iter().filter(|p| p.out > 0.0) {
            let [from, to] = [task, pair.peer].map(|t| parts.of(places[t as usize]));
            *amounts.entry((from, to)).or_insert(0.0) += pair.out;
        }
    }
    let mut amounts: Vec<_> = amounts.into_iter().collect();
    amounts.sort_by_key(|a| a.0);
    let routes = amounts.iter().map(|((p, q), _)| ends[*p as usize].len() * ends[*q as usize].len());
    if routes.sum::<usize>() > MOST_ROUTES {
        return None;
    }
    let links = problem.fabric().links();
    let mut look = LinkOwners {
        ways: Ways::new(problem.routing()),
        owner: vec![NOBODY; links],
        own,
        least: vec![0.0; links],
        known: FxHashSet::default(),
        way: 0,
        busy: vec![(0, 0.0); links],
    };
    for &((p, q), amount) in &amounts {
        let (from, to) = (&ends[p as usize], &ends[q as usize]);
        match p == q {
            true if !look.own => {}
            true => look.within(p, from)?,
            false => look.between((p, from), (q, to), amount)?,
        }
    }
    let floor = look.least.iter().copied().fold(0.0, f64::max);
    let links = look.own.then(|| {
        let mut links = vec![Vec::new(); ends.len()];
        look.owner.iter().zip(0..).filter(|o| *o.0 != NOBODY).for_each(|(&p, l)| links[p as usize].push(l));
        links
    });
    Some(Inside { floor, links })
}

struct LinkOwners<'a> {
    ways: Ways<'a>,
    /// Per link: the part whose moves change it.
    owner: Vec<u32>,
    /// Whether no link has two.
    own: bool,
    /// Per link: what it has at least.
    least: Vec<f64>,
    /// Parts with two bundles that take turns in ways which moves inside them lead to.
    known: FxHashSet<(u32, u32, u32)>,
    /// The number of the way at hand, and per link the last way that takes it with its busy time there.
    way: u32,
    busy: Vec<(u32, f64)>,
}

/// Links with their busy time, ascending, no link twice.
type Hops = Vec<(u32, f64)>;

impl LinkOwners<'_> {
    /// Where tasks of part p may be anywhere in it, so may the links of their routes.
    fn within(&mut self, p: u32, ends: &[VertexId]) -> Option<()> {
        self.make_room();
        for &u in ends {
            for &v in ends {
                for bundle in self.bundles(u, v)? {
                    if self.known.insert((p, bundle, bundle)) {
                        self.hops(&[bundle]).iter().for_each(|&(link, _)| self.claim(link, p));
                    }
                }
            }
        }
        Some(())
    }

    fn between(&mut self, (p, from): (u32, &[VertexId]), (q, to): (u32, &[VertexId]), amount: f64) -> Option<()> {
        self.make_room();
        let first: Vec<Vec<u32>> = to.iter().map(|&x| self.bundles(from[0], x)).collect::<Option<_>>()?;
        let mut common = self.hops(&first[0]);
        for &u in from {
            if common.is_empty() && !self.own {
                break;
            }
            let mut at_first: Option<Vec<u32>> = None;
            for (&x, other) in to.iter().zip(&first) {
                let way = self.bundles(u, x)?;
                self.keep_common(&mut common, &way);
                if self.own {
                    // What depends on the source's place, and what on the target's.
                    self.claim_different(&way, other, p);
                    self.claim_different(&way, at_first.get_or_insert_with(|| way.clone()), q);
                }
            }
        }
        common.iter().for_each(|&(link, busy)| self.least[link as usize] += amount * busy);
        Some(())
    }

    /// Leaves those links that a way takes too, with the lesser busy time.
    fn keep_common(&mut self, common: &mut Hops, way: &[u32]) {
        if common.is_empty() {
            return;
        }
        self.way += 1;
        for hop in way.iter().flat_map(|&b| self.ways.hops(b)) {
            let (last, busy) = &mut self.busy[hop.link as usize];
            *busy = f64::from(hop.busy) + if *last == self.way { *busy } else { 0.0 };
            *last = self.way;
        }
        common.retain_mut(|(link, least)| {
            let (last, busy) = self.busy[*link as usize];
            *least = least.min(busy);
            last == self.way
        });
    }

    /// The bundles of the way between two endpoints, ascending.
    fn bundles(&mut self, from: VertexId, to: VertexId) -> Option<Vec<u32>> {
        let mut bundles = self.ways.find(from, to)?.to_vec();
        bundles.sort_unstable();
        Some(bundles)
    }

    /// The links of some bundles, merged.
    fn hops(&self, bundles: &[u32]) -> Hops {
        let hops = bundles.iter().flat_map(|&b| self.ways.hops(b));
        let mut hops: Hops = hops.map(|h| (h.link, f64::from(h.busy))).collect();
        hops.sort_by_key(|h| h.0);
        hops.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        hops
    }

    /// Bundles keep their numbers until room is made.
    fn make_room(&mut self) {
        if self.ways.make_room() {
            self.known.clear();
        }
    }

    /// Claims the links on which two ways differ. What both take cancels; where one bundle stands for another, as in
    /// most ways between two parts, it does so in many.
    fn claim_different(&mut self, a: &[u32], b: &[u32], part: u32) {
        let (left, right) = (without(a, b), without(b, a));
        if left.is_empty() && right.is_empty() {
            return;
        }
        if let ([x], [y]) = (&left[..], &right[..])
            && !self.known.insert((part, *x, *y))
        {
            return;
        }
        let (left, right) = (self.hops(&left), self.hops(&right));
        self.claim_unequal(&left, &right, part);
    }

    /// Claims the links that are not as busy in both.
    fn claim_unequal(&mut self, a: &Hops, b: &Hops, part: u32) {
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            let (x, y) = (a.get(i), b.get(j));
            let [left, right] = [x, y].map(|hop| hop.map_or(u32::MAX, |h| h.0));
            if x != y {
                self.claim(left.min(right), part);
            }
            i += usize::from(left <= right);
            j += usize::from(right <= left);
        }
    }

    fn claim(&mut self, link: u32, part: u32) {
        let owner = &mut self.owner[link as usize];
        if *owner == NOBODY {
            *owner = part;
        }
        self.own &= *owner == part;
    }
}

/// What stands in one ascending list more often than in the other.
fn without(list: &[u32], other: &[u32]) -> Vec<u32> {
    let mut other = other.iter().peekable();
    let mut stands_there = |bundle: &u32| {
        while other.next_if(|o| *o < bundle).is_some() {}
        other.next_if_eq(&bundle).is_some()
    };
    list.iter().copied().filter(|bundle| !stands_there(bundle)).collect()
}
