//! A call that is to be done.

use super::operation::Operation;
use super::settings::Broadcasts;
use super::tree::Order;

/// What is to be done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) operation: Operation,
    pub(super) open_mpi: bool,
    /// The node of the root.
    pub(super) root: usize,
    pub(super) root_rank: usize,
    /// Of the message, or of one block.
    pub(super) bytes: u64,
    /// The node of each rank.
    pub(super) node_of: &'a [usize],
    pub(super) order: Order,
    pub(super) broadcasts: Broadcasts,
}
