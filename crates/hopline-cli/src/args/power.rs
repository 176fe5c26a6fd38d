//! `hopline power`: what stays on, and what links take.

use clap::Args;
use hopline::error::{Error, Place, Result};
use hopline::params::Params;
use hopline::power::{Keep, no_params};
use hopline::scenario::Scenario;

/// What stays on beside the cables that are used, and watts.
#[derive(Debug, Args)]
pub(crate) struct PowerArgs {
    /// Look at the messages of a schedule instead of --traffic, such as app:milc:grid=4x4x4x4 or goal:FILE
    #[arg(long, value_name = "SPEC", conflicts_with = "traffic")]
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

    /// The keys that are given, or those of the scenario.
    pub(crate) fn model(&self, scenario: &Scenario) -> Result<Params> {
        match &self.power {
            Some(keys) => Params::from_spec(&format!("power:{keys}"), &Place::new("--power", 0)),
            None => Ok(scenario.power.clone().unwrap_or_else(no_params)),
        }
    }
}
