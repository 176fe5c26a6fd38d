//! Open MPI hostfiles: the hosts of a job and how many ranks each may hold.

use rustc_hash::FxHashMap;
use std::fmt::Write as _;

/// A hostfile for `hosts[rank]` = (host, slot on that host): one line per host
/// in order of its first rank, with as many slots as it has ranks, or more
/// where a higher slot is used. O(ranks).
///
/// Open MPI 5 refuses a rankfile with more ranks on a host than it has slots
/// here; 4.1 does not care. Both refuse a host that is listed twice.
pub fn write(hosts: &[(&str, u32)]) -> String {
    let mut order: Vec<&str> = Vec::new();
    // Ranks on the host, and slots that they need.
    let mut slots: FxHashMap<&str, (u32, u32)> = FxHashMap::default();
    for &(host, slot) in hosts {
        let (ranks, need) = slots.entry(host).or_insert_with(|| {
            order.push(host);
            (0, 0)
        });
        *ranks = ranks.saturating_add(1);
        *need = (*need).max(*ranks).max(slot.saturating_add(1));
    }
    let mut text = String::new();
    for host in order {
        let need = slots.get(host).map_or(0, |s| s.1);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{host} slots={need}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_per_host_with_enough_slots() {
        let hosts = [("node003", 0), ("node001", 3), ("node003", 1), ("node002", 0), ("node002", 0), ("big", u32::MAX)];
        assert_eq!(write(&hosts), "node003 slots=2\nnode001 slots=4\nnode002 slots=2\nbig slots=4294967295\n");
        assert_eq!(write(&[]), "");
    }
}
