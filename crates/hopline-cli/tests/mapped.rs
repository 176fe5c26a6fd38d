//! A program mapped by its own recording, measured before and after on hosts in two
//! racks with a thin trunk; and what is left of the hosts when a job dies.

#![allow(clippy::print_stdout, reason = "the times are what these tests are for")]

mod common;

use common::mpi::{OPEN_MPI, compile, run, skipped};
use common::racks::{Machine, OVER_TCP, THIN, median, medians, rounds};
use common::{Scratch, root, skip};
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
    let ([given, mapped], times) = medians(rounds(), |way| {
        let file = ["given", "mapped"][way];
        let layer = format!("-x LD_PRELOAD=DIR/yield.so --rankfile DIR/{file}");
        median(&THIN.run(&dir, &layer, "exchange 262144 7"), "step")
    });
    println!("a step as given and as mapped: {times}");
    assert!(given >= 1.4 * mapped, "as given and as mapped: {times}");
}

/// LAMMPS puts neighbours side by side already: the search can win little over the given order, and much
/// over ranks dealt out to the hosts one by one. 32 ranks share each core, so only a very thin trunk is
/// seen beside what they compute.
#[test]
fn lammps_on_64_ranks_is_mapped_by_its_own_recording() {
    if !skip::slow("minutes") || skipped(&["mpirun.openmpi", "lmp", "tc"]) {
        return;
    }
    if fs::read_to_string("/proc/sys/kernel/sched_autogroup_enabled").is_ok_and(|on| on.trim() == "1") {
        // Each host's daemon begins a session: its ranks would yield to each other alone, and a step take seconds.
        return skip::skip("the kernel shares processors by session; 0 in sched_autogroup_enabled ends that");
    }
    let dir = Scratch::new("mapped-lammps");
    compile(&dir, "gcc", "yield.c", &["-shared", "-fPIC"], "yield.so");
    dir.write("in.melt", fs::read_to_string(root().join("testdata/programs/in.melt")).expect("in.melt"));
    let lammps = "lmp -in DIR/in.melt -var size 10 -var steps 40 -log none";
    let ran = run(&dir, &format!("HOPLINE record run --out DIR/recording -- {OPEN_MPI} -n 64 {lammps}"));
    assert!(ran.success, "{}{}", ran.stdout, ran.stderr);
    let job = "--topology file:testdata/fabrics/lmc1-8,slots=8 --traffic matrix:file=DIR/recording --mapping";
    for (mapping, file) in [("default", "given"), ("default,congestion-search", "mapped")] {
        println!("{}", dir.hopline(&format!("map {job} {mapping} --export sequential=DIR/{file}")).done());
    }
    dir.write("dealt", (0..64).map(|rank| format!("node00{}\n", rank % 8 + 1)).collect::<String>());
    let machine = Machine(2, 4, "20mbit", "200mbit");
    let ([dealt, given, mapped], times) = medians(rounds(), |way| {
        let file = ["dealt", "given", "mapped"][way];
        let job = format!(
            "mpirun.openmpi --hostfile DIR/{file} --mca rmaps seq -n 64 {OVER_TCP} -x LD_PRELOAD=DIR/yield.so {lammps}"
        );
        let text = machine.on_hosts(&dir, &job);
        let time = text.lines().find_map(|l| l.strip_prefix("Loop time of ")?.split(' ').next()?.parse::<f64>().ok());
        1e3 * time.unwrap_or_else(|| panic!("no time in {text}"))
    });
    println!("LAMMPS dealt out, as given, mapped: {dealt:.0}, {given:.0}, {mapped:.0} ms; {times}");
    assert!(mapped <= 1.25 * given && mapped < dealt, "dealt out, as given and as mapped: {times}");
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
