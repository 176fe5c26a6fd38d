//! The recording that stood where a new one goes: put aside until there is a new one.

use hopline::error::{Error, Result};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where it waits, in the recording's own directory.
const ASIDE: &str = ".earlier";

/// The streams of an earlier run, put aside: of more ranks they would stay among new ones.
pub(super) struct Earlier<'a> {
    dir: &'a Path,
}

impl Earlier<'_> {
    /// Puts aside what stands in a directory. What a run left there that was killed before its program recorded counts, too.
    ///
    /// # Errors
    /// It cannot be moved.
    pub(super) fn aside(dir: &Path) -> Result<Earlier<'_>> {
        let earlier = Earlier { dir };
        let aside = dir.join(ASIDE);
        if aside.is_dir() {
            if has_streams(dir) { earlier.forget()? } else { earlier.put_back()? }
        }
        if has_streams(dir) {
            fs::create_dir(&aside).and_then(|()| move_all(dir, &aside)).map_err(|e| failed(dir, &e))?;
        }
        Ok(earlier)
    }

    /// There is a new one: the earlier one goes.
    ///
    /// # Errors
    /// It cannot be removed.
    pub(super) fn forget(&self) -> Result<()> {
        match fs::remove_dir_all(self.dir.join(ASIDE)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(self.dir, &e)),
            _ => Ok(()),
        }
    }

    /// There is no new one: the earlier one comes back.
    ///
    /// # Errors
    /// It cannot be moved.
    pub(super) fn put_back(&self) -> Result<()> {
        let aside = self.dir.join(ASIDE);
        match aside.is_dir() {
            true => move_all(&aside, self.dir).and_then(|()| fs::remove_dir(&aside)).map_err(|e| failed(self.dir, &e)),
            false => Ok(()),
        }
    }
}

fn failed(dir: &Path, e: &io::Error) -> Error {
    Error::failed(format!("{}: {e}", dir.display()))
}

/// Streams and their tails.
fn is_stream(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("rank-") && (name.ends_with(".hop") || name.ends_with(".tail"))
}

/// The directory of a world that was spawned.
fn is_world(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("world-") && path.is_dir()
}

fn inside(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// True where a directory holds a recording, or the beginning of one.
pub(super) fn has_streams(dir: &Path) -> bool {
    inside(dir).iter().any(|path| is_stream(path) || is_world(path) && has_streams(path))
}

/// Moves streams; what is not ours stays, and its directory.
fn move_all(from: &Path, to: &Path) -> io::Result<()> {
    for path in inside(from) {
        let target = to.join(path.file_name().unwrap_or_default());
        if is_stream(&path) {
            fs::rename(&path, target)?;
        } else if is_world(&path) {
            fs::create_dir_all(&target)?;
            move_all(&path, &target)?;
            let _ = fs::remove_dir(&path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory with a recording and a file of somebody else's.
    fn recording(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("hopline-earlier-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join("world-1")).expect("a directory");
        for file in ["rank-0.hop", "rank-0.tail", "world-1/rank-0.hop", "notes.txt"] {
            fs::write(dir.join(file), file).expect("a file");
        }
        dir
    }

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            inside(dir).iter().map(|p| p.file_name().expect("name").to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    const ALL: [&str; 4] = ["notes.txt", "rank-0.hop", "rank-0.tail", "world-1"];

    #[test]
    fn an_earlier_recording_comes_back_where_there_is_no_new_one() {
        let dir = recording("back");
        let earlier = Earlier::aside(&dir).expect("moved");
        assert_eq!(names(&dir), [ASIDE, "notes.txt"]);
        earlier.put_back().expect("moved back");
        assert_eq!(names(&dir), ALL);
        assert_eq!(fs::read_to_string(dir.join("world-1/rank-0.hop")).expect("a stream"), "world-1/rank-0.hop");
        fs::remove_dir_all(dir).expect("removed");
    }

    #[test]
    fn it_goes_where_there_is_a_new_one() {
        let dir = recording("new");
        let earlier = Earlier::aside(&dir).expect("moved");
        fs::write(dir.join("rank-0.hop"), "new").expect("a stream");
        earlier.forget().expect("removed");
        assert_eq!(names(&dir), ["notes.txt", "rank-0.hop"]);
        fs::remove_dir_all(dir).expect("removed");
    }

    #[test]
    fn what_a_killed_run_put_aside_is_the_earlier_one() {
        let dir = recording("killed");
        Earlier::aside(&dir).expect("moved");
        let earlier = Earlier::aside(&dir).expect("moved again");
        assert_eq!(names(&dir), [ASIDE, "notes.txt"]);
        earlier.put_back().expect("moved back");
        assert_eq!(names(&dir), ALL);
        fs::remove_dir_all(dir).expect("removed");
    }
}
