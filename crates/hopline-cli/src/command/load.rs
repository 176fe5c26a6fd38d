//! `hopline load`.

use super::{Answered, one_routing};
use crate::answer;
use crate::args::{Common, GraphForm, Job};
use crate::inputs::Disk;
use crate::page;
use crate::progress::Bar;
use hopline::error::{Error, Result};
use hopline::event::Observer;
use hopline::files::Files;
use hopline::plan::Plan;
use hopline::run::{self, LoadOutcome};
use hopline_report as report;
use std::process::ExitCode;

pub(super) fn run(job: &Job, hottest: usize, exports: &[(GraphForm, String)], common: &Common) -> Result<ExitCode> {
    let Answered { scenario, plan, outcome } = evaluate(job, hottest, common, &Disk, &mut Bar::new())?;
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
    let scenario = job.scenario(common)?;
    if scenario.mappings.len() > 1 {
        return Err(Error::input("`hopline load` takes one mapping").hint("`hopline map` compares several"));
    }
    one_routing(&scenario, "load")?;
    let plan = Plan::new(&scenario, files)?;
    let outcome = run::load(&plan, hottest, observer)?;
    Ok(Answered { scenario, plan, outcome })
}
