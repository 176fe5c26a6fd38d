//! All-to-all as a flow from every rank to every other at once: Shahrokhi and Matula, "The maximum concurrent flow problem",
//! 1990. Its least time is what the best prices of links prove.

use crate::alike::{Alike, Hop};
use crate::bound::{Bound, bound};
use crate::network::Network;
use crate::operation::{Operation, Switches};
use crate::prices::{self, Best, Cost, FAR, Floor, LENGTH};
use hopline::error::{Error, Result};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Ranks up to which the flow is worked out.
pub const MOST_RANKS_OF_FLOWS: u32 = 128;
/// Vertices times links, over which sets near ranks are looked for.
const MOST_NEAR: usize = 1 << 26;

/// Least time of an all-to-all whatever its routes, with the prices that prove it.
#[derive(Debug, Clone, PartialEq)]
pub struct Concurrent {
    /// Links with a bandwidth, by number among the network's.
    links: Vec<usize>,
    pub(crate) best: Best,
}

impl Concurrent {
    /// Seconds per GB (10^9 bytes) of the block of a pair in a flow that is known; the least time lies between this and the proof.
    pub fn reached_seconds_per_gb(&self) -> f64 {
        self.best.reached
    }

    /// The links with a price, dearest first, by number among the network's, with their part of what all are worth.
    pub fn dearest(&self, network: &Network) -> Vec<(usize, f64)> {
        let bytes = |link: usize| network.links()[link].bytes_s.unwrap_or(0);
        let worth = |(&link, &price): (&usize, &u64)| (link, bytes(link) as f64 * price as f64 / self.best.paid as f64);
        prices::dearest(self.links.iter().zip(&self.best.prices).map(worth).collect())
    }

    /// Seconds per GB that the prices prove.
    pub(crate) fn seconds_per_gb(&self) -> f64 {
        self.best.seconds_per_gb()
    }

    /// What a byte per second of a link is worth, by its ends, where it is worth something; 1 for all links together.
    pub(crate) fn worth(&self, network: &Network) -> FxHashMap<(u32, u32), f64> {
        let ends = |&link: &usize| (network.links()[link].from, network.links()[link].to);
        let priced = self.links.iter().zip(&self.best.prices).filter(|(_, price)| **price > 0);
        priced.map(|(link, &price)| (ends(link), price as f64 / self.best.paid as f64)).collect()
    }

    /// Vertices that are near a rank at these prices, and the same against the links' direction: sets that much must pass. Fewer
    /// ranks of large networks.
    pub(crate) fn near<'a>(&'a self, network: &'a Network) -> impl Iterator<Item = Vec<bool>> + 'a {
        let entries = network.vertices() * network.links().len();
        let ranks = (MOST_NEAR / entries.max(1)).max(1);
        let turned = network.reversed();
        network.ranks().iter().take(ranks).flat_map(move |&rank| {
            [network, &turned].map(|network| self.around(network, rank)).into_iter().flatten().collect::<Vec<_>>()
        })
    }

    /// The sets of all vertices that are at most so far away from a rank, for every distance.
    fn around(&self, network: &Network, rank: u32) -> Vec<Vec<bool>> {
        let mut price = vec![0u64; network.links().len()];
        self.links.iter().zip(&self.best.prices).for_each(|(&link, &own)| price[link] = own);
        let far = relaxed(network, &price, rank);
        let mut distances: Vec<u64> = far.iter().copied().filter(|&far| far != FAR).collect();
        distances.sort_unstable();
        distances.dedup();
        distances.pop();
        distances.into_iter().map(|most| far.iter().map(|&far| far <= most).collect()).collect()
    }

    /// Works the proof out again without the solver: shortest ways at these prices by relaxation (Bellman, Ford), and what a
    /// second of all links is worth. Answers seconds per GB that no schedule beats.
    ///
    /// # Errors
    /// The prices are of another network, or all is free.
    pub fn check(&self, network: &Network) -> Result<f64> {
        let mut price = vec![0u64; network.links().len()];
        for (&link, &own) in self.links.iter().zip(&self.best.prices) {
            *price.get_mut(link).ok_or_else(foreign)? = own;
        }
        let (mut cheapest, mut paid) = (0u128, 0u128);
        for (link, &price) in network.links().iter().zip(&price) {
            match link.bytes_s {
                Some(bytes) => paid += u128::from(bytes) * u128::from(price),
                None if price > 0 => return Err(foreign()),
                None => {}
            }
        }
        for &source in network.ranks() {
            let far = relaxed(network, &price, source);
            for &rank in network.ranks() {
                cheapest += u128::from(Some(far[rank as usize]).filter(|far| *far != FAR).ok_or_else(foreign)?);
            }
        }
        proof(&self.best, cheapest, paid)
    }
}

