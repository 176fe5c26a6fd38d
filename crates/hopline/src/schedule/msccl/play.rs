//! A program as a schedule.

use super::check::of_program;
use super::finding::Fault;
use super::layout::Coll;
use super::run::{Wiring, order};
use super::{Program, form};
use crate::entry::{Entry, param};
use crate::error::{Error, Place, Result};
use crate::files::read_text;
use crate::params::{Bytes, Reader};
use crate::schedule::{Builder, Limit, Made, OpId, Schedule};
use crate::traffic::Context;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "msccl",
    summary: "a collective in MSCCL XML, as RCCL and MSCCL run it",
    doc: "Thread blocks of every GPU take their steps in order; the k-th send of a connection meets its k-th receive, and steps \
          wait for others of their GPU as the file says. A rank is a GPU. Copies and sums within a GPU take no time, and a \
          connection holds any number of messages.\n\
          `bytes` counts as `hopline collective` counts: a rank's shard for allgather, reduce-scatter, gather and scatter, the \
          block of a pair for all-to-all, else the vector. All chunks are equal; where they do not divide it, each is the next \
          larger number of bytes. `hopline collective check FILE` says whether it is right.\n\
          Source: github.com/microsoft/msccl-tools, github.com/ROCm/rccl.",
    example: "msccl:file=testdata/schedules/allgather-hub.xml,bytes=1M",
    params: &[param("file", "path", "", "the program"), param("bytes", "bytes", "1M", "size of the collective")],
};

pub(in crate::schedule) fn make(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    let path: String = reader.need("file")?;
    let bytes = reader.or("bytes", Bytes(1 << 20))?.0;
    let program = super::read(&path, &read_text(context.files, &path)?)?;
    let schedule = schedule(&path, &program, bytes, limit)?;
    let checked = of_program(&path, &program);
    let mut notes = checked.notes.clone();
    if !checked.is_right() {
        notes.push(format!("{path} is not right: {}", checked.verdict.sentence));
    }
    Ok(Made { schedule, notes })
}

/// The messages of a program's XML, chunk sizes from the size of the collective. O(steps x blocks of a GPU).
///
/// # Errors
/// It is malformed or hangs, or has more operations than the limit.
pub fn messages(path: &str, text: &str, bytes: u64, limit: Limit) -> Result<Schedule> {
    schedule(path, &super::read(path, text)?, bytes, limit)
}

/// The program as a schedule, chunk sizes from the size of the collective. O(steps x blocks of a GPU).
///
/// # Errors
/// It is malformed or hangs, or has more operations than the limit.
fn schedule(path: &str, program: &Program, bytes: u64, limit: Limit) -> Result<Schedule> {
    let refused = |found: super::Finding| {
        Error::input(format!("{} {}", found.place, found.text))
            .at(&Place::new(path, found.line))
            .hint("`hopline collective check` tells all that is wrong")
    };
    if let Some(found) = form::faults(program).into_iter().find(|found| found.fault != Fault::Limits) {
        return Err(refused(found));
    }
    let ranks = program.gpus.len() as u32;
    let parts = if Coll::named(&program.coll).is_some_and(Coll::has_parts) { ranks.max(1) } else { 1 };
    let chunk = bytes.div_ceil(u64::from((program.chunks / parts).max(1)));
    let wiring = Wiring::new(program);
    let order = order(program, &wiring, usize::MAX).map_err(refused)?;
    let mut builder = Builder::within(ranks, limit);
    builder.has_room(order.len() as u64)?;
    let mut ends: Vec<Vec<OpId>> = vec![Vec::new(); wiring.blocks.len()];
    for (at, number) in order {
        let (rank, block) = wiring.blocks[at as usize];
        let gpu = &program.gpus[rank as usize];
        let own = &gpu.blocks[block as usize];
        let step = &own.steps[number as usize];
        let awaited = step.awaited(gpu).map(|(block, last)| ends[wiring.first[rank as usize] as usize + block][last]);
        let before: Vec<OpId> = ends[at as usize].last().copied().into_iter().chain(awaited).collect();
        let amount = chunk.saturating_mul(step.count.max(0) as u64);
        let tag = own.channel as u32;
        let got = step.kind.receives().then(|| builder.recv(rank, own.recv as u32, amount, tag));
        let sent = step.kind.sends().then(|| builder.send(rank, own.send as u32, amount, tag));
        let local = (!step.kind.receives() && !step.kind.sends()).then(|| builder.compute(rank, 0));
        if let Some(first) = got.or(sent).or(local) {
            before.into_iter().for_each(|op| builder.requires(first, op));
        }
        if let (Some(sent), Some(got)) = (sent, got) {
            builder.requires(sent, got);
        }
        ends[at as usize].extend(sent.or(got).or(local));
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Volume, What};

    #[test]
    fn chunks_take_their_part_of_the_size() {
        let program = super::super::write::of_collective("allgather-ring", 4, 1000).expect("a ring");
        let schedule = schedule("a.xml", &program, 1000, Limit::default()).expect("a schedule");
        assert_eq!((schedule.ranks(), schedule.volume()), (4, Volume { messages: 12, bytes: 12_000 }));
        let waits = |op: &u32| schedule.needs(*op) > 0;
        let sends = schedule.of(0, 0).filter(|&op| schedule.ops()[op as usize].what == What::Send);
        assert_eq!(sends.filter(waits).count(), 2, "all but the first wait for what they pass on");
    }

    #[test]
    fn what_hangs_is_no_schedule() {
        let mut program = super::super::write::of_collective("allgather-ring", 3, 8).expect("a ring");
        let blocks = &mut program.gpus[1].blocks;
        blocks.iter_mut().flat_map(|block| &mut block.steps).for_each(|step| step.tells = false);
        let error = schedule("a.xml", &program, 8, Limit::default()).expect_err("nothing tells").to_string();
        assert!(error.contains("neither that nor a later one tells"), "{error}");
    }
}
