//! The configuration of a Slurm on this machine alone; `tests/mpi/slurm.sh` starts it.

use super::{Scratch, root};

/// PMIx of every node has a directory of its own: on one machine they would meet in /tmp.
const CONFIGURATION: &str = "
ClusterName=hopline
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=DIR/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
MpiDefault=none
TmpFS=DIR/tmp-%n
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool/%n
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/slurmd.%n.pid
SlurmctldLogFile=DIR/slurmctld.log
SlurmdLogFile=DIR/slurmd.%n.log
PartitionName=all Nodes=ALL Default=YES State=UP
";

/// Writes `slurm.conf`, with the lines that name the controller and the nodes, and answers the words that start
/// this Slurm of so many nodes in the directory.
pub(crate) fn slurm(dir: &Scratch, machine: &str, nodes: u32) -> String {
    let place = dir.path("").to_str().expect("a temporary directory of UTF-8").trim_end_matches('/').to_string();
    dir.write("slurm.conf", format!("{machine}{}", CONFIGURATION.replace("DIR", &place)));
    let script = root().join("crates/hopline-cli/tests/mpi/slurm.sh").canonicalize().expect("tests/mpi");
    format!("bash {} {nodes}", script.display())
}
