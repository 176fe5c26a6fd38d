//! Algorithms that traces and training steps take by a key of the operation's name.

use super::{Algorithm, Operation, named};
use crate::entry::{Listed as _, Param, param};
use crate::error::Result;
use crate::params::Reader;

pub(in crate::schedule) const ALLREDUCE: Param = key("allreduce", "allreduce-ring", "algorithm of all-reduces");
pub(in crate::schedule) const ALLGATHER: Param = key("allgather", "allgather-ring", "algorithm of all-gathers");
pub(in crate::schedule) const REDUCE_SCATTER: Param =
    key("reduce-scatter", "reduce-scatter-ring", "algorithm of reduce-scatters");
pub(in crate::schedule) const ALLTOALL: Param = key("alltoall", "pairwise", "algorithm of all-to-alls");
pub(in crate::schedule) const BROADCAST: Param = key("broadcast", "binomial", "algorithm of broadcasts");
pub(in crate::schedule) const REDUCE: Param = key("reduce", "reduce-knomial", "algorithm of reductions");
pub(in crate::schedule) const BARRIER: Param = key("barrier", "dissemination", "algorithm of barriers");

const fn key(name: &'static str, default: &'static str, summary: &'static str) -> Param {
    param(name, "name", default, summary)
}

/// An algorithm for each of some operations.
#[derive(Clone)]
pub(in crate::schedule) struct Chosen(Vec<Algorithm>);

impl Chosen {
    /// What the keys of operations choose, or their defaults.
    ///
    /// # Errors
    /// A name that no algorithm has, or one that does something else.
    pub(in crate::schedule) fn read(reader: &Reader, keys: &[Param]) -> Result<Chosen> {
        let one = |key: &Param| {
            let name: String = reader.or(key.name, key.default.to_string())?;
            let found = named(&name).map_err(|e| reader.wrong(key.name, format!("`{}`: {e}", key.name)))?;
            if found.operation.name() != key.name {
                let text = format!("`{}`: `{}` is no {}", key.name, found.entry().name, key.name);
                return Err(reader.wrong(key.name, text).hint("see `hopline list collective`"));
            }
            Ok(found)
        };
        keys.iter().map(one).collect::<Result<_>>().map(Chosen)
    }

    /// That of an operation, if there is one.
    pub(in crate::schedule) fn of(&self, operation: Operation) -> Option<Algorithm> {
        self.0.iter().find(|a| a.operation == operation).copied()
    }
}
