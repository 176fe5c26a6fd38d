//! What is simulated: one job is one `hopline flits` command, and its result
//! the throughput of that.

use super::{Pattern, RESTRICTED, SCHEMES, Scheme, System};
use hopline::error::{Error, Place, Result};
use hopline::event::Silent;
use hopline::files::Disk;
use hopline::flits;
use hopline::params::{Params, Value};
use hopline::plan::Plan;
use hopline::run;
use hopline::scenario::Scenario;
use hopline::stats::Estimate;
use std::collections::BTreeMap;

/// The router of section IV-A, where it is known.
const ROUTER: &str = "buffers=64,output=64,speedup=2";

/// Of loads below the full one: cycles before it counts, the most that count, how well the result is to be
/// known, and the cycles that this takes as a rule.
const WARM: u32 = 20_000;
const MOST: u32 = 200_000;
const PRECISION: &str = "1%@99%";
const USUAL: f64 = 30_000.0;

/// Throughput by command.
pub(super) type Throughputs = BTreeMap<String, Estimate>;

/// One simulation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Job {
    pub(super) system: System,
    pub(super) scheme: Scheme,
    /// A spec.
    pub(super) traffic: String,
    /// The allocation, where it is not the whole system.
    pub(super) hosts: Option<String>,
    /// Which packet a switch serves first, where that is not in turn.
    pub(super) arbitration: Option<&'static str>,
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
    /// At full load: of --quick, and of runs beside the figures.
    pub(super) const SHORT: Length = Length::Cycles { warmup: 20_000, cycles: 20_000 };

    /// Of a pattern under a scheme: the paper's, but at full load for p = 5 to 8 less.
    pub(super) fn of(pattern: Pattern, scheme: usize, p: u32, quick: bool) -> Length {
        match (pattern, p) {
            (Pattern::Nearest, _) => Length::Exchange { bytes: 256 << 10 },
            _ if quick => Length::SHORT,
            (_, ..=4) => Length::Cycles { warmup: 20_000, cycles: 781_250 },
            // Its sources fill their buffers for longer than those of the others: after 20,000 cycles throughput still falls.
            (_, _) if scheme == RESTRICTED => Length::Cycles { warmup: 100_000, cycles: 20_000 },
            _ => Length::Cycles { warmup: 20_000, cycles: 5000 },
        }
    }
}

impl Job {
    /// A pattern on the whole of a system.
    pub(super) fn new(system: System, pattern: Pattern, scheme: usize, seed: u64, length: Length) -> Job {
        let (scheme, traffic) = (SCHEMES[scheme], pattern.traffic(system.h));
        Job { system, scheme, traffic, hosts: None, arbitration: None, seed, length }
    }

    fn topology(&self) -> String {
        let System { p, a, h } = self.system;
        format!("dragonfly:p={p},a={a},h={h}")
    }

    fn router(&self) -> String {
        let arbitration = self.arbitration.map(|first| format!(",arbitration={first}"));
        format!("{ROUTER}{}", arbitration.unwrap_or_default())
    }

    /// The command that does the same.
    pub(super) fn command(&self) -> String {
        let Scheme { routing, mapping, .. } = self.scheme;
        let hosts = self.hosts.as_ref().map(|hosts| format!(" --hosts {hosts}")).unwrap_or_default();
        let length = match self.length {
            Length::Cycles { warmup, cycles } => format!("--load 1 --warmup {warmup} --cycles {cycles}"),
            Length::Until { percent } => {
                let load = f64::from(percent) / 100.0;
                format!("--load {load} --warmup {WARM} --cycles {MOST} --until {PRECISION}")
            }
            Length::Exchange { bytes } => format!("--inject exchange:bytes={bytes}"),
        };
        format!(
            "hopline flits --topology {} --routing {routing} --traffic {} --mapping {mapping}{hosts} {length} --router {} \
             --seed {}",
            self.topology(),
            self.traffic,
            self.router(),
            self.seed
        )
    }

    /// The job on its machine.
    pub(super) fn plan(&self) -> Result<Plan> {
        let scenario = Scenario::default()
            .topology(&self.topology())?
            .routing(self.scheme.routing)?
            .traffic(&self.traffic)?
            .mappings(self.scheme.mapping)?
            .seed(self.seed);
        let scenario = self.hosts.iter().fold(scenario, |scenario, hosts| scenario.hosts(hosts));
        Plan::new(&scenario, &Disk)
    }

    /// Flits per cycle and endpoint that arrive, with the interval of 95 %, or of 99 % below full load.
    pub(super) fn simulate(&self) -> Result<Estimate> {
        let place = Place::new("study", 0);
        let mut keys = Params::new("flits", place.clone());
        let mut add = |key: &str, value: Value| keys.push(key, value, place.clone());
        add("router", Value::Text(self.router()))?;
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
        Ok(Estimate { mean: point.accepted, half: point.accepted_ci.unwrap_or(f64::INFINITY) })
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

#[cfg(test)]
mod tests {
    use super::super::{ANY, MINIMAL, balanced};
    use super::*;

    /// So one run of it has an interval: no other is different.
    #[test]
    fn an_exchange_on_shortest_paths_draws_nothing() {
        let length = Length::Exchange { bytes: 8192 };
        let of = |scheme: usize, seed: u64| {
            Job::new(balanced(2), Pattern::Nearest, scheme, seed, length).simulate().expect("a simulation").mean
        };
        assert!((1..4).all(|seed| of(MINIMAL, seed) == of(MINIMAL, 0)));
        assert!((1..4).any(|seed| of(ANY, seed) != of(ANY, 0)), "Valiant's ways are drawn");
    }
}
