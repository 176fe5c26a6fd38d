//! One file per command.

mod blame;
mod bound;
mod check;
mod collective;
pub(crate) mod collective_exports;
mod compare;
pub(crate) mod document;
mod fabric;
mod flits;
mod list;
mod load;
pub(crate) mod map;
mod power;
mod record;
mod replay;
mod report;
pub(crate) mod reproduce;
mod sweep;
mod words;

use crate::args::{Args, BlameCommand, Command, Common, FabricCommand, Format, Machine};
use crate::inputs;
use crate::output::Targets;
use crate::page;
use crate::ranks;
use hopline::error::{Error, Place, Result};
use hopline::files::Files;
use hopline::plan::{Network, Plan};
use hopline::scenario::Scenario;
use std::process::ExitCode;

/// What was asked for, as it was planned, and its answer.
pub(crate) struct Answered<T> {
    pub(crate) scenario: Scenario,
    pub(crate) plan: Plan,
    pub(crate) outcome: T,
}

/// More would only wait for each other.
const MOST_THREADS: usize = 1024;

/// Runs a command.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    inputs::limit(args.common.max_input.0);
    if !ranks::takes_part(&args.command) {
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(threads) = args.common.threads {
        if threads > MOST_THREADS {
            return Err(Error::input(format!("--threads {threads}: expected at most {MOST_THREADS}"))
                .hint("more threads than cores gain nothing; leave it out for all cores"));
        }
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|e| Error::failed(format!("cannot start {threads} threads: {e}")))?;
    }
    if args.common.format == Format::Csv && !has_table(&args.command) {
        let hint = "load, map, flits, replay, power, collective, compare, reproduce, record, sweep, list, blame, blame expect and fabric show, route, check, query, diff and whatif have one";
        return Err(Error::input("this command prints no table").at(&Place::new("--format csv", 0)).hint(hint));
    }
    if args.common.table.is_some() && args.common.format != Format::Csv {
        let hint = "it chooses what --format csv prints";
        return Err(Error::input("a table without --format csv").at(&Place::new("--table", 0)).hint(hint));
    }
    if args.common.with_inputs {
        if args.common.format != Format::Json {
            return Err(Error::input("inputs without --format json")
                .at(&Place::new("--with-inputs", 0))
                .hint("only JSON holds them"));
        }
        inputs::keep();
    }
    if args.common.report.is_some() && !has_page(&args.command) {
        return Err(Error::input("this command has no result to show").at(&Place::new("--report", 0)));
    }
    // Before a long search, not after it.
    let _targets = Targets::guard(&args.common.written)?;
    if let Some(path) = &args.common.report {
        page::check_target(path, page::PAGE)?;
    }
    match args.command {
        Command::Load { job, hottest, export } => load::run(&job, hottest, &export, &args.common),
        Command::Map { job, export, reorder_hosts, search } => {
            map::run(&job, &export, reorder_hosts, &search, &args.common)
        }
        Command::Flits { job, options, keeping, series } => {
            flits::run(&job, &options, keeping, series.as_deref(), &args.common)
        }
        Command::Replay { job, options } => replay::run(&job, &options, &args.common),
        Command::Power { job, options } => power::run(&job, &options, &args.common),
        Command::Collective(asked) => collective::run(&asked, &args.common),
        Command::Compare(compare) => compare::run(&compare, &args.common),
        Command::Fabric { command } => fabric::run(&command, &args.common),
        Command::Blame(blame) => blame::run(&blame, &args.common),
        Command::Sweep(sweep) => sweep::run(&sweep, &args.common),
        Command::Reproduce { study, quick, out, points, fresh, data } => {
            let options = reproduce::options(quick, fresh, data.as_deref(), &args.common);
            reproduce::run(&study, &options, out.as_deref(), points.as_deref(), &args.common)
        }
        Command::Report(report) => report::run(&report, &args.common),
        Command::Record { command } => record::run(&command, &args.common),
        Command::List { what } => list::list(what.as_deref(), &args.common),
        Command::Completions { shell } => words::completions(shell),
        Command::Man { dir } => words::man(&dir),
        Command::Schema { command } => words::schema(&command),
        Command::Explain { name } => list::explain(&name, &args.common),
    }
}

/// True where a command has a result that a page shows.
fn has_page(command: &Command) -> bool {
    match command {
        Command::List { .. } | Command::Fabric { command: FabricCommand::Query(_) } => false,
        Command::Blame(_) => true,
        other => has_table(other),
    }
}

/// True where a command prints an outcome with a table.
fn has_table(command: &Command) -> bool {
    match command {
        Command::Explain { .. }
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::Schema { .. }
        | Command::Report(_) => false,
        Command::Blame(blame) => {
            !matches!(blame.command, Some(BlameCommand::Plan { .. } | BlameCommand::History { .. }))
        }
        Command::Fabric { command } => matches!(
            command,
            FabricCommand::Show { .. }
                | FabricCommand::Route { .. }
                | FabricCommand::Check { .. }
                | FabricCommand::Query(_)
                | FabricCommand::Diff(_)
                | FabricCommand::Whatif { .. }
        ),
        _ => true,
    }
}

/// A machine with its one routing, and what was asked for.
fn machine_of(machine: &Machine, common: &Common, files: &dyn Files, command: &str) -> Result<(Scenario, Network)> {
    let scenario = machine.scenario(common)?;
    one_routing(&scenario, command)?;
    let network = Network::new(&scenario, files)?;
    Ok((scenario, network))
}

/// The page of a result that was printed before.
pub(crate) fn result_page(path: &str, text: &str) -> Result<String> {
    report::page_of(path, text)
}

/// The machine that `fabric show` looks at.
pub(crate) fn network(args: &Args, files: &dyn Files) -> Result<Network> {
    match &args.command {
        Command::Fabric { command: FabricCommand::Show { machine, .. } } => {
            Ok(machine_of(machine, &args.common, files, "fabric")?.1)
        }
        _ => Err(Error::input("this command looks at no machine")),
    }
}

/// The job of a scenario or options.
pub(crate) fn scenario(args: &Args) -> Result<Scenario> {
    match &args.command {
        Command::Load { job, .. } => job.scenario(&args.common),
        _ => Err(Error::input("this command looks at no job")),
    }
}

/// Refuses several routings where one is looked at.
fn one_routing(scenario: &Scenario, command: &str) -> Result<()> {
    match scenario.routings.get(1) {
        Some(second) => Err(Error::input(format!("`hopline {command}` takes one routing"))
            .at(second.place())
            .hint("`hopline map` compares several")),
        None => Ok(()),
    }
}
