//! The files that a point was computed from.

use crate::name::digest;
use hopline::error::Result;
use hopline::files::{Disk, Files};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::time::SystemTime;

/// Paths with what was in them, as SHA-256; of a directory its names.
pub type Inputs = BTreeMap<String, String>;

/// What is known of a file: its length, when it was changed, and its digest.
type Known = (u64, Option<SystemTime>, String);

/// Digests of files, each read once for as long as it stays the same.
#[derive(Debug, Default)]
pub struct Digests(Mutex<HashMap<String, Known>>);

impl Digests {
    /// The digest of a file whose content may be at hand; of a directory that of its names; `None` where there is
    /// neither.
    fn of(&self, path: &str, content: Option<&[u8]>) -> Option<String> {
        let about = std::fs::metadata(path).ok()?;
        if about.is_dir() {
            return Disk.list(path).map(|names| digest(names.join("\n").as_bytes()));
        }
        let state = (about.len(), about.modified().ok());
        let mut known = self.0.lock().ok()?;
        if let Some((length, changed, digest)) = known.get(path)
            && (*length, *changed) == state
        {
            return Some(digest.clone());
        }
        let digest = match content {
            Some(bytes) => digest(bytes),
            None => digest(&Disk.read(path).ok()?),
        };
        known.insert(path.to_string(), (state.0, state.1, digest.clone()));
        Some(digest)
    }

    /// Whether all these files are as they were.
    pub fn still(&self, inputs: &Inputs) -> bool {
        inputs.iter().all(|(path, digest)| self.of(path, None).as_ref() == Some(digest))
    }
}

/// Files, and which of them were read.
pub struct Recorder<'a> {
    files: &'a dyn Files,
    digests: &'a Digests,
    seen: Mutex<Inputs>,
}

impl<'a> Recorder<'a> {
    /// Nothing read yet.
    pub fn new(files: &'a dyn Files, digests: &'a Digests) -> Recorder<'a> {
        Recorder { files, digests, seen: Mutex::new(Inputs::new()) }
    }

    /// What was read.
    pub fn inputs(self) -> Inputs {
        self.seen.into_inner().unwrap_or_default()
    }

    fn note(&self, path: &str, content: Option<&[u8]>) {
        if let (Some(digest), Ok(mut seen)) = (self.digests.of(path, content), self.seen.lock()) {
            seen.insert(path.to_string(), digest);
        }
    }
}

impl Files for Recorder<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>> {
        let content = self.files.read(path)?;
        self.note(path, Some(&content));
        Ok(content)
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        let names = self.files.list(path)?;
        self.note(path, None);
        Some(names)
    }

    fn fabric(&self, path: &str, text: String) -> Result<String> {
        self.files.fabric(path, text)
    }

    fn most_bytes(&self) -> u64 {
        self.files.most_bytes()
    }
}
