//! The exact cut bound of allgather and reduce-scatter: Zhao et al., "ForestColl: throughput-optimal collective
//! communications on heterogeneous network fabrics", arXiv 2402.06787.

use crate::border::{Border, proves_nothing};
use crate::flow::{Arcs, Work};
use crate::network::Network;
use hopline::error::{Error, Result};
use rayon::prelude::*;

/// Ranks that are looked at together before the bound is raised.
const TOGETHER: usize = 32;

/// A set that some rank is not in: what its ranks own must leave it, or their parts of a result must enter it. It holds for
/// every schedule on any routes, and is reached where all switches take in as much as they give out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub(crate) border: Border,
    pub(crate) shards: u64,
}

impl Cut {
    /// The cut around a set; `None` where it proves nothing.
    pub(crate) fn around(network: &Network, inside: Vec<bool>, is_entered: bool) -> Option<Cut> {
        let border = Border::around(network, inside, is_entered).filter(|border| border.bytes_s() > 0)?;
        let shards = (network.size() - border.left_out(network).count()) as u64;
        let cut = Cut { border, shards };
        cut.check(network).ok().map(|()| cut)
    }

    /// The set and its links.
    pub fn border(&self) -> &Border {
        &self.border
    }

    /// Shards that must pass: one for each rank of the set.
    pub fn shards(&self) -> u64 {
        self.shards
    }

    /// Adds the certificate up again, without what has found it.
    ///
    /// # Errors
    /// As [`Border::check`]; all ranks are on one side, or another number of shards must pass.
    pub fn check(&self, network: &Network) -> Result<()> {
        self.border.check(network)?;
        let (all, out) = (network.size() as u64, self.border.left_out(network).count() as u64);
        match all - out == self.shards && out > 0 && self.shards > 0 {
            true => Ok(()),
            false => Err(proves_nothing(format!("{out} of {all} ranks are left out, and {} shards pass", self.shards))),
        }
    }
}

/// The largest cut bound of allgather: exact. O(rounds x ranks) maximum flows, on all threads.
///
/// # Errors
/// Some rank cannot be reached, no links limit the ranks, or the numbers are too large to be exact.
pub fn allgather(network: &Network) -> Result<Cut> {
    towards(network, network.ranks(), false)
}

/// The largest cut bound of gather: that of sets without the root alone.
///
/// # Errors
/// As [`allgather`].
pub fn gather(network: &Network, root: u32) -> Result<Cut> {
    towards(network, &[root], false)
}

/// The largest cut bound of scatter: that of gather with all links turned around.
///
/// # Errors
/// As [`allgather`].
pub fn scatter(network: &Network, root: u32) -> Result<Cut> {
    towards(network, &[root], true)
}

/// The worst set without one of these ranks: of those that data leave, or enter where `is_entered`.
fn towards(network: &Network, sinks: &[u32], is_entered: bool) -> Result<Cut> {
    let common = network.links().iter().filter_map(|l| l.bytes_s).fold(0, |g, b| gcd(g, u128::from(b))) as u64;
    let search = Search::new(network, common.max(1), is_entered);
    let all: u128 = search.links.iter().filter_map(|l| l.2).map(u128::from).sum();
    let n = network.size() as u64;
    // Every number below is at most ranks times the sum of all links.
    if all.checked_mul(u128::from(n)).is_none_or(|most| most > u128::from(u64::MAX / 4)) {
        let text = "the bandwidths of this network have no common measure: its cut bound would not be exact";
        return Err(Error::input(text).hint("round them to whole Mb/s"));
    }
    let mut sinks: Vec<u32> = sinks.iter().map(|&rank| search.place[rank as usize]).collect();
    sinks.sort_unstable();
    sinks.dedup();
    let (mut best, mut clean, mut at) = (Set { shards: 0, bytes: 1, inside: Vec::new() }, 0, 0);
    while clean < sinks.len() {
        let arcs = search.arcs(&best);
        let last = (at + TOGETHER).min(sinks.len());
        let worse = |work: &mut Work, k: usize| {
            // The sink before this one, which has no worse set if none is found here.
            let before = (k > at || clean > 0).then(|| sinks[(k + sinks.len() - 1) % sinks.len()]);
            match before.is_some_and(|before| search.is_no_worse(&arcs, before, sinks[k], &best, work)) {
                true => None,
                false => search.worse(&arcs, sinks[k], &best, work),
            }
        };
        let found: Vec<Option<Set>> = (at..last).into_par_iter().map_init(|| arcs.work(), worse).collect();
        let mut worst: Option<Set> = None;
        for found in found.into_iter().flatten() {
            if found.bytes == 0 {
                let is_out = |rank: &&u32| !found.inside[search.place[**rank as usize] as usize];
                let out = network.ranks().iter().find(is_out).copied().unwrap_or(0);
                return Err(Error::input(format!("rank `{}` cannot be reached from all others", network.name(out))));
            }
            if worst.as_ref().is_none_or(|worst| found.is_above(worst)) {
                worst = Some(found);
            }
        }
        (clean, at) = match worst {
            Some(worst) => {
                best = worst;
                // These ranks are looked at again: they may have sets that are worse still.
                (0, at)
            }
            None => (clean + last - at, if last == sinks.len() { 0 } else { last }),
        };
    }
    if best.shards == 0 {
        return Err(Error::input("no link limits these ranks: all bandwidths between them are unlimited"));
    }
    let inside = search.place.iter().map(|&place| best.inside[place as usize]).collect();
    Cut::around(network, inside, is_entered).ok_or_else(|| Error::failed("the search for a cut found none"))
}

