//! The layer in a job of a real Slurm whose nodes are namespaces of this machine,
//! with Slurm's own tree of switches for the distances.

mod common;

use common::Scratch;
use common::mpi::{compile, layer, run, skipped};

const SLURM_CONF: &str = "
ClusterName=hopline
SlurmctldHost=node001(10.77.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=DIR/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
TopologyPlugin=topology/tree
SlurmdParameters=config_overrides
MpiDefault=none
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool/%n
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/slurmd.%n.pid
SlurmctldLogFile=DIR/slurmctld.log
SlurmdLogFile=DIR/slurmd.%n.log
PartitionName=all Nodes=ALL Default=YES State=UP
";

/// Two switches under a third.
const TOPOLOGY: &str =
    "SwitchName=leaf0 Nodes=node[001-003]\nSwitchName=leaf1 Nodes=node[004-006]\nSwitchName=spine Switches=leaf[0-1]\n";

/// Slurm gives the hosts; they are reached as in the other tests.
const JOB: &str = "#!/bin/bash
mpirun.openmpi --mca plm rsh --mca plm_rsh_agent DIR/agent.sh --mca plm_rsh_no_tree_spawn 1 \
--mca oob_tcp_if_include eth0 --mca btl self,tcp --mca btl_tcp_if_include eth0 --mca mpi_yield_when_idle 1 --bind-to none \
-x LD_PRELOAD=LAYER:DIR/yield.so -x HOPLINE_COLLECTIVES=bcast,allgather -x HOPLINE_DELAYS=slurm -x HOPLINE_VERBOSE=1 \
-x HOPLINE_FORCE=1 DIR/collective bcast 65536 3 c r
";

#[test]
fn a_batch_job_learns_its_switches_from_slurm() {
    if skipped(&["mpirun.openmpi", "mpicc.openmpi", "tc", "munged", "slurmctld", "slurmd", "sbatch"]) {
        return;
    }
    let dir = Scratch::new("slurm-job");
    compile(&dir, "mpicc.openmpi", "collective.c", &[], "collective");
    compile(&dir, "gcc", "yield.c", &["-shared", "-fPIC"], "yield.so");
    let here = dir.path("").to_str().expect("UTF-8").trim_end_matches('/').to_string();
    let nodes: String = (1..=6).map(|i| format!("NodeName=node00{i} NodeAddr=10.77.0.{i} CPUs=4\n")).collect();
    dir.write(
        "slurm.conf",
        SLURM_CONF.replace("DIR", &here).replace("PartitionName", &format!("{nodes}PartitionName")),
    );
    dir.write("topology.conf", TOPOLOGY);
    dir.write("job.sh", JOB.replace("DIR", &here).replace("LAYER", &layer().to_string_lossy()));
    let scripts = common::root().join("crates/hopline-cli/tests/mpi").canonicalize().expect("tests/mpi");
    let scripts = scripts.display();
    let words = format!("bash {scripts}/racks.sh 2 3 none 200mbit -- bash {scripts}/slurm.sh 6 DIR/job.sh");
    let ran = run(&dir, &words);
    assert!(ran.success, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("6 ranks on 6 nodes in 2 islands, delays Slurm from scontrol"), "{}", ran.stdout);
    assert!(ran.stdout.contains("wrong bytes: 0"), "{}", ran.stdout);
}
