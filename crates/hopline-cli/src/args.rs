//! The command line, as clap reads it.

mod limits;
pub(crate) mod power;
pub(crate) mod service;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use hopline::error::{Error, Place, Result};
use hopline::files::{Disk, read_text};
use hopline::flits;
use hopline::params::{Params, Value};
use hopline::scenario::Scenario;
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
    /// Text for people or JSON for programs
    #[arg(long, value_enum, default_value_t = Format::Text, global = true)]
    pub(crate) format: Format,
    /// Seed of every random choice
    #[arg(long, global = true)]
    pub(crate) seed: Option<u64>,
    /// Threads to use; results do not depend on it
    #[arg(long, global = true)]
    pub(crate) threads: Option<usize>,
}

/// The lists that `list` and `explain` know.
pub(crate) const LISTS: [&str; 15] = [
    "topology",
    "routing",
    "traffic",
    "mapping",
    "objective",
    "flits",
    "inject",
    "schedule",
    "collective",
    "replay",
    "power",
    "export",
    "fabric-export",
    "tuning",
    "study",
];

/// Commands whose JSON has a schema.
pub(crate) const SCHEMAS: [&str; 13] = [
    "load",
    "map",
    "flits",
    "replay",
    "power",
    "collective",
    "fabric-show",
    "fabric-route",
    "fabric-check",
    "fabric-whatif",
    "fabric",
    "record",
    "reproduce",
];

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned tables.
    Text,
    /// One JSON object.
    Json,
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
        /// Keep the state here from time to time, and go on from it if it is there
        #[arg(long, value_name = "FILE")]
        checkpoint: Option<String>,
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
    Collective {
        /// An operation (broadcast, reduce, allreduce, allgather, reduce-scatter, alltoall, barrier) or one algorithm
        name: String,
        #[command(flatten)]
        job: Job,
        #[command(flatten)]
        options: CollectiveArgs,
    },
    /// Look at a fabric: what it is, how it routes, whether its tables are whole
    Fabric {
        #[command(subcommand)]
        command: FabricCommand,
    },
    /// Record what an unmodified MPI program sends, and read recordings
    Record {
        #[command(subcommand)]
        command: RecordCommand,
    },
    /// A paper's tables, figures and claims beside what is computed
    Reproduce {
        /// The study (see `hopline list study`)
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
        /// Real machines' dumps that a study wants; else $HOPLINE_DATA, else ../shared/data, else a stand-in
        #[arg(long, value_name = "DIR")]
        data: Option<String>,
    },
    /// Name every topology, routing, traffic, mapping and export
    List {
        /// One list alone
        #[arg(value_parser = LISTS)]
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
        #[arg(value_parser = SCHEMAS)]
        command: String,
    },
    /// Formula, source, keys and an example of one of them
    Explain {
        /// Its name, such as percs, dor, halo or mod-coloring
        name: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum RecordCommand {
    /// Run a program and record it: hopline record run --out DIR -- mpirun -n 16 ./app
    Run {
        /// Where to put the recording; an older one there is replaced
        #[arg(long, value_name = "DIR", default_value = "recording")]
        out: String,
        /// Megabytes per rank after which calls are only counted [default: 256]
        #[arg(long, value_name = "MB")]
        limit: Option<u64>,
        /// The launcher and its words
        #[arg(last = true, required = true)]
        words: Vec<String>,
    },
    /// Read a recording, and write it as a matrix or a schedule
    Merge {
        /// The directory
        dir: String,
        /// What to write
        #[arg(long = "as", value_enum, default_value_t = Form::Matrix)]
        form: Form,
        /// Where to write it
        #[arg(short, long, value_name = "FILE")]
        output: Option<String>,
    },
}

/// What a recording is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Bytes between pairs as CSV, which `--traffic matrix:file=` reads
    Matrix,
    /// A schedule in GOAL, for LogGOPSim
    Goal,
    /// A time-independent trace, for SimGrid
    SimgridTi,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FabricCommand {
    /// Hosts, switches, links, levels
    Show {
        #[command(flatten)]
        machine: Machine,
    },
    /// The way from one host to another, with GUIDs and ports
    Route {
        #[command(flatten)]
        machine: Machine,
        /// Where from: a host, a switch or a GUID
        from: String,
        /// Where to
        to: String,
        /// List at most so many paths
        #[arg(long, default_value_t = 8)]
        paths: u64,
    },
    /// What a missing cable, switch or host does: who loses whom, and how hot the rest becomes
    Whatif {
        #[command(flatten)]
        job: Job,
        /// Number of hottest links in the JSON
        #[arg(long, default_value_t = 3)]
        hottest: usize,
    },
    /// Write a fabric for other tools: json, graphml, dot, slurm-topology, topology-yaml
    Export {
        /// The form (see `hopline list fabric-export`)
        form: String,
        #[command(flatten)]
        machine: Machine,
        /// Where to write it; printed where left out
        #[arg(short, long, value_name = "FILE")]
        output: Option<String>,
    },
    /// Read a fabric in any form and write it as JSON, in one file with its tables
    Import {
        /// A dump of a real machine: a file or a directory
        path: String,
        /// Where to write it
        #[arg(short, long, value_name = "FILE")]
        output: String,
    },
    /// Walk all tables: unreachable pairs, circles, possible deadlock
    Check {
        #[command(flatten)]
        machine: Machine,
    },
    /// Run the tools of a live subnet, check what they print, and publish it as a generation
    Collect(service::Collect),
    /// Answer questions about the routes of a fabric over TCP and HTTP
    Serve(service::Serve),
    /// Ask a server: hopline fabric query node001:node036
    Query(service::Query),
}

/// How flits are simulated; each replaces the key of that name in `[flits]`.
#[derive(Debug, ClapArgs)]
pub(crate) struct FlitsOptions {
    /// Loads in flits per cycle and endpoint, such as 0.1,0.3,0.5
    #[arg(long, value_name = "LOADS")]
    load: Option<String>,
    /// Cycles before the measurement [default: 2000]
    #[arg(long, value_name = "CYCLES")]
    warmup: Option<u32>,
    /// Cycles measured [default: 10000]; the most with --until
    #[arg(long, value_name = "CYCLES")]
    cycles: Option<u32>,
    /// Measure until throughput and latency are so well known, such as 1%@99%
    #[arg(long, value_name = "PRECISION")]
    until: Option<String>,
    /// When packets are generated: bernoulli, poisson, bursts:length=N, exchange:bytes=N
    #[arg(long, value_name = "SPEC")]
    inject: Option<String>,
    /// Keys of the router, such as buffers=64,speedup=2 (see `hopline explain router`)
    #[arg(long, value_name = "KEYS")]
    router: Option<String>,
}

impl FlitsOptions {
    /// The keys of a scenario, with what is given here in their place.
    pub(crate) fn merge(&self, scenario: &Scenario) -> Result<Params> {
        let mut params = scenario.flits.clone().unwrap_or_else(flits::no_options);
        let whole = |n: u32| Value::Int(i64::from(n));
        let given = [
            ("load", self.load.clone().map(Value::Text)),
            ("warmup", self.warmup.map(whole)),
            ("cycles", self.cycles.map(whole)),
            ("until", self.until.clone().map(Value::Text)),
            ("inject", self.inject.clone().map(Value::Text)),
            ("router", self.router.clone().map(Value::Text)),
        ];
        for (key, value) in given {
            if let Some(value) = value {
                params.take::<String>(key)?;
                params.push(key, value, Place::new(format!("--{key}"), 0))?;
            }
        }
        Ok(params)
    }
}

/// What is replayed and how.
#[derive(Debug, ClapArgs)]
pub(crate) struct ReplayArgs {
    /// What is replayed, such as collective:knomial:bytes=64K, app:halo-steps:grid=4x4x4 or goal:FILE
    #[arg(long, value_name = "SPEC")]
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
    /// Write the schedule as GOAL text
    #[arg(long, value_name = "FILE")]
    pub(crate) write: Option<String>,
}

/// Algorithms, sizes and orders to compare.
#[derive(Debug, ClapArgs)]
pub(crate) struct CollectiveArgs {
    /// Sizes, such as 1K,64K,1MB
    #[arg(long, value_name = "SIZES", default_value = "1K,64K,1MB")]
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
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Write the best algorithm of each size in the default order: openmpi=FILE, openmpi-json, mpich, ucc or nccl
    #[arg(long, value_name = "FORM=FILE")]
    pub(crate) export: Vec<String>,
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
    pub(crate) fn read(&self, scenario: &Scenario) -> Result<Params> {
        match &self.model {
            Some(keys) => Params::from_spec(&format!("replay:{keys}"), &Place::new("--model", 0)),
            None => Ok(scenario.replay.clone().unwrap_or_else(hopline::replay::no_params)),
        }
    }
}

/// A machine.
#[derive(Debug, ClapArgs)]
pub(crate) struct Machine {
    /// A dump of a real machine: a file or a directory (the same as --topology file:PATH)
    #[arg(long, value_name = "PATH", conflicts_with = "topology")]
    fabric: Option<String>,
    /// A model or a file, such as percs:ns=32,nd=4 (see `hopline list topology`)
    #[arg(long, value_name = "SPEC")]
    topology: Option<String>,
    /// How it routes; the topology's own routing where left out; several with commas between them for `map`
    #[arg(long, value_name = "SPEC")]
    routing: Option<String>,
    /// Take out SWITCH[PORT], "A -- B", or all cables of a switch or host; may be repeated
    #[arg(long, value_name = "PART")]
    without: Vec<String>,
}

/// A job on a machine.
#[derive(Debug, ClapArgs)]
pub(crate) struct Job {
    /// A scenario in TOML; options replace what it says
    scenario: Option<String>,
    #[command(flatten)]
    machine: Machine,
    /// Who sends how much to whom, such as halo:grid=64x64 or matrix:file=PATH
    #[arg(long, value_name = "SPEC")]
    traffic: Option<String>,
    /// Where tasks sit; several with commas between them for `map`
    #[arg(long, value_name = "SPEC")]
    mapping: Option<String>,
    /// The allocation: a file of names, n[001-064,70], random:N or first:N
    #[arg(long, value_name = "HOSTS")]
    hosts: Option<String>,
    #[command(flatten)]
    limits: limits::Limits,
}

/// What is best, and a search from the best mapping.
#[derive(Debug, ClapArgs)]
pub(crate) struct Search {
    /// What makes a mapping better, terms by weight: congestion, class:NAME, hop-bytes, ...
    #[arg(long, value_name = "TERMS")]
    pub(crate) objective: Option<String>,
    /// Improve the best mapping for so long, such as 10s or 2m
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "evaluations")]
    pub(crate) search: Option<Duration>,
    /// Improve the best mapping by so many exchanges; the result does not depend on the machine
    #[arg(long, value_name = "N")]
    pub(crate) evaluations: Option<u64>,
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

