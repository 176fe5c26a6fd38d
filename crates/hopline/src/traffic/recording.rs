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
          that schedule (but that it has no one-sided calls). They are dissemination for a barrier, binomial trees for a \
          broadcast and a reduction (MPICH, 12 KiB and more on 8 ranks: scatter and allgather), recursive doubling for an \
          allreduce (of large vectors Rabenseifner's halving and doubling, of few bytes and ranks that are no power of two \
          a reduction and a broadcast), a ring for an allgather (of small blocks recursive doubling or Bruck's), everyone \
          with everyone for an all-to-all (of small blocks Bruck's) and a reduce-scatter, binomial trees for a gather \
          and a scatter of 8 ranks and more and the root with everyone for others. Trees of other shapes count as binomial. All-to-alls of equal blocks stay uniform blocks. A \
          run that was cut short is what it did until then, and a note says so. matrix:file=DIR is the same. ranks=N carries it \
          to more ranks, as the schedule of the same name does.\n\
          Source: the default tables of Open MPI 4.1 and 5.0 and of MPICH 3 and 4; other libraries count as neither.",
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
            .hint(format!("`hopline record run --out DIR -- mpirun ...` fills one; {others}")));
    }
    let recorded = recording::read(files, &path)?;
    let recorded = match ranks {
        Some(ranks) => recording::carry(&recorded, ranks).map_err(|e| e.at(reader.place_of("ranks")))?,
        None => recorded,
    };
    Ok((path, recorded))
}
