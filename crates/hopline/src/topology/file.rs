//! A real machine from its dumps: cables from `ibnetdiscover`, forwarding tables
//! from `ibroute`, `dump_fts`, `dump_lfts` or OpenSM; Cray's `rtr --interconnect`;
//! or a fabric as JSON, GraphML, DOT, Slurm's topology.conf or topology.yaml.

use super::Counts;
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::{Fabric, LinkRates};
use crate::files::{Files, join, read_text};
use crate::format::infiniband::{self, Lids, Machine};
use crate::format::lft::{self, Tables};
use crate::format::service_levels::ServiceLevels;
use crate::format::{FABRIC_IMPORTS, HOST_FORMS, ReadFabric, ibnetdiscover};
use crate::params::{Params, Reader};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "file",
    summary: "a real machine: InfiniBand dumps, UFM's links, Cray XC cabling, JSON, GraphML, DOT, ranks and links, Slurm's topology.conf or .yaml, \
              topograph, InfraGraph; or one host: NCCL's topology, lstopo, nvidia-smi",
    doc: "PATH is a dump of ibnetdiscover (plain or -p), or a directory that holds one as *ibnetdiscover* and its tables \
          as *dump_fts*, *lfts* or a directory ibroute/; plain, gzip or xz. cables= and tables= name them where the \
          directory has several; tables=none leaves them out. Without tables the routes are assumed to be shortest \
          paths with ties spread, and every output says so. partial=true reads cabling whose links lead to nodes that are \
          not in it, and says what is missing. sl= and sl2vl= are what `fabric check` needs where service levels keep \
          packets from waiting for each other (LASH, DFSSSP); a directory holds them as *path-records* and *sl2vl*. PATH may also be what `hopline fabric export` wrote \
          (JSON has everything, tables included), GraphML or DOT of other tools, Slurm's topology.conf or topology.yaml, ranks, switches and directed links in GB/s as planners of \
          collectives write them, a model of NVIDIA's topograph, InfraGraph's YAML, UFM's answer to GET /ufmRest/resources/links, `iblinkinfo`, or Cray's \
          `rtr --interconnect` (`cray-xc` sets its bandwidths); the content tells which. Of a graph's nodes those with \
          kind=endpoint run tasks (where none has a kind: those with one neighbour, else all); edges take bandwidth_gb_s, or \
          bandwidth with a unit; `hopline explain graphml` names all attributes. Slurm's files know no speeds: 1 GB/s is assumed. \
          A topology of NCCL or RCCL in XML, lstopo's XML and what `nvidia-smi topo -m` prints are one host: GPUs run tasks in the order \
          of their ranks (without GPUs: cores), what they exchange takes the shortest way inside, of equally short ones the widest, as NCCL chooses it; rates=raw gives links what wires carry \
          instead of what NCCL assumes. host= puts such a file, or an inside of the list `host`, into every host of a network.",
    example: "file:testdata/fabrics/rack64",
    params: &[
        param("path", "path", "", "a dump or a directory of dumps"),
        param("cables", "path", "found in path", "the output of ibnetdiscover"),
        param("tables", "path|none", "found in path", "the forwarding tables: a file or a directory of files"),
        param("partial", "true|false", "false", "leave out links to nodes that the cabling lacks"),
        param("sl", "path", "found in path", "service levels: `saquery PathRecord` or opensm-path-records.dump"),
        param(
            "sl2vl",
            "path",
            "found in path",
            "virtual lanes of service levels: opensm-sl2vl.dump or `saquery SL2VL`",
        ),
        param("rates", "nccl|raw", "nccl", "bandwidths of a host's inside: what NCCL assumes, or what wires carry"),
    ],
};

/// A machine that was read from dumps.
#[derive(Debug, Clone)]
pub struct File {
    given: Params,
    fabric: Arc<Fabric>,
    lids: Arc<Lids>,
    tables: Option<Arc<Tables>>,
    levels: Option<Arc<ServiceLevels>>,
    doubts: Vec<String>,
}

