//! `hopline power`: what stays on, and what links take.

use super::replay::ModelArgs;
use super::specs::Specs;
use clap::Args;
use hopline::error::{Error, Place, Result};
use hopline::params::{Params, split_specs};
use hopline::power::{Keep, no_params};
use hopline::scenario::Scenario;

/// What stays on beside the cables that are used, and watts.
#[derive(Debug, Args)]
pub(crate) struct PowerArgs {
    /// Look at the messages of a schedule instead of --traffic, such as app:milc:grid=4x4x4x4 or goal:FILE
    #[arg(long, value_name = "SPEC", conflicts_with = "traffic", value_parser = Specs("schedule"))]
    pub(crate) schedule: Option<String>,
    /// Leave enough cables on to connect everything
    #[arg(long)]
    connected: bool,
    /// Leave enough cables on to connect everything after any one more fails
    #[arg(long)]
    spare: bool,
    /// Leave on this share of the bandwidth between the two halves of the machine, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    bisection: f64,
    /// List so many cables that the job never needs
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) list: usize,
    /// Watts and shares, such as on=0.1,idle=0.9,network=0.3 (see `hopline explain power`)
    #[arg(long, value_name = "KEYS")]
    power: Option<String>,
    /// Policies that switch cables while the schedule runs, tried in a replay, such as static,learn,threshold:idle=200000
    /// (see `hopline list policy`)
    #[arg(long, value_name = "SPECS", value_parser = Specs("policy"))]
    policy: Option<String>,
    /// Repeat the schedule so many times for policies
    #[arg(long, value_name = "N", requires = "policy")]
    pub(crate) iterations: Option<u32>,
    /// Watts over time in bins of so many nanoseconds [default: a 64th of the time]
    #[arg(long, value_name = "NS", requires = "policy")]
    pub(crate) bin: Option<f64>,
    /// Write a script that switches the cables off and on again: ibportstate=FILE, for InfiniBand with OpenSM
    #[arg(long, value_name = "FORMAT=FILE")]
    export: Option<String>,
    /// In the script, cables that stay on and carry nothing keep one lane
    #[arg(long, requires = "export")]
    pub(crate) one_lane: bool,
    #[command(flatten)]
    pub(crate) replay: ModelArgs,
}

impl PowerArgs {
    /// What stays on.
    pub(crate) fn keep(&self) -> Result<Keep> {
        if !(0.0..=1.0).contains(&self.bisection) {
            return Err(
                Error::input(format!("`{}` is no share from 0 to 1", self.bisection)).at(&Place::new("--bisection", 0))
            );
        }
        Ok(Keep { connected: self.connected || self.spare, spare: self.spare, bisection: self.bisection })
    }

    /// Where the script of `ibportstate` calls goes.
    pub(crate) fn export(&self) -> Result<Option<&str>> {
        let Some(text) = &self.export else { return Ok(None) };
        match text.split_once('=') {
            Some(("ibportstate", path)) if !path.is_empty() => Ok(Some(path)),
            _ => Err(Error::input(format!("`{text}` is no export of power, expected ibportstate=FILE"))
                .at(&Place::new("--export", 0))),
        }
    }

    /// Specs of the policies.
    pub(crate) fn policies(&self) -> Result<Vec<Params>> {
        let place = Place::new("--policy", 0);
        let specs = self.policy.as_ref().map_or(Ok(Vec::new()), |specs| split_specs(specs, &place))?;
        specs.iter().map(|spec| Params::from_spec(spec, &place)).collect()
    }

    /// The keys that are given, or those of the scenario.
    pub(crate) fn model(&self, scenario: &Scenario) -> Result<Params> {
        match &self.power {
            Some(keys) => watts(keys),
            None => Ok(scenario.power.clone().unwrap_or_else(no_params)),
        }
    }
}

/// Keys of `--power`.
pub(crate) fn watts(keys: &str) -> Result<Params> {
    Params::from_spec(&format!("power:{keys}"), &Place::new("--power", 0))
}
