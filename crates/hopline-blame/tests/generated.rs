//! Faults of our own on several fabrics: planned rounds, simulated rates with noise, and what is blamed for them.
#![allow(clippy::print_stderr, reason = "the tables of long runs are printed")]

#[path = "common/simulated.rs"]
mod simulated;
#[path = "../../hopline/tests/common/skip.rs"]
mod skip;

use hopline::rng::Rng;
use hopline_blame::blame;
use simulated::{Bench, Broken, FAULTS, Trial, measure, trial};
use std::collections::{BTreeMap, BTreeSet};

const RACK: &str = "project:testdata/fabrics/rack64";

/// The fabrics of the notes, those that are on this machine: 576 hosts below 24 leaves, two to an uplink, are a model.
fn benches(crossings: u32) -> Vec<Bench> {
    let mut specs = vec!["fat-tree:down=24x24,up=1x12,bandwidth=4,host=4".to_string()];
    for name in ["simulated/fat-tree-324", "avakas", "simulated/dragonfly-72"] {
        specs.extend(skip::data(&format!("fabrics/{name}")).map(|path| format!("file:{path}")));
    }
    specs.iter().map(|spec| Bench::new(spec, crossings)).collect()
}

fn trials(bench: &Bench, broken: Broken, noise: f64, seeds: u64, follow: usize) -> Vec<Trial> {
    (0..seeds).map(|seed| trial(bench, broken, noise, seed, follow)).collect()
}

fn right(bench: &Bench, told: &[Trial]) -> f64 {
    told.iter().filter(|t| t.is_right(&bench.network.fabric)).count() as f64 / told.len() as f64
}

/// The same, where the answer blames the part and does not only suspect it.
fn named(bench: &Bench, told: &[Trial]) -> f64 {
    told.iter().filter(|t| t.is_named(&bench.network.fabric)).count() as f64 / told.len() as f64
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    values.sum::<f64>() / n
}

