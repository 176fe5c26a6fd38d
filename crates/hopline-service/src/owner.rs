//! Whose files are believed: this user's and root's, where nobody else can put others in their place.

use hopline::error::{Error, Result};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Others may write.
const OTHERS: u32 = 0o002;
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
