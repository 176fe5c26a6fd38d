//! Cables that are dead, in small fabrics of every family: what every routing that finds its way makes of the rest, against searches written
//! here (`brute`), which share nothing with the library's. Loads are equal link by link, or the pairs that are named are those without a way.

mod brute;
#[path = "../common/mod.rs"]
mod common;
mod flits;
mod random;
mod replay;
mod singles;
mod tables;

use brute::{Live, Ways};
use common::root;
use hopline::demand::{Flow, Flows};
use hopline::fabric::Fabric;
use hopline::files::Disk;
use hopline::id::{LinkId, VertexId};
use hopline::params::Params;
use hopline::routing::{Path, Routing};
use hopline::topology::{self, Topology};
use std::sync::Arc;

/// What a routing does with pairs that a search can repeat.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rule {
    /// Shortest paths, ties spread evenly; on a Dragonfly over as few global links as can be.
    Shortest { few_global: bool },
    /// By way of every router with endpoints.
    Detours { few_global: bool },
    /// Up, then down.
    UpDown,
    /// One of the shortest paths.
    One,
}

/// Routings that find their way, with what they do; `minimal` and `valiant-any` mind global links on a Dragonfly.
const RULES: [(&str, Rule); 6] = [
    ("shortest", Rule::Shortest { few_global: false }),
    ("minimal", Rule::Shortest { few_global: true }),
    ("valiant-any", Rule::Detours { few_global: true }),
    ("up-down", Rule::UpDown),
    ("ecmp:seed=3", Rule::One),
    ("minhop", Rule::One),
];

/// A machine, whole.
struct Machine {
    spec: String,
    topology: Topology,
    whole: Arc<Fabric>,
}

impl Machine {
    fn new(spec: &str) -> Machine {
        let (topology, fabric) = common::fabric(spec);
        Machine { spec: spec.to_string(), topology, whole: Arc::new(fabric) }
    }

    fn routing(&self, routing: &str, fabric: &Arc<Fabric>) -> hopline::error::Result<Box<dyn Routing>> {
        let params: Params = routing.parse()?;
        hopline::routing::build(&params, &self.topology, fabric, &Disk)
    }

    /// Each cable by one of its links; what leads from a vertex to itself is none.
    fn cables(&self) -> Vec<LinkId> {
        let f = &self.whole;
        f.link_ids().filter(|&link| link < f.reverse(link)).collect()
    }

    /// Both directions of cables.
    fn links_of(&self, cables: &[LinkId]) -> Vec<LinkId> {
        cables.iter().flat_map(|&cable| [cable, self.whole.reverse(cable)]).collect()
    }
}

/// What a pair sends: different amounts, so that no two pairs can be taken for each other.
fn amount(s: usize, t: usize) -> f64 {
    1.0 + ((s * 7 + t * 3) % 11) as f64 / 4.0
}

/// All of two different endpoints.
fn pairs(ends: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..ends).flat_map(move |s| (0..ends).map(move |t| (s, t))).filter(|(s, t)| s != t)
}

/// What was compared.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    /// Loads of all links, equal.
    exact: u64,
    /// Paths looked at one by one, since no search can tell which of several is taken.
    walked: u64,
    /// Cases in which pairs had no way, and those were named.
    apart: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.exact += other.exact;
        self.walked += other.walked;
        self.apart += other.apart;
    }
}

