//! Topology-aware broadcasts of unmodified programs, measured: hosts are namespaces
//! of this machine in racks with shaped links, and the kernel removes them all with
//! the last process of the test.

#![allow(clippy::print_stdout, reason = "the times are what these tests are for")]

mod common;

use common::Scratch;
use common::mpi::{compile, skipped};
use common::racks::{Machine, OVER_TCP, RACKS, THIN, median, medians, rounds, slow};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

const PLAIN: &str = "-x LD_PRELOAD=DIR/yield.so";
/// All that is to be learned is learned at once.
const OURS: &str =
    "-x LD_PRELOAD=LAYER:DIR/yield.so -x HOPLINE_COLLECTIVES=bcast -x HOPLINE_BUDGET=100 -x HOPLINE_VERBOSE=1";

fn prepare(name: &str) -> Option<Scratch> {
    if skipped(&["mpirun.openmpi", "mpicc.openmpi", "tc"]) {
        return None;
    }
    let dir = Scratch::new(name);
    compile(&dir, "mpicc.openmpi", "many.c", &[], "many");
    compile(&dir, "mpicc.openmpi", "collective.c", &[], "collective");
    compile(&dir, "gcc", "yield.c", &["-shared", "-fPIC"], "yield.so");
    Some(dir)
}

/// Has the kernel of every second host tell of an SDR adapter, and of a DDR one on the others.
const ADAPTERS: &str = r#"#!/bin/sh
number=$(hostname | tr -dc 0-9 | sed 's/^0*//')
[ $((number % 2)) = 1 ] && rate="20 Gb/sec (4X DDR)" || rate="10 Gb/sec (4X SDR)"
exec unshare -m sh -c 'mount -t tmpfs tmpfs /sys/class && port=/sys/class/infiniband/mlx4_0/ports/1 && mkdir -p $port \
    && echo "$0" >$port/rate && echo "4: ACTIVE" >$port/state && exec "$@"' "$rate" "$@"
"#;

fn write_adapters(dir: &Scratch) {
    let script = dir.write("adapters.sh", ADAPTERS);
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).expect("executable");
}

#[test]
fn broadcasts_along_our_trees_give_what_the_library_gives() {
    let Some(dir) = prepare("bcast-right") else { return };
    let always = format!("{OURS} -x HOPLINE_TRIALS=0 -x HOPLINE_MIN_BYTES=1");
    let text = Machine(2, 3, "100mbit", "200mbit").run(&dir, &always, "many bcast");
    assert!(text.contains("wrong: 0"), "{text}");
    let used = text.lines().find(|l| l.contains("went the ways")).expect("what was done");
    assert!(!used.contains("hopline: 0 of"), "{used}");
}

#[test]
fn two_racks_with_a_thin_trunk_are_crossed_once() {
    let Some(dir) = prepare("bcast-racks") else { return };
    for bytes in if slow() { &[262_144, 1_048_576][..] } else { &[262_144] } {
        let job = format!("collective bcast {bytes} 7 c r");
        // Runs in turn, so that what else the machine does hits both alike.
        let ([plain, ours], times) = medians(rounds(), |way| {
            let text = RACKS.run(&dir, [PLAIN, OURS][way], &job);
            assert!(text.contains("wrong bytes: 0"), "{text}");
            median(&text, "c").max(median(&text, "r"))
        });
        println!("{bytes} bytes, as it is and with the layer: {times}");
        assert!(plain >= 1.4 * ours, "{bytes} bytes: {times} as it is and with the layer");
    }
    let left = fs::read_dir("/run/netns").map_or(0, |names| names.flatten().count());
    let own = (1..=8).filter(|i| fs::exists(format!("/run/netns/node00{i}")).unwrap_or(true)).count();
    assert_eq!(own, 0, "{left} namespaces are left");
}

/// Collectives other than broadcasts, with orders in which the library crosses the trunk often.
#[test]
fn rings_by_racks_cross_the_trunk_once_a_round() {
    let Some(dir) = prepare("rings") else { return };
    let names = if slow() { &["allgather", "allreduce", "reduce", "alltoall"][..] } else { &["allgather"] };
    for name in names {
        let job = format!("collective {name} 524288 5 c r");
        let plain = RACKS.run(&dir, PLAIN, &job);
        let ours = RACKS.run(&dir, &OURS.replace("=bcast", "=all"), &job);
        assert!(plain.contains("wrong bytes: 0") && ours.contains("wrong bytes: 0"), "{plain}{ours}");
        // Of an all-to-all all must cross, in any order: what counts is that it is not slower.
        let (gain, order) = if *name == "alltoall" { (0.8, "c") } else { (1.2, "r") };
        let (before, after) = (median(&plain, order), median(&ours, order));
        assert!(before >= gain * after, "{name}: {plain}{ours}");
    }
}

