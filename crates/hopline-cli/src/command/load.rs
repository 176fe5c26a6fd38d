//! `hopline load`.

use super::{Answered, one_routing};
use crate::answer;
use crate::args::{Common, GraphForm, Job};
use crate::inputs::Disk;
use crate::page;
use crate::progress::Bar;
use crate::ranks;
use hopline::error::{Error, Result};
use hopline::event::Observer;
use hopline::files::Files;
use hopline::peers::agree;
use hopline::plan::Plan;
use hopline::run::{self, LoadOutcome};
use hopline::scenario::Scenario;
use hopline_report as report;
use std::process::ExitCode;

pub(super) fn run(job: &Job, hottest: usize, exports: &[(GraphForm, String)], common: &Common) -> Result<ExitCode> {
    let peers = ranks::peers()?;
    let (scenario, plan) = agree(&*peers, prepare(job, common, &Disk))?;
    let mut observer = if peers.rank() == 0 { Bar::new() } else { Bar::new().hidden() };
    let Some(outcome) = run::load_among(&plan, hottest, &*peers, &mut observer)? else {
        return Ok(ExitCode::SUCCESS);
    };
    drop(observer);
    let job = page::loaded(plan, &outcome);
    page::export(&job, exports)?;
    answer::job(common, &scenario, &outcome, report::load, job)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn evaluate(
    job: &Job,
    hottest: usize,
    common: &Common,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<Answered<LoadOutcome>> {
    let (scenario, plan) = prepare(job, common, files)?;
    let outcome = run::load(&plan, hottest, observer)?;
    Ok(Answered { scenario, plan, outcome })
}

/// What was asked for.
fn prepare(job: &Job, common: &Common, files: &dyn Files) -> Result<(Scenario, Plan)> {
    let scenario = job.scenario(common)?;
    if scenario.mappings.len() > 1 {
        return Err(Error::input("`hopline load` takes one mapping").hint("`hopline map` compares several"));
    }
    one_routing(&scenario, "load")?;
    let plan = Plan::new(&scenario, files)?;
    Ok((scenario, plan))
}
