//! The order of nodes for torchrun: one host a line, line i for node_rank i.

use super::Placement;
use crate::entry::Entry;
use crate::error::{Error, Result};
use rustc_hash::FxHashSet;

pub(super) const ENTRY: Entry = Entry {
    name: "torchrun",
    summary: "PyTorch torchrun: the hosts in the order of their node_rank",
    doc: "One host per line, line i (from 0) for --node-rank i; the comment on top has the command with --nnodes, \
          --nproc-per-node and --master-addr filled in. torchrun numbers ranks host by host, RANK = node_rank * \
          nproc_per_node + local_rank: every host must run as many ranks, and consecutive ones; anything else is refused.\n\
          On host i: torchrun --nnodes=N --nproc-per-node=K --node-rank=i --master-addr=FIRST --master-port=29500 PROGRAM\n\
          Only the static rendezvous (--master-addr, as above) keeps the order: with --rdzv-backend=c10d torchrun numbers \
          the nodes itself.\n\
          Source: PyTorch documentation, \"torchrun (Elastic Launch)\".",
    example: "torchrun=nodes.txt",
    params: &[],
};

/// One host a line in the order of node_rank, below a comment with the command.
/// O(ranks).
///
/// # Errors
/// The ranks of a host are not consecutive, or hosts run different numbers of them.
pub fn write(placement: &Placement<'_>) -> Result<String> {
    let runs: Vec<(&str, usize)> = placement.runs().collect();
    let (first, each) = runs.first().copied().unwrap_or(("HOST", 0));
    let mut seen = FxHashSet::default();
    if let Some((host, _)) = runs.iter().find(|(host, _)| !seen.insert(*host)) {
        return Err(unsayable(format!("the ranks of host `{host}` are not consecutive")));
    }
    if let Some((host, count)) = runs.iter().find(|run| run.1 != each) {
        return Err(unsayable(format!("host `{first}` runs {each} ranks, host `{host}` {count}")));
    }
    let mut text = format!(
        "# on line i, from 0: torchrun --nnodes={} --nproc-per-node={each} --node-rank=i --master-addr={first} \
         --master-port=29500 PROGRAM\n",
        runs.len()
    );
    for (host, _) in runs {
        text.push_str(host);
        text.push('\n');
    }
    Ok(text)
}

fn unsayable(found: String) -> Error {
    Error::input(format!("{found}, but torchrun numbers ranks host by host, as many on each"))
        .hint("place whole hosts, or one task per host")
}

#[cfg(test)]
mod tests {
    use super::super::placement::hosts_of;
    use super::*;

    #[test]
    fn hosts_in_the_order_of_their_ranks_that_read_back() {
        let ranks = [("c", 0), ("c", 1), ("a", 1), ("a", 0), ("b", 0), ("b", 1)];
        let text = write(&Placement::new(&ranks)).expect("whole hosts");
        assert_eq!(
            text,
            "# on line i, from 0: torchrun --nnodes=3 --nproc-per-node=2 --node-rank=i --master-addr=c \
             --master-port=29500 PROGRAM\nc\na\nb\n"
        );
        // RANK = node_rank * nproc_per_node + local_rank.
        let hosts = hosts_of(&text);
        assert!(ranks.iter().enumerate().all(|(rank, (host, _))| hosts[rank / 2] == *host));
    }

    #[test]
    fn what_it_cannot_say_is_refused() {
        let scattered = write(&Placement::new(&[("a", 0), ("b", 0), ("a", 1), ("b", 1)])).expect_err("scattered");
        assert!(scattered.to_string().starts_with("the ranks of host `a` are not consecutive, but torchrun"));
        let uneven = write(&Placement::new(&[("a", 0), ("a", 1), ("b", 0)])).expect_err("uneven");
        assert!(uneven.to_string().starts_with("host `a` runs 2 ranks, host `b` 1, but torchrun"), "{uneven}");
    }
}