impl Machine {
    /// The machine of a dump.
    pub(crate) fn at(path: &str) -> Machine {
        Machine { fabric: Some(path.to_string()), topology: None, routing: None, without: Vec::new() }
    }

    /// Puts what is given into a scenario.
    fn add_to(&self, mut scenario: Scenario) -> Result<Scenario> {
        if let Some(path) = &self.fabric {
            let place = Place::new("--fabric", 0);
            let mut params = Params::new("file", place.clone());
            params.push("path", Value::Text(path.clone()), place)?;
            scenario.topology = Some(params);
        }
        if let Some(spec) = &self.topology {
            scenario = scenario.topology(spec)?;
        }
        scenario = self.without.iter().fold(scenario, |s, part| s.without(part));
        match &self.routing {
            Some(spec) => scenario.routing(spec),
            None => Ok(scenario),
        }
    }

    pub(crate) fn scenario(&self, common: &Common) -> Result<Scenario> {
        Ok(self.add_to(Scenario::default())?.seed(common.seed.unwrap_or(0)))
    }
}

impl Job {
    pub(crate) fn scenario(&self, common: &Common) -> Result<Scenario> {
        let mut scenario = match &self.scenario {
            Some(path) if path.contains(':') && !path.ends_with(".toml") => {
                return Err(
                    Error::input(format!("`{path}` is no scenario file")).hint("give the topology with --topology")
                );
            }
            Some(path) => Scenario::from_toml(path, &read_text(&Disk, path)?)?,
            None => Scenario::default(),
        };
        scenario = self.machine.add_to(scenario)?;
        if let Some(spec) = &self.traffic {
            scenario = scenario.traffic(spec)?;
        }
        if let Some(specs) = &self.mapping {
            scenario = scenario.mappings(specs)?;
        }
        if let Some(hosts) = &self.hosts {
            scenario = scenario.hosts(hosts);
        }
        self.limits.add_to(&mut scenario);
        Ok(match common.seed {
            Some(seed) => scenario.seed(seed),
            None => scenario,
        })
    }
}
