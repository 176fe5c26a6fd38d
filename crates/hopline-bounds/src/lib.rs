//! What no schedule of a collective can beat on a fabric, and how far the usual algorithms are from it.
//!
//! Bounds are of bandwidth, for messages cut into as many pieces as one likes; what the latency of links takes stands beside them.
//! Every bound comes with a certificate that is checked without what has found it: sets of vertices and the links that
//! leave them ([`Bound::check`]), of linear programs also prices and weights ([`OnTables::check`], [`Concurrent::check`],
//! [`Relayed::check`], [`Trees::check`]). Ranks store, copy and pass on; switches pass on, and copy and add up where [`Switches`] says so.
//!
//! ```
//! use hopline_bounds::{Network, Operation, Switches, bound};
//!
//! // Four ranks in a ring of 25 GB/s each way.
//! let names: Vec<String> = (0..4).map(|r| format!("r{r}")).collect();
//! let ring = (0..4u32).flat_map(|r| [(r, (r + 1) % 4, 25_000_000_000), ((r + 1) % 4, r, 25_000_000_000)]);
//! let network = Network::new(names, vec![0, 1, 2, 3], ring)?;
//! // Every rank takes in 3 shards over two links.
//! let least = bound(&network, Operation::Allgather, 0, Switches::default())?;
//! assert_eq!(least.fraction(), (3, 50));
//! least.check(&network, Operation::Allgather, 0)?;
//! # Ok::<(), hopline::error::Error>(())
//! ```

mod algorithm;
mod alike;
mod border;
mod bound;
mod boxed;
mod boxes;
mod checked;
mod compare;
mod concurrent;
mod cut;
mod flow;
mod latency;
mod network;
mod operation;
mod order;
mod outcome;
mod prices;
mod queued;
mod relayed;
mod rooted;
mod routed;
mod separation;
#[cfg(test)]
mod spoiled;
mod step;
mod tables;
mod trees;
mod verdict;
mod ways;

pub use algorithm::{Algorithm, algorithms, played};
pub use border::Border;
pub use bound::{Bound, Certificate, Volume, bound};
pub use boxes::boxes;
pub use checked::{CheckedOutcome, CheckedSize, OnFabric};
pub use compare::{Asked, compare, compare_one_way};
pub use concurrent::{Concurrent, MOST_RANKS_OF_FLOWS, concurrent};
pub use cut::{Cut, allgather, gather, reduce_scatter, scatter};
pub use network::{Link, Network};
pub use operation::{Operation, Switches};
pub use order::{Ordered, optimised};
pub use outcome::{
    BoundOutcome, Crossed, Limiting, NamedSet, OnRoutes, PhaseProof, Potential, Programmed, Proven, Sized, Tables,
    Tried, Verdict, WeightedSet,
};
pub use relayed::{Relayed, relayed};
pub use routed::{Routed, Routes};
pub use separation::{Separation, separation, weakest};
pub use step::Step;
pub use tables::{MOST_RANKS, OnTables, on_tables};
pub use trees::{Trees, trees};
