//! Recordings of MPI programs as schedules: what `hopline record` wrote, without a file in between.

use super::super::{Builder, Limit, Made, OpId};
use super::{COMPUTE, factor, scaled};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::format::recording::{Message, Performance, Stage};
use crate::params::Reader;
use crate::traffic::{self, Context};
use std::collections::BTreeMap;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "recording",
    summary: "a recorded MPI program: its messages, collectives spelled out, and what it computed between them",
    doc: "A directory that `hopline record` filled: the schedule that `hopline record merge --as goal` writes. A rank computes \
          between two calls for as long as the recording says: on the wall clock what went by, which on a core that ranks \
          share is too much, with --clock cpu what its thread ran. compute=0.5 is a machine on which that takes half as \
          long.\n\
          ranks=N carries the recording to a multiple of its ranks, if they are a grid around whose ends all do the same with \
          neighbours at the same distances (extents of 3 and more), collectives are of the whole world, and no call has \
          bytes for each rank. A rank then sends and computes as much as its model did (weak scaling), collectives are those of N \
          ranks; what cannot be carried is refused, and the reason said.",
    example: "recording:file=testdata/recordings/ring-4,compute=0.5",
    params: &[
        param("file", "path", "", "the directory"),
        COMPUTE,
        param("ranks", "count", "as recorded", "carried to so many"),
    ],
};

pub(in crate::schedule) fn make(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    let factor = factor(reader)?;
    let (path, recorded) = traffic::recorded(reader, context.files, "goal:file= reads schedules")?;
    let performance = Performance::new(&recorded)?;
    let mut builder = Builder::within(recorded.ranks.len() as u32, limit);
    for rank in 0..builder.ranks() {
        performance.rank(rank, &mut Part { builder: &mut builder, rank, after: Vec::new(), requests: BTreeMap::new() });
    }
    let schedule = builder.finish().map_err(|e| e.at(&crate::error::Place::new(&path, 0)))?;
    Ok(scaled(schedule.into(), factor))
}

/// What a rank does, one call behind the other.
struct Part<'a> {
    builder: &'a mut Builder,
    rank: u32,
    /// What the next operation requires.
    after: Vec<OpId>,
    requests: BTreeMap<u64, OpId>,
}

impl Part<'_> {
    fn behind(&mut self, op: OpId) {
        self.after.iter().for_each(|&before| self.builder.requires(op, before));
    }

    fn message(&mut self, op: OpId, request: Option<u64>) {
        self.behind(op);
        match request {
            Some(request) => drop(self.requests.insert(request, op)),
            None => self.after = vec![op],
        }
    }
}

impl Stage for Part<'_> {
    fn compute(&mut self, nanos: u64) {
        let op = self.builder.compute(self.rank, nanos);
        self.behind(op);
        self.after = vec![op];
    }

    fn send(&mut self, m: Message) {
        let op = self.builder.send(self.rank, m.peer, m.bytes, m.tag);
        self.message(op, m.request);
    }

    fn recv(&mut self, m: Message) {
        let op = self.builder.recv(self.rank, m.peer, m.bytes, m.tag);
        self.message(op, m.request);
    }

    fn wait(&mut self, requests: &[u64]) {
        let ended = requests.iter().filter_map(|request| self.requests.remove(request));
        self.after.extend(ended);
        // One operation stands for all of them.
        if self.after.len() > 1 {
            self.compute(0);
        }
    }
}
