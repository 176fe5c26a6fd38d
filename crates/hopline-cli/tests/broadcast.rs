//! Topology-aware broadcasts of unmodified programs, measured: hosts are namespaces
//! of this machine in racks with shaped links, and the kernel removes them all with
//! the last process of the test.

#![allow(clippy::print_stdout, reason = "the times are what these tests are for")]

mod common;

use common::Scratch;
use common::mpi::{compile, skipped};
use common::racks::{Machine, RACKS, median, medians, rounds, slow};
use std::fs;

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
