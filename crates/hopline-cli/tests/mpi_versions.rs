//! The layer in programs with threads, and under MPI libraries that Debian lacks:
//! HOPLINE_OPENMPI5 and HOPLINE_MPICH5 say where they are installed (`./check --full` does both).

mod common;

use common::mpi::{OPEN_MPI, compile, run, skipped};
use common::{Scratch, skip};
use std::fs;

/// Ranks on three nodes by name.
const HOSTS: &str =
    "#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\nexport HOPLINE_HOST=node00$((rank % 3 + 1))\nexec \"$@\"\n";
const FORCED: &str = "HOPLINE_COLLECTIVES=all HOPLINE_FORCE=1 HOPLINE_MIN_BYTES=1 HOPLINE_VERBOSE=1";

/// Lines of a recording's matrix but for times.
fn counted(dir: &Scratch, recording: &str) -> Vec<String> {
    dir.hopline(&format!("record merge DIR/{recording} -o DIR/{recording}.csv")).done();
    dir.read(&format!("{recording}.csv")).lines().filter(|l| !l.starts_with(['t', '#'])).map(String::from).collect()
}

#[test]
fn threads_are_recorded_and_served_side_by_side() {
    // MPICH spins where it waits: twelve threads on few cores take their time.
    let slow = skip::is_slow();
    let libraries = [("openmpi", OPEN_MPI), ("mpich", "mpirun.mpich")];
    for (library, launcher) in libraries.into_iter().take(if slow { 2 } else { 1 }) {
        if skipped(&[&format!("mpicc.{library}"), &format!("mpirun.{library}")]) {
            continue;
        }
        let dir = Scratch::new(&format!("threads-{library}"));
        compile(&dir, &format!("mpicc.{library}"), "threads.c", &["-pthread"], "threads");
        dir.write("hosts.sh", HOSTS);
        let job = format!("env LD_PRELOAD=LAYER HOPLINE_RECORD=DIR/recording {FORCED} sh DIR/hosts.sh DIR/threads");
        let ran = run(&dir, &format!("{launcher} -n 3 {job}"));
        assert!(ran.success && ran.stdout.contains("wrong: 0"), "{library}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("41 of 41 collectives"), "{}", ran.stderr);
        let ring = counted(&dir, "recording").into_iter().filter(|l| l.starts_with("p,"));
        assert_eq!(ring.collect::<Vec<_>>(), ["p,0,1,200,800", "p,1,2,200,800", "p,2,0,200,800"], "{library}");
    }
}

/// Ranks whose threads first meet at once must agree on where their messages travel, whichever thread was first.
#[test]
fn threads_may_meet_first_in_any_order() {
    if skipped(&["mpicc.openmpi", "mpirun.openmpi"]) {
        return;
    }
    let dir = Scratch::new("threads-meet");
    compile(&dir, "mpicc.openmpi", "meet.c", &["-pthread", "-rdynamic"], "meet");
    dir.write("hosts.sh", HOSTS);
    for rounds in [1, 50] {
        let job = format!("env LD_PRELOAD=LAYER {FORCED} sh DIR/hosts.sh DIR/meet {rounds}");
        let ran = run(&dir, &format!("{OPEN_MPI} -n 3 {job}"));
        assert!(ran.success && ran.stdout.contains("wrong: 0"), "{}{}", ran.stdout, ran.stderr);
        let all = 2 * rounds + 1;
        assert!(ran.stderr.contains(&format!("{all} of {all} collectives")), "{}", ran.stderr);
    }
}

/// Programs of this file under a library in a place of its own.
fn installed(variable: &str, compilers: &[&str], launcher: &str) {
    let Some(prefix) = std::env::var(variable).ok().filter(|prefix| !prefix.is_empty()) else {
        return skip::skip(format!("{variable} is not set"));
    };
    if skipped(&["gcc"]) {
        return;
    }
    for compiler in compilers {
        let dir = Scratch::new(&format!("later-{compiler}-{}", variable.to_lowercase()));
        let mpicc = format!("{prefix}/bin/{compiler}");
        compile(&dir, &mpicc, "many.c", &[], "many");
        compile(&dir, &mpicc, "collectives.c", &[], "collectives");
        compile(&dir, &mpicc, "nonblocking.c", &["-w"], "nonblocking");
        dir.write("hosts.sh", HOSTS);
        let mpirun = format!("{prefix}/bin/{launcher} -n 4");
        for (recording, job) in
            [("recording", "DIR/many"), ("other", "DIR/collectives few"), ("third", "DIR/nonblocking")]
        {
            let job = format!("env LD_PRELOAD=LAYER HOPLINE_RECORD=DIR/{recording} {FORCED} sh DIR/hosts.sh {job}");
            let ran = run(&dir, &format!("{mpirun} {job}"));
            assert!(ran.success && ran.stdout.contains("wrong: 0"), "{compiler}: {}{}", ran.stdout, ran.stderr);
        }
        let sent: Vec<String> = counted(&dir, "recording").into_iter().filter(|l| l.starts_with("p,")).collect();
        assert_eq!(sent, ["p,0,1,24,96", "p,1,2,24,96", "p,2,3,24,96", "p,3,0,24,96"], "{compiler}");
        assert!(fs::exists(dir.path("other")).expect("a recording"), "{compiler}");
    }
}

#[test]
fn open_mpi_5_is_recorded_and_served() {
    installed("HOPLINE_OPENMPI5", &["mpicc"], "mpirun --allow-run-as-root --oversubscribe");
}

#[test]
fn mpich_5_is_recorded_and_served_by_both_its_interfaces() {
    installed("HOPLINE_MPICH5", &["mpicc", "mpicc_abi"], "mpirun");
}
