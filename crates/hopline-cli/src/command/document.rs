//! What a command answers, without printing it: for the points of a sweep, and for other programs.

use super::{Answered, bound, check, collective, compare, fabric, flits, load, map, power, replay};
use crate::answered::{Answer, Orders};
use crate::args::{Args, CollectiveCommand, Command, FabricCommand, Machine};
use crate::page;
use hopline::error::{Error, Place, Result};
use hopline::event::Observer;
use hopline::files::Files;
use hopline::run;
use hopline::scenario::Scenario;
use hopline_report as report;

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

/// The answer of one of [`COMMANDS`], as JSON in one line.
///
/// # Errors
/// Those of the command.
pub(super) fn document(args: &Args, files: &dyn Files, observer: &mut dyn Observer) -> Result<String> {
    answer(args, files, observer)?.line()
}

/// The answer of one of [`COMMANDS`]; nothing is written.
///
/// # Errors
/// Those of the command.
pub(crate) fn answer(args: &Args, files: &dyn Files, observer: &mut dyn Observer) -> Result<Answer> {
    let common = &args.common;
    let answer = match &args.command {
        Command::Load { job, hottest, .. } => {
            let Answered { scenario, plan, outcome } = load::evaluate(job, *hottest, common, files, observer)?;
            let job = page::loaded(plan, &outcome);
            Answer::of_job(scenario, outcome, report::load, job)
        }
        Command::Map { job, reorder_hosts, search, .. } => {
            let Answered { scenario, plan, outcome } =
                map::evaluate(job, *reorder_hosts, search, common, files, observer)?;
            let job = page::compared(plan, &outcome);
            Answer::of_job(scenario, outcome, report::map, job)
        }
        Command::Flits { job, options, .. } => {
            let (scenario, outcome) = flits::evaluate(job, options, &mut run::Forget, common, files, observer)?;
            Answer::new(scenario, outcome, report::flits)
        }
        Command::Replay { job, options } => {
            if options.check {
                let text = "a replay with a check answers with one of two documents, and this asks for one";
                return Err(Error::input(text)
                    .at(&Place::new("--check", 0))
                    .hint("`hopline collective check` tells whether a schedule is right"));
            }
            let (scenario, outcome) = replay::evaluate(job, options, common, files, observer)?;
            Answer::new(scenario, outcome, report::replay)
        }
        Command::Power { job, options } => {
            let Answered { scenario, outcome, .. } = power::evaluate(job, options, common, files, observer)?;
            Answer::new(scenario, outcome, report::power)
        }
        Command::Collective(asked) => match (&asked.command, collective::name(asked)) {
            (Some(CollectiveCommand::Check(checked)), _) => {
                let (scenario, outcome) = check::evaluate(checked, common, files, observer)?;
                match scenario {
                    Some(scenario) => Answer::new(scenario, outcome, report::checked),
                    None => Answer::without_scenario(outcome, report::checked),
                }
            }
            (None, name) if asked.options.bound => {
                let bounds = bound::evaluate(name, &asked.job, &asked.options, common, files, observer)?;
                Answer::new(bounds.asked, bounds.outcome, report::bounds)
            }
            (None, name) => {
                let found = collective::evaluate(name, &asked.job, &asked.options, common, files, observer)?;
                Answer::new(found.asked, found.outcome.clone(), report::collective).with_orders(Orders {
                    plan: found.plan,
                    keys: found.keys,
                    outcome: found.outcome,
                })
            }
        },
        Command::Compare(args) => {
            Answer::without_scenario(compare::evaluate(args, common, files, observer)?, report::compare)
        }
        Command::Fabric { command } => fabric::answer(command, common, files, observer)?,
        _ => return Err(Error::input("this command yields no numbers")),
    };
    Ok(answer.to(args))
}

/// Puts a scenario in the place of the file that a command would read; its words alone do not ask for the same.
pub(super) fn with_scenario(args: &mut Args, scenario: Scenario) {
    args.common.asked.clear();
    if let Some(machine) = machine(&mut args.command) {
        machine.base = Some(scenario);
    }
}

fn machine(command: &mut Command) -> Option<&mut Machine> {
    match command {
        Command::Collective(asked) => match &mut asked.command {
            Some(CollectiveCommand::Check(checked)) => Some(&mut checked.job.machine),
            None => Some(&mut asked.job.options.machine),
        },
        Command::Load { job, .. }
        | Command::Map { job, .. }
        | Command::Flits { job, .. }
        | Command::Replay { job, .. }
        | Command::Power { job, .. }
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
