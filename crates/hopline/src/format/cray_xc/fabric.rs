//! The fabric that the cabling of a Cray XC machine makes.

use super::{Cabling, Colour};
use crate::error::Result;
use crate::fabric::{Builder, Fabric, LinkClass};
use crate::id::VertexId;
use crate::unit::Bandwidth;
use rustc_hash::FxHashMap;

/// Bandwidths of one direction of a cable, and hosts of a blade: what the
/// cabling does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// Of a green link.
    pub green: Bandwidth,
    /// Of a black link.
    pub black: Bandwidth,
    /// Of a blue link.
    pub blue: Bandwidth,
    /// Between a host and its router.
    pub host: Bandwidth,
    /// Hosts of a router, 1 to 8.
    pub hosts: u32,
}

impl Default for Rates {
    /// A tile has 3 lanes, of 14 Gb/s each on copper and of 12.5 Gb/s each on
    /// optical cables; four hosts share 64 PCIe 3.0 lanes.
    fn default() -> Self {
        Rates {
            green: Bandwidth::bytes_s(5_250_000_000),
            black: Bandwidth::bytes_s(5_250_000_000),
            blue: Bandwidth::bytes_s(4_690_000_000),
            host: Bandwidth::bytes_s(15_750_000_000),
            hosts: 4,
        }
    }
}

/// The processor tiles l50 to l57 serve the hosts of a blade; the file does not
/// say which, so host n is given port 50 + n.
const FIRST_HOST_PORT: u16 = 50;

/// Makes the fabric: hosts `c0-0c0s0n0, ...` in natural order, an endpoint with
/// one slot each, then the routers. A cable's ports are its tiles. Levels:
/// router, chassis, group. O(cables log cables).
///
/// # Errors
/// The builder refuses the fabric.
pub fn build(name: &str, cabling: &Cabling, rates: &Rates) -> Result<Fabric> {
    let hosts = rates.hosts.clamp(1, 8);
    let routers = cabling.routers.len() as u32;
    let mut b = Builder::new(name, routers * hosts, routers);
    let green = b.class(LinkClass::network("green", rates.green));
    let black = b.class(LinkClass::network("black", rates.black));
    let blue = b.class(LinkClass::network("blue", rates.blue));
    let host = b.class(LinkClass::host(Some(rates.host)));
    for (router, at) in cabling.routers.iter().zip(0..) {
        let switch = b.switch(at);
        b.name(switch, router.name.to_string());
        for n in 0..hosts {
            let endpoint = VertexId(at * hosts + n);
            b.name(endpoint, router.name.host(n));
            b.cable_at(endpoint, Some(0), switch, Some(FIRST_HOST_PORT + n as u16), host);
        }
    }
    for cable in &cabling.cables {
        let class = match cable.colour {
            Colour::Green => green,
            Colour::Black => black,
            Colour::Blue => blue,
        };
        let (from, to) = (b.switch(cable.a.router), b.switch(cable.b.router));
        b.cable_at(from, Some(cable.a.tile), to, Some(cable.b.tile), class);
    }
    let chassis = parts(cabling.routers.iter().map(|r| (r.group, r.chassis)));
    let group = parts(cabling.routers.iter().map(|r| (r.group, 0)));
    let part = |parts: &[u32], e: u32| parts.get((e / hosts) as usize).copied().unwrap_or(0);
    b.level("router", None, |e| e / hosts);
    b.level("chassis", None, |e| part(&chassis, e));
    b.level("group", None, |e| part(&group, e));
    b.host_per_endpoint(1);
    b.finish()
}

/// Numbers what is found from 0, in its order.
fn parts(keys: impl Iterator<Item = (u32, u32)>) -> Vec<u32> {
    let mut seen = FxHashMap::default();
    keys.map(|key| {
        let next = seen.len() as u32;
        *seen.entry(key).or_insert(next)
    })
    .collect()
}