/// What the cheapest way from a vertex to each costs (Bellman, Ford).
fn relaxed(network: &Network, price: &[u64], source: u32) -> Vec<u64> {
    let mut far = vec![FAR; network.vertices()];
    far[source as usize] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for (link, price) in network.links().iter().zip(price) {
            let way = far[link.from as usize].saturating_add(*price);
            if way < far[link.to as usize] {
                (far[link.to as usize], changed) = (way, true);
            }
        }
    }
    far
}

pub(crate) fn foreign() -> Error {
    Error::failed("these prices prove nothing: they are of another network")
}

/// What prices prove by what was added up again, which must be what was said.
pub(crate) fn proof(said: &Best, cheapest: u128, paid: u128) -> Result<f64> {
    match paid {
        0 => Err(Error::failed("these prices prove nothing: everything is free")),
        paid if (cheapest, paid) == (said.cheapest, said.paid) => Ok(prices::proven(cheapest, paid)),
        paid => {
            let sums = format!(
                "all pairs pay {cheapest}, not {}, and links are worth {paid}, not {}",
                said.cheapest, said.paid
            );
            Err(Error::failed(format!("these prices do not prove what they say: {sums}")))
        }
    }
}

/// The least time of an all-to-all on any routes; `None` for more than [`MOST_RANKS_OF_FLOWS`] ranks, or where no link has a
/// bandwidth. O(rounds x ranks) searches for shortest ways, on all threads, and a linear program in the links that are not alike
/// and may limit it.
///
/// # Errors
/// Some rank cannot be reached from another, or the linear program cannot be solved.
pub fn concurrent(network: &Network) -> Result<Option<Concurrent>> {
    above(network, bound(network, Operation::Alltoall, 0, Switches::default()).ok().as_ref())
}

/// The same where it is known what a cut proves of an all-to-all.
pub(crate) fn above(network: &Network, least: Option<&Bound>) -> Result<Option<Concurrent>> {
    let links: Vec<usize> = (0..network.links().len()).filter(|&k| network.links()[k].bytes_s.is_some()).collect();
    if network.size() as u32 > MOST_RANKS_OF_FLOWS || links.is_empty() {
        return Ok(None);
    }
    let alike = alike(network, &links);
    let mut number = vec![None; network.links().len()];
    links.iter().zip(&alike.class).for_each(|(&link, &class)| number[link] = Some(class));
    let floor = least.map_or_else(Floor::default, |least| floor(network, least, &number, alike.bytes_s.len()));
    let ways = Ways::new(network, number);
    let best = prices::search(&alike.bytes_s, floor, |prices| {
        prices::of_all(&alike.sources, prices.len(), |source| ways.from(network, source, prices))
    })?;
    let each = alike.class.iter().map(|&class| best.prices[class]).collect();
    Ok(Some(Concurrent { best: Best { prices: each, ..best }, links }))
}

/// What is alike to flows between all ranks that go where they like.
fn alike(network: &Network, links: &[usize]) -> Alike {
    let own: Vec<(u32, f64)> = (0..links.len() as u32).map(|k| (k, 1.0)).collect();
    let mut of_link: Vec<&[(u32, f64)]> = vec![&[]; network.links().len()];
    links.iter().zip(own.chunks(1)).for_each(|(&link, own)| of_link[link] = own);
    let hops = network.links().iter().zip(of_link).map(|(link, links)| Hop { from: link.from, to: link.to, links });
    let hops: Vec<Hop<'_>> = hops.collect();
    let bytes_s: Vec<u64> = links.iter().filter_map(|&link| network.links()[link].bytes_s).collect();
    Alike::new(network.vertices(), network.ranks(), &hops, &bytes_s)
}

