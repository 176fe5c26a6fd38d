//! Applications as schedules: what they send in a step, and the collectives
//! between. One application is one file and one line in [`super::LIST`].
//!
//! ```
//! use hopline::schedule::Limit;
//! use hopline::schedule::app::{Class, HaloSteps, Nas};
//!
//! let mut steps = HaloSteps::new(&[4, 4]);
//! steps.bytes = 1024;
//! assert_eq!(steps.schedule(Limit::default())?.volume().messages, 16 * 4 * 10);
//! assert!(Nas::cg(Class::S, 15).schedule(Limit::default()).is_err());
//! # Ok::<(), hopline::error::Error>(())
//! ```

pub(super) mod fft;
pub(super) mod halo;
pub(super) mod irregular;
pub(super) mod isam;
pub(super) mod milc;
pub(super) mod nas;

pub use fft::Fft;
pub use halo::HaloSteps;
pub use irregular::Namd;
pub use isam::Isam;
pub use milc::Milc;
pub use nas::{Class, Nas};

use super::collective::{Plot, named, sized};
use super::{Builder, Limit, Size};
use crate::demand::Grid;
use crate::entry::{Param, param};
use crate::error::{Error, Result};

const RANKS: Param = param("ranks", "count", "one per slot", "number of ranks");
const COMPUTE: Param = param("compute", "ns", "0", "computation of an iteration on each rank");

/// So many ranks, if they fit.
fn checked(ranks: u32, limit: Limit) -> Result<u32> {
    if ranks == 0 {
        return Err(Error::argument("ranks", "0 ranks, expected 1 or more"));
    }
    Size::new(ranks, 0).check(limit).map_err(|e| e.refusing("ranks"))?;
    Ok(ranks)
}

/// The ranks of a grid, if they fit.
fn ranks_of(grid: &Grid, limit: Limit) -> Result<u32> {
    let text = || format!("a grid of more than {} ranks", u32::MAX);
    let ranks = grid.tasks().ok_or_else(|| Error::argument("grid", text()))?;
    Size::new(ranks, 0).check(limit).map_err(|e| e.refusing("ranks"))?;
    Ok(ranks)
}

/// Each rank computes, then waits for it.
fn compute(b: &mut Builder, nanos: u64) {
    if nanos > 0 {
        for rank in 0..b.ranks() {
            b.compute(rank, nanos);
            b.wait(rank);
        }
    }
}

/// A collective of some ranks, behind all that they did before.
fn collective(b: &mut Builder, name: &str, members: &[u32], bytes: u64) -> Result<()> {
    let (algorithm, keys) = (named(name)?, sized(bytes, 1));
    b.has_room(algorithm.messages(members.len() as u32, &keys))?;
    members.iter().for_each(|&rank| b.wait(rank));
    algorithm.draw(&mut Plot::new(b, members, 0), &keys);
    members.iter().for_each(|&rank| b.wait(rank));
    Ok(())
}

/// A collective of all ranks.
fn collective_of_all(b: &mut Builder, name: &str, bytes: u64) -> Result<()> {
    let all: Vec<u32> = (0..b.ranks()).collect();
    collective(b, name, &all, bytes)
}

/// `rank` sends to `to` and receives as much from `from`, and waits for both.
fn swap(b: &mut Builder, rank: u32, to: u32, from: u32, bytes: u64) {
    b.recv(rank, from, bytes, 0);
    b.send(rank, to, bytes, 0);
    b.wait(rank);
}
