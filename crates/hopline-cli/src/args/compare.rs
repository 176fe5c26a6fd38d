//! Options of `hopline compare`.

use super::dumps::file_params;
use super::specs::Specs;
use super::{Common, read_scenario};
use clap::Args;
use hopline::cost::{self, Prices};
use hopline::error::{Error, Place, Result};
use hopline::files::Files;
use hopline::flits::{self, Options};
use hopline::params::{Params, Value};
use hopline::run::CompareOptions;
use hopline::scenario::Scenario;
use hopline_formats::resolve;

/// Machines and jobs.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Scenarios in TOML, a machine in each; the job of each runs on all of them
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<String>,
    /// A machine without a scenario: a model or a file; may be repeated
    #[arg(long, value_name = "SPEC", value_parser = Specs("topology"))]
    topology: Vec<String>,
    /// A real machine: a file, a directory, or cables=FILE,tables=FILE; may be repeated
    #[arg(long, value_name = "PATH")]
    fabric: Vec<String>,
    /// Routings of machines that name none, several with commas between them: a row for each [default: the topology's own]
    #[arg(long, value_name = "SPEC", value_parser = Specs("routing"))]
    routing: Option<String>,
    /// A job for all machines, a pattern or a file of any known form, beside uniform traffic and the worst shift; may be repeated
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
    /// The machines, those of scenarios first.
    pub(crate) fn scenarios(&self, files: &dyn Files) -> Result<Vec<Scenario>> {
        let scenarios = self.scenarios.iter().map(|path| read_scenario(path));
        let specs = self.topology.iter().map(|spec| Scenario::default().topology(spec));
        let dumps = self.fabric.iter().map(|path| Ok(Scenario::on(file_params(path)?)));
        let complete = |mut scenario: Scenario| {
            if let Some(specs) = &self.routing
                && scenario.routings.is_empty()
            {
                scenario = scenario.routing(specs)?;
            }
            resolve(&mut scenario, files)?;
            Ok(scenario)
        };
        scenarios.chain(specs).chain(dumps).map(|scenario| scenario.and_then(complete)).collect()
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
    pub(crate) fn options(&self, common: &Common, files: &dyn Files) -> Result<CompareOptions> {
        let place = |option: &str| Place::new(option, 0);
        let jobs = self.traffic.iter().map(|spec| {
            let mut job = Scenario::default().traffic(spec)?;
            resolve(&mut job, files)?;
            job.traffic.ok_or_else(|| Error::input(format!("`{spec}` is no job")).at(&place("--traffic")))
        });
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
