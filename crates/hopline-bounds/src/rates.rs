//! How fast one rank can give to all others, or take from them: the smallest cuts between it and each.

use crate::flow::Arcs;
use crate::network::{Link, Network};
use hopline::error::{Error, Result};
use rayon::prelude::*;

/// Vertices on the side of one rank whose links keep it from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Separation {
    inside: Vec<bool>,
    from: u32,
    to: u32,
    bytes_s: u64,
}

impl Separation {
    /// The rank that gives and the one that takes.
    pub fn between(&self) -> (u32, u32) {
        (self.from, self.to)
    }

    /// What passes at most, bytes per second.
    pub fn bytes_s(&self) -> u64 {
        self.bytes_s
    }

    /// Whether each vertex is on the giving side.
    pub fn inside(&self) -> &[bool] {
        &self.inside
    }

    /// The links that leave that side.
    pub fn crossing<'a>(&'a self, network: &'a Network) -> impl Iterator<Item = Link> + 'a {
        let inside = |v: u32| self.inside[v as usize];
        network.links().iter().copied().filter(move |link| inside(link.from) && !inside(link.to))
    }

    /// Adds the certificate up again, without what has found it.
    ///
    /// # Errors
    /// It does not keep its ranks apart, or its links take more than it says.
    pub fn check(&self, network: &Network) -> Result<()> {
        let wrong = |text: String| Err(Error::failed(format!("this cut proves nothing: {text}")));
        let side = |rank: u32| self.inside.get(rank as usize).copied();
        if self.inside.len() != network.vertices() || side(self.from) != Some(true) || side(self.to) != Some(false) {
            return wrong("it does not keep the two ranks apart".into());
        }
        let bytes = self.crossing(network).map(|link| link.bytes_s.map(u128::from));
        match bytes.sum::<Option<u128>>() {
            Some(sum) if sum == u128::from(self.bytes_s) => Ok(()),
            sum => wrong(format!("its links take {sum:?} bytes/s, not {}", self.bytes_s)),
        }
    }
}

/// The smallest cuts from one rank to all others; where nothing limits two ranks there is none.
#[derive(Debug, Clone)]
pub struct Rates(Vec<Option<Separation>>);

impl Rates {
    /// From this rank to every other. A maximum flow each, on all threads.
    ///
    /// # Errors
    /// The bandwidths are too large to be added.
    pub fn from(network: &Network, root: u32) -> Result<Rates> {
        let most = network.links().iter().filter_map(|l| l.bytes_s).try_fold(0u64, |sum, b| sum.checked_add(b));
        let most = most.and_then(|most| most.checked_add(1)).filter(|&most| most < u64::MAX / 4);
        let most =
            most.ok_or_else(|| Error::input("the bandwidths of this network add up to more than 2^62 bytes/s"))?;
        let arcs: Vec<_> = network.links().iter().map(|l| (l.from, l.to, l.bytes_s.unwrap_or(most))).collect();
        let arcs = Arcs::new(network.vertices(), &arcs);
        let others: Vec<u32> = network.ranks().iter().copied().filter(|&rank| rank != root).collect();
        let cut = |work: &mut _, &to: &u32| {
            let bytes_s = arcs.flow(root, to, most, work);
            (bytes_s < most).then(|| Separation { inside: arcs.apart(to, work), from: root, to, bytes_s })
        };
        Ok(Rates(others.par_iter().map_init(|| arcs.work(), cut).collect()))
    }

    /// The smallest of all; `None` where nothing limits them.
    pub fn least(&self) -> Option<&Separation> {
        self.0.iter().flatten().min_by_key(|cut| cut.bytes_s)
    }

    /// Every other rank's, in the order of the ranks.
    pub fn all(&self) -> &[Option<Separation>] {
        &self.0
    }
}

/// The smallest cut that keeps any two ranks apart, in whichever direction: what an allreduce must get through, whatever
/// switches do. 2 (ranks - 1) maximum flows.
///
/// # Errors
/// As [`Rates::from`].
pub fn weakest(network: &Network) -> Result<Option<(Separation, bool)>> {
    let root = network.ranks()[0];
    let out = Rates::from(network, root)?.least().cloned();
    let into = Rates::from(&network.reversed(), root)?.least().cloned();
    let both = [out.map(|cut| (cut, false)), into.map(|cut| (cut, true))];
    Ok(both.into_iter().flatten().min_by_key(|(cut, _)| cut.bytes_s))
}
