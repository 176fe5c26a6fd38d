//! What is simulated: one job is one `hopline flits` command, and its result
//! the throughput of that.

use super::{Pattern, SCHEMES, Scheme, System};
use crate::error::{Error, Place, Result};
use crate::event::Silent;
use crate::files::Disk;
use crate::flits;
use crate::params::{Params, Value};
use crate::plan::Plan;
use crate::run;
use crate::scenario::Scenario;

/// The router of section IV-A, where it is known.
const ROUTER: &str = "buffers=64,output=64,speedup=2";

/// Of loads below the full one: cycles before it counts, the most that count, how well the result is to be
/// known, and the cycles that this takes as a rule.
const WARM: u32 = 20_000;
const MOST: u32 = 200_000;
const PRECISION: &str = "1%@99%";
const USUAL: f64 = 30_000.0;

/// One simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Job {
    pub(super) system: System,
    pub(super) pattern: Pattern,
    pub(super) scheme: Scheme,
    pub(super) seed: u64,
    pub(super) length: Length,
}

/// How long a job runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// At full load, after a warm-up.
    Cycles { warmup: u32, cycles: u32 },
    /// At a lower load, in percent, until throughput and latency are known.
    Until { percent: u32 },
    /// Until every pair has exchanged so many bytes.
    Exchange { bytes: u32 },
}

impl Length {
    /// Of a pattern on a system: the paper's, but at full load for p = 5 to 8 less.
    pub(super) fn of(pattern: Pattern, p: u32, quick: bool) -> Length {
        match (pattern, p) {
            (Pattern::Nearest, _) if quick => Length::Exchange { bytes: 64 << 10 },
            (Pattern::Nearest, _) => Length::Exchange { bytes: 256 << 10 },
            _ if quick => Length::Cycles { warmup: 3000, cycles: 3000 },
            (_, ..=4) => Length::Cycles { warmup: 20_000, cycles: 781_250 },
            _ => Length::Cycles { warmup: 20_000, cycles: 5000 },
        }
    }
}

impl Job {
    fn topology(&self) -> String {
        let System { p, a, h } = self.system;
        format!("dragonfly:p={p},a={a},h={h}")
    }

    fn traffic(&self) -> String {
        self.pattern.traffic(self.system.h)
    }

    /// The command that does the same.
    pub(super) fn command(&self) -> String {
        let Scheme { routing, mapping, .. } = self.scheme;
        let length = match self.length {
            Length::Cycles { warmup, cycles } => format!("--load 1 --warmup {warmup} --cycles {cycles}"),
            Length::Until { percent } => {
                let load = f64::from(percent) / 100.0;
                format!("--load {load} --warmup {WARM} --cycles {MOST} --until {PRECISION}")
            }
            Length::Exchange { bytes } => format!("--inject exchange:bytes={bytes}"),
        };
        format!(
            "hopline flits --topology {} --routing {routing} --traffic {} --mapping {mapping} {length} --router {ROUTER} --seed {}",
            self.topology(),
            self.traffic(),
            self.seed
        )
    }

    /// The job on its machine.
    pub(super) fn plan(&self) -> Result<Plan> {
        let scenario = Scenario::default()
            .topology(&self.topology())?
            .routing(self.scheme.routing)?
            .traffic(&self.traffic())?
            .mappings(self.scheme.mapping)?
            .seed(self.seed);
        Plan::new(&scenario, &Disk)
    }

    /// Flits per cycle and endpoint that arrive.
    pub(super) fn simulate(&self) -> Result<f64> {
        let place = Place::new("study", 0);
        let mut keys = Params::new("flits", place.clone());
        let mut add = |key: &str, value: Value| keys.push(key, value, place.clone());
        add("router", Value::Text(ROUTER.into()))?;
        match self.length {
            Length::Cycles { warmup, cycles } => {
                add("load", Value::Float(1.0))?;
                add("warmup", Value::Int(warmup.into()))?;
                add("cycles", Value::Int(cycles.into()))?;
            }
            Length::Until { percent } => {
                add("load", Value::Float(f64::from(percent) / 100.0))?;
                add("warmup", Value::Int(WARM.into()))?;
                add("cycles", Value::Int(MOST.into()))?;
                add("until", Value::Text(PRECISION.into()))?;
            }
            Length::Exchange { bytes } => add("inject", Value::Text(format!("exchange:bytes={bytes}")))?,
        }
        let outcome = run::flits(&self.plan()?, &flits::Options::read(&keys)?, &mut run::Forget, &mut Silent)?;
        let point = outcome.points.first().ok_or_else(|| Error::failed("a simulation without a result"))?;
        Ok(point.accepted)
    }

    /// Flit-hops that it takes, roughly: throughput and hops of its scheme.
    pub(super) fn work(&self) -> f64 {
        let (p, endpoints) = (f64::from(self.system.p), f64::from(self.system.endpoints()));
        let (throughput, hops) = match self.scheme {
            s if s == SCHEMES[0] => (0.5 / (p * p), 4.0),
            s if s == SCHEMES[1] => (0.75 / p, 6.0),
            s if s == SCHEMES[2] => (0.45, 7.5),
            _ => (0.3, 6.0),
        };
        match self.length {
            Length::Cycles { warmup, cycles } => endpoints * f64::from(warmup + cycles) * throughput * hops,
            Length::Until { percent } => endpoints * USUAL * throughput.min(f64::from(percent) / 100.0) * hops,
            Length::Exchange { bytes } => endpoints * 2.0 * f64::from(bytes / 64) * hops,
        }
    }
}
