//! Pages: a result's document, and the job behind it, which is computed again where only the document is there.

mod draw;

use crate::output;
use hopline::error::Result;
use hopline::plan::Plan;
use hopline::run::{LoadOutcome, MapOutcome};
use hopline_report::{self as report, Source, View};
use serde_json::{Value, json};

/// A job with the loads under one mapping, or under two to compare.
pub(crate) struct Job {
    pub(crate) plan: Plan,
    pub(crate) views: Vec<View>,
    /// What no mapping can go below.
    pub(crate) bound: Option<f64>,
}

/// What a page shows of one result.
pub(crate) struct Shown {
    pub(crate) document: Value,
    /// The job behind it, none where there is none; or why it cannot be drawn.
    pub(crate) job: std::result::Result<Option<Job>, String>,
}

impl Shown {
    /// A document with what can be computed from its scenario.
    pub(crate) fn of(mut document: Value) -> Shown {
        let job = draw::job(&document).map_err(|e| e.to_string());
        if let (Ok(Some(job)), Some("flits")) = (&job, document["command"].as_str()) {
            document["analytic_limit"] = json!(draw::limit(job));
        }
        Shown { document, job }
    }
}

/// A job under the mapping that was looked at.
pub(crate) fn loaded(plan: Plan, outcome: &LoadOutcome) -> Result<Job> {
    let views = vec![View::new(&plan, &outcome.mapping, &outcome.chosen, &*plan.network.routing)?];
    Ok(Job { plan, views, bound: None })
}

/// A job under the first mapping and under the best of several.
pub(crate) fn compared(plan: Plan, outcome: &MapOutcome) -> Result<Job> {
    let (first, best) = (&outcome.candidates[0], &outcome.best);
    draw::views(plan, (&first.mapping, &first.chosen), (&best.mapping, &best.chosen), &best.routing, best.bound)
}

/// Writes the page of these results, whole or not at all.
pub(crate) fn write(path: &str, shown: Vec<Shown>) -> Result<()> {
    let sources: Vec<Source<'_>> = shown
        .iter()
        .map(|s| {
            let job = s.job.as_ref().ok().and_then(Option::as_ref);
            Source {
                document: s.document.clone(),
                job: job.map(|j| report::Job::new(&j.plan, &j.views, j.bound)),
                command: command(&s.document),
                missing: s.job.as_ref().err().cloned(),
            }
        })
        .collect();
    output::save(&[(path, report::page(&sources))])?;
    output::say(&format!("wrote {path}: open it in a browser, it needs no network"));
    Ok(())
}

/// The command line that makes a document again, as far as its scenario goes.
fn command(document: &Value) -> String {
    let (Some(command), Some(scenario)) = (document["command"].as_str(), document["scenario"].as_object()) else {
        return String::new();
    };
    let text = |v: &Value| match v {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        other => other.to_string(),
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
    let whole = scenario.keys().all(|key| keys.contains(&key.as_str()));
    if !whole || command == "collective" {
        return format!("hopline {command} scenario.toml    # the scenario is below");
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
