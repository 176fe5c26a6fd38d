//! The processes that `mpirun` started: who this one is, and bytes from each to each.
//!
//! One binary serves a laptop without MPI and any MPI library: nothing is linked. [`launched`] reads what the launcher
//! has set in the environment; only where that says that there are several processes does [`World::connect`] load the
//! library that belongs to the launcher, and find out whether it is Open MPI, MPICH or one with the standard's own
//! binary interface (MPI 5.0, chapter 20).

mod launched;
mod library;
mod world;

pub use launched::{Launched, launched};
pub use world::World;
