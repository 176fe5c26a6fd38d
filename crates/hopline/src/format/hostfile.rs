//! Open MPI hostfiles: the hosts of a job and how many ranks each may hold.

use super::Placement;
use crate::entry::Entry;
use std::fmt::Write as _;

pub(super) const ENTRY: Entry = Entry {
    name: "hostfile",
    summary: "Open MPI hostfile: every host with its number of ranks",
    doc: "One line per host in the order of its first rank, `node001 slots=4`. It says which hosts take part and how many \
          ranks each takes; which rank goes where is for the rankfile (Open MPI does not promise to keep a hostfile's \
          order).",
    example: "hostfile=hosts.txt",
    params: &[],
};

/// A hostfile: one line per host that runs a rank, in order of its first rank,
/// with as many slots as it has ranks, or more where a higher slot is used.
/// O(ranks).
///
/// Open MPI 5 refuses a rankfile with more ranks on a host than it has slots
/// here; 4.1 does not care. Both refuse a host that is listed twice.
pub fn write(placement: &Placement<'_>) -> String {
    let mut text = String::new();
    for (host, slots) in Placement::new(&placement.ranks).hosts {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{host} slots={slots}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_per_host_with_enough_slots() {
        let ranks = [("node003", 0), ("node001", 3), ("node003", 1), ("node002", 0), ("node002", 0), ("big", u32::MAX)];
        let placement = Placement { hosts: vec![("idle", 4), ("node001", 4)], ..Placement::new(&ranks) };
        assert_eq!(write(&placement), "node003 slots=2\nnode001 slots=4\nnode002 slots=2\nbig slots=4294967295\n");
        assert_eq!(write(&Placement::new(&[])), "");
    }
}
