//! Logs of finished points: a line each, with its checksum in front.

use super::failed;
use crate::inputs::Inputs;
use crate::name::digest;
use hopline::error::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A finished point.
#[derive(Debug, Serialize, Deserialize)]
pub struct Record {
    /// Its name.
    pub point: String,
    /// The files that it was computed from.
    #[serde(default, skip_serializing_if = "Inputs::is_empty")]
    pub inputs: Inputs,
    /// What the command prints as JSON; missing where the run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<Box<RawValue>>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What a point took. It differs from run to run, and is no part of the result.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Seconds from its start to its end.
    pub seconds: f64,
    /// Threads that worked on it.
    pub threads: usize,
    /// Most memory of the whole process until then, all points that ran beside it included; 0 where unknown.
    pub process_peak_bytes: u64,
}

/// The same with the point's name.
#[derive(Debug, Serialize, Deserialize)]
pub struct Costs {
    /// The point.
    pub point: String,
    /// What it took.
    #[serde(flatten)]
    pub cost: Cost,
}

/// Where the line of a point is.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) log: usize,
    at: u64,
    length: usize,
    pub(super) failed: bool,
    pub(super) inputs: Inputs,
}

/// Hexadecimal digits of a checksum.
const CHECK: usize = 16;

/// The JSON of a whole line, without its end.
fn body(line: &[u8]) -> Option<&[u8]> {
    let (check, body) = line.split_at_checked(CHECK + 1)?;
    (check[CHECK] == b' ' && digest(body).as_bytes()[..CHECK] == check[..CHECK]).then_some(body)
}

/// The points of a log. Of a point with several lines the last counts, but a failure never hides a result.
pub(super) fn scan(path: &Path, log: usize, entries: &mut HashMap<String, Entry>) -> Result<()> {
    let file = File::open(path).map_err(|e| failed(path, &e))?;
    let (mut from, mut at, mut line) = (BufReader::with_capacity(1 << 20, file), 0, Vec::new());
    loop {
        line.clear();
        let length = from.read_until(b'\n', &mut line).map_err(|e| failed(path, &e))?;
        if length == 0 {
            return Ok(());
        }
        let whole = line.strip_suffix(b"\n").and_then(body);
        if let Some(record) = whole.and_then(|body| serde_json::from_slice::<Record>(body).ok()) {
            let entry = Entry { log, at, length: length - 1, failed: record.error.is_some(), inputs: record.inputs };
            if !entry.failed || entries.get(&record.point).is_none_or(|known| known.failed) {
                entries.insert(record.point, entry);
            }
        }
        at += length as u64;
    }
}

/// Reads a point from its log.
pub(super) fn record(path: &Path, file: &mut File, entry: &Entry) -> Result<Record> {
    let mut line = vec![0; entry.length];
    let read = file.seek(SeekFrom::Start(entry.at)).and_then(|_| file.read_exact(&mut line));
    read.map_err(|e| failed(path, &e))?;
    let damaged = || Error::failed(format!("{}: changed while it was read", path.display()));
    body(&line).and_then(|body| serde_json::from_slice(body).ok()).ok_or_else(damaged)
}

/// Adds to a log of its own.
#[derive(Debug)]
pub struct Writer(Mutex<Files>);

#[derive(Debug)]
struct Files {
    points: (PathBuf, File),
    begun: (PathBuf, File),
    costs: (PathBuf, File),
    /// Why a line could not be written whole: it would spoil the next one.
    broken: Option<String>,
}

impl Writer {
    pub(super) fn new(dir: &Path) -> Result<Writer> {
        let name = hopline_disk::unique();
        let open = |path: PathBuf| match OpenOptions::new().append(true).create_new(true).open(&path) {
            Ok(file) => Ok((path, file)),
            Err(e) => Err(failed(&path, &e)),
        };
        let points = open(dir.join(format!("points/{name}.log")))?;
        let begun = open(dir.join(format!("begun/{name}.txt")))?;
        let costs = open(dir.join(format!("costs/{name}.jsonl")))?;
        Ok(Writer(Mutex::new(Files { points, begun, costs, broken: None })))
    }

    /// Says that a point begins, so that later processes know what this one was about if it is lost.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn begin(&self, point: &str) -> Result<()> {
        let mut files = self.0.lock().map_err(|_| lost())?;
        let (path, file) = &mut files.begun;
        file.write_all(format!("{point}\n").as_bytes()).map_err(|e| failed(path, &e))
    }

    /// Adds a finished point and what it took.
    ///
    /// # Errors
    /// It cannot be written: the disk is full, or gone.
    pub fn add(&self, record: &Record, cost: Cost) -> Result<()> {
        let json = |e: serde_json::Error| Error::failed(format!("cannot write JSON: {e}"));
        let body = serde_json::to_string(record).map_err(json)?;
        let line = format!("{} {body}\n", &digest(body.as_bytes())[..CHECK]);
        let costs = Costs { point: record.point.clone(), cost };
        let costs = serde_json::to_string(&costs).map_err(json)? + "\n";
        let mut files = self.0.lock().map_err(|_| lost())?;
        if let Some(why) = &files.broken {
            return Err(Error::failed(why.clone()));
        }
        let Files { points, costs: beside, broken, .. } = &mut *files;
        for ((path, file), line) in [(points, line), (beside, costs)] {
            file.write_all(line.as_bytes()).map_err(|e| {
                *broken = Some(format!("{}: {e}", path.display()));
                failed(path, &e)
            })?;
        }
        Ok(())
    }

    /// Waits until the disk has what was added; nothing is under way any more.
    ///
    /// # Errors
    /// It does not take it.
    pub fn finish(self) -> Result<()> {
        let Ok(files) = self.0.into_inner() else { return Ok(()) };
        let (begun, _) = &files.begun;
        fs::remove_file(begun).map_err(|e| failed(begun, &e))?;
        for (path, file) in [files.points, files.costs] {
            file.sync_all().map_err(|e| failed(&path, &e))?;
            // Nothing was missing, so nothing is in it.
            if file.metadata().is_ok_and(|about| about.len() == 0) {
                fs::remove_file(&path).map_err(|e| failed(&path, &e))?;
            }
        }
        Ok(())
    }
}

