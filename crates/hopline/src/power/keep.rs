//! Which cables stay on: those that a job uses, and as many more as keep the
//! machine in one piece.

use super::{bisection, cables};
use crate::demand::{Demand, Flow, Flows};
use crate::error::Result;
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use crate::routing::{Route, Routing};
use crate::sets::DisjointSets;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// What must stay on beside the cables that are used.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct Keep {
    /// Everything that cables join stays joined.
    pub connected: bool,
    /// And stays so when any one cable that is on fails, unless the whole machine would not.
    pub spare: bool,
    /// Share of the bandwidth between the first half of the endpoints and the second that is kept.
    pub bisection: f64,
}

/// Which links are on, by [`LinkId`]; both directions of a cable alike. Links that are no cables are always on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lit(Vec<bool>);

impl Lit {
    /// Whether a link is on.
    pub fn is_on(&self, link: LinkId) -> bool {
        self.0[link.index()]
    }

    pub(super) fn set(&mut self, fabric: &Fabric, link: LinkId, on: bool) {
        self.0[link.index()] = on;
        self.0[fabric.reverse(link).index()] = on;
    }

    /// The cables that are off, the direction with the lower number of each.
    pub fn dark<'a>(&'a self, fabric: &'a Fabric) -> impl Iterator<Item = LinkId> + 'a {
        cables(fabric).filter(|&l| !self.is_on(l))
    }

    /// Counts switches that have cables.
    pub fn switches(&self, fabric: &Fabric) -> SwitchCount {
        let mut on = vec![None; fabric.vertices() as usize];
        for l in cables(fabric) {
            for v in [fabric.source(l), fabric.target(l)] {
                *on[v.index()].get_or_insert(false) |= self.is_on(l);
            }
        }
        let switches = &on[fabric.endpoints() as usize..];
        let count = |dark: &dyn Fn(&Option<bool>) -> bool| switches.iter().filter(|s| dark(s)).count() as u32;
        SwitchCount { cabled: count(&|s| s.is_some()), dark: count(&|s| *s == Some(false)) }
    }
}

/// Switches that have cables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchCount {
    /// How many there are.
    pub cabled: u32,
    /// How many of them are off with all of theirs.
    pub dark: u32,
}

/// The cables that stay on under a load: both directions of every one that
/// carries anything, and what `keep` asks for. O(links log links), and for a
/// bisection O(links) for each of its paths.
pub fn light(fabric: &Fabric, load: &[f64], keep: Keep) -> Lit {
    let mut lit = Lit(vec![true; fabric.links()]);
    for l in cables(fabric) {
        lit.set(fabric, l, load[l.index()] > 0.0 || load[fabric.reverse(l).index()] > 0.0);
    }
    let used = lit.clone();
    if keep.bisection > 0.0 {
        bisection::keep(fabric, &mut lit, keep.bisection);
    }
    if keep.connected || keep.spare {
        let order = by_need(fabric, &lit);
        connect(fabric, &mut lit, &order);
        if keep.spare {
            add_spares(fabric, &mut lit, &order);
        }
        prune(fabric, &mut lit, &used);
    }
    lit
}

/// Dark cables, those first that wake no switch.
fn by_need(fabric: &Fabric, lit: &Lit) -> Vec<LinkId> {
    let mut awake = vec![false; fabric.vertices() as usize];
    awake[..fabric.endpoints() as usize].fill(true);
    for l in cables(fabric).filter(|&l| lit.is_on(l)) {
        awake[fabric.source(l).index()] = true;
        awake[fabric.target(l).index()] = true;
    }
    let mut dark: Vec<LinkId> = lit.dark(fabric).collect();
    let sleeps = |v: VertexId| u8::from(!awake[v.index()]);
    dark.sort_by_key(|&l| (sleeps(fabric.source(l)) + sleeps(fabric.target(l)), l));
    dark
}

/// Lights cables of `order` that join what is apart.
fn connect(fabric: &Fabric, lit: &mut Lit, order: &[LinkId]) {
    let mut sets = DisjointSets::new(fabric.vertices());
    for l in fabric.link_ids().filter(|&l| lit.is_on(l)) {
        sets.join(fabric.source(l).0, fabric.target(l).0);
    }
    for &l in order {
        if sets.join(fabric.source(l).0, fabric.target(l).0) {
            lit.set(fabric, l, true);
        }
    }
}

