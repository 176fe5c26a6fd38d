//! Launcher files against the real launchers, each on nodes that are namespaces
//! of this machine: the file that `hopline map` writes is what runs.
//!
//! Open MPI 5 and MPICH 5 are no Debian packages: HOPLINE_OPENMPI5 and
//! HOPLINE_MPICH5 say where they are installed (`./check --full` does both).

mod common;

use common::Scratch;
use common::launch::{cores, isolated, launch, obstacle, told};
use common::slurm::slurm;
use std::collections::BTreeMap;
use std::process::Command;

/// Hosts of ranks 0 to 7: an order that no launcher gives by itself, with
/// neighbours on one host and a host that comes again.
const PLAN: [&str; 8] = ["node003", "node001", "node001", "node004", "node002", "node003", "node002", "node004"];

/// Has `hopline map` write the plan in these formats, into files of their names.
fn export(dir: &Scratch, formats: &[&str]) {
    dir.write("plan", PLAN.join("\n"));
    let exports: Vec<String> = formats.iter().map(|format| format!("--export {format}=DIR/{format}")).collect();
    let job = "map --topology file:testdata/fabrics/lmc1-8,slots=2 --traffic halo:grid=2x4 --mapping file:DIR/plan";
    dir.hopline(&format!("{job} {}", exports.join(" "))).done();
}

fn planned() -> BTreeMap<usize, String> {
    PLAN.map(String::from).into_iter().enumerate().collect()
}

fn skipped(why: Option<String>) -> bool {
    if let Some(why) = &why {
        common::skip::skip(why);
    }
    why.is_some()
}

/// Where a launcher is that is no Debian package.
fn prefix(variable: &str) -> Option<String> {
    let prefix = std::env::var(variable).ok().filter(|prefix| !prefix.is_empty());
    if prefix.is_none() {
        common::skip::skip(format!("{variable} is not set"));
    }
    prefix
}

#[test]
fn open_mpi_4_follows_the_sequential_file() {
    if skipped(obstacle(&["mpirun.openmpi"])) {
        return;
    }
    let dir = Scratch::new("seq4");
    export(&dir, &["sequential"]);
    let words = "mpirun.openmpi --mca plm_rsh_no_tree_spawn 1 --mca plm_rsh_agent AGENT --mca orte_tmpdir_base DIR -n 8 \
                 --hostfile DIR/sequential --map-by seq PROGRAM";
    let root = [("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")];
    assert_eq!(told(&launch(&dir, words, &root)), planned());
}

/// Open MPI 5.0.11 now and then (often where its daemons detach) does not end
/// after all its ranks have; they have told their hosts by then.
const PATIENT: &str = "timeout --kill-after=2 15 \"$@\"; case $? in 0 | 124 | 137) ;; *) exit 1 ;; esac\n";

#[test]
fn open_mpi_5_follows_the_sequential_file_and_the_rankfile() {
    let Some(prefix) = prefix("HOPLINE_OPENMPI5") else { return };
    if skipped(obstacle(&[])) {
        return;
    }
    let dir = Scratch::new("ompi5");
    export(&dir, &["sequential", "rankfile", "hostfile"]);
    dir.write("patient.sh", PATIENT);
    let mpirun = format!(
        "sh DIR/patient.sh {prefix}/bin/mpirun --allow-run-as-root --leave-session-attached \
         --prtemca plm_ssh_no_tree_spawn 1 --prtemca plm_ssh_agent AGENT"
    );
    let seq =
        launch(&dir, &format!("{mpirun} -n 8 --hostfile DIR/sequential --map-by seq --bind-to none PROGRAM"), &[]);
    assert_eq!(told(&seq), planned());
    // A slot is a core.
    if cores() >= 2 {
        let map = "--hostfile DIR/hostfile --map-by rankfile:file=DIR/rankfile";
        assert_eq!(told(&launch(&dir, &format!("{mpirun} {map} PROGRAM"), &[])), planned());
    }
}

