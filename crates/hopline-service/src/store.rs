//! Generations on disk, whole or not at all.
//!
//! ```text
//! DIR/00000007/ibnetdiscover.txt    the cabling, as the tool printed it
//!              dump_fts_n.txt       the forwarding tables
//!              routes.atlas         both, laid out: loads in milliseconds
//!              manifest.json        checksums, counts, versions of the tools
//! ```
//!
//! A generation is written under another name and renamed when it is complete, so
//! a reader sees all of it or none. Its directory is also a machine that every
//! other command reads: `hopline fabric check --fabric DIR/00000007`.

use crate::atlas::{self, Atlas};
use crate::generation::Generation;
use hopline::error::{Error, Result};
use hopline::files::{Disk, Files, read_text};
use hopline::format::ibnetdiscover;
use hopline::format::lft::{self, Tables};
use hopline::topology::{find_dumps, read_tables};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// File of the cabling.
pub const CABLES: &str = "ibnetdiscover.txt";
/// File of the forwarding tables.
pub const TABLES: &str = "dump_fts_n.txt";
/// File of the laid out routes.
pub const ROUTES: &str = "routes.atlas";
/// File that describes the others.
pub const MANIFEST: &str = "manifest.json";

/// What a generation consists of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this form.
    pub format: u32,
    /// Number of the generation.
    pub generation: u64,
    /// When it was collected, UTC.
    pub collected: String,
    /// The other files.
    pub files: Vec<Entry>,
    /// The checksum in the head of [`ROUTES`]: binds it to this generation.
    pub routes: String,
    /// How much of what: hosts, endpoints, switches, cables, pairs, broken pairs.
    pub counts: BTreeMap<String, u64>,
    /// Versions of the programs that were run.
    pub tools: BTreeMap<String, String>,
    /// What the collector had to do or leave out.
    pub notes: Vec<String>,
}

/// A file of a generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, as `sha256sum` prints it.
    pub sha256: String,
}

/// What is to be published.
#[derive(Debug, Clone)]
pub struct Draft {
    /// When it was collected, UTC.
    pub collected: String,
    /// The cabling.
    pub cables: String,
    /// The forwarding tables.
    pub tables: String,
    /// Both, laid out.
    pub atlas: Atlas,
    /// For the manifest.
    pub counts: BTreeMap<String, u64>,
    /// For the manifest.
    pub tools: BTreeMap<String, String>,
    /// For the manifest.
    pub notes: Vec<String>,
}

/// Where a server takes its fabric from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A store, in which new generations appear.
    Store(PathBuf),
    /// Dumps of one moment.
    Dumps(PathBuf),
}

impl Source {
    /// A directory that holds dumps is just that; any other is a store.
    ///
    /// # Errors
    /// It is no directory.
    pub fn open(dir: &Path) -> Result<Source> {
        let text = dir.to_string_lossy();
        let names = Disk.list(&text).ok_or_else(|| {
            Error::input(format!("{text}: no such directory")).hint("`hopline fabric collect --out DIR` makes one")
        })?;
        let dumps = names.iter().any(|n| n.contains("ibnetdiscover"));
        Ok(if dumps { Source::Dumps(dir.into()) } else { Source::Store(dir.into()) })
    }

    /// The number of the newest generation; 0 for dumps.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn newest(&self) -> Result<Option<u64>> {
        match self {
            Source::Store(dir) => Ok(numbers(dir)?.pop()),
            Source::Dumps(_) => Ok(Some(0)),
        }
    }

    /// Loads a generation of that number.
    ///
    /// # Errors
    /// It is not there, or its files are damaged.
    pub fn load(&self, number: u64) -> Result<Generation> {
        match self {
            Source::Store(dir) => load(dir, number),
            Source::Dumps(dir) => dumps(dir),
        }
    }

    /// Loads the newest generation that is sound, with what is wrong about newer ones.
    ///
    /// # Errors
    /// There is none.
    pub fn load_newest(&self) -> Result<(Generation, String)> {
        let Source::Store(dir) = self else { return Ok((self.load(0)?, String::new())) };
        let mut warning = String::new();
        for number in numbers(dir)?.into_iter().rev() {
            match load(dir, number) {
                Ok(generation) => return Ok((generation, warning)),
                Err(e) if warning.is_empty() => warning = format!("generation {number} is refused: {e}"),
                Err(_) => {}
            }
        }
        let none = format!("{} holds no generation", dir.display());
        let why = if warning.is_empty() { none } else { format!("{none} that is sound: {warning}") };
        Err(Error::input(why).hint("`hopline fabric collect --out DIR` collects one"))
    }
}

