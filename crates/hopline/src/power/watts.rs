//! Watts of one direction of a cable by its state.

use crate::entry::{Entry, Param, param};
use crate::error::Result;
use crate::params::{FromValue, Reader, Value};

pub(super) const ON: Param = param("on", "W per GB/s", "0.08", "of one direction that sends");
pub(super) const IDLE: Param = param("idle", "share of on", "1", "of one direction that is on and sends nothing");
pub(super) const OFF: Param = param("off", "share of on", "0", "of one direction that is off");
pub(super) const CHANGING: Param = param("changing", "share of on", "1", "of one direction that is switched on or off");
pub(super) const WAKE: Param = param("wake", "ns", "100000", "to switch on");
pub(super) const SLEEP: Param = param("sleep", "ns", "10000", "to switch off");
pub(super) const SCALING: Param =
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
#[non_exhaustive]
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

/// Of a link of 1 GB/s whose figures nobody knows.
impl Default for Watts {
    fn default() -> Watts {
        Watts { on: 0.08, idle: 1.0, off: 0.0, changing: 1.0, wake: 1e5, sleep: 1e4, scaling: 1.0 }
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

    /// The same of a link that runs at a share of its bandwidth.
    pub fn at_speed(&self, speed: f64) -> Watts {
        let part = speed.powf(self.scaling);
        Watts { on: part * self.on, idle: part * self.idle, ..*self }
    }

    /// Reads the keys of [`OF_CLASS`]; those that are left out are those of `rest`.
    pub(super) fn read(reader: &Reader, rest: Watts) -> Result<Watts> {
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
pub(super) struct Share(pub(super) f64);

impl FromValue for Share {
    const EXPECTED: &'static str = "a share from 0 to 1";
    fn from_value(value: &Value) -> Option<Self> {
        f64::from_value(value).filter(|x| (0.0..=1.0).contains(x)).map(Share)
    }
}
