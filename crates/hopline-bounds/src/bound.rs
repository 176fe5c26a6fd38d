//! The bound of each operation, with the certificate that proves it.

use crate::border::{Border, proves_nothing};
use crate::cut::{self, Cut};
use crate::network::{Link, Network};
use crate::operation::{Operation, Switches};
use crate::separation::{Separation, separation, weakest};
use hopline::error::{Error, Result};

/// Least time of an operation on a network, whatever the schedule and the routes.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    pub(crate) certificate: Certificate,
    pub(crate) ranks: u64,
}

/// What proves a bound.
#[derive(Debug, Clone, PartialEq)]
pub enum Certificate {
    /// Shards that must leave a set, or enter it.
    Cut(Cut),
    /// Two ranks that links keep apart.
    Apart(Separation),
    /// Blocks that pass from the ranks of a set to the others, or the other way.
    Pairs(Cut),
    /// Every element of a vector must leave all ranks but one, and come back. It assumes that only ranks add up.
    Volume(Volume),
}

/// What all ranks send together, or receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Volume {
    pub(crate) bytes_s: u64,
    /// Switches that copy spare messages that ranks send, and none that they receive.
    is_received: bool,
}

impl Bound {
    /// What proves it.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// `cut`, `separation`, `pairs`, `volume` (sent) or `volume-in` (received).
    pub fn kind(&self) -> &'static str {
        match self.certificate {
            Certificate::Cut(_) => "cut",
            Certificate::Apart(_) => "separation",
            Certificate::Pairs(_) => "pairs",
            Certificate::Volume(Volume { is_received: false, .. }) => "volume",
            Certificate::Volume(Volume { is_received: true, .. }) => "volume-in",
        }
    }

    /// The certificate's set with its links; a volume has none.
    pub fn border(&self) -> Option<&Border> {
        match &self.certificate {
            Certificate::Cut(cut) | Certificate::Pairs(cut) => Some(cut.border()),
            Certificate::Apart(apart) => Some(apart.border()),
            Certificate::Volume(_) => None,
        }
    }

    /// Pieces of the operation's size that must pass.
    pub fn pieces(&self) -> u64 {
        match &self.certificate {
            Certificate::Cut(cut) => cut.shards(),
            Certificate::Apart(_) => 1,
            Certificate::Pairs(cut) => cut.shards() * (self.ranks - cut.shards()),
            Certificate::Volume(_) => 2 * (self.ranks - 1),
        }
    }

    /// What takes them, bytes per second.
    pub fn bytes_s(&self) -> u64 {
        match self.certificate {
            Certificate::Volume(volume) => volume.bytes_s,
            _ => self.border().map_or(0, Border::bytes_s),
        }
    }

    /// Seconds per GB (10^9 bytes) of the operation's size, as a fraction in lowest terms.
    pub fn fraction(&self) -> (u128, u128) {
        let (bytes, bytes_s) = (u128::from(self.pieces()) * 1_000_000_000, u128::from(self.bytes_s()));
        let common = cut::gcd(bytes, bytes_s).max(1);
        (bytes / common, bytes_s / common)
    }

    /// Whether it takes longer than another bound, exactly.
    pub(crate) fn is_above(&self, other: &Bound) -> bool {
        let time = |of: &Bound, against: &Bound| u128::from(of.pieces()) * u128::from(against.bytes_s());
        time(self, other) > time(other, self)
    }

    /// The same as a number.
    pub fn seconds_per_gb(&self) -> f64 {
        let (a, b) = self.fraction();
        a as f64 / b as f64
    }

    /// Adds the certificate up again, without what has found it.
    ///
    /// # Errors
    /// It proves nothing of this operation with this rank as its root.
    pub fn check(&self, network: &Network, operation: Operation, root: usize) -> Result<()> {
        let root = network.ranks()[root];
        match &self.certificate {
            Certificate::Cut(cut) | Certificate::Pairs(cut) => cut.check(network)?,
            Certificate::Apart(apart) => apart.check(network)?,
            Certificate::Volume(own) if volume(network, own.is_received) == Some(*own) => {}
            Certificate::Volume(_) => return Err(proves_nothing("the ranks send or receive more, or another sum")),
        }
        let is_entered = self.border().is_some_and(Border::is_entered);
        let is_root = |apart: &Separation| apart.root() == root;
        let has_root = |cut: &Cut| cut.border().inside()[root as usize];
        let fits = match (operation, &self.certificate) {
            (Operation::Allgather, Certificate::Cut(_)) => !is_entered,
            (Operation::ReduceScatter, Certificate::Cut(_)) => is_entered,
            (Operation::Gather, Certificate::Cut(cut)) => !is_entered && !has_root(cut),
            (Operation::Scatter, Certificate::Cut(cut)) => is_entered && !has_root(cut),
            (Operation::Broadcast, Certificate::Apart(apart)) => !is_entered && is_root(apart),
            (Operation::Reduce, Certificate::Apart(apart)) => is_entered && is_root(apart),
            (Operation::Allreduce, Certificate::Apart(_) | Certificate::Volume(_)) => true,
            (Operation::Alltoall, Certificate::Pairs(_)) => true,
            _ => false,
        };
        match fits && self.ranks == network.size() as u64 && self.bytes_s() > 0 {
            true => Ok(()),
            false => Err(proves_nothing(format!("it is of another operation than {}", operation.name()))),
        }
    }
}

