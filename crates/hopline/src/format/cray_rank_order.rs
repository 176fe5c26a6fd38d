//! Cray MPICH's MPICH_RANK_ORDER: which rank takes which place, node by node.

use super::{Placement, hostlist};
use crate::entry::Entry;
use crate::error::{Error, Result};
use rustc_hash::FxHashMap;

pub(super) const ENTRY: Entry = Entry {
    name: "cray-rank-order",
    summary: "Cray MPICH: the ranks in the order of the places of the allocation",
    doc: "Ranks with commas between them, one line per node: the k-th number is the rank at place k, counted node by node \
          over the allocation.\n\
          Cray MPICH: MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=FILE srun -n RANKS --ntasks-per-node=SLOTS \
          PROGRAM (without the second variable it reads ./MPICH_RANK_ORDER)\n\
          The file names no hosts: --hosts must list them in the order in which the scheduler numbers its nodes (Slurm \
          sorts: scontrol show hostnames), and srun must place in blocks. The tasks must fill every node but the last, \
          and all nodes must have as many slots; anything else is refused. Written from HPE's grid_order examples, not \
          tried on a Cray.\n\
          Source: HPE grid_order manual page; NERSC documentation, \"MPI process placement\".",
    example: "cray-rank-order=MPICH_RANK_ORDER",
    params: &[],
};

/// One line of ranks per node, below comments with the command and the nodes.
/// O(ranks + hosts).
///
/// # Errors
/// A host of another size than the first, a slot that is empty before the last
/// rank, or a rank outside the allocation.
pub fn write(placement: &Placement<'_>) -> Result<String> {
    let ranks = placement.ranks.len();
    let each = placement.hosts.first().map_or(1, |first| first.1).max(1);
    let used = ranks.div_ceil(each as usize);
    let hosts = placement.hosts.get(..used).unwrap_or(&placement.hosts);
    if let Some((host, slots)) = hosts.iter().find(|host| host.1 != each) {
        return Err(unsayable(format!("`{}` has {each} slots, `{host}` {slots}", hosts[0].0), "as many on every node"));
    }
    let first: FxHashMap<&str, usize> =
        hosts.iter().enumerate().map(|(i, (host, _))| (*host, i * each as usize)).collect();
    let mut order = vec![None; ranks];
    for (rank, (host, slot)) in placement.ranks.iter().enumerate() {
        let place = first.get(host).filter(|_| *slot < each).map(|first| first + *slot as usize);
        match place.and_then(|place| order.get_mut(place)) {
            Some(cell) if cell.is_none() => *cell = Some(rank.to_string()),
            _ => {
                return Err(unsayable(
                    format!("rank {rank} in slot {slot} of `{host}` leaves a slot before it empty"),
                    &format!("the first {ranks} slots of the allocation"),
                ));
            }
        }
    }
    let names: Vec<&str> = hosts.iter().map(|host| host.0).collect();
    let mut text = format!(
        "# MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=THIS_FILE srun -n {ranks} --ntasks-per-node={each} PROGRAM\n\
         # one line per node: {}\n",
        hostlist::compress(&names)
    );
    // The ranks are as many as the places and no two share one: all are there.
    let order: Vec<String> = order.into_iter().flatten().collect();
    for line in order.chunks(each as usize) {
        text.push_str(&line.join(","));
        text.push('\n');
    }
    Ok(text)
}

fn unsayable(found: String, expected: &str) -> Error {
    Error::input(format!("{found}, but MPICH_RANK_ORDER fills {expected}"))
        .hint("give just as many hosts as the tasks fill, or use another export")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on<'a>(hosts: &[(&'a str, u32)], ranks: &[(&'a str, u32)]) -> Placement<'a> {
        Placement { hosts: hosts.to_vec(), ..Placement::new(ranks) }
    }

    const HOSTS: [(&str, u32); 3] = [("nid02", 2), ("nid03", 2), ("nid01", 2)];

    #[test]
    fn places_are_counted_in_the_order_of_the_allocation() {
        let ranks = [("nid01", 0), ("nid03", 1), ("nid02", 0), ("nid03", 0), ("nid02", 1)];
        let text = write(&on(&HOSTS, &ranks)).expect("a full allocation");
        assert_eq!(
            text,
            "# MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=THIS_FILE srun -n 5 --ntasks-per-node=2 PROGRAM\n\
             # one line per node: nid[02-03,01]\n\
             2,4\n3,1\n0\n"
        );
        // As Cray MPICH reads it: the k-th number is the rank at place k.
        let numbers = text.lines().filter(|line| !line.starts_with('#')).flat_map(|line| line.split(','));
        for (place, rank) in numbers.enumerate() {
            let rank: usize = rank.parse().expect("a rank");
            assert_eq!(ranks[rank], (HOSTS[place / 2].0, place as u32 % 2));
        }
        assert_eq!(write(&on(&[], &[])).expect("nothing to place").lines().count(), 2);
        // Hosts behind the last rank may be of any size.
        assert!(write(&on(&[("a", 1), ("b", 7)], &[("a", 0)])).is_ok());
    }

    #[test]
    fn what_it_cannot_say_is_refused() {
        for (hosts, ranks, what) in [
            (
                &HOSTS[..],
                &[("nid02", 0), ("nid03", 0)][..],
                "rank 1 in slot 0 of `nid03` leaves a slot before it empty",
            ),
            (&HOSTS, &[("nid02", 1)], "rank 0 in slot 1 of `nid02` leaves a slot"),
            (&[("a", 2), ("b", 4)], &[("a", 0), ("a", 1), ("b", 0)], "`a` has 2 slots, `b` 4, but MPICH_RANK_ORDER"),
            (&HOSTS, &[("nid02", 0), ("nid02", 0)], "rank 1 in slot 0 of `nid02`"),
            (&HOSTS, &[("other", 0)], "rank 0 in slot 0 of `other`"),
            (&[("a", 0)], &[("a", 0)], "MPICH_RANK_ORDER"),
            (&[], &[("a", u32::MAX)], "rank 0 in slot 4294967295 of `a`"),
        ] {
            let error = write(&on(hosts, ranks)).expect_err(what).to_string();
            assert!(error.contains(what), "{error}");
        }
    }
}