impl File {
    /// The machine that a file or a directory of dumps tells, whatever their form.
    ///
    /// # Errors
    /// A file cannot be read or is damaged; a directory holds no cabling, or several candidates.
    pub fn open(path: &str, files: &dyn Files) -> Result<File> {
        File::read(&Params::named(ENTRY.name).with("path", path).check(&ENTRY)?, files)
    }

    /// The machine that these dumps tell; `partial` leaves out links to nodes that the cabling lacks.
    ///
    /// # Errors
    /// A file cannot be read or is damaged; there are tables for machines without LIDs, or service levels without
    /// lanes.
    pub fn from_dumps(dumps: &Dumps, partial: bool, files: &dyn Files) -> Result<File> {
        let Dumps { name, cables, tables, sl, sl2vl } = dumps;
        let given = Params::named(ENTRY.name).with("path", &name[..]).with("cables", &cables[..]);
        let given = given.maybe("tables", tables.as_deref()).unless("partial", partial, false);
        let given = given.maybe("sl", sl.as_deref()).maybe("sl2vl", sl2vl.as_deref());
        let Read { machine, tables: own, mut doubts } = read_machine(name, cables, partial, files)?;
        let mut tables = match tables.as_deref() {
            None => own,
            Some("none") => None,
            Some(_) if machine.lids.is_empty() => {
                return Err(Error::argument("tables", format!("{cables} tells no LIDs, by which tables forward")));
            }
            Some(path) => Some(read_tables(path, files)?),
        };
        if let Some(tables) = &mut tables {
            doubts.extend(tables.complaints.note());
            let lost = infiniband::lost_notes(&machine.fabric, &machine.lids, tables);
            tables.notes.extend(tables.complaints.note().into_iter().chain(lost));
        }
        let levels = match (sl, sl2vl) {
            (None, None) => None,
            (Some(sl), Some(sl2vl)) => Some(Arc::new(read_levels(sl, sl2vl, files)?)),
            (None, _) => {
                return Err(Error::argument("sl2vl", "`sl2vl` says nothing without `sl`, the levels of the paths"));
            }
            (_, None) => {
                return Err(Error::argument("sl", "`sl` says nothing without `sl2vl`, the lanes of the levels"));
            }
        };
        let (fabric, lids) = (Arc::new(machine.fabric), Arc::new(machine.lids));
        Ok(File { given, fabric, lids, tables: tables.map(Arc::new), levels, doubts })
    }

    pub(super) fn read(reader: &Reader, files: &dyn Files) -> Result<File> {
        let partial = reader.or("partial", false)?;
        let rates: Option<LinkRates> = reader.get("rates")?;
        let dumps = locate(reader, files)?;
        let file = File::from_dumps(&dumps, partial, files)?;
        let fabric = match rates {
            Some(rates) => Arc::new(read_host(&dumps.cables, rates, files)?),
            None => file.fabric,
        };
        Ok(File { given: reader.params(), fabric, ..file })
    }

    /// The keys as they were given: what was found in a directory is found there again.
    pub(super) fn params(&self) -> Params {
        self.given.clone()
    }

    /// The service levels of its paths and their virtual lanes, if they were read.
    pub(crate) fn levels(&self) -> Option<&ServiceLevels> {
        self.levels.as_deref()
    }

    /// Why the dumps may not tell the machine as it is: also among the notes.
    pub(crate) fn doubts(&self) -> &[String] {
        &self.doubts
    }

    /// Who owns which LID; empty where nobody has one.
    pub(crate) fn lids(&self) -> &Lids {
        &self.lids
    }

    /// The same, shared.
    pub(crate) fn shared_lids(&self) -> Arc<Lids> {
        self.lids.clone()
    }

    /// The machine as it was read, with nothing missing.
    pub(crate) fn fabric(&self) -> &Arc<Fabric> {
        &self.fabric
    }