#[test]
fn mpich_follows_the_machinefile() {
    if skipped(obstacle(&["mpiexec.hydra"])) {
        return;
    }
    let dir = Scratch::new("hydra");
    export(&dir, &["machinefile"]);
    let words = "mpiexec.hydra -launcher ssh -launcher-exec AGENT -f DIR/machinefile -n 8 PROGRAM";
    assert_eq!(told(&launch(&dir, words, &[])), planned());
}

/// Four nodes, all of them this machine.
const SLURM: &str = "SlurmctldHost=localhost(127.0.0.1)\n\
                     NodeName=node[001-004] NodeHostname=localhost NodeAddr=127.0.0.1 Port=17001-17004 CPUs=4\n";

#[test]
fn slurm_follows_its_hostfile() {
    if skipped(obstacle(&["munged", "slurmctld", "slurmd", "srun"])) {
        return;
    }
    let dir = Scratch::new("slurm");
    export(&dir, &["slurm-hostfile"]);
    let words = format!("{} srun -n 8 -m arbitrary PROGRAM", slurm(&dir, SLURM, 4));
    assert_eq!(told(&launch(&dir, &words, &[("SLURM_HOSTFILE", "DIR/slurm-hostfile")])), planned());
}

/// One broadcast, for MPICH to build its tree.
const BROADCAST: &str = "#include <mpi.h>\n\
    int main(int n, char **v) { int x = 1; MPI_Init(&n, &v); MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD); \
    return MPI_Finalize(); }\n";

#[test]
fn mpich_5_builds_its_trees_from_the_coordinates() {
    let Some(prefix) = prefix("HOPLINE_MPICH5") else { return };
    if skipped(obstacle(&["cc"])) {
        return;
    }
    let dir = Scratch::new("coordinates");
    let job = "--topology dragonfly:p=2,a=2,h=1 --traffic halo:grid=2x4 --mapping random";
    dir.hopline(&format!("map {job} --export mpich-coordinates=DIR/ours")).done();
    let source = dir.write("broadcast.c", BROADCAST);
    let built = Command::new(format!("{prefix}/bin/mpicc")).arg(source).arg("-o").arg(dir.path("broadcast")).status();
    assert!(built.expect("mpicc").success());
    let run = isolated(&dir, &[&format!("{prefix}/bin/mpiexec.hydra"), "-n", "8", "./broadcast"])
        .envs([("MPIR_CVAR_COORDINATES_FILE", "ours"), ("MPIR_CVAR_COORDINATES_DUMP", "1")])
        .envs([("MPIR_CVAR_BCAST_DEVICE_COLLECTIVE", "0"), ("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "tree")])
        .envs([("MPIR_CVAR_BCAST_TREE_TYPE", "topology_aware"), ("MPIR_CVAR_COLL_TREE_DUMP", "1")])
        .output()
        .expect("unshare ran before");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));

    // What MPICH has read is what was written, but for the comment.
    let ours = dir.read("ours");
    let (_, lines) = ours.split_once('\n').expect("a comment on top");
    assert_eq!(dir.read("coords"), lines);
    // And its tree enters every group and every switch but the root's once.
    let part = |rank: usize, fields: usize| -> Vec<&str> {
        lines.lines().nth(rank).expect(lines).split_whitespace().skip(1).take(fields).collect()
    };
    for fields in [1, 2] {
        let mut parts: Vec<Vec<&str>> = (0..8).map(|rank| part(rank, fields)).collect();
        let crossings = (0..8).filter(|&rank| parent(&dir, rank).is_some_and(|p| parts[p] != parts[rank])).count();
        parts.sort();
        parts.dedup();
        assert!(parts.len() > 1, "one part proves nothing: {lines}");
        assert_eq!(crossings, parts.len() - 1, "{lines}");
    }
}

/// Where a rank has its data from, in the tree that MPICH dumped.
fn parent(dir: &Scratch, rank: usize) -> Option<usize> {
    let tree: serde_json::Value =
        serde_json::from_str(&dir.read(&format!("colltree{rank}.json"))).expect("MPICH's JSON");
    tree["parent"].as_u64().map(|parent| parent as usize)
}
