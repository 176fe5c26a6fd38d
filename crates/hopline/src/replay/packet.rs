//! A packet under way.

use super::routes::Track;

/// A packet under way: on a link it stands in line with 8 bytes for when it is at its end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Packet {
    /// Its message; `NONE` where later packets of that count.
    pub(super) message: u32,
    /// Where buffers are finite, with `FIRST`.
    pub(super) bytes: u32,
    /// When its last byte is at the next link.
    pub(super) tail: u64,
    pub(super) track: Track,
}

/// Marks a packet that has not taken its first link.
pub(super) const FIRST: u32 = 1 << 31;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_under_way_is_small() {
        assert!(size_of::<(u64, Packet)>() <= 40);
    }
}
