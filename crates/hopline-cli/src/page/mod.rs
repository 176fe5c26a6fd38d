//! Pages: a result's document, and the job behind it, which is computed again where only the document is there.

mod draw;
mod figure;

pub(crate) use figure::{Figure, SVG};

use crate::args::GraphForm;
use crate::inputs::Carried;
use crate::output;
use hopline::error::{Error, Result};
use hopline::fabric::Fabric;
use hopline::id::LinkId;
use hopline::mapping::{Mapping, without_budget};
use hopline::plan::Plan;
use hopline::power::Keep;
use hopline::routing::Routing;
use hopline::run::{LoadOutcome, MapOutcome};
use hopline_report::{self as report, Source, Text, View};
use serde_json::{Value, json};
use std::io::{self, Read};
use std::sync::{Arc, OnceLock};

/// A job under one mapping, or under two to compare.
pub(crate) struct Job {
    pub(crate) plan: Plan,
    placed: Vec<Placed>,
    /// The loads under each, once somebody asks.
    views: OnceLock<Vec<View>>,
    /// What no mapping can go below.
    bound: Option<f64>,
}

/// A mapping, and the routing that it is looked at under.
struct Placed {
    name: String,
    chosen: Mapping,
    routing: String,
    state: State,
}

/// What is missing from the machine.
enum State {
    Whole,
    /// These links are to fail.
    Failing(Vec<LinkId>),
    /// They have failed: the job on what is left, and what its links are on the whole machine.
    Failed {
        plan: Box<Plan>,
        kept: Vec<LinkId>,
        gone: Vec<LinkId>,
    },
    /// Cables that the job does not use are off.
    Dimmed(Keep),
}

impl Job {
    fn new(plan: Plan, bound: Option<f64>) -> Job {
        Job { plan, placed: Vec::new(), views: OnceLock::new(), bound }
    }

    fn add(&mut self, mapping: &str, chosen: &Mapping, routing: &str) {
        self.add_in(State::Whole, mapping, chosen, routing);
    }

    fn add_in(&mut self, state: State, mapping: &str, chosen: &Mapping, routing: &str) {
        let (name, routing) = (without_budget(mapping), routing.to_string());
        self.placed.push(Placed { name, chosen: chosen.clone(), routing, state });
    }

    /// The routing of a spec.
    fn routing(&self, spec: &str) -> &dyn Routing {
        let way = self.plan.routings().find(|way| way.0.spec() == spec);
        way.map_or(&*self.plan.network.routing, |way| way.1)
    }

    /// What a mapping does to every link, with what is missing; `known` where that is computed.
    fn view(&self, placed: &Placed, known: Option<&View>, tasks: bool) -> Result<View> {
        let (plan, routing) = match &placed.state {
            State::Failed { plan, .. } => (&**plan, &*plan.network.routing),
            _ => (&self.plan, self.routing(&placed.routing)),
        };
        let view = match known {
            Some(view) => view.clone(),
            None => View::new(plan, &placed.name, &placed.chosen, routing)?,
        };
        let view = if tasks { view.with_tasks(plan, routing)? } else { view };
        let fabric = &*self.plan.network.fabric;
        Ok(match &placed.state {
            State::Whole => view,
            State::Failing(links) => view.failing(fabric, links),
            State::Failed { kept, gone, .. } => view.on_whole(fabric, kept).failing(fabric, gone),
            State::Dimmed(keep) => view.dimmed(fabric, *keep),
        })
    }

    /// The loads.
    pub(crate) fn views(&self) -> Result<&[View]> {
        if let Some(views) = self.views.get() {
            return Ok(views);
        }
        let views = self.placed.iter().map(|p| self.view(p, None, false)).collect::<Result<Vec<_>>>()?;
        Ok(self.views.get_or_init(|| views))
    }

    /// The loads with the tasks behind them.
    fn views_with_tasks(&self) -> Result<Vec<View>> {
        let known = |(k, p): (usize, &Placed)| {
            // Loads on what is left have other numbers of links.
            let known = self.views.get().and_then(|views| views.get(k));
            self.view(p, known.filter(|_| !matches!(p.state, State::Failed { .. })), true)
        };
        self.placed.iter().enumerate().map(known).collect()
    }

