//! What a server answers from, all of it one generation.

use crate::blamed::Blamed;
use crate::generation::Generation;
use crate::heartbeat::Pulse;
use std::sync::Arc;

/// What answers are made from.
pub(crate) struct Served {
    pub(crate) generation: Arc<Generation>,
    /// What is wrong with it, with a newer one or with the collector; mostly empty.
    pub(crate) warning: String,
    /// The sign of life of the store's collector, if it has given one.
    pub(crate) collector: Option<Pulse>,
    /// What `hopline blame` last said of it, if an answer is kept in the store.
    pub(crate) blamed: Option<Blamed>,
}
