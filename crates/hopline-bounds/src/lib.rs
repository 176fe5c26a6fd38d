//! What no schedule of a collective can beat on a fabric, and how far the usual algorithms are from it.
//!
//! Bounds are of bandwidth alone: messages of any size, cut into as many pieces as one likes. Every bound comes with a
//! certificate that is checked without what has found it ([`Bound::check`]): a set of vertices, the links that leave it, and
//! their sum. Ranks store, copy and pass on; switches only pass on.
//!
//! ```
//! use hopline_bounds::{Network, Operation, bound};
//!
//! // Four ranks in a ring of 25 GB/s each way.
//! let names: Vec<String> = (0..4).map(|r| format!("r{r}")).collect();
//! let ring = (0..4u32).flat_map(|r| [(r, (r + 1) % 4, 25_000_000_000), ((r + 1) % 4, r, 25_000_000_000)]);
//! let network = Network::new(names, vec![0, 1, 2, 3], ring)?;
//! // Every rank takes in 3 shards over two links.
//! let least = bound(&network, Operation::Allgather, 0)?;
//! assert_eq!(least.fraction(), (3, 50));
//! least.check(&network, Operation::Allgather, 0)?;
//! # Ok::<(), hopline::error::Error>(())
//! ```

mod algorithm;
mod border;
mod bound;
mod cut;
mod flow;
mod network;
mod outcome;
mod routed;
mod separation;
mod tables;

pub use algorithm::{Algorithm, Operation, Step, algorithms};
pub use border::Border;
pub use bound::{Bound, Certificate, bound};
pub use cut::{Cut, allgather, gather, reduce_scatter, scatter};
pub use network::{Link, Network};
pub use outcome::{
    BoundOutcome, Crossed, Limiting, OnRoutes, Proven, Sized, Tables, Tried, Verdict, bound_only, compare,
};
pub use routed::{Routed, Routes};
pub use separation::{Separation, separation, weakest};
pub use tables::{MOST_RANKS, OnTables, on_tables};
