//! What `hopline blame` has said of a fabric: answers in a folder of the store, a file each, named by when they were given.

use crate::{clock, owner};
use hopline::error::{Error, Result};
use hopline::files::{Disk, Files};
use serde_json::Value;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The folder in the store.
pub const FOLDER: &str = "blame";

/// Bytes of an answer.
const MOST: u64 = 64 << 20;

/// The form of an answer that is read.
const SCHEMA: &str = "hopline/blame/1";

/// An answer that was kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Blamed {
    /// The name of its file: `2026-11-25T13:45:00Z-123.json`.
    pub name: String,
    /// `blame`, `ambiguous`, `suspect`, `nothing` or `undetectable`.
    pub kind: String,
    /// The same in a sentence.
    pub sentence: String,
    /// The names of its suspects.
    pub suspects: Vec<String>,
    /// The whole answer, as JSON.
    pub text: String,
}

impl Blamed {
    /// Reads one; none where the file is not there, is no answer, or is one in a form of another version.
    pub fn read(store: &Path, name: &str) -> Option<Blamed> {
        owner::inner(&store.join(FOLDER)).ok()?;
        let text = owner::text(&store.join(FOLDER).join(name), MOST).ok()?;
        let answer: Value = serde_json::from_str(&text).ok()?;
        if answer.get("schema").is_some_and(|schema| schema != SCHEMA) {
            return None;
        }
        let word = |key: &str| Some(answer["verdict"][key].as_str()?.to_string());
        let suspects = answer["suspects"].as_array()?.iter().filter_map(|s| Some(s["name"].as_str()?.to_string()));
        Some(Blamed {
            name: name.to_string(),
            kind: word("kind")?,
            sentence: word("sentence")?,
            suspects: suspects.collect(),
            text,
        })
    }

    /// The last one of a store; what cannot be read is passed over.
    pub fn last(store: &Path) -> Option<Blamed> {
        names(store).iter().rev().find_map(|name| Blamed::read(store, name))
    }

    /// When it was given: `2026-11-25T13:45:00Z`.
    pub fn when(&self) -> &str {
        self.name.get(..20).unwrap_or(&self.name)
    }

    /// The same in seconds since 1970.
    pub fn seconds(&self) -> Option<u64> {
        clock::seconds(&self.name)
    }
}

/// Names of the answers of a store, the oldest first.
pub fn names(store: &Path) -> Vec<String> {
    let mut names = Disk.list(&store.join(FOLDER).to_string_lossy()).unwrap_or_default();
    names.retain(|name| name.ends_with(".json") && clock::seconds(name).is_some());
    names.sort();
    names
}

/// Where an answer of this time is kept.
pub fn path(store: &Path, time: SystemTime) -> PathBuf {
    let millis = time.duration_since(UNIX_EPOCH).map_or(0, |d| d.subsec_millis());
    store.join(FOLDER).join(format!("{}-{millis:03}.json", clock::utc(time)))
}

/// Makes the folder for answers in a store, and the store where there is none yet.
///
/// # Errors
/// It cannot be made, is somebody else's, or everybody may write to it.
pub fn folder(store: &Path) -> Result<()> {
    owner::create(store)?;
    let folder = store.join(FOLDER);
    fs::create_dir(&folder)
        .or_else(|e| if e.kind() == ErrorKind::AlreadyExists { Ok(()) } else { Err(e) })
        .map_err(|e| Error::failed(format!("{}: {e}", folder.display())))?;
    owner::inner(&folder)
}
