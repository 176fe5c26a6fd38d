//! The bound of each operation, with the certificate that proves it.

use crate::algorithm::Operation;
use crate::cut::{self, Cut};
use crate::network::{Link, Network};
use crate::rates::{Rates, Separation, weakest};
use hopline::error::{Error, Result};

/// Least time of an operation on a network, whatever the schedule and the routes.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// Seconds per GB (10^9 bytes) of the operation's size, as a fraction.
    pub fraction: (u128, u128),
    /// What proves it.
    pub certificate: Certificate,
}

/// What proves a bound.
#[derive(Debug, Clone, PartialEq)]
pub enum Certificate {
    /// Shards that must leave a set, or enter it.
    Cut(Cut),
    /// Two ranks that links keep apart; turned where data go the other way (reductions).
    Apart(Separation, bool),
    /// Blocks that pass from a set of so many ranks to the others.
    Pairs(Cut),
    /// Every element of a vector must leave all ranks but one, and come back: bytes/s that all ranks send together. It
    /// assumes that only ranks add up.
    Volume(u64),
}

impl Bound {
    /// Seconds per GB.
    pub fn seconds_per_gb(&self) -> f64 {
        self.fraction.0 as f64 / self.fraction.1 as f64
    }

    /// `cut`, `separation`, `pairs` or `volume`.
    pub fn kind(&self) -> &'static str {
        match self.certificate {
            Certificate::Cut(_) => "cut",
            Certificate::Apart(..) => "separation",
            Certificate::Pairs(_) => "pairs",
            Certificate::Volume(_) => "volume",
        }
    }

    /// Whether each vertex is in the certificate's set, where it has one.
    pub fn inside(&self) -> Option<Vec<bool>> {
        match &self.certificate {
            Certificate::Cut(cut) | Certificate::Pairs(cut) => Some(cut.inside().to_vec()),
            Certificate::Apart(apart, _) => Some(apart.inside().to_vec()),
            Certificate::Volume(_) => None,
        }
    }

    /// The links whose sum the certificate is, as they are on the network.
    pub fn crossing(&self, network: &Network) -> Vec<Link> {
        match &self.certificate {
            Certificate::Cut(cut) | Certificate::Pairs(cut) => cut.crossing(network).collect(),
            Certificate::Apart(apart, false) => apart.crossing(network).collect(),
            Certificate::Apart(apart, true) => {
                let turned = network.reversed();
                apart.crossing(&turned).map(|l| Link { from: l.to, to: l.from, ..l }).collect()
            }
            Certificate::Volume(_) => Vec::new(),
        }
    }

    /// Adds the certificate up again, without what has found it.
    ///
    /// # Errors
    /// It does not prove what the bound says.
    pub fn check(&self, network: &Network, operation: Operation) -> Result<()> {
        let n = network.size() as u128;
        let (bytes, sum) = match &self.certificate {
            Certificate::Cut(cut) => {
                cut.check(network)?;
                (u128::from(cut.shards()), u128::from(cut.bytes_s()))
            }
            Certificate::Pairs(cut) => {
                cut.check(network)?;
                (u128::from(cut.shards()) * (n - u128::from(cut.shards())), u128::from(cut.bytes_s()))
            }
            Certificate::Apart(apart, turned) => {
                apart.check(&if *turned { network.reversed() } else { network.clone() })?;
                (1, u128::from(apart.bytes_s()))
            }
            Certificate::Volume(_) => match volume(network) {
                Some(sum) => (2 * (n - 1), u128::from(sum)),
                None => return Err(Error::failed("this volume proves nothing: a rank's links are unlimited")),
            },
        };
        if self.fraction.0 * sum != self.fraction.1 * bytes * 1_000_000_000 {
            return Err(Error::failed(format!("the certificate proves another bound of {}", operation.name())));
        }
        Ok(())
    }
}

fn reduced(bytes: u128, bytes_s: u128) -> (u128, u128) {
    let (a, b) = (bytes * 1_000_000_000, bytes_s);
    let common = cut::gcd(a, b).max(1);
    (a / common, b / common)
}

