//! What the layer learns of hosts in racks, keeps for later jobs, and what that costs a job as a whole.
#![allow(clippy::print_stdout, reason = "the times are what these tests are for")]

mod common;

use common::Scratch;
use common::mpi::{compile, skipped};
use common::racks::{Machine, OVER_TCP, RACKS, median};
use common::skip;
use std::fs;

const PLAIN: &str = "-x LD_PRELOAD=DIR/yield.so";
const OURS: &str = "-x LD_PRELOAD=LAYER:DIR/yield.so -x HOPLINE_COLLECTIVES=all -x HOPLINE_VERBOSE=1";
/// All that is to be learned is learned at once.
const AT_ONCE: &str = "-x HOPLINE_BUDGET=100";
/// Where it is kept.
const FILE: &str = ".cache/hopline/delays";

/// Hosts of the first rack are 1 to 4, of the second 5 to 8.
const PLACEMENTS: [(&str, [u32; 8]); 3] = [
    ("blocks", [1, 2, 3, 4, 5, 6, 7, 8]),
    ("round robin", [1, 5, 2, 6, 3, 7, 4, 8]),
    ("at random", [7, 3, 4, 8, 1, 6, 5, 2]),
];

fn prepare(name: &str) -> Option<Scratch> {
    if skipped(&["mpirun.openmpi", "mpicc.openmpi", "tc"]) {
        return None;
    }
    let dir = Scratch::new(name);
    compile(&dir, "mpicc.openmpi", "collective.c", &[], "collective");
    compile(&dir, "gcc", "yield.c", &["-shared", "-fPIC"], "yield.so");
    for (number, (_, hosts)) in PLACEMENTS.iter().enumerate() {
        let line = |(rank, host): (usize, &u32)| format!("rank {rank}=node{host:03} slot=0\n");
        dir.write(&format!("placement{number}"), hosts.iter().enumerate().map(line).collect::<String>());
    }
    Some(dir)
}

/// Runs a job on a placement and sees that its results are right.
fn placed(dir: &Scratch, placement: usize, layer: &str, job: &str) -> String {
    let text = RACKS.run(dir, &format!("--rankfile DIR/placement{placement} {layer}"), job);
    assert!(text.contains("wrong bytes: 0"), "{text}");
    text
}

#[test]
fn racks_are_found_whatever_the_placement() {
    let Some(dir) = prepare("learned-racks") else { return };
    for (number, (name, _)) in PLACEMENTS.iter().enumerate() {
        let layer = format!("{OURS} {AT_ONCE} -x HOPLINE_DELAYS_FILE=none");
        let text = placed(&dir, number, &layer, "collective allreduce 524288 3 c");
        println!("{name}: {:.0} ms with the layer", median(&text, "c"));
        assert!(text.contains("8 nodes in 2 islands"), "{name}: {text}");
        // Blocks are in the order of the racks already.
        assert!(number == 0 || text.contains("as it is: used"), "{name}: {text}");
    }
    assert!(!dir.path(FILE).exists(), "none is kept");
}

#[test]
fn what_was_learned_serves_later_jobs_on_the_same_hosts() {
    let Some(dir) = prepare("learned-kept") else { return };
    let job = "collective allreduce 262144 1 c";
    let text = placed(&dir, 1, OURS, job);
    // On a slow machine not even a look is paid for.
    let too_short =
        ["0 of 28 pairs measured: too little time to go on", "looks at communicators that could not be paid"];
    assert!(too_short.iter().any(|said| text.contains(said)), "a short job learns nothing: {text}");
    assert!(text.contains("hopline: 0 of 6 collectives"), "{text}");
    assert!(!dir.path(FILE).exists(), "nothing is kept of it: {text}");
    let text = placed(&dir, 1, &format!("{OURS} {AT_ONCE}"), job);
    assert!(text.contains("islands, delays measured\n"), "{text}");
    let kept = dir.read(FILE);
    assert!(kept.starts_with("hopline delays 1\n") && kept.matches("\npair node").count() == 28, "{kept}");
    // The same hosts, the same placement: nothing is measured, and what was faster is used from the first call that can
    // be paid.
    let text = placed(&dir, 1, &format!("{OURS} {AT_ONCE}"), job);
    assert!(text.contains("28 of 28 pairs known before") && text.contains("measured 0.00 ms"), "{text}");
    assert!(text.contains("hopline: 6 of 6 collectives"), "{text}");
    // Some of the hosts, in another order.
    let hosts = "node008,node002,node003,node005,node001";
    let text =
        RACKS.on_hosts(&dir, &format!("mpirun.openmpi --host {hosts} -n 5 {OVER_TCP} {OURS} {AT_ONCE} DIR/{job}"));
    assert!(text.contains("10 of 10 pairs known before") && text.contains("5 nodes in 2 islands"), "{text}");
    assert!(text.contains("measured 0.00 ms"), "{text}");
    // What is not true any more is found out, as long as it is old enough to be looked at again.
    let when = |line: &str| line.rsplit(' ').next().and_then(|word| word.parse::<u64>().ok());
    let wrong = kept.lines().map(|line| match (line.split(' ').collect::<Vec<_>>()[..].split_last(), when(line)) {
        (Some((_, ["pair", a, b, latency, _])), Some(when)) => {
            format!("pair {a} {b} {latency} 1e-9 {}\n", when - 2 * 86_400)
        }
        _ => format!("{line}\n"),
    });
    dir.write(FILE, wrong.collect::<String>());
    let text = placed(&dir, 1, &format!("{OURS} {AT_ONCE}"), job);
    assert!(
        text.contains("what earlier jobs found is no longer true") && text.contains("8 nodes in 2 islands"),
        "{text}"
    );
    assert!(!dir.read(FILE).contains(" 1e-9 "), "the file is renewed");
}