/// Lights cables of `order` until no cable is a bridge that need not be one. Each cable outside a
/// spanning forest makes the path between its ends safe, which is then one vertex.
fn add_spares(fabric: &Fabric, lit: &mut Lit, order: &[LinkId]) {
    let Forest { parent, depth } = forest(fabric, lit);
    let mut safe = DisjointSets::new(fabric.vertices());
    let mut close = |l: LinkId| {
        let (mut a, mut b) = (safe.find(fabric.source(l).0), safe.find(fabric.target(l).0));
        let apart = a != b;
        while a != b {
            if depth[a as usize] < depth[b as usize] {
                std::mem::swap(&mut a, &mut b);
            }
            // A set is named by its vertex next to the root, so its way up leaves the set.
            let up = safe.find(fabric.source(LinkId(parent[a as usize])).0);
            safe.unite(a, up);
            a = up;
        }
        apart
    };
    let tree = |l: LinkId| [l, fabric.reverse(l)].iter().any(|d| parent[fabric.target(*d).index()] == d.0);
    let lit_cables = fabric.link_ids().filter(|&l| l < fabric.reverse(l) && lit.is_on(l));
    lit_cables.filter(|&l| !tree(l)).for_each(|l| {
        close(l);
    });
    for &l in order {
        if !lit.is_on(l) && close(l) {
            lit.set(fabric, l, true);
        }
    }
}

/// No link leads to a root.
const ROOT: u32 = u32::MAX;

/// A spanning forest of what is on.
struct Forest {
    /// The link that leads to each vertex from its parent.
    parent: Vec<u32>,
    depth: Vec<u32>,
}

fn forest(fabric: &Fabric, lit: &Lit) -> Forest {
    let n = fabric.vertices() as usize;
    let (mut parent, mut depth) = (vec![ROOT; n], vec![ROOT; n]);
    for root in 0..n as u32 {
        if depth[root as usize] != ROOT {
            continue;
        }
        depth[root as usize] = 0;
        let mut stack = vec![root];
        while let Some(v) = stack.pop() {
            for l in fabric.out_links(VertexId(v)).filter(|&l| lit.is_on(l)) {
                let next = fabric.target(l);
                if depth[next.index()] == ROOT {
                    depth[next.index()] = depth[v as usize] + 1;
                    parent[next.index()] = l.0;
                    stack.push(next.0);
                }
            }
        }
    }
    Forest { parent, depth }
}

/// Puts switches out that one cable alone reaches, unless that cable is used, and those that then are.
fn prune(fabric: &Fabric, lit: &mut Lit, used: &Lit) {
    let on = |lit: &Lit, v: u32| {
        let mut links = fabric.out_links(VertexId(v)).filter(|&l| lit.is_on(l));
        (links.next(), links.next())
    };
    let mut look: Vec<u32> = (fabric.endpoints()..fabric.vertices()).collect();
    while let Some(v) = look.pop() {
        if let (Some(l), None) = on(lit, v)
            && !used.is_on(l)
        {
            lit.set(fabric, l, false);
            let next = fabric.target(l);
            if !fabric.is_endpoint(next) {
                look.push(next.0);
            }
        }
    }
}

/// A flow between two endpoints that crosses a dark link, and that link; `None` where all flows keep to what
/// is on. O(pairs of endpoints * links of a route).
///
/// # Errors
/// Two places have no way between them.
pub fn dark_on_routes(
    demand: &Demand,
    place: &[VertexId],
    routing: &dyn Routing,
    lit: &Lit,
) -> Result<Option<(Flow, LinkId)>> {
    let flows = Flows::new(demand, place, routing.fabric());
    let mut all = flows.entries;
    flows.blocks.iter().for_each(|b| b.each_pair(|flow| all.push(flow)));
    let mut route = Route::new();
    for flow in all {
        routing.route(flow.source, flow.target, &mut route)?;
        if let Some(&(link, _)) = route.iter().find(|(l, share)| *share > 0.0 && !lit.is_on(*l)) {
            return Ok(Some((flow, link)));
        }
    }
    Ok(None)
}
