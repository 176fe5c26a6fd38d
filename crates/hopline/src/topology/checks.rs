//! What the arguments of families have in common: what is refused, and how.

use crate::error::{Error, Result};
use crate::params::Sizes;
use crate::unit::{Bandwidth, Nanos, bytes};

/// Bytes that building takes for each vertex (which may be a host) and each
/// directed link, at most.
const PER_VERTEX: u64 = 220;
const PER_LINK: u64 = 48;

/// The most that a family is given, and from where on people are told.
const MOST_MEMORY: u64 = 16_000_000_000;
pub(super) const MUCH: u64 = 1_000_000_000;

/// Bytes of memory that building a network takes, about.
pub(super) fn memory(vertices: u64, links: u64) -> u64 {
    let bytes = |count: u64, each: u64| count.saturating_mul(each);
    bytes(vertices, PER_VERTEX).saturating_add(bytes(links, PER_LINK))
}

/// Refuses sizes that no machine has and no memory holds. `None` is more than 2^64.
pub(super) fn check_size(vertices: Option<u64>, links: Option<u64>) -> Result<()> {
    let message = match (vertices, links) {
        (Some(vertices), Some(links)) if memory(vertices, links) <= MOST_MEMORY => return Ok(()),
        (Some(vertices), Some(links)) => {
            let (takes, most) = (bytes(memory(vertices, links) as f64), bytes(MOST_MEMORY as f64));
            format!("{vertices} vertices and {links} links take about {takes} of memory, expected at most {most}")
        }
        _ => "more than 2^64 vertices or links".to_string(),
    };
    Err(Error::argument("sizes", message).hint("choose smaller sizes"))
}

/// Extents of a grid, from dimension 0 on: at least one, at most 24, each 1 or more.
pub(super) fn extents(dims: &[u32]) -> Result<Vec<u32>> {
    let Sizes(dims) = Sizes::new("dims", dims)?;
    match dims.len() {
        0..=24 => Ok(dims),
        n => Err(Error::argument("dims", format!("{n} dimensions, at most 24 are possible"))),
    }
}

/// Refuses a count that is not from 1 to 4096.
pub(super) fn check_count(key: &'static str, count: u32) -> Result<()> {
    match count {
        1..=4096 => Ok(()),
        _ => Err(Error::argument(key, format!("`{key}` is {count}, expected 1 to 4096"))),
    }
}

/// The bandwidth of a link, which carries something.
pub(super) fn positive(key: &'static str, bandwidth: Bandwidth) -> Result<Bandwidth> {
    match bandwidth.as_bytes_s() {
        0 => Err(Error::argument(key, format!("`{key}` is 0 GB/s, expected more"))),
        _ => Ok(bandwidth),
    }
}

/// A latency that the simulation of flits can have.
pub(super) fn cycles(key: &'static str, latency: Nanos) -> Result<Nanos> {
    match latency {
        Nanos(0) => {
            Err(Error::argument(key, format!("`{key}` is 0, expected 1 or more: a flit is a cycle on a link at least")))
        }
        more => Ok(more),
    }
}
