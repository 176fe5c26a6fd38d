//! `hopline collective NAME --bound`.

use super::collective::no_root;
use super::{collective_exports, one_routing};
use crate::answer;
use crate::args::{CollectiveArgs, Common, Job, SwitchWord};
use crate::inputs::Disk;
use crate::progress::Bar;
use hopline::error::{Error, Place, Result};
use hopline::event::Observer;
use hopline::files::{Files, read_text};
use hopline::format::rank_links;
use hopline::format::tuning::{self, Decisions, Rule};
use hopline::mapping::Mapping;
use hopline::plan::Plan;
use hopline::run;
use hopline::scenario::Scenario;
use hopline::schedule::collective::{Keys, named, sized};
use hopline::schedule::msccl;
use hopline_bounds::{
    Asked, BoundOutcome, Network, OnRoutes, Operation, Sized, Switches, Tried, compare, compare_one_way, played,
};
use hopline_report as report;
use std::process::ExitCode;

pub(super) fn run(
    name: &str,
    job: &Job,
    args: &CollectiveArgs,
    exports: &[(&str, &str)],
    common: &Common,
) -> Result<ExitCode> {
    let Bounds { asked, placed, outcome } = evaluate(name, job, args, common, &Disk, &mut Bar::new())?;
    collective_exports::save(exports, |form| {
        let at = |e: Error| e.at(&Place::new(format!("--export {form}"), 0));
        written(form, placed.as_ref(), args.root, &outcome).map_err(at)
    })?;
    answer::outcome(common, Some(&asked), &outcome, report::bounds)?;
    Ok(ExitCode::SUCCESS)
}

/// What was asked for, its answer, and where the ranks are, unless the fabric has only links of one direction.
pub(super) struct Bounds {
    pub(super) asked: Scenario,
    placed: Option<(Plan, Mapping)>,
    pub(super) outcome: BoundOutcome,
}

