//! Cables slower than their siblings in the fabric as it was read: they may have come up with fewer lanes, and then no
//! measurement looks slow.

use hopline::fabric::Fabric;
use hopline::id::LinkId;

/// Siblings at one switch that must agree before one that is unlike them is told.
const AGREE: usize = 3;
/// The same for each where several are unlike them, which may be of another generation.
const AGREE_EACH: usize = 8;

/// A note on such cables; none where there are none.
pub(crate) fn slower_than_siblings(fabric: &Fabric) -> Option<String> {
    let cables = fabric.link_ids().filter(|&l| l < fabric.reverse(l));
    let odd: Vec<LinkId> = cables
        .filter(|&l| beside_faster(fabric, l) || is_odd(fabric, l) || is_odd(fabric, fabric.reverse(l)))
        .collect();
    let (first, n) = (*odd.first()?, odd.len());
    let more = if n > 1 { ", ..." } else { "" };
    Some(format!(
        "cables slower than those beside them, already in the fabric as it was read: {n} ({}{more})",
        fabric.cable_name(first)
    ))
}

/// Whether a parallel cable is faster.
fn beside_faster(fabric: &Fabric, l: LinkId) -> bool {
    let rate = |l: LinkId| fabric.class_of(l).bandwidth;
    let mut beside = fabric.out_links(fabric.source(l)).filter(|&o| fabric.target(o) == fabric.target(l));
    !fabric.is_host_link(l) && beside.any(|o| rate(o) > rate(l))
}

/// Whether nearly all cables of the same kind (to hosts, to switches) of the switch that a link leaves are faster, and alike.
fn is_odd(fabric: &Fabric, l: LinkId) -> bool {
    let from = fabric.source(l);
    if from.0 < fabric.endpoints() {
        return false;
    }
    let rate = |l: LinkId| fabric.class_of(l).bandwidth;
    let kin = || fabric.out_links(from).filter(|&o| fabric.is_host_link(o) == fabric.is_host_link(l));
    let (all, slower) = (kin().count(), kin().filter(|&o| rate(o) <= rate(l)).count());
    let alike = kin().filter(|&o| rate(o) == kin().filter_map(rate).max()).count();
    let few = slower == 1 || slower * AGREE_EACH <= all;
    rate(l).is_some() && alike >= AGREE && few && alike + slower == all
}
