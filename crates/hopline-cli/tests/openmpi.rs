//! The launcher files against the real Open MPI: nodes that are UTS namespaces
//! of this machine, each with its own host name.

#![allow(clippy::print_stderr, reason = "a test that is skipped says why")]

mod common;

use common::Scratch;
use hopline::format::{hostfile, rankfile};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Stands in for ssh: `[options] HOST COMMAND...` runs the command here under that host's name.
const AGENT: &str = r#"#!/bin/bash
while [[ "$1" == -* ]]; do shift; done
host=$1; shift
exec unshare --uts bash -c "hostname $host; $*"
"#;

const PROGRAM: &str = "#!/bin/sh\necho \"rank $OMPI_COMM_WORLD_RANK on $(hostname)\"\n";

/// A process namespace of its own: when mpirun ends, the kernel ends all that it left behind.
const ISOLATED: [&str; 5] = ["--uts", "--pid", "--fork", "--kill-child", "--mount-proc"];

fn runs(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// Why Open MPI cannot be started here.
fn obstacle() -> Option<&'static str> {
    if !runs(Command::new("mpirun.openmpi").arg("--version")) {
        let ci = std::env::var("CI").is_ok_and(|value| value == "true");
        assert!(!ci, "mpirun.openmpi is not installed, and CI must run this test");
        return Some("mpirun.openmpi is not installed");
    }
    let namespaces = runs(Command::new("unshare").args(ISOLATED).args(["hostname", "elsewhere"]));
    (!namespaces).then_some("namespaces are not permitted: run as root")
}

/// Cores of this machine: Open MPI refuses slots beyond them.
fn cores() -> usize {
    let siblings = |cpu| fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"));
    (0..64).filter_map(|cpu| siblings(cpu).ok()).collect::<BTreeSet<_>>().len()
}

fn script(dir: &Scratch, name: &str, text: &str) -> PathBuf {
    let path = dir.write(name, text);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect(name);
    path
}

fn launch(dir: &Scratch, rankfile: &Path, hostfile: &Path) -> String {
    let agent = script(dir, "agent.sh", AGENT);
    let program = script(dir, "program.sh", PROGRAM);
    let output = Command::new("unshare")
        .args(ISOLATED)
        .args(["timeout", "--kill-after=5", "60", "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"])
        .args(["--display-map", "--mca", "plm_rsh_no_tree_spawn", "1", "--mca", "plm_rsh_agent"])
        .arg(agent)
        .args(["--mca", "orte_tmpdir_base"])
        .arg(dir.path(""))
        .arg("--hostfile")
        .arg(hostfile)
        .arg("--rankfile")
        .arg(rankfile)
        .arg(program)
        .envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")])
        .output()
        .expect("unshare ran before");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}\n{stdout}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    stdout
}

/// Host of each rank in the map that mpirun displays.
fn mapped(stdout: &str) -> BTreeMap<usize, String> {
    let mut host = "";
    let mut ranks = BTreeMap::new();
    for line in stdout.lines() {
        if let Some((_, rest)) = line.split_once("Data for node: ") {
            host = rest.split_whitespace().next().unwrap_or_default();
        } else if let Some((_, rest)) = line.split_once("Process rank: ") {
            let rank = rest.split_whitespace().next().and_then(|word| word.parse().ok()).expect(line);
            ranks.insert(rank, host.to_string());
        }
    }
    ranks
}

/// Host of each rank as the ranks themselves tell it.
fn told(stdout: &str) -> BTreeMap<usize, String> {
    let pair = |line: &str| {
        let (rank, host) = line.strip_prefix("rank ")?.split_once(" on ")?;
        Some((rank.parse().ok()?, host.to_string()))
    };
    stdout.lines().filter_map(pair).collect()
}

#[test]
fn every_rank_runs_on_its_planned_host() {
    if let Some(why) = obstacle() {
        eprintln!("skipped: {why}");
        return;
    }
    // Scattered, so that no default order of Open MPI gives it by chance.
    let order = [
        ("node003", 0),
        ("node001", 1),
        ("node004", 0),
        ("node002", 1),
        ("node001", 0),
        ("node003", 1),
        ("node002", 0),
    ];
    let plan: Vec<(&str, u32)> = order.into_iter().filter(|slot| (slot.1 as usize) < cores().max(1)).collect();
    let expected: BTreeMap<usize, String> = plan.iter().map(|slot| slot.0.to_string()).enumerate().collect();
    let dir = Scratch::new("openmpi");
    let rankfile = dir.write("rankfile", rankfile::write(&plan));
    let hostfile = dir.write("hostfile", hostfile::write(&plan));
    let stdout = launch(&dir, &rankfile, &hostfile);
    assert_eq!(mapped(&stdout), expected, "{stdout}");
    assert_eq!(told(&stdout), expected, "{stdout}");
}

#[test]
fn what_the_map_command_writes_is_what_runs() {
    if let Some(why) = obstacle() {
        eprintln!("skipped: {why}");
        return;
    }
    let dir = Scratch::new("openmpi-map");
    let job = "--fabric testdata/fabrics/lmc1-8 --traffic halo:grid=2x4 --mapping random --seed 1";
    dir.hopline(&format!("map {job} --export rankfile=DIR/ranks --export hostfile=DIR/hosts")).done();
    let text = dir.read("ranks");
    let place = |line: &str| {
        let (rank, place) = line.strip_prefix("rank ")?.split_once('=')?;
        Some((rank.parse().ok()?, place.strip_suffix(" slot=0")?.to_string()))
    };
    let planned: BTreeMap<usize, String> = text.lines().filter_map(place).collect();
    assert_eq!(planned.len(), 8, "{text}");
    assert!(!planned.values().is_sorted(), "a default order of Open MPI must not give it by chance: {text}");
    let stdout = launch(&dir, &dir.path("ranks"), &dir.path("hosts"));
    assert_eq!(mapped(&stdout), planned, "{stdout}");
    assert_eq!(told(&stdout), planned, "{stdout}");
}
