//! Faults of our own on several fabrics: planned rounds, simulated rates with noise, and what is blamed for them.
#![allow(clippy::print_stderr, reason = "the table of a long run is printed")]

#[path = "../../hopline/tests/common/skip.rs"]
mod skip;

use hopline::fabric::Fabric;
use hopline::id::{LinkId, VertexId};
use hopline::plan::Network;
use hopline::rng::Rng;
use hopline::routing::Route;
use hopline::scenario::Scenario;
use hopline_blame::{BlameOutcome, PlanOptions, blame, plan};

type Rounds = Vec<Vec<(String, String)>>;

fn network(spec: &str) -> Network {
    let spec = match spec.strip_prefix("project:") {
        Some(path) => format!("file:{}/../../{path}", env!("CARGO_MANIFEST_DIR")),
        None => spec.to_string(),
    };
    let scenario = Scenario::default().topology(&spec).expect("a topology");
    Network::new(&scenario, &hopline::files::Disk).expect("a network")
}

fn rounds(network: &Network, crossings: u32) -> Rounds {
    let options = PlanOptions { hosts: vec![], crossings, stop: 1.0, rounds: 60, seed: 1 };
    plan(network, &options).expect("a plan").rounds
}

fn gauss(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.unit()).ln()).sqrt() * (std::f64::consts::TAU * rng.unit()).cos()
}

