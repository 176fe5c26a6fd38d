//! `hopline power`.

use crate::args::power::PowerArgs;
use crate::args::{Common, Job};
use crate::output;
use crate::progress::Bar;
use hopline::error::Result;
use hopline::files::Disk;
use hopline::plan::Plan;
use hopline::power::Model;
use hopline::{report, run};
use std::process::ExitCode;

pub(super) fn run(job: &Job, args: &PowerArgs, common: &Common) -> Result<ExitCode> {
    let mut scenario = job.scenario(common)?;
    if let Some(spec) = &args.schedule {
        scenario = scenario.schedule(spec)?;
    }
    let params = args.model(&scenario)?;
    let model = Model::read(&params)?;
    let plan = match args.schedule.is_some() || (scenario.traffic.is_none() && scenario.schedule.is_some()) {
        true => Plan::for_schedule(&scenario, &Disk)?.0,
        false => Plan::new(&scenario, &Disk)?,
    };
    let spec = params.spec();
    let given = spec.split_once(':').map_or("", |s| s.1);
    let outcome = run::power(&plan, (&model, given), args.keep()?, args.list, &mut Bar::new())?;
    output::outcome(common.format, &outcome, report::power)?;
    Ok(ExitCode::SUCCESS)
}
