//! Ranger with 4,042 hosts: how long a plan, its 20,000 flows and all 8 million pairs take, and how much memory.
#![allow(clippy::print_stdout, reason = "a bench prints its times")]

#[path = "../tests/common/simulated.rs"]
mod simulated;

use hopline::id::VertexId;
use hopline::rng::Rng;
use hopline::routing::Route;
use hopline_blame::{PlanOptions, blame, plan};
use simulated::{alone, measure, network, used};
use std::fmt::Write as _;
use std::time::Instant;

/// The most memory that this process has had, MB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    line.unwrap_or(0) / 1000
}

fn main() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/fabrics/ranger-2011");
    if !std::path::Path::new(path).exists() {
        println!("{path} is not on this machine");
        return;
    }
    let start = Instant::now();
    let network = network(&format!("file:{path}"));
    let fabric = &*network.fabric;
    println!("fabric read: {:.1} s, peak {} MB", start.elapsed().as_secs_f64(), peak());
    for (crossings, stop, rounds) in [(1, 0.98, 60), (2, 0.99, 60)] {
        let start = Instant::now();
        let options = PlanOptions { hosts: vec![], crossings, stop, rounds, seed: 1 };
        let plan = plan(&network, &options).expect("a plan");
        println!(
            "plan k={crossings} to {stop}: {:.1} s, {} rounds, {} pairs, {} of {} links, peak {} MB",
            start.elapsed().as_secs_f64(),
            plan.rounds.len(),
            plan.rounds.iter().map(Vec::len).sum::<usize>(),
            plan.covered,
            plan.links,
            peak()
        );
        let mut rng = Rng::new(1, "ranger");
        let mut factor = vec![1.0; fabric.links()];
        let all = used(&network, &plan.rounds);
        let inner: Vec<_> = all.into_iter().filter(|l| !fabric.is_host_link(*l)).collect();
        let broken = inner[rng.below(inner.len() as u64) as usize];
        factor[broken.index()] = 0.5;
        let text = measure(&network, &plan.rounds, &factor, 0.02, &mut rng);
        let start = Instant::now();
        let answer = blame(&network, &[("pairs.csv".to_string(), text)]).expect("an answer");
        println!(
            "{} flows: {:.2} s, {}: {} (broken: {})",
            answer.checked.flows,
            start.elapsed().as_secs_f64(),
            answer.verdict.kind,
            answer.verdict.sentence,
            fabric.link_name(broken)
        );
    }
    // Every pair alone, in one direction: the lower number sends where the sum is even.
    let (mut rng, mut route) = (Rng::new(2, "ranger"), Route::new());
    let mut factor = vec![1.0; fabric.links()];
    let inner: Vec<_> = fabric.link_ids().filter(|l| !fabric.is_host_link(*l)).collect();
    let hosts: Vec<VertexId> =
        (0..fabric.endpoints()).map(VertexId).filter(|v| fabric.adapter_link(*v).is_some()).collect();
    let broken = loop {
        let l = inner[rng.below(inner.len() as u64) as usize];
        if fabric.vertex_name(fabric.source(l)) != fabric.vertex_name(fabric.target(l)) {
            break l;
        }
    };
    factor[broken.index()] = 0.75;
    let mut text = String::with_capacity(300 << 20);
    text.push_str("src,dst,gbytes_per_s\n");
    let start = Instant::now();
    for (i, &a) in hosts.iter().enumerate() {
        for (j, &b) in hosts.iter().enumerate().skip(i + 1) {
            let (a, b) = if (i + j) % 2 == 0 { (a, b) } else { (b, a) };
            if network.routing.route(a, b, &mut route).is_err() {
                continue;
            }
            let rate =
                0.92 * alone(fabric, &route, &factor) * (1.0 + 0.05 * (rng.unit() + rng.unit() + rng.unit() - 1.5));
            let _ = writeln!(text, "{},{},{rate:.3}", fabric.vertex_name(a), fabric.vertex_name(b));
        }
    }
    println!(
        "all pairs made: {:.1} s, {} MB of text, peak {} MB",
        start.elapsed().as_secs_f64(),
        text.len() / 1_000_000,
        peak()
    );
    let files = [("all.csv".to_string(), text)];
    let start = Instant::now();
    let answer = blame(&network, &files).expect("an answer");
    println!(
        "all pairs: {:.1} s, peak {} MB, {}: {} (broken: {})\n{:?}",
        start.elapsed().as_secs_f64(),
        peak(),
        answer.verdict.kind,
        answer.verdict.sentence,
        fabric.link_name(broken),
        answer.notes
    );
}
