//! Equal-cost multipath by the hash of a flow, as Ethernet switches do it. Hopps, RFC 2992, 2000.

use super::{Path, Routing, Shortest};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use crate::params::Reader;
use crate::topology::Topology;
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "ecmp",
    summary: "any fabric: shortest paths, one for each flow, by a hash at every switch",
    doc: "Two endpoints exchange `flows` flows of equal size, which differ in their ports. At every router the hash of a flow's 5-tuple \
          (the two endpoints, and a port for each flow) and of the seed chooses one of the links that lead nearer; parallel cables count \
          each. So a flow keeps one path, and links carry what falls on them by chance, as balls fall into bins: shortest is what that \
          comes to in the mean. `hopline load` shows one seed, and how throughput spreads over `seeds` seeds from that one on.\n\
          weights=bandwidth takes a link as often as its bandwidth says (WCMP), weights=equal all alike. With salt=switch the hash \
          has the switch in it; with salt=none all switches choose alike, so that behind the first choice the second is none: \
          the polarisation of networks whose switches share a seed.\n\
          Source: Hopps, \"Analysis of an equal-cost multi-path algorithm\", RFC 2992, 2000; Zhou et al., \"WCMP: weighted cost \
          multipathing for improved fairness in data centers\", EuroSys 2014.",
    example: "ecmp:seed=3,flows=4",
    params: &[
        param("seed", "number", "0", "of the hash"),
        param("seeds", "count", "20", "seeds over which `hopline load` tells how throughput spreads"),
        param("flows", "count", "1", "of each pair of endpoints"),
        param("weights", "equal|bandwidth", "equal", "of links that lead nearer"),
        param("salt", "switch|none", "switch", "what makes switches choose differently"),
    ],
};

/// Paths by the hash of a flow: see [the list](super::LIST).
#[derive(Clone)]
pub struct Ecmp {
    shortest: Arc<Shortest>,
    seed: u64,
    seeds: u32,
    flows: u32,
    by_bandwidth: bool,
    salted: bool,
}

/// Most flows of a pair, and most seeds.
const MOST: u32 = 10_000;

/// From 1 to [`MOST`].
fn count(key: &'static str, n: u32) -> Result<u32> {
    match n {
        1..=MOST => Ok(n),
        _ => Err(Error::argument(key, format!("`{key}` is {n}, expected 1 to {MOST}"))),
    }
}

impl Ecmp {
    pub(super) fn read(reader: &Reader, _: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        let routing = Ecmp::new(fabric.clone());
        let routing = routing.seed(reader.or("seed", 0)?).seeds(reader.or("seeds", 20)?)?;
        let routing = routing.flows(reader.or("flows", 1)?)?;
        let by_bandwidth = reader.choice("weights", &["equal", "bandwidth"])? == 1;
        Ok(Box::new(routing.by_bandwidth(by_bandwidth).salted(reader.choice("salt", &["switch", "none"])? == 0)))
    }

    /// One flow for each pair of endpoints, links that lead nearer alike, switches that choose differently. O(vertices + links).
    pub fn new(fabric: Arc<Fabric>) -> Ecmp {
        let shortest = Arc::new(Shortest::new(fabric));
        Ecmp { shortest, seed: 0, seeds: 20, flows: 1, by_bandwidth: false, salted: true }
    }

    /// The same with another seed of the hash.
    #[must_use]
    pub fn seed(mut self, seed: u32) -> Ecmp {
        self.seed = seed.into();
        self
    }

    /// The same with so many [`Routing::reseeded`].
    ///
    /// # Errors
    /// None, or more than 10,000.
    pub fn seeds(mut self, seeds: u32) -> Result<Ecmp> {
        self.seeds = count("seeds", seeds)?;
        Ok(self)
    }

    /// The same with so many flows for each pair of endpoints.
    ///
    /// # Errors
    /// None, or more than 10,000.
    pub fn flows(mut self, flows: u32) -> Result<Ecmp> {
        self.flows = count("flows", flows)?;
        Ok(self)
    }

    /// The same with links taken as often as their bandwidth says, or all alike.
    #[must_use]
    pub fn by_bandwidth(mut self, by_bandwidth: bool) -> Ecmp {
        self.by_bandwidth = by_bandwidth;
        self
    }

    /// The same with the switch in the hash, or with switches that all choose alike.
    #[must_use]
    pub fn salted(mut self, salted: bool) -> Ecmp {
        self.salted = salted;
        self
    }

    /// The link of some that a hash chooses: in proportion to their weights.
    fn choose(&self, hash: u64, ways: &[(LinkId, u32)]) -> usize {
        let scaled = |total: u64| ((u128::from(hash) * u128::from(total)) >> 64) as u64;
        if !self.by_bandwidth {
            return scaled(ways.len() as u64) as usize;
        }
        // A link without a bandwidth counts as one of 1 B/s, or all of them alike.
        let fabric = self.shortest.fabric();
        let weight = |way: &(LinkId, u32)| fabric.class_of(way.0).bandwidth.map_or(1, |b| b.as_bytes_s().max(1));
        let mut left = scaled(ways.iter().map(weight).sum());
        let chosen = ways.iter().position(|way| {
            let own = weight(way);
            let here = left < own;
            left = left.saturating_sub(own);
            here
        });
        chosen.unwrap_or(ways.len().saturating_sub(1))
    }
}

/// Mixes words into one in which every bit of each counts (SplitMix64's finaliser).
fn hash(words: [u64; 5]) -> u64 {
    words.into_iter().fold(0x9E37_79B9_7F4A_7C15, |h, word| {
        let x = (h ^ word).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ x >> 29).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ x >> 32
    })
}

impl Routing for Ecmp {
    fn fabric(&self) -> &Fabric {
        self.shortest.fabric()
    }

    fn switches_as_ends(&self) -> bool {
        true
    }

    fn choices(&self, source: VertexId, target: VertexId) -> Result<u64> {
        self.shortest.check_way(source, target)?;
        Ok(if source == target { 1 } else { self.flows.into() })
    }

    fn path(&self, source: VertexId, target: VertexId, choice: u64, path: &mut Path) -> Result<()> {
        path.restart(1.0);
        if source == target {
            return Ok(());
        }
        path.share = 1.0 / f64::from(self.flows);
        let tuple = [source.0.into(), target.0.into(), choice, self.seed];
        self.shortest.add_chosen(source, target, path, |router, ways| {
            let salt = if self.salted { 1 + u64::from(router.0) } else { 0 };
            self.choose(hash([tuple[0], tuple[1], tuple[2], tuple[3], salt]), ways)
        })
    }

    fn most_hops(&self) -> u32 {
        self.shortest.most_hops()
    }

    fn reseeded(&self) -> Vec<Box<dyn Routing>> {
        let with = |k: u32| -> Box<dyn Routing> { Box::new(Ecmp { seed: self.seed + u64::from(k), ..self.clone() }) };
        (0..self.seeds).map(with).collect()
    }
}
