//! The sessions of the guide's page about the MPI layer, followed to the letter on eight hosts in
//! two racks: namespaces of this machine.
#![allow(clippy::print_stdout, reason = "the times are what these tests are for")]

mod common;

use common::mpi::{compile, layer, skipped};
use common::racks::{Machine, RACKS, THIN, rounds};
use common::{Scratch, blocks, root};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

/// What an administrator has set up: which MPI there is, and how it reaches the hosts.
const CLUSTER: &str = "export PATH=DIR/bin:$PATH OMPI_MCA_plm=rsh OMPI_MCA_plm_rsh_agent=DIR/agent.sh
export OMPI_MCA_plm_rsh_no_tree_spawn=1 OMPI_MCA_oob_tcp_if_include=eth0 OMPI_MCA_btl=self,tcp
export OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
cd DIR
";

/// A directory with what the page takes for granted: `hosts` (made with the racks), the layer,
/// the cabling of two racks of four, and the user's program. `None` where namespaces cannot be made.
fn desk(name: &str, source: &str, arguments: &str) -> Option<Scratch> {
    if skipped(&["mpirun.openmpi", "mpicc.openmpi", "tc"]) {
        return None;
    }
    let dir = Scratch::new(name);
    let here = dir.path("").to_str().expect("UTF-8").trim_end_matches('/').to_string();
    compile(&dir, "mpicc.openmpi", source, &[], "program");
    compile(&dir, "gcc", "yield.c", &["-shared", "-fPIC"], "yield.so");
    // Eight ranks share two cores: those that wait sleep.
    let app =
        format!("#!/bin/sh\nLD_PRELOAD=${{LD_PRELOAD:+$LD_PRELOAD:}}{here}/yield.so exec {here}/program {arguments}\n");
    let app = dir.write("app", app);
    fs::set_permissions(app, fs::Permissions::from_mode(0o755)).expect("app");
    fs::create_dir(dir.path("bin")).expect("bin");
    symlink("/usr/bin/mpirun.openmpi", dir.path("bin/mpirun")).expect("mpirun");
    symlink(env!("CARGO_BIN_EXE_hopline"), dir.path("bin/hopline")).expect("hopline");
    symlink(layer(), dir.path("libhopline_mpi.so")).expect("the layer");
    let cabling = root().join("testdata/fabrics/lmc1-8/ibnetdiscover.txt");
    fs::copy(cabling, dir.path("ibnetdiscover.txt")).expect("ibnetdiscover.txt");
    dir.write("cluster.sh", CLUSTER.replace("DIR", &here));
    Some(dir)
}

/// Runs the session below a heading; answers what it printed, and the times in it (ms).
fn follow(dir: &Scratch, machine: &Machine, heading: &str, word: &str) -> (String, Vec<f64>) {
    let page = fs::read_to_string(root().join("docs/src/mpi.md")).expect("mpi.md");
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).expect(heading);
    let section = section.split("\n## ").next().unwrap_or_default();
    let session = blocks(section, "sh cluster");
    assert_eq!(session.len(), 1, "one session below `{heading}`");
    dir.write("session.sh", format!("{}{}", dir.read("cluster.sh"), session[0]));
    let text = machine.on_hosts(dir, "bash -eu DIR/session.sh");
    let time = |line: &str| line.strip_prefix(word)?.trim().strip_suffix(" ms")?.parse().ok();
    let times = text.lines().filter_map(time).collect();
    (text, times)
}

/// How much faster the last run of a session was than its first: under HOPLINE_SLOW the middle of three sessions.
fn gain(dir: &Scratch, machine: &Machine, heading: &str, word: &str, said: &str) -> f64 {
    let mut gains: Vec<f64> = (0..rounds())
        .map(|_| {
            // Each session learns for itself.
            let _ = fs::remove_dir_all(dir.path(".cache"));
            let (text, times) = follow(dir, machine, heading, word);
            assert!(times.len() == 2 && text.contains(said), "{text}");
            times[0] / times[1]
        })
        .collect();
    gains.sort_by(f64::total_cmp);
    println!("{heading}: {gains:?} times as fast");
    gains[gains.len() / 2]
}

#[test]
fn collectives_are_faster_without_touching_the_code() {
    let Some(dir) = desk("guide-faster", "collective.c", "bcast 524288 9 c") else { return };
    let gain = gain(&dir, &RACKS, "Make my collectives faster without touching my code", "c", " as it is: used");
    assert!(gain >= 1.4, "{gain}");
}

#[test]
fn a_program_is_mapped_by_its_recording() {
    let Some(dir) = desk("guide-mapped", "exchange.c", "262144 7") else { return };
    let gain = gain(&dir, &THIN, "Map a program by its recording", "step", "verdict     Use ");
    assert!(gain >= 1.4, "{gain}");
}
