//! Options of `hopline flits`.

use super::specs::Specs;
use clap::Args as ClapArgs;
use hopline::error::{Place, Result};
use hopline::flits;
use hopline::params::{Params, Value};
use hopline::scenario::Scenario;
use std::time::Duration;

/// How flits are simulated; each replaces the key of that name in `[flits]`.
#[derive(Debug, ClapArgs)]
pub(crate) struct FlitsOptions {
    /// Loads in flits per cycle and endpoint, such as 0.1,0.3,0.5
    #[arg(long, value_name = "LOADS")]
    load: Option<String>,
    /// Cycles before the measurement [default: 2000]
    #[arg(long, value_name = "CYCLES")]
    warmup: Option<u32>,
    /// Cycles measured [default: 10000]; the most with --until
    #[arg(long, value_name = "CYCLES")]
    cycles: Option<u32>,
    /// Measure until throughput and latency are so well known, such as 1%@99%
    #[arg(long, value_name = "PRECISION")]
    until: Option<String>,
    /// Record loads, queues and latencies of intervals of so many cycles, from the first cycle
    #[arg(long, value_name = "CYCLES")]
    interval: Option<u32>,
    /// The cables of --without are there until this cycle, and fail then
    #[arg(long, value_name = "CYCLE")]
    fail_at: Option<u32>,
    /// Cycles from the failure until new routes are known [default: 0]
    #[arg(long, value_name = "CYCLES")]
    repair_after: Option<u32>,
    /// When packets are generated: bernoulli, poisson, bursts:length=N, exchange:bytes=N
    #[arg(long, value_name = "SPEC", value_parser = Specs("inject"))]
    inject: Option<String>,
    /// Keys of the router, such as buffers=64,speedup=2 (see `hopline explain router`)
    #[arg(long, value_name = "KEYS")]
    router: Option<String>,
    /// Watts of links, such as on=0.1,idle=0.9, for the energy of flits (see `hopline explain power`)
    #[arg(long, value_name = "KEYS")]
    power: Option<String>,
}

/// Where the state of a long run is kept.
#[derive(Debug, ClapArgs)]
pub(crate) struct Keeping {
    /// Keep the state here from time to time, and go on from it if it is there
    #[arg(long, value_name = "FILE", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) checkpoint: Option<String>,
    /// How often, such as 10m
    #[arg(long, value_name = "TIME", value_parser = super::time, default_value = "30s", requires = "checkpoint")]
    pub(crate) checkpoint_every: Duration,
}

/// Several loads as the list that a file would have; what is no list of numbers is refused where it is read.
fn loads(text: &str) -> Value {
    let numbers: Vec<Value> = text.split(',').filter_map(|word| word.trim().parse().ok().map(Value::Float)).collect();
    let is_list = numbers.len() > 1 && numbers.len() == text.split(',').count();
    if is_list { Value::List(numbers) } else { Value::Text(text.to_string()) }
}

impl FlitsOptions {
    /// Watts of links: what is given, or what the scenario has.
    pub(crate) fn power(&self, scenario: &Scenario) -> Result<Option<Params>> {
        match &self.power {
            Some(keys) => super::power::watts(keys).map(Some),
            None => Ok(scenario.power.clone()),
        }
    }

    /// The keys of a scenario, with what is given here in their place.
    pub(crate) fn merge(&self, scenario: &Scenario) -> Result<Params> {
        let mut params = scenario.flits.clone().unwrap_or_else(flits::no_options);
        let whole = |n: u32| Value::Int(i64::from(n));
        let given = [
            ("load", self.load.as_deref().map(loads)),
            ("warmup", self.warmup.map(whole)),
            ("cycles", self.cycles.map(whole)),
            ("until", self.until.clone().map(Value::Text)),
            ("interval", self.interval.map(whole)),
            ("fail-at", self.fail_at.map(whole)),
            ("repair-after", self.repair_after.map(whole)),
            ("inject", self.inject.clone().map(Value::Text)),
            ("router", self.router.clone().map(Value::Text)),
        ];
        for (key, value) in given {
            if let Some(value) = value {
                params.take::<String>(key)?;
                params.push(key, value, Place::new(format!("--{key}"), 0))?;
            }
        }
        Ok(params)
    }
}
