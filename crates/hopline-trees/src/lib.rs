//! Trees of collectives, and which rank takes which place in them.
//!
//! The library plans with them and the layer that is preloaded into MPI programs runs
//! them, so they depend on nothing.

mod order;
mod tree;

pub use order::{Traversal, traverse};
pub use tree::Tree;
