//! Collectives as messages; a recording has only the calls. These are the algorithms that
//! most libraries take for most sizes; `library.rs` has where one takes another, `algorithms.rs` those.
//!
//! | operation | bytes of its shape | list of its shape | messages |
//! |---|---|---|---|
//! | barrier | 0 | | dissemination, a byte each |
//! | bcast, reduce | the vector | | binomial tree |
//! | allreduce | the vector | | recursive doubling; reduce and bcast where ranks are no power of two |
//! | scan, exscan | the vector | | Hillis and Steele |
//! | gather(v), scatter(v) | own block | the root's: each rank's | root with every rank |
//! | allgather(v) | own block | each rank's | ring |
//! | alltoall | a block | | all with all |
//! | alltoallv, alltoallw | all sent | to each rank, from each rank | all with all |
//! | `reduce_scatter`(_block) | own block | each rank's | all with all |
//! | neighbour collectives | all sent | receivers n, (rank, bytes) n times, then senders' | to and from neighbours, world ranks |

use super::library::{self, Call};

/// A message of a collective, or a point where a rank waits for all its messages so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// To a rank of the communicator.
    Send(u32, u64),
    /// From a rank of the communicator.
    Recv(u32, u64),
    /// All before is done.
    Join,
}

/// What rank `me` does in a collective. Neighbour collectives give world ranks.
pub(super) fn steps(call: &Call<'_>, me: u32) -> Vec<Step> {
    let Call { op, n, root, bytes, list, .. } = *call;
    let mut steps = Vec::new();
    let block = |rank: u32| list.get(rank as usize).copied().unwrap_or(bytes);
    let algorithm = call.algorithm();
    match op {
        _ if op.starts_with("neighbor") => neighbours(list, &mut steps),
        _ if me >= n || root >= n || n < 2 => {}
        _ if algorithm != library::Algorithm::Common => call.steps(algorithm, me, &mut steps),
        "barrier" => doubling(me, n, 1, &mut steps, true),
        "bcast" => tree(me, n, root, bytes, &mut steps, Down),
        "reduce" => tree(me, n, root, bytes, &mut steps, Up),
        "allreduce" if n.is_power_of_two() => {
            for bit in (0..n.ilog2()).map(|i| 1 << i) {
                steps.extend([Step::Send(me ^ bit, bytes), Step::Recv(me ^ bit, bytes), Step::Join]);
            }
        }
        "allreduce" => {
            tree(me, n, 0, bytes, &mut steps, Up);
            tree(me, n, 0, bytes, &mut steps, Down);
        }
        "scan" | "exscan" => doubling(me, n, bytes, &mut steps, false),
        "gather" | "gatherv" if me != root => steps.push(Step::Send(root, bytes)),
        "gather" | "gatherv" => steps.extend((0..n).filter(|&r| r != me).map(|r| Step::Recv(r, block(r)))),
        "scatter" | "scatterv" if me != root => steps.push(Step::Recv(root, bytes)),
        "scatter" | "scatterv" => steps.extend((0..n).filter(|&r| r != me).map(|r| Step::Send(r, block(r)))),
        "allgather" | "allgatherv" => {
            for step in 0..n - 1 {
                let (mine, theirs) = ((me + n - step) % n, (me + n - step - 1) % n);
                let (next, last) = ((me + 1) % n, (me + n - 1) % n);
                steps.extend([Step::Send(next, block(mine)), Step::Recv(last, block(theirs)), Step::Join]);
            }
        }
        "alltoall" => all_pairs(me, n, &mut steps, |_| bytes, |_| bytes),
        "reduce_scatter" | "reduce_scatter_block" => all_pairs(me, n, &mut steps, block, |_| block(me)),
        "alltoallv" | "alltoallw" => all_pairs(me, n, &mut steps, block, |rank| block(n + rank)),
        _ => {}
    }
    steps.push(Step::Join);
    steps
}

/// Visits what rank `me` sends in [`steps`]: peer and bytes, a peer maybe several times.
pub(super) fn sends(call: &Call<'_>, me: u32, mut visit: impl FnMut(u32, u64)) {
    let Call { op, n, root, bytes, list, .. } = *call;
    let block = |rank: u32| list.get(rank as usize).copied().unwrap_or(bytes);
    let ring = matches!(op, "allgather" | "allgatherv") && call.algorithm() == library::Algorithm::Common;
    if ring && n > 1 && me < n && root < n {
        // All blocks but the one that the next rank has itself.
        let next = (me + 1) % n;
        let all = (0..n).filter(|&rank| rank != next).fold(0u64, |sum, rank| sum.saturating_add(block(rank)));
        return visit(next, all);
    }
    for step in steps(call, me) {
        if let Step::Send(peer, bytes) = step {
            visit(peer, bytes);
        }
    }
}

