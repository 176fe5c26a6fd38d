//! What a unit costs on its way from endpoint to endpoint, and how many links
//! pay for it.

use super::is_multiple;
use crate::fabric::Fabric;
use crate::id::{LinkId, SlotId, VertexId};
use crate::mapping::Problem;
use crate::mapping::search::Ways;
use rustc_hash::FxHashMap;

/// More endpoints are not looked at pair by pair.
const MOST_ENDPOINTS: usize = 2048;
/// Nor routes with more hops together.
const MOST_HOPS: usize = 1 << 25;
/// Pairs are looked at in squares of so many endpoints, whose prices fit a cache.
const SQUARE: usize = 32;

/// Prices under one choice of weights.
pub(super) struct Lens {
    /// Weight of every class.
    weight: Vec<f64>,
    /// Sum of weights over the links in use.
    pub(super) links: f64,
    /// `cheapest[k]`: the least sum of the k smallest prices from an endpoint.
    pub(super) cheapest: Vec<f64>,
    /// Per level, hosts first: the least price between parts; and the most of those of levels with several.
    between: Vec<f64>,
    dearest: f64,
    /// For a class alone: all hops are multiples of this.
    quantum: Option<f64>,
}

impl Lens {
    /// Sum over flows of amount x price, by the second argument.
    pub(super) fn growth(&self, cuts: &[f64]) -> f64 {
        let mut paid = 0.0;
        let mut sum = 0.0;
        for (amount, &price) in cuts.iter().zip(&self.between) {
            if price.is_finite() && price > paid {
                sum += amount * (price - paid);
                paid = price;
            }
        }
        sum
    }

    /// To the next multiple of what one flow can add.
    pub(super) fn round_up(&self, busy: f64, amount: Option<f64>) -> f64 {
        match (self.quantum, amount) {
            (Some(hop), Some(amount)) => (busy / (hop * amount) - 1e-4).ceil().max(0.0) * hop * amount,
            _ => busy,
        }
    }
}

/// Prices between all endpoints of a problem.
pub(super) struct Prices {
    pub(super) lenses: Vec<Lens>,
}

impl Prices {
    /// `None` where there are too many endpoints or hops, or a way is missing.
    pub(super) fn new(problem: &Problem<'_>, peers: usize) -> Option<Prices> {
        let (fabric, hosts) = (problem.fabric(), problem.fabric().hosts());
        let mut slots: FxHashMap<VertexId, (usize, SlotId)> = FxHashMap::default();
        for &slot in problem.slots() {
            slots.entry(hosts.endpoint_of(slot)).or_insert((0, slot)).0 += 1;
        }
        let mut ends: Vec<(VertexId, usize, SlotId)> = slots.into_iter().map(|(e, (n, s))| (e, n, s)).collect();
        ends.sort_by_key(|e| e.0);
        if ends.len() > MOST_ENDPOINTS {
            return None;
        }
        let mut routes = ByClass::new(problem);
        let mut lenses = lenses(fabric, peers, fabric.levels().len() + 1);
        let parts: Vec<Vec<u32>> = ends
            .iter()
            .map(|&(e, _, slot)| {
                let levels = fabric.levels().iter().map(|level| level.part[e.index()]);
                [hosts.host_of(slot).0].into_iter().chain(levels).collect()
            })
            .collect();
        // By lens and pair, the cheaper of both ways.
        let n = ends.len();
        let mut table: Vec<Vec<f32>> = vec![vec![0.0; n * n]; lenses.len()];
        let [mut there, mut back] = [(); 2].map(|()| vec![0.0; fabric.classes().len()]);
        let several: Vec<bool> =
            (0..=fabric.levels().len()).map(|k| parts.iter().any(|part| part[k] != parts[0][k])).collect();
        for (i, j) in pairs(n) {
            routes.between(ends[i].0, ends[j].0, &mut there)?;
            routes.between(ends[j].0, ends[i].0, &mut back)?;
            for (lens, table) in lenses.iter_mut().zip(&mut table) {
                let price = lens.price(&there).min(lens.price(&back));
                table[i * n + j] = price as f32;
                table[j * n + i] = price as f32;
                if price < lens.dearest {
                    lens.apart(price, &parts[i], &parts[j], &several);
                }
            }
        }
        for (lens, table) in lenses.iter_mut().zip(&table) {
            for (i, row) in table.chunks(n).enumerate() {
                // An endpoint is no other's peer more often than it has slots, its own less often by one.
                let slots = |j: usize| ends[j].1 - usize::from(i == j);
                lens.add_row(row.iter().enumerate().map(|(j, &price)| (f64::from(price), slots(j))).collect());
            }
        }
        routes.count_links(&mut lenses);
        lenses.retain(|lens| lens.links > 0.0);
        Some(Prices { lenses })
    }
}

/// All pairs of different numbers below n, the smaller first, square by square.
fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    let begins = move |from: usize| (from..n).step_by(SQUARE);
    let squares = begins(0).flat_map(move |a| begins(a).map(move |b| (a, b)));
    squares.flat_map(move |(a, b)| {
        (a..(a + SQUARE).min(n)).flat_map(move |i| (b.max(i + 1)..(b + SQUARE).min(n)).map(move |j| (i, j)))
    })
}

