//! Options of `hopline replay` and `hopline collective`.

use super::specs::Specs;
use clap::Args as ClapArgs;
use hopline::error::{Error, Place, Result};
use hopline::params::Params;
use hopline::replay::Model;
use hopline::scenario::Scenario;
use hopline::schedule::{Bytes, Limit};

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
    /// Write the schedule as GOAL, binary where FILE ends in .bin, else text
    #[arg(long, value_name = "FILE")]
    pub(crate) write: Option<String>,
}

/// Algorithms, sizes and orders to compare.
#[derive(Debug, ClapArgs)]
pub(crate) struct CollectiveArgs {
    /// Sizes, such as 1K,64K,1M: K, M and G are powers of 1024 as in MPI's benchmarks, KiB too; KB, MB and GB are powers of 1000
    #[arg(long, value_name = "SIZES", default_value = "1K,64K,1M")]
    pub(crate) size: String,
    /// Orders of the ranks: default, dft, bft (by hops), dft-speed, bft-speed, optimised
    #[arg(long, value_name = "ORDERS", default_value = "default")]
    pub(crate) order: String,
    /// Algorithms to compare instead of all (see `hopline list collective`)
    #[arg(long, value_name = "NAMES")]
    pub(crate) algorithm: Option<String>,
    /// Number of ranks [default: one per slot]
    #[arg(long, value_name = "N")]
    pub(crate) ranks: Option<u32>,
    /// The root of the operation
    #[arg(long, value_name = "RANK", default_value_t = 0)]
    pub(crate) root: u32,
    /// Radix of k-nomial trees
    #[arg(long, value_name = "K", default_value_t = 4)]
    pub(crate) k: u32,
    /// Segments of trees and chains, such as 64K
    #[arg(long, value_name = "BYTES")]
    pub(crate) segment: Option<String>,
    /// Consecutive ranks on a host [default: its slots]
    #[arg(long, value_name = "N")]
    pub(crate) cores: Option<u32>,
    /// Exchanges of two ranks that `optimised` tries
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) evaluations: u64,
    /// What no schedule can beat on this fabric, with its proof, and how near the usual algorithms come: for allgather,
    /// reduce-scatter, allreduce, broadcast, reduce, alltoall, gather, scatter
    #[arg(long, conflicts_with_all = ["order", "algorithm", "k", "segment", "cores", "evaluations", "model", "export"])]
    pub(crate) bound: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Write the best algorithm of each size in the default order (openmpi=FILE, openmpi-json, mpich, ucc or nccl), or the
    /// ranks in the best order of the largest size (rankfile=FILE; see `hopline list export`)
    #[arg(long, value_name = "FORM=FILE")]
    pub(crate) export: Vec<String>,
}

impl CollectiveArgs {
    /// The sizes in bytes.
    pub(crate) fn sizes(&self) -> Result<Vec<u64>> {
        let words = self.size.split(',').map(str::trim).filter(|word| !word.is_empty());
        words.map(|word| Ok(word.parse::<Bytes>().map_err(|e| Error::input(format!("--size: {e}")))?.0)).collect()
    }
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
