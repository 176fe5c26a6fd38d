//! The log of OpenSM, line by line as it grows.

use hopline::error::{Error, Result};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// What a line of the log means for the routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening {
    /// Something changed, and routes may change with it.
    Change,
    /// All tables are set.
    Up,
}

/// The meaning of a line, if it has one here.
pub fn happening(line: &str) -> Option<Happening> {
    const CHANGES: [&str; 6] = [
        "(Link state change)",
        "GID out of service",
        "GID in service",
        "drop_mgr_remove_port: Removed port",
        "state_mgr_report_new_ports: Discovered new port",
        // Our plugin's: examples/service/hopline_opensm.c.
        "hopline_opensm: heavy sweep",
    ];
    let said = line.split_once(" -> ")?.1.trim_end();
    if said == "SUBNET UP" {
        return Some(Happening::Up);
    }
    CHANGES.iter().any(|c| said.contains(c)).then_some(Happening::Change)
}

/// The most that is read of a log in one go.
const MOST: u64 = 1 << 20;

/// Reads what is appended to a log, also after it was rotated or cut.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    /// Inode and length when it was read last.
    seen: (u64, u64),
    /// The line that is not yet complete.
    partial: Vec<u8>,
}

impl Follower {
    /// Follows a log from its present end; it may appear later.
    ///
    /// # Errors
    /// It is there but cannot be read.
    pub fn new(path: PathBuf) -> Result<Follower> {
        let seen = match fs::metadata(&path) {
            Ok(meta) => (meta.ino(), meta.len()),
            Err(_) => (0, 0),
        };
        if seen.0 > 0 {
            File::open(&path).map_err(|e| Error::failed(format!("{}: {e}", path.display())))?;
        }
        Ok(Follower { path, seen, partial: Vec::new() })
    }

    /// What was appended since the last time. A log that cannot be read has no news.
    pub fn news(&mut self) -> Vec<Happening> {
        let Ok(meta) = fs::metadata(&self.path) else { return Vec::new() };
        if meta.ino() != self.seen.0 || meta.len() < self.seen.1 {
            // Another file, or the same one cut: from its beginning.
            self.seen = (meta.ino(), 0);
            self.partial.clear();
        }
        if meta.len() == self.seen.1 {
            return Vec::new();
        }
        let mut fresh = Vec::new();
        let read = File::open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.seen.1))?;
            file.take(MOST).read_to_end(&mut fresh)
        });
        self.seen.1 += read.unwrap_or(0) as u64;
        self.partial.extend_from_slice(&fresh);
        let whole = self.partial.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let lines: Vec<u8> = self.partial.drain(..whole).collect();
        if self.partial.len() as u64 > MOST {
            self.partial.clear();
        }
        String::from_utf8_lossy(&lines).lines().filter_map(happening).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const TRAP: &str = "Nov 21 03:28:09 725302 [F7C366C0] 0x01 -> log_trap_info: Received Generic Notice type:1 num:128 \
                        (Link state change) Producer:2 (Switch) from LID:2 TID:0x0000000000000000\n";
    const UP: &str = "Nov 21 03:28:09 810343 [F54316C0] 0x02 -> SUBNET UP\n";

    #[test]
    fn lines_have_a_meaning() {
        assert_eq!([happening(TRAP), happening(UP)], [Some(Happening::Change), Some(Happening::Up)]);
        let dropped = "x 0x02 -> drop_mgr_remove_port: Removed port with GUID:0x1 LID range [20, 20] of node:n HCA-1";
        assert_eq!(happening(dropped), Some(Happening::Change));
        assert_eq!(happening("2026-11-22T02:40:00Z -> hopline_opensm: heavy sweep"), Some(Happening::Change));
        for line in ["", "SUBNET UP", "x 0x80 -> Entering MASTER state", "x 0x02 -> SUBNET UP AND AWAY"] {
            assert_eq!(happening(line), None, "{line}");
        }
    }

    #[test]
    fn a_log_is_followed_past_rotation() {
        let path = std::env::temp_dir().join(format!("hopline-log-{}", std::process::id()));
        fs::write(&path, UP).expect("log");
        let mut follower = Follower::new(path.clone()).expect("a log");
        assert!(follower.news().is_empty(), "what was there before is old");
        let mut file = fs::OpenOptions::new().append(true).open(&path).expect("log");
        let mut append = |text: &str| file.write_all(text.as_bytes()).expect("log");
        append(&TRAP[..50]);
        assert!(follower.news().is_empty(), "half a line");
        append(&TRAP[50..]);
        append(UP);
        assert_eq!(follower.news(), [Happening::Change, Happening::Up]);
        fs::write(&path, UP).expect("cut");
        assert_eq!(follower.news(), [Happening::Up]);
        let other = path.with_extension("new");
        fs::write(&other, [TRAP, UP, TRAP].concat()).expect("another log");
        fs::rename(&other, &path).expect("rotated");
        assert_eq!(follower.news(), [Happening::Change, Happening::Up, Happening::Change]);
        fs::remove_file(&path).expect("removed");
        assert!(follower.news().is_empty());
    }
}
