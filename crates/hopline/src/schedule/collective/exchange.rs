//! Steps that several algorithms are made of.

use super::Plot;
use super::plot::ANY;

/// Rank r sends `out` to `to`, receives `back` bytes from `from`, and waits for both.
pub(super) fn trade(
    plot: &mut Plot<'_>,
    r: u32,
    (to, out): (u32, u64),
    (from, back): (u32, u64),
    what: impl FnOnce() -> Vec<(u32, u32)>,
) {
    plot.recv(r, from, back);
    plot.send(r, to, out, what);
    plot.wait(r);
}

/// Bytes of part `i` of `parts` equal ones, the rest spread evenly.
pub(super) fn part(bytes: u64, i: u32, parts: u32) -> u64 {
    let until = |i: u32| (u128::from(bytes) * u128::from(i) / u128::from(parts.max(1))) as u64;
    until(i + 1) - until(i)
}

/// Around the ring, n-1 steps: rank r begins with block r + `shift` and hands on what it got last.
pub(super) fn ring(plot: &mut Plot<'_>, root: u32, shift: u32, size: impl Fn(u32) -> u64, origin: impl Fn(u32) -> u32) {
    let n = plot.len();
    let rank = |v: u32| (v + root) % n;
    for s in 0..n - 1 {
        for v in 0..n {
            let (out, back) = ((v + shift + n - s) % n, (v + shift + 2 * n - s - 1) % n);
            trade(plot, rank(v), (rank((v + 1) % n), size(out)), (rank((v + n - 1) % n), size(back)), || {
                vec![(origin(out), out)]
            });
        }
    }
}

/// Recursive doubling of a power of two: in each step pairs at distance 2^i swap all that they have.
pub(super) fn double(
    plot: &mut Plot<'_>,
    members: &[u32],
    size: impl Fn(u32) -> u64,
    what: impl Fn(u32) -> Vec<(u32, u32)>,
) {
    let n = members.len() as u32;
    let bytes = |first: u32, count: u32| (first..first + count).map(&size).sum::<u64>();
    for hop in (0..31).map(|i| 1u32 << i).take_while(|&hop| hop < n) {
        for v in 0..n {
            let other = v ^ hop;
            let (mine, theirs) = (v & !(hop - 1), other & !(hop - 1));
            let (r, peer) = (members[v as usize], members[other as usize]);
            trade(plot, r, (peer, bytes(mine, hop)), (peer, bytes(theirs, hop)), || {
                (mine..mine + hop).flat_map(&what).collect()
            });
        }
    }
}

/// Recursive halving of a power of two: in each step pairs swap the half that the other keeps.
pub(super) fn halve(plot: &mut Plot<'_>, members: &[u32], size: impl Fn(u32) -> u64, blocks: impl Fn(u32) -> Vec<u32>) {
    let n = members.len() as u32;
    let bytes = |first: u32, count: u32| (first..first + count).map(&size).sum::<u64>();
    let mut half = n / 2;
    while half > 0 {
        for v in 0..n {
            let other = v ^ half;
            let (mine, theirs) = (v & !(half - 1), other & !(half - 1));
            let (r, peer) = (members[v as usize], members[other as usize]);
            trade(plot, r, (peer, bytes(theirs, half)), (peer, bytes(mine, half)), || {
                (theirs..theirs + half).flat_map(&blocks).map(|b| (ANY, b)).collect()
            });
        }
        half /= 2;
    }
}

/// The ranks that go on when the number is no power of two: of the first 2*rest
/// ranks the odd ones, which take over for those before them, and all others.
pub(super) fn folded(n: u32) -> (Vec<u32>, u32) {
    let power = if n == 0 { 0 } else { 1 << n.ilog2() };
    let rest = n - power;
    ((0..power).map(|i| if i < rest { 2 * i + 1 } else { i + rest }).collect(), rest)
}

/// Before: even ranks of the first 2*rest hand all to the next.
pub(super) fn fold(plot: &mut Plot<'_>, rest: u32, bytes: u64, blocks: u32) {
    for even in (0..2 * rest).step_by(2) {
        plot.send(even, even + 1, bytes, || (0..blocks).map(|b| (ANY, b)).collect());
        plot.recv(even + 1, even, bytes);
        plot.wait(even);
        plot.wait(even + 1);
    }
}

/// After: they get the result, of which `blocks` names those of an even rank.
pub(super) fn unfold(plot: &mut Plot<'_>, rest: u32, bytes: u64, blocks: impl Fn(u32) -> Vec<u32>) {
    for even in (0..2 * rest).step_by(2) {
        plot.send(even + 1, even, bytes, || blocks(even).into_iter().map(|b| (ANY, b)).collect());
        plot.recv(even, even + 1, bytes);
        plot.wait(even);
        plot.wait(even + 1);
    }
}
