//! Inputs that a result carries with it, so that its page can be drawn where they are not.

use super::Disk;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use flate2::{Compression, write::GzEncoder};
use hopline::error::{Error, Result};
use hopline::files::{Files, Memory, unpack};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

/// What this process has read, by path, once it is to be kept.
static READ: Mutex<Option<BTreeMap<String, Vec<u8>>>> = Mutex::new(None);

/// From now on what is read is kept.
pub(crate) fn keep() {
    READ.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default();
}

/// Keeps what was read, where that is wanted.
pub(super) fn note(path: &str, bytes: &[u8]) {
    if let Some(read) = READ.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        read.entry(path.to_string()).or_insert_with(|| bytes.to_vec());
    }
}

/// What was read, packed with gzip and written in base64; none where it is not kept.
pub(crate) fn packed() -> Option<BTreeMap<String, String>> {
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let packed = |(path, bytes): (&String, &Vec<u8>)| {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        // Into memory nothing fails to be written.
        let _ = gzip.write_all(bytes);
        (path.clone(), BASE64_STANDARD.encode(gzip.finish().unwrap_or_default()))
    };
    read.as_ref().map(|read| read.iter().map(packed).collect())
}

/// The inputs of a result: those that it carries, else those of this machine.
pub(crate) struct Carried(Memory);

impl Carried {
    /// Those of a document. O(bytes).
    ///
    /// # Errors
    /// One of them is damaged, or they are larger than inputs may be.
    pub(crate) fn of(document: &Value) -> Result<Carried> {
        let mut files = BTreeMap::new();
        let mut left = Disk.most_bytes();
        for (path, packed) in document["inputs"].as_object().into_iter().flatten() {
            let place = format!("the result's `inputs`: {path}");
            let gzip = packed.as_str().and_then(|text| BASE64_STANDARD.decode(text).ok());
            let gzip = gzip.ok_or_else(|| Error::input(format!("{place}: no base64")).hint("run the command again"))?;
            let bytes = unpack(&place, gzip, left)?;
            left = left.saturating_sub(bytes.len() as u64);
            files.insert(path.clone(), bytes);
        }
        Ok(Carried(Memory(files)))
    }
}

impl Files for Carried {
    fn read(&self, path: &str) -> Result<Vec<u8>> {
        self.0.read(path).or_else(|_| Disk.read(path))
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        self.0.list(path).or_else(|| Disk.list(path))
    }

    fn fabric(&self, path: &str, text: String) -> Result<String> {
        Disk.fabric(path, text)
    }

    fn most_bytes(&self) -> u64 {
        Disk.most_bytes()
    }
}
