//! All-to-all on routes as they are, where ranks may pass on blocks of others: the same flow as on any routes, over hops from rank
//! to rank.

use crate::alike::{Alike, Hop};
use crate::concurrent::{Concurrent, foreign, proof};
use crate::network::Network;
use crate::prices::{self, Best, Cost, FAR, Floor, LENGTH};
use crate::routed::Routes;
use crate::tables::{MOST_RANKS, Pairs};
use hopline::error::Result;
use hopline::id::LinkId;

/// Least time of an all-to-all on given routes, where ranks may pass on blocks of others, with the prices that prove it.
#[derive(Debug, Clone, PartialEq)]
pub struct Relayed {
    links: Vec<LinkId>,
    pub(crate) best: Best,
}

impl Relayed {
    /// Seconds per GB of a way to send that is known; the least time lies between this and the proof.
    pub fn reached_seconds_per_gb(&self) -> f64 {
        self.best.reached
    }

    /// The links with a price, dearest first, with their part of what all are worth.
    pub fn dearest(&self, routes: &Routes<'_>) -> Vec<(LinkId, f64)> {
        let worth = |(&link, &price): (&LinkId, &u64)| {
            (link, routes.bytes_s(link).unwrap_or(0) as f64 * price as f64 / self.best.paid as f64)
        };
        prices::dearest(self.links.iter().zip(&self.best.prices).map(worth).collect())
    }

    /// Works the proof out again without the solver: the cheapest ways over ranks at these prices (Floyd, Warshall). Answers
    /// seconds per GB that no schedule on these routes beats.
    ///
    /// # Errors
    /// The prices are of other routes, or all is free, or they prove another time than was said.
    pub fn check(&self, routes: &mut Routes<'_>, ranks: u32) -> Result<f64> {
        let pairs = Pairs::new(routes, ranks, false)?;
        let known = |link: &LinkId| self.links.iter().position(|own| own == link).map(|k| self.best.prices[k]);
        let prices: Vec<u64> =
            pairs.links.iter().map(|(link, _)| known(link)).collect::<Option<_>>().ok_or_else(foreign)?;
        let n = ranks as usize;
        let mut far = direct(&pairs, |link| prices[link]);
        for via in 0..n {
            for from in 0..n {
                for to in 0..n {
                    far[from * n + to] = far[from * n + to].min(far[from * n + via] + far[via * n + to]);
                }
            }
        }
        let paid =
            bytes_s(routes, &pairs)?.iter().zip(&prices).map(|(&b, &price)| u128::from(b) * u128::from(price)).sum();
        proof(&self.best, far.into_iter().map(u128::from).sum(), paid)
    }
}

/// The price of a message from each rank to each, rounded down.
fn direct(pairs: &Pairs, price: impl Fn(usize) -> u64) -> Vec<u64> {
    let n = pairs.n as usize;
    let mut costs = vec![0; n * n];
    for ((from, to), route) in pairs.ends().zip(&pairs.of) {
        let cost: f64 = route.iter().map(|&(link, share)| share * price(link as usize) as f64).sum();
        costs[from as usize * n + to as usize] = cost as u64;
    }
    costs
}

fn bytes_s(routes: &Routes<'_>, pairs: &Pairs) -> Result<Vec<u64>> {
    pairs.links.iter().map(|(link, _)| routes.bytes_s(*link)).collect::<Option<_>>().ok_or_else(foreign)
}

/// The least time of an all-to-all on these routes, ranks as relays; `None` for more than [`MOST_RANKS`] ranks, or where
/// routes have no bandwidths.
///
/// # Errors
/// Two ranks have no way between them, or the linear program cannot be solved.
pub fn relayed(routes: &mut Routes<'_>, ranks: u32) -> Result<Option<Relayed>> {
    above(routes, ranks, None)
}

/// The same where it is known what flows need that go where they like: what proves it proves as much here.
pub(crate) fn above(
    routes: &mut Routes<'_>,
    ranks: u32,
    free: Option<(&Network, &Concurrent)>,
) -> Result<Option<Relayed>> {
    if ranks > MOST_RANKS {
        return Ok(None);
    }
    let pairs = Pairs::new(routes, ranks, false)?;
    if pairs.links.is_empty() {
        return Ok(None);
    }
    let all: Vec<u32> = (0..ranks).collect();
    let hop = |((from, to), links)| Hop { from, to, links };
    let hops: Vec<Hop<'_>> = pairs.ends().zip(pairs.of.iter().map(Vec::as_slice)).map(hop).collect();
    let bytes_s = bytes_s(routes, &pairs)?;
    let alike = Alike::new(ranks as usize, &all, &hops, &bytes_s);
    let floor = free.map_or_else(Floor::default, |(network, free)| {
        let mut worth = vec![0.0; alike.bytes_s.len()];
        let own = free.worth(network);
        for ((link, &class), &bytes) in pairs.links.iter().zip(&alike.class).zip(&bytes_s) {
            worth[class] += own.get(&routes.ends_of(link.0)).map_or(0.0, |price| price * bytes as f64);
        }
        Floor { seconds_per_gb: free.seconds_per_gb(), worth }
    });
    let best = prices::search(&alike.bytes_s, floor, |prices| {
        let costs = direct(&pairs, |link| prices[alike.class[link]]);
        prices::of_all(&alike.sources, prices.len(), |source| {
            Ok(over_ranks(&pairs, &costs, source as usize, &alike.class, prices.len()))
        })
    })?;
    let each = alike.class.iter().map(|&class| best.prices[class]).collect();
    Ok(Some(Relayed { links: pairs.links.iter().map(|l| l.0).collect(), best: Best { prices: each, ..best } }))
}

/// A piece from a rank to each other by cheapest ways over ranks. O(ranks^2).
fn over_ranks(pairs: &Pairs, costs: &[u64], source: usize, class: &[usize], classes: usize) -> Cost {
    let n = pairs.n as usize;
    let cost = |from: usize, to: usize| (costs[from * n + to] << LENGTH) + 1;
    let (mut far, mut done, mut order) = (vec![FAR; n], vec![false; n], Vec::with_capacity(n));
    far[source] = 0;
    while let Some(v) = (0..n).filter(|&v| !done[v]).min_by_key(|&v| far[v]) {
        done[v] = true;
        order.push(v);
        (0..n).filter(|&to| to != v).for_each(|to| far[to] = far[to].min(far[v].saturating_add(cost(v, to))));
    }
    let mut sum = Cost { cheapest: far.iter().map(|far| u128::from(far >> LENGTH)).sum(), loads: vec![0.0; classes] };
    let mut carried: Vec<f64> = (0..n).map(|v| f64::from(u8::from(v != source))).collect();
    for &v in order.iter().rev().filter(|&&v| v != source) {
        let last: Vec<usize> = (0..n).filter(|&u| u != v && far[u].saturating_add(cost(u, v)) == far[v]).collect();
        let each = carried[v] / last.len() as f64;
        for u in last {
            carried[u] += each;
            for &(link, share) in pairs.route(u as u32, v as u32) {
                sum.loads[class[link as usize]] += each * share;
            }
        }
    }
    sum
}
