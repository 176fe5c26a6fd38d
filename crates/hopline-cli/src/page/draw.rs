//! The loads behind a document, from its scenario.

use super::{Job, State, loaded};
use crate::args::machine_params;
use crate::inputs::Carried;
use crate::progress::Bar;
use hopline::demand::Flows;
use hopline::error::{Error, Result};
use hopline::fabric::{Fabric, find_links};
use hopline::mapping::Mapping;
use hopline::plan::{Network, Plan};
use hopline::power::Keep;
use hopline::run::{self, LoadOutcome};
use hopline::scenario::Scenario;
use hopline_report::scenario_toml;
use rustc_hash::FxHashMap;
use serde_json::Value;
use std::sync::Arc;

/// The job of a document; none where it is about none, or its loads are not those of a mapping.
pub(super) fn job(document: &Value, files: &Carried) -> Result<Option<Job>> {
    let Some(scenario) = scenario(document)? else { return Ok(None) };
    match document["command"].as_str().unwrap_or("") {
        // Until cables fail they are there.
        "flits" if document["failure"].is_object() => alone(Plan::new(&scenario.whole(), files)?, document).map(Some),
        "load" | "flits" => alone(Plan::new(&scenario, files)?, document).map(Some),
        "power" => dimmed(&scenario, document, files).map(Some),
        "map" => compared(scenario, document, files).map(Some),
        "fabric whatif" => failing(&scenario, files).map(Some),
        "replay" => alone(Plan::for_schedule(&scenario, files)?.0, document).map(Some),
        _ => Ok(None),
    }
}

/// The fabric of a document that shows it without a job, or without that which it could not have; none where it does not.
/// What has no routing has links of one direction, which no picture shows.
pub(super) fn fabric(document: &Value, files: &Carried, has_job: bool) -> Result<Option<Arc<Fabric>>> {
    let shows = match document["command"].as_str().unwrap_or("") {
        "blame" | "fabric show" | "fabric diff" | "fabric route" | "fabric check" => true,
        "flits" => !has_job,
        "collective" => document["bound"].is_object() && document["routing"].is_string(),
        _ => false,
    };
    if !shows {
        return Ok(None);
    }
    let Some(scenario) = scenario(document)? else { return Ok(None) };
    Ok(Some(Network::new(&scenario, files)?.fabric))
}

/// The machine that another is compared with; none where that is a plan of cables, or somebody's without the words.
pub(super) fn before(document: &Value, files: &Carried) -> Result<Option<Arc<Fabric>>> {
    let asked = document["asked"].as_array().filter(|_| document["command"] == "fabric diff");
    let Some(path) = asked.and_then(|words| words.get(2)?.as_str()) else { return Ok(None) };
    let scenario = Scenario::on(machine_params(path)?);
    Ok(Some(Network::new(&scenario, files)?.fabric))
}

/// The scenario of a document; none where it has none with a machine.
fn scenario(document: &Value) -> Result<Option<Scenario>> {
    let whole = document["scenario"].get("topology").is_some();
    let Some(toml) = scenario_toml(document).filter(|_| whole) else { return Ok(None) };
    Scenario::from_toml("the scenario of the result", &toml).map(Some)
}

/// The job of a scenario, whose traffic may be what a schedule sends.
fn plan_of(scenario: &Scenario, files: &Carried) -> Result<Plan> {
    match scenario.traffic.is_none() && scenario.schedule.is_some() {
        true => Ok(Plan::for_schedule(scenario, files)?.0),
        false => Plan::new(scenario, files),
    }
}

/// The first mapping of a plan.
fn alone(plan: Plan, document: &Value) -> Result<Job> {
    // Routings that see the queues have no loads before a simulation.
    let outcome = run::load(&plan, 0, &mut Bar::new())?;
    if document["command"] == "load" {
        as_printed(document, &outcome)?;
    }
    Ok(Job { bound: document["bound"].as_f64(), ..loaded(plan, &outcome) })
}

/// The whole machine with what is to fail, and the job on what is left, where all of it still arrives.
fn failing(scenario: &Scenario, files: &Carried) -> Result<Job> {
    let on = |scenario: &Scenario| Plan::with_network(scenario, files, Network::as_after_faults(scenario, files)?);
    let whole = on(&scenario.clone().whole())?;
    let before = run::load(&whole, 0, &mut Bar::new())?;
    if scenario.without.is_empty() {
        return Ok(loaded(whole, &before));
    }
    let fabric = whole.network.fabric.clone();
    let gone = scenario.without.iter().map(|(word, _)| find_links(&fabric, word)).collect::<Result<Vec<_>>>()?.concat();
    let kept = fabric.link_ids().filter(|l| !gone.contains(l)).collect();
    let mut job = Job::new(whole, None);
    job.add_in(State::Failing(gone.clone()), "before", &before.chosen, &before.setting.routing);
    let plan = on(scenario)?;
    if let Ok(after) = run::load(&plan, 0, &mut Bar::new()) {
        let state = State::Failed { plan: Box::new(plan), kept, gone };
        job.add_in(state, "after", &after.chosen, &after.setting.routing);
    }
    Ok(job)
}

