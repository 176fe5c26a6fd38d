//! Options of `hopline compare`.

use super::specs::Specs;
use super::{Common, read_scenario};
use clap::Args;
use hopline::cost::{self, Prices};
use hopline::error::{Place, Result};
use hopline::flits::{self, Options};
use hopline::params::{Params, Value};
use hopline::run::CompareOptions;
use hopline::scenario::Scenario;

/// Machines and jobs.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Scenarios in TOML, a machine in each; the job of each runs on all of them
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<String>,
    /// A machine without a scenario; may be repeated
    #[arg(long, value_name = "SPEC", value_parser = Specs("topology"))]
    topology: Vec<String>,
    /// Routings of machines that name none, several with commas between them: a row for each [default: the topology's own]
    #[arg(long, value_name = "SPEC", value_parser = Specs("routing"))]
    routing: Option<String>,
    /// A job for all machines, beside uniform traffic and the worst shift; may be repeated
    #[arg(long, value_name = "SPEC", value_parser = Specs("traffic"))]
    traffic: Vec<String>,
    /// Prices of switches and cables, such as port=9,fibre=2.7,reach=3 (see `hopline explain cost`)
    #[arg(long, value_name = "KEYS")]
    prices: Option<String>,
    /// Simulate flits at full load, too: what arrives where each endpoint sends a flit every cycle
    #[arg(long)]
    saturation: bool,
    /// Cycles before that is measured [default: 2000]
    #[arg(long, value_name = "CYCLES", requires = "saturation")]
    warmup: Option<u32>,
    /// Cycles measured [default: 10000]
    #[arg(long, value_name = "CYCLES", requires = "saturation")]
    cycles: Option<u32>,
    /// Keys of the router, such as buffers=64,speedup=2 (see `hopline explain router`)
    #[arg(long, value_name = "KEYS", requires = "saturation")]
    router: Option<String>,
}

impl CompareArgs {
    /// The machines, those of files first.
    pub(crate) fn scenarios(&self) -> Result<Vec<Scenario>> {
        let files = self.scenarios.iter().map(|path| read_scenario(path));
        let specs = self.topology.iter().map(|spec| Scenario::default().topology(spec));
        let with_routing = |scenario: Scenario| match &self.routing {
            Some(specs) if scenario.routings.is_empty() => scenario.routing(specs),
            _ => Ok(scenario),
        };
        files.chain(specs).map(|scenario| scenario.and_then(with_routing)).collect()
    }

    /// How flits are simulated.
    fn flits(&self) -> Result<Options> {
        let whole = |n: u32| Value::Int(i64::from(n));
        let keys = [
            ("warmup", self.warmup.map(whole)),
            ("cycles", self.cycles.map(whole)),
            ("router", self.router.clone().map(Value::Text)),
        ];
        let mut params = flits::no_options();
        for (key, value) in keys {
            if let Some(value) = value {
                params.push(key, value, Place::new(format!("--{key}"), 0))?;
            }
        }
        Options::read(&params)
    }

    /// The jobs, the prices, and whether and how flits are simulated.
    pub(crate) fn options(&self, common: &Common) -> Result<CompareOptions> {
        let place = |option: &str| Place::new(option, 0);
        let jobs = self.traffic.iter().map(|spec| Params::from_spec(spec, &place("--traffic")));
        let prices = match &self.prices {
            Some(keys) => Params::from_spec(&format!("{}:{keys}", cost::ENTRY.name), &place("--prices"))?,
            None => cost::no_params(),
        };
        Ok(CompareOptions {
            jobs: jobs.collect::<Result<_>>()?,
            prices: Prices::read(&prices)?,
            flits: if self.saturation { Some(self.flits()?) } else { None },
            seed: common.seed.unwrap_or_default(),
        })
    }
}
