//! `hopline fabric show | route | whatif | diff | check | export | import | collect | serve | query`.

mod collect;
mod diff;
mod query;
mod serve;
mod signals;
mod whatif;

use super::machine_of;
use crate::answer;
use crate::answered::Answer;
use crate::args::{Common, FabricCommand, Machine};
use crate::inputs::Disk;
use crate::output;
use crate::progress::Bar;
use hopline::entry::Listed;
use hopline::error::{Error, Place, Result};
use hopline::event::Observer;
use hopline::files::Files;
use hopline::params::{Params, find};
use hopline::run;
use hopline_formats::FABRIC_EXPORTS;
use hopline_report as report;
use std::process::ExitCode;

pub(super) fn run(command: &FabricCommand, common: &Common) -> Result<ExitCode> {
    match command {
        FabricCommand::Show { machine, switches, hosts } => {
            let (scenario, network) = machine_of(machine, common, &Disk, "fabric")?;
            match (switches, hosts) {
                (true, _) => answer::outcome(common, Some(&scenario), &run::show_switches(&network), report::switches)?,
                (_, true) => answer::outcome(common, Some(&scenario), &run::show_hosts(&network), report::hosts)?,
                _ => answer::outcome(common, Some(&scenario), &run::show(&network), report::show)?,
            }
        }
        FabricCommand::Route { machine, from, to, paths } => {
            let (scenario, network) = machine_of(machine, common, &Disk, "fabric")?;
            answer::outcome(common, Some(&scenario), &run::route(&network, from, to, *paths)?, report::route)?;
        }
        FabricCommand::Whatif { job, each: None, hottest, .. } => whatif::one(job, *hottest, common)?,
        FabricCommand::Whatif { job, each: Some(each), list, hottest } => {
            whatif::each(job, (*each).into(), *list, *hottest, common)?;
        }
        FabricCommand::Export { form, machine, output } => export(form, machine, output.as_deref(), common)?,
        FabricCommand::Import { path, output } => export("json", &Machine::at(path), Some(output), common)?,
        FabricCommand::Collect(options) => collect::run(options)?,
        FabricCommand::Serve(options) => serve::run(options, common)?,
        FabricCommand::Query(options) => query::run(options, common)?,
        FabricCommand::Diff(options) => {
            let (scenario, outcome) = diff::evaluate(options, common, &Disk, &mut Bar::new())?;
            answer::outcome(common, Some(&scenario), &outcome, |o| report::diff(o, options.list))?;
            if outcome.differs() {
                return Ok(ExitCode::from(3));
            }
        }
        FabricCommand::Check { machine } => {
            let (scenario, network) = machine_of(machine, common, &Disk, "fabric")?;
            let outcome = run::check(&network);
            answer::outcome(common, Some(&scenario), &outcome, report::check)?;
            if !outcome.problems.is_empty() {
                return Ok(ExitCode::from(3));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What a question about a fabric is answered with.
///
/// # Errors
/// It has no answer in numbers, or those of the question.
pub(super) fn answer(
    command: &FabricCommand,
    common: &Common,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<Answer> {
    Ok(match command {
        FabricCommand::Show { machine, switches, hosts } => {
            let (scenario, network) = machine_of(machine, common, files, "fabric")?;
            match (switches, hosts) {
                (true, _) => Answer::new(scenario, run::show_switches(&network), report::switches),
                (_, true) => Answer::new(scenario, run::show_hosts(&network), report::hosts),
                _ => Answer::new(scenario, run::show(&network), report::show),
            }
        }
        FabricCommand::Route { machine, from, to, paths } => {
            let (scenario, network) = machine_of(machine, common, files, "fabric")?;
            Answer::new(scenario, run::route(&network, from, to, *paths)?, report::route)
        }
        FabricCommand::Diff(options) => {
            let (scenario, outcome) = diff::evaluate(options, common, files, observer)?;
            let list = options.list;
            Answer::new(scenario, outcome, move |o| report::diff(o, list))
        }
        FabricCommand::Check { machine } => {
            let (scenario, network) = machine_of(machine, common, files, "fabric")?;
            Answer::new(scenario, run::check(&network), report::check)
        }
        FabricCommand::Whatif { job, each: None, hottest, .. } => {
            let (scenario, outcome) = whatif::evaluate_one(job, *hottest, common, files, observer)?;
            Answer::new(scenario, outcome, report::whatif)
        }
        FabricCommand::Whatif { job, each: Some(each), list, hottest } => {
            let (scenario, outcome) = whatif::evaluate_each(job, (*each).into(), *hottest, common, files, observer)?;
            let list = *list;
            Answer::new(scenario, outcome, move |o| report::each(o, list))
        }
        _ => return Err(Error::input("this yields no numbers")),
    })
}

/// Printed, or written whole or not at all.
fn export(form: &str, machine: &Machine, output: Option<&str>, common: &Common) -> Result<()> {
    let form = find("form of a fabric", FABRIC_EXPORTS, &Params::new(form, Place::new("fabric export", 0)))?;
    let (_, network) = machine_of(machine, common, &Disk, "fabric")?;
    let text = run::export(&network, form)?;
    let Some(path) = output else { return output::write(&text) };
    output::save(&[(path, text)])?;
    output::say(&format!("wrote {path}: {} of {}", form.entry().name, network.fabric.name()));
    Ok(())
}
