//! Collectives of the layer against the library's own, on a few ranks of this
//! machine that are told to be on different nodes.

mod common;

use common::Scratch;
use common::mpi::{OPEN_MPI, compile, run, skipped};

/// Runs a program with this rank's node as `HOPLINE_HOST`: three ranks a node, the last with fewer.
const HOSTS: &str = "#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\nexport HOPLINE_HOST=node00$((rank % 3 + 1))\nexec \"$@\"\n";

const ALL: &str = "HOPLINE_COLLECTIVES=all";

fn prepare(name: &str, library: &str) -> Option<Scratch> {
    let (mpicc, mpirun) = (format!("mpicc.{library}"), format!("mpirun.{library}"));
    if skipped(&[&mpicc, &mpirun]) {
        return None;
    }
    let dir = Scratch::new(&format!("{name}-{library}"));
    compile(&dir, &mpicc, "collectives.c", &[], "collectives");
    dir.write("hosts.sh", HOSTS);
    Some(dir)
}

/// Runs words on ranks with the layer before them and these variables.
fn layered(dir: &Scratch, library: &str, ranks: u32, variables: &[&str], job: &str) -> String {
    let launcher = if library == "openmpi" { OPEN_MPI } else { "mpirun.mpich" };
    let set: Vec<String> = variables.iter().map(|v| format!("{v} ")).collect();
    let words = format!("{launcher} -n {ranks} env LD_PRELOAD=LAYER {}sh DIR/hosts.sh {job}", set.concat());
    let ran = run(dir, &words);
    assert!(ran.success, "{library}: {}{}", ran.stdout, ran.stderr);
    ran.stdout + &ran.stderr
}

/// The numbers before and after a word in what the layer said at the end.
fn went(text: &str) -> (u64, u64) {
    let line = text.lines().find(|l| l.contains("went the ways")).unwrap_or_else(|| panic!("no report in {text}"));
    let numbers: Vec<u64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
    (numbers[0], numbers[1])
}

#[test]
fn every_collective_gives_what_the_library_gives() {
    // MPICH spins where it waits: many ranks on few cores take minutes.
    let slow = std::env::var_os("HOPLINE_SLOW").is_some();
    for (library, ranks) in [("openmpi", 8), ("mpich", if slow { 8 } else { 4 })] {
        let Some(dir) = prepare("collectives", library) else { continue };
        let modes = ["HOPLINE_FORCE=1", "HOPLINE_TRIALS=1"];
        for mode in &modes[..if slow { 2 } else { 1 }] {
            let variables = [ALL, mode, "HOPLINE_MIN_BYTES=1", "HOPLINE_VERBOSE=1"];
            let job = if slow { "DIR/collectives" } else { "DIR/collectives few" };
            let text = layered(&dir, library, ranks, &variables, job);
            let line = text.lines().find_map(|l| l.strip_prefix("compared: ")).unwrap_or_else(|| panic!("{text}"));
            assert!(line.ends_with(" wrong: 0") && !line.starts_with('0'), "{library}: {text}");
            let (ours, calls) = went(&text);
            assert!(calls > 50, "{library}: {calls} calls");
            assert!(*mode != modes[0] || ours == calls, "{library}: {ours} of {calls} calls");
        }
    }
}