pub(super) fn evaluate(
    name: &str,
    job: &Job,
    args: &CollectiveArgs,
    common: &Common,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<Bounds> {
    let operation = Operation::named(name).ok_or_else(|| {
        let known: Vec<&str> = Operation::ALL.iter().map(|operation| operation.name()).collect();
        Error::input(format!("no bound is known for `{name}`")).hint(format!("known are: {}", known.join(", ")))
    })?;
    let sizes = args.sizes()?;
    let asked = job.scenario(common)?;
    let is_given = |word| args.switches.contains(&word);
    let question = Asked {
        operation,
        root: args.root,
        sizes: &sizes,
        switches: Switches { copy: is_given(SwitchWord::Copy), reduce: is_given(SwitchWord::Reduce) },
        orders: orders(&args.order)?.then_some((args.evaluations, asked.seed)),
    };
    if let Some(network) = one_way(&asked, files)? {
        let refused = [
            ("--ranks", args.ranks.is_some()),
            ("--hosts", asked.hosts.is_some()),
            ("--routing", !asked.routings.is_empty()),
            ("--export", !args.export.is_empty()),
        ];
        if let Some((option, _)) = refused.iter().find(|(_, given)| *given) {
            let text =
                "a fabric with links of one direction has its own ranks, all of them and no hosts, and shortest ways";
            return Err(Error::input(text).at(&Place::new(*option, 0)).hint(format!("leave {option} out")));
        }
        let mut outcome = compare_one_way(&network.0, &network.1, &question)?;
        outcome.notes.extend(unused_root(operation, args.root));
        return Ok(Bounds { asked, placed: None, outcome });
    }
    let ranks = args.ranks.map_or(String::new(), |n| format!(":tasks={n}"));
    let scenario = asked.clone().traffic(&format!("alltoall{ranks}"))?;
    one_routing(&scenario, "collective")?;
    let plan = Plan::new(&scenario, files)?;
    let mapping = run::chosen(&plan, observer)?;
    let mut outcome = on_machine(&plan, &mapping, &question)?;
    outcome.notes.extend(unused_root(operation, args.root));
    Ok(Bounds { asked, placed: Some((plan, mapping)), outcome })
}

/// Says that an operation has no root, where one is given.
fn unused_root(operation: Operation, root: u32) -> Option<String> {
    (root > 0 && !operation.has_root()).then(|| no_root(operation.name(), root))
}

/// The answer for ranks where a mapping has put them, with what the plan assumed.
pub(super) fn on_machine(plan: &Plan, mapping: &Mapping, question: &Asked<'_>) -> Result<BoundOutcome> {
    let slots: Vec<_> = (0..mapping.tasks()).map(|rank| mapping.slot(rank)).collect();
    let mut outcome = compare(&plan.network, &slots, question)?;
    outcome.notes.extend(plan.notes.iter().cloned());
    Ok(outcome)
}

/// The ranks in the order of the best algorithm of the largest size for a launcher, the algorithms by size for a library's
/// decisions, or the best one of the largest size as a program; and what it is.
fn written(
    form: &str,
    placed: Option<&(Plan, Mapping)>,
    root: u32,
    outcome: &BoundOutcome,
) -> Result<(String, String)> {
    let largest = outcome.sizes.iter().max_by_key(|size| size.bytes).filter(|size| !size.tried.is_empty());
    let (Some((plan, mapping)), Some(largest)) = (placed, largest) else {
        return Err(Error::input("no algorithm was looked at, so that there is nothing to write"));
    };
    if let Some(launcher) = collective_exports::launcher(form) {
        let best = &largest.tried[0];
        let fits = |a: &&OnRoutes| a.algorithm == best.algorithm && a.order == best.order;
        let ranks = outcome.algorithms.iter().find(fits).and_then(|a| a.ranks.clone());
        let ranks = ranks.unwrap_or_else(|| (0..mapping.tasks()).collect());
        let slots = ranks.into_iter().map(|rank| mapping.slot(rank)).collect();
        let placement = Mapping::new(slots, &plan.network.fabric)?.placement(&plan.network.fabric, &plan.slots);
        return Ok((launcher.write(&placement)?, format!(": {} order, best with {}", best.order, best.algorithm)));
    }
    let operation = Operation::named(&outcome.operation);
    let rules = |size: &Sized| {
        let own = size.tried.iter().filter(|tried| tried.order == "default");
        let rule = |tried: &Tried| {
            let (algorithm, k) = played(operation?, &tried.algorithm)?;
            Some((Rule { from: size.bytes, algorithm: algorithm.into(), segment: 0, k }, tried.time_s))
        };
        own.filter_map(rule).collect::<Vec<_>>()
    };
    let rules_of_largest = rules(largest);
    let Some((best, _)) = rules_of_largest.iter().min_by(|a, b| a.1.total_cmp(&b.1)) else {
        return Err(Error::input(format!("none of the algorithms of {} is one that is written", outcome.operation))
            .hint("rank orders are (rankfile=FILE)"));
    };
    if form == collective_exports::MSCCL {
        let keys = Keys { root, k: best.k, ..sized(largest.bytes, 1) };
        let text = msccl::write(&named(&best.algorithm)?, &keys, mapping.tasks())?;
        return Ok((
            text,
            format!(
                ": {}, best of those that can be written at {} bytes in the default order",
                best.algorithm, largest.bytes
            ),
        ));
    }
    let (of, sizes) = ((mapping.tasks(), plan.used_hosts()), outcome.sizes.iter().map(rules).collect());
    let decisions = Decisions::fastest(form, &outcome.operation, of, sizes)?;
    if outcome.algorithms.iter().all(|a| a.latency_s == 0.0) {
        return Err(Error::input(format!("the file for {form} would rest on messages without latency")).hint(
            "leave --bound out, and give --model what a message takes on your machine in ns, such as L=770,o=400",
        ));
    }
    Ok((tuning::write(form, &decisions)?, String::new()))
}

/// Whether better orders of the ranks are looked for, too.
fn orders(list: &str) -> Result<bool> {
    let words: Vec<&str> = list.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    if let Some(word) = words.iter().find(|word| !["default", "optimised"].contains(word)) {
        return Err(Error::input(format!("`{word}` is no order that is compared with a bound"))
            .at(&Place::new("--order", 0))
            .hint("default and optimised are; the others follow trees of messages"));
    }
    Ok(words.contains(&"optimised"))
}

/// The name and network of a file with links of one direction, which is no fabric for anything else.
pub(super) fn one_way(asked: &Scenario, files: &dyn Files) -> Result<Option<(String, Network)>> {
    let path = asked.topology.as_ref().filter(|topology| topology.kind() == "file").cloned();
    let Some(path) = path.and_then(|mut topology| topology.take::<String>("path").ok().flatten()) else {
        return Ok(None);
    };
    if files.list(&path).is_some() {
        return Ok(None);
    }
    let text = read_text(files, &path)?;
    if !rank_links::begins(&text) {
        return Ok(None);
    }
    let form = rank_links::read(&path, &text)?;
    if !form.is_one_way() {
        return Ok(None);
    }
    let links = form.links.iter().map(|&(from, to, bandwidth)| (from, to, bandwidth.as_bytes_s()));
    let network = Network::new(form.names.clone(), (0..form.ranks).collect(), links)?;
    Ok(Some((form.name, network)))
}
