//! Watts of links by class and state, and the shares that make them a part of a machine.

use super::table;
use crate::entry::{Entry, Param, param};
use crate::error::{Error, Place, Result};
use crate::fabric::{Fabric, LinkClass};
use crate::files::Files;
use crate::id::ClassId;
use crate::params::{FromValue, Params, Reader, Specs, Value};

/// The keys of `[power]` and of the command line.
pub const ENTRY: Entry = Entry {
    name: "power",
    summary: "watts of links by state, and the shares of links and network in a machine's power",
    doc: "One direction of a cable takes `on` watts for every GB/s of its bandwidth while it sends; idle, off and \
          changing (between on and off) are shares of that. Links of today take as much idle as busy, so idle is 1. \
          0.08 W per GB/s is 10 pJ per bit. `wake` and `sleep` are the times to switch on and off.\n\
          Links take the share `links` of the network's power, switches the rest, in equal parts; the network takes \
          `network` of the machine's. So the machine saves network * (links * saved/all watts of links + (1-links) * dark \
          switches/switches); where every router is an endpoint none can be dark.\n\
          Classes with figures of their own: classes=[LL:on=0.05,wake=1000;D:on=0.2,idle=0.5], or in a scenario \
          classes = [\"LL:on=0.05\", \"D:on=0.2\"] under [power]. Or in a file, table=watts.csv: a head `class,on,idle,off,changing,wake,\
          sleep,scaling` with the columns that are needed, a line for every class, and one for `*`, all others.\n\
          Source of the shares: the power paper, section IV, which cites Soteriou and Peh, IEEE TPDS 18 (2007). The watts and \
          times are round figures for electrical links; replace them by those of the machine.",
    example: "power:on=0.08,idle=1,off=0",
    params: &[
        ON,
        IDLE,
        OFF,
        CHANGING,
        WAKE,
        SLEEP,
        SCALING,
        param("links", "share", "0.65", "of links in the network's power"),
        param("network", "share", "0.4", "of the network in the machine's power"),
        param("classes", "list of specs", "none", "classes of links with figures of their own"),
        param("table", "file", "none", "CSV with figures of classes"),
    ],
};

const ON: Param = param("on", "W per GB/s", "0.08", "of one direction that sends");
const IDLE: Param = param("idle", "share of on", "1", "of one direction that is on and sends nothing");
const OFF: Param = param("off", "share of on", "0", "of one direction that is off");
const CHANGING: Param = param("changing", "share of on", "1", "of one direction that is switched on or off");
const WAKE: Param = param("wake", "ns", "100000", "to switch on");
const SLEEP: Param = param("sleep", "ns", "10000", "to switch off");
const SCALING: Param =
    param("scaling", "exponent", "1", "watts on and idle at a share s of the bandwidth are s^scaling of all");

/// The keys that a class may have for itself.
pub(super) const OF_CLASS: Entry = Entry {
    name: "class",
    summary: "figures of one class of links",
    doc: "",
    example: "D:on=0.2,idle=0.5",
    params: &[ON, IDLE, OFF, CHANGING, WAKE, SLEEP, SCALING],
};

/// Power of one direction of a cable, in watts, and how long it takes to switch it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Watts {
    /// While it sends.
    pub on: f64,
    /// On without sending.
    pub idle: f64,
    /// Off.
    pub off: f64,
    /// Between on and off.
    pub changing: f64,
    /// Nanoseconds to switch on.
    pub wake: f64,
    /// Nanoseconds to switch off.
    pub sleep: f64,
    /// Exponent of the speed.
    pub scaling: f64,
}

/// What is assumed of links: see [`ENTRY`].
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Of a link of 1 GB/s.
    rest: Watts,
    /// The same of classes that are named.
    classes: Vec<(String, Watts)>,
    /// Share of links in the network's power.
    pub links: f64,
    /// Share of the network in the machine's power.
    pub network: f64,
}

/// A number from 0.
struct Positive(f64);

impl FromValue for Positive {
    const EXPECTED: &'static str = "a number from 0 to 10^15";
    fn from_value(value: &Value) -> Option<Self> {
        f64::from_value(value).filter(|x| (0.0..=1e15).contains(x)).map(Positive)
    }
}

/// A number from 0 to 1.
struct Share(f64);

