//! Orders of ranks for a collective: which place takes which part of the
//! communication tree. Subramoni et al., "Design of a scalable InfiniBand
//! topology service ...", section IV-B.

mod delays;
mod hosts;
mod search;
mod tree;

pub use delays::Delays;
pub use hopline_trees::Traversal;
pub use hosts::traverse_hosts;
pub use search::improve;
pub use tree::{communication_tree, traverse};

use crate::replay::Places;

/// Rank r of the schedule at the place `order[r]` of the given ones.
pub fn reorder(places: &Places, order: &[u32]) -> Places {
    Places {
        host: order.iter().map(|&p| places.host[p as usize]).collect(),
        machine: order.iter().map(|&p| places.machine[p as usize]).collect(),
        endpoint: order.iter().map(|&p| places.endpoint[p as usize]).collect(),
    }
}
