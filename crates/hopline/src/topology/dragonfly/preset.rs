//! Dragonflies that were built, by what is public of them.

use super::Dragonfly;
use crate::error::Result;
use crate::unit::Bandwidth;

/// By name; the first is none.
pub(super) const NAMES: [&str; 4] = ["none", "frontier", "aurora", "theta"];

/// Slingshot: 200 Gb/s.
const SLINGSHOT: Bandwidth = Bandwidth::bytes_s(25_000_000_000);

/// The machine of a number among [`NAMES`]; none for the first.
pub(super) fn machine(number: usize) -> Result<Option<Dragonfly>> {
    let slingshot = |groups, cables| {
        Dragonfly::with_groups(16, 32, 16, groups)?
            .cables(cables)?
            .local_bandwidth(SLINGSHOT)?
            .global_bandwidth(SLINGSHOT)?
            .host_bandwidth(SLINGSHOT)
    };
    Ok(Some(match number {
        1 => slingshot(74, 4)?,
        2 => slingshot(175, 2)?,
        3 => Dragonfly::with_groups(4, 96, 10, 9)?
            .group(&[16, 6])?
            .trunk(&[1, 3])?
            .cables(48)?
            .local_bandwidth(Bandwidth::bytes_s(5_250_000_000))?
            .global_bandwidth(Bandwidth::bytes_s(4_690_000_000))?
            .host_bandwidth(Bandwidth::bytes_s(15_750_000_000))?,
        _ => return Ok(None),
    }))
}
