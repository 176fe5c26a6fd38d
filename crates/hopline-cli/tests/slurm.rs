//! The layer in jobs of a real Slurm whose nodes are namespaces of this machine,
//! with Slurm's own tree of switches for the distances.

mod common;

use common::Scratch;
use common::mpi::{compile, layer, run, skipped};
use common::racks::slow;
use common::slurm::slurm;

/// Six hosts on two switches under a third.
const MACHINE: &str = "SlurmctldHost=node001(10.77.0.1)\nTopologyPlugin=topology/tree\n";
const TOPOLOGY: &str =
    "SwitchName=leaf0 Nodes=node[001-003]\nSwitchName=leaf1 Nodes=node[004-006]\nSwitchName=spine Switches=leaf[0-1]\n";

/// Slurm gives the hosts; they are reached as in the other tests.
const BATCH: &str = "#!/bin/bash
mpirun.openmpi --mca plm rsh --mca plm_rsh_agent DIR/agent.sh --mca plm_rsh_no_tree_spawn 1 \
--mca oob_tcp_if_include eth0 --mca btl self,tcp --mca btl_tcp_if_include eth0 --mca mpi_yield_when_idle 1 --bind-to none \
-x LD_PRELOAD=LAYER:DIR/yield.so -x HOPLINE_COLLECTIVES=bcast,allgather -x HOPLINE_DELAYS=slurm -x HOPLINE_VERBOSE=1 \
-x HOPLINE_FORCE=1 DIR/collective bcast 65536 3 c r
";

/// Slurm starts the ranks itself; what is exported reaches them.
const DIRECT: &str = "#!/bin/bash
export LD_PRELOAD=LAYER:DIR/yield.so HOPLINE_COLLECTIVES=bcast,allgather HOPLINE_DELAYS=slurm HOPLINE_VERBOSE=1
export HOPLINE_FORCE=1 OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_mpi_yield_when_idle=1
exec srun -N 6 -n 6 \"$@\" bcast 65536 3 c r
";

/// Runs words in a Slurm, DIR and LAYER in them and in the scripts being paths.
fn in_slurm(dir: &Scratch, words: &str) -> String {
    let here = dir.path("").to_str().expect("UTF-8").trim_end_matches('/').to_string();
    let nodes: String = (1..=6).map(|i| format!("NodeName=node00{i} NodeAddr=10.77.0.{i} CPUs=4\n")).collect();
    let start = slurm(dir, &format!("{MACHINE}{nodes}"), 6);
    dir.write("topology.conf", TOPOLOGY);
    for (name, text) in [("batch.sh", BATCH), ("direct.sh", DIRECT)] {
        dir.write(name, text.replace("DIR", &here).replace("LAYER", &layer().to_string_lossy()));
    }
    compile(dir, "gcc", "yield.c", &["-shared", "-fPIC"], "yield.so");
    let racks = common::root().join("crates/hopline-cli/tests/mpi/racks.sh").canonicalize().expect("tests/mpi");
    let ran = run(dir, &format!("bash {} 2 3 none 200mbit -- {start} {words}", racks.display()));
    assert!(ran.success, "{}{}", ran.stdout, ran.stderr);
    ran.stdout + &ran.stderr
}

const TOOLS: [&str; 6] = ["gcc", "tc", "munged", "slurmctld", "slurmd", "sbatch"];

fn knows_the_switches(text: &str) {
    assert!(text.contains("6 nodes in 2 islands, delays Slurm from scontrol"), "{text}");
    assert!(text.contains("16 of 16 collectives of rank 0") && text.contains("wrong bytes: 0"), "{text}");
}

#[test]
fn a_batch_job_learns_its_switches_from_slurm() {
    if skipped(&TOOLS) || skipped(&["mpirun.openmpi", "mpicc.openmpi"]) {
        return;
    }
    let dir = Scratch::new("slurm-batch");
    compile(&dir, "mpicc.openmpi", "collective.c", &[], "collective");
    in_slurm(&dir, "sbatch --wait --quiet -N 6 -n 6 -o out DIR/batch.sh");
    knows_the_switches(&dir.read("out"));
}

/// Both ways in which Slurm can start ranks: Open MPI's and MPICH's.
#[test]
fn ranks_that_srun_starts_learn_their_switches_from_slurm() {
    // MPICH spins where it waits: six ranks on few cores take their time.
    let libraries = [("openmpi", "pmix"), ("mpich", "pmi2")];
    for (library, plugin) in libraries.into_iter().take(if slow() { 2 } else { 1 }) {
        let compiler = format!("mpicc.{library}");
        if skipped(&TOOLS) || skipped(&["srun", &compiler]) {
            continue;
        }
        let dir = Scratch::new(&format!("slurm-{plugin}"));
        compile(&dir, &compiler, "collective.c", &[], "collective");
        knows_the_switches(&in_slurm(&dir, &format!("bash DIR/direct.sh --mpi={plugin} DIR/collective")));
    }
}
