//! Cray XC machines from the cabling that they print themselves.

use super::Counts;
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::files::{Files, read_text};
use crate::format::cray_xc::{self, Cabling, Colour, Rates};
use crate::params::{Params, Reader};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "cray-xc",
    summary: "a Cray XC machine (Aries, Dragonfly) from the output of `rtr --interconnect`",
    doc: "Every line of the file names a tile (port) of a router, its colour and the tile at the other end: \
          `c0-0c0s0a0l00(0:0:0) green -> c0-0c0s6a0l10(0:0:6)`. Green links join the 16 routers of a chassis, black \
          ones the 6 chassis of a group, blue ones the groups; parallel cables are separate links, and the port of a \
          link is its tile as the digits read (l47 is port 47). Router c0-0c0s0a0 has the hosts c0-0c0s0n0, n1, ...; \
          which of its processor tiles serve which host is not told, so host n has port 50+n. Levels: router (a \
          blade), chassis, group.\n\
          The file holds no bandwidths. A tile has 3 lanes of 14 Gb/s (copper: 3*14/8 = 5.25 GB/s) or 12.5 Gb/s \
          (optical: 4.69 GB/s) in each direction; the four hosts of a router share 64 PCIe 3.0 lanes, 15.75 GB/s \
          each. Aries routes adaptively, packet by packet: the routes of `shortest` are assumed.\n\
          Sources: Faanes et al., \"Cray Cascade: a scalable HPC system based on a Dragonfly network\", SC 2012; \
          Alverson et al., \"Cray XC series network\", Cray WP-Aries01-1112; the simulator CODES has the same \
          link rates in its models.",
    example: "cray-xc:path=testdata/fabrics/xc-mini.interconnect",
    params: &[
        param("path", "path", "", "the output of `rtr --interconnect`; plain, gzip or xz"),
        param("green", "bandwidth", "5.25", "of a link inside a chassis, GB/s"),
        param("black", "bandwidth", "5.25", "of a link between the chassis of a group, GB/s"),
        param("blue", "bandwidth", "4.69", "of a link between groups, GB/s"),
        param("host", "bandwidth", "15.75", "of a host into its router, GB/s"),
        param("hosts", "count", "4", "hosts of a router, 1 to 8"),
    ],
};

/// A Cray XC machine.
#[derive(Debug, Clone)]
pub struct CrayXc {
    path: String,
    cabling: Arc<Cabling>,
    rates: Rates,
}

impl CrayXc {
    /// The machine whose cabling `path` tells: the output of `rtr --interconnect`, plain, gzip or xz.
    ///
    /// # Errors
    /// The file cannot be read or is no such output.
    pub fn new(path: &str, files: &dyn Files) -> Result<CrayXc> {
        let cabling = cray_xc::parse(path, &read_text(files, path)?)?;
        Ok(CrayXc { path: path.to_string(), cabling: Arc::new(cabling), rates: Rates::default() })
    }

    /// The same with so many hosts of a router.
    ///
    /// # Errors
    /// There are not 1 to 8.
    pub fn hosts(mut self, hosts: u32) -> Result<Self> {
        if !(1..=8).contains(&hosts) {
            return Err(Error::argument("hosts", format!("`hosts` is {hosts}, expected 1 to 8")));
        }
        self.rates.hosts = hosts;
        Ok(self)
    }

    pub(super) fn read(reader: &Reader, files: &dyn Files) -> Result<CrayXc> {
        let machine = CrayXc::new(&reader.need::<String>("path")?, files)?;
        let machine = reader.set(machine, "green", CrayXc::green_bandwidth)?;
        let machine = reader.set(machine, "black", CrayXc::black_bandwidth)?;
        let machine = reader.set(machine, "blue", CrayXc::blue_bandwidth)?;
        let machine = reader.set(machine, "host", CrayXc::host_bandwidth)?;
        reader.set(machine, "hosts", CrayXc::hosts)
    }

    pub(super) fn params(&self) -> Params {
        let (own, usual) = (&self.rates, Rates::default());
        let params = Params::named(ENTRY.name).with("path", &self.path[..]).unless("green", own.green, usual.green);
        let params = params.unless("black", own.black, usual.black).unless("blue", own.blue, usual.blue);
        params.unless("host", own.host, usual.host).unless("hosts", own.hosts, usual.hosts)
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        cray_xc::build(&self.path, &self.cabling, &self.rates)
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        let switches = self.cabling.routers.len() as u64;
        let endpoints = switches * u64::from(self.rates.hosts);
        let of = |colour| 2 * self.cabling.cables.iter().filter(|c| c.colour == colour).count() as u64;
        let links = vec![
            ("green".into(), of(Colour::Green)),
            ("black".into(), of(Colour::Black)),
            ("blue".into(), of(Colour::Blue)),
            ("host".into(), 2 * endpoints),
        ];
        Some(Counts { endpoints, switches, links })
    }

    pub(super) fn default_routing(&self) -> &'static str {
        "shortest"
    }
}

bandwidths! { CrayXc:
    green_bandwidth sets "green" in rates.green, "links inside a chassis of another bandwidth";
    black_bandwidth sets "black" in rates.black, "links between the chassis of a group of another bandwidth";
    blue_bandwidth sets "blue" in rates.blue, "links between groups of another bandwidth";
    host_bandwidth sets "host" in rates.host, "host links of another bandwidth";
}
