//! The tables of a finished sweep, as files: the same bytes however often it was killed, and whoever computed what.

use crate::ordered::{line, object, word};
use crate::outcome::{Columns, point_rows};
use crate::rows::Row;
use crate::store::{Plan, Planned, Record, Store, replace};
use crate::values::written;
use hopline::error::{Error, Result};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::io;

/// Writes `results.jsonl`, `results.csv` and `costs.csv` where no point is missing; answers how many are.
///
/// A row has the point's name, the version of the program, parameters, results (or `error`), and its `scenario`: an object
/// in JSON lines, columns `scenario.KEY` in CSV.
///
/// # Errors
/// The directory holds no sweep, or cannot be read or written.
pub fn finish(store: &Store) -> Result<usize> {
    let plan = Plan::read(store.dir())?;
    let missing = plan.points.iter().filter(|point| store.state(&point.name).is_none()).count();
    if missing > 0 {
        return Ok(missing);
    }
    let mut columns = Columns::default();
    each_row(store, &plan, &mut |row, scenario| {
        columns.see(&flat(row, scenario));
        Ok(())
    })?;
    replace(&store.dir().join("results.jsonl"), |to| {
        each_row(store, &plan, &mut |mut row, scenario| {
            if let Some(scenario) = scenario {
                row.add("scenario", scenario.to_owned());
            }
            serde_json::to_writer(&mut *to, &row)?;
            to.write_all(b"\n")
        })
        .map_err(io::Error::other)
    })?;
    replace(&store.dir().join("results.csv"), |to| {
        to.write_all(line(columns.names.iter().map(String::as_str)).as_bytes())?;
        each_row(store, &plan, &mut |row, scenario| {
            let row = flat(row, scenario);
            let cells: HashMap<&str, &RawValue> = row.0.iter().map(|c| (c.name.as_str(), &*c.value)).collect();
            let cell = |name: &String| cells.get(name.as_str()).and_then(|value| word(value)).unwrap_or_default();
            let words: Vec<String> = columns.names.iter().map(cell).collect();
            to.write_all(line(words.iter().map(String::as_str)).as_bytes())
        })
        .map_err(io::Error::other)
    })?;
    costs(store, &plan)?;
    Ok(0)
}

/// The rows of all points in the order of the grid, each with its scenario where it has one.
fn each_row(store: &Store, plan: &Plan, then: &mut dyn FnMut(Row, Option<&RawValue>) -> io::Result<()>) -> Result<()> {
    for planned in &plan.points {
        let Some(record) = store.record(&planned.name)? else { continue };
        for row in point_rows(plan, planned, &record)? {
            then(row, scenario(&record)).map_err(|e| Error::failed(e.to_string()).caused_by(e))?;
        }
    }
    Ok(())
}

fn scenario(record: &Record) -> Option<&RawValue> {
    #[derive(serde::Deserialize)]
    struct Of<'a> {
        #[serde(borrow)]
        scenario: &'a RawValue,
    }
    serde_json::from_str::<Of<'_>>(record.document.as_deref()?.get()).ok().map(|of| of.scenario)
}

/// A row with the keys of its scenario as cells; lists of specs with commas between them.
fn flat(mut row: Row, scenario: Option<&RawValue>) -> Row {
    for (key, value) in scenario.and_then(object).unwrap_or_default().0 {
        let specs = serde_json::from_str::<Vec<String>>(value.get()).ok();
        let value = specs.and_then(|specs| serde_json::value::to_raw_value(&specs.join(",")).ok()).unwrap_or(value);
        row.add(&format!("scenario.{key}"), value);
    }
    row
}

/// What points took: parameters, seconds, threads, and the peak of the process that computed them.
fn costs(store: &Store, plan: &Plan) -> Result<()> {
    let costs = store.costs()?;
    replace(&store.dir().join("costs.csv"), |to| {
        let head = ["point"].into_iter().chain(plan.parameters.iter().map(String::as_str));
        to.write_all(line(head.chain(["seconds", "threads", "process_peak_bytes"])).as_bytes())?;
        for planned in &plan.points {
            to.write_all(cost_line(planned, costs.get(&planned.name)).as_bytes())?;
        }
        Ok(())
    })
}

fn cost_line(planned: &Planned, cost: Option<&crate::store::Cost>) -> String {
    let mut cells = vec![planned.name.clone()];
    cells.extend(planned.values.iter().map(written));
    match cost {
        Some(c) => cells.extend([format!("{:.6}", c.seconds), c.threads.to_string(), c.process_peak_bytes.to_string()]),
        None => cells.extend([String::new(), String::new(), String::new()]),
    }
    line(cells.iter().map(String::as_str))
}
