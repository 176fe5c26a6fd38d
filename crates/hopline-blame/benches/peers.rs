//! Rules of others beside ours, on the same measurements: who names the broken part first.
//!
//! Votes are 007's (NSDI 2018): each bad flow gives 1/hops to each of its links. The bad fraction is what a threshold gives: of
//! the flows of a link, how many are below it. NetBouncer (NSDI 2019) explains every flow by the product of its links' rates, as good
//! as most links can be, by coordinate descent. Theirs always name somebody, and count as right where one broken link is
//! named; ours must have all of the part in its first set, and is counted again where it blames that and not only suspects it.
#![allow(clippy::print_stdout, reason = "a bench prints its table")]

#[path = "../tests/common/simulated.rs"]
mod simulated;

use hopline::id::LinkId;
use hopline_blame::blame;
use simulated::{Bench, Broken, FAULTS, Trial, alone, break_one, measure, way};

/// Runs of each cell and fabric.
const SEEDS: u64 = 20;
/// A flow with less of the usual rate is bad.
const BAD: f64 = 0.85;
/// How much NetBouncer wants links to be good or dead.
const LAMBDA: f64 = 0.1;

/// A measured flow: its links, and its part of the usual rate.
struct Flow {
    links: Vec<LinkId>,
    part: f64,
}

fn flows(bench: &Bench, text: &str) -> Vec<Flow> {
    let fabric = &bench.network.fabric;
    let whole = vec![1.0; fabric.links()];
    let mut flows: Vec<Flow> = text
        .lines()
        .skip(1)
        .filter_map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let value: f64 = cells[2].parse().ok()?;
            let route = way(&bench.network, cells[0], cells[1]);
            let part = value / alone(fabric, &route, &whole);
            Some(Flow { links: route.iter().map(|(l, _)| *l).collect(), part })
        })
        .collect();
    let mut parts: Vec<f64> = flows.iter().map(|f| f.part).collect();
    parts.sort_by(f64::total_cmp);
    let usual = parts[parts.len() / 2];
    flows.iter_mut().for_each(|f| f.part /= usual);
    flows
}

/// The link with the highest score; of several the first.
fn first(scores: &[f64]) -> LinkId {
    let best = (0..scores.len()).rev().max_by(|a, b| scores[*a].total_cmp(&scores[*b]));
    LinkId(best.unwrap_or(0) as u32)
}

fn votes(flows: &[Flow], links: usize) -> LinkId {
    let mut scores = vec![0.0; links];
    for flow in flows.iter().filter(|f| f.part < BAD) {
        flow.links.iter().for_each(|l| scores[l.index()] += 1.0 / flow.links.len() as f64);
    }
    first(&scores)
}

fn bad_fraction(flows: &[Flow], links: usize) -> LinkId {
    let mut count = vec![(0.0, 0.0); links];
    for flow in flows {
        for l in &flow.links {
            count[l.index()].0 += f64::from(u8::from(flow.part < BAD));
            count[l.index()].1 += 1.0;
        }
    }
    // Of links with the same fraction the one with more flows.
    first(&count.iter().map(|(bad, all)| if *all > 0.0 { bad / all + 1e-6 * bad } else { 0.0 }).collect::<Vec<_>>())
}

fn netbouncer(flows: &[Flow], links: usize) -> LinkId {
    let mut of_link: Vec<Vec<usize>> = vec![Vec::new(); links];
    for (n, flow) in flows.iter().enumerate() {
        flow.links.iter().for_each(|l| of_link[l.index()].push(n));
    }
    let mut x = vec![1.0f64; links];
    for (l, own) in of_link.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
        x[l] = (own.iter().map(|f| flows[*f].part.min(1.0)).sum::<f64>() / own.len() as f64).min(1.0);
    }
    for _ in 0..100 {
        for l in (0..links).filter(|l| !of_link[*l].is_empty()) {
            // The square is a parabola of this link's rate; lambda x (1 - x) bends it.
            let (mut square, mut cross) = (0.0, 0.0);
            for f in &of_link[l] {
                let others: f64 = flows[*f].links.iter().filter(|o| o.index() != l).map(|o| x[o.index()]).product();
                square += others * others;
                cross += others * flows[*f].part.min(1.0);
            }
            let bent = square - LAMBDA;
            let best = if bent.abs() > 1e-12 { (cross - LAMBDA / 2.0) / bent } else { 1.0 };
            x[l] = if bent > 0.0 { best.clamp(0.0, 1.0) } else { 1.0 };
        }
    }
    first(&x.iter().enumerate().map(|(l, x)| if of_link[l].is_empty() { 0.0 } else { 1.0 - x }).collect::<Vec<_>>())
}

fn main() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/fabrics");
    let mut specs = vec!["project:testdata/fabrics/rack64".to_string()];
    for name in ["simulated/fat-tree-324", "avakas", "simulated/dragonfly-72"] {
        let path = format!("{data}/{name}");
        specs.extend(std::path::Path::new(&path).exists().then(|| format!("file:{path}")));
    }
    let benches: Vec<Bench> = specs.iter().map(|spec| Bench::new(spec, 2)).collect();
    println!("top-1, two crossings, {SEEDS} runs on each of {} fabrics", benches.len());
    for noise in [0.02, 0.05, 0.1] {
        println!("noise {noise:<22} 007   fraction NetBouncer  ours  blamed");
        for broken in FAULTS.into_iter().filter(|b| *b != Broken::Nothing) {
            let mut right = [0u32; 5];
            for bench in &benches {
                (0..SEEDS).for_each(|seed| one(bench, broken, noise, seed, &mut right));
            }
            let part = right.map(|r| f64::from(r) / (SEEDS as f64 * benches.len() as f64));
            let [votes, fraction, bouncer, ours, blamed] = part;
            println!(
                "{:<26} {votes:6.2} {fraction:10.2} {bouncer:10.2} {ours:5.2} {blamed:7.2}",
                format!("{broken:?}")
            );
        }
    }
}

fn one(bench: &Bench, broken: Broken, noise: f64, seed: u64, right: &mut [u32; 5]) {
    let fabric = &bench.network.fabric;
    let mut rng = hopline::rng::Rng::new(seed, &format!("{broken:?} {noise}"));
    let mut factor = vec![1.0; fabric.links()];
    let truth = break_one(fabric, &bench.used, broken, &mut factor, &mut rng);
    let text = measure(&bench.network, &bench.rounds, &factor, noise, &mut rng);
    let flows = flows(bench, &text);
    let theirs = [votes, bad_fraction, netbouncer].map(|rule| rule(&flows, fabric.links()));
    for (n, named) in theirs.iter().enumerate() {
        right[n] += u32::from(truth.iter().flatten().any(|l| l == named));
    }
    let answer = blame(&bench.network, &[("pairs.csv".to_string(), text)]).expect("an answer");
    let told = Trial { truth, answer, more: (0, 0) };
    right[3] += u32::from(told.is_right(fabric));
    right[4] += u32::from(told.is_named(fabric));
}