impl Lens {
    /// A price between parts.
    fn apart(&mut self, price: f64, a: &[u32], b: &[u32], several: &[bool]) {
        for (least, (a, b)) in self.between.iter_mut().zip(a.iter().zip(b)) {
            if a != b {
                *least = least.min(price);
            }
        }
        let levels = self.between.iter().zip(several).filter(|(_, several)| **several);
        self.dearest = levels.map(|(least, _)| *least).fold(0.0, f64::max);
    }

    fn price(&self, way: &[f64]) -> f64 {
        way.iter().zip(&self.weight).map(|(busy, y)| busy * y).sum()
    }

    /// Sums the smallest prices from one endpoint, each for so many slots.
    fn add_row(&mut self, mut row: Vec<(f64, usize)>) {
        row.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut sum, mut k) = (0.0, 0);
        for (price, slots) in row {
            for _ in 0..slots.min(self.cheapest.len() - 1 - k) {
                k += 1;
                sum += price;
                self.cheapest[k] = self.cheapest[k].min(sum);
            }
        }
    }
}

/// Each limited class alone; all together, link by link and by bandwidth.
fn lenses(fabric: &Fabric, peers: usize, levels: usize) -> Vec<Lens> {
    let classes = fabric.classes();
    let limited: Vec<usize> = (0..classes.len()).filter(|&k| classes[k].bandwidth.is_some()).collect();
    let alone = limited.iter().map(|&k| (0..classes.len()).map(|c| f64::from(u8::from(c == k))).collect());
    let by_link = classes.iter().map(|c| f64::from(u8::from(c.bandwidth.is_some()))).collect();
    let network = classes.iter().map(|c| c.bandwidth.filter(|_| !c.host).map_or(0.0, |b| b.as_gb_s())).collect();
    let mut weights: Vec<Vec<f64>> = alone.collect();
    weights.extend([by_link, network]);
    let lens = |weight| Lens {
        weight,
        links: 0.0,
        cheapest: (0..=peers).map(|k| if k == 0 { 0.0 } else { f64::INFINITY }).collect(),
        between: vec![f64::INFINITY; levels],
        dearest: f64::INFINITY,
        quantum: None,
    };
    weights.into_iter().map(lens).collect()
}

/// Busy time per unit that a way costs in each class.
struct ByClass<'a> {
    ways: Ways<'a>,
    fabric: &'a Fabric,
    /// Per bundle, where it was asked for.
    bundle: Vec<Option<Vec<f64>>>,
}

impl<'a> ByClass<'a> {
    fn new(problem: &Problem<'a>) -> Self {
        ByClass { ways: Ways::new(problem.routing()), fabric: problem.fabric(), bundle: Vec::new() }
    }

    /// Writes the busy time of the way by class.
    fn between(&mut self, from: VertexId, to: VertexId, sum: &mut [f64]) -> Option<()> {
        sum.fill(0.0);
        self.ways.find(from, to)?;
        if self.ways.total_hops() > MOST_HOPS {
            return None;
        }
        self.bundle.resize(self.ways.count(), None);
        for &bundle in self.ways.found() {
            let own = self.bundle[bundle as usize].get_or_insert_with(|| {
                let mut own = vec![0.0; sum.len()];
                for hop in self.ways.hops(bundle) {
                    own[self.fabric.class_id(LinkId(hop.link)).index()] += f64::from(hop.busy);
                }
                own
            });
            sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += *own);
        }
        Some(())
    }

    /// Counts the links that the ways asked for use, and finds their quanta.
    fn count_links(&self, lenses: &mut [Lens]) {
        let classes = self.fabric.classes().len();
        let mut used = vec![false; self.fabric.links()];
        let mut least = vec![f64::INFINITY; classes];
        let seen = || (0..).zip(&self.bundle).filter(|b| b.1.is_some()).flat_map(|b| self.ways.hops(b.0));
        for hop in seen() {
            used[hop.link as usize] = true;
            let least = &mut least[self.fabric.class_id(LinkId(hop.link)).index()];
            *least = least.min(f64::from(hop.busy));
        }
        let mut whole = vec![true; classes];
        for hop in seen() {
            let class = self.fabric.class_id(LinkId(hop.link)).index();
            whole[class] &= is_multiple(f64::from(hop.busy), least[class], 1e-5);
        }
        let mut links = vec![0.0; classes];
        (0..).zip(&used).filter(|u| *u.1).for_each(|(l, _)| links[self.fabric.class_id(LinkId(l)).index()] += 1.0);
        for lens in lenses {
            lens.links = links.iter().zip(&lens.weight).map(|(n, y)| n * y).sum();
            let mut counted = (0..classes).filter(|&k| lens.weight[k] > 0.0);
            if let (Some(k), None) = (counted.next(), counted.next())
                && whole[k]
            {
                // The lens prices in units of its weight.
                lens.quantum = Some(least[k]).filter(|q| q.is_finite());
            }
        }
    }
}
