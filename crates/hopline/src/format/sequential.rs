//! Files for Open MPI's sequential mapper: one host a line, line i for rank i.

use super::Placement;
use crate::entry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "sequential",
    summary: "Open MPI --map-by seq: the host of every rank, nothing bound",
    doc: "One host per line, line i for rank i; a host stands on as many lines as it has ranks. The simplest file that \
          places exactly; which core a rank takes is left to Open MPI.\n\
          Open MPI 4.1 and 5: mpirun -n RANKS --hostfile FILE --map-by seq PROGRAM\n\
          Always give -n: without it 4.1 counts the cores of a host that stands on one line only, and refuses. Open MPI \
          5 needs --bind-to none where a host has more ranks than cores (it ends with PMIX errors), and the file as \
          --hostfile: `seq:file=FILE` alone starts nothing.",
    example: "sequential=seq.txt",
    params: &[],
};

/// One host a line, in rank order, below a comment with the command. O(ranks).
pub fn write(placement: &Placement<'_>) -> String {
    let ranks = placement.ranks.len();
    placement.hosts_below(format!("# Open MPI 4 and 5: mpirun -n {ranks} --hostfile THIS_FILE --map-by seq PROGRAM\n"))
}

#[cfg(test)]
mod tests {
    use super::super::placement::hosts_of;
    use super::*;

    #[test]
    fn a_host_per_rank_that_reads_back() {
        let text = write(&Placement::new(&[("node2", 1), ("node1", 0), ("node2", 0)]));
        assert_eq!(
            text,
            "# Open MPI 4 and 5: mpirun -n 3 --hostfile THIS_FILE --map-by seq PROGRAM\nnode2\nnode1\nnode2\n"
        );
        assert_eq!(hosts_of(&text), ["node2", "node1", "node2"]);
    }
}
