//! `select`: which hosts of a list lie closest.
//!
//! First the fewest leaves, then the least sum of hops over all pairs. The sets
//! of fewest leaves are all tried where they are few, else grown from each leaf
//! in turn by the nearest one that still allows the number.

use super::leaves::Leaves;
use super::{Desk, Failure, ends, host_label};
use crate::names::End;
use crate::protocol::Hosts;

/// Sets of leaves that are tried one by one.
const EXACT: u64 = 5_000;
/// Leaves from which sets are grown.
const SEEDS: usize = 64;

/// The hosts and why they were chosen.
pub(super) struct Selection {
    pub(super) hosts: Vec<u32>,
    /// Leaf switches with the number of hosts on each.
    pub(super) leaves: Vec<(u32, u32)>,
    /// Leaves of the whole list.
    pub(super) of_leaves: usize,
    /// Mean hops over ordered pairs of two hosts.
    pub(super) mean_hops: f64,
    /// Most hops of a pair.
    pub(super) most_hops: u16,
    /// True where all sets of as few leaves were tried.
    pub(super) exact: bool,
}

/// O(leaves^2 * chosen leaves) beside the hops of the chosen hosts.
pub(super) fn select(desk: &mut Desk<'_>, count: u32, hosts: &Hosts<'_>) -> Result<Selection, Failure> {
    let mut ends = ends(desk, hosts)?;
    ends.sort_by_key(|end| end.vertex);
    ends.dedup();
    if count == 0 || count as usize > ends.len() {
        return Err(Failure::wrong(format!("cannot select {count} of {} hosts", ends.len())));
    }
    if count as usize > desk.limits.hosts {
        return Err(Failure::wrong(format!("{count} hosts, at most {} are allowed", desk.limits.hosts)));
    }
    let leaves = Leaves::new(desk, &ends)?;
    let (counts, exact) = choose(&leaves, count);
    let chosen: Vec<End> =
        counts.iter().flat_map(|&(leaf, n)| leaves.members[leaf][..n as usize].iter().copied()).collect();
    let (mut sum, mut most) = (0u64, 0);
    let atlas = &desk.generation.atlas;
    for target in &chosen {
        desk.column.clear();
        for source in &chosen {
            let hops = desk.column.reach(atlas, source.vertex, target.vertex, target.lid).map_or(0, |r| r.hops);
            sum += u64::from(hops);
            most = most.max(hops);
        }
    }
    let pairs = (u64::from(count) * u64::from(count - 1)).max(1);
    Ok(Selection {
        hosts: chosen.iter().map(|e| e.vertex).collect(),
        leaves: counts.iter().map(|&(leaf, n)| (leaves.switch[leaf], n)).collect(),
        of_leaves: leaves.len(),
        mean_hops: sum as f64 / pairs as f64,
        most_hops: most,
        exact,
    })
}

/// Leaves with how many hosts of each, and whether all sets were tried.
fn choose(leaves: &Leaves, count: u32) -> (Vec<(usize, u32)>, bool) {
    let mut by_size: Vec<usize> = (0..leaves.len()).collect();
    by_size.sort_by_key(|&leaf| (std::cmp::Reverse(leaves.size(leaf)), leaf));
    let mut total = 0;
    let fewest = 1 + by_size
        .iter()
        .take_while(|&&leaf| {
            total += leaves.size(leaf);
            total < count
        })
        .count();
    if fewest == 1 {
        // The smallest that fits leaves the large ones free.
        let fits = by_size.iter().rev().find(|&&leaf| leaves.size(leaf) >= count).copied().unwrap_or(0);
        return (vec![(fits, count)], true);
    }
    let exact = combinations(leaves.len() as u64, fewest as u64) <= EXACT;
    let mut best: Option<(u64, Vec<(usize, u32)>)> = None;
    let mut offer = |set: &[usize]| {
        if let Some((cost, counts)) = fill(leaves, set, count)
            && best.as_ref().is_none_or(|(least, _)| cost < *least)
        {
            best = Some((cost, counts));
        }
    };
    if exact {
        subsets(leaves.len(), fewest, &mut Vec::new(), &mut offer);
    } else {
        by_size.iter().take(SEEDS).for_each(|&seed| offer(&grow(leaves, &by_size, seed, fewest, count)));
        offer(&by_size[..fewest]);
    }
    let mut counts = best.map(|(_, counts)| counts).unwrap_or_default();
    counts.sort_unstable();
    (counts, exact)
}