    /// Where tasks sit under the last mapping.
    pub(crate) fn mapping(&self) -> Option<&Mapping> {
        self.placed.last().map(|placed| &placed.chosen)
    }

    /// Its loads, drawn by the parts of a page.
    fn drawn<'a>(&'a self, views: &'a [View]) -> report::Job<'a> {
        report::Job::new(&self.plan, views, self.bound)
    }

    /// The fabric with its loads for graph tools.
    pub(crate) fn graph(&self, form: GraphForm) -> Result<String> {
        let drawn = self.drawn(self.views()?);
        Ok(match form {
            GraphForm::Dot => report::dot(&drawn),
            GraphForm::Graphml => report::graphml(&drawn),
        })
    }

    /// Its loads for a terminal.
    pub(crate) fn spread(&self) -> Result<Text> {
        Ok(report::spread(&self.drawn(self.views()?)))
    }
}

/// What a page shows of one result.
pub(crate) struct Shown {
    pub(crate) document: Value,
    /// The job behind it, none where there is none; or why it cannot be drawn.
    pub(crate) job: std::result::Result<Option<Job>, String>,
    /// The fabric, where it is drawn without a job.
    pub(crate) fabric: Option<Arc<Fabric>>,
    /// The fabric before, where two are compared.
    pub(crate) before: Option<Arc<Fabric>>,
}

impl Shown {
    /// A document with what can be computed from its scenario.
    pub(crate) fn of(mut document: Value) -> Shown {
        // Of flits its advice would be to simulate them, which is done.
        let is_simulated = document["command"] == "flits";
        let why = |e: Error| match std::error::Error::source(&e).and_then(|e| e.downcast_ref::<io::Error>()) {
            Some(cause) if cause.kind() == io::ErrorKind::NotFound => {
                format!("{}; with --with-inputs the JSON would hold its files", e.message())
            }
            _ if is_simulated => e.message().to_string(),
            _ => e.to_string(),
        };
        let files = match Carried::of(&document) {
            Ok(files) => files,
            Err(e) => return Shown { document, job: Err(why(e)), fabric: None, before: None },
        };
        let mut job = draw::job(&document, &files).map_err(why);
        if let (Ok(Some(job)), Some("flits")) = (&job, document["command"].as_str()) {
            document["analytic_limit"] = json!(draw::limit(job).ok().flatten());
        }
        let fabric = draw::fabric(&document, &files, matches!(job, Ok(Some(_)))).unwrap_or_else(|e| {
            job = Err(why(e));
            None
        });
        let before = draw::before(&document, &files).unwrap_or_default();
        Shown { document, job, fabric, before }
    }
}

/// A job under the mapping that was looked at.
pub(crate) fn loaded(plan: Plan, outcome: &LoadOutcome) -> Job {
    let mut job = Job::new(plan, None);
    job.add(&outcome.mapping, &outcome.chosen, &outcome.setting.routing);
    let view = View::loaded(&job.placed[0].name, &outcome.chosen, outcome.loads.clone());
    Job { views: vec![view].into(), ..job }
}

/// A job under the first mapping and under the best of several.
pub(crate) fn compared(plan: Plan, outcome: &MapOutcome) -> Job {
    let (first, best) = (&outcome.candidates[0], &outcome.best);
    let mut job = Job::new(plan, best.bound);
    if (&first.chosen, &first.routing) != (&best.chosen, &best.routing) {
        job.add(&first.mapping, &first.chosen, &first.routing);
    }
    job.add(&best.mapping, &best.chosen, &best.routing);
    job
}

impl Shown {
    fn views(&self) -> Result<Vec<View>> {
        match &self.job {
            Ok(Some(job)) => job.views_with_tasks(),
            _ => Ok(Vec::new()),
        }
    }

    fn source<'a>(&'a self, views: &'a [View]) -> Source<'a> {
        let job = self.job.as_ref().ok().and_then(Option::as_ref);
        let missing = self.job.as_ref().err().cloned();
        let (fabric, before) = (self.fabric.as_deref(), self.before.as_deref());
        Source { missing, fabric, before, ..source(&self.document, job, views) }
    }
}

