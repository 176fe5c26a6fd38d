//! SLURM_HOSTFILE for `srun -m arbitrary`: one host a line, line i for task i.

use super::Placement;
use crate::entry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "slurm-hostfile",
    summary: "Slurm srun -m arbitrary: the host of every task",
    doc: "One host per line, line i for task i; hosts may come in any order and again.\n\
          Slurm: SLURM_HOSTFILE=FILE srun -n RANKS -m arbitrary PROGRAM\n\
          Inside an allocation set the variable for srun alone: salloc and sbatch read it too. More tasks than lines are \
          refused, fewer take the first lines. The order of -w is no substitute: Slurm sorts it. Clusters whose srun \
          refuses -m (older Crays) need the export cray-rank-order.",
    example: "slurm-hostfile=hosts.txt",
    params: &[],
};

/// One host a line, in task order, below a comment with the command. O(ranks).
pub fn write(placement: &Placement<'_>) -> String {
    let ranks = placement.ranks.len();
    placement.hosts_below(format!("# SLURM_HOSTFILE=THIS_FILE srun -n {ranks} -m arbitrary PROGRAM\n"))
}

#[cfg(test)]
mod tests {
    use super::super::placement::hosts_of;
    use super::*;

    #[test]
    fn a_host_per_task_that_reads_back() {
        let text = write(&Placement::new(&[("n2", 0), ("n1", 0), ("n2", 1)]));
        assert_eq!(text, "# SLURM_HOSTFILE=THIS_FILE srun -n 3 -m arbitrary PROGRAM\nn2\nn1\nn2\n");
        assert_eq!(hosts_of(&text), ["n2", "n1", "n2"]);
    }
}
