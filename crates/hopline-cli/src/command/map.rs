//! `hopline map`.

use crate::args::{Common, Job, Search};
use crate::output;
use crate::progress::Bar;
use hopline::entry::Listed;
use hopline::error::{Error, Place, Result};
use hopline::files::Disk;
use hopline::format::{EXPORTS, Export};
use hopline::params::{Params, find};
use hopline::plan::Plan;
use hopline::run;
use hopline::scenario::Scenario;
use hopline_report as report;
use std::process::ExitCode;

pub(super) fn run(
    job: &Job,
    exports: &[String],
    reorder_hosts: bool,
    search: &Search,
    common: &Common,
) -> Result<ExitCode> {
    // A misspelt export must fail before the work, not after it.
    let exports = exports.iter().map(|e| export(e)).collect::<Result<Vec<_>>>()?;
    if let Some((_, path)) =
        exports.iter().enumerate().find(|(i, e)| exports[..*i].iter().any(|o| o.1 == e.1)).map(|e| e.1)
    {
        return Err(Error::input(format!("two exports would be written to `{path}`")).at(&Place::new("--export", 0)));
    }
    let mut scenario = job.scenario(common)?;
    if let Some(terms) = &search.objective {
        scenario = scenario.objective(terms);
    }
    scenario.limits.reorder_hosts |= reorder_hosts;
    let plan = plan(scenario)?;
    let mut outcome = run::map(&plan, &mut Bar::new())?;
    if search.search.is_some() || search.evaluations.is_some() {
        outcome = run::search(&plan, outcome, search.evaluations, &mut Bar::until(search.search))?;
    }
    let placement = outcome.best.chosen.placement(&plan.network.fabric, &plan.slots);
    let mut texts = Vec::new();
    for (export, path) in &exports {
        let place = Place::new(format!("--export {}", export.entry().name), 0);
        texts.push((path.as_str(), export.write(&placement).map_err(|e| e.at(&place))?));
    }
    output::save(&texts)?;
    output::outcome(common.format, &outcome, report::map)?;
    for (export, path) in exports {
        output::say(&format!("wrote {path}: {} of mapping {}", export.entry().name, outcome.best.mapping));
    }
    Ok(ExitCode::SUCCESS)
}

/// The plan; where no mapping is named, linear traffic on a whole torus is
/// compared with the mapping that was made for it.
fn plan(scenario: Scenario) -> Result<Plan> {
    let plan = Plan::new(&scenario, &Disk)?;
    let (fabric, nodes) = (&plan.network.fabric, plan.network.fabric.endpoints());
    let whole = fabric.coordinates().is_some() && plan.demand.tasks() == nodes && plan.slots.len() == nodes as usize;
    let linear = scenario.traffic.as_ref().is_some_and(|t| t.kind() == "linear");
    if linear && whole && scenario.mappings.is_empty() {
        return Plan::new(&scenario.mappings("default,linear")?, &Disk);
    }
    Ok(plan)
}

/// `rankfile=FILE`.
fn export(text: &str) -> Result<(&'static Export, String)> {
    let place = Place::new("--export", 0);
    let Some((format, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
        return Err(Error::input(format!("`{text}` names no file")).at(&place).hint("write --export rankfile=FILE"));
    };
    Ok((find("export", EXPORTS, &Params::new(format, place))?, path.to_string()))
}
