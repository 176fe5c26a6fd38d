//! What a recorded MPI program sent.

use super::{Context, Traffic};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::files::Files;
use crate::format::recording::{self, Recording};
use crate::params::{Params, Reader};

pub(super) const ENTRY: Entry = Entry {
    name: "recording",
    summary: "bytes between the ranks of a recorded MPI program, its collectives spelled out",
    doc: "A directory that `hopline record` filled. Messages and one-sided calls are as they were recorded. A collective is the \
          messages of the algorithm that the recording's library takes by default for so many ranks and bytes, as in the \
          schedule that `hopline record merge --as goal` writes: load, map and power say of the recording what they say of \
          that schedule (but that it has no one-sided calls). A barrier is dissemination. A broadcast and a reduction are \
          binomial trees; large ones go in parts (MPICH's: scatter and allgather, halving and gather; Open MPI's broadcasts \
          from 1 MiB on 16 ranks). An allreduce is recursive doubling, of large vectors Rabenseifner's halving and doubling. \
          An allgather is a ring, of small blocks recursive doubling or Bruck's. An all-to-all is everyone with everyone, of \
          small blocks Bruck's. A gather and a scatter are binomial trees, or the root with everyone for Open MPI's large \
          blocks. A reduce-scatter is halving, of large vectors a ring (Open MPI) or everyone with everyone (MPICH). Trees \
          of other shapes count as binomial, ranks as one a node, elements as of 8 bytes. All-to-alls of equal blocks stay \
          uniform blocks. A run that was cut short is what it did until then, and a note says so. matrix:file=DIR is the \
          same. ranks=N carries it to more ranks, as the schedule of the same name does.\n\
          Source: coll_tuned_decision_fixed.c of Open MPI 4.1 and 5.0, maint/tuning/coll/mpir/generic.json of MPICH 3.4 to \
          5.0; other libraries count as neither.",
    example: "recording:file=testdata/recordings/ring-4",
    params: &[param("file", "path", "", "the directory"), param("ranks", "count", "as recorded", "carried to so many")],
};

/// What a recorded program sent: see the list.
#[derive(Debug, Clone)]
pub struct Recorded {
    path: String,
    ranks: Option<u32>,
    traffic: Traffic,
}

impl Recorded {
    /// Reads a directory of a recording, as it is or carried to more ranks.
    ///
    /// # Errors
    /// It holds no recording, or one that cannot be carried to so many ranks.
    pub fn open(path: &str, ranks: Option<u32>, files: &dyn Files) -> Result<Recorded> {
        let recorded = carried(path, ranks, files, "matrix:file= reads matrices")?;
        let read = recording::demand_of_first(&recorded, files, path)?;
        Ok(Recorded { path: path.to_string(), ranks, traffic: Traffic { demand: read.demand, notes: read.notes } })
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<Recorded> {
        Recorded::open(&reader.need::<String>("file")?, reader.get("ranks")?, context.files)
    }

    pub(super) fn params(&self) -> Params {
        Params::named(ENTRY.name).with("file", &self.path[..]).maybe("ranks", self.ranks)
    }

    pub(super) fn make(self) -> Result<Traffic> {
        Ok(self.traffic)
    }
}

/// The directory that `file` names, and its recording on as many ranks as `ranks` says; `others` says what reads other
/// files.
pub(crate) fn recorded(reader: &Reader, files: &dyn Files, others: &str) -> Result<(String, Recording)> {
    let path: String = reader.need("file")?;
    let recorded = reader.made(carried(&path, reader.get("ranks")?, files, others))?;
    Ok((path, recorded))
}

fn carried(path: &str, ranks: Option<u32>, files: &dyn Files, others: &str) -> Result<Recording> {
    if !recording::is_recording(files, path) {
        return Err(Error::argument("file", format!("{path}: no directory with streams of a recording"))
            .hint(format!("`hopline record` fills one; {others}")));
    }
    let recorded = recording::read(files, path)?;
    match ranks {
        Some(ranks) => recording::carry(&recorded, ranks).map_err(|e| e.refusing("ranks")),
        None => Ok(recorded),
    }
}
