//! The rule of dimension order on one ring: the shorter way round, with its virtual
//! channel. Wang, Hou and Ku, section 2.2; the classes high and low after Dally and
//! Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", 1987.

use crate::error::Result;
use crate::params::Reader;

/// What to do where both ways round are equally long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tie {
    /// Towards higher coordinates.
    Plus,
    /// Towards lower coordinates.
    Minus,
    /// Up from even source coordinates, down from odd ones.
    Parity,
    /// Half each way.
    Split,
}

impl Tie {
    /// The value of the key `tie`.
    pub(crate) fn read(reader: &Reader) -> Result<Tie> {
        let ties = [Tie::Plus, Tie::Minus, Tie::Parity, Tie::Split];
        Ok(ties[reader.choice("tie", &["plus", "minus", "parity", "split"])?])
    }

    /// Whether it is up from coordinate x; `None` is both.
    #[inline]
    pub(crate) fn is_up(self, x: u32) -> Option<bool> {
        match self {
            Tie::Plus => Some(true),
            Tie::Minus => Some(false),
            Tie::Parity => Some(x.is_multiple_of(2)),
            Tie::Split => None,
        }
    }
}

/// VCs of a ring: low where a way uses the wraparound link, high where it does not.
pub(crate) const VCS: u8 = 2;

/// The way round a ring from one coordinate to another.
///
/// All its hops are on the VC that is chosen where it enters: high (1) if it does not use
/// the wraparound link, else low (0). Ways are at most half a ring long, so low packets
/// never use the links in the middle and high ones never the wraparound: neither closes
/// a circle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RingWay {
    pub(crate) is_up: bool,
    pub(crate) hops: u32,
    pub(crate) vc: u8,
}

impl RingWay {
    /// On a ring of extent k from x to y; of two ways of one length that which goes up or
    /// does not. On two coordinates up and down are one link, on which all are high.
    #[inline]
    pub(crate) fn new(k: u32, x: u32, y: u32, up_of_two: bool) -> RingWay {
        let up = if y >= x { y - x } else { y + k - x };
        let is_up = if is_tie(k, x, y) { up_of_two } else { 2 * up <= k };
        let crosses = k > 2 && is_up == (y < x);
        RingWay { is_up, hops: if is_up { up } else { k - up }, vc: u8::from(!crosses) }
    }
}

/// Whether both ways round a ring of extent k are equally long.
#[inline]
pub(crate) fn is_tie(k: u32, x: u32, y: u32) -> bool {
    k > 2 && 2 * x.abs_diff(y) == k
}