    /// The LIDs and forwarding tables, if tables were read.
    pub fn tables(&self) -> Option<(Arc<Lids>, Arc<Tables>)> {
        self.tables.clone().map(|t| (self.lids.clone(), t))
    }

    /// What the reader of the tables noticed, for people.
    pub fn table_notes(&self) -> &[String] {
        self.tables.as_ref().map_or(&[], |t| &t.notes)
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        Ok((*self.fabric).clone())
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        None
    }

    pub(super) fn default_routing(&self) -> &'static str {
        if self.tables.is_some() { "table" } else { "shortest" }
    }
}

/// Where the dumps of a machine are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dumps {
    /// What the machine is called: its directory, or the file of its cabling.
    pub name: String,
    /// The cabling.
    pub cables: String,
    /// The forwarding tables: a file, a directory of files, or `none`.
    pub tables: Option<String>,
    /// Service levels of paths.
    pub sl: Option<String>,
    /// Virtual lanes of service levels.
    pub sl2vl: Option<String>,
}

/// Where the dumps are that the keys of `file` name.
///
/// # Errors
/// A key is unknown, none names the cabling, or a directory holds no cabling or several candidates.
pub fn locate_dumps(params: &Params, files: &dyn Files) -> Result<Dumps> {
    locate(&params.check(&ENTRY)?, files)
}

fn locate(reader: &Reader, files: &dyn Files) -> Result<Dumps> {
    let path: Option<String> = reader.get("path")?;
    let (mut cables, mut tables): (Option<String>, Option<String>) = (reader.get("cables")?, reader.get("tables")?);
    let (mut sl, mut sl2vl): (Option<String>, Option<String>) = (reader.get("sl")?, reader.get("sl2vl")?);
    if let Some(path) = &path {
        match files.list(path) {
            Some(names) => {
                cables = Some(match cables {
                    Some(given) => given,
                    None => find_cables(path, &names).map_err(|e| e.at(reader.place()))?,
                });
                if tables.is_none() {
                    tables = find_tables(path, &names, files).map_err(|e| e.at(reader.place()))?;
                }
                if sl.is_none() && sl2vl.is_none() {
                    (sl, sl2vl) = find_levels(path, &names);
                }
            }
            None => cables = cables.or(Some(path.clone())),
        }
    }
    let Some(cables) = cables else {
        return Err(reader.wrong("path", "`file` needs a path").hint(format!("example: {}", ENTRY.example)));
    };
    Ok(Dumps { name: path.unwrap_or_else(|| cables.clone()), cables, tables, sl, sl2vl })
}

/// What the cabling tells.
struct Read {
    machine: Machine,
    tables: Option<Tables>,
    doubts: Vec<String>,
}

/// The cabling in whichever form it is; our own JSON may bring its tables.
fn read_machine(name: &str, path: &str, partial: bool, files: &dyn Files) -> Result<Read> {
    let text = files.fabric(path, read_text(files, path)?)?;
    if let Some(form) = FABRIC_IMPORTS.iter().find(|form| (form.begins)(&text)) {
        let ReadFabric { machine, tables } = (form.read)(path, &text)?;
        return Ok(Read { machine, tables, doubts: Vec::new() });
    }
    let parse = if partial { ibnetdiscover::parse_partial } else { ibnetdiscover::parse };
    let cabling = parse(path, &text)?;
    Ok(Read { machine: infiniband::build(name, &cabling)?, tables: None, doubts: cabling.doubts() })
}

/// A host alone, with links of these rates.
fn read_host(path: &str, rates: LinkRates, files: &dyn Files) -> Result<Fabric> {
    let text = read_text(files, path)?;
    match HOST_FORMS.iter().find(|form| (form.begins)(&text)) {
        Some(form) => (form.read)(path, &text, rates)?.fabric(),
        None => Err(Error::argument("rates", format!("`rates` is of links inside a host, and {path} is no host"))),
    }
}

