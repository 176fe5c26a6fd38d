//! Paths and routes.

use crate::id::LinkId;

/// One path: its links in order, and the share of the traffic that takes it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Path {
    /// The links from source to target; empty where both are one vertex.
    pub links: Vec<LinkId>,
    /// Share of the amount, in (0, 1]; the shares of all choices add up to 1.
    pub share: f64,
}

impl Path {
    /// Begins anew, for so much of the traffic.
    pub(super) fn restart(&mut self, share: f64) {
        self.links.clear();
        self.share = share;
    }
}

/// In which of so many equal parts of [0, 2^64) a point lies, and in its place where it lies in that part.
pub(super) fn split(point: &mut u64, parts: u64) -> u64 {
    let scaled = u128::from(*point) * u128::from(parts);
    *point = scaled as u64;
    (scaled >> 64) as u64
}

/// The expected use of links by one unit of traffic. A link may stand in it
/// more than once; its shares add up.
pub type Route = Vec<(LinkId, f64)>;
