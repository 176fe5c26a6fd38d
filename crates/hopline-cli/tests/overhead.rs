//! What the layer costs a program: processor time of a call, and a ping-pong beside the bare library.
//! `HOPLINE_SLOW` measures it.
#![allow(clippy::print_stdout, reason = "the times are what this test is for")]

mod common;

use common::mpi::{compile, run, skipped};
use common::racks::{median, medians};
use common::{Scratch, skip};

#[test]
fn recording_costs_less_than_200_ns_a_call_and_3_percent_of_a_ping_pong() {
    if !skip::slow("minutes") || skipped(&["mpirun.openmpi", "mpicc.openmpi"]) {
        return;
    }
    let dir = Scratch::new("overhead");
    compile(&dir, "mpicc.openmpi", "overhead.c", &[], "overhead");
    let layers = ["", "-x LD_PRELOAD=LAYER", "-x LD_PRELOAD=LAYER -x HOPLINE_RECORD=DIR/recording"];
    let measure = |ranks: u32, way: usize, word: &str| {
        // Ranks that wait do not yield: they would wait for what else runs here.
        let start = "mpirun.openmpi --oversubscribe --bind-to core --mca btl self,vader";
        let ran = run(&dir, &format!("{start} -n {ranks} {} DIR/overhead", layers[way]));
        assert!(ran.success, "{}{}", ran.stdout, ran.stderr);
        median(&ran.stdout, word)
    };
    // What else the machine does only adds to it.
    let least = |way: usize| (0..9).map(|_| measure(1, way, "call")).fold(f64::INFINITY, f64::min);
    let [bare, off, on] = [0, 1, 2].map(least).map(|ms| 1e6 * ms);
    println!("a call: {bare:.1} ns, {off:.1} with the layer, {on:.1} when it records");
    assert!(on - bare < 200.0, "{bare} and {on} ns a call");
    let ([bare, off, on], times) = medians(9, |way| measure(2, way, "way"));
    let us = |ms: f64| 1e3 * ms;
    println!(
        "64 KiB one way: {:.2} us, {:.2} with the layer, {:.2} when it records; {times}",
        us(bare),
        us(off),
        us(on)
    );
    assert!(on < 1.03 * bare, "{times}");
}
