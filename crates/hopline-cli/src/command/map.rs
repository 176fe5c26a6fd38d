//! `hopline map`.

use super::Answered;
use crate::answer;
use crate::args::{Common, Job, Search};
use crate::inputs::Disk;
use crate::output;
use crate::page;
use crate::progress::Bar;
use crate::ranks;
use hopline::entry::Listed;
use hopline::error::{Error, Place, Result};
use hopline::event::Observer;
use hopline::files::Files;
use hopline::format::{EXPORTS, Export};
use hopline::mapping::{some_time, without_budget};
use hopline::params::{Params, find};
use hopline::peers::agree;
use hopline::plan::Plan;
use hopline::run::{self, MapOutcome};
use hopline::scenario::Scenario;
use hopline_report as report;
use std::process::ExitCode;
use std::time::Instant;

pub(super) fn run(
    job: &Job,
    exports: &[String],
    reorder_hosts: bool,
    search: &Search,
    common: &Common,
) -> Result<ExitCode> {
    // A misspelt export must fail before the work, not after it.
    let exports = exports.iter().map(|e| export(e)).collect::<Result<Vec<_>>>()?;
    let peers = ranks::peers()?;
    let (scenario, plan) = agree(&*peers, plan(job, reorder_hosts, search, common, &Disk))?;
    let (start, interrupt) = (Instant::now(), ranks::interrupt(&*peers)?);
    let bar = |bar: Bar| if peers.rank() == 0 { bar.or(&interrupt) } else { bar.hidden() };
    if peers.rank() == 0 {
        foretell(&scenario, &plan);
    }
    let mut outcome = run::map_among(&plan, &*peers, &mut bar(Bar::new()))?;
    if !interrupt.came() && (search.search.is_some() || search.evaluations.is_some()) {
        // Time counts from when all are here.
        agree(&*peers, Ok(()))?;
        let bound = outcome.as_ref().and_then(|outcome| {
            let first = plan.objective.first(&outcome.best.summary);
            outcome.best.bound_of(&plan.objective).map(|bound| bound / first).filter(|b| b.is_finite())
        });
        let mut bar = bar(Bar::until(search.search).at_least(bound));
        outcome = run::search_among(&plan, outcome, search.evaluations, &*peers, &mut bar)?;
    }
    let Some(outcome) = outcome else { return Ok(ExitCode::SUCCESS) };
    interrupt.tell(start, "the best so far");
    let placement = outcome.best.chosen.placement(&plan.network.fabric, &plan.slots);
    let mut texts = Vec::new();
    for (export, path) in &exports {
        let place = Place::new(format!("--export {}", export.entry().name), 0);
        texts.push((path.as_str(), export.write(&placement).map_err(|e| e.at(&place))?));
    }
    output::save(&texts)?;
    answer::job(common, &scenario, &outcome, report::map, page::compared(plan, &outcome))?;
    for (export, path) in exports {
        let mapping = without_budget(&outcome.best.mapping);
        output::say(&format!("wrote {path}: {} of mapping {mapping}", export.entry().name));
    }
    Ok(ExitCode::SUCCESS)
}

/// Searches by evaluations alone, since a search by time differs from run to run.
pub(crate) fn evaluate(
    job: &Job,
    reorder_hosts: bool,
    search: &Search,
    common: &Common,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<Answered<MapOutcome>> {
    let (scenario, plan) = plan(job, reorder_hosts, search, common, files)?;
    let outcome = run::map(&plan, observer)?;
    let outcome = match search.evaluations {
        Some(_) => run::search(&plan, outcome, search.evaluations, observer)?,
        None => outcome,
    };
    Ok(Answered { scenario, plan, outcome })
}

/// What was asked for, with the mappings to compare: everything that fits where none is named.
fn plan(
    job: &Job,
    reorder_hosts: bool,
    search: &Search,
    common: &Common,
    files: &dyn Files,
) -> Result<(Scenario, Plan)> {
    let mut scenario = job.scenario(common)?;
    if let Some(terms) = &search.objective {
        scenario = scenario.objective(terms);
    }
    scenario.limits.reorder_hosts |= reorder_hosts;
    let plan = Plan::new(&scenario, files)?;
    let plan = compared(&scenario, plan)?;
    Ok((scenario, plan))
}

/// With all that fits where no mapping is named, or only `best`, which is the same.
pub(crate) fn compared(scenario: &Scenario, plan: Plan) -> Result<Plan> {
    match &scenario.mappings[..] {
        [] => plan.with_portfolio(),
        [only] if only.spec() == "best" => plan.with_portfolio(),
        _ => Ok(plan),
    }
}

/// Longer comparisons than people expect, in seconds.
const LONG: f64 = 5.0;

/// Says what comparing everything takes where that is long.
pub(super) fn foretell(scenario: &Scenario, plan: &Plan) {
    let tasks = plan.demand.tasks();
    let seconds = some_time(tasks, plan.demand.pairs());
    if seconds > LONG && scenario.mappings.is_empty() {
        output::say(&format!(
            "{tasks} tasks: comparing everything takes about {seconds:.0} s of processor time; --mapping default,multilevel compares \
             just those"
        ));
    }
}

/// `rankfile=FILE`.
pub(super) fn export(text: &str) -> Result<(&'static Export, String)> {
    let place = Place::new("--export", 0);
    let Some((format, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
        return Err(Error::input(format!("`{text}` names no file")).at(&place).hint("write --export rankfile=FILE"));
    };
    let export = find("export", EXPORTS, &Params::new(format, place))?;
    Ok((export, path.to_string()))
}
