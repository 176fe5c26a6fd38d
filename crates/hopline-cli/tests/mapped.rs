//! A program mapped by its own recording, measured before and after on hosts in two
//! racks with a thin trunk; and what is left of the hosts when a job dies.

mod common;

use common::mpi::{OPEN_MPI, compile, run, skipped};
use common::racks::{RACKS, median};
use common::{Scratch, root};
use std::fs;

#[test]
fn a_program_mapped_by_its_own_recording_is_faster() {
    if skipped(&["mpirun.openmpi", "mpicc.openmpi", "tc"]) {
        return;
    }
    let dir = Scratch::new("mapped");
    compile(&dir, "mpicc.openmpi", "exchange.c", &[], "exchange");
    compile(&dir, "gcc", "yield.c", &["-shared", "-fPIC"], "yield.so");
    let ran = run(&dir, &format!("HOPLINE record run --out DIR/recording -- {OPEN_MPI} -n 8 DIR/exchange 65536 3"));
    assert!(ran.success, "{}{}", ran.stdout, ran.stderr);
    // The fabric as ibnetdiscover has found it: two racks of four, the hosts' names as here.
    let job = "--fabric testdata/fabrics/lmc1-8 --traffic matrix:file=DIR/recording --mapping";
    for (mapping, file) in [("default", "given"), ("default,congestion-search", "mapped")] {
        dir.hopline(&format!("map {job} {mapping} --export rankfile=DIR/{file}")).done();
    }
    let run = |file: &str| {
        let layer = format!("-x LD_PRELOAD=DIR/yield.so --bind-to none --rankfile DIR/{file}");
        median(&RACKS.run(&dir, &layer, "exchange 262144 7"), "step")
    };
    let times: Vec<[f64; 2]> = (0..3).map(|_| [run("given"), run("mapped")]).collect();
    let middle = |which: usize| {
        let mut sorted: Vec<f64> = times.iter().map(|t| t[which]).collect();
        sorted.sort_by(f64::total_cmp);
        sorted[1]
    };
    assert!(middle(0) >= 1.4 * middle(1), "{times:?} ms as given and as mapped");
}

#[test]
fn a_job_that_dies_leaves_neither_hosts_nor_processes() {
    if skipped(&["mpirun.openmpi", "mpicc.openmpi", "tc"]) {
        return;
    }
    let dir = Scratch::new("dies");
    let scripts = root().join("crates/hopline-cli/tests/mpi").canonicalize().expect("tests/mpi");
    // Half-way: the hosts are there, each has a process, and the script that made them is killed.
    dir.write(
        "die.sh",
        "for host in node001 node002 node003 node004; do nsenter --net=/run/netns/$host sleep 54321 & done\n\
         ls /run/netns > DIR-names; echo here; kill -9 $$\n"
            .replace("DIR", &dir.path("made").to_string_lossy()),
    );
    let ran = run(&dir, &format!("bash {}/racks.sh 2 2 none 200mbit -- bash DIR/die.sh", scripts.display()));
    assert!(!ran.success && ran.stdout.contains("here"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(dir.read("made-names").lines().count(), 4, "the hosts were there");
    for host in ["node001", "node002", "node003", "node004"] {
        assert!(!fs::exists(format!("/run/netns/{host}")).expect("/run"), "{host} is left");
    }
    let command = |pid: &fs::DirEntry| fs::read(pid.path().join("cmdline")).unwrap_or_default();
    let left =
        fs::read_dir("/proc").expect("/proc").flatten().filter(|pid| command(pid) == b"sleep\x0054321\0").count();
    assert_eq!(left, 0, "processes are left");
}
