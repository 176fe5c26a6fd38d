//! One point: computed, or why not.

use super::super::document::document;
use super::Sweep;
use super::swept::placed;
use crate::inputs::Disk;
use crate::output::spelled;
use hopline::error::{Error, Result};
use hopline::event::Silent;
use hopline_sweep::inputs::{Digests, Inputs, Recorder};
use hopline_sweep::store::{Cost, Record};
use serde_json::value::RawValue;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Computes a point. What goes wrong is its result: the others must not suffer from it.
pub(super) fn compute(sweep: &Sweep, number: usize, threads: usize, digests: &Digests) -> (Record, Cost) {
    let start = Instant::now();
    let recorder = Recorder::new(&Disk, digests);
    let answer = catch_unwind(AssertUnwindSafe(|| answer(sweep, number, &recorder)))
        .unwrap_or_else(|panic| Err(Error::failed(format!("the program failed: {}", words(&*panic)))));
    let record = record(&sweep.names[number], recorder.inputs(), answer);
    let cost = Cost { seconds: start.elapsed().as_secs_f64(), threads, process_peak_bytes: peak() };
    (record, cost)
}

fn answer(sweep: &Sweep, number: usize, files: &Recorder<'_>) -> Result<Box<RawValue>> {
    let request = sweep.grid.request(&sweep.points[number], &sweep.base)?;
    let args = sweep.swept.args(&request)?;
    let text = document(&args, files, &mut Silent).map_err(|e| placed(e, &request))?;
    RawValue::from_string(text).map_err(|e| Error::failed(format!("cannot write JSON: {e}")))
}

fn record(name: &str, inputs: Inputs, answer: Result<Box<RawValue>>) -> Record {
    let (document, error) = match answer {
        Ok(document) => (Some(document), None),
        Err(e) => (None, Some(spelled(&e))),
    };
    Record { point: name.to_string(), inputs, document, error }
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
}

/// Most memory of this process until now, on Linux; else 0.
fn peak() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()).map_or(0, |kilobytes| kilobytes * 1024)
}
