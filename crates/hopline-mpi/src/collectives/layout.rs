//! The nodes of a communicator, found once for all communicators of the same members.

use super::nodes::{self, Nodes};
use super::with;
use crate::abi::Handle;
use std::sync::Arc;

/// Lists of members that are kept; beyond them all are forgotten.
const MOST_LAYOUTS: usize = 1024;

/// What was found before.
pub(super) fn kept(members: &[i32]) -> Option<Arc<Nodes>> {
    with(|state| state.layouts.get(members).cloned()).flatten()
}

/// Collective: the nodes of a communicator, kept for others of these members.
pub(super) fn find(handle: Handle, members: Vec<i32>) -> Option<Arc<Nodes>> {
    let nodes = Arc::new(nodes::nodes(handle, members.len())?);
    with(|state| {
        if state.layouts.len() >= MOST_LAYOUTS {
            state.layouts.clear();
        }
        state.layouts.insert(members, nodes.clone());
    });
    Some(nodes)
}
