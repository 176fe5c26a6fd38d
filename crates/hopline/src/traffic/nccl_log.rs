//! Rings and trees that NCCL chose.

use super::{Context, Traffic};
use crate::demand::{Demand, Unit};
use crate::entry::{Entry, param};
use crate::error::{Error, Place, Result};
use crate::files::{Files, join, read_text};
use crate::format::nccl_log::{self, Communicator};
use crate::params::{Bytes, Params, Reader};
use NcclCollective::{AllGather, AllReduce, ReduceScatter};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "nccl-log",
    summary: "rings or trees that NCCL chose, from the output of a program under NCCL_DEBUG=INFO",
    doc: "FILE is the output of all ranks, or a directory of files (NCCL_DEBUG_FILE). Every link of a ring sends one unit, spread over \
          the channels; bytes= is the size of the vector of an allreduce (or another collective=), of which 2(n-1)/n go over each \
          link of the rings among n ranks, (n-1)/n for allgather and reduce-scatter, and all up and down each link of a tree. \
          The largest communicator is meant unless comm= names another by its commId; tasks are ranks of the largest. \
          NCCL chooses rings by what is inside of hosts and joins hosts in the order of the ranks.\n\
          Source: NCCL, src/init.cc (\"Channel\", \"Trees\"), src/graph/rings.cc (\"Ring\").",
    example: "nccl-log:file=testdata/nccl/all-reduce-2-hosts.log",
    params: &[
        param("file", "path", "", "the output, or a directory"),
        param("algorithm", "ring|tree", "ring", "which links"),
        param("collective", "allreduce|allgather|reduce-scatter", "allreduce", "what bytes= is of"),
        param("bytes", "bytes", "none", "the vector of all ranks; then times are known, and amounts are bytes"),
        param("comm", "commId", "the largest", "the communicator"),
    ],
};

/// What moves along the links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NcclCollective {
    /// Along rings or trees.
    AllReduce,
    /// Along rings.
    AllGather,
    /// Along rings.
    ReduceScatter,
}

const COLLECTIVES: [(&str, NcclCollective); 3] =
    [("allreduce", AllReduce), ("allgather", AllGather), ("reduce-scatter", ReduceScatter)];

/// Rings or trees of NCCL: see the list.
#[derive(Debug, Clone)]
pub struct NcclLog {
    path: String,
    /// Communicators, the largest first.
    all: Arc<[Communicator]>,
    /// Which of them was asked for by its `commId`.
    chosen: Option<usize>,
    trees: bool,
    collective: NcclCollective,
    bytes: Option<u64>,
}

impl NcclLog {
    /// The rings of the largest communicator that a file, or the files of a directory, tell.
    ///
    /// # Errors
    /// A file cannot be read, or tells no ring and no tree.
    pub fn open(path: &str, files: &dyn Files) -> Result<NcclLog> {
        let texts = match files.list(path) {
            Some(names) => names.iter().map(|name| join(path, name)).collect(),
            None => vec![path.to_string()],
        };
        let texts = texts.into_iter().map(|path| Ok((read_text(files, &path)?, path))).collect::<Result<Vec<_>>>()?;
        let all = nccl_log::read(texts.iter().map(|(text, path)| (path.as_str(), text.as_str())))?;
        if all.is_empty() {
            let hint = "NCCL_DEBUG=INFO has programs print `NCCL INFO Channel 00/16 : 0 1 2 ...`";
            return Err(Error::input("no ring and no tree of NCCL in it").at(&Place::new(path, 0)).hint(hint));
        }
        let path = path.to_string();
        Ok(NcclLog { path, all: all.into(), chosen: None, trees: false, collective: AllReduce, bytes: None })
    }

    /// Its trees in place of its rings.
    ///
    /// # Errors
    /// The collective is no all-reduce.
    pub fn trees(mut self) -> Result<NcclLog> {
        self.trees = true;
        self.checked()
    }

    /// Of another collective, which matters where [`NcclLog::bytes`] are given.
    ///
    /// # Errors
    /// It has no trees, and they are asked for.
    pub fn collective(mut self, collective: NcclCollective) -> Result<NcclLog> {
        self.collective = collective;
        self.checked()
    }

    fn checked(self) -> Result<NcclLog> {
        if self.trees && self.collective != AllReduce {
            let text = "NCCL's trees are of an allreduce, `collective` is another";
            return Err(Error::argument("collective", text));
        }
        Ok(self)
    }

    /// With a vector of so many bytes, so that times are known.
    #[must_use]
    pub fn bytes(mut self, bytes: u64) -> NcclLog {
        self.bytes = Some(bytes);
        self
    }

