//! How far a packet still goes from where it stands: asked of packets whose state was read from a file, of which nothing is known.

use super::{At, Forwarding, Header, Hop, NOWHERE, Wiring};

/// The router to which a hop leads, or none where it ends at the target's terminal; nothing where there is no such port or VC, or
/// it is another endpoint's.
fn next<F: Forwarding + ?Sized>(forwarding: &F, wiring: &Wiring, at: At, target: u32, hop: Hop) -> Option<Option<At>> {
    let port = wiring.first[at.router as usize] + u32::from(hop.port);
    let own = wiring.ports.get(port as usize).filter(|own| own.router == at.router && hop.vc < forwarding.vcs())?;
    match own.peer {
        NOWHERE => (own.endpoint == target).then_some(None),
        peer => Some(Some(wiring.head(peer, hop.vc))),
    }
}

/// Routers on the one way of [`Forwarding::hop`], see [`Forwarding::left`].
pub(super) fn follow<F: Forwarding + ?Sized>(
    forwarding: &F,
    wiring: &Wiring,
    mut at: At,
    target: u32,
    mut header: Header,
) -> Option<u32> {
    forwarding.is_header(header).then_some(())?;
    for count in 1..=forwarding.longest() {
        let hop = forwarding.hop(at, target, &mut header);
        match next(forwarding, wiring, at, target, hop)? {
            None => return Some(count),
            Some(next) => at = next,
        }
    }
    None
}

/// The most routers on any way of [`Forwarding::ways`], which has no more than so many: for packets with few ways.
pub(super) fn farthest<F: Forwarding + ?Sized>(
    forwarding: &F,
    wiring: &Wiring,
    at: At,
    target: u32,
    header: Header,
    most: u32,
) -> Option<u32> {
    forwarding.is_header(header).then_some(())?;
    let (beyond, mut ways) = (most.checked_sub(1)?, Vec::new());
    forwarding.ways(at, target, header, &mut ways);
    ways.into_iter().try_fold(1, |longest, (hop, header)| match next(forwarding, wiring, at, target, hop)? {
        None => Some(longest),
        Some(next) => Some(longest.max(1 + farthest(forwarding, wiring, next, target, header, beyond)?)),
    })
}
