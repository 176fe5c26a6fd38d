//! `hopline load`.

use super::one_routing;
use crate::args::{Common, GraphForm, Job};
use crate::output;
use crate::page;
use crate::progress::Bar;
use hopline::error::{Error, Result};
use hopline::files::Disk;
use hopline::plan::Plan;
use hopline::run;
use hopline_report as report;
use std::process::ExitCode;

pub(super) fn run(job: &Job, hottest: usize, exports: &[(GraphForm, String)], common: &Common) -> Result<ExitCode> {
    let scenario = job.scenario(common)?;
    if scenario.mappings.len() > 1 {
        return Err(Error::input("`hopline load` takes one mapping").hint("`hopline map` compares several"));
    }
    one_routing(&scenario, "load")?;
    let plan = Plan::new(&scenario, &Disk)?;
    let outcome = run::load(&plan, hottest, &mut Bar::new())?;
    let job = page::loaded(plan, &outcome);
    page::export(&job, exports)?;
    output::job(common, &scenario, &outcome, report::load, job)?;
    Ok(ExitCode::SUCCESS)
}
