//! The smallest cuts between two ranks: how fast one can give to all others, or take from them.

use crate::border::{Border, proves_nothing};
use crate::flow::Arcs;
use crate::network::Network;
use hopline::error::{Error, Result};
use rayon::prelude::*;

/// A set with one rank and without another: what links between them take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Separation {
    pub(crate) border: Border,
    pub(crate) root: u32,
    pub(crate) other: u32,
}

impl Separation {
    /// The set, with the root, and its links.
    pub fn border(&self) -> &Border {
        &self.border
    }

    /// The rank in the set.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// Adds the certificate up again, without what has found it.
    ///
    /// # Errors
    /// As [`Border::check`]; the set does not keep its two ranks apart.
    pub fn check(&self, network: &Network) -> Result<()> {
        self.border.check(network)?;
        match [self.root, self.other].map(|rank| self.border.inside().get(rank as usize).copied()) {
            [Some(true), Some(false)] => Ok(()),
            _ => Err(proves_nothing("it does not keep the two ranks apart")),
        }
    }
}

/// The smallest cut that data from a rank to another must pass, or to it from another where `is_entered`; `None` where nothing
/// limits them. A maximum flow for each other rank (of a host but one), on all threads.
///
/// # Errors
/// The bandwidths are too large to be added.
pub fn separation(network: &Network, root: u32, is_entered: bool) -> Result<Option<Separation>> {
    let most = network.links().iter().filter_map(|l| l.bytes_s).try_fold(0u64, |sum, b| sum.checked_add(b));
    let most = most.and_then(|most| most.checked_add(1)).filter(|&most| most < u64::MAX / 4);
    let most = most.ok_or_else(|| Error::input("the bandwidths of this network add up to more than 2^62 bytes/s"))?;
    let turned = |(from, to)| if is_entered { (to, from) } else { (from, to) };
    let arcs = network.links().iter().map(|l| {
        let (from, to) = turned((l.from, l.to));
        (from, to, l.bytes_s.unwrap_or(most))
    });
    let arcs = Arcs::new(network.vertices(), &arcs.collect::<Vec<_>>());
    let place = network.joined().0;
    let mut others: Vec<u32> = network.ranks().to_vec();
    others.sort_unstable_by_key(|&rank| (place[rank as usize], rank));
    others.dedup_by_key(|rank| place[*rank as usize]);
    others.retain(|&rank| place[rank as usize] != place[root as usize]);
    let flows = others.par_iter().map_init(|| arcs.work(), |work, &to| (arcs.flow(root, to, most, work), to));
    let least = flows.collect::<Vec<_>>().into_iter().min().filter(|least| least.0 < most);
    let Some((_, other)) = least else { return Ok(None) };
    let mut work = arcs.work();
    arcs.flow(root, other, most, &mut work);
    let border = Border::around(network, arcs.apart(other, &work), is_entered);
    Ok(border.map(|border| Separation { border, root, other }))
}

/// The smallest cut that keeps any two ranks apart, in whichever direction: what an allreduce must get through, whatever
/// switches do. 2 (ranks - 1) maximum flows.
///
/// # Errors
/// As [`separation`].
pub fn weakest(network: &Network) -> Result<Option<Separation>> {
    let root = network.ranks()[0];
    let both = [separation(network, root, false)?, separation(network, root, true)?];
    Ok(both.into_iter().flatten().min_by_key(|cut| cut.border().bytes_s()))
}
