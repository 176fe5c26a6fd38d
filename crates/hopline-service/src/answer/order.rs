//! `order`: hosts depth first by leaf, then by what joins leaves, so that
//! neighbours in rank are near.

use super::leaves::Leaves;
use super::{Desk, Failure, ends};
use crate::names::End;
use crate::protocol::Hosts;

/// The ends in order. The first stays first; leaves that are near each other
/// follow each other (nested groups of leaves joined within a distance), and
/// within a group each leaf is followed by the nearest that is left.
/// O(leaves^2 * distances).
pub(super) fn order(desk: &mut Desk<'_>, hosts: &Hosts<'_>) -> Result<Vec<u32>, Failure> {
    let mut ends = ends(desk, hosts)?;
    let Some(&first) = ends.first() else { return Ok(Vec::new()) };
    // In natural order of hosts, but for the first one.
    ends.sort_by_key(|end: &End| (end.vertex != first.vertex, end.vertex));
    let leaves = Leaves::new(desk, &ends)?;
    let mut found = Vec::with_capacity(leaves.len());
    visit(&leaves, (0..leaves.len()).collect(), &leaves.distances(), &mut found);
    Ok(found.iter().flat_map(|&leaf| leaves.members[leaf].iter().map(|e| e.vertex)).collect())
}

/// Visits leaves that are joined within the last of `limits`, group by group of the limit before.
fn visit(leaves: &Leaves, set: Vec<usize>, limits: &[u32], found: &mut Vec<usize>) {
    let inner = match limits.split_last() {
        Some((_, inner)) if set.len() > 2 => inner,
        _ => return found.extend(set),
    };
    let Some(&limit) = inner.last() else { return found.extend(set) };
    let groups = joined(leaves, &set, limit);
    if groups.len() == 1 {
        return visit(leaves, set, inner, found);
    }
    let mut left = groups;
    let mut next = 0;
    while next < left.len() {
        let group = left.remove(next);
        visit(leaves, group, inner, found);
        // The nearest group follows.
        let Some(&last) = found.last() else { return };
        let near = |group: &[usize]| group.iter().map(|&leaf| leaves.distance(last, leaf)).min();
        next = (0..left.len()).min_by_key(|&g| (near(&left[g]), g)).unwrap_or(left.len());
    }
}

/// Groups of leaves that chains of distances up to `limit` join, in the order of their first leaf.
fn joined(leaves: &Leaves, set: &[usize], limit: u32) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = set.to_vec();
    let mut groups = Vec::new();
    while let Some(&start) = left.first() {
        let mut group = vec![start];
        left.remove(0);
        let mut at = 0;
        while at < group.len() {
            let from = group[at];
            let (near, far): (Vec<usize>, Vec<usize>) =
                left.into_iter().partition(|&leaf| leaves.distance(from, leaf) <= limit);
            group.extend(near);
            left = far;
            at += 1;
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}

pub(super) fn text(desk: &mut Desk<'_>, hosts: &Hosts<'_>, out: &mut Vec<u8>) -> Result<(), Failure> {
    let found = order(desk, hosts)?;
    for (i, &v) in found.iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        out.extend_from_slice(super::host_label(desk.generation, v).as_bytes());
    }
    out.push(b'\n');
    Ok(())
}