impl FromValue for Share {
    const EXPECTED: &'static str = "a share from 0 to 1";
    fn from_value(value: &Value) -> Option<Self> {
        f64::from_value(value).filter(|x| (0.0..=1.0).contains(x)).map(Share)
    }
}

impl Watts {
    /// Nanoseconds of silence from which on it takes less energy to switch off and on again than to stay idle:
    /// (wake + sleep) * (changing - off) / (idle - off), and at least the time it takes. `None` where off saves nothing.
    pub fn break_even(&self) -> Option<f64> {
        let change = self.wake + self.sleep;
        let pays = self.idle > self.off;
        pays.then(|| change * ((self.changing - self.off) / (self.idle - self.off)).max(1.0))
    }
}

impl Watts {
    /// The same of a link that runs at a share of its bandwidth.
    pub fn at_speed(&self, speed: f64) -> Watts {
        let part = speed.powf(self.scaling);
        Watts { on: part * self.on, idle: part * self.idle, ..*self }
    }
}

impl Model {
    /// Reads the keys of [`ENTRY`] and its table.
    ///
    /// # Errors
    /// A value that is out of range or cannot be read, or the table cannot.
    pub fn read(params: &Params, files: &dyn Files) -> Result<Model> {
        let reader = params.check(&ENTRY)?;
        let round = Watts { on: 0.08, idle: 1.0, off: 0.0, changing: 1.0, wake: 1e5, sleep: 1e4, scaling: 1.0 };
        let rest = watts(&reader, round)?;
        let (rest, listed) = match reader.get::<String>("table")? {
            Some(path) => table::read(files, &path, rest).map_err(|e| e.at(reader.place_of("table")))?,
            None => (rest, Vec::new()),
        };
        let place = reader.place_of("classes");
        let specs: Vec<String> = reader.get::<Specs>("classes")?.map_or(Vec::new(), |s| s.0);
        let class = |spec: &String| {
            let params = Params::from_spec(spec, place)?;
            Ok((params.kind().to_string(), watts(&params.check(&OF_CLASS)?, rest)?))
        };
        Ok(Model {
            rest,
            classes: specs.iter().map(class).chain(listed.into_iter().map(Ok)).collect::<Result<_>>()?,
            links: reader.or("links", Share(0.65))?.0,
            network: reader.or("network", Share(0.4))?.0,
        })
    }

    /// Makes sure that the fabric has the classes that are named.
    ///
    /// # Errors
    /// It has not; the error names those it has.
    pub fn check(&self, fabric: &Fabric) -> Result<()> {
        let names = || fabric.classes().iter().map(|c| c.name.as_str());
        match self.classes.iter().find(|(name, _)| !names().any(|n| n == name)) {
            Some((name, _)) => Err(Error::input(format!("{} has no class `{name}` of links", fabric.name()))
                .hint(crate::error::suggest(name, names()))),
            None => Ok(()),
        }
    }

    /// Of one direction of a cable of a class; all zeros where it has no bandwidth.
    pub fn watts(&self, class: &LinkClass) -> Watts {
        let rate = class.bandwidth.map_or(0.0, |b| b.as_gb_s());
        let of = self.classes.iter().find(|(name, _)| *name == class.name).map_or(&self.rest, |(_, w)| w);
        let on = of.on * rate;
        Watts { on, idle: of.idle * on, off: of.off * on, changing: of.changing * on, ..*of }
    }

    /// The same of every class of a fabric, by [`ClassId`].
    pub fn table(&self, fabric: &Fabric) -> Vec<Watts> {
        (0..fabric.classes().len() as u32).map(|c| self.watts(fabric.class(ClassId(c)))).collect()
    }
}

pub(super) fn watts(reader: &Reader, rest: Watts) -> Result<Watts> {
    Ok(Watts {
        on: reader.or("on", Positive(rest.on))?.0,
        idle: reader.or("idle", Share(rest.idle))?.0,
        off: reader.or("off", Share(rest.off))?.0,
        changing: reader.or("changing", Positive(rest.changing))?.0,
        wake: reader.or("wake", Positive(rest.wake))?.0,
        sleep: reader.or("sleep", Positive(rest.sleep))?.0,
        scaling: reader.or("scaling", Positive(rest.scaling))?.0,
    })
}

/// No parameters at all: everything has its default.
pub fn no_params() -> Params {
    Params::new(ENTRY.name, Place::new("[power]", 0))
}