#[test]
fn a_job_on_adapters_of_two_rates_needs_no_file_and_measures_three_pairs() {
    let Some(dir) = prepare("bcast-adapters") else { return };
    write_adapters(&dir);
    let layer = format!("{OURS} -x HOPLINE_DELAYS_FILE=none");
    let job = "collective bcast 524288 5 c";
    let run = |program: &str| Machine(1, 8, "none", "200mbit 100mbit").run(&dir, &layer, program);
    let told = run(&format!("adapters.sh DIR/{job}"));
    assert!(told.contains("8 nodes in 1 islands, delays Speed from the adapters"), "{told}");
    assert!(told.contains("wrong bytes: 0"), "{told}");
    // What is told need not be measured: two rates make three kinds of pairs, eight hosts 28 pairs.
    let cost = |text: &str| -> f64 {
        let line = text.lines().find_map(|l| l.split_once(" measured ")?.1.split_once(" ms")).expect("what it cost");
        line.0.parse().expect("a number")
    };
    let measured = run(job);
    println!("pairs measured for {:.0} ms, {:.0} ms where adapters tell", cost(&measured), cost(&told));
    assert!(cost(&measured) > 3.0 * cost(&told), "{measured}{told}");
}

/// The library's own, where its ring or tree crosses the trunk often in the order of ranks.
#[test]
fn calls_with_a_request_go_in_an_order_that_crosses_the_trunk_less() {
    if !slow() {
        return;
    }
    let Some(dir) = prepare("bcast-requests") else { return };
    for (name, order) in [("iallreduce", "r"), ("ibcast", "c")] {
        let job = format!("collective {name} 262144 7 {order}");
        let ours = OURS.replace("=bcast", "=all");
        let ([plain, ours], times) = medians(rounds(), |way| {
            let text = THIN.run(&dir, [PLAIN, &ours][way], &job);
            assert!(text.contains("wrong bytes: 0"), "{text}");
            assert!(way == 0 || text.contains("with a request: ranks "), "{text}");
            median(&text, order)
        });
        println!("{name}, as it is and with the layer: {times}");
        assert!(plain >= 1.2 * ours, "{name}: {times} as it is and with the layer");
    }
}

#[test]
fn slow_hosts_do_not_hold_up_fast_ones() {
    let Some(dir) = prepare("bcast-mixed") else { return };
    let (mixed, fast) = (Machine(1, 8, "none", "200mbit 100mbit"), Machine(1, 8, "none", "200mbit"));
    let job = "collective bcast 524288 9 c";
    let ways = [(&mixed, PLAIN), (&mixed, OURS), (&fast, PLAIN)];
    let ([plain, ours, best], times) = medians(rounds(), |way| median(&ways[way].0.run(&dir, ways[way].1, job), "c"));
    println!("slow hosts as it is, with the layer, without slow hosts: {times}");
    assert!(plain >= 1.3 * ours, "as it is and with the layer: {times}");
    assert!(ours <= 1.1 * best, "with slow hosts, and without any as it is: {times}");
}

/// A row of the guide: a job, and what rank 0 said of broadcasts that went both ways.
struct Row {
    network: &'static str,
    ranks: u32,
    bytes: u64,
    /// What of the layer was predicted to be best; `None` where the library's way was.
    way: Option<String>,
    /// Predicted and measured milliseconds, as it is and with the layer.
    predicted: Option<[f64; 2]>,
    measured: [f64; 2],
}

/// Runs one case of the evaluation (section V-B), as it is and with the layer: medians of seven broadcasts.
fn evaluated(dir: &Scratch, machine: &Machine, network: &'static str, each: u32, bytes: u64) -> Row {
    let ranks = machine.0 * machine.1 * each;
    let job = format!("DIR/adapters.sh DIR/collective bcast {bytes} 7 c");
    // Told as on the paper's machines, so that one pair is measured for each value: hops on Ranger, rates on Glenn.
    let told = if network == "two racks" { "hops=DIR/hops" } else { "speed" };
    // What one run learned of these hosts the next ones know.
    let file = format!("-x HOPLINE_DELAYS_FILE=DIR/delays-{}", network.replace(' ', "-"));
    let layer = format!("{OURS} {file} -x HOPLINE_MIN_BYTES=1 -x HOPLINE_DELAYS={told}");
    let placed = format!("--hostfile DIR/hosts --oversubscribe --map-by ppr:{each}:node -n {ranks}");
    let run = |layer: &str| {
        let text = machine.on_hosts(dir, &format!("mpirun.openmpi {placed} {OVER_TCP} {layer} {job}"));
        assert!(text.contains("wrong bytes: 0"), "{text}");
        text
    };
    let (plain, said) = (run(PLAIN), run(&layer));
    let line = said.lines().find_map(|l| l.strip_prefix(&format!("hopline: bcast from root 0, {bytes} bytes: ")));
    let parts: Option<(String, [f64; 2])> = line.and_then(|line| {
        let (way, times) = line.rsplit_once(": ")?;
        let (ours, own) = times.split_once(" ms predicted, ")?;
        Some((way.to_string(), [own.split_once(" ms")?.0.parse().ok()?, ours.parse().ok()?]))
    });
    let (way, predicted) = parts.unzip();
    Row { network, ranks, bytes, way, predicted, measured: [median(&plain, "c"), median(&said, "c")] }
}