/// The first mapping of those that were looked at, and the one under which most is saved with its routing; cables that are
/// off are marked.
fn dimmed(scenario: &Scenario, document: &Value, files: &Carried) -> Result<Job> {
    let candidates = document["candidates"].as_array().map_or(&[][..], Vec::as_slice);
    let text = |c: &Value, key: &str| c[key].as_str().unwrap_or("").to_string();
    let saved = |c: &Value| c["machine_saving"].as_f64().unwrap_or(0.0);
    let Some(first) = candidates.first() else { return alone(plan_of(scenario, files)?, document) };
    let alike = candidates.iter().filter(|c| c["routing"] == first["routing"]);
    let best = alike.fold(first, |best, c| if saved(c) > saved(best) { c } else { best });
    let number = |key: &str| document["keep"][key].as_f64().unwrap_or(0.0);
    let is = |key: &str| document["keep"][key] == true;
    let keep = Keep { connected: is("connected"), spare: is("spare"), bisection: number("bisection") };
    let mut job = None;
    let mut shown = vec![first];
    shown.extend((best != first).then_some(best));
    for candidate in shown {
        let mapping = text(candidate, "mapping");
        let plan = plan_of(&scenario.clone().mappings(&mapping)?, files)?;
        let chosen = run::load(&plan, 0, &mut Bar::new())?.chosen;
        let job = job.get_or_insert_with(|| Job::new(plan, None));
        job.add_in(State::Dimmed(keep), &mapping, &chosen, &text(candidate, "routing"));
    }
    job.map_or_else(|| alone(plan_of(scenario, files)?, document), Ok)
}

/// The first mapping of a comparison, and where the best put the tasks.
fn compared(mut scenario: Scenario, document: &Value, files: &Carried) -> Result<Job> {
    let text = |pointer: &str| document.pointer(pointer).and_then(Value::as_str).unwrap_or("");
    let mapping = text("/candidates/0/mapping");
    if !mapping.is_empty() {
        scenario = scenario.mappings(mapping)?;
    }
    let plan = Plan::new(&scenario, files)?;
    let best = placed(&plan, &document["placement"])?;
    let first = run::load(&plan, 0, &mut Bar::new())?;
    as_printed(&document["candidates"][0], &first)?;
    let (before, after) = (text("/candidates/0/routing"), text("/best/routing"));
    let mut job = Job::new(plan, document["best"]["bound"].as_f64());
    if (&first.chosen, before) != (&best, after) {
        job.add(&first.mapping, &first.chosen, before);
    }
    job.add(text("/best/mapping"), &best, after);
    Ok(job)
}

/// What was printed is what the scenario gives now: the files that it names may have changed.
fn as_printed(printed: &Value, now: &LoadOutcome) -> Result<()> {
    let differs = |key: &str, now: f64| printed[key].as_f64().is_some_and(|old| (old - now).abs() > 1e-9 * old.abs());
    if differs("hop_bytes", now.summary.hop_bytes) || differs("max_load", now.summary.max_load) {
        return Err(Error::input("its files have changed since: they give other loads than the result has")
            .hint("run the command again"));
    }
    Ok(())
}

/// A mapping from the names of hosts and the slots on them.
fn placed(plan: &Plan, placement: &Value) -> Result<Mapping> {
    let fabric = &plan.network.fabric;
    let hosts = fabric.hosts();
    let wrong = || Error::input("the result's `placement` does not fit its scenario").hint("run the command again");
    let known: FxHashMap<&str, _> = (0..hosts.len()).map(hopline::id::HostId).map(|h| (hosts.name(h), h)).collect();
    let slot = |row: &Value| {
        let host = *known.get(row[0].as_str()?)?;
        hosts.slots_of(host).nth(row[1].as_u64()? as usize)
    };
    let rows = placement.as_array().ok_or_else(wrong)?;
    let slots = rows.iter().map(|row| slot(row).ok_or_else(wrong)).collect::<Result<Vec<_>>>()?;
    if slots.len() != plan.demand.tasks() as usize {
        return Err(wrong());
    }
    Mapping::new(slots, fabric)
}

/// The offered load, in flits per cycle of the endpoint that sends most, at which the busiest link is full; none where
/// no link carries anything. Every link takes one flit a cycle.
pub(super) fn limit(job: &Job) -> Result<Option<f64>> {
    let views = job.views()?;
    let Some(view) = views.first() else { return Ok(None) };
    let fabric = &job.plan.network.fabric;
    let flows = Flows::new(&job.plan.demand, &view.places(fabric), fabric);
    let mut sent = vec![0.0; fabric.endpoints() as usize];
    flows.entries.iter().for_each(|f| sent[f.source.index()] += f.amount);
    for block in &flows.blocks {
        let all: f64 = block.targets.iter().map(|t| f64::from(t.1)).sum();
        for &(v, tasks) in &block.sources {
            let own: f64 = block.targets.iter().filter(|t| t.0 == v).map(|t| f64::from(t.1)).sum();
            sent[v.index()] += f64::from(tasks) * (all - own) * block.amount;
        }
    }
    let most = sent.into_iter().fold(0.0, f64::max);
    let busiest = view.busiest_load();
    Ok((most > 0.0 && busiest > 0.0).then(|| most / busiest))
}
