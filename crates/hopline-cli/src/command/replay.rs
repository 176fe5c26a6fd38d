//! `hopline replay`.

use super::{check, one_routing};
use crate::answer;
use crate::args::{Common, Job, ReplayArgs, with_schedule};
use crate::inputs::Disk;
use crate::output;
use crate::progress::Bar;
use hopline::error::{Error, Place, Result};
use hopline::event::Observer;
use hopline::files::{Files, read_text};
use hopline::params::Params;
use hopline::plan::Plan;
use hopline::run::{self, ReplayOptions, ReplayOutcome};
use hopline::scenario::Scenario;
use hopline::schedule::msccl::MscclOutcome;
use hopline::schedule::trace::goal;
use hopline_bounds::CheckedOutcome;
use hopline_report as report;
use std::process::ExitCode;

pub(super) fn run(job: &Job, args: &ReplayArgs, common: &Common) -> Result<ExitCode> {
    if args.check {
        let found = checked(job, args, common, &Disk)?;
        if !found.is_right() {
            answer::outcome(common, None, &CheckedOutcome::new(found.clone()), report::checked)?;
            return Ok(check::code(&found));
        }
        output::say(&format!("{}: {}", found.file, found.verdict.sentence));
    }
    let (scenario, outcome) = evaluate(job, args, common, &Disk, &mut Bar::new())?;
    answer::outcome(common, Some(&scenario), &outcome, report::replay)?;
    Ok(ExitCode::SUCCESS)
}

/// Whether the schedule is right, where it says what it carries.
fn checked(job: &Job, args: &ReplayArgs, common: &Common, files: &dyn Files) -> Result<MscclOutcome> {
    let scenario = job.scenario(common)?;
    let scenario = match &args.schedule {
        Some(spec) => with_schedule(scenario, spec)?,
        None => scenario,
    };
    let path =
        scenario.schedule.filter(is_program).and_then(|mut schedule| schedule.take::<String>("file").ok().flatten());
    let path = path.ok_or_else(|| {
        Error::input("this schedule does not say what its messages carry, so that nothing can be checked")
            .at(&Place::new("--check", 0))
            .hint("msccl:file=... and teccl:file=... do")
    })?;
    Ok(check::checked(&path, &read_text(files, &path)?)?.0)
}

/// Programs for connections, which say what their messages carry.
fn is_program(schedule: &Params) -> bool {
    matches!(schedule.kind(), "msccl" | "teccl")
}

/// What was asked for, and its answer; writes the schedule where that is asked for.
pub(super) fn evaluate(
    job: &Job,
    args: &ReplayArgs,
    common: &Common,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<(Scenario, ReplayOutcome)> {
    let mut scenario = job.scenario(common)?;
    if let Some(spec) = &args.schedule {
        scenario = with_schedule(scenario, spec)?;
    }
    if scenario.mappings.len() > 1 {
        return Err(Error::input("`hopline replay` takes one mapping"));
    }
    one_routing(&scenario, "replay")?;
    let (params, mut model) = args.model.model(&scenario)?;
    if scenario.schedule.as_ref().is_some_and(is_program) {
        check::as_connections(&mut model, &params);
    }
    let (plan, schedule) = Plan::for_schedule_within(&scenario, files, model.limit)?;
    let schedule = match args.iterations {
        Some(times) => schedule.repeat(times)?,
        None => schedule,
    };
    if let Some(path) = &args.write {
        let bytes = match path.ends_with(".bin") {
            true => goal::binary::write(&schedule)?,
            false => goal::write(&schedule).into_bytes(),
        };
        output::save(&[(path, bytes)])?;
        output::say(&format!("wrote {path}"));
    }
    let options = ReplayOptions { bin: args.bin, watch: args.watch.clone(), critical: args.critical };
    let outcome = run::replay(&plan, &schedule, (&model, &params.given()), &options, observer)?;
    scenario.replay = Some(params);
    Ok((scenario, outcome))
}
