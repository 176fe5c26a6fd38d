//! `hopline sweep`.

use clap::{Args, Subcommand, ValueEnum};

/// A sweep, or what is done with its directory.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct SweepArgs {
    #[command(subcommand)]
    pub(crate) command: Option<SweepCommand>,
    #[command(flatten)]
    pub(crate) options: SweepOptions,
}

/// What is swept, where results go, and who computes them.
#[derive(Debug, Args)]
pub(crate) struct SweepOptions {
    /// A scenario in TOML with a table [sweep]: its command, and lists, ranges and conditions
    #[arg(required = true)]
    pub(crate) scenario: Option<String>,
    /// Where results are kept; what is finished there is not computed again
    #[arg(long, value_name = "DIR", required_unless_present = "dry_run")]
    pub(crate) out: Option<String>,
    /// Vary a key, in place of what [sweep] says of it, such as topology.nd=1,2,4; may be repeated
    #[arg(long, value_name = "KEY=VALUES")]
    pub(crate) set: Vec<String>,
    /// Print the points with what they may take, and compute none but one that is small, for its time
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Compute one of N fair parts, I from 1 to N (or from 0 to N-1)
    #[arg(long, value_name = "I/N", conflicts_with = "dry_run")]
    pub(crate) shard: Option<String>,
    /// Memory that points may take together, such as 8GB [default: 80 % of what is free]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<String>,
    /// Compute points again whose run failed
    #[arg(long)]
    pub(crate) retry_failed: bool,
    /// Compute this point alone, for a sweep that does not trust it
    #[arg(long, value_name = "NAME", hide = true, conflicts_with_all = ["dry_run", "shard", "launch"])]
    pub(crate) point: Option<String>,
    /// Submit the parts to what the site runs, instead of computing them here
    #[arg(long, value_enum, conflicts_with_all = ["dry_run", "shard"])]
    pub(crate) launch: Option<Launcher>,
    /// How many parts to submit [default: parts of about ten minutes, 500 at most]
    #[arg(long, value_name = "N", requires = "launch")]
    pub(crate) parts: Option<usize>,
    /// Words for the launcher, such as --partition=short
    #[arg(last = true, requires = "launch")]
    pub(crate) words: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SweepCommand {
    /// The points of a directory with their results, as far as they are there
    Show {
        /// The directory
        dir: String,
        /// Rank the points by a result or parameter, such as seconds: the least first
        #[arg(long, value_name = "RESULT", conflicts_with = "curve")]
        by: Option<String>,
        /// Draw a result over a parameter, such as latency_cycles: means over seeds with their range, a curve for each
        /// combination of the other parameters
        #[arg(long, value_name = "RESULT", requires = "output")]
        curve: Option<String>,
        /// The parameter of the x axis [default: the one with most numbers]
        #[arg(long, value_name = "PARAMETER", requires = "curve")]
        over: Option<String>,
        /// Where to write the curves (SVG)
        #[arg(short, long, value_name = "FILE", requires = "curve")]
        output: Option<String>,
    },
    /// Put results of several directories into the first, and write the tables when no point is missing
    Merge {
        /// The directories; parts that shared one need no other
        #[arg(required = true)]
        dirs: Vec<String>,
    },
}

/// What runs jobs at a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Launcher {
    /// An array of jobs with sbatch, and a job that merges after it
    Slurm,
    /// A job of tasks with hq, whose server and workers run already
    Hyperqueue,
}
