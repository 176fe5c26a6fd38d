//! What a command prints as JSON, without printing it: for the points of a sweep.

use super::{collective, fabric, flits, load, map, power, replay};
use crate::args::{Args, Command, FabricCommand, Machine};
use crate::output;
use hopline::error::{Error, Result};
use hopline::event::Observer;
use hopline::files::Files;
use hopline::run;
use hopline::scenario::Scenario;

/// The commands that yield numbers.
pub(super) const COMMANDS: [&str; 10] = [
    "load",
    "map",
    "flits",
    "replay",
    "power",
    "collective",
    "fabric show",
    "fabric route",
    "fabric check",
    "fabric whatif",
];

/// The answer of one of [`COMMANDS`].
///
/// # Errors
/// Those of the command.
pub(super) fn document(args: &Args, files: &dyn Files, observer: &mut dyn Observer) -> Result<String> {
    let common = &args.common;
    match &args.command {
        Command::Load { job, hottest, .. } => {
            let (scenario, _, outcome) = load::evaluate(job, *hottest, common, files, observer)?;
            output::document(&scenario, &outcome)
        }
        Command::Map { job, reorder_hosts, search, .. } => {
            let (scenario, outcome) = map::evaluate(job, *reorder_hosts, search, common, files, observer)?;
            output::document(&scenario, &outcome)
        }
        Command::Flits { job, options, .. } => {
            let (scenario, outcome) = flits::evaluate(job, options, &mut run::Forget, common, files, observer)?;
            output::document(&scenario, &outcome)
        }
        Command::Replay { job, options } => {
            let (scenario, outcome) = replay::evaluate(job, options, common, files, observer)?;
            output::document(&scenario, &outcome)
        }
        Command::Power { job, options } => {
            let (scenario, _, outcome) = power::evaluate(job, options, common, files, observer)?;
            output::document(&scenario, &outcome)
        }
        Command::Collective { name, job, options } => {
            let answer = collective::evaluate(name, job, options, common, files, observer)?;
            output::document(&answer.asked, &answer.outcome)
        }
        Command::Fabric { command } => fabric::document(command, common, files, observer),
        _ => Err(Error::input("this command yields no numbers")),
    }
}

/// Puts a scenario in the place of the file that a command would read.
pub(super) fn with_scenario(args: &mut Args, scenario: Scenario) {
    if let Some(machine) = machine(&mut args.command) {
        machine.base = Some(scenario);
    }
}

fn machine(command: &mut Command) -> Option<&mut Machine> {
    match command {
        Command::Load { job, .. }
        | Command::Map { job, .. }
        | Command::Flits { job, .. }
        | Command::Replay { job, .. }
        | Command::Power { job, .. }
        | Command::Collective { job, .. }
        | Command::Fabric { command: FabricCommand::Whatif { job, .. } } => Some(&mut job.options.machine),
        Command::Fabric {
            command:
                FabricCommand::Show { machine, .. }
                | FabricCommand::Route { machine, .. }
                | FabricCommand::Check { machine },
        } => Some(machine),
        _ => None,
    }
}
