//! `hopline fabric whatif`: one failure, or every single one.

use super::super::one_routing;
use crate::answer;
use crate::args::{Common, Job};
use crate::inputs::Disk;
use crate::progress::{Bar, Interrupt};
use hopline::error::{Error, Result};
use hopline::event::Observer;
use hopline::files::Files;
use hopline::plan::{Network, Plan};
use hopline::run::{self, Each, EachOutcome, WhatIfOutcome};
use hopline::scenario::Scenario;
use hopline_report as report;

/// The job; everybody to everybody where none is given.
fn scenario(job: &Job, common: &Common) -> Result<Scenario> {
    let scenario = job.scenario(common)?;
    one_routing(&scenario, "fabric whatif")?;
    match &scenario.traffic {
        Some(_) => Ok(scenario),
        None => scenario.traffic("alltoall"),
    }
}

/// What `--without` takes out.
pub(super) fn one(job: &Job, hottest: usize, common: &Common) -> Result<()> {
    let (asked, outcome) = evaluate_one(job, hottest, common, &Disk, &mut Bar::new())?;
    answer::outcome(common, Some(&asked), &outcome, report::whatif)
}

/// What was asked for, and its answer.
pub(super) fn evaluate_one(
    job: &Job,
    hottest: usize,
    common: &Common,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<(Scenario, WhatIfOutcome)> {
    let asked = scenario(job, common)?;
    if asked.without.is_empty() {
        return Err(Error::input("nothing is taken out")
            .hint("add --without SWITCH[PORT], --without SWITCH, or --each switch for every one in turn"));
    }
    // A named routing is for after the fault; before it the machine routes as it does.
    let mut whole = asked.clone().whole();
    whole.routings.clear();
    let (machine, broken) = (Plan::new(&whole, files)?, Plan::new(&asked, files)?);
    // Two routings are no measure of a fault: the whole machine is looked at under the second, too.
    let routing = &broken.network.routing_params;
    let alike = match routing.spec() == machine.network.routing_spec() {
        true => None,
        false => {
            whole.routings.push(routing.clone());
            Some(Plan::new(&whole, files)?)
        }
    };
    let outcome = run::whatif(&machine, alike.as_ref(), &broken, hottest, observer)?;
    Ok((asked, outcome))
}

/// What every single failure costs; before it and after the machine routes as it is assumed to after a fault.
pub(super) fn each(job: &Job, each: Each, list: usize, hottest: usize, common: &Common) -> Result<()> {
    let interrupt = Interrupt::listen()?;
    let (scenario, outcome) = evaluate_each(job, each, hottest, common, &Disk, &mut Bar::new().or(&interrupt))?;
    answer::outcome(common, Some(&scenario), &outcome, |o| report::each(o, list))
}

/// What was asked for, and its answer.
pub(super) fn evaluate_each(
    job: &Job,
    each: Each,
    hottest: usize,
    common: &Common,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<(Scenario, EachOutcome)> {
    let scenario = scenario(job, common)?;
    if !scenario.without.is_empty() {
        return Err(Error::input("`--each` starts from a whole machine, and the scenario takes parts out")
            .at(&scenario.without[0].1)
            .hint("leave `without` out"));
    }
    let plan = Plan::with_network(&scenario, files, Network::as_after_faults(&scenario, files)?)?;
    let outcome = run::each(&plan, each, hottest, observer)?;
    Ok((scenario, outcome))
}