/// The evaluation of Subramoni et al. (section V-B) in namespaces: writes the table of the guide.
#[test]
fn the_papers_evaluation_predicted_beside_measured() {
    if !slow() {
        return;
    }
    let Some(dir) = prepare("bcast-evaluation") else { return };
    write_adapters(&dir);
    let hosts: Vec<String> = (1..=16).map(|host| format!("node{host:03}")).collect();
    let hops = |a: usize| (0..16).map(|b| if a / 8 == b / 8 { "0 " } else { "2 " }).collect::<String>();
    let rows: Vec<String> = (0..16).map(hops).collect();
    dir.write("hops", format!("{}\n{}\n", hosts.join(" "), rows.join("\n")));
    // Slow links, so that what is measured is they and not how many ranks share a processor.
    let racks = Machine(2, 8, "25mbit", "50mbit");
    let (mixed, fast) = (Machine(1, 16, "none", "50mbit 25mbit"), Machine(1, 16, "none", "50mbit"));
    let mut rows = Vec::new();
    for (ranks, sizes) in
        [(1, &[256, 4096, 16_384, 65_536, 262_144, 1_048_576][..]), (2, &[1_048_576]), (4, &[1_048_576])]
    {
        rows.extend(sizes.iter().map(|&bytes| evaluated(&dir, &racks, "two racks", ranks, bytes)));
    }
    for (machine, network) in [(&mixed, "two speeds"), (&fast, "one speed")] {
        for bytes in [64, 1024, 8192, 32_768, 131_072] {
            rows.push(evaluated(&dir, machine, network, 1, bytes));
        }
        rows.push(evaluated(&dir, machine, network, 2, 131_072));
    }
    println!(
        "| network | ranks | bytes | way of the layer | predicted: as it is | with the layer | measured: as it is | with the layer |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for Row { network, ranks, bytes, way, predicted, measured: [plain, ours] } in &rows {
        let way = way.as_deref().unwrap_or("the library's");
        let [own, other] =
            predicted.map_or([String::new(), String::new()], |both| both.map(|ms| format!("{ms:.1} ms")));
        println!("| {network} | {ranks} | {bytes} | {way} | {own} | {other} | {plain:.1} ms | {ours:.1} ms |");
    }
    let row = |network: &str, ranks: u32, bytes: u64| {
        rows.iter().find(|row| (row.network, row.ranks, row.bytes) == (network, ranks, bytes)).expect("a row")
    };
    let gain = |row: &Row| row.measured[0] / row.measured[1];
    // Section V-B1: little for small messages, more for large ones, at every size of the job.
    for ranks in [16, 32, 64] {
        let large = row("two racks", ranks, 1_048_576);
        assert!(large.way.is_some() && gain(large) > 1.14, "{ranks} ranks: {:?}", large.measured);
    }
    assert!(gain(row("two racks", 16, 1_048_576)) > gain(row("two racks", 16, 256)));
    // Section V-B2: 70 to 100 % better than the naive order, and on par with fast adapters alone.
    for (ranks, bytes) in [(16, 131_072), (32, 131_072)] {
        let (two, one) = (row("two speeds", ranks, bytes), row("one speed", ranks, bytes));
        assert!(gain(two) > 1.3, "{ranks} ranks: {:?}", two.measured);
        assert!(two.measured[1] < 1.3 * one.measured[0], "{:?} {:?}", two.measured, one.measured);
    }
    // What is predicted to be far better is better.
    for row in &rows {
        if let Some([own, ours]) = row.predicted
            && own > 2.0 * ours
            && row.bytes >= 65_536
        {
            assert!(gain(row) > 1.1, "{} {} {}: {:?}", row.network, row.ranks, row.bytes, row.measured);
        }
    }
}
