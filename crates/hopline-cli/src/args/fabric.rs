//! `hopline fabric`.

use super::specs::Specs;
use super::{Job, Machine, service};
use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use hopline::run::Each;

/// What fails, one at a time.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Failing {
    /// Every switch.
    Switch,
    /// Every cable between switches.
    Link,
    /// Every switch with adapters.
    Leaf,
}

impl From<Failing> for Each {
    fn from(kind: Failing) -> Each {
        match kind {
            Failing::Switch => Each::Switch,
            Failing::Link => Each::Link,
            Failing::Leaf => Each::Leaf,
        }
    }
}

/// Two looks at a machine.
#[derive(Debug, ClapArgs)]
pub(crate) struct Diff {
    /// The machine before: a file, a directory, a topology, or a plan of its cables (UFM's NDT, a CSV)
    pub(crate) before: String,
    /// The machine now
    pub(crate) after: String,
    /// The job by which costs are counted; everybody to everybody where left out
    #[arg(long, value_name = "SPEC", value_parser = Specs("traffic"))]
    pub(crate) traffic: Option<String>,
    /// How both route; each as it does by itself where left out
    #[arg(long, value_name = "SPEC", value_parser = Specs("routing"))]
    pub(crate) routing: Option<String>,
    /// Changes to list, the gravest first (the JSON has all)
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) list: usize,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FabricCommand {
    /// Hosts, switches, links, levels
    Show {
        #[command(flatten)]
        machine: Machine,
        /// One by one: every switch with its cables, adapters, hosts and links to other switches
        #[arg(long, conflicts_with = "hosts")]
        switches: bool,
        /// One by one: every host with its adapters, their switches and speeds
        #[arg(long)]
        hosts: bool,
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
        /// Take out one after the other, and rank them by what they cost
        #[arg(long, value_enum, conflicts_with = "without")]
        each: Option<Failing>,
        /// Failures to list, worst first (the JSON has all)
        #[arg(long, default_value_t = 20, value_name = "N", requires = "each")]
        list: usize,
        /// Number of hottest links, before and after
        #[arg(long, default_value_t = 3)]
        hottest: usize,
    },
    /// Write a fabric for other tools: json, graphml, dot, slurm-topology, topology-yaml
    Export {
        /// The form
        #[arg(value_parser = Specs("fabric-export"))]
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
    /// What changed between two looks at a machine and what it costs; exit code 3 where something did
    Diff(Diff),
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
