//! A set of vertices, and what passes its border.

use crate::network::{Link, Network};
use hopline::error::{Error, Result};

/// A set of vertices and what the links that leave it take together; those that enter it, where data go that way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Border {
    pub(crate) inside: Vec<bool>,
    pub(crate) is_entered: bool,
    pub(crate) bytes_s: u64,
}

/// The error of a certificate.
pub(crate) fn proves_nothing(why: impl std::fmt::Display) -> Error {
    Error::failed(format!("this cut proves nothing: {why}"))
}

impl Border {
    /// Around a set; `None` where a link is unlimited or the sum is too large.
    pub(crate) fn around(network: &Network, inside: Vec<bool>, is_entered: bool) -> Option<Border> {
        let border = Border { inside, is_entered, bytes_s: 0 };
        let mut sums = border.crossing(network).map(|link| link.bytes_s);
        let bytes_s = sums.try_fold(0u64, |sum, bytes| sum.checked_add(bytes?))?;
        drop(sums);
        Some(Border { bytes_s, ..border })
    }

    /// Whether each vertex is in the set.
    pub fn inside(&self) -> &[bool] {
        &self.inside
    }

    /// True where data must enter the set, false where they must leave it.
    pub fn is_entered(&self) -> bool {
        self.is_entered
    }

    /// What the links that leave (or enter) the set take together, bytes per second.
    pub fn bytes_s(&self) -> u64 {
        self.bytes_s
    }

    /// The ranks that are not in the set.
    pub fn left_out<'a>(&'a self, network: &'a Network) -> impl Iterator<Item = u32> + 'a {
        network.ranks().iter().copied().filter(|&rank| !self.inside[rank as usize])
    }

    /// The links that leave the set, or enter it.
    pub fn crossing<'a>(&'a self, network: &'a Network) -> impl Iterator<Item = Link> + 'a {
        network.links().iter().copied().filter(self.crosses())
    }

    /// Whether a link leaves the set, or enters it.
    pub(crate) fn crosses(&self) -> impl Fn(&Link) -> bool + '_ {
        let is_in = |v: u32| self.inside[v as usize];
        move |link: &Link| is_in(link.from) != is_in(link.to) && is_in(link.to) == self.is_entered
    }

    /// Adds the links up again, without what has found the set.
    ///
    /// # Errors
    /// The set is of another network, or its links take more than it says or are unlimited.
    pub fn check(&self, network: &Network) -> Result<()> {
        if self.inside.len() != network.vertices() {
            return Err(proves_nothing(format!("{} vertices for {}", self.inside.len(), network.vertices())));
        }
        let mut sum = 0u128;
        for link in self.crossing(network) {
            let name = || format!("{} -> {} is unlimited", network.name(link.from), network.name(link.to));
            sum += u128::from(link.bytes_s.ok_or_else(|| proves_nothing(name()))?);
        }
        match sum == u128::from(self.bytes_s) {
            true => Ok(()),
            false => Err(proves_nothing(format!("its links take {sum} bytes/s, not {}", self.bytes_s))),
        }
    }
}
