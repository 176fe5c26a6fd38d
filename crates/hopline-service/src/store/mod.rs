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
//! a reader sees all of it or none. A store is for its owner alone unless somebody else has made the folder; whose it is
//! is looked at before anything is believed, and no link is followed in it. Its directory is also a machine that every
//! other command reads: `hopline fabric check --fabric DIR/00000007`.

mod publish;

pub use publish::{publish, sweep};

use crate::atlas::{self, Atlas};
use crate::generation::Generation;
use crate::lost::Lost;
use crate::owner;
use hopline::error::{Error, Result};
use hopline::files::{Disk, Files, read_text};
use hopline::format::lft::{self, Tables};
use hopline::format::{cray_xc, fabric_json, ibnetdiscover};
use hopline::topology::{find_dumps, read_tables};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// File of the cabling.
pub const CABLES: &str = "ibnetdiscover.txt";
/// File of the forwarding tables.
pub const TABLES: &str = "dump_fts_n.txt";
/// File of the laid out routes.
pub const ROUTES: &str = "routes.atlas";
/// File that describes the others.
pub const MANIFEST: &str = "manifest.json";

/// Bytes of a manifest and of another file of a generation.
const MOST_MANIFEST: u64 = 64 << 20;
const MOST: u64 = 8 << 30;

/// The form of a manifest.
const FORMAT: u32 = 1;

/// What tells it.
#[derive(Deserialize)]
struct Form {
    format: u32,
}

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
    /// What earlier generations had and this one has not.
    #[serde(default)]
    pub lost: Lost,
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
    /// For the manifest.
    pub lost: Lost,
}

/// Where a server takes its fabric from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A store, in which new generations appear.
    Store(PathBuf),
    /// A directory with dumps of one moment.
    Dumps(PathBuf),
    /// The output of `ibnetdiscover`, and the tables: a file or a directory of files.
    Files(String, Option<String>),
}

impl Source {
    /// A directory that holds dumps is just that; any other is a store.
    ///
    /// # Errors
    /// It is no directory.
    pub fn open(dir: &Path) -> Result<Source> {
        let text = dir.to_string_lossy();
        let names = Disk.list(&text).ok_or_else(|| {
            Error::input(format!("{text}: no such file or directory"))
                .hint("`hopline fabric collect --out DIR` makes one")
        })?;
        let dumps = names.iter().any(|n| n.contains("ibnetdiscover"));
        Ok(if dumps { Source::Dumps(dir.into()) } else { Source::Store(dir.into()) })
    }

    /// The directory of a store.
    pub fn store(&self) -> Option<&Path> {
        if let Source::Store(dir) = self { Some(dir) } else { None }
    }

    /// The number of the newest generation; 0 for dumps.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn newest(&self) -> Result<Option<u64>> {
        match self {
            Source::Store(dir) => Ok(numbers(dir)?.pop()),
            Source::Dumps(_) | Source::Files(..) => Ok(Some(0)),
        }
    }

    /// Loads a generation of that number.
    ///
    /// # Errors
    /// It is not there, or its files are damaged.
    pub fn load(&self, number: u64) -> Result<Generation> {
        match self {
            Source::Store(dir) => load(dir, number),
            Source::Dumps(dir) => {
                let (cables, tables) = find_dumps(&dir.to_string_lossy(), &Disk)?;
                dumps(&cables, tables.as_deref())
            }
            Source::Files(cables, tables) => dumps(cables, tables.as_deref()),
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
/// It is not there or damaged, or somebody else may have put it there.
pub fn manifest(dir: &Path, number: u64) -> Result<Manifest> {
    let home = path(dir, number);
    owner::folder(dir)?;
    owner::inner(&home)?;
    let file = home.join(MANIFEST);
    let text = owner::text(&file, MOST_MANIFEST)?;
    let unreadable = |e: serde_json::Error| Error::input(format!("{}: {e}", file.display()));
    // First of all, since another form may hold anything else.
    let Form { format } = serde_json::from_str(&text).map_err(unreadable)?;
    if format != FORMAT {
        let what = format!("{}: of another version of Hopline: in form {format}, expected {FORMAT}", file.display());
        return Err(Error::input(what).hint("serve it with that version, or collect anew with this one"));
    }
    let manifest: Manifest = serde_json::from_str(&text).map_err(unreadable)?;
    if manifest.generation != number {
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
    let mut generation = Generation::new(number, manifest.collected, atlas);
    generation.lost = manifest.lost;
    Ok(generation)
}

/// The laid out routes, if they are those of the manifest.
fn laid_out(home: &Path, manifest: &Manifest) -> Result<Atlas> {
    let file = home.join(ROUTES);
    let bytes = owner::bytes(&file, MOST)?;
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
    let bytes = owner::bytes(&file, MOST)?;
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

/// Of dumps alone: number 0, of no time.
fn dumps(cables: &str, tables: Option<&str>) -> Result<Generation> {
    let text = read_text(&Disk, cables)?;
    if fabric_json::is_fabric(&text) || cray_xc::is_interconnect(&text) {
        return Err(Error::input(format!("{cables}: no output of `ibnetdiscover`, from which the service answers"))
            .hint(format!("`hopline fabric route --fabric {cables} A B` answers from it")));
    }
    let tables = tables.ok_or_else(|| {
        Error::input(format!("{cables}: no forwarding tables beside it, by which the service answers")).hint(format!(
            "put what `dump_fts -n` prints there as dump_fts.txt, or name it: cables={cables},tables=PATH"
        ))
    })?;
    let cabling = ibnetdiscover::parse(cables, &text)?;
    Ok(Generation::new(0, String::new(), atlas::build(&cabling, &read_tables(tables, &Disk)?)?))
}

fn at(path: &Path, e: &std::io::Error) -> Error {
    Error::failed(format!("{}: {e}", path.display()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