#[test]
fn a_file_that_is_damaged_or_foreign_is_said_in_one_line() {
    let Some(dir) = prepare("learned-damaged") else { return };
    fs::create_dir_all(dir.path(".cache/hopline")).expect("a folder");
    for (text, stays) in [("hopline delays 1\npair node001\n", false), ("hopline delays 7\n", true), ("\u{1}ELF", true)]
    {
        dir.write(FILE, text);
        let said = placed(&dir, 0, &format!("{OURS} {AT_ONCE}"), "collective bcast 65536 1 c");
        assert_eq!(said.matches("what it holds is not used").count(), 1, "{said}");
        assert_eq!(said.matches("what was learned is not kept").count(), usize::from(stays), "{said}");
        assert_eq!(dir.read(FILE) == text, stays, "{text}");
    }
}

/// Whole jobs of few and many calls: as they are, with the layer and no file, and with a file of the hosts. What the
/// layer costs is the median of pairs of runs next to each other, in either order, which other work on the machine meets
/// alike; as many as it takes until its interval is on one side of what a job may be slower.
#[test]
fn no_job_is_slower_as_a_whole() {
    const MOST: f64 = 2.0;
    let Some(dir) = prepare("learned-whole") else { return };
    if !skip::slow("an hour") {
        return;
    }
    println!("| job | placement | as it is | layer, no file | layer, file | runs |\n|---|---|---|---|---|---|");
    let machine = Machine(2, 4, "200mbit", "400mbit");
    let on = |placement: usize, layer: &str, job: &str| {
        machine.run(&dir, &format!("--rankfile DIR/placement{placement} {layer}"), job)
    };
    for placement in [0, 1] {
        on(placement, &format!("{OURS} {AT_ONCE} -x HOPLINE_DELAYS_FILE=DIR/known"), "collective allreduce 524288 1 c");
    }
    let cold = format!("{OURS} -x HOPLINE_DELAYS_FILE=none");
    let warm = format!("{OURS} -x HOPLINE_DELAYS_FILE=DIR/known");
    let mut slower = Vec::new();
    for (name, bytes, calls, most) in [
        ("no large calls", 4096, 1, 90),
        ("short", 524_288, 1, 90),
        ("medium", 524_288, 60, 12),
        ("long", 524_288, 300, 6),
    ] {
        for placement in [1, 0] {
            let job = format!("collective allreduce {bytes} {calls} c");
            let time = |layer: &str| median(&on(placement, layer, &job), "whole");
            let (mut plain, mut added) = (Vec::new(), [Vec::new(), Vec::new()]);
            while plain.len() < most
                && !added.iter().all(|a| middle(a).is_some_and(|(_, low, high)| high < MOST || low > MOST))
            {
                // The plain run stands between the others, and who is first changes.
                let first = plain.len() % 2;
                let one = time([&cold, &warm][first]);
                let own = time(PLAIN);
                let other = time([&cold, &warm][1 - first]);
                for (way, time) in [(first, one), (1 - first, other)] {
                    added[way].push(100.0 * (time / own - 1.0));
                }
                plain.push(own);
            }
            let costs = added.each_ref().map(|a| middle(a).expect("enough runs"));
            let said = costs.map(|(middle, low, high)| format!("{middle:+.1} % ({low:+.1} to {high:+.1})"));
            plain.sort_by(f64::total_cmp);
            let (calls, placement) = (calls + 5, PLACEMENTS[placement].0);
            let row = format!("| {name}, {calls} calls | {placement} | {:.2} s |", plain[plain.len() / 2] / 1e3);
            println!("{row} {} | {} | {} |", said[0], said[1], plain.len());
            slower.extend(costs.iter().filter(|cost| cost.1 > MOST).map(|_| row.clone()));
        }
    }
    assert!(slower.is_empty(), "more than {MOST} % slower: {slower:?}");
}

/// The median of some values, and the interval that holds the true one in 95 of 100 cases whatever their distribution
/// (sign test). `None` of fewer than six, which tell too little.
fn middle(values: &[f64]) -> Option<(f64, f64, f64)> {
    let n = values.len();
    // Of so many values outside on either side it is no longer likely that the true median is there.
    let (mut outside, mut share, mut chance) = (0, 0.0, 0.5f64.powi(n as i32));
    while share + chance <= 0.025 {
        share += chance;
        outside += 1;
        chance *= (n - outside + 1) as f64 / outside as f64;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    (outside > 0).then(|| (sorted[n / 2], sorted[outside - 1], sorted[n - outside]))
}

#[test]
fn intervals_of_medians_are_those_of_the_sign_test() {
    let values = |n: u32| (1..=n).map(f64::from).collect::<Vec<_>>();
    assert_eq!(middle(&values(5)), None);
    assert_eq!(middle(&values(6)), Some((4.0, 1.0, 6.0)), "1 in 64 on either side");
    assert_eq!(middle(&values(20)), Some((11.0, 6.0, 15.0)));
}
