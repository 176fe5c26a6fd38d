//! How much memory a schedule takes, known before it is made.

use super::MOST_OPS;
use crate::error::{Error, Result};

/// Bytes of an operation: with who waits for it, while it is matched, and while it is replayed.
const OPERATION: u64 = 50;

/// Bytes of a rank in all that knows ranks.
const RANK: u64 = 200;

/// The memory that a schedule and its replay may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// In bytes.
    pub bytes: u64,
}

impl Default for Limit {
    /// 16 GB. What the machine has is for those to say who may ask it.
    fn default() -> Self {
        Limit { bytes: 16_000_000_000 }
    }
}

impl Limit {
    /// The most operations that fit.
    pub(super) fn operations(self) -> usize {
        usize::try_from(self.bytes / OPERATION).unwrap_or(MOST_OPS).min(MOST_OPS)
    }
}

/// What a schedule has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Its ranks.
    pub ranks: u32,
    /// Operations of its bodies: two of each message.
    pub operations: u64,
}

impl Size {
    /// The size of so many messages.
    pub fn new(ranks: u32, messages: u64) -> Size {
        Size { ranks, operations: messages.saturating_mul(2) }
    }

    /// The most bytes that making and replaying it takes, without what is under way in the network.
    pub fn bytes(&self) -> u64 {
        self.operations.saturating_mul(OPERATION).saturating_add(u64::from(self.ranks) * RANK)
    }

    /// # Errors
    /// It takes more memory, or has more operations than any schedule.
    pub fn check(&self, limit: Limit) -> Result<()> {
        if self.bytes() > limit.bytes || self.operations > MOST_OPS as u64 {
            return Err(self.too_large(limit));
        }
        Ok(())
    }

    pub(super) fn too_large(&self, limit: Limit) -> Error {
        let Size { ranks, operations } = self;
        let bound = match self.bytes() > limit.bytes {
            true => format!("the limit is {}", gigabytes(limit.bytes)),
            false => format!("a schedule has at most {MOST_OPS} operations"),
        };
        let text = format!(
            "{ranks} ranks with {operations} operations ({} messages) take about {} of memory; {bound}",
            operations / 2,
            gigabytes(self.bytes())
        );
        Error::input(text)
            .hint("let fewer ranks take part, write one step and repeat it, or raise `limit` of the model")
    }
}

/// For people.
pub(crate) fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_takes_a_hundred_bytes() {
        let size = Size::new(4096, 4096 * 4095);
        assert!(size.check(Limit { bytes: 1_700_000_000 }).is_ok());
        let error = size.check(Limit { bytes: 1_000_000_000 }).expect_err("too large").to_string();
        assert!(error.contains("33546240 operations (16773120 messages) take about 1.7 GB of memory"), "{error}");
        assert!(error.contains("the limit is 1.0 GB"), "{error}");
        let error = Size::new(16384, 1 << 29).check(Limit { bytes: u64::MAX }).expect_err("too many").to_string();
        assert!(error.contains("at most 536870911 operations"), "{error}");
    }
}
