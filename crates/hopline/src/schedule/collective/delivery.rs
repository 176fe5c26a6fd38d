//! Every algorithm delivers: blocks are followed from rank to rank.

use super::{Algorithm, Keys, LIST, Operation, sized};
use crate::entry::Listed;
use crate::schedule::{Schedule, Volume, What};
use std::collections::{BTreeMap, BTreeSet};

type Set = BTreeSet<(u32, u32)>;

/// What each rank has in the end, starting from `begin`; sums must not count anybody twice.
fn follow(s: &Schedule, carried: &BTreeMap<u32, Vec<(u32, u32)>>, begin: impl Fn(u32) -> Set, sums: bool) -> Vec<Set> {
    let n = s.ranks();
    let owners = s.owners();
    let rank_of = |op: u32| owners[op as usize];
    let mut have: Vec<Set> = (0..s.ops().len() as u32).map(|op| begin(rank_of(op))).collect();
    let mut left: Vec<u32> = (0..s.ops().len() as u32).map(|op| s.needs(op)).collect();
    s.ops().iter().zip(&mut left).for_each(|(op, left)| *left += u32::from(op.what == What::Recv));
    let mut ready: Vec<u32> = (0..left.len() as u32).filter(|&op| left[op as usize] == 0).collect();
    let mut ends: Vec<Set> = (0..n).map(&begin).collect();
    while let Some(op) = ready.pop() {
        let own = have[op as usize].clone();
        ends[rank_of(op) as usize].extend(&own);
        let mut next: Vec<u32> = s.after(op).map(|a| a.0).collect();
        for &later in &next {
            have[later as usize].extend(&own);
        }
        let o = &s.ops()[op as usize];
        if o.what == What::Send {
            for &(origin, block) in &carried[&op] {
                let sent: Set =
                    own.iter().filter(|b| b.1 == block && (origin == u32::MAX || b.0 == origin)).copied().collect();
                assert!(!sent.is_empty(), "rank {} sends block {block} of {origin}, which it has not", rank_of(op));
                let there = &mut have[o.partner as usize];
                let there_of: Set = there.iter().filter(|b| b.1 == block).copied().collect();
                // It is added to what is there, or takes its place where it has all of that.
                let fits = sent.is_disjoint(&there_of) || sent.is_superset(&there_of) || there_of.len() == n as usize;
                assert!(!sums || fits, "block {block} counts somebody twice");
                there.extend(sent);
            }
            next.push(o.partner);
        }
        for later in next {
            left[later as usize] -= 1;
            if left[later as usize] == 0 {
                ready.push(later);
            }
        }
    }
    assert!(left.iter().all(|&l| l == 0));
    ends
}

fn check(algorithm: &Algorithm, keys: &Keys, n: u32) {
    let (s, carried) = algorithm.with_blocks(keys, n).expect("schedule");
    let blocks = carried.values().flatten().map(|b| b.1 + 1).max().unwrap_or(1);
    let root = keys.root;
    let all = |origins: std::ops::Range<u32>, b: u32| origins.map(move |o| (o, b)).collect::<Vec<_>>();
    let begin = |r: u32| -> Set {
        match algorithm.operation {
            Operation::Broadcast if r == root => (0..blocks).map(|b| (root, b)).collect(),
            Operation::Broadcast => Set::new(),
            Operation::AllGather => Set::from([(r, r)]),
            Operation::ReduceScatter | Operation::AllToAll => (0..n).map(|b| (r, b)).collect(),
            Operation::Barrier => Set::from([(r, 0)]),
            Operation::Reduce | Operation::AllReduce => (0..blocks).map(|b| (r, b)).collect(),
        }
    };
    let owed = |r: u32| -> Vec<(u32, u32)> {
        match algorithm.operation {
            Operation::Broadcast => (0..blocks).map(|b| (root, b)).collect(),
            Operation::Reduce if r != root => Vec::new(),
            Operation::Reduce | Operation::AllReduce => (0..blocks).flat_map(|b| all(0..n, b)).collect(),
            Operation::AllGather => (0..n).map(|b| (b, b)).collect(),
            Operation::ReduceScatter | Operation::AllToAll => all(0..n, r),
            Operation::Barrier => all(0..n, 0),
        }
    };
    let sums = matches!(algorithm.operation, Operation::Reduce | Operation::AllReduce | Operation::ReduceScatter);
    for (r, got) in (0..n).zip(follow(&s, &carried, begin, sums)) {
        for block in owed(r) {
            assert!(got.contains(&block), "{} of {n}: rank {r} lacks {block:?}", algorithm.entry().name);
        }
    }
}

#[test]
fn every_algorithm_delivers_for_any_number_of_ranks_and_any_root() {
    for algorithm in LIST {
        let has = |key: &str| algorithm.entry().params.iter().any(|p| p.name == key);
        for n in (1..=9).chain([12]) {
            let roots = if has("root") { vec![0, n - 1] } else { vec![0] };
            let radices = if has("k") { vec![2, 3] } else { vec![2] };
            for (root, k) in roots.iter().flat_map(|&root| radices.iter().map(move |&k| (root, k))) {
                let cores = (1..=4).rev().find(|c| n % c == 0).unwrap_or(1);
                let keys = Keys { root, k, cores, ..sized(1000, 1) };
                check(algorithm, &keys, n);
                if has("segment") || has("cores") {
                    check(algorithm, &Keys { segment: 300, cores: n, ..keys }, n);
                }
            }
        }
    }
}

#[test]
fn volumes_are_those_of_the_textbook() {
    let volume = |name: &str, n: u32, bytes: u64| {
        let Volume { messages, bytes } =
            super::named(name).and_then(|a| a.schedule(&sized(bytes, 1), n)).expect(name).volume();
        (messages, bytes)
    };
    assert_eq!(volume("pairwise", 7, 10), (42, 420));
    assert_eq!(volume("linear", 7, 10), (42, 420));
    assert_eq!(volume("supernode", 7, 10), (42, 420));
    // n/2 blocks in each of log2(n) rounds.
    assert_eq!(volume("bruck", 8, 10), (24, 8 * 3 * 40));
    assert_eq!(volume("allreduce-ring", 8, 800), (8 * 14, 2 * 7 * 800));
    assert_eq!(volume("rabenseifner", 8, 800), (8 * 6, 2 * 7 * 800));
    assert_eq!(volume("allreduce-doubling", 8, 800), (24, 24 * 800));
    assert_eq!(volume("allgather-ring", 5, 9), (20, 180));
    assert_eq!(volume("allgather-bruck", 5, 9), (15, 180));
    assert_eq!(volume("reduce-scatter-halving", 8, 9), (24, 8 * 7 * 9));
    assert_eq!(volume("binomial", 9, 5), (8, 40));
    assert_eq!(volume("scatter-ring", 4, 400), (3 + 12, 400 + 3 * 400));
    assert_eq!(volume("dissemination", 6, 5), (18, 0));
}
