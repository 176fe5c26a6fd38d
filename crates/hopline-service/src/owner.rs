//! Whose files are believed: this user's and root's, where nobody else can put others in their place. Inside a store no
//! link is followed.

use hopline::error::{Error, Result};
use rustix::fs::OFlags;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Others may write.
const OTHERS: u32 = 0o002;
/// The group may write, or others do anything.
const SHARED: u32 = 0o027;
/// Bytes of a secret that are read.
const MOST: u64 = 1 << 20;
/// In such a folder each may only rename and remove what is his own.
const STICKY: u32 = 0o1000;

/// Refuses a folder in which somebody else could put files in the place of ours. The folder
/// itself may be reached by a link.
///
/// # Errors
/// It is none, is somebody else's, or everybody may write to it.
pub(crate) fn folder(path: &Path) -> Result<()> {
    let found = fs::metadata(path).map_err(|e| Error::failed(format!("{}: {e}", path.display())))?;
    if !found.is_dir() {
        return Err(Error::input(format!("{}: no folder", path.display())));
    }
    own(path, &found)?;
    if found.mode() & OTHERS != 0 && found.mode() & STICKY == 0 {
        return Err(Error::input(format!("{}: everybody may write there", path.display()))
            .hint(format!("`chmod o-w {}` ends that", path.display())));
    }
    Ok(())
}

/// Makes a folder for its owner alone, where there is none yet; one that is there keeps its mode.
///
/// # Errors
/// It cannot be made, or is none to be trusted.
pub(crate) fn create(path: &Path) -> Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|e| Error::failed(format!("{}: {e}", path.display())))?;
    folder(path)
}

/// Refuses what is no folder inside a store, such as a link to one elsewhere.
///
/// # Errors
/// It is not there, no folder, or somebody else's.
pub(crate) fn inner(path: &Path) -> Result<()> {
    let found = fs::symlink_metadata(path).map_err(|e| Error::failed(format!("{}: {e}", path.display())))?;
    if !found.is_dir() {
        return Err(Error::input(format!("{}: no folder, and no link is followed in a store", path.display())));
    }
    own(path, &found)
}

/// The bytes of a file of a store.
///
/// # Errors
/// It cannot be read, is a link or no file, somebody else's, or longer than `most`.
pub(crate) fn bytes(path: &Path, most: u64) -> Result<Vec<u8>> {
    let failed = |e: std::io::Error| Error::failed(format!("{}: {e}", path.display()));
    // Opening a pipe must not wait for its writer.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Err(e) if e.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            return Err(Error::input(format!("{}: a link, and none is followed in a store", path.display())));
        }
        opened => opened.map_err(failed)?,
    };
    let found = file.metadata().map_err(failed)?;
    own(path, &found)?;
    if !found.is_file() {
        return Err(Error::input(format!("{}: no regular file", path.display())));
    }
    let mut bytes = Vec::new();
    if file.take(most + 1).read_to_end(&mut bytes).map_err(failed)? as u64 > most {
        return Err(Error::input(format!("{}: too large, expected at most {most} bytes", path.display())));
    }
    Ok(bytes)
}

/// The same as text.
///
/// # Errors
/// Those of [`bytes`]; it is no UTF-8.
pub(crate) fn text(path: &Path, most: u64) -> Result<String> {
    String::from_utf8(bytes(path, most)?).map_err(|_| Error::input(format!("{}: no UTF-8", path.display())))
}

/// A file's text that nobody else may know.
///
/// # Errors
/// It cannot be read, is somebody else's, others may read it, or its group may change it.
pub(crate) fn secret(path: &Path) -> Result<String> {
    let failed = |e: std::io::Error| Error::failed(format!("{}: {e}", path.display()));
    let file = File::open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    own(path, &found)?;
    if !found.is_file() {
        return Err(Error::input(format!("{}: no regular file", path.display())));
    }
    if found.mode() & SHARED != 0 {
        let what =
            format!("{}: has mode {:04o}, and holds what others must not know", path.display(), found.mode() & 0o7777);
        return Err(Error::input(what).hint(format!("`chmod 600 {}`, or 640 for one group", path.display())));
    }
    let mut text = String::new();
    file.take(MOST).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

/// Refuses what belongs to somebody else.
///
/// # Errors
/// It does.
pub(crate) fn own(path: &Path, found: &Metadata) -> Result<()> {
    let user = rustix::process::geteuid().as_raw();
    if [0, user].contains(&found.uid()) {
        return Ok(());
    }
    let what = format!("{}: belongs to user {}, expected root or user {user}", path.display(), found.uid());
    Err(Error::input(what).hint("run the command as that user, or give the files to root"))
}