/// What a cut proves, as prices of classes: a block that passes pays for one of its links.
fn floor(network: &Network, least: &Bound, number: &[Option<usize>], classes: usize) -> Floor {
    let Some(border) = least.border() else { return Floor::default() };
    let mut worth = vec![0.0; classes];
    let crosses = border.crosses();
    for (link, &class) in network.links().iter().zip(number) {
        if let (Some(class), Some(bytes), true) = (class, link.bytes_s, crosses(link)) {
            worth[class] += bytes as f64 / border.bytes_s() as f64;
        }
    }
    Floor { seconds_per_gb: least.seconds_per_gb(), worth }
}

/// Links by their ends.
struct Ways {
    leaving: Vec<Vec<usize>>,
    entering: Vec<Vec<usize>>,
    /// The place of each link among those with a price, which links that are alike share.
    number: Vec<Option<usize>>,
}

impl Ways {
    fn new(network: &Network, number: Vec<Option<usize>>) -> Ways {
        let [leaving, entering] = network.adjacent();
        Ways { leaving, entering, number }
    }

    fn cost(&self, link: usize, prices: &[u64]) -> u64 {
        (self.number[link].map_or(0, |k| prices[k]) << LENGTH) + 1
    }

    /// A piece from a rank to each other: all cheapest ways carry the same.
    fn from(&self, network: &Network, source: u32, prices: &[u64]) -> Result<Cost> {
        let mut far = vec![FAR; network.vertices()];
        let (mut order, mut heap) = (Vec::new(), BinaryHeap::from([Reverse((0u64, source))]));
        far[source as usize] = 0;
        while let Some(Reverse((at, v))) = heap.pop() {
            if at > far[v as usize] {
                continue;
            }
            order.push(v);
            for &k in &self.leaving[v as usize] {
                let (to, way) = (network.links()[k].to, at.saturating_add(self.cost(k, prices)));
                if way < far[to as usize] {
                    far[to as usize] = way;
                    heap.push(Reverse((way, to)));
                }
            }
        }
        let mut carried = vec![0.0; network.vertices()];
        let mut sum = Cost { cheapest: 0, loads: vec![0.0; prices.len()] };
        for &rank in network.ranks() {
            if far[rank as usize] == FAR {
                return Err(network.apart(source, rank));
            }
            sum.cheapest += u128::from(far[rank as usize] >> LENGTH);
            carried[rank as usize] = f64::from(u8::from(rank != source));
        }
        // What reaches a vertex came over the last links of its cheapest ways, the same over each.
        for &v in order.iter().rev().filter(|&&v| v != source) {
            let comes = |k: &&usize| {
                let from = far[network.links()[**k].from as usize];
                from != FAR && from.saturating_add(self.cost(**k, prices)) == far[v as usize]
            };
            let last: Vec<usize> = self.entering[v as usize].iter().filter(comes).copied().collect();
            let each = carried[v as usize] / last.len() as f64;
            for k in last {
                carried[network.links()[k].from as usize] += each;
                if let Some(k) = self.number[k] {
                    sum.loads[k] += each;
                }
            }
        }
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spoiled_prices_prove_less_or_nothing() {
        let both = |a: u32, b: u32, gb_s: u64| [(a, b, gb_s * 1_000_000_000), (b, a, gb_s * 1_000_000_000)];
        let links = [both(0, 1, 10), both(1, 2, 5), both(2, 3, 10), both(3, 0, 2)].concat();
        let names = (0..4).map(|v| format!("v{v}")).collect();
        let network = Network::new(names, vec![0, 1, 2, 3], links).expect("a network");
        let found = concurrent(&network).expect("solved").expect("limited");
        let whole = found.check(&network).expect("a proof");
        // Four blocks pass the middle either way, by 5 + 2 GB/s.
        assert!((whole - 4.0 / 7.0).abs() < 1e-6 && (found.reached_seconds_per_gb() - whole).abs() < 1e-6, "{whole}");
        for link in 0..found.links.len() {
            for factor in [0, 3] {
                let mut spoiled = found.clone();
                spoiled.best.prices[link] = spoiled.best.prices[link] * factor + factor;
                assert!(spoiled.check(&network).map_or(0.0, |s| s) < whole + 1e-9, "link {link}");
            }
        }
        let free = Concurrent { best: Best { prices: vec![0; 8], ..found.best.clone() }, ..found.clone() };
        assert!(free.check(&network).expect_err("free").message().contains("everything is free"));
        let foreign = Concurrent { links: (1..9).collect(), ..found };
        assert!(foreign.check(&network).expect_err("foreign").message().contains("another network"));
    }
}