fn lost() -> Error {
    Error::failed("the log could not be written before")
}

#[cfg(test)]
mod tests {
    use super::super::Store;
    use super::*;

    fn scratch(name: &str) -> String {
        let dir = std::env::temp_dir().join(format!("hopline-store-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        dir.to_string_lossy().into_owned()
    }

    fn record(point: &str, document: Option<&str>) -> Record {
        let document = document.map(|d| RawValue::from_string(d.to_string()).expect("JSON"));
        let error = document.is_none().then(|| "it failed".to_string());
        Record { point: point.into(), inputs: Inputs::new(), document, error }
    }

    const COST: Cost = Cost { seconds: 0.5, threads: 1, process_peak_bytes: 7 };

    /// A log cut anywhere has all points whose lines are whole, and no other.
    #[test]
    fn what_is_cut_short_is_absent() {
        let dir = scratch("cut");
        let store = Store::open(&dir).expect("store");
        let writer = store.writer().expect("writer");
        for k in 0..3 {
            writer.add(&record(&format!("p{k}"), Some(&format!("{{\"n\":{k}}}"))), COST).expect("add");
        }
        writer.finish().expect("finish");
        let path = Store::read(&dir).expect("read").logs[0].clone();
        let whole = fs::read(&path).expect("log");
        for end in 0..=whole.len() {
            fs::write(&path, &whole[..end]).expect("cut");
            let store = Store::read(&dir).expect("read");
            let lines = whole[..end].iter().filter(|&&b| b == b'\n').count();
            let found = (0..3).filter(|k| store.state(&format!("p{k}")).is_some()).count();
            assert_eq!(found, lines, "cut at {end}");
            for k in 0..lines {
                let record = store.record(&format!("p{k}")).expect("record").expect("there");
                assert_eq!(record.document.expect("document").get(), format!("{{\"n\":{k}}}"));
            }
        }
        fs::remove_dir_all(&dir).expect("removed");
    }

    #[test]
    fn damaged_bytes_are_no_result_and_spoil_no_other() {
        let dir = scratch("damage");
        let store = Store::open(&dir).expect("store");
        let writer = store.writer().expect("writer");
        writer.add(&record("a", Some("{\"load\":0.125}")), COST).expect("add");
        writer.add(&record("b", Some("{}")), COST).expect("add");
        writer.finish().expect("finish");
        let path = Store::read(&dir).expect("read").logs[0].clone();
        let text = fs::read_to_string(&path).expect("log");
        fs::write(&path, text.replace("0.125", "0.625")).expect("damage");
        let store = Store::read(&dir).expect("read");
        assert!(store.state("a").is_none() && store.state("b").is_some());
        fs::remove_dir_all(&dir).expect("removed");
    }

    #[test]
    fn what_a_lost_process_had_begun_is_suspect_until_it_is_finished() {
        let dir = scratch("begun");
        let suspects = || ["a", "b"].map(|name| Store::read(&dir).expect("read").is_suspect(name));
        let writer = Store::open(&dir).expect("store").writer().expect("writer");
        writer.begin("a").and_then(|()| writer.begin("b")).expect("begun");
        writer.add(&record("a", Some("{}")), COST).expect("add");
        assert_eq!(suspects(), [false, true]);
        drop(writer);
        assert_eq!(suspects(), [false, true], "it was not ended in order");
        let writer = Store::open(&dir).expect("store").writer().expect("writer");
        writer.begin("b").expect("begun");
        writer.add(&record("b", None), COST).expect("add");
        writer.finish().expect("finish");
        assert_eq!(suspects(), [false, true], "it failed, and may do so again");
        fs::remove_dir_all(&dir).expect("removed");
    }

    #[test]
    fn a_failure_hides_no_result_and_a_result_replaces_a_failure() {
        let dir = scratch("twice");
        for documents in [[None, Some("{}")], [Some("{}"), None]] {
            for document in documents {
                let writer = Store::open(&dir).expect("store").writer().expect("writer");
                writer.add(&record("a", document), COST).expect("add");
                writer.finish().expect("finish");
            }
            assert!(!Store::read(&dir).expect("read").state("a").expect("there").failed);
            fs::remove_dir_all(&dir).expect("removed");
        }
    }
}
