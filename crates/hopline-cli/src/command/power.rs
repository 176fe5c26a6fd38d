//! `hopline power`.

use super::Answered;
use crate::answer;
use crate::args::power::PowerArgs;
use crate::args::{Common, Job, with_schedule};
use crate::inputs::Disk;
use crate::output;
use crate::progress::Bar;
use hopline::error::{Error, Place, Result};
use hopline::event::Observer;
use hopline::files::Files;
use hopline::format::{Switched, ibportstate};
use hopline::id::LinkId;
use hopline::plan::Plan;
use hopline::power::Model;
use hopline::run::{self, Policies, PowerOptions, PowerOutcome};
use hopline_report as report;
use std::process::ExitCode;

pub(super) fn run(job: &Job, args: &PowerArgs, common: &Common) -> Result<ExitCode> {
    let export = args.export()?;
    let Answered { scenario, plan, outcome } = evaluate(job, args, common, &Disk, &mut Bar::new())?;
    if let Some(path) = export {
        write_script(&plan, &outcome, args.one_lane, path)?;
    }
    answer::outcome(common, Some(&scenario), &outcome, report::power)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn evaluate(
    job: &Job,
    args: &PowerArgs,
    common: &Common,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<Answered<PowerOutcome>> {
    let mut scenario = job.scenario(common)?;
    if let Some(spec) = &args.schedule {
        scenario = with_schedule(scenario, spec)?;
    }
    let params = args.model(&scenario)?;
    let model = Model::read(&params, files)?;
    let specs = args.policies()?;
    let (_, replayed) = args.replay.model(&scenario)?;
    let (plan, schedule) = match args.schedule.is_some() || (scenario.traffic.is_none() && scenario.schedule.is_some())
    {
        true => Plan::for_schedule_within(&scenario, files, replayed.limit)
            .map(|(plan, schedule)| (plan, Some(schedule)))?,
        false => (Plan::new(&scenario, files)?, None),
    };
    let schedule = match (schedule, args.iterations) {
        (Some(schedule), Some(times)) => Some(schedule.repeat(times)?),
        (schedule, _) => schedule,
    };
    let policies = match (schedule.as_ref(), specs.is_empty()) {
        (_, true) => None,
        (Some(schedule), _) => Some(Policies { specs, schedule, model: replayed, bin: args.bin }),
        (None, _) => {
            return Err(Error::input("a policy switches cables while a schedule runs, and no schedule is given")
                .hint("add a schedule such as --schedule milc:grid=4x4x4x4, or leave --policy out"));
        }
    };
    let given = params.given();
    let options = PowerOptions { keep: args.keep()?, list: args.list, policies: policies.as_ref() };
    let outcome = run::power(&plan, (&model, &given), &options, observer)?;
    scenario.power = Some(params);
    Ok(Answered { scenario, plan, outcome })
}

/// Writes what switches the cables of the only candidate.
fn write_script(plan: &Plan, outcome: &PowerOutcome, one_lane: bool, path: &str) -> Result<()> {
    let place = Place::new("--export ibportstate", 0);
    let [tried] = &outcome.candidates[..] else {
        return Err(Error::input(format!("{} candidates, expected one", outcome.candidates.len()))
            .at(&place)
            .hint("name one mapping and one routing"));
    };
    let narrow: &[LinkId] = if one_lane { &tried.idle_links } else { &[] };
    let switched = Switched { off: &tried.dark_links, narrow };
    let of = format!("{}, mapping {}, {} routing", plan.network.fabric.name(), tried.mapping, tried.routing);
    let script = ibportstate(&plan.network.fabric, switched, &of).map_err(|e| e.at(&place))?;
    output::save(&[(path, script)])?;
    output::say(&format!("wrote {path}: {} cables go off", tried.dark_cables));
    Ok(())
}
