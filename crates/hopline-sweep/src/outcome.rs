//! What a sweep has come to: which columns are parameters, which are results, and a row for each point.

use crate::rows::{Row, rows};
use crate::store::{Plan, Planned, Record, Store};
use crate::units::unit;
use hopline::error::{Error, Result};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;

/// The points of a sweep with their results.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SweepOutcome {
    /// The command that was run at every point.
    pub runs: String,
    /// What was varied, in the order of the scenario: these keys of a point are its parameters.
    pub parameters: Vec<Parameter>,
    /// What was computed.
    pub results: Vec<Column>,
    /// What else the runs were about, such as the machine, the seed and the mapping where they are no parameters.
    pub settings: Vec<Column>,
    /// A row for each finished point, in the order of the grid or of what they were ranked by: its name, the version of the program that computed it, its
    /// parameters and its results. A run that is a list itself (loads, algorithms) has a row for each of its items.
    pub points: Vec<Row>,
    /// Points that are finished and did not fail.
    pub finished: usize,
    /// Points that are not finished.
    pub missing: usize,
    /// Points whose run failed.
    pub failed: usize,
    /// A row for each of those: its name, its parameters and its `error`.
    pub failures: Vec<Row>,
}

/// What was varied.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Parameter {
    /// Its key in `points`.
    pub name: String,
    /// Its unit; null where it has none.
    pub unit: Option<&'static str>,
    /// Its values, as they first come in the grid.
    pub values: Vec<serde_json::Value>,
}

/// What was computed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Column {
    /// Its key in `points`.
    pub name: String,
    /// Its unit; null where it has none.
    pub unit: Option<&'static str>,
}

/// Columns that say what a run was about.
const SETTINGS: [&str; 15] = [
    "point",
    "version",
    "fabric",
    "routing",
    "traffic",
    "tasks",
    "hosts",
    "unit",
    "seed",
    "mapping",
    "router",
    "inject",
    "model",
    "confidence",
    "operation",
];

/// What a sweep would compute, and what that may take. All of it is estimated.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DryRun {
    /// The command that would be run at every point.
    pub runs: String,
    /// A row for each point: its parameters, whether it is finished, and the seconds and bytes that it may take, null where
    /// nobody can tell.
    pub points: Vec<Row>,
    /// Points that are finished.
    pub finished: usize,
    /// Points to come.
    pub missing: usize,
    /// Seconds that these may take together on one thread; null where nobody can tell.
    pub estimated_seconds: Option<f64>,
    /// Bytes that the largest of them may take.
    pub estimated_bytes: u64,
    /// What times are estimated from.
    pub estimated_from: String,
}

impl JsonSchema for Row {
    fn schema_name() -> Cow<'static, str> {
        "Row".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "description": "Columns with their values: numbers, words, truth values or null." })
    }
}

/// The rows of a point: its name, the version, its parameters, then its results or its error.
pub(crate) fn point_rows(plan: &Plan, planned: &Planned, record: &Record) -> Result<Vec<Row>> {
    let mut head = Row::default();
    head.add("point", raw(&planned.name)?);
    if let Some(version) = record.document.as_deref().and_then(|d| serde_json::from_str::<Version<'_>>(d.get()).ok()) {
        head.add("version", version.version.to_owned());
    }
    for (name, value) in plan.parameters.iter().zip(&planned.values) {
        head.add(name, raw(value)?);
    }
    let Some(document) = &record.document else {
        head.add("error", raw(&record.error)?);
        return Ok(vec![head]);
    };
    let with_head = |own: Row| {
        let mut row = head.clone();
        own.0.into_iter().for_each(|cell| row.add(&cell.name, cell.value));
        row
    };
    Ok(rows(document).into_iter().map(with_head).collect())
}

#[derive(serde::Deserialize)]
struct Version<'a> {
    #[serde(borrow)]
    version: &'a RawValue,
}

/// A value as JSON.
///
/// # Errors
/// It has a map whose keys are no texts.
pub fn raw<T: Serialize>(value: &T) -> Result<Box<RawValue>> {
    to_raw_value(value).map_err(|e| Error::failed(format!("cannot write JSON: {e}")).caused_by(e))
}

/// Reads all points of a directory.
///
/// # Errors
/// It holds no sweep, or cannot be read.
pub fn outcome(store: &Store) -> Result<SweepOutcome> {
    let plan = Plan::read(store.dir())?;
    let mut outcome = SweepOutcome {
        parameters: parameters(&plan),
        runs: plan.command.clone(),
        results: Vec::new(),
        settings: Vec::new(),
        points: Vec::new(),
        finished: 0,
        missing: 0,
        failed: 0,
        failures: Vec::new(),
    };
    for planned in &plan.points {
        let Some(record) = store.record(&planned.name)? else {
            outcome.missing += 1;
            continue;
        };
        let rows = point_rows(&plan, planned, &record)?;
        if record.error.is_some() {
            outcome.failed += 1;
            outcome.failures.extend(rows);
        } else {
            outcome.finished += 1;
            outcome.points.extend(rows);
        }
    }
    let mut columns = Columns::default();
    outcome.points.iter().for_each(|row| columns.see(row));
    let of = |name: String| Column { unit: unit(&plan.command, &name), name };
    let others = columns.names.into_iter().filter(|name| !plan.parameters.contains(name)).map(of);
    (outcome.settings, outcome.results) = others.partition(|column| SETTINGS.contains(&column.name.as_str()));
    Ok(outcome)
}

fn parameters(plan: &Plan) -> Vec<Parameter> {
    let of = |(k, name): (usize, &String)| {
        let mut seen = std::collections::HashSet::new();
        let values = plan.points.iter().map(|point| &point.values[k]);
        let values = values.filter(|value| seen.insert(value.to_string())).cloned().collect();
        Parameter { name: name.clone(), unit: unit(&plan.command, name), values }
    };
    plan.parameters.iter().enumerate().map(of).collect()
}

/// Names of columns, as they first come.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    pub(crate) names: Vec<String>,
    known: std::collections::HashSet<String>,
}

impl Columns {
    pub(crate) fn see(&mut self, row: &Row) {
        for cell in &row.0 {
            if !self.known.contains(&cell.name) {
                self.known.insert(cell.name.clone());
                self.names.push(cell.name.clone());
            }
        }
    }
}
