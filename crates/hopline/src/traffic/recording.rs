//! What a recorded MPI program sent.

use super::{Context, Traffic};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::files::Files;
use crate::format::recording::{self, Recording};
use crate::params::Reader;

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

pub(super) fn make(reader: &Reader, context: &Context<'_>) -> Result<Traffic> {
    let (path, recorded) = recorded(reader, context.files, "matrix:file= reads matrices")?;
    let read = recording::demand_of_first(&recorded, context.files, &path)?;
    Ok(Traffic { demand: read.demand, notes: read.notes })
}

/// The directory that `file` names, and its recording on as many ranks as `ranks` says; `others` says what reads other
/// files.
pub(crate) fn recorded(reader: &Reader, files: &dyn Files, others: &str) -> Result<(String, Recording)> {
    let (path, ranks): (String, Option<u32>) = (reader.need("file")?, reader.get("ranks")?);
    if !recording::is_recording(files, &path) {
        return Err(Error::input(format!("{path}: no directory with streams of a recording"))
            .at(reader.place())
            .hint(format!("`hopline record` fills one; {others}")));
    }
    let recorded = recording::read(files, &path)?;
    let recorded = match ranks {
        Some(ranks) => recording::carry(&recorded, ranks).map_err(|e| e.at(reader.place_of("ranks")))?,
        None => recorded,
    };
    Ok((path, recorded))
}
