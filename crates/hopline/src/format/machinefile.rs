//! Machine files of MPICH's hydra: `host:count` lines in rank order.

use super::Placement;
use crate::entry::Entry;
use std::fmt::Write as _;

pub(super) const ENTRY: Entry = Entry {
    name: "machinefile",
    summary: "MPICH mpiexec (hydra): hosts with counts, in rank order",
    doc: "Lines `node001:2` in rank order: the next 2 ranks run on node001. Consecutive ranks of a host share a line; a \
          host may come again.\n\
          MPICH: mpiexec.hydra -f FILE -n RANKS PROGRAM\n\
          MPICH (4.0 and 5.0 were tried) takes every line for a node of its own: ranks of one host on different lines do \
          not share memory, and MPI_COMM_TYPE_SHARED parts them. Prefer a mapping that keeps each host's ranks together. \
          More ranks than the file has start again at its top.",
    example: "machinefile=machines.txt",
    params: &[],
};

/// `host:count` lines in rank order, consecutive ranks of a host together, below
/// a comment with the command. O(ranks).
pub fn write(placement: &Placement<'_>) -> String {
    let mut text = format!("# MPICH: mpiexec.hydra -f THIS_FILE -n {} PROGRAM\n", placement.ranks.len());
    for (host, count) in placement.runs() {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{host}:{count}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::placement::hosts_of;
    use super::*;

    #[test]
    fn neighbours_share_a_line_that_reads_back() {
        let text = write(&Placement::new(&[("b", 0), ("b", 1), ("a", 0), ("b", 2)]));
        assert_eq!(text, "# MPICH: mpiexec.hydra -f THIS_FILE -n 4 PROGRAM\nb:2\na:1\nb:1\n");
        assert_eq!(hosts_of(&text), ["b", "b", "a", "b"]);
    }
}
