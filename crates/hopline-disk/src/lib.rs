//! How Hopline writes files: beside their place, given to the disk, then renamed. Whoever reads sees the old file or the new
//! one, after a kill and after a loss of power, too.
//!
//! It has no dependencies, since the preloaded layer has it as well as the command.
//!
//! ```
//! let path = std::env::temp_dir().join(format!("hopline-disk-{}", std::process::id()));
//! hopline_disk::replace(&path, |to| to.write_all(b"whole"))?;
//! assert_eq!(std::fs::read(&path)?, b"whole");
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), std::io::Error>(())
//! ```

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Puts a file in place, whole. Its draft has a name that no other process has, on any machine.
///
/// # Errors
/// It cannot be written; what stood there stands, unless only the folder's entry could not be given to the disk.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    replace_by(path, &draft_of(path), write)
}

/// The same by a draft of this name: what a kill leaves is taken by the next one.
///
/// # Errors
/// Those of [`replace`].
pub fn replace_by(path: &Path, draft: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let written = create(draft, write).and_then(|()| fs::rename(draft, path)).and_then(|()| sync_folder_of(path));
    // What is left of it is of no use, and may be what fills the disk.
    written.inspect_err(|_| drop(fs::remove_file(draft)))
}

/// What could not be written.
#[derive(Debug)]
pub struct Failed {
    /// The file.
    pub path: PathBuf,
    /// The cause.
    pub cause: io::Error,
}

/// Puts several files in place: drafts of all first, then renames, so that a full disk changes none of them.
///
/// # Errors
/// The file and the cause; those before it are new where it was a rename that failed, else none is.
pub fn replace_all(files: &[(&Path, &[u8])]) -> Result<(), Failed> {
    let drafts: Vec<PathBuf> = files.iter().map(|(path, _)| draft_of(path)).collect();
    let each = |act: &dyn Fn(usize) -> io::Result<()>| {
        let failed = |at: usize, cause| Failed { path: files[at].0.to_path_buf(), cause };
        (0..files.len()).try_for_each(|at| act(at).map_err(|cause| failed(at, cause)))
    };
    let done = each(&|at| create(&drafts[at], |to| to.write_all(files[at].1)))
        .and_then(|()| each(&|at| fs::rename(&drafts[at], files[at].0)))
        .and_then(|()| each(&|at| sync_folder_of(files[at].0)));
    done.inspect_err(|_| drafts.iter().for_each(|draft| drop(fs::remove_file(draft))))
}

/// Makes a file, or empties the one that is there, and gives it to the disk. Whoever reads meanwhile sees a part of it.
///
/// # Errors
/// It cannot be written.
pub fn create(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut to = BufWriter::new(File::create(path)?);
    write(&mut to)?;
    to.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

/// Gives the entries of a folder to the disk.
///
/// # Errors
/// The folder cannot be opened, or the disk does not take it.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

fn sync_folder_of(path: &Path) -> io::Result<()> {
    sync_folder(folder_of(path))
}

/// The folder in which a file stands or will stand.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A name for a draft beside a file, which no other process has: `PATH.UNIQUE.part`.
pub fn draft_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{}.part", unique()));
    PathBuf::from(name)
}

/// Removes drafts of a file that were last written longer ago: whoever wrote them was killed. Also the only one that earlier
/// versions had, `PATH.part`. What cannot be removed stays. O(entries of the folder).
pub fn remove_drafts(path: &Path, older: Duration) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_draft = |found: &str| {
        let rest = found.strip_prefix(&*name).and_then(|rest| rest.strip_suffix(".part"));
        rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.').is_some_and(is_unique))
    };
    for entry in fs::read_dir(folder_of(path)).into_iter().flatten().flatten() {
        let written = entry.metadata().and_then(|about| about.modified()).ok();
        let is_old = written.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > older);
        if is_old && entry.file_name().to_str().is_some_and(is_draft) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a word has the form of [`unique`] ones.
fn is_unique(word: &str) -> bool {
    let numbers: Vec<&str> = word.split('-').collect();
    numbers.len() == 3 && numbers.iter().all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// A name that no other process has, later ones after earlier ones.
pub fn unique() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    format!("{now:032x}-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}
