//! The command line, as clap reads it.

mod asked;
mod blame;
mod collective;
pub(crate) mod compare;
mod dumps;
mod fabric;
mod flits;
mod job;
mod limits;
pub(crate) mod power;
mod record;
mod replay;
pub(crate) mod report;
pub(crate) mod service;
mod specs;
mod sweep;
mod written;

pub(crate) use blame::{BlameArgs, BlameCommand, BlameOptions, PlanForm};
pub(crate) use collective::{CheckArgs, Collective, CollectiveArgs, CollectiveCommand, SwitchWord};
pub(crate) use dumps::{file_params, machine_params};
pub(crate) use fabric::{Diff, FabricCommand};
pub(crate) use flits::{FlitsOptions, Keeping};
pub(crate) use job::{Job, JobOptions, Machine, read_scenario, with_schedule};
pub(crate) use record::{Form, RecordCommand};
pub(crate) use replay::{ReplayArgs, free_memory};
use specs::Specs;
pub(crate) use sweep::{Launcher, SweepArgs, SweepCommand, SweepOptions};

use crate::documents::SCHEMAS;
use crate::lists;
use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use hopline::scenario::Scenario;
use hopline::schedule::Bytes;
use std::time::Duration;

/// Which links will my MPI job overload, before it runs, and which rank order avoids it?
#[derive(Debug, Parser)]
#[command(name = "hopline", version, propagate_version = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Options of every command.
#[derive(Debug, ClapArgs)]
pub(crate) struct Common {
    /// Text for people, JSON for programs, or the command's table as CSV
    #[arg(long, value_enum, default_value_t = Format::Text, global = true)]
    pub(crate) format: Format,
    /// Which table CSV is of, where a result has several, such as classes or hottest
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) table: Option<String>,
    /// Seed of every random choice
    #[arg(long, global = true)]
    pub(crate) seed: Option<u64>,
    /// Threads to use; results do not depend on it
    #[arg(long, global = true)]
    pub(crate) threads: Option<usize>,
    /// All columns and whole names, even where the terminal is narrower
    #[arg(long, global = true)]
    pub(crate) wide: bool,
    /// Most bytes of an input, also once it is unpacked, such as 500MB
    #[arg(long, global = true, value_name = "SIZE", default_value = "8GiB")]
    pub(crate) max_input: Bytes,
    /// The JSON also holds the files that it was made from, so that its page can be drawn where they are not
    #[arg(long, global = true)]
    pub(crate) with_inputs: bool,
    /// Write the result also as one page that needs no network: pictures, tables, what was assumed
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) report: Option<String>,
    /// The words of the command line, but those without which the result is the same.
    #[arg(skip)]
    pub(crate) asked: Vec<String>,
    /// The files to write, each after its option.
    #[arg(skip)]
    pub(crate) written: Vec<(String, String)>,
}

