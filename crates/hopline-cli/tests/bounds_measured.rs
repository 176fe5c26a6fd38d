//! What `hopline collective --bound` says of algorithms beside what Open MPI's own take in network namespaces with shaped
//! links; `HOPLINE_SLOW` prints the guide's table.
#![allow(clippy::print_stdout, reason = "the table is what this test is for")]

mod common;

use common::mpi::{compile, skipped};
use common::racks::{Machine, median, rounds, slow};
use common::{Scratch, hopline};
use std::collections::BTreeMap;

/// An algorithm by our name, its number among those of Open MPI's `tuned` module, and the orders of ranks in which it runs: as
/// placed, or round robin over the racks.
type Way = (&'static str, u32, &'static str);

const ALLGATHER: [Way; 3] = [("ring", 4, "c r"), ("recursive-doubling", 3, "c"), ("bruck", 2, "c")];
const ALLREDUCE: [Way; 2] = [("ring", 4, "c r"), ("recursive-doubling", 3, "c")];

/// A machine, and the same as a fabric.
struct Racks(Machine, &'static str, &'static str);

const EIGHT: Racks = Racks(Machine(2, 4, "50mbit", "200mbit"), "2 x 4", "tree:arity=4x2,bandwidth=0.00625,host=0.025");
const SIXTEEN: Racks =
    Racks(Machine(2, 8, "100mbit", "200mbit"), "2 x 8", "tree:arity=8x2,bandwidth=0.0125,host=0.025");

/// An algorithm in an order: milliseconds that are predicted, and those of the median call.
struct Case {
    name: String,
    predicted_ms: f64,
    measured_ms: f64,
}

fn prepare() -> Option<Scratch> {
    if skipped(&["mpirun.openmpi", "mpicc.openmpi", "tc"]) {
        return None;
    }
    let dir = Scratch::new("bounds-measured");
    compile(&dir, "mpicc.openmpi", "collective.c", &[], "collective");
    compile(&dir, "gcc", "yield.c", &["-shared", "-fPIC"], "yield.so");
    Some(dir)
}

/// By algorithm, how many times the bound it takes and its milliseconds, for ranks in an order.
fn predicted(
    dir: &Scratch,
    fabric: &str,
    operation: &str,
    bytes: u64,
    ranks: u64,
    order: &str,
) -> BTreeMap<String, [f64; 2]> {
    let at = |rank: u64| if order == "r" { rank % 2 * (ranks / 2) + rank / 2 } else { rank };
    dir.write("order", (0..ranks).map(|rank| format!("{}\n", at(rank))).collect::<String>());
    let mapping = dir.path("order");
    let words = format!("collective {operation} --topology {fabric} --mapping file:{}", mapping.display());
    let found = hopline(&format!("{words} --size {bytes} --bound --format json")).done();
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    let tried = found["sizes"][0]["tried"].as_array().expect("algorithms");
    let number = |of: &serde_json::Value, key: &str| of[key].as_f64().expect("a number");
    let named = |of: &serde_json::Value| of["algorithm"].as_str().expect("a name").to_string();
    tried.iter().map(|of| (named(of), [number(of, "of_bound"), 1e3 * number(of, "time_s")])).collect()
}

/// An operation by each of these ways, in turn so that what else the machine does hits all alike.
fn cases(dir: &Scratch, racks: &Racks, operation: &str, ways: &[Way], total: u64, calls: u32) -> Vec<Case> {
    let Racks(machine, size, fabric) = racks;
    let ranks = u64::from(machine.0 * machine.1);
    let bytes = if operation == "allgather" { total / ranks } else { total };
    let mut times: BTreeMap<(usize, &str), Vec<f64>> = BTreeMap::new();
    for _ in 0..rounds() {
        for (at, (_, number, orders)) in ways.iter().enumerate() {
            let forced = format!(
                "-x LD_PRELOAD=DIR/yield.so --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_{operation}_algorithm {number}"
            );
            let text = machine.run(dir, &forced, &format!("collective {operation} {total} {calls} {orders}"));
            assert!(text.contains("wrong bytes: 0"), "{text}");
            orders.split(' ').for_each(|order| times.entry((at, order)).or_default().push(median(&text, order)));
        }
    }
    let mut found = Vec::new();
    for ((at, order), mut times) in times {
        times.sort_by(f64::total_cmp);
        let (name, measured_ms) = (ways[at].0, times[times.len() / 2]);
        let [of_bound, predicted_ms] = predicted(dir, fabric, operation, bytes, ranks, order)[name];
        let order = if order == "r" { "round robin" } else { "as placed" };
        println!(
            "| {size} | {operation} | {name} | {order} | {of_bound:.2}x | {predicted_ms:.0} ms | {measured_ms:.0} ms |"
        );
        found.push(Case { name: format!("{size} {operation} {name} {order}"), predicted_ms, measured_ms });
    }
    found
}

/// Pairs of cases that are measured in the order in which they are predicted, and the others.
fn ordered(cases: &[Case]) -> (usize, Vec<String>) {
    let (mut right, mut wrong) = (0, Vec::new());
    for (k, a) in cases.iter().enumerate() {
        for b in &cases[..k] {
            match (a.predicted_ms - b.predicted_ms) * (a.measured_ms - b.measured_ms) > 0.0 {
                true => right += 1,
                false => wrong.push(format!("{} and {}", a.name, b.name)),
            }
        }
    }
    (right, wrong)
}

#[test]
fn algorithms_are_in_the_order_that_is_predicted() {
    let Some(dir) = prepare() else { return };
    println!(
        "| racks | operation | algorithm | order | of the bound | predicted | measured |\n|---|---|---|---|---|---|---|"
    );
    if !slow() {
        // Far enough apart for a loaded machine: 1, 2.4 and 4 times the best.
        let all = cases(&dir, &EIGHT, "allgather", &ALLGATHER[..2], 524_288, 3);
        assert_eq!(ordered(&all).1, Vec::<String>::new());
        return;
    }
    let gathers = [&EIGHT, &SIXTEEN].map(|racks| cases(&dir, racks, "allgather", &ALLGATHER, 1_048_576, 5));
    let sums = [&EIGHT, &SIXTEEN].map(|racks| cases(&dir, racks, "allreduce", &ALLREDUCE, 1_048_576, 5));
    let [gathers, sums] = [gathers, sums].map(|both| both.map(|cases| ordered(&cases)));
    let right = |both: &[(usize, Vec<String>); 2]| both[0].0 + both[1].0;
    println!("in the right order: {} of 12 pairs of allgather, {} of 6 of allreduce", right(&gathers), right(&sums));
    assert!(right(&gathers) >= 11, "{gathers:?}");
    assert!(right(&sums) >= 5, "{sums:?}");
}
