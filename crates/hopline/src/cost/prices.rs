//! Prices, and where racks stand.

use crate::entry::{Entry, param};
use crate::error::{Place, Result};
use crate::params::{FromValue, Params, Reader, Value};

/// The keys of prices.
pub const ENTRY: Entry = Entry {
    name: "cost",
    summary: "prices of switches and cables, and the floor on which racks stand",
    doc: "A switch costs `switch` for every Gb/s of its widest port, and `port` for every Gb/s of each of its ports. A cable costs \
          for every Gb/s copper + copper_metre * length where it is no longer than `reach`, else fibre + fibre_metre * length. \
          Links without a bandwidth are priced as the widest that have one.\n\
          Endpoints fill racks in their order, `rack` in each; a switch stands with its endpoints, one without endpoints in the \
          middle of those below it. Racks stand `pitch` metres from each other in rows that make the floor about square; a cable \
          follows rows and columns and is `slack` metres longer, which is all of it within a rack.\n\
          Watts are those of `hopline explain power`: both directions of all links, idle, over the links' share of the network's power.\n\
          Source of the form: Kim et al., \"Technology-driven, highly-scalable Dragonfly topology\", ISCA 2008, section 5; Besta and \
          Hoefler, \"Slim Fly\", SC 2014, section VI. The prices are round figures without a source, in no year's money: replace \
          them by quotes, and compare what they come to, not what they are.",
    example: "cost:port=9,reach=3",
    params: &[
        param("switch", "per Gb/s", "0", "a switch, whatever its ports"),
        param("port", "per Gb/s", "9", "a port of a switch"),
        param("copper", "per Gb/s", "0.6", "a copper cable, whatever its length"),
        param("copper_metre", "per Gb/s and metre", "0.4", "of copper"),
        param("fibre", "per Gb/s", "2.7", "a fibre with both transceivers, whatever its length"),
        param("fibre_metre", "per Gb/s and metre", "0.1", "of fibre"),
        param("reach", "metres", "5", "the longest copper cable"),
        param("rack", "endpoints", "64", "endpoints of a rack"),
        param("pitch", "metres", "1.2", "from rack to rack"),
        param("slack", "metres", "2", "of a cable beyond the way from rack to rack"),
    ],
};

/// Prices for every Gb/s, lengths in metres: see [`ENTRY`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Prices {
    /// Of a switch.
    pub switch: f64,
    /// Of one of its ports.
    pub port: f64,
    /// Of a copper cable.
    pub copper: f64,
    /// Of a metre of copper.
    pub copper_metre: f64,
    /// Of a fibre with its transceivers.
    pub fibre: f64,
    /// Of a metre of fibre.
    pub fibre_metre: f64,
    /// The longest copper cable.
    pub reach: f64,
    /// Endpoints of a rack.
    pub rack: u32,
    /// From rack to rack.
    pub pitch: f64,
    /// Of a cable beyond that way.
    pub slack: f64,
}

impl Default for Prices {
    fn default() -> Prices {
        Prices {
            switch: 0.0,
            port: 9.0,
            copper: 0.6,
            copper_metre: 0.4,
            fibre: 2.7,
            fibre_metre: 0.1,
            reach: 5.0,
            rack: 64,
            pitch: 1.2,
            slack: 2.0,
        }
    }
}

impl Prices {
    /// Reads the keys of [`ENTRY`].
    ///
    /// # Errors
    /// A value that is out of range or cannot be read.
    pub fn read(params: &Params) -> Result<Prices> {
        let reader: Reader = params.check(&ENTRY)?;
        let number = |key: &str, otherwise: f64| Ok(reader.or(key, Number(otherwise))?.0);
        let usual = Prices::default();
        let rack = match reader.or("rack", usual.rack)? {
            0 => return Err(reader.wrong("rack", "`rack` is 0, expected 1 or more endpoints")),
            rack => rack,
        };
        Ok(Prices {
            switch: number("switch", usual.switch)?,
            port: number("port", usual.port)?,
            copper: number("copper", usual.copper)?,
            copper_metre: number("copper_metre", usual.copper_metre)?,
            fibre: number("fibre", usual.fibre)?,
            fibre_metre: number("fibre_metre", usual.fibre_metre)?,
            reach: number("reach", usual.reach)?,
            rack,
            pitch: number("pitch", usual.pitch)?,
            slack: number("slack", usual.slack)?,
        })
    }
}

/// No prices at all: everything has its default.
pub fn no_params() -> Params {
    Params::new(ENTRY.name, Place::new("[cost]", 0))
}

/// A number from 0.
struct Number(f64);

impl FromValue for Number {
    const EXPECTED: &'static str = "a number from 0 to 10^9";
    fn from_value(value: &Value) -> Option<Self> {
        f64::from_value(value).filter(|x| (0.0..=1e9).contains(x)).map(Number)
    }
}