/// Holds a routing of what is left against the search.
fn check(machine: &Machine, (routing, rule): (&str, Rule), dead: &[LinkId]) -> Tally {
    let names: Vec<String> = dead.iter().map(|&link| machine.whole.link_name(link)).collect();
    let what = format!("{} {routing} without {names:?}", machine.spec);
    let few_global = matches!(rule, Rule::Shortest { few_global: true } | Rule::Detours { few_global: true });
    let is_dragonfly = matches!(machine.topology, Topology::Dragonfly(_));
    let live = Live::new(&machine.whole, dead, few_global && is_dragonfly);
    let left = Arc::new(machine.whole.without(dead));
    let ends = live.endpoints;
    let joined: Vec<Vec<bool>> =
        (0..ends).map(|t| live.lengths_to(t, Ways::All).into_iter().map(|length| length.is_some()).collect()).collect();
    let apart: Vec<(usize, usize)> = pairs(ends).filter(|&(s, t)| !joined[t][s]).collect();
    let name = |v: usize| left.vertex_name(VertexId(v as u32)).to_string();
    let tells =
        |error: &str| apart.iter().any(|&(s, t)| error.contains(&format!("no way from {} to {}", name(s), name(t))));

    let own = match machine.routing(routing, &left) {
        Ok(own) => own,
        Err(error) => {
            // By way of routers that are not all joined there is no way at all.
            assert!(matches!(rule, Rule::Detours { .. }) && !apart.is_empty(), "{what}: {error}");
            let routers = error.to_string();
            let is_apart = (0..live.vertices).any(|a| {
                let to = live.lengths_to(a, Ways::All);
                (0..live.vertices)
                    .any(|b| to[b].is_none() && routers.contains(&format!("no way from {} to {}", name(b), name(a))))
            });
            assert!(is_apart, "{what}: {error}");
            return Tally { apart: 1, ..Tally::default() };
        }
    };
    let vertex = |v: usize| VertexId(v as u32);
    let mut path = Path::default();
    for (s, t) in pairs(ends) {
        // Tables are walked only where a path is asked for.
        let way = own.choices(vertex(s), vertex(t)).and_then(|_| own.path(vertex(s), vertex(t), 0, &mut path));
        match way {
            Ok(()) => assert!(joined[t][s], "{what}: a way from {} to {}", name(s), name(t)),
            Err(error) => {
                let named = error.to_string().contains(&format!("no way from {} to {}", name(s), name(t)));
                assert!(!joined[t][s] && named, "{what}: {error}");
            }
        }
    }

    let amounts: Vec<Vec<f64>> = (0..ends)
        .map(|s| (0..ends).map(|t| if s != t && joined[t][s] { amount(s, t) } else { 0.0 }).collect())
        .collect();
    let flow = |s: usize, t: usize, amount: f64| Flow { source: vertex(s), target: vertex(t), amount };
    let flows = |all: bool| {
        let sent = pairs(ends).map(|(s, t)| flow(s, t, if all { 1.0 } else { amounts[s][t] }));
        Flows { entries: sent.filter(|flow| flow.amount > 0.0).collect(), ..Flows::default() }
    };
    let mut tally = Tally::default();
    if !apart.is_empty() {
        let error = own.load(&flows(true), &mut vec![0.0; left.links()]).expect_err(&what).to_string();
        assert!(tells(&error), "{what}: {error}");
        tally.apart = 1;
    }
    let mut loads = vec![0.0; left.links()];
    own.load(&flows(false), &mut loads).unwrap_or_else(|e| panic!("{what}: {e}"));
    match expected(&live, rule, &amounts) {
        Some(expected) => {
            let expected = live.by_port(&expected);
            assert_eq!(expected.len(), loads.len(), "{what}: links that live");
            for link in left.link_ids() {
                let (is, should) = (loads[link.index()], expected[&(left.source(link).index(), left.port(link))]);
                assert!(
                    (is - should).abs() < 1e-9 * (1.0 + should),
                    "{what}: {} carries {is}, not {should}",
                    left.link_name(link)
                );
            }
            tally.exact += 1;
        }
        None => {
            walk(&live, &left, &*own, rule, &amounts, &loads, &what);
            tally.walked += 1;
        }
    }
    tally
}

/// Loads as the search has them; none where it cannot tell which of several paths is taken.
fn expected(live: &Live, rule: Rule, amounts: &[Vec<f64>]) -> Option<Vec<f64>> {
    let mut loads = vec![0.0; live.wires.len()];
    let ranks = if rule == Rule::UpDown { Some(live.ranks()?) } else { None };
    let ways = ranks.as_ref().map_or(Ways::All, Ways::UpDown);
    match rule {
        Rule::One => return None,
        Rule::Detours { .. } => live.detours(amounts, &mut loads)?,
        Rule::Shortest { .. } | Rule::UpDown => {
            for target in 0..live.endpoints {
                let mut to: Vec<f64> = amounts.iter().map(|row| row[target]).collect();
                to.resize(live.vertices, 0.0);
                live.spread(&to, target, ways, &mut loads);
            }
        }
    }
    Some(loads)
}

/// Paths one by one: links that live, one after the other, to where they should lead, none longer than the rule allows; and loads are their
/// sum.
fn walk(live: &Live, left: &Fabric, own: &dyn Routing, rule: Rule, amounts: &[Vec<f64>], loads: &[f64], what: &str) {
    let mut sums = vec![0.0; left.links()];
    let lives: std::collections::BTreeSet<(usize, u16)> =
        live.wires.iter().map(|wire| (wire.from, wire.port)).collect();
    let mut path = Path::default();
    let lengths: Vec<_> = (0..live.endpoints).map(|t| live.lengths_to(t, Ways::All)).collect();
    for (s, t) in pairs(live.endpoints).filter(|&(s, t)| amounts[s][t] > 0.0) {
        let [source, target] = [s, t].map(|v| VertexId(v as u32));
        let choices = own.choices(source, target).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert!(rule != Rule::One || choices == 1, "{what}: {choices} ways");
        let mut shares = 0.0;
        for choice in 0..choices {
            own.path(source, target, choice, &mut path).unwrap_or_else(|e| panic!("{what}: {e}"));
            let mut at = s;
            for &link in &path.links {
                let from = left.source(link).index();
                assert!(from == at && lives.contains(&(from, left.port(link))), "{what}: {}", left.link_name(link));
                at = left.target(link).index();
                sums[link.index()] += amounts[s][t] * path.share;
            }
            assert_eq!(at, t, "{what}");
            let is_shortest = Some(path.links.len() as u64) == lengths[t][s];
            assert!(rule != Rule::One || is_shortest, "{what}: {} links, not {:?}", path.links.len(), lengths[t][s]);
            shares += path.share;
        }
        assert!((shares - 1.0).abs() < 1e-9, "{what}: shares come to {shares}");
    }
    for link in left.link_ids() {
        let (is, should) = (loads[link.index()], sums[link.index()]);
        assert!(
            (is - should).abs() < 1e-9 * (1.0 + should),
            "{what}: {} carries {is}, not {should}",
            left.link_name(link)
        );
    }
}