/// The largest cut bound of reduce-scatter: that of allgather with all links turned around.
///
/// # Errors
/// As [`allgather`].
pub fn reduce_scatter(network: &Network) -> Result<Cut> {
    towards(network, network.ranks(), true)
}

/// A set with the shards that leave it and the links' sum, in the common measure.
struct Set {
    shards: u64,
    bytes: u64,
    inside: Vec<bool>,
}

impl Set {
    fn is_above(&self, other: &Set) -> bool {
        u128::from(self.shards) * u128::from(other.bytes) > u128::from(other.shards) * u128::from(self.bytes)
    }
}

/// The network with vertices in one place that unlimited links join both ways: no cut goes between them.
struct Search {
    /// Of every vertex.
    place: Vec<u32>,
    places: u32,
    /// Places with ranks, and how many.
    given: Vec<(u32, u64)>,
    ranks: u64,
    links: Vec<(u32, u32, Option<u64>)>,
}

impl Search {
    fn new(network: &Network, common: u64, is_turned: bool) -> Search {
        let (place, places) = network.joined();
        let at = |v: u32| place[v as usize];
        let links = network.links().iter().map(|l| {
            let (from, to) = if is_turned { (l.to, l.from) } else { (l.from, l.to) };
            (at(from), at(to), l.bytes_s.map(|bytes| bytes / common))
        });
        let links = links.filter(|(from, to, _)| from != to).collect();
        let mut ranks = vec![0; places as usize];
        network.ranks().iter().for_each(|&rank| ranks[at(rank) as usize] += 1);
        let given = (0..).zip(ranks).filter(|given| given.1 > 0).collect();
        Search { given, ranks: network.size() as u64, links, places, place }
    }

    /// Every rank has `bytes` to give, and a link of b takes `shards` * b: a rank that all of it reaches has no set that is
    /// worse than shards / bytes.
    fn arcs(&self, best: &Set) -> Arcs {
        let need = self.ranks * best.bytes;
        let links = self.links.iter().map(|&(from, to, b)| (from, to, b.map_or(need, |b| b * best.shards)));
        let given = self.given.iter().map(|&(place, ranks)| (self.places, place, ranks * best.bytes));
        Arcs::new(self.places as usize + 1, &links.chain(given).collect::<Vec<_>>())
    }

    /// Whether no set without this place needs more time than the best so far if none does without the other: a set that has the
    /// other one and not this one is left by all that goes from there to here, which is enough for all ranks but those here.
    fn is_no_worse(&self, arcs: &Arcs, other: u32, sink: u32, best: &Set, work: &mut Work) -> bool {
        let here = self.given.binary_search_by_key(&sink, |given| given.0).map_or(0, |at| self.given[at].1);
        let enough = (self.ranks - here) * best.bytes;
        other != sink && arcs.flow(other, sink, enough, work) >= enough
    }

    /// A set of places without this one that needs more time than the best so far.
    fn worse(&self, arcs: &Arcs, sink: u32, best: &Set, work: &mut Work) -> Option<Set> {
        let need = self.ranks * best.bytes;
        if arcs.flow(self.places, sink, need, work) >= need {
            return None;
        }
        let mut inside = arcs.apart(sink, work);
        inside.truncate(self.places as usize);
        let shards = self.given.iter().filter(|given| inside[given.0 as usize]).map(|given| given.1).sum();
        let leaves = |&&(from, to, _): &&(u32, u32, Option<u64>)| inside[from as usize] && !inside[to as usize];
        let bytes = self.links.iter().filter(leaves).filter_map(|l| l.2).sum();
        Some(Set { shards, bytes, inside })
    }
}

pub(crate) fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
