//! Measurements of our own with a known fault, by the model of the notes: a pair alone gets 0.92 of the slowest link on its way,
//! with lognormal noise, 0.3 % strays and 2 % of the numbers missing.
#![allow(dead_code, unreachable_pub, reason = "each crate that shares it uses a part")]

use hopline::fabric::Fabric;
use hopline::id::{LinkId, VertexId};
use hopline::plan::Network;
use hopline::rng::Rng;
use hopline::routing::Route;
use hopline::scenario::Scenario;
use hopline_blame::{BlameOutcome, PlanOptions, Suspect, blame, plan};

/// Rounds of disjoint pairs, both directions of each.
pub type Rounds = Vec<Vec<(String, String)>>;

pub fn network(spec: &str) -> Network {
    network_by(spec, "")
}

/// The same under a routing.
pub fn network_by(spec: &str, routing: &str) -> Network {
    let spec = match spec.strip_prefix("project:") {
        Some(path) => format!("file:{}/../../{path}", env!("CARGO_MANIFEST_DIR")),
        None => spec.to_string(),
    };
    let mut scenario = Scenario::default().topology(&spec).expect("a topology");
    if !routing.is_empty() {
        scenario = scenario.routing(routing).expect("a routing");
    }
    Network::new(&scenario, &hopline::files::Disk).expect("a network")
}

pub fn rounds(network: &Network, crossings: u32) -> Rounds {
    let options = PlanOptions { hosts: vec![], crossings, stop: 1.0, rounds: 60, seed: 1 };
    plan(network, &options).expect("a plan").rounds
}

pub fn capacity(fabric: &Fabric, link: LinkId) -> f64 {
    fabric.class_of(link).bandwidth.map_or(f64::INFINITY, |b| b.as_gb_s())
}

/// A pair's route, by names.
pub fn way(network: &Network, from: &str, to: &str) -> Route {
    let mut route = Route::new();
    let [from, to] = [from, to].map(|name| network.fabric.find(name).expect("a host"));
    network.routing.route(from, to, &mut route).expect("a way");
    route
}

/// GB/s of a way where link l has `factor[l]` of its rate.
pub fn alone(fabric: &Fabric, route: &Route, factor: &[f64]) -> f64 {
    let rate = |(l, share): &(LinkId, f64)| capacity(fabric, *l) * factor[l.index()] / share;
    route.iter().map(rate).fold(f64::INFINITY, f64::min)
}

pub fn gauss(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.unit()).ln()).sqrt() * (std::f64::consts::TAU * rng.unit()).cos()
}

