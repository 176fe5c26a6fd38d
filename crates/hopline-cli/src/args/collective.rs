//! Options of `hopline collective`.

use super::replay::ModelArgs;
use super::specs::Specs;
use super::{Job, JobOptions};
use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use hopline::error::{Error, Place, Result};
use hopline::schedule::Bytes;

/// A collective, or a schedule that somebody brings.
#[derive(Debug, ClapArgs)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Collective {
    #[command(subcommand)]
    pub(crate) command: Option<CollectiveCommand>,
    /// An operation (broadcast, reduce, allreduce, allgather, reduce-scatter, alltoall, barrier; with --bound also gather and scatter)
    /// or one algorithm
    #[arg(required = true, value_parser = Specs("collective"))]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) job: Job,
    #[command(flatten)]
    pub(crate) options: CollectiveArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CollectiveCommand {
    /// Whether a schedule is right: every rank gets what it must, whatever the timing; with a fabric also how near it comes to
    /// what no schedule can beat. Exit 3 where it is wrong
    Check(Box<CheckArgs>),
}

/// A schedule, and perhaps where it runs.
#[derive(Debug, ClapArgs)]
pub(crate) struct CheckArgs {
    /// MSCCL XML or TE-CCL's JSON, plain, gz or xz
    pub(crate) file: String,
    #[command(flatten)]
    pub(crate) job: JobOptions,
    /// Sizes on that fabric, as the collective counts them: a rank's shard for allgather, the vector for allreduce
    #[arg(long, value_name = "SIZES", default_value = "1MB,64MB")]
    pub(crate) size: String,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

/// What a switch does beside passing on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SwitchWord {
    /// Gives out copies.
    Copy,
    /// Adds up.
    Reduce,
}

/// Algorithms, sizes and orders to compare.
#[derive(Debug, ClapArgs)]
pub(crate) struct CollectiveArgs {
    /// Sizes, such as 1K,64K,1M: K, M, G and T are powers of 1024 as in MPI's benchmarks, KiB too; KB, MB, GB and TB are powers of
    /// 1000
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
    #[arg(long, conflicts_with_all = ["algorithm", "k", "segment", "cores", "model"])]
    pub(crate) bound: bool,
    /// What switches do beside passing on, for the bound: give out copies (multicast), add up (SHARP, NVLS)
    #[arg(long, value_enum, value_name = "WORDS", value_delimiter = ',', requires = "bound")]
    pub(crate) switches: Vec<SwitchWord>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Write the best algorithm of each size in the default order (openmpi=FILE, openmpi-json, mpich, ucc or nccl), that of the
    /// largest size as a program for RCCL (msccl=FILE), or the ranks in the best order of the largest size (rankfile=FILE; see
    /// `hopline list export`)
    #[arg(long, value_name = "FORM=FILE")]
    pub(crate) export: Vec<String>,
}

impl CollectiveArgs {
    /// The sizes in bytes.
    pub(crate) fn sizes(&self) -> Result<Vec<u64>> {
        sizes(&self.size)
    }
}

impl CheckArgs {
    /// The sizes in bytes.
    pub(crate) fn sizes(&self) -> Result<Vec<u64>> {
        sizes(&self.size)
    }
}

fn sizes(list: &str) -> Result<Vec<u64>> {
    let place = Place::new("--size", 0);
    let words = list.split(',').map(str::trim).filter(|word| !word.is_empty());
    let sizes = words.map(|word| Ok(word.parse::<Bytes>().map_err(|e| Error::input(e).at(&place))?.0));
    match sizes.collect::<Result<Vec<_>>>()? {
        none if none.is_empty() => Err(Error::input("no size is given, expected some such as 64K,1MB").at(&place)),
        sizes => Ok(sizes),
    }
}
