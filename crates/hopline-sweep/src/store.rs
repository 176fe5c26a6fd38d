//! A directory of results, written so that a kill at any moment loses what is under way and nothing else:
//!
//! ```text
//! DIR/sweep.json           the points in the order of the grid, with their names; replaced as a whole
//! DIR/points/WRITER.log    a line for each finished point, added by one process alone
//! DIR/begun/WRITER.txt     names of points that a process has begun; gone once it ends in order
//! DIR/costs/WRITER.jsonl   seconds and memory of each, which differ from run to run
//! DIR/results.jsonl, results.csv, costs.csv     the tables, once no point is missing
//! ```
//!
//! A line of a log begins with its checksum. What a kill has cut short, or a full disk, is no line, and its point is
//! computed again. No process writes to what another one writes to, so a directory on a network serves many machines
//! without locks; a point that two of them compute has two equal lines.

mod log;
mod plan;

pub use log::{Cost, Costs, Record, Writer};
pub use plan::{Plan, Planned};

use hopline::error::{Error, Result};
use log::Entry;
use std::collections::{HashMap, HashSet, hash_map};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What a directory holds.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    logs: Vec<PathBuf>,
    entries: HashMap<String, Entry>,
    /// Points that were under way when their process was lost, or still are.
    begun: HashSet<String>,
    /// Logs that are open, by number: opening one for each of its points would take long on a network.
    open: Mutex<HashMap<usize, fs::File>>,
}

/// Logs that are open at a time.
const MOST_OPEN: usize = 256;

impl Store {
    /// The directory with all its finished points; made where there is none.
    ///
    /// # Errors
    /// It cannot be made or read.
    pub fn open(dir: &str) -> Result<Store> {
        for inner in ["points", "begun", "costs"] {
            let path = Path::new(dir).join(inner);
            fs::create_dir_all(&path).map_err(|e| failed(&path, &e))?;
        }
        Store::read(dir)
    }

    /// The directory as it is.
    ///
    /// # Errors
    /// It is no directory of a sweep, or cannot be read.
    pub fn read(dir: &str) -> Result<Store> {
        let dir = PathBuf::from(dir);
        let points = dir.join("points");
        if !points.is_dir() {
            return Err(Error::input(format!("{}: no results of a sweep", dir.display()))
                .hint("`hopline sweep SCENARIO --out DIR` fills a directory"));
        }
        let mut store = Store {
            logs: files(&points, "log")?,
            begun: begun(&dir.join("begun"))?,
            dir,
            entries: HashMap::new(),
            open: Mutex::default(),
        };
        for (number, path) in store.logs.iter().enumerate() {
            log::scan(path, number, &mut store.entries)?;
        }
        Ok(store)
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether a point is finished, and whether it failed.
    pub fn state(&self, name: &str) -> Option<State<'_>> {
        self.entries.get(name).map(|entry| State { failed: entry.failed, inputs: &entry.inputs })
    }

    /// Whether a process began a point and did not end in order: it may be this point that took it down.
    pub fn is_suspect(&self, name: &str) -> bool {
        self.begun.contains(name) && self.entries.get(name).is_none_or(|entry| entry.failed)
    }

    /// A finished point.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn record(&self, name: &str) -> Result<Option<Record>> {
        let Some(entry) = self.entries.get(name) else { return Ok(None) };
        let path = &self.logs[entry.log];
        let mut open = self.open.lock().map_err(|_| Error::failed(format!("{}: cannot be read", path.display())))?;
        if !open.contains_key(&entry.log) && open.len() == MOST_OPEN {
            open.clear();
        }
        let file = match open.entry(entry.log) {
            hash_map::Entry::Occupied(file) => file.into_mut(),
            hash_map::Entry::Vacant(free) => free.insert(fs::File::open(path).map_err(|e| failed(path, &e))?),
        };
        log::record(path, file, entry).map(Some)
    }

    /// A log for what this process finishes.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn writer(&self) -> Result<Writer> {
        Writer::new(&self.dir)
    }

    /// Puts the logs of another directory beside its own.
    ///
    /// # Errors
    /// One cannot be copied.
    pub fn take(&self, other: &Store) -> Result<()> {
        for (inner, end) in [("points", "log"), ("costs", "jsonl")] {
            for path in files(&other.dir.join(inner), end)? {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_string();
                let bytes = fs::read(&path).map_err(|e| failed(&path, &e))?;
                replace(&self.dir.join(inner).join(name), |to| to.write_all(&bytes))?;
            }
        }
        Ok(())
    }

    /// What all points took, by name; what is known twice counts as it was last.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn costs(&self) -> Result<HashMap<String, Cost>> {
        let mut all = HashMap::new();
        for path in files(&self.dir.join("costs"), "jsonl")? {
            let text = fs::read_to_string(&path).map_err(|e| failed(&path, &e))?;
            // A line that was cut short is of no use.
            all.extend(
                text.lines().filter_map(|line| serde_json::from_str::<Costs>(line).ok()).map(|c| (c.point, c.cost)),
            );
        }
        Ok(all)
    }
}

/// The points that processes have begun, of those that have not ended.
fn begun(dir: &Path) -> Result<HashSet<String>> {
    let mut all = HashSet::new();
    for path in files(dir, "txt")? {
        match fs::read_to_string(&path) {
            Ok(text) => all.extend(text.lines().map(String::from)),
            // Its process has just ended.
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(failed(&path, &e)),
        }
    }
    Ok(all)
}

/// What is known of a finished point without reading it.
#[derive(Debug, Clone, Copy)]
pub struct State<'a> {
    /// Its run failed.
    pub failed: bool,
    /// The files that it was computed from.
    pub inputs: &'a crate::inputs::Inputs,
}

/// Files of a directory with this extension, by name.
fn files(dir: &Path, end: &str) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(failed(dir, &e)),
    };
    let mut all: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|path| path.extension().is_some_and(|own| own == end)).collect();
    all.sort();
    Ok(all)
}

/// Writes a file beside its place and moves it there: readers see the old one or the new one.
///
/// # Errors
/// It cannot be written.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> Result<()> {
    hopline_disk::replace(path, write).map_err(|e| failed(path, &e))
}

pub(crate) fn failed(path: &Path, e: &std::io::Error) -> Error {
    Error::failed(format!("{}: {e}", path.display()))
}