    /// Of the communicator with this `commId`, such as `0x9ca74fa6e40df7f4`.
    ///
    /// # Errors
    /// There is none.
    pub fn communicator(mut self, id: &str) -> Result<NcclLog> {
        check_id(id)?;
        self.chosen = self.all.iter().position(|one| one.id == id);
        if self.chosen.is_some() {
            return Ok(self);
        }
        let known: Vec<&str> = self.all.iter().map(|one| one.id.as_str()).filter(|id| !id.is_empty()).take(8).collect();
        let known =
            if known.is_empty() { "the file tells none".into() } else { format!("it tells {}", known.join(", ")) };
        Err(Error::argument("comm", format!("no communicator has the commId `{id}` (`comm`): {known}")))
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<NcclLog> {
        // Misread keys are told before the file is read.
        let (path, is_tree) = (reader.need::<String>("file")?, reader.choice("algorithm", &["ring", "tree"])? == 1);
        let collective = COLLECTIVES[reader.choice("collective", &COLLECTIVES.map(|(name, _)| name))?].1;
        reader.get::<Bytes>("bytes")?;
        reader.set((), "comm", |(), id: String| check_id(&id))?;
        let log = NcclLog::open(&path, context.files)?;
        let log = if is_tree { log.trees()? } else { log };
        let log = log.collective(collective)?;
        let log = reader.set(log, "comm", |log, id: String| log.communicator(&id))?;
        reader.set(log, "bytes", |log, Bytes(bytes)| Ok(log.bytes(bytes)))
    }

    pub(super) fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).with("file", &self.path[..]);
        let params = params.unless("algorithm", if self.trees { "tree" } else { "ring" }, "ring");
        let name = COLLECTIVES.iter().find(|c| c.1 == self.collective).map(|c| c.0);
        let params = params.maybe("collective", name.filter(|_| self.collective != AllReduce));
        params.maybe("bytes", self.bytes).maybe("comm", self.chosen.map(|at| &self.all[at].id[..]))
    }

    pub(super) fn make(self) -> Result<Traffic> {
        let (all, is_tree, path) = (&self.all, self.trees, &self.path);
        let (largest, own) = (&all[0], &all[self.chosen.unwrap_or(0)]);
        let ranks = if std::ptr::eq(own, largest) { (0..own.ranks).collect() } else { own.ranks_in(largest, path)? };
        let each = amount(self.collective, is_tree, own.ranks, self.bytes);
        let (channels, demand) = demand(own, largest.ranks, &ranks, path, is_tree, each)?;
        let what = if is_tree { "trees" } else { "rings" };
        let named = if own.id.is_empty() { String::new() } else { format!(" {}", own.id) };
        let mut notes = vec![format!("{what} of {channels} channels of communicator{named} of {} ranks", own.ranks)];
        if all.len() > 1 {
            let others = all.iter().filter(|one| !std::ptr::eq(*one, own)).take(8);
            let others: Vec<String> = others.map(|one| format!("{} of {} ranks", one.id, one.ranks)).collect();
            notes.push(format!("left out: {} communicators ({})", all.len() - 1, others.join(", ")));
        }
        let unit = if self.bytes.is_some() { Unit::Bytes } else { Unit::Units };
        Ok(Traffic { demand: Demand::new(largest.ranks, unit, demand, Vec::new())?, notes })
    }
}

fn check_id(id: &str) -> Result<()> {
    if id.starts_with("0x") {
        return Ok(());
    }
    let text = format!("`comm` is `{id}`, expected a commId such as 0x9ca74fa6e40df7f4");
    Err(Error::argument("comm", text))
}

/// What goes over a link of all channels together.
fn amount(collective: NcclCollective, is_tree: bool, ranks: u32, bytes: Option<u64>) -> f64 {
    let Some(bytes) = bytes else { return 1.0 };
    let share = f64::from(ranks.saturating_sub(1)) / f64::from(ranks.max(1));
    let factor = match collective {
        AllReduce if is_tree => 1.0,
        AllReduce => 2.0 * share,
        AllGather | ReduceScatter => share,
    };
    bytes as f64 * factor
}

type Entries = Vec<(u32, u32, f64)>;

/// How many channels there are, and who sends how much to whom.
fn demand(
    own: &Communicator,
    tasks: u32,
    ranks: &[u32],
    path: &str,
    is_tree: bool,
    amount: f64,
) -> Result<(usize, Entries)> {
    let channels = if is_tree { own.trees(path)? } else { own.rings(path)? };
    let each = amount / channels.len().max(1) as f64;
    let mut sums: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for &(from, to) in channels.iter().flatten().filter(|(from, to)| from != to) {
        let of = |rank: u32| ranks.get(rank as usize).copied().filter(|&rank| rank < tasks).unwrap_or(rank);
        *sums.entry((of(from), of(to))).or_default() += 1;
        if is_tree {
            *sums.entry((of(to), of(from))).or_default() += 1;
        }
    }
    Ok((channels.len(), sums.into_iter().map(|((from, to), n)| (from, to, f64::from(n) * each)).collect()))
}
