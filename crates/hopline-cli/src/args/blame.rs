//! `hopline blame`.

use super::{Machine, form_and_file};
use clap::{Args, Subcommand};

/// Who is slow, or what to measure and to expect.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct BlameArgs {
    #[command(subcommand)]
    pub(crate) command: Option<BlameCommand>,
    #[command(flatten)]
    pub(crate) options: BlameOptions,
}

/// What was measured on which machine.
#[derive(Debug, Args)]
pub(crate) struct BlameOptions {
    #[command(flatten)]
    pub(crate) machine: Machine,
    /// What a benchmark printed, its hostfile or rounds, port counters, or a directory of such files; the content tells
    /// which; may be repeated
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    pub(crate) measured: Vec<String>,
    /// Keep the answer in this store, from which `blame history` and the service tell it
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BlameCommand {
    /// What was said before, and who was suspected how often: the answers of a store
    History {
        /// The directory that `--store` named
        #[arg(value_name = "DIR")]
        store: String,
    },
    /// Rounds of disjoint pairs that fill every link so many times
    Plan {
        #[command(flatten)]
        machine: Box<Machine>,
        /// Hosts that may measure: n[001-064,70], or a file of names; all where left out
        #[arg(long, value_name = "HOSTS")]
        hosts: Option<String>,
        /// How often every link is crossed
        #[arg(long, default_value_t = 2, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=100))]
        crossings: u32,
        /// Stop once so many percent of the links are covered, and list the rest
        #[arg(long, default_value_t = 100.0, value_name = "PERCENT")]
        stop: f64,
        /// Most rounds
        #[arg(long, default_value_t = 200, value_name = "N")]
        rounds: u32,
        /// The rounds that an answer of `hopline blame --format json` asks for, in place of a plan
        #[arg(long, value_name = "FILE")]
        answer: Option<String>,
        /// Write the rounds for a tool: superbench=FILE (and FILE.hosts), clusterkit=FILE, srun=FILE or mpirun=FILE (scripts)
        #[arg(long, value_name = "FORM=FILE", value_parser = plan_form)]
        export: Vec<(PlanForm, String)>,
    },
    /// What each pair of a round should get, and what limits it
    Expect {
        #[command(flatten)]
        machine: Box<Machine>,
        /// Lines of two hosts, perhaps with a round; all run together where there is none
        #[arg(long, value_name = "FILE", required_unless_present_any = ["ring", "alltoall"], conflicts_with_all = ["ring", "alltoall"])]
        pairs: Option<String>,
        /// Each of these hosts sends to the next, the last to the first, as in a ring allreduce
        #[arg(long, value_name = "HOSTS", conflicts_with = "alltoall", required_unless_present_any = ["pairs", "alltoall"])]
        ring: Option<String>,
        /// Each of these hosts sends to all others at once
        #[arg(long, value_name = "HOSTS")]
        alltoall: Option<String>,
        /// A bandwidth that was measured, GB/s (of nccl-tests busbw): is it normal?
        #[arg(long, value_name = "GB/S", value_parser = positive)]
        got: Option<f64>,
    },
}

/// A form in which tools read rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlanForm {
    Superbench,
    Clusterkit,
    Srun,
    Mpirun,
}

fn plan_form(text: &str) -> Result<(PlanForm, String), String> {
    let forms = [
        ("superbench", PlanForm::Superbench),
        ("clusterkit", PlanForm::Clusterkit),
        ("srun", PlanForm::Srun),
        ("mpirun", PlanForm::Mpirun),
    ];
    form_and_file(text, "form of a plan", &forms)
}

fn positive(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|v: &f64| *v > 0.0 && v.is_finite());
    value.ok_or_else(|| format!("`{text}`: expected GB/s above 0"))
}