/// GB/s of every pair of contention-free rounds, as our CSV.
pub fn measure(network: &Network, rounds: &Rounds, factor: &[f64], noise: f64, rng: &mut Rng) -> String {
    let mut text = "src,dst,gbytes_per_s,round\n".to_string();
    for (n, (a, b)) in
        (0..).zip(rounds).flat_map(|(n, r): (u32, _)| r.iter().flat_map(move |(a, b)| [(n, (a, b)), (n, (b, a))]))
    {
        let alone = alone(&network.fabric, &way(network, a, b), factor);
        let stray = if rng.unit() < 0.003 { 0.3 + 0.6 * rng.unit() } else { 1.0 };
        let value = 0.92 * alone * stray * (noise * gauss(rng)).exp();
        let told = if rng.unit() < 0.02 { String::new() } else { format!("{value:.4}") };
        text += &format!("{a},{b},{told},{n}\n");
    }
    text
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Broken {
    Nothing,
    Link(f64),
    Cable(f64),
    Host(f64),
    Switch(f64),
    Two(f64, f64),
}

/// All kinds of the notes' table.
pub const FAULTS: [Broken; 8] = [
    Broken::Nothing,
    Broken::Link(0.5),
    Broken::Link(0.75),
    Broken::Link(0.9),
    Broken::Cable(0.25),
    Broken::Host(0.7),
    Broken::Switch(0.7),
    Broken::Two(0.5, 0.6),
];

/// Links that pairs of rounds cross.
pub fn used(network: &Network, rounds: &Rounds) -> Vec<LinkId> {
    let mut used = vec![false; network.fabric.links()];
    for (a, b) in rounds.iter().flatten().flat_map(|(a, b)| [(a, b), (b, a)]) {
        way(network, a, b).iter().for_each(|(l, _)| used[l.index()] = true);
    }
    network.fabric.link_ids().filter(|l| used[l.index()]).collect()
}

/// Slows parts down; the links of each.
pub fn break_one(
    fabric: &Fabric,
    used: &[LinkId],
    broken: Broken,
    factor: &mut [f64],
    rng: &mut Rng,
) -> Vec<Vec<LinkId>> {
    let inner: Vec<LinkId> = used.iter().copied().filter(|l| !fabric.is_host_link(*l)).collect();
    let mut any = || inner[rng.below(inner.len() as u64) as usize];
    let mut slow = |links: Vec<LinkId>, f: f64| {
        links.iter().for_each(|l| factor[l.index()] *= f);
        links
    };
    let cable = |l: LinkId| vec![l, fabric.reverse(l)];
    match broken {
        Broken::Nothing => vec![],
        Broken::Link(f) => vec![slow(vec![any()], f)],
        Broken::Cable(f) => vec![slow(cable(any()), f)],
        Broken::Two(f, g) => vec![slow(vec![any()], f), slow(vec![any()], g)],
        Broken::Host(f) => {
            let host = VertexId(rng.below(u64::from(fabric.endpoints())) as u32);
            vec![slow(cable(fabric.adapter_link(host).expect("an adapter")), f)]
        }
        Broken::Switch(f) => {
            let v = fabric.target(any());
            vec![slow(fabric.out_links(v).map(|l| fabric.reverse(l)).collect(), f)]
        }
    }
}

/// Whether a suspect is the broken part as a whole: all its links, and a switch only where it is called one.
pub fn is_it(suspect: &Suspect, fabric: &Fabric, part: &[LinkId]) -> bool {
    let has = |l: &LinkId| {
        suspect.links.iter().any(|s| s.from == fabric.vertex_name(fabric.source(*l)) && s.from_port == fabric.port(*l))
    };
    let switch = part.len() > 2;
    (suspect.kind == "switch") == switch && part.iter().all(has)
}

/// A network with rounds and what they cross.
pub struct Bench {
    pub network: Network,
    pub rounds: Rounds,
    pub used: Vec<LinkId>,
}

impl Bench {
    pub fn new(spec: &str, crossings: u32) -> Bench {
        let network = network(spec);
        let rounds = rounds(&network, crossings);
        let used = used(&network, &rounds);
        Bench { network, rounds, used }
    }
}

/// What is broken, and the answer.
pub struct Trial {
    /// Links of each broken part.
    pub truth: Vec<Vec<LinkId>>,
    pub answer: BlameOutcome,
    /// Rounds and pairs that were measured after the first plan.
    pub more: (usize, usize),
}

impl Trial {
    /// By the notes' rule: the truth inside the first set that is reported; of two faults both, inside any; where nothing is
    /// broken, nobody blamed.
    pub fn is_right(&self, fabric: &Fabric) -> bool {
        let among = |first: bool, part: &[LinkId]| {
            self.answer.suspects.iter().any(|s| (!first || s.fault == 1) && is_it(s, fabric, part))
        };
        match &self.truth[..] {
            [] => !self.is_blamed(),
            [part] => among(true, part),
            parts => parts.iter().all(|part| among(false, part)),
        }
    }

    /// Whether the truth is blamed, and not a suspicion only.
    pub fn is_named(&self, fabric: &Fabric) -> bool {
        self.is_blamed() && self.is_right(fabric)
    }

    pub fn is_blamed(&self) -> bool {
        matches!(self.answer.verdict.kind.as_str(), "blame" | "ambiguous")
    }

    /// How many parts the first set has.
    pub fn set(&self) -> usize {
        self.answer.suspects.iter().filter(|s| s.fault == 1).count()
    }
}

/// Breaks something, measures the rounds, asks, and measures what the answer asks for up to `follow` times.
pub fn trial(bench: &Bench, broken: Broken, noise: f64, seed: u64, follow: usize) -> Trial {
    let Bench { network, rounds, used } = bench;
    let mut rng = Rng::new(seed, &format!("{broken:?} {noise}"));
    let mut factor = vec![1.0; network.fabric.links()];
    let truth = break_one(&network.fabric, used, broken, &mut factor, &mut rng);
    let mut files = vec![("pairs.csv".to_string(), measure(network, rounds, &factor, noise, &mut rng))];
    let mut answer = blame(network, &files).expect("an answer");
    let mut more = (0, 0);
    for n in 0..follow {
        if answer.next.is_empty() {
            break;
        }
        more = (more.0 + answer.next.len(), more.1 + answer.next.iter().map(Vec::len).sum::<usize>());
        let text = measure(network, &answer.next, &factor, noise, &mut rng);
        files.push((format!("more{n}.csv"), text));
        answer = blame(network, &files).expect("an answer");
    }
    Trial { truth, answer, more }
}

/// GB/s of flows that run together, by filling the fullest link first.
pub fn together(network: &Network, pairs: &[(String, String)], factor: &[f64]) -> Vec<f64> {
    let fabric = &network.fabric;
    let ways: Vec<Route> = pairs.iter().map(|(a, b)| way(network, a, b)).collect();
    let mut left: Vec<f64> = fabric.link_ids().map(|l| capacity(fabric, l) * factor[l.index()]).collect();
    let mut rates: Vec<Option<f64>> = vec![None; pairs.len()];
    loop {
        let mut open = vec![0.0; left.len()];
        for (way, _) in ways.iter().zip(&rates).filter(|(_, rate)| rate.is_none()) {
            way.iter().for_each(|(l, share)| open[l.index()] += share);
        }
        let level = |l: &LinkId| left[l.index()] / open[l.index()];
        let used = fabric.link_ids().filter(|l| open[l.index()] > 1e-12);
        let Some(full) = used.min_by(|a, b| level(a).total_cmp(&level(b))) else { break };
        let rate = level(&full);
        for (way, own) in ways.iter().zip(&mut rates) {
            if own.is_none() && way.iter().any(|(l, _)| *l == full) {
                *own = Some(rate);
                way.iter().for_each(|(l, share)| left[l.index()] -= rate * share);
            }
        }
    }
    rates.into_iter().map(|rate| rate.unwrap_or(f64::INFINITY)).collect()
}
