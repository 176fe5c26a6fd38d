//! `hopline collective check FILE`.

use super::{bound, one_routing};
use crate::answer;
use crate::args::{CheckArgs, Common};
use crate::inputs::Disk;
use crate::progress::Bar;
use hopline::error::{Error, Place, Result};
use hopline::event::Observer;
use hopline::files::{Files, read_text};
use hopline::params::Params;
use hopline::plan::Plan;
use hopline::replay::Model;
use hopline::run::{self, ReplayOptions};
use hopline::scenario::Scenario;
use hopline::schedule::msccl::{self, MscclOutcome};
use hopline::schedule::{Limit, teccl};
use hopline_bounds::{Asked, CheckedOutcome, Network, Operation, Routes, Switches, compare_one_way};
use hopline_report as report;
use std::process::ExitCode;

/// Exit code 3 where it is wrong.
pub(super) fn run(args: &CheckArgs, common: &Common) -> Result<ExitCode> {
    let (scenario, outcome) = evaluate(args, common, &Disk, &mut Bar::new())?;
    answer::outcome(common, scenario.as_ref(), &outcome, report::checked)?;
    Ok(code(&outcome.schedule))
}

/// The exit code of a verdict.
pub(super) fn code(outcome: &MscclOutcome) -> ExitCode {
    if outcome.is_right() { ExitCode::SUCCESS } else { ExitCode::from(3) }
}

/// A file of one of the forms that say what they carry, checked, and its form's name among the schedules.
///
/// # Errors
/// It is of neither form.
pub(super) fn checked(path: &str, text: &str) -> Result<(MscclOutcome, &'static str)> {
    if teccl::begins(text) {
        return Ok((teccl::check(path, text)?, "teccl"));
    }
    if !text.contains("<algo") {
        return Err(Error::input("neither MSCCL XML (an `<algo>`) nor TE-CCL's JSON (its `Flows`)")
            .at(&Place::new(path, 1))
            .hint("GOAL and other traces do not say what their messages carry"));
    }
    Ok((msccl::check(path, text), "msccl"))
}

/// Connections of the programs that are checked here hold any number of messages, unless somebody says from which size on these
/// wait for their receive.
pub(super) fn as_connections(model: &mut Model, given: &Params) {
    if given.place_of("S").is_none() {
        model.eager = u64::MAX;
    }
}

/// Timed where links have one direction, along which no packets are simulated.
fn on_one_way(
    mut outcome: CheckedOutcome,
    (name, network): (&str, &Network),
    operation: Operation,
    (form, text): (&str, &str),
    sizes: &[u64],
) -> Result<CheckedOutcome> {
    let (gpus, ranks) = (outcome.schedule.gpus as usize, network.size());
    if gpus != ranks {
        let note = format!("it was not timed on the fabric: it is of {gpus} GPUs, and the fabric has {ranks} ranks");
        outcome.schedule.notes.push(note);
        return Ok(outcome);
    }
    let made = if form == "teccl" { teccl::messages } else { msccl::messages };
    let mut routes = Routes::shortest(network);
    let time = |&bytes| routes.queued(&made(&outcome.schedule.file, text, bytes, Limit::default())?);
    let times = sizes.iter().map(time).collect::<Result<Vec<f64>>>()?;
    let question = Asked { operation, root: outcome.schedule.root, sizes, switches: Switches::default(), orders: None };
    let mut bound = compare_one_way(name, network, &question)?;
    bound.notes.push("its messages queue for the links of their ways, no packets are simulated".into());
    Ok(outcome.timed(bound, &times))
}

pub(super) fn evaluate(
    args: &CheckArgs,
    common: &Common,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<(Option<Scenario>, CheckedOutcome)> {
    let text = read_text(files, &args.file)?;
    let (found, form) = checked(&args.file, &text)?;
    let (mut outcome, sizes) = (CheckedOutcome::new(found), args.sizes()?);
    let operation = Operation::named(&outcome.schedule.collective);
    if !args.job.given() {
        return Ok((None, outcome));
    }
    let asked = args.job.add_to(Scenario::default(), common)?;
    one_routing(&asked, "collective check")?;
    if !outcome.schedule.is_right() {
        return Ok((Some(asked), outcome));
    }
    let Some(operation) = operation else {
        let note = format!("no bound is known for `{}`: it was not timed on the fabric", outcome.schedule.collective);
        outcome.schedule.notes.push(note);
        return Ok((Some(asked), outcome));
    };
    if let Some((name, network)) = bound::one_way(&asked, files)? {
        return Ok((Some(asked), on_one_way(outcome, (&name, &network), operation, (form, &text), &sizes)?));
    }
    let (params, mut model) = args.model.model(&asked)?;
    let given = params.given();
    as_connections(&mut model, &params);
    let (mut times, mut last) = (Vec::new(), None);
    for bytes in &sizes {
        let scenario = asked.clone().schedule(&format!("{form}:file=[{}],bytes={bytes}", args.file))?;
        let (plan, schedule) = match Plan::for_schedule_within(&scenario, files, model.limit) {
            Ok(made) => made,
            // The schedule is right, and this fabric is not for it: its place is the schedule that is made of the file here.
            Err(e) if e.place().is_some_and(|place| place.path == "schedule") => {
                outcome.schedule.notes.push(format!("it was not timed on the fabric: {}", e.message()));
                return Ok((Some(asked), outcome));
            }
            Err(e) => return Err(e),
        };
        let replayed = run::replay(&plan, &schedule, (&model, &given), &ReplayOptions::default(), observer)?;
        times.push(replayed.makespan_s);
        last = Some(plan);
    }
    let Some(plan) = last else { return Ok((Some(asked), outcome)) };
    let mapping = run::chosen(&plan, observer)?;
    let root = outcome.schedule.root;
    let question = Asked { operation, root, sizes: &sizes, switches: Switches::default(), orders: None };
    let bound = bound::on_machine(&plan, &mapping, &question)?;
    Ok((Some(asked), outcome.timed(bound, &times)))
}