fn limited(found: Option<Separation>) -> Result<Certificate> {
    let cut =
        found.ok_or_else(|| Error::input("no link limits these ranks: all bandwidths between them are unlimited"))?;
    match cut.border().bytes_s() {
        0 => Err(Error::input("some rank cannot be reached from all others")),
        _ => Ok(Certificate::Apart(cut)),
    }
}

/// Bytes/s that leave all ranks together, or enter them; `None` where a link is unlimited.
fn volume(network: &Network, is_received: bool) -> Option<Volume> {
    let mut is_rank = vec![false; network.vertices()];
    network.ranks().iter().for_each(|&rank| is_rank[rank as usize] = true);
    let end = |link: &&Link| if is_received { link.to } else { link.from };
    let mut theirs = network.links().iter().filter(|link| is_rank[end(link) as usize]).map(|link| link.bytes_s);
    let bytes_s = theirs.try_fold(0u64, |sum, bytes| sum.checked_add(bytes?))?;
    Some(Volume { bytes_s, is_received })
}

/// The bound of an operation. For allgather, reduce-scatter, broadcast, reduce, gather and scatter the largest of all cuts; for
/// allreduce the largest of the weakest cut and, unless switches add up, the volumes that ranks must receive and, unless switches
/// copy, send; for all-to-all the largest of the cuts that were looked at.
///
/// # Errors
/// Some rank cannot be reached, nothing limits the ranks, or bandwidths are too large to be exact.
pub fn bound(network: &Network, operation: Operation, root: usize, switches: Switches) -> Result<Bound> {
    let (root, ranks) = (network.ranks()[root], network.size() as u64);
    let of = |certificate: Certificate| Bound { certificate, ranks };
    Ok(of(match operation {
        Operation::Allgather => Certificate::Cut(cut::allgather(network)?),
        Operation::ReduceScatter => Certificate::Cut(cut::reduce_scatter(network)?),
        Operation::Gather => Certificate::Cut(cut::gather(network, root)?),
        Operation::Scatter => Certificate::Cut(cut::scatter(network, root)?),
        Operation::Broadcast => limited(separation(network, root, false)?)?,
        Operation::Reduce => limited(separation(network, root, true)?)?,
        Operation::Allreduce => {
            let weak = of(limited(weakest(network)?)?);
            let sent = (!switches.reduce && !switches.copy).then(|| volume(network, false)).flatten();
            let received = (!switches.reduce).then(|| volume(network, true)).flatten();
            let volume = sent.into_iter().chain(received).min_by_key(|volume| volume.bytes_s);
            let volume = volume.map(|volume| of(Certificate::Volume(volume)));
            return Ok(volume.filter(|v| v.seconds_per_gb() > weak.seconds_per_gb()).unwrap_or(weak));
        }
        Operation::Alltoall => return pairs(network),
    }))
}

/// Of the sets of one rank and the tight sets of allgather and reduce-scatter the one through which blocks take longest.
fn pairs(network: &Network) -> Result<Bound> {
    let vertices = network.vertices() as u32;
    let around = |&rank: &u32| (0..vertices).map(|v| v == rank).collect::<Vec<bool>>();
    let tight = [cut::allgather(network)?, cut::reduce_scatter(network)?];
    let tight = tight.iter().map(|cut| cut.border().inside().to_vec());
    let found = worst(network, network.ranks().iter().map(around).chain(tight));
    found.ok_or_else(|| Error::input("no link limits these ranks"))
}

/// Of some sets the one through which the blocks of an all-to-all take longest, in or out: as many enter a set as leave it, by links
/// that may take less one way.
pub(crate) fn worst(network: &Network, sets: impl Iterator<Item = Vec<bool>>) -> Option<Bound> {
    let both = |inside: Vec<bool>| [false, true].map(|is_entered| Cut::around(network, inside.clone(), is_entered));
    let cuts = sets.flat_map(both).flatten();
    let bounds = cuts.map(|cut| Bound { certificate: Certificate::Pairs(cut), ranks: network.size() as u64 });
    bounds.reduce(|worst, other| if other.is_above(&worst) { other } else { worst })
}