/// A document with its job, where it has one.
fn source<'a>(document: &'a Value, job: Option<&'a Job>, views: &'a [View]) -> Source<'a> {
    let job = job.map(|job| job.drawn(views));
    Source { command: command(document), document, job, fabric: None, before: None, missing: None }
}

/// How a page begins.
pub(crate) const PAGE: &[u8] = b"<!DOCTYPE html>";

/// A page or a picture goes into a folder that is there, and replaces one of ours only: what stands there may be the scenario or the matrix that it shows.
pub(crate) fn check_target(path: &str, opening: &[u8]) -> Result<()> {
    if path == "-" {
        return Err(Error::input("a page goes to a file, not to `-`")
            .hint("give a name such as page.html; /dev/stdout is one, too"));
    }
    let Ok(file) = std::fs::File::open(path) else { return Ok(()) };
    if !file.metadata().is_ok_and(|m| m.is_file() && m.len() > 0) {
        return Ok(());
    }
    let mut start = Vec::new();
    match file.take(opening.len() as u64).read_to_end(&mut start) {
        Ok(_) if start == opening => Ok(()),
        _ => Err(Error::input(format!("`{path}` is there already, and was not written by a report"))
            .hint("choose another name, or remove that file")),
    }
}

/// Writes the fabric with its loads for graph tools.
pub(crate) fn export(job: &Job, exports: &[(GraphForm, String)]) -> Result<()> {
    if exports.is_empty() {
        return Ok(());
    }
    let texts = exports.iter().map(|(form, path)| Ok((path.as_str(), job.graph(*form)?)));
    let texts = texts.collect::<Result<Vec<_>>>()?;
    output::save(&texts)?;
    exports.iter().for_each(|(_, path)| output::say(&format!("wrote {path}: links with their loads")));
    Ok(())
}

/// One result shown by `show`, its job at hand or else computed again.
pub(crate) fn one(document: Value, job: Option<&Job>, show: impl Fn(&Source<'_>) -> String) -> Result<String> {
    let Some(job) = job else {
        let shown = Shown::of(document);
        let views = shown.views()?;
        return Ok(show(&shown.source(&views)));
    };
    let views = job.views_with_tasks()?;
    Ok(show(&source(&document, Some(job), &views)))
}

/// The page of these results.
pub(crate) fn text(shown: &[Shown]) -> Result<String> {
    let views = shown.iter().map(Shown::views).collect::<Result<Vec<_>>>()?;
    let sources: Vec<Source<'_>> = shown.iter().zip(&views).map(|(s, views)| s.source(views)).collect();
    Ok(report::page(&sources))
}

/// Writes the page of these results, whole or not at all.
pub(crate) fn write(path: &str, shown: Vec<Shown>) -> Result<()> {
    output::save(&[(path, text(&shown)?)])?;
    output::say(&format!("wrote {path}: open it in a browser, it needs no network"));
    Ok(())
}

/// The command line that makes a document again: what was typed, else what its scenario comes to.
fn command(document: &Value) -> String {
    let text = |v: &Value| match v {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    };
    let asked = document["asked"].as_array().map(Vec::as_slice).unwrap_or_default();
    let below = "    # the scenario is below";
    if !asked.is_empty() {
        let is_file = |word: &Value| word.as_str().is_some_and(|word| word.ends_with(".toml"));
        let mut line = "hopline".to_string();
        asked.iter().for_each(|word| {
            line.push(' ');
            line.push_str(&quoted(&text(word)));
        });
        if document["scenario"].is_object() && asked.iter().any(is_file) {
            line.push_str(below);
        }
        return line;
    }
    let (Some(command), Some(scenario)) = (document["command"].as_str(), document["scenario"].as_object()) else {
        return String::new();
    };
    let keys = [
        "topology",
        "routing",
        "traffic",
        "schedule",
        "mapping",
        "hosts",
        "objective",
        "pin",
        "forbid",
        "capacity",
        "seed",
    ];
    // What has no option of that name stands in the scenario below.
    if !scenario.keys().all(|key| keys.contains(&key.as_str())) {
        return format!("hopline {command} scenario.toml{below}");
    }
    let options = keys.into_iter().filter_map(|key| Some(format!(" --{key} {}", quoted(&text(scenario.get(key)?)))));
    format!("hopline {command}{}", options.collect::<String>())
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=:,./@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
