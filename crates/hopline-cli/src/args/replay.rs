//! Options of `hopline replay`, and the model that it shares with `hopline collective`.

use super::specs::Specs;
use clap::Args as ClapArgs;
use hopline::error::{Place, Result};
use hopline::params::Params;
use hopline::replay::Model;
use hopline::scenario::Scenario;
use hopline::schedule::Limit;

/// What is replayed and how.
#[derive(Debug, ClapArgs)]
pub(crate) struct ReplayArgs {
    /// What is replayed, such as collective:knomial:bytes=64K, app:halo-steps:grid=4x4x4 or goal:FILE
    #[arg(long, value_name = "SPEC", value_parser = Specs("schedule"))]
    pub(crate) schedule: Option<String>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Repeat the schedule so many times
    #[arg(long, value_name = "N")]
    pub(crate) iterations: Option<u32>,
    /// Utilisation over time in bins of so many nanoseconds
    #[arg(long, value_name = "NS")]
    pub(crate) bin: Option<f64>,
    /// Links to show one by one over time: SWITCH[PORT], "A -- B" or all of a switch or host; may be repeated
    #[arg(long, value_name = "LINKS", requires = "bin")]
    pub(crate) watch: Vec<String>,
    /// Show so many steps of the critical path
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) critical: usize,
    /// Say first whether the schedule is right, where it says what it carries (msccl, teccl); if not, exit 3 without a replay
    #[arg(long)]
    pub(crate) check: bool,
    /// Write the schedule as GOAL, binary where FILE ends in .bin, else text
    #[arg(long, value_name = "FILE")]
    pub(crate) write: Option<String>,
}

/// Parameters of hosts and packets.
#[derive(Debug, ClapArgs)]
pub(crate) struct ModelArgs {
    /// Keys of hosts and packets, such as L=500,o=200,packet=4096 (see `hopline explain replay`)
    #[arg(long, value_name = "KEYS")]
    model: Option<String>,
}

impl ModelArgs {
    /// The keys that are given, or those of the scenario.
    fn read(&self, scenario: &Scenario) -> Result<Params> {
        match &self.model {
            Some(keys) => Params::from_spec(&format!("replay:{keys}"), &Place::new("--model", 0)),
            None => Ok(scenario.replay.clone().unwrap_or_else(hopline::replay::no_params)),
        }
    }

    /// The keys, and the model with the memory that is free as its limit where they give none.
    pub(crate) fn model(&self, scenario: &Scenario) -> Result<(Params, Model)> {
        let params = self.read(scenario)?;
        let mut model = Model::read(&params)?;
        if params.clone().take::<String>("limit")?.is_none()
            && let Some(bytes) = free_memory()
        {
            model.limit = Limit { bytes };
        }
        Ok((params, model))
    }
}

/// Bytes that the system says are free, on Linux.
pub(crate) fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}
