//! Trees of switches over endpoints: the hierarchy of the mapping literature
//! (`S = 4:16:64`, `D = 1:10:100`), with one cable from each child to its parent.

use super::{Counts, ONE, check_size};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::{Builder, Fabric, LinkClass};
use crate::files::Files;
use crate::id::VertexId;
use crate::params::{Params, Reader, Sizes};
use crate::unit::Bandwidth;

pub(super) const ENTRY: Entry = Entry {
    name: "tree",
    summary: "tree of switches, innermost arity first; optional distances per level",
    doc: "arity=4x16x64 has 64 switches of 16 switches of 4 endpoints each under one root. Links between switches of \
          level i and i+1 form the class up<i>; endpoints hang on host links. With distance=1x10x100 the distance of \
          two endpoints is that of the innermost level which joins them, 0 for an endpoint to itself, and hop-bytes \
          are amount x distance; else they count switch-to-switch hops.\n\
          With n_i switches at level i (1 = innermost), directed links: host 2*endpoints, up<i> 2*n_i for every level \
          but the root's.\nSource: Schulz and Traff, \"Better process mapping and sparse quadratic assignment\", 2017.",
    example: "tree:arity=4x4x2,distance=1x10x100",
    params: &[
        param("arity", "sizes", "", "children of a switch per level, innermost first"),
        param("distance", "sizes", "hops", "distance per level, innermost first"),
        param("bandwidth", "bandwidth", "1", "of a link between switches, GB/s"),
        param("host", "bandwidth", "unlimited", "of injection and ejection, GB/s"),
    ],
};

/// Parameters of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    arity: Vec<u32>,
    distance: Option<Vec<u32>>,
    bandwidth: Bandwidth,
    host: Option<Bandwidth>,
}

impl Tree {
    /// Children of a switch per level, innermost first. Links between switches have 1 GB/s, host links no limit.
    ///
    /// # Errors
    /// There is no level or one has no children, there are more than 32, or the tree is larger than memory holds.
    pub fn new(arity: &[u32]) -> Result<Tree> {
        let Sizes(arity) = Sizes::new("arity", arity)?;
        if arity.len() > 32 {
            return Err(Error::argument("arity", format!("{} levels, at most 32 are possible", arity.len())));
        }
        // At most as many switches as endpoints, and a cable up from each.
        let twice = arity.iter().try_fold(2u64, |n, &k| n.checked_mul(u64::from(k)));
        check_size(twice, twice.and_then(|n| n.checked_mul(2)))?;
        Ok(Tree { arity, distance: None, bandwidth: ONE, host: None })
    }

    /// The same with the distance of endpoints that meet at each level, innermost first; hop-bytes count it.
    ///
    /// # Errors
    /// There is not one for each level, one is 0, or they shrink towards the root.
    pub fn distance(mut self, distance: &[u32]) -> Result<Self> {
        let Sizes(distance) = Sizes::new("distance", distance)?;
        if distance.len() != self.arity.len() {
            let (given, levels) = (distance.len(), self.arity.len());
            let text = format!("{given} distances for {levels} levels, expected one per level");
            return Err(Error::argument("distance", text));
        }
        if distance.windows(2).any(|w| w[0] > w[1]) {
            return Err(
                Error::argument("distance", "distances shrink towards the root").hint("give the innermost level first")
            );
        }
        self.distance = Some(distance);
        Ok(self)
    }

    pub(super) fn read(reader: &Reader, _: &dyn Files) -> Result<Tree> {
        let Sizes(arity) = reader.need("arity")?;
        let tree = reader.set(Tree::new(&arity)?, "distance", |tree, Sizes(d)| tree.distance(&d))?;
        let tree = reader.set(tree, "bandwidth", Tree::bandwidth)?;
        reader.set(tree, "host", Tree::host_bandwidth)
    }

    pub(super) fn params(&self) -> Params {
        let params =
            Params::named(ENTRY.name).with("arity", &self.arity[..]).maybe("distance", self.distance.as_deref());
        params.unless("bandwidth", self.bandwidth, ONE).maybe("host", self.host)
    }

    /// Number of endpoints.
    pub fn endpoints(&self) -> u32 {
        self.arity.iter().product()
    }

    /// Switches of each level, innermost first.
    fn switches(&self) -> Vec<u32> {
        self.arity
            .iter()
            .scan(self.endpoints(), |n, &k| {
                *n /= k;
                Some(*n)
            })
            .collect()
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        let (n, switches) = (self.endpoints(), self.switches());
        let text: Vec<String> = self.arity.iter().map(u32::to_string).collect();
        let mut b = Builder::new(format!("tree:arity={}", text.join("x")), n, switches.iter().sum());
        let host = b.class(LinkClass::host(self.host));
        let mut below = 0;
        for (i, (&count, &k)) in switches.iter().zip(&self.arity).enumerate() {
            let first = below + if i == 0 { 0 } else { switches[i - 1] };
            let class = match i {
                0 => host,
                _ => b.class(LinkClass::network(&format!("up{i}"), self.bandwidth)),
            };
            for s in 0..count {
                let parent = b.switch(first + s);
                b.name(parent, format!("l{}s{s}", i + 1));
                for c in s * k..(s + 1) * k {
                    let child = if i == 0 { VertexId(c) } else { b.switch(below + c) };
                    b.cable(child, parent, class);
                }
            }
            below = first;
            let span: u32 = self.arity[..=i].iter().product();
            let distance = self.distance.as_ref().map(|d| u64::from(d[i]));
            b.level(format!("level{}", i + 1), distance, |e| e / span);
        }
        b.host_per_endpoint(1);
        b.finish()
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        let switches = self.switches();
        let n = u64::from(self.endpoints());
        let mut links = vec![("host".to_string(), 2 * n)];
        let ups = switches.iter().take(switches.len() - 1).enumerate();
        links.extend(ups.map(|(i, &s)| (format!("up{}", i + 1), 2 * u64::from(s))));
        Some(Counts { endpoints: n, switches: switches.iter().map(|&s| u64::from(s)).sum(), links })
    }

    pub(super) fn default_routing(&self) -> &'static str {
        "shortest"
    }
}

bandwidths! { Tree:
    bandwidth sets "bandwidth" in bandwidth, "links between switches of another bandwidth";
    host_bandwidth sets "host" in host, "injection and ejection of a limited bandwidth";
}