#[test]
fn faults_are_found_and_health_is_believed() {
    let rack = Bench::new(RACK, 3);
    for broken in FAULTS {
        let score = right(&rack, &trials(&rack, broken, 0.03, 6, 0));
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
    let (seeds, noises) = if skip::is_slow() { (1000, &[0.02, 0.05, 0.1][..]) } else { (60, &[0.05][..]) };
    let rack = Bench::new(RACK, 2);
    for &noise in noises {
        let told = trials(&rack, Broken::Nothing, noise, seeds, 0);
        for (seed, t) in told.iter().enumerate().filter(|(_, t)| !t.answer.suspects.is_empty()) {
            let s = &t.answer.suspects[0];
            eprintln!("noise {noise} seed {seed}: {} {} {:?} {:?}", t.answer.verdict.kind, s.name, s.rate, s.slow);
        }
        let blamed = told.iter().filter(|t| t.is_blamed()).count();
        let suspected = told.iter().filter(|t| t.answer.verdict.kind == "suspect").count();
        eprintln!("noise {noise}: of {seeds} healthy runs {blamed} blame somebody, {suspected} want to measure again");
        assert_eq!(blamed, 0, "noise {noise}");
    }
}

/// What is found counts as blamed only where the answer says so with code 3; two crossings leave more to suspicion than four.
#[test]
fn found_parts_are_blamed_where_numbers_suffice() {
    for (crossings, least) in [(2, 0.6), (4, 0.9)] {
        let rack = Bench::new(RACK, crossings);
        for noise in [0.02, 0.05, 0.1] {
            for broken in [Broken::Link(0.5), Broken::Link(0.75), Broken::Host(0.7), Broken::Switch(0.7)] {
                let told = trials(&rack, broken, noise, 20, 0);
                let (right, named) = (right(&rack, &told), named(&rack, &told));
                eprintln!("k={crossings} noise {noise:.2} {broken:?}: found {right:.2}, blamed {named:.2}");
                if noise < 0.05 {
                    assert!(named >= least, "k={crossings} noise {noise} {broken:?}: {named}");
                }
            }
        }
    }
}

/// What ClusterKit says of pairs: the sum of both directions, each a stray once in fifty times.
fn sums(bench: &Bench, rng: &mut Rng) -> String {
    let whole = vec![1.0; bench.network.fabric.links()];
    let text = measure(&bench.network, &bench.rounds, &whole, 0.02, rng);
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let hosts: BTreeSet<&str> = rows.iter().map(|row| row[0]).collect();
    let mut value = |row: &[&str]| {
        let stray = if rng.unit() < 0.02 { 0.3 + 0.6 * rng.unit() } else { 1.0 };
        row[2].parse::<f64>().map_or(0.0, |v| v * stray * 1000.0)
    };
    let mut sums: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for both in rows.chunks(2) {
        let [there, back] = [value(&both[0]), value(&both[1])];
        if there * back > 0.0 {
            sums.extend([((both[0][0], both[0][1]), there + back), ((both[0][1], both[0][0]), there + back)]);
        }
    }
    let ranks: String = (0..hosts.len()).map(|rank| format!(" {rank}")).collect();
    let mut text = format!("Rank:{ranks}\n");
    for (rank, a) in hosts.iter().enumerate() {
        let cells: String = hosts.iter().map(|b| format!(" {:.1}", sums.get(&(*a, *b)).unwrap_or(&0.0))).collect();
        text += &format!("{rank:4} ({a} ):{cells}\n");
    }
    text + "\nMaximum bandwidth: 8000.0 MB/s between a and b\n"
}

#[test]
fn strays_among_sums_of_both_directions_blame_nobody() {
    let rack = Bench::new(RACK, 2);
    // Without the rule on two sums five of these blame somebody.
    let blamed = (400..900).filter(|&seed| {
        let text = sums(&rack, &mut Rng::new(seed, "sums"));
        let answer = blame(&rack.network, &[("bandwidth.txt".to_string(), text)]).expect("an answer");
        matches!(&answer.verdict.kind[..], "blame" | "ambiguous")
    });
    assert_eq!(blamed.count(), 0);
}

/// Two numbers at a noise of 10 % prove nothing, but who looks slow by them is told: a prototype named one in five.
#[test]
fn what_few_numbers_show_is_suspected() {
    let told = trials(&Bench::new(RACK, 2), Broken::Link(0.75), 0.1, 40, 0);
    let suspected = told.iter().filter(|t| t.answer.verdict.kind == "suspect").count();
    let score = right(&Bench::new(RACK, 2), &told);
    assert!(score >= 0.21 && suspected >= 8, "{score}, {suspected} suspected");
}

/// The same on other machines, by seeds that nothing was tuned on.
#[test]
fn healthy_machines_blame_nobody() {
    if !skip::slow("minutes") {
        return;
    }
    for noise in [0.02, 0.05, 0.1] {
        for bench in benches(2) {
            let told = (5000..5084).map(|seed| trial(&bench, Broken::Nothing, noise, seed, 0));
            let blamed = told.filter(Trial::is_blamed).count();
            assert_eq!(blamed, 0, "{} noise {noise}", bench.network.fabric.name());
        }
    }
}

/// Rounds that an answer asks for name the part, however little the first plan crossed it.
#[test]
fn follow_up_rounds_find_what_a_plan_left_open() {
    let (benches, seeds) = match skip::is_slow() {
        true => (benches(2), 50),
        false => (vec![Bench::new(RACK, 2)], 12),
    };
    let noise = 0.05;
    for broken in [Broken::Link(0.75), Broken::Link(0.5), Broken::Cable(0.25), Broken::Host(0.7)] {
        let mut scores = Vec::new();
        for bench in &benches {
            let told = trials(bench, broken, noise, seeds, 6);
            let (score, n) = (right(bench, &told), told.len() as f64);
            let sum = |of: fn(&Trial) -> usize| told.iter().map(of).sum::<usize>() as f64 / n;
            eprintln!(
                "{} {broken:?}: {score:.2}, {:.2} rounds and {:.1} pairs more, set of {:.2}",
                bench.network.fabric.name(),
                sum(|t| t.more.0),
                sum(|t| t.more.1),
                sum(Trial::set)
            );
            scores.push(score);
        }
        let mean = mean(scores.iter().copied());
        assert!(mean >= if skip::is_slow() { 0.98 } else { 0.9 }, "{broken:?}: {mean}");
    }
}

/// Top-1 of the notes' prototype with two crossings, by noise and kind of fault in the order of `FAULTS`.
const PROTOTYPE: [(f64, [f64; 8]); 3] = [
    (0.02, [1.0, 0.97, 0.97, 0.93, 1.0, 1.0, 1.0, 0.93]),
    (0.05, [1.0, 0.89, 0.98, 0.04, 1.0, 1.0, 1.0, 0.88]),
    (0.10, [1.0, 0.95, 0.21, 0.00, 1.0, 1.0, 1.0, 1.0]),
];

#[test]
fn the_table_over_fabrics_noise_and_faults() {
    if !skip::slow("minutes") {
        return;
    }
    let mut below = Vec::new();
    for crossings in [2, 4] {
        let benches = benches(crossings);
        for (noise, theirs) in PROTOTYPE {
            for (broken, least) in FAULTS.into_iter().zip(theirs) {
                let told: Vec<Vec<Trial>> = benches.iter().map(|b| trials(b, broken, noise, 40, 0)).collect();
                let scores: Vec<f64> = benches.iter().zip(&told).map(|(b, t)| right(b, t)).collect();
                let named = mean(benches.iter().zip(&told).map(|(b, t)| named(b, t)));
                let found: Vec<&Trial> = told.iter().flatten().filter(|t| t.set() > 0).collect();
                let (score, blamed) =
                    (mean(scores.iter().copied()), told.iter().flatten().filter(|t| t.is_blamed()).count());
                let set = mean(found.iter().map(|t| t.set() as f64));
                eprintln!(
                    "k={crossings} noise {noise:.2} {broken:?}: {score:.3} (prototype {least}) {scores:?}; with a verdict of blame {named:.3}; blamed {blamed} of {}, set of {set:.2}",
                    told.iter().flatten().count()
                );
                // Forty seeds on four fabrics vary by a few percent.
                if score < least - 0.03 {
                    below.push(format!("k={crossings} noise {noise} {broken:?}: {score:.3} < {least}"));
                }
            }
        }
    }
    assert!(below.is_empty(), "{below:#?}");
}
