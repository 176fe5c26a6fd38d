//! How much a task sends, in patterns that do not take it from a file.

use crate::demand::Unit;
use crate::entry::{Param, param};
use crate::error::{Error, Result};
use crate::params::{Bytes, Params, Reader};

pub(super) const WEIGHT: Param = param(
    "weight",
    "per-task|per-edge",
    "per-task, with bytes= per-edge",
    "one unit, or `bytes`, per task in all, or to each partner",
);
pub(super) const BYTES: Param = param(
    "bytes",
    "bytes",
    "none",
    "to each partner, itself where it is one; then times are known, and amounts are bytes",
);

/// How much a task sends: one unit or so many bytes, in all or to each partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Amount {
    bytes: Option<u64>,
    /// Where it is said: bytes go to each partner, a unit is sent in all.
    per_edge: Option<bool>,
}

impl Amount {
    pub(super) fn bytes(self, bytes: u64) -> Result<Amount> {
        match bytes {
            0 => Err(Error::argument("bytes", "`bytes` is 0, expected at least 1")),
            n => Ok(Amount { bytes: Some(n), ..self }),
        }
    }

    pub(super) fn per_edge(self, per_edge: bool) -> Amount {
        Amount { per_edge: Some(per_edge), ..self }
    }

    /// Of a pattern with `weight=` and `bytes=`.
    pub(super) fn read(reader: &Reader) -> Result<Amount> {
        let amount = Amount::of_edges(reader)?;
        Ok(match reader.get::<String>("weight")? {
            Some(_) => amount.per_edge(reader.choice("weight", &["per-task", "per-edge"])? == 1),
            None => amount,
        })
    }

    /// Of a pattern with `bytes=` alone.
    pub(super) fn of_edges(reader: &Reader) -> Result<Amount> {
        reader.set(Amount::default(), "bytes", |amount, Bytes(n)| amount.bytes(n))
    }

    /// The same keys as they are written.
    pub(super) fn write(&self, params: Params) -> Params {
        let params = params.maybe("weight", self.per_edge.map(|edge| if edge { "per-edge" } else { "per-task" }));
        params.maybe("bytes", self.bytes)
    }

    /// What amounts are counted in.
    pub(super) fn unit(&self) -> Unit {
        if self.bytes.is_some() { Unit::Bytes } else { Unit::Units }
    }

    /// What a partner gets to whom `share` of the unit of a task is due.
    pub(super) fn of(&self, share: f64) -> f64 {
        let whole = self.bytes.map_or(1.0, |n| n as f64);
        if self.per_edge.unwrap_or(self.bytes.is_some()) { whole } else { whole * share }
    }
}

/// Gives patterns the setters of their amount.
macro_rules! sends {
    ($name:ident by bytes) => {
        impl $name {
            /// The same where each partner gets so many bytes, so that times are known.
            ///
            /// # Errors
            /// There are none.
            pub fn bytes(mut self, bytes: u64) -> Result<Self> {
                self.amount = self.amount.bytes(bytes)?;
                Ok(self)
            }
        }
    };
    ($name:ident by bytes and edges) => {
        sends!($name by bytes);

        impl $name {
            /// The same where a task sends its unit, or bytes, to each partner (`true`) or in all (`false`).
            #[must_use]
            pub fn per_edge(mut self, per_edge: bool) -> Self {
                self.amount = self.amount.per_edge(per_edge);
                self
            }
        }
    };
}
pub(super) use sends;
