//! What a run of flits is asked for: loads, how long, how packets are made.

use super::process::Process;
use super::router::{ENTRY as ROUTER, Router};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::params::{FromValue, Params, Value};

/// The keys of `[flits]` and of the command line.
pub const ENTRY: Entry = Entry {
    name: "flits",
    summary: "loads, length of the run, injection and router",
    doc: "Loads are flits per cycle and endpoint; of a matrix the endpoint that sends most generates them, the others in \
          proportion. After the warm-up, `cycles` are measured exactly; with until=1%@99% as many as it takes until \
          throughput and latency are known within 1 % with 99 % confidence, at most `cycles`. Intervals allow for batches that \
          depend on each other. With until a pilot finds out how long it takes and counts as warm-up; where latency keeps rising \
          the point is saturated. With fail-at the cables of `without` are there until that cycle; then packets that would cross \
          them are dropped, until repair-after cycles later endpoints hold back what they have, and go on by new routes once \
          the network is empty.",
    example: "flits:load=0.3,cycles=10000",
    params: &[
        param("load", "numbers", "0.1", "loads, one point each"),
        param("warmup", "cycles", "2000", "before the measurement"),
        param("cycles", "cycles", "10000; 10000000 with until", "measured"),
        param("until", "precision", "none", "measure until so precise, such as 1%@99%"),
        param("interval", "cycles", "none", "record loads, queues and latencies of intervals of so many cycles"),
        param("fail-at", "cycle", "none", "the cables of `without` fail then, instead of being gone from the start"),
        param("repair-after", "cycles", "0", "from the failure until new routes are known"),
        param("inject", "spec", "bernoulli", "bernoulli, poisson, bursts:length=N or exchange:bytes=N"),
        param("router", "keys", "", "keys of the router, such as buffers=64,speedup=2"),
    ],
};

/// Checked options.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Loads, at least one.
    pub loads: Vec<f64>,
    /// Cycles before the measurement.
    pub warmup: u32,
    /// Cycles measured, at most where a precision is asked for.
    pub cycles: u32,
    /// Measure until so precise.
    pub until: Option<Precision>,
    /// Cycles of the intervals that are recorded.
    pub interval: Option<u32>,
    /// When the parts fail that the scenario is without.
    pub fail_at: Option<u32>,
    /// Cycles from then until new routes are known.
    pub repair_after: u32,
    /// When packets are generated.
    pub process: Process,
    /// The router and the packets.
    pub router: Router,
    /// The router's keys as they were given, for people.
    pub router_spec: String,
    /// The injection as it was given.
    pub inject_spec: String,
}

/// Relative half width of confidence intervals, such as 1 % with 99 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// Half width over mean.
    pub relative: f64,
    /// Probability that the interval holds the true mean.
    pub confidence: f64,
}

impl FromValue for Precision {
    const EXPECTED: &'static str = "a precision such as 1%@99%";
    fn from_value(value: &Value) -> Option<Self> {
        let Value::Text(text) = value else { return None };
        let (relative, confidence) = text.split_once('@')?;
        let part = |t: &str| Some(t.trim().strip_suffix('%')?.parse::<f64>().ok()? / 100.0);
        let precision = Precision { relative: part(relative)?, confidence: part(confidence)? };
        let good = precision.relative > 0.0 && (0.5..1.0).contains(&precision.confidence);
        good.then_some(precision)
    }
}

/// One number or several: `0.1,0.3` or a TOML array.
struct Numbers(Vec<f64>);

impl FromValue for Numbers {
    const EXPECTED: &'static str = "loads such as 0.1,0.3";
    fn from_value(value: &Value) -> Option<Self> {
        let all: Option<Vec<f64>> = match value {
            Value::List(items) => items.iter().map(f64::from_value).collect(),
            Value::Text(text) => text.split([',', ';']).map(|t| t.trim().parse().ok()).collect(),
            one => f64::from_value(one).map(|x| vec![x]),
        };
        all.filter(|a| !a.is_empty()).map(Numbers)
    }
}

/// Longest run of a point.
const MOST_CYCLES: u32 = 1 << 31;

impl Options {
    /// Reads the keys of [`ENTRY`].
    ///
    /// # Errors
    /// A value that is out of range or cannot be read.
    pub fn read(params: &Params) -> Result<Options> {
        let reader = params.check(&ENTRY)?;
        let Numbers(loads) = reader.or("load", Numbers(vec![0.1]))?;
        if let Some(load) = loads.iter().find(|&&l| !(l > 0.0 && l <= 1.0)) {
            let text = format!("the load is {load}, expected more than 0 and at most 1");
            return Err(reader.wrong("load", text).hint("loads are flits per cycle and endpoint"));
        }
        let until = reader.get::<Precision>("until")?;
        let warmup: u32 = reader.or("warmup", 2000)?;
        let cycles: u32 = reader.or("cycles", if until.is_some() { 10_000_000 } else { 10_000 })?;
        if cycles == 0 || warmup.saturating_add(cycles) > MOST_CYCLES {
            let text = format!(
                "{cycles} cycles after a warm-up of {warmup}, expected 1 or more, and {MOST_CYCLES} in all at most"
            );
            return Err(reader.wrong("cycles", text));
        }
        let interval = reader.get::<u32>("interval")?;
        if interval == Some(0) {
            return Err(reader.wrong("interval", "`interval` is 0, expected 1 or more cycles"));
        }
        let fail_at = reader.get::<u32>("fail-at")?;
        let repair_after = reader.get::<u32>("repair-after")?;
        if let (None, Some(_)) = (fail_at, repair_after) {
            let text = "`repair-after` counts from a failure, and there is none";
            return Err(reader.wrong("repair-after", text).hint("say when with fail-at"));
        }
        if fail_at.is_some() && until.is_some() {
            let text = "a network that fails is in no steady state whose means could be known so precisely";
            return Err(reader.wrong("until", text).hint("leave until out, and say how many cycles are measured"));
        }
        let part = |key: &str, spec: &str| Params::from_spec(spec, reader.place_of(key));
        let inject_spec = reader.or("inject", "bernoulli".to_string())?;
        let router_spec = reader.or("router", String::new())?;
        let router = part("router", &format!("router:{router_spec}"))?.check(&ROUTER)?;
        Ok(Options {
            loads,
            warmup,
            cycles,
            until,
            interval,
            fail_at,
            repair_after: repair_after.unwrap_or(0),
            process: Process::read(&part("inject", &inject_spec)?)?,
            router: Router::read(&router)?,
            router_spec,
            inject_spec,
        })
    }
}

impl Default for Precision {
    fn default() -> Self {
        Precision { relative: 0.01, confidence: 0.95 }
    }
}

/// No options at all.
pub fn no_options() -> Params {
    Params::new(ENTRY.name, crate::error::Place::new("[flits]", 0))
}

impl From<&Options> for Precision {
    fn from(options: &Options) -> Self {
        options.until.unwrap_or_default()
    }
}
