//! Writing a generation, and cleaning up after those that did not finish.

use super::{
    CABLES, Draft, Entry, FORMAT, MANIFEST, Manifest, ROUTES, TABLES, at, hex, numbers, path, routes_checksum,
};
use crate::{heartbeat, owner};
use hopline::error::{Error, Result};
use hopline::files::{Disk, Files};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;

/// Publishes a draft as the next generation and removes all but the newest
/// `keep`. Returns its number.
///
/// # Errors
/// The store cannot be written, or others may write to it; nothing is published then.
pub fn publish(dir: &Path, draft: &Draft, keep: usize) -> Result<u64> {
    owner::create(dir)?;
    sweep(dir);
    let home = dir.join(format!(".draft-{}", std::process::id()));
    let number = write(dir, &home, draft).inspect_err(|_| {
        // What is left over is swept by the next one.
        let _ = fs::remove_dir_all(&home);
    })?;
    let mut old = numbers(dir)?;
    old.truncate(old.len().saturating_sub(keep.max(1)));
    for number in old {
        // Renamed first: nobody sees half of it.
        let gone = dir.join(format!(".gone-{number}"));
        let _ = fs::rename(path(dir, number), &gone).and_then(|()| fs::remove_dir_all(&gone));
    }
    Ok(number)
}

/// Removes what collectors left that were killed. The draft of one that lives is
/// left alone; one that lives on another machine loses it, and collects again.
pub fn sweep(dir: &Path) {
    let own = std::process::id();
    let dead = |pid: &str| {
        pid.parse::<u32>().is_ok_and(|pid| pid == own || !Path::new("/proc").join(pid.to_string()).exists())
    };
    let beat = format!(".{}-", heartbeat::FILE);
    for name in Disk.list(&dir.to_string_lossy()).unwrap_or_default() {
        let path = dir.join(&name);
        if name.starts_with(".gone-") || name.strip_prefix(".draft-").is_some_and(dead) {
            let _ = fs::remove_dir_all(path);
        } else if name.strip_prefix(&beat).is_some_and(dead) {
            let _ = fs::remove_file(path);
        }
    }
}

fn write(dir: &Path, home: &Path, draft: &Draft) -> Result<u64> {
    fs::create_dir(home).map_err(|e| at(home, &e))?;
    let routes = draft.atlas.to_bytes();
    let contents = [(CABLES, draft.cables.as_bytes()), (TABLES, draft.tables.as_bytes()), (ROUTES, &routes[..])];
    let mut files = Vec::new();
    for (name, bytes) in contents {
        save(&home.join(name), bytes)?;
        files.push(Entry { name: name.into(), bytes: bytes.len() as u64, sha256: hex(&Sha256::digest(bytes)) });
    }
    let mut number = numbers(dir)?.pop().unwrap_or(0) + 1;
    loop {
        let manifest = Manifest {
            format: FORMAT,
            generation: number,
            collected: draft.collected.clone(),
            files: files.clone(),
            routes: routes_checksum(&routes),
            counts: draft.counts.clone(),
            tools: draft.tools.clone(),
            notes: draft.notes.clone(),
            lost: draft.lost.clone(),
        };
        let text = serde_json::to_string_pretty(&manifest).map_err(|e| Error::failed(e.to_string()))?;
        save(&home.join(MANIFEST), format!("{text}\n").as_bytes())?;
        sync(home)?;
        let target = path(dir, number);
        match fs::rename(home, &target) {
            Ok(()) => break,
            // Another collector was quicker.
            Err(_) if target.exists() => number += 1,
            Err(e) => return Err(at(&target, &e)),
        }
    }
    sync(dir)?;
    Ok(number)
}

fn save(path: &Path, bytes: &[u8]) -> Result<()> {
    hopline_disk::create(path, |to| to.write_all(bytes)).map_err(|e| at(path, &e))
}

fn sync(dir: &Path) -> Result<()> {
    hopline_disk::sync_folder(dir).map_err(|e| at(dir, &e))
}
