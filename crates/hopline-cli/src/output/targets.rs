//! The files that a command is to write: tried before its work, and never those that it reads.

use hopline::error::{Error, Place, Result};
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A file that is there and will be replaced.
struct Target {
    /// Its device and number: links lead to the same.
    file: (u64, u64),
    option: String,
}

/// What the command of this process replaces.
static TARGETS: Mutex<Vec<Target>> = Mutex::new(Vec::new());

fn with<T>(act: impl FnOnce(&mut Vec<Target>) -> T) -> T {
    act(&mut TARGETS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Files are guarded as long as this is there.
pub(crate) struct Targets;

impl Targets {
    /// Tries whether files can be written, each after the option that names it, and guards what they would replace.
    ///
    /// # Errors
    /// One of them has no folder, or two are the same.
    pub(crate) fn guard(files: &[(String, String)]) -> Result<Targets> {
        let targets = Targets;
        for (n, (option, path)) in files.iter().enumerate() {
            if path != "-" {
                check_folder(path)?;
                guard(option, path);
            }
            if let Some((other, _)) = files[..n].iter().find(|(_, other)| place(other) == place(path)) {
                return Err(Error::input(format!("{other} writes that file, too"))
                    .at(&Place::new(format!("{option} {path}"), 0))
                    .hint("give each a file of its own"));
            }
        }
        Ok(targets)
    }
}

/// Guards one more file, which stands beside one that an option names.
pub(crate) fn guard(option: &str, path: &str) {
    let target = file(path).map(|file| Target { file, option: option.to_string() });
    with(|targets| targets.extend(target));
}

impl Drop for Targets {
    fn drop(&mut self) {
        with(Vec::clear);
    }
}

/// A folder, as its device and number, and the name in it: what is written is renamed to that, be it a link now.
fn place(path: &str) -> (Option<(u64, u64)>, Option<&OsStr>) {
    let path = Path::new(path);
    let folder = std::fs::metadata(hopline_disk::folder_of(path)).ok();
    (folder.map(|about| (about.dev(), about.ino())), path.file_name())
}

/// Device and number of a regular file.
fn file(path: &str) -> Option<(u64, u64)> {
    let path = if path == "-" { "/dev/stdin" } else { path };
    std::fs::metadata(path).ok().filter(|about| about.is_file()).map(|about| (about.dev(), about.ino()))
}

/// Refuses to read a file that is to be written.
pub(crate) fn check_input(path: &str) -> Result<()> {
    with(|targets| {
        let Some(found) = (!targets.is_empty()).then(|| file(path)).flatten() else { return Ok(()) };
        match targets.iter().find(|target| target.file == found) {
            Some(Target { option, .. }) => {
                Err(Error::input(format!("{option} would replace this file, which is read"))
                    .at(&Place::new(path, 0))
                    .hint("write to another file"))
            }
            None => Ok(()),
        }
    })
}

/// Refuses a file whose folder is not there: better before long work than after it.
fn check_folder(path: &str) -> Result<()> {
    let folder = hopline_disk::folder_of(Path::new(path));
    match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(Error::failed(format!("{path}: {} is no folder", folder.display()))),
        Err(e) => Err(Error::failed(format!("{path}: {e}"))),
    }
}