fn read_levels(sl: &str, sl2vl: &str, files: &dyn Files) -> Result<ServiceLevels> {
    let mut levels = ServiceLevels::default();
    levels.read_paths(sl, &read_text(files, sl)?)?;
    levels.read_lanes(sl2vl, &read_text(files, sl2vl)?)?;
    Ok(levels)
}

/// The service levels and lanes of a directory, if it has both.
fn find_levels(dir: &str, names: &[String]) -> (Option<String>, Option<String>) {
    let find = |word: &str| names.iter().find(|n| n.contains(word)).map(|n| join(dir, n));
    match (find("path-records"), find("sl2vl")) {
        (Some(sl), Some(sl2vl)) => (Some(sl), Some(sl2vl)),
        _ => (None, None),
    }
}

/// The cabling of a directory: `ibnetdiscover.txt` or the only `*ibnetdiscover*`.
fn find_cables(dir: &str, names: &[String]) -> Result<String> {
    let plain = |n: &String| ["", ".gz", ".xz"].iter().any(|end| *n == format!("ibnetdiscover.txt{end}"));
    let all: Vec<&String> = names.iter().filter(|n| n.contains("ibnetdiscover")).collect();
    let exact: Vec<&String> = all.iter().copied().filter(|n| plain(n)).collect();
    only(dir, if exact.is_empty() { &all } else { &exact }, "cables", "ibnetdiscover.txt")
}

/// The tables of a directory: `*dump_fts*`, else `*lfts*`, else the directory
/// `ibroute`; multicast dumps (`dump_fts -M`, `dump_mfts`) are passed over.
fn find_tables(dir: &str, names: &[String], files: &dyn Files) -> Result<Option<String>> {
    for pattern in ["dump_fts", "lfts"] {
        let found: Vec<&String> =
            names.iter().filter(|n| n.contains(pattern) && !n.contains("fts_M") && !n.contains("mfts")).collect();
        // The same tables in two forms are usual; `dump_fts` wins over OpenSM's own dump.
        let first: Vec<&String> = found.iter().copied().filter(|n| n.starts_with("dump_lfts")).collect();
        let found = if found.len() > 1 && first.len() == 1 { first } else { found };
        if !found.is_empty() {
            return only(dir, &found, "tables", "dump_fts.txt").map(Some);
        }
    }
    let ibroute = join(dir, "ibroute");
    Ok(files.list(&ibroute).map(|_| ibroute))
}

fn only(dir: &str, found: &[&String], key: &str, example: &str) -> Result<String> {
    match found {
        [one] => Ok(join(dir, one)),
        [] => Err(Error::input(format!("{dir} holds no {example}")).hint(format!("name it: file:{key}=PATH"))),
        several => {
            let names: Vec<&str> = several.iter().map(|n| n.as_str()).collect();
            Err(Error::input(format!("{dir} holds {} candidates: {}", names.len(), names.join(", ")))
                .hint(format!("name one: file:path={dir},{key}={}", join(dir, names[0]))))
        }
    }
}

/// Where a directory of dumps keeps its cabling and, if it has some, its tables.
///
/// # Errors
/// There is no cabling, or there are several candidates of one kind.
pub fn find_dumps(dir: &str, files: &dyn Files) -> Result<(String, Option<String>)> {
    let names = files.list(dir).ok_or_else(|| Error::input(format!("{dir}: no such directory")))?;
    Ok((find_cables(dir, &names)?, find_tables(dir, &names, files)?))
}

/// The forwarding tables of a file, or of all files of a directory.
///
/// # Errors
/// A file cannot be read or is no whole dump of tables.
pub fn read_tables(path: &str, files: &dyn Files) -> Result<Tables> {
    let mut tables = Tables::default();
    match files.list(path) {
        Some(names) => {
            for name in names {
                let file = join(path, &name);
                lft::parse(&file, &read_text(files, &file)?, &mut tables)?;
            }
        }
        None => lft::parse(path, &read_text(files, path)?, &mut tables)?,
    }
    Ok(tables)
}