impl Common {
    /// The scenario with the seed that is given.
    pub(crate) fn seeded(&self, scenario: Scenario) -> Scenario {
        match self.seed {
            Some(seed) => scenario.seed(seed),
            None => scenario,
        }
    }
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned tables.
    Text,
    /// One JSON object.
    Json,
    /// One table, its columns called as in JSON.
    Csv,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Expected load of every link under one mapping; throughput by class of links
    Load {
        #[command(flatten)]
        job: Job,
        /// Number of hottest links to list
        #[arg(long, default_value_t = 10)]
        hottest: usize,
        /// Write the fabric with the load of every link for graph tools: dot=FILE or graphml=FILE
        #[arg(long, value_name = "FORM=FILE", value_parser = graph_export)]
        export: Vec<(GraphForm, String)>,
    },
    /// Compare mappings of tasks onto hosts and write launcher files
    Map {
        #[command(flatten)]
        job: Job,
        /// Write the best mapping for a launcher: rankfile=FILE or hostfile=FILE
        #[arg(long, value_name = "FORMAT=FILE")]
        export: Vec<String>,
        /// Keep ranks in blocks of one host each and reorder hosts only, for launchers that fill host after host
        #[arg(long)]
        reorder_hosts: bool,
        #[command(flatten)]
        search: Search,
    },
    /// Simulate flits cycle by cycle: latency and throughput against offered load
    Flits {
        #[command(flatten)]
        job: Job,
        #[command(flatten)]
        options: FlitsOptions,
        #[command(flatten)]
        keeping: Keeping,
        /// Write loads, queues and latencies by link, class and interval as CSV; of a hundred intervals without --interval
        #[arg(long, value_name = "FILE", conflicts_with = "checkpoint")]
        series: Option<String>,
    },
    /// Replay a collective, an application or a trace packet by packet: when is everybody done?
    Replay {
        #[command(flatten)]
        job: Job,
        #[command(flatten)]
        options: ReplayArgs,
    },
    /// Links that a job never uses, and what it saves to switch them off; several mappings side by side
    Power {
        #[command(flatten)]
        job: Job,
        #[command(flatten)]
        options: power::PowerArgs,
    },
    /// Compare the algorithms of a collective and orders of its ranks; write decision files for MPI, UCC and NCCL
    Collective(Box<Collective>),
    /// Compare machines for a set of jobs: loads, cost and power; which one carries the most for its price
    Compare(compare::CompareArgs),
    /// Look at a fabric: what it is, how it routes, whether its tables are whole
    Fabric {
        #[command(subcommand)]
        command: FabricCommand,
    },
    /// Which link, port, switch or host is slow, from measured pairs, and what to measure next
    Blame(Box<BlameArgs>),
    /// Record what an unmodified MPI program sends, and read recordings
    Record {
        #[command(subcommand)]
        command: RecordCommand,
    },
    /// Run a command at every point of a grid of parameters, so that it can be killed and go on, here or on a cluster
    Sweep(SweepArgs),
    /// One page that needs no network, from a scenario or from results in JSON: pictures, tables, what was assumed
    Report(report::ReportArgs),
    /// A paper's tables, figures and claims beside what is computed
    Reproduce {
        /// The study
        #[arg(value_parser = Specs("study"))]
        study: String,
        /// Fewer samples and smaller systems
        #[arg(long)]
        quick: bool,
        /// Write the figures (SVG) and one page that shows all into a directory
        #[arg(long, value_name = "DIR")]
        out: Option<String>,
        /// Keep what long simulations come to in a file, and go on from what is there
        #[arg(long, value_name = "FILE")]
        points: Option<String>,
        /// Simulate also what is kept with the study
        #[arg(long)]
        fresh: bool,
        /// Real machines' dumps that a study wants; else $HOPLINE_DATA, else ../shared/data, else a stand-in
        #[arg(long, value_name = "DIR")]
        data: Option<String>,
    },
    /// Name every topology, routing, traffic, mapping, export and term
    List {
        /// One list alone: topology, routing, traffic, mapping, collective, term, ...
        #[arg(value_parser = PossibleValuesParser::new(lists::all().into_iter().map(|list| list.name)), hide_possible_values = true)]
        what: Option<String>,
    },
    /// Shell completions: bash, zsh, fish, ...
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Manual pages, one per command, into a directory
    Man {
        /// Where to write them
        dir: String,
    },
    /// The JSON schema of what a command prints with --format json
    Schema {
        /// The command
        #[arg(value_parser = PossibleValuesParser::new(SCHEMAS))]
        command: String,
    },
    /// Formula, source, keys and an example of one of them
    Explain {
        /// Its name, such as percs, halo, mod-coloring, throughput or bound
        name: String,
    },
}

/// What is best, and a search from the best mapping.
#[derive(Debug, ClapArgs)]
pub(crate) struct Search {
    /// What makes a mapping better, terms by weight: congestion, class:NAME, hop-bytes, ...
    #[arg(long, value_name = "TERMS", value_parser = Specs("objective"))]
    pub(crate) objective: Option<String>,
    /// Improve the best mapping for so long, such as 10s or 2m
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "evaluations")]
    pub(crate) search: Option<Duration>,
    /// Improve the best mapping by so many exchanges; the result does not depend on the machine
    #[arg(long, value_name = "N")]
    pub(crate) evaluations: Option<u64>,
}

/// A form in which graph tools read loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GraphForm {
    Dot,
    Graphml,
}

impl GraphForm {
    /// All of them by name.
    pub(crate) const ALL: [(&'static str, GraphForm); 2] = [("dot", GraphForm::Dot), ("graphml", GraphForm::Graphml)];
}

/// `dot=FILE`.
fn graph_export(text: &str) -> std::result::Result<(GraphForm, String), String> {
    form_and_file(text, "form with loads", &GraphForm::ALL)
}

/// `FORM=FILE`, of forms by name; `what` they are, in one word or some.
fn form_and_file<T: Copy>(text: &str, what: &str, forms: &[(&str, T)]) -> std::result::Result<(T, String), String> {
    let mut known: Vec<String> = forms.iter().map(|(name, _)| format!("{name}=FILE")).collect();
    let last = known.pop().unwrap_or_default();
    let expected = format!("expected {} or {last}", known.join(", "));
    let (name, path) = text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or(expected.clone())?;
    let form = forms.iter().find(|form| form.0 == name);
    let (_, form) = form.ok_or_else(|| format!("`{name}` is no {what}: {expected}"))?;
    Ok((*form, path.to_string()))
}

/// `10`, `10s`, `500ms`, `2m`, `1h`; a bare number is seconds.
fn time(text: &str) -> std::result::Result<Duration, String> {
    let wrong = || "expected a time such as 10s, 500ms or 2m".to_string();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "ms" => number / 1000.0,
        "" | "s" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}