fn of_cut(cut: Cut) -> Bound {
    Bound { fraction: reduced(cut.shards().into(), cut.bytes_s().into()), certificate: Certificate::Cut(cut) }
}

fn apart(found: Option<(Separation, bool)>) -> Result<Bound> {
    let (cut, turned) =
        found.ok_or_else(|| Error::input("no link limits these ranks: all bandwidths between them are unlimited"))?;
    if cut.bytes_s() == 0 {
        return Err(Error::input("some rank cannot be reached from all others"));
    }
    let fraction = reduced(1, cut.bytes_s().into());
    Ok(Bound { fraction, certificate: Certificate::Apart(cut, turned) })
}

/// Bytes/s that leave all ranks together; `None` where a link is unlimited.
fn volume(network: &Network) -> Option<u64> {
    let mut is_rank = vec![false; network.vertices()];
    network.ranks().iter().for_each(|&rank| is_rank[rank as usize] = true);
    let leaving = network.links().iter().filter(|link| is_rank[link.from as usize]);
    leaving.map(|link| link.bytes_s).try_fold(0u64, |sum, bytes| sum.checked_add(bytes?))
}

/// The bound of an operation. For allgather, reduce-scatter, broadcast, reduce, gather and scatter the largest of all cuts; for
/// allreduce the larger of the weakest cut and the volume that ranks must send; for all-to-all the largest of the cuts that
/// were looked at.
///
/// # Errors
/// Some rank cannot be reached, nothing limits the ranks, or bandwidths are too large to be exact.
pub fn bound(network: &Network, operation: Operation, root: usize) -> Result<Bound> {
    let root = network.ranks()[root];
    match operation {
        Operation::Allgather => Ok(of_cut(cut::allgather(network)?)),
        Operation::ReduceScatter => Ok(of_cut(cut::reduce_scatter(network)?)),
        Operation::Gather => Ok(of_cut(cut::gather(network, root)?)),
        Operation::Scatter => Ok(of_cut(cut::scatter(network, root)?)),
        Operation::Broadcast => apart(Rates::from(network, root)?.least().cloned().map(|cut| (cut, false))),
        Operation::Reduce => apart(Rates::from(&network.reversed(), root)?.least().cloned().map(|cut| (cut, true))),
        Operation::Allreduce => {
            let weak = apart(weakest(network)?)?;
            let volume = volume(network).map(|sum| Bound {
                fraction: reduced(2 * (network.size() as u128 - 1), sum.into()),
                certificate: Certificate::Volume(sum),
            });
            Ok(volume.filter(|v| v.seconds_per_gb() > weak.seconds_per_gb()).unwrap_or(weak))
        }
        Operation::Alltoall => Ok(pairs(network)?),
    }
}

/// Of the sets of one rank and the tight sets of allgather and reduce-scatter the one through which blocks take longest.
fn pairs(network: &Network) -> Result<Bound> {
    let n = network.size() as u128;
    let around = |&rank: &u32| {
        let inside: Vec<bool> = (0..network.vertices() as u32).map(|v| v == rank).collect();
        [false, true].map(|is_entered| Cut::of(network, inside.clone(), is_entered))
    };
    let tight = [cut::allgather(network)?, cut::reduce_scatter(network)?];
    let time = |cut: &Cut| (u128::from(cut.shards()) * (n - u128::from(cut.shards())), u128::from(cut.bytes_s()));
    let most = network.ranks().iter().flat_map(around).flatten().chain(tight).max_by(|a, b| {
        let ((blocks, bytes_s), (others, their_bytes_s)) = (time(a), time(b));
        (blocks * their_bytes_s).cmp(&(others * bytes_s))
    });
    let cut = most.ok_or_else(|| Error::input("no link limits these ranks"))?;
    let (blocks, bytes_s) = time(&cut);
    Ok(Bound { fraction: reduced(blocks, bytes_s), certificate: Certificate::Pairs(cut) })
}
