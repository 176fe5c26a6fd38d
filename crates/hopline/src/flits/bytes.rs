//! Numbers, flits and queues as bytes, and back.

use crate::error::{Error, Result};
use crate::rng::Rng;
use crate::varint;

/// Bytes under way: whole numbers, seven bits a byte.
#[derive(Debug, Clone, Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(super) fn put(&mut self, n: impl Into<u64>) {
        varint::put(&mut self.0, n.into());
    }

    pub(super) fn rng(&mut self, rng: &Rng) {
        let state = rng.state();
        self.put(state as u64);
        self.put((state >> 64) as u64);
    }
}

/// Bytes to be read.
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl Bytes<'_> {
    pub(super) fn new(bytes: &[u8]) -> Bytes<'_> {
        Bytes(bytes)
    }

    /// All numbers to the end.
    pub(super) fn all(&mut self) -> Result<Vec<u64>> {
        let mut all = Vec::new();
        while !self.0.is_empty() {
            all.push(self.get()?);
        }
        Ok(all)
    }

    pub(super) fn get<T: TryFrom<u64>>(&mut self) -> Result<T> {
        let n = varint::take(&mut self.0).ok_or_else(damaged)?;
        T::try_from(n).map_err(|_| damaged())
    }

    pub(super) fn rng(&mut self) -> Result<Rng> {
        let (low, high): (u64, u64) = (self.get()?, self.get()?);
        Ok(Rng::from_state(u128::from(low) | u128::from(high) << 64))
    }
}

pub(super) fn damaged() -> Error {
    Error::input("the checkpoint is damaged").hint("delete it and begin anew")
}
