//! Open MPI rankfiles: which rank runs on which host, in which slot.

use std::fmt::Write as _;

/// A rankfile for `hosts[rank]` = (host, slot on that host), slots from 0. Use
/// it with the [hostfile](super::hostfile) of the same ranks; Open MPI starts
/// as many ranks as the file has. O(ranks).
///
/// A slot is a core to Open MPI, and 4.1 fails without a word where a host has
/// fewer cores than slots.
pub fn write(hosts: &[(&str, u32)]) -> String {
    let mut text = String::from(
        "# Open MPI 4: mpirun --hostfile HOSTFILE --rankfile THIS_FILE PROGRAM\n\
         # Open MPI 5: mpirun --hostfile HOSTFILE --map-by rankfile:file=THIS_FILE PROGRAM\n",
    );
    for (rank, (host, slot)) in hosts.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "rank {rank}={host} slot={slot}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::placement::{self, Target};
    use super::*;

    #[test]
    fn a_line_per_rank_that_reads_back() {
        let hosts = [("node002", 1), ("node001", 0), ("node002", 0)];
        let text = write(&hosts);
        assert_eq!(
            text,
            "# Open MPI 4: mpirun --hostfile HOSTFILE --rankfile THIS_FILE PROGRAM\n\
             # Open MPI 5: mpirun --hostfile HOSTFILE --map-by rankfile:file=THIS_FILE PROGRAM\n\
             rank 0=node002 slot=1\nrank 1=node001 slot=0\nrank 2=node002 slot=0\n"
        );
        let back: Vec<Target> = placement::parse("r", &text).expect("own file").into_iter().map(|p| p.target).collect();
        assert_eq!(back, hosts.map(|(name, slot)| Target::Host { name: name.into(), slot: Some(slot) }));
    }
}
