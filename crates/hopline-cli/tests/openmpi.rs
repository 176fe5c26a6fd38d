//! Rankfile and hostfile against the real Open MPI 4, on nodes that are
//! namespaces of this machine.

mod common;

use common::Scratch;
use common::launch::{cores, launch, obstacle, told};
use hopline::format::{Placement, hostfile, rankfile};
use std::collections::BTreeMap;

/// Runs a job on `DIR/ranks` and `DIR/hosts`.
fn mpirun(dir: &Scratch) -> String {
    let words = "mpirun.openmpi --oversubscribe --display-map --mca plm_rsh_no_tree_spawn 1 --mca plm_rsh_agent AGENT \
                 --mca orte_tmpdir_base DIR --hostfile DIR/hosts --rankfile DIR/ranks PROGRAM";
    launch(dir, words, &[("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")])
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

#[test]
fn every_rank_runs_on_its_planned_host() {
    if let Some(why) = obstacle(&["mpirun.openmpi"]) {
        return common::skip::skip(why);
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
    let placement = Placement::new(&plan);
    dir.write("ranks", rankfile::write(&placement));
    dir.write("hosts", hostfile::write(&placement));
    let stdout = mpirun(&dir);
    assert_eq!(mapped(&stdout), expected, "{stdout}");
    assert_eq!(told(&stdout), expected, "{stdout}");
}

#[test]
fn what_the_map_command_writes_is_what_runs() {
    if let Some(why) = obstacle(&["mpirun.openmpi"]) {
        return common::skip::skip(why);
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
    let stdout = mpirun(&dir);
    assert_eq!(mapped(&stdout), planned, "{stdout}");
    assert_eq!(told(&stdout), planned, "{stdout}");
}
