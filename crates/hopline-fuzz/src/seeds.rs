//! What targets begin from, and what was found once.

use crate::Target;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of the repository.
fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A file below `testdata/`, where it is there.
pub(crate) fn testdata(path: &str) -> Option<Vec<u8>> {
    fs::read(at("testdata").join(path)).ok()
}

/// The seeds of a target: those that it names, those of `crates/hopline-fuzz/seeds/NAME/`, and those that it makes.
///
/// # Panics
/// A file that it names is not there.
pub fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let named = target.seeds.iter().map(|seed| match seed.strip_prefix('=') {
        Some(text) => text.as_bytes().to_vec(),
        None => testdata(seed).unwrap_or_else(|| panic!("testdata/{seed} cannot be read")),
    });
    let kept = folder(&format!("crates/hopline-fuzz/seeds/{}", target.name));
    named.chain(kept.into_iter().map(|(_, bytes)| bytes)).chain((target.made)()).collect()
}

/// Bytes that once made a target panic, hang or take too much memory, with the names of their files.
pub fn found(target: &Target) -> Vec<(String, Vec<u8>)> {
    folder(&format!("crates/hopline-fuzz/found/{}", target.name))
}

fn folder(path: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(at(path)).into_iter().flatten().flatten();
    let mut files: Vec<(String, Vec<u8>)> = entries
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, fs::read(entry.path()).ok()?)))
        .collect();
    files.sort();
    files
}