/// The bytes that a rank sends to every other, where they are as many to each.
pub(super) fn to_each(call: &Call<'_>) -> Option<u64> {
    let blocks = call.list.get(..call.n as usize).unwrap_or(call.list);
    match call.op {
        "alltoall" => (call.algorithm() == library::Algorithm::Common).then_some(call.bytes),
        "reduce_scatter" | "reduce_scatter_block" if call.algorithm() != library::Algorithm::Common => None,
        "alltoallv" | "alltoallw" | "reduce_scatter" | "reduce_scatter_block" => match blocks {
            [] => Some(call.bytes),
            [first, rest @ ..] => rest.iter().all(|block| block == first).then_some(*first),
        },
        _ => None,
    }
}

pub(super) use Direction::{Down, Up};

#[derive(PartialEq, Eq)]
pub(super) enum Direction {
    Down,
    Up,
}

/// A binomial tree: the parent of a rank lacks its lowest bit.
pub(super) fn tree(me: u32, n: u32, root: u32, bytes: u64, steps: &mut Vec<Step>, direction: Direction) {
    let relative = (me + n - root) % n;
    let real = |rank: u32| (rank + root) % n;
    let top = if relative == 0 { n.next_power_of_two() } else { relative & relative.wrapping_neg() };
    let children = || std::iter::successors(Some(top >> 1), |bit| Some(bit >> 1)).take_while(|&bit| bit > 0);
    let children: Vec<u32> = children().map(|bit| relative + bit).filter(|&child| child < n).map(real).collect();
    let parent = (relative != 0).then(|| real(relative & (relative - 1)));
    if direction == Down {
        steps.extend(parent.map(|p| Step::Recv(p, bytes)));
        steps.push(Step::Join);
        steps.extend(children.iter().map(|&c| Step::Send(c, bytes)));
    } else {
        steps.extend(children.iter().map(|&c| Step::Recv(c, bytes)));
        steps.push(Step::Join);
        steps.extend(parent.map(|p| Step::Send(p, bytes)));
    }
    steps.push(Step::Join);
}

/// Rounds with the rank 1, 2, 4, ... above and below, around the end or not.
fn doubling(me: u32, n: u32, bytes: u64, steps: &mut Vec<Step>, around: bool) {
    for bit in (0..32).map(|i| 1u32 << i).take_while(|&bit| bit < n) {
        if around || me + bit < n {
            steps.push(Step::Send((me + bit) % n, bytes));
        }
        if around || me >= bit {
            steps.push(Step::Recv((me + n - bit) % n, bytes));
        }
        steps.push(Step::Join);
    }
}

fn all_pairs(me: u32, n: u32, steps: &mut Vec<Step>, sent: impl Fn(u32) -> u64, received: impl Fn(u32) -> u64) {
    for offset in 1..n {
        let (to, from) = ((me + offset) % n, (me + n - offset) % n);
        steps.extend([(sent(to) > 0).then_some(Step::Send(to, sent(to)))].into_iter().flatten());
        steps.extend([(received(from) > 0).then_some(Step::Recv(from, received(from)))].into_iter().flatten());
    }
}

fn neighbours(list: &[u64], steps: &mut Vec<Step>) {
    let Some((&count, pairs)) = list.split_first() else { return };
    for (i, pair) in pairs.chunks_exact(2).enumerate() {
        let (Ok(rank), bytes) = (u32::try_from(pair[0]), pair[1]) else { continue };
        steps.push(if (i as u64) < count { Step::Send(rank, bytes) } else { Step::Recv(rank, bytes) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn what_one_rank_sends_another_receives() {
        let ops = "barrier bcast reduce allreduce scan exscan gather scatter allgather alltoall gatherv scatterv \
                   allgatherv reduce_scatter reduce_scatter_block alltoallv";
        for op in ops.split_whitespace() {
            for n in 1..10u32 {
                let root = (n - 1).min(2);
                let mut pairs: BTreeMap<(u32, u32, u64), i64> = BTreeMap::new();
                for me in 0..n {
                    let vector = matches!(op, "allgatherv" | "reduce_scatter") || (op.ends_with('v') && me == root);
                    let list: Vec<u64> = match op {
                        "alltoallv" => (0..n).map(|r| block(me, r)).chain((0..n).map(|r| block(r, me))).collect(),
                        _ if vector => (0..n).map(|r| block(r, r)).collect(),
                        _ => Vec::new(),
                    };
                    let bytes = if op.ends_with('v') || op == "reduce_scatter" { block(me, me) } else { 7 };
                    let call = Call { library: "", op, n, root, bytes, list: &list };
                    for step in steps(&call, me) {
                        match step {
                            Step::Send(to, bytes) => *pairs.entry((me, to, bytes)).or_default() += 1,
                            Step::Recv(from, bytes) => *pairs.entry((from, me, bytes)).or_default() -= 1,
                            Step::Join => {}
                        }
                    }
                }
                assert!(pairs.values().all(|&open| open == 0), "{op} of {n}: {pairs:?}");
                assert!(n == 1 || !pairs.is_empty(), "{op} of {n}");
            }
        }
    }

    fn block(from: u32, to: u32) -> u64 {
        u64::from(3 * from + 5 * to)
    }
}