/// Numbers of the generations of a store, ascending.
///
/// # Errors
/// The directory cannot be read.
pub fn numbers(dir: &Path) -> Result<Vec<u64>> {
    let names = Disk.list(&dir.to_string_lossy());
    let names = names.ok_or_else(|| Error::failed(format!("{}: the store cannot be read", dir.display())))?;
    // All have eight digits, so the order of the names is that of the numbers.
    Ok(names.iter().filter(|n| n.len() == 8).filter_map(|n| n.parse().ok()).collect())
}

/// Directory of a generation.
pub fn path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number:08}"))
}

/// The manifest of a generation.
///
/// # Errors
/// It is not there or damaged.
pub fn manifest(dir: &Path, number: u64) -> Result<Manifest> {
    let file = path(dir, number).join(MANIFEST);
    let text = fs::read_to_string(&file).map_err(|e| at(&file, &e))?;
    let manifest: Manifest =
        serde_json::from_str(&text).map_err(|e| Error::input(format!("{}: {e}", file.display())))?;
    if manifest.format != 1 || manifest.generation != number {
        return Err(Error::input(format!("{}: not the manifest of generation {number}", file.display())));
    }
    Ok(manifest)
}

fn load(dir: &Path, number: u64) -> Result<Generation> {
    let manifest = manifest(dir, number)?;
    let home = path(dir, number);
    let atlas = match laid_out(&home, &manifest) {
        Ok(atlas) => atlas,
        Err(_) => parse(&checked(&home, &manifest, CABLES)?, &checked(&home, &manifest, TABLES)?)?,
    };
    Ok(Generation::new(number, manifest.collected, atlas))
}

/// The laid out routes, if they are those of the manifest.
fn laid_out(home: &Path, manifest: &Manifest) -> Result<Atlas> {
    let file = home.join(ROUTES);
    let bytes = fs::read(&file).map_err(|e| at(&file, &e))?;
    if manifest.routes != routes_checksum(&bytes) {
        return Err(Error::input(format!("{}: not the file of the manifest", file.display())));
    }
    Atlas::from_bytes(&bytes)
}

/// What the file says of itself; reading it compares that with its contents.
fn routes_checksum(bytes: &[u8]) -> String {
    hex(Atlas::checksum(bytes).unwrap_or_default())
}

/// A text of a generation, after its checksum was compared.
fn checked(home: &Path, manifest: &Manifest, name: &str) -> Result<String> {
    let file = home.join(name);
    let bytes = fs::read(&file).map_err(|e| at(&file, &e))?;
    let expected = manifest.files.iter().find(|e| e.name == name).map(|e| e.sha256.as_str());
    if expected != Some(hex(&Sha256::digest(&bytes)).as_str()) {
        return Err(Error::input(format!("{}: its checksum is not that of the manifest", file.display())));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Lays out cabling and tables that were dumped.
///
/// # Errors
/// One of them is damaged, cut short or empty.
pub fn parse(cables: &str, tables: &str) -> Result<Atlas> {
    let cabling = ibnetdiscover::parse(CABLES, cables)?;
    let mut read = Tables::default();
    lft::parse(TABLES, tables, &mut read)?;
    atlas::build(&cabling, &read)
}

fn dumps(dir: &Path) -> Result<Generation> {
    let text = dir.to_string_lossy();
    let (cables, tables) = find_dumps(&text, &Disk)?;
    let tables = tables.ok_or_else(|| {
        Error::input(format!("{text} holds no forwarding tables")).hint("add what `dump_fts -n` prints as dump_fts.txt")
    })?;
    let cabling = ibnetdiscover::parse(&cables, &read_text(&Disk, &cables)?)?;
    Ok(Generation::new(0, String::new(), atlas::build(&cabling, &read_tables(&tables, &Disk)?)?))
}

/// Publishes a draft as the next generation and removes all but the newest
/// `keep`. Returns its number.
///
/// # Errors
/// The store cannot be written; nothing is published then.
pub fn publish(dir: &Path, draft: &Draft, keep: usize) -> Result<u64> {
    fs::create_dir_all(dir).map_err(|e| at(dir, &e))?;
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

/// Removes what a collector left that was killed.
fn sweep(dir: &Path) {
    let own = format!(".draft-{}", std::process::id());
    for name in Disk.list(&dir.to_string_lossy()).unwrap_or_default() {
        if name == own || name.starts_with(".gone-") {
            let _ = fs::remove_dir_all(dir.join(name));
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
            format: 1,
            generation: number,
            collected: draft.collected.clone(),
            files: files.clone(),
            routes: routes_checksum(&routes),
            counts: draft.counts.clone(),
            tools: draft.tools.clone(),
            notes: draft.notes.clone(),
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
    let write = || {
        let mut file = File::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(|e| at(path, &e))
}

fn sync(dir: &Path) -> Result<()> {
    File::open(dir).and_then(|d| d.sync_all()).map_err(|e| at(dir, &e))
}

fn at(path: &Path, e: &std::io::Error) -> Error {
    Error::failed(format!("{}: {e}", path.display()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