/// GB/s of every pair of contention-free rounds, as our CSV: 0.92 of the slowest link, noise, 0.3 % strays, 2 % missing.
fn measure(network: &Network, rounds: &Rounds, factor: &[f64], noise: f64, rng: &mut Rng) -> String {
    let f = &network.fabric;
    let mut text = "src,dst,gbytes_per_s,round\n".to_string();
    let mut route = Route::new();
    for (n, (a, b)) in
        (0..).zip(rounds).flat_map(|(n, r): (u32, _)| r.iter().flat_map(move |(a, b)| [(n, (a, b)), (n, (b, a))]))
    {
        let [from, to] = [a, b].map(|name| f.find(name).expect("a host"));
        network.routing.route(from, to, &mut route).expect("a way");
        let rate = |(l, share): &(LinkId, f64)| {
            f.class_of(*l).bandwidth.map_or(f64::INFINITY, |b| b.as_gb_s()) * factor[l.index()] / share
        };
        let alone = route.iter().map(rate).fold(f64::INFINITY, f64::min);
        let stray = if rng.unit() < 0.003 { 0.3 + 0.6 * rng.unit() } else { 1.0 };
        let value = 0.92 * alone * stray * (noise * gauss(rng)).exp();
        let told = if rng.unit() < 0.02 { String::new() } else { format!("{value:.4}") };
        text += &format!("{a},{b},{told},{n}\n");
    }
    text
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Broken {
    Nothing,
    Link(f64),
    Cable(f64),
    Host(f64),
    Switch(f64),
    Two(f64, f64),
}

/// Sets of links that must be named, each set by one of its members.
fn break_one(fabric: &Fabric, used: &[LinkId], broken: Broken, factor: &mut [f64], rng: &mut Rng) -> Vec<Vec<LinkId>> {
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

fn names(answer: &BlameOutcome, fabric: &Fabric, set: &[LinkId]) -> bool {
    let is = |l: LinkId, s: &hopline_blame::LinkEnds| {
        s.from == fabric.vertex_name(fabric.source(l)) && s.from_port == fabric.port(l)
    };
    answer.suspects.iter().any(|s| s.links.iter().any(|ends| set.iter().any(|l| is(*l, ends))))
}

/// Of `trials`: how often every fault was named (nothing, for nothing), and how often something was falsely blamed.
fn score(network: &Network, rounds: &Rounds, broken: Broken, noise: f64, trials: u64) -> f64 {
    let fabric = &*network.fabric;
    let mut route = Route::new();
    let mut used = vec![false; fabric.links()];
    for (a, b) in rounds.iter().flatten().flat_map(|(a, b)| [(a, b), (b, a)]) {
        let [from, to] = [a, b].map(|name| fabric.find(name).expect("a host"));
        network.routing.route(from, to, &mut route).expect("a way");
        route.iter().for_each(|(l, _)| used[l.index()] = true);
    }
    let used: Vec<LinkId> = fabric.link_ids().filter(|l| used[l.index()]).collect();
    let mut right = 0;
    for trial in 0..trials {
        let mut rng = Rng::new(trial, &format!("{broken:?} {noise}"));
        let mut factor = vec![1.0; fabric.links()];
        let truth = break_one(fabric, &used, broken, &mut factor, &mut rng);
        let text = measure(network, rounds, &factor, noise, &mut rng);
        let answer = blame(network, &[("pairs.csv".to_string(), text)]).expect("an answer");
        if truth.is_empty() && !answer.suspects.is_empty() {
            let s = &answer.suspects[0];
            eprintln!("trial {trial}: {} {} {:?} {:?}", answer.verdict.kind, s.name, s.rate, s.slow);
        }
        right += u64::from(match truth.is_empty() {
            true => !matches!(answer.verdict.kind.as_str(), "blame" | "ambiguous"),
            false => truth.iter().all(|set| names(&answer, fabric, set)),
        });
    }
    right as f64 / trials as f64
}

const FAULTS: [Broken; 8] = [
    Broken::Nothing,
    Broken::Link(0.5),
    Broken::Link(0.75),
    Broken::Link(0.9),
    Broken::Cable(0.25),
    Broken::Host(0.7),
    Broken::Switch(0.7),
    Broken::Two(0.5, 0.6),
];

#[test]
fn faults_are_found_and_health_is_believed() {
    let rack = network("project:testdata/fabrics/rack64");
    let rounds = rounds(&rack, 3);
    for broken in FAULTS {
        let score = score(&rack, &rounds, broken, 0.03, 6);
        let least = match broken {
            Broken::Nothing => 1.0,
            Broken::Link(0.9) => 0.0,
            _ => 0.8,
        };
        assert!(score >= least, "{broken:?}: {score}");
    }
}

#[test]
fn healthy_runs_blame_nobody() {
    let (trials, noises) = if skip::is_slow() { (1000, &[0.02, 0.05, 0.1][..]) } else { (60, &[0.05][..]) };
    let rack = network("project:testdata/fabrics/rack64");
    let rounds = rounds(&rack, 2);
    for &noise in noises {
        // Two strays that meet on a link of two crossings look like a fault.
        let score = score(&rack, &rounds, Broken::Nothing, noise, trials);
        eprintln!("noise {noise}: {score} of {trials} healthy runs blame nobody");
        assert!(score >= 0.98, "noise {noise}: {score}");
    }
}

#[test]
fn the_table_over_fabrics_noise_and_faults() {
    if !skip::slow("minutes") {
        return;
    }
    let mut fabrics = vec!["project:testdata/fabrics/rack64".to_string()];
    for name in ["simulated/fat-tree-324", "avakas", "simulated/dragonfly-72"] {
        fabrics.extend(skip::data(&format!("fabrics/{name}")).map(|path| format!("file:{path}")));
    }
    for crossings in [2, 4] {
        let built: Vec<(Network, Rounds)> = fabrics
            .iter()
            .map(|f| {
                let network = network(f);
                let rounds = rounds(&network, crossings);
                (network, rounds)
            })
            .collect();
        for noise in [0.02, 0.05, 0.1] {
            for broken in FAULTS {
                let scores: Vec<f64> = built.iter().map(|(n, r)| score(n, r, broken, noise, 20)).collect();
                let mean = scores.iter().sum::<f64>() / scores.len() as f64;
                eprintln!("k={crossings} noise {noise:.2} {broken:?}: {mean:.2} {scores:?}");
                let sure = noise < 0.03 && !matches!(broken, Broken::Link(0.9) | Broken::Nothing);
                assert!(mean >= if sure { 0.9 } else { 0.0 }, "{broken:?}");
            }
        }
    }
}

/// A plan names no host twice in a round, uses no link above its rate, and covers what it says.
#[test]
fn plans_share_no_host_and_no_link() {
    for spec in ["project:testdata/fabrics/rack64", "fat-tree:k=4,n=2", "dragonfly:p=2,a=4,h=2"] {
        let network = network(spec);
        let f = &*network.fabric;
        let options = PlanOptions { hosts: vec![], crossings: 1, stop: 1.0, rounds: 60, seed: 0 };
        let plan = plan(&network, &options).expect("a plan");
        let mut crossed = vec![0u32; f.links()];
        let mut route = Route::new();
        for round in &plan.rounds {
            let mut hosts: Vec<&String> = round.iter().flat_map(|(a, b)| [a, b]).collect();
            hosts.sort();
            let count = hosts.len();
            hosts.dedup();
            assert_eq!(hosts.len(), count, "{spec}: a host twice in a round");
            let mut load = vec![0.0; f.links()];
            for (a, b) in round.iter().flat_map(|(a, b)| [(a, b), (b, a)]) {
                let [from, to] = [a, b].map(|name| f.find(name).expect("a host"));
                network.routing.route(from, to, &mut route).expect("a way");
                let cap = |l: LinkId| f.class_of(l).bandwidth.map_or(f64::INFINITY, |b| b.as_gb_s());
                let rate = route.iter().map(|(l, s)| cap(*l) / s).fold(f64::INFINITY, f64::min);
                let limited = route.iter().filter(|(l, _)| rate.is_finite() && cap(*l).is_finite());
                limited.for_each(|(l, s)| load[l.index()] += rate * s / cap(*l));
            }
            assert!(load.iter().all(|l| *l < 1.01), "{spec}: a link above its rate");
            load.iter().zip(&mut crossed).for_each(|(l, c)| *c += u32::from(*l > 0.94));
        }
        let covered = crossed.iter().filter(|c| **c > 0).count() as u32;
        assert_eq!(covered, plan.covered, "{spec}");
        assert!(plan.covered * 10 >= plan.links * 8, "{spec}: {} of {}", plan.covered, plan.links);
    }
}
