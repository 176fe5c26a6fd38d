//! `hopline collective`.

use super::collective_exports::{self as exports, MSCCL, launcher, written};
use super::{bound, check, one_routing};
use crate::answer;
use crate::args::{Collective, CollectiveArgs, CollectiveCommand, Common, Job};
use crate::inputs::Disk;
use crate::progress::{Bar, Interrupt};
use hopline::entry::Listed as _;
use hopline::error::{Error, Result};
use hopline::event::Observer;
use hopline::files::Files;
use hopline::plan::Plan;
use hopline::run::{self, CollectiveOptions, CollectiveOutcome};
use hopline::scenario::Scenario;
use hopline::schedule::Bytes;
use hopline::schedule::collective::{Keys, Operation, named, one_core, sized};
use hopline_report as report;
use std::process::ExitCode;
use std::time::Instant;

pub(super) fn run(asked: &Collective, common: &Common) -> Result<ExitCode> {
    if let Some(CollectiveCommand::Check(checked)) = &asked.command {
        return check::run(checked, common);
    }
    let (name, job, args) = (name(asked), &asked.job, &asked.options);
    // A misspelt form must fail before the work, not after it.
    let exports = exports::asked(&args.export)?;
    if args.bound {
        return bound::run(name, job, args, &exports, common);
    }
    let (start, interrupt) = (Instant::now(), Interrupt::listen()?);
    let mut bar = Bar::new().or(&interrupt);
    let Answer { asked, plan, keys, outcome } = evaluate(name, job, args, common, &Disk, &mut bar)?;
    interrupt.tell(start, "the sizes that were done");
    export(&exports, &plan, &keys, &outcome)?;
    answer::outcome(common, Some(&asked), &outcome, report::collective)?;
    Ok(ExitCode::SUCCESS)
}

/// The operation or algorithm.
pub(super) fn name(asked: &Collective) -> &str {
    asked.name.as_deref().unwrap_or_default()
}

/// What was asked for, what was made of it, and its answer.
pub(super) struct Answer {
    pub(super) asked: Scenario,
    pub(super) plan: Plan,
    pub(super) keys: Keys,
    pub(super) outcome: CollectiveOutcome,
}

pub(super) fn evaluate(
    name: &str,
    job: &Job,
    args: &CollectiveArgs,
    common: &Common,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<Answer> {
    let words =
        |text: &str| text.split(',').map(|w| w.trim().to_string()).filter(|w| !w.is_empty()).collect::<Vec<_>>();
    let sizes = args.sizes()?;
    let algorithms = words(args.algorithm.as_deref().unwrap_or(""));
    let is_played = named(name).is_ok() || Operation::ALL.iter().any(|operation| operation.name() == name);
    if !is_played && hopline_bounds::Operation::named(name).is_some() {
        return Err(
            Error::input(format!("no algorithm here plays `{name}`")).hint("with --bound its least time is told")
        );
    }
    let compared = run::algorithms(name, &algorithms)?.1;
    let first = compared[0];
    let ranks = args.ranks.map_or(String::new(), |n| format!(",ranks={n}"));
    let asked = job.scenario(common)?;
    // The plan needs the pattern alone, not its size.
    let bytes = if first.entry().params.iter().any(|p| p.name == "bytes") { ":bytes=1" } else { ":repeat=1" };
    let scenario = asked.clone().schedule(&format!("{}{bytes}{ranks}", first.entry().name))?;
    one_routing(&scenario, "collective")?;
    let (params, model) = args.model.model(&scenario)?;
    let given = params.given();
    exports::check_latency(&exports::asked(&args.export)?, &given)?;
    let plan = Plan::for_schedule_within(&scenario, files, model.limit)?.0;
    let segment = match &args.segment {
        Some(text) => text.parse::<Bytes>().map_err(|e| Error::input(format!("--segment: {e}")))?.0,
        None => 0,
    };
    let cores = args.cores.unwrap_or_else(|| plan.cores());
    let (ranks, root, k) = (plan.demand.tasks(), args.root, args.k);
    if root >= ranks || k < 2 || cores == 0 || !ranks.is_multiple_of(cores) {
        let text = format!("root {root}, k {k} and {cores} cores do not fit {ranks} ranks");
        return Err(Error::input(text).hint("the root is a rank, k at least 2, and cores divide the ranks"));
    }
    let keys = Keys { root, k, segment, ..sized(0, cores) };
    // Who names a size of packets means it.
    let exact = given.split(',').any(|key| key.starts_with("packet="));
    let (orders, evaluations) = (words(&args.order), args.evaluations);
    let options = CollectiveOptions { sizes, orders, algorithms, keys, evaluations, exact };
    let mut outcome = run::collective(&plan, name, &options, (&model, &given), observer)?;
    // Nobody asked for one rank per host: what goes by hosts says that it could not.
    let by_hosts: Vec<&str> = compared.iter().filter(|a| a.needs_cores()).map(|a| a.entry().name).collect();
    if args.cores.is_none() && cores < plan.first_slots() && !by_hosts.is_empty() {
        let note = one_core(&by_hosts, plan.first_slots(), ranks);
        outcome.setting.notes.push(format!("{note}; give --cores, or --ranks that they divide"));
    }
    let has_root = compared.iter().any(|a| a.entry().params.iter().any(|p| p.name == "root"));
    if root > 0 && !has_root {
        outcome.setting.notes.push(no_root(name, root));
    }
    Ok(Answer { asked, plan, keys, outcome })
}

/// Says that a root changes nothing.
pub(super) fn no_root(name: &str, root: u32) -> String {
    format!("root {root} changes nothing: {name} has none")
}

/// Writes decision files and orders of ranks.
fn export(exports: &[(&str, &str)], plan: &Plan, keys: &Keys, outcome: &CollectiveOutcome) -> Result<()> {
    let order = |s: &run::CollectiveSize| {
        format!(": order {}, best of {} bytes with {}", s.best.order, s.bytes, s.best.algorithm)
    };
    let program = |s: &run::CollectiveSize| format!(": {}, best of {} bytes", s.best_default.algorithm, s.bytes);
    exports::save(exports, |form| {
        let what = match form {
            MSCCL => outcome.largest().map(program),
            form => launcher(form).and_then(|_| outcome.largest().map(order)),
        };
        Ok((written(form, plan, keys, outcome)?, what.unwrap_or_default()))
    })
}
