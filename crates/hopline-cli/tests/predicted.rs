//! What `hopline replay` predicts beside what the same algorithms take in network
//! namespaces with shaped links; `HOPLINE_SLOW` prints the guide's table.
#![allow(clippy::print_stdout, reason = "the table is what this test is for")]

mod common;

use common::mpi::{compile, skipped};
use common::racks::{RACKS, median, slow};
use common::{Scratch, hopline};

/// Algorithm, segment, and how many bytes of a size each of its messages or blocks has.
const ALGORITHMS: [(&str, u64, u64); 9] = [
    ("binomial", 0, 1),
    ("knomial", 0, 1),
    ("chain", 65_536, 1),
    ("scatter-ring", 0, 1),
    ("allgather-ring", 0, 8),
    ("allreduce-ring", 0, 1),
    ("allreduce-doubling", 0, 1),
    ("pairwise", 0, 8),
    ("linear", 0, 8),
];

/// Two racks of four at 200 Mb/s with a trunk of 100 Mb/s; frames as Ethernet and TCP make them.
const MACHINE: &str = "--topology tree:arity=4x2,bandwidth=0.0125,host=0.025 --model packet=1448,header=66";

/// Seconds in milliseconds that a replay predicts; slots in the order of ranks.
fn predicted(dir: &Scratch, name: &str, order: char, bytes: u64, segment: u64) -> f64 {
    let slots = (0..8).map(|rank| if order == 'r' { rank % 2 * 4 + rank / 2 } else { rank });
    dir.write("order", slots.map(|slot| format!("{slot}\n")).collect::<String>());
    let segment = if segment > 0 { format!(",segment={segment}") } else { String::new() };
    let schedule = format!("collective:{name}:bytes={bytes}{segment}");
    let order = dir.path("order");
    let said =
        hopline(&format!("replay {MACHINE} --schedule {schedule} --mapping file:{} --format json", order.display()));
    let json: serde_json::Value = serde_json::from_str(&said.done()).expect("JSON");
    1e3 * json["makespan_s"].as_f64().expect("a time")
}

/// Kendall's tau: pairs in the same order less pairs in the other, of all pairs.
fn tau(pairs: &[(f64, f64)]) -> f64 {
    let mut sum = 0.0;
    for (i, a) in pairs.iter().enumerate() {
        for b in &pairs[..i] {
            sum += ((a.0 - b.0) * (a.1 - b.1)).signum();
        }
    }
    sum / (pairs.len() * (pairs.len() - 1) / 2) as f64
}

/// The median of relative errors.
fn error(pairs: &[(f64, f64)]) -> f64 {
    let mut errors: Vec<f64> = pairs.iter().map(|(predicted, measured)| (predicted / measured - 1.0).abs()).collect();
    errors.sort_by(f64::total_cmp);
    errors[errors.len() / 2]
}

#[test]
fn replay_has_the_order_of_what_is_measured() {
    if skipped(&["mpirun.openmpi", "mpicc.openmpi", "tc"]) {
        return;
    }
    let dir = Scratch::new("predicted");
    compile(&dir, "mpicc.openmpi", "algorithms.c", &[], "algorithms");
    compile(&dir, "gcc", "yield.c", &["-shared", "-fPIC"], "yield.so");
    // Elsewhere than under HOPLINE_SLOW a few cases, far enough apart for a loaded machine.
    let (sizes, rounds): (&[u64], u32) = if slow() { (&[65_536, 262_144, 1_048_576], 5) } else { (&[262_144], 3) };
    let algorithms = if slow() { &ALGORITHMS[..] } else { &ALGORITHMS[..3] };
    // Eager messages of 64 KiB, as replay has them by default.
    let layer = "-x LD_PRELOAD=DIR/yield.so --mca btl_tcp_eager_limit 65536";
    let mut found = Vec::new();
    println!("| algorithm | order | bytes | predicted | measured |\n|---|---|---|---|---|");
    for &size in sizes {
        let orders = |&(name, segment, parts)| ['c', 'r'].map(|order| (name, order, size / parts, segment));
        let cases: Vec<(&str, char, u64, u64)> = algorithms.iter().flat_map(orders).collect();
        let word =
            |&(name, order, bytes, segment): &(&str, char, u64, u64)| format!("{name}:{order}:{bytes}:{segment}");
        let words: Vec<String> = cases.iter().map(word).collect();
        let text = RACKS.run(&dir, layer, &format!("algorithms {rounds} {}", words.join(" ")));
        for (&(name, order, bytes, segment), word) in cases.iter().zip(&words) {
            let pair = (predicted(&dir, name, order, bytes, segment), median(&text, word));
            println!("| {name} | {order} | {bytes} | {:.1} ms | {:.1} ms |", pair.0, pair.1);
            found.push((size, pair));
        }
    }
    for least in [0, 262_144] {
        let pairs: Vec<(f64, f64)> = found.iter().filter(|f| f.0 >= least).map(|f| f.1).collect();
        println!(
            "{} cases of {least} bytes or more: tau {:.3}, median error {:.3}",
            pairs.len(),
            tau(&pairs),
            error(&pairs)
        );
    }
    let large: Vec<(f64, f64)> = found.iter().filter(|f| f.0 >= 262_144).map(|f| f.1).collect();
    assert!(tau(&large) >= 0.7, "tau {}", tau(&large));
    assert!(error(&large) <= 0.25, "median error {}", error(&large));
}
