//! Open MPI rankfiles: which rank runs on which host, in which slot.

use super::Placement;
use crate::entry::Entry;
use crate::fabric::Core;
use std::fmt::Write as _;

pub(super) const ENTRY: Entry = Entry {
    name: "rankfile",
    summary: "Open MPI rankfile: every rank's host and slot",
    doc: "One line per rank, `rank 0=node001 slot=0`; needs the hostfile beside it.\n\
          Open MPI 4: mpirun --hostfile HOSTS --rankfile RANKS PROGRAM\n\
          Open MPI 5 (PRRTE) takes the same two files: mpirun --hostfile HOSTS --map-by rankfile:file=RANKS PROGRAM\n\
          Where the inside of hosts tells cores (host= with a file of `lstopo --of xml`) the slot is PACKAGE:CORE, as hwloc counts them; \
          CORE alone on machines that tell no packages.\n\
          A slot is a core: the rank is bound to it. A host with fewer cores than slots cannot take the file: 5 names \
          the line, 4.1 ends with exit code 1 and no message. Without binding, use the export sequential.",
    example: "rankfile=ranks.txt",
    params: &[],
};

/// A rankfile. Use it with the [hostfile](super::hostfile) of the same ranks;
/// Open MPI starts as many ranks as the file has. O(ranks).
///
/// A slot is a core to Open MPI, and 4.1 exits with 1 and without a word where a
/// host has fewer cores than slots.
pub fn write(placement: &Placement<'_>) -> String {
    let mut text = String::from(
        "# Open MPI 4: mpirun --hostfile HOSTFILE --rankfile THIS_FILE PROGRAM\n\
         # Open MPI 5: mpirun --hostfile HOSTFILE --map-by rankfile:file=THIS_FILE PROGRAM\n",
    );
    for (rank, (host, slot)) in placement.ranks.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = match placement.cores.get(rank) {
            Some(Core { package: Some(package), number, .. }) => {
                writeln!(text, "rank {rank}={host} slot={package}:{number}")
            }
            Some(core) => writeln!(text, "rank {rank}={host} slot={}", core.number),
            None => writeln!(text, "rank {rank}={host} slot={slot}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::placement::{self, Target};
    use super::*;

    #[test]
    fn a_line_per_rank_that_reads_back() {
        let ranks = [("node002", 1), ("node001", 0), ("node002", 0)];
        let text = write(&Placement::new(&ranks));
        assert_eq!(
            text,
            "# Open MPI 4: mpirun --hostfile HOSTFILE --rankfile THIS_FILE PROGRAM\n\
             # Open MPI 5: mpirun --hostfile HOSTFILE --map-by rankfile:file=THIS_FILE PROGRAM\n\
             rank 0=node002 slot=1\nrank 1=node001 slot=0\nrank 2=node002 slot=0\n"
        );
        let back = placement::parse("r", text).expect("own file");
        let expected = ranks.map(|(name, slot)| Target::Host { name, slot: Some(slot) });
        assert!(back.iter().map(|placed| placed.target).eq(expected), "{back:?}");
    }
}
