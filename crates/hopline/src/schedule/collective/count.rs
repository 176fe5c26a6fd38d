//! How many messages algorithms send, by formula: what does not fit into memory is refused before it is drawn.

use super::Keys;

/// One to every rank but the root, in each segment.
pub(super) fn tree(n: u64, keys: &Keys) -> u64 {
    let segments = if keys.segment == 0 { 1 } else { keys.bytes.div_ceil(keys.segment).max(1) };
    n.saturating_sub(1).saturating_mul(segments)
}

/// One to every rank but the root.
pub(super) fn once(n: u64, _: &Keys) -> u64 {
    n.saturating_sub(1)
}

/// One from each rank to each other, or as many around a ring.
pub(super) fn pairs(n: u64, _: &Keys) -> u64 {
    n.saturating_mul(n.saturating_sub(1))
}

/// One of every rank in each round; as many rounds as there are powers of two below the ranks.
pub(super) fn rounds(n: u64, _: &Keys) -> u64 {
    n * u64::from(n.max(1).next_power_of_two().ilog2())
}

pub(super) fn scatter_ring(n: u64, keys: &Keys) -> u64 {
    once(n, keys).saturating_add(pairs(n, keys))
}

pub(super) fn scatter_doubling(n: u64, keys: &Keys) -> u64 {
    if n.is_power_of_two() { once(n, keys) + rounds(n, keys) } else { scatter_ring(n, keys) }
}

pub(super) fn allreduce_ring(n: u64, keys: &Keys) -> u64 {
    pairs(n, keys).saturating_mul(2)
}

/// The largest power of two, and what is above it.
fn folded(n: u64) -> (u64, u64) {
    let power = if n == 0 { 0 } else { 1 << n.ilog2() };
    (power, n - power)
}

/// Rounds of a power of two; one message before and one behind of each rank above it.
pub(super) fn allreduce_doubling(n: u64, keys: &Keys) -> u64 {
    let (power, rest) = folded(n);
    rounds(power, keys) + 2 * rest
}

pub(super) fn halving(n: u64, keys: &Keys) -> u64 {
    allreduce_doubling(n, keys)
}

pub(super) fn rabenseifner(n: u64, keys: &Keys) -> u64 {
    let (power, rest) = folded(n);
    2 * rounds(power, keys) + 4 * rest
}

/// One from each rank to each other, on whole nodes.
pub(super) fn supernode(n: u64, keys: &Keys) -> u64 {
    let cores = u64::from(keys.cores.max(1));
    pairs(n / cores * cores, keys)
}

/// Twice one to each other core of the node, and to the same core of each other node.
pub(super) fn allreduce_supernode(n: u64, keys: &Keys) -> u64 {
    let cores = u64::from(keys.cores.max(1));
    let nodes = n / cores;
    (2 * nodes * cores).saturating_mul((cores - 1).saturating_add(nodes.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::super::{LIST, sized};
    use crate::entry::Listed;

    #[test]
    fn messages_are_as_many_as_are_drawn() {
        for algorithm in LIST {
            for n in 1..=40 {
                let mut keys = sized(1000, if n % 4 == 0 { 4 } else { 1 });
                keys.segment = if n % 3 == 0 { 300 } else { 0 };
                let drawn = algorithm.schedule(&keys, n).expect("schedule").volume().messages;
                assert_eq!(algorithm.messages(n, &keys), drawn, "{} {n}", algorithm.entry().name);
            }
        }
    }
}
