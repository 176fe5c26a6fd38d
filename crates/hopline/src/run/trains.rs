//! Collectives of large sizes are simulated with trains of packets; what that may change is measured.

use crate::error::Result;
use crate::replay::{Model, Network, PacketCount};

/// Packets of one replay beyond which trains are taken instead, as many of them, or so many to a message; of many messages fewer
/// to each, and no more than that in all while each has a few.
const MANY: u64 = 1 << 19;
const TRAINS: u64 = 32;
const FEW: u64 = 4;
const MOST: u64 = 1 << 21;
/// How much longer the trains are with which their time is compared.
const LONGER: u32 = 4;

/// The packets of a replay of so many messages from which on trains are taken: those make between half as many and as many.
pub(super) fn simulated(messages: u64) -> u64 {
    MANY.max((TRAINS * messages).min(MOST.max(FEW * messages)))
}

/// Trains of packets for one algorithm at one size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trains {
    pub(super) model: Model,
    /// By what part their time differs from that of trains four times as long, or from the line through the times of two
    /// small sizes of single packets, whichever is more.
    pub(super) doubt: f64,
    /// The time with them.
    pub(super) time: u64,
}

/// Trains for an algorithm at a size of so many packets in so many messages; `None` where there are few, or single packets
/// matter (buffers). `time` is that of the algorithm with a model, `at` that at another size.
///
/// # Errors
/// Those of `time` and `at`.
pub(super) fn trains(
    model: &Model,
    bytes: u64,
    PacketCount { packets, messages }: PacketCount,
    time: impl Fn(&Model) -> Result<u64>,
    at: impl Fn(u64, &Model) -> Result<u64>,
) -> Result<Option<Trains>> {
    let times = 1u32.checked_shl((packets / simulated(messages)).max(1).ilog2());
    let fits = |&t: &u32| t > 1 && model.packet.checked_mul(t).and_then(|p| p.checked_mul(LONGER)).is_some();
    let Some(times) = times.filter(fits).filter(|_| model.network == Network::Packets && model.buffers.is_none())
    else {
        return Ok(None);
    };
    let found = model.with_trains(times);
    let (time, long) = (time(&found)?, time(&model.with_trains(times * LONGER))? as f64);
    let small = bytes / (2 * packets / MANY).max(1);
    let (one, two) = (at(small, model)? as f64, at(2 * small, model)? as f64);
    let line = one + (two - one) * (bytes as f64 / small.max(1) as f64 - 1.0);
    let doubt = [long, line].map(|other| (other / (time as f64).max(1.0) - 1.0).abs()).into_iter().fold(0.0, f64::max);
    Ok(Some(Trains { model: found, doubt, time }))
}