/// Number of subsets, or more than any limit.
fn combinations(n: u64, k: u64) -> u64 {
    (0..k.min(n)).try_fold(1u64, |c, i| c.checked_mul(n - i).map(|c| c / (i + 1))).unwrap_or(u64::MAX)
}

fn subsets(n: usize, k: usize, set: &mut Vec<usize>, offer: &mut impl FnMut(&[usize])) {
    if set.len() == k {
        return offer(set);
    }
    let from = set.last().map_or(0, |l| l + 1);
    for leaf in from..=n - (k - set.len()) {
        set.push(leaf);
        subsets(n, k, set, offer);
        set.pop();
    }
}

/// A set that begins at a leaf and takes the nearest one, as long as the number stays possible.
fn grow(leaves: &Leaves, by_size: &[usize], seed: usize, fewest: usize, count: u32) -> Vec<usize> {
    let (mut set, mut taken) = (vec![seed], vec![false; leaves.len()]);
    taken[seed] = true;
    let mut held = leaves.size(seed);
    let mut near: Vec<u64> = (0..leaves.len()).map(|leaf| weight(leaves, seed, leaf)).collect();
    while set.len() < fewest {
        let left: Vec<usize> = by_size.iter().copied().filter(|&leaf| !taken[leaf]).collect();
        let more = fewest - set.len();
        let sum = |n: usize| left.iter().take(n).map(|&l| leaves.size(l)).sum::<u32>();
        let (with, without) = (sum(more), sum(more - 1));
        let possible = |(rank, leaf): &(usize, usize)| {
            let rest = if *rank < more { with } else { without + leaves.size(*leaf) };
            held + rest >= count
        };
        let next = left.iter().copied().enumerate().filter(possible).min_by_key(|&(rank, leaf)| (near[leaf], rank));
        let Some((_, next)) = next else { break };
        set.push(next);
        taken[next] = true;
        held += leaves.size(next);
        (0..leaves.len()).for_each(|leaf| near[leaf] += weight(leaves, next, leaf));
    }
    set
}

fn weight(leaves: &Leaves, from: usize, to: usize) -> u64 {
    u64::from(leaves.size(from)) * u64::from(leaves.distance(from, to))
}

/// Takes `count` hosts of a set of leaves, those that are farthest from all
/// others left out, with the sum of hops there and back over all pairs.
fn fill(leaves: &Leaves, set: &[usize], count: u32) -> Option<(u64, Vec<(usize, u32)>)> {
    let mut counts: Vec<(usize, u32)> = set.iter().map(|&leaf| (leaf, leaves.size(leaf))).collect();
    let surplus = counts.iter().map(|c| c.1).sum::<u32>().checked_sub(count)?;
    let far = |counts: &[(usize, u32)], leaf: usize| -> u64 {
        counts.iter().map(|&(other, n)| u64::from(n) * u64::from(leaves.distance(leaf, other))).sum()
    };
    let mut sums: Vec<u64> = set.iter().map(|&leaf| far(&counts, leaf)).collect();
    for _ in 0..surplus {
        let worst = (0..set.len()).filter(|&i| counts[i].1 > 0).max_by_key(|&i| (sums[i], i))?;
        counts[worst].1 -= 1;
        set.iter().zip(&mut sums).for_each(|(&leaf, sum)| *sum -= u64::from(leaves.distance(set[worst], leaf)));
    }
    let cost = counts.iter().map(|&(leaf, n)| u64::from(n) * far(&counts, leaf)).sum::<u64>() / 2;
    Some((cost, counts))
}

impl Selection {
    /// Why these.
    pub(super) fn reason(&self) -> String {
        let (n, k) = (self.hosts.len(), self.leaves.len());
        let hosts = if n == 1 { "1 host".to_string() } else { format!("{n} hosts") };
        if k == 1 {
            return format!("{hosts} on one leaf, the smallest that holds them; hops between two: 0");
        }
        let how = if self.exact { "the closest of all such sets" } else { "the closest of those tried" };
        format!(
            "{hosts} on {k} leaves of {}, the fewest that hold them, {how}; hops between two: mean {:.2}, at most {}",
            self.of_leaves, self.mean_hops, self.most_hops
        )
    }
}

pub(super) fn text(desk: &mut Desk<'_>, count: u32, hosts: &Hosts<'_>, out: &mut Vec<u8>) -> Result<(), Failure> {
    let selection = select(desk, count, hosts)?;
    let names: Vec<String> = selection.hosts.iter().map(|&v| host_label(desk.generation, v)).collect();
    out.extend_from_slice(format!("lines 2\n{}\n{}\n", names.join(" "), selection.reason()).as_bytes());
    Ok(())
}
