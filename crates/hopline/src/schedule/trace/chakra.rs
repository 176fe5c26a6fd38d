//! Chakra execution traces as schedules: nodes wait for their dependencies,
//! collectives are drawn by an algorithm of the list. The files are read by
//! [`crate::format::chakra`].

mod weave;

use super::super::collective::chosen::{
    ALLGATHER, ALLREDUCE, ALLTOALL, BARRIER, BROADCAST, Chosen, REDUCE, REDUCE_SCATTER,
};
use super::super::{Limit, Made};
use crate::entry::{Entry, Param, param};
use crate::error::{Error, Place, Result};
use crate::files::{Files, read_bytes};
use crate::format::chakra;
use crate::params::Reader;
use crate::traffic::Context;
use std::collections::BTreeMap;
use weave::Weave;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "chakra",
    summary: "Chakra execution traces (MLCommons), a file per rank",
    doc: "FILE.0.et, FILE.1.et and so on, plain or gzip. A node waits for its data_deps, with deps=all also for its ctrl_deps, and \
          for nothing else: none blocks its rank. A computation takes its duration, else num_ops at `gflops`; all computations of \
          a rank share one processor, in the order in which they may begin. Sends and receives meet by comm_src, comm_dst and \
          comm_tag, in their order. What waits for a receive goes on when its message is there; what waits for a send when that \
          has begun, as after MPI_Isend (in ASTRA-sim when its message has arrived), so it never waits for the other rank's \
          receive. The k-th collective of a process group meets the k-th of its other \
          ranks: those that name the group, all ranks where none is named, or those that `groups` lists, a JSON object of \
          names with arrays of ranks. comm_size is what a rank puts in. Collectives take the algorithms that the keys \
          name; gather and scatter go straight to and from the first rank.\n\
          Source: github.com/mlcommons/chakra, et_def.proto; sizes as ASTRA-sim reads them.",
    example: "chakra:file=testdata/schedules/step",
    params: &[
        param("file", "path", "", "the traces without .RANK.et"),
        param("groups", "path", "those that name it", "ranks of process groups, JSON"),
        param("deps", "data|all", "data", "which dependencies count"),
        param("gflops", "number", "1000", "speed of computations without a duration, in 10^9 operations per second"),
        ALLREDUCE,
        ALLGATHER,
        REDUCE_SCATTER,
        ALLTOALL,
        BROADCAST,
        REDUCE,
        BARRIER,
    ],
};

/// How nodes become operations.
struct Options {
    all_deps: bool,
    gflops: f64,
    algorithms: Chosen,
    groups: BTreeMap<String, Vec<u32>>,
    limit: Limit,
}

const CHOSEN: [Param; 7] = [ALLREDUCE, ALLGATHER, REDUCE_SCATTER, ALLTOALL, BROADCAST, REDUCE, BARRIER];

pub(in crate::schedule) fn make(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    let path: String = reader.need("file")?;
    let gflops: f64 = reader.or("gflops", 1000.0)?;
    if gflops <= 0.0 {
        return Err(reader.wrong("gflops", format!("`gflops` is {gflops}, expected more than 0")));
    }
    let algorithms = Chosen::read(reader, &CHOSEN)?;
    let groups = match reader.get::<String>("groups")? {
        Some(path) => read_groups(&path, context.files)?,
        None => BTreeMap::new(),
    };
    let how = Options { all_deps: reader.choice("deps", &["data", "all"])? == 1, gflops, algorithms, groups, limit };
    parse(&path, context.files, how)
}

fn read_groups(path: &str, files: &dyn Files) -> Result<BTreeMap<String, Vec<u32>>> {
    serde_json::from_slice(&read_bytes(files, path)?).map_err(|e| {
        Error::input(format!("{path}: {e}"))
            .hint("expected an object of names with arrays of ranks: {\"0\": [0, 1]}")
            .caused_by(e)
    })
}

/// Reads the traces `prefix.0.et`, `prefix.1.et` and so on.
fn parse(prefix: &str, files: &dyn Files, how: Options) -> Result<Made> {
    let (folder, stem) = prefix.rsplit_once('/').map_or((".", prefix), |(folder, stem)| (folder, stem));
    let rank_of = |name: &str| name.strip_prefix(stem)?.strip_prefix('.')?.strip_suffix(".et")?.parse::<u32>().ok();
    let names = files.list(if folder.is_empty() { "/" } else { folder }).unwrap_or_default();
    let ranks = names.iter().filter_map(|name| rank_of(name)).max().map_or(0, |last| last.saturating_add(1));
    if ranks == 0 {
        return Err(Error::input(format!("{prefix}.0.et: no such file")).hint("give the path without .0.et"));
    }
    let mut traces = Vec::new();
    for rank in 0..ranks {
        let path = format!("{prefix}.{rank}.et");
        traces.push(chakra::parse(&path, &read_bytes(files, &path)?)?);
    }
    let place = Place::new(prefix, 0);
    Ok(Weave::new(&traces, how).and_then(Weave::finish).map_err(|e| e.at(&place))?.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;
    use crate::format::chakra::tests::write;
    use crate::format::chakra::{Node, NodeKind};
    use crate::schedule::Volume;
    use crate::schedule::{Schedule, What};

    fn how() -> Options {
        let params = crate::params::Params::from_spec("chakra:file=d/t", &Place::new("test", 0)).expect("a spec");
        let algorithms = Chosen::read(&params.check(&ENTRY).expect("keys"), &CHOSEN).expect("defaults");
        Options { all_deps: false, gflops: 1000.0, algorithms, groups: BTreeMap::new(), limit: Limit::default() }
    }

    fn read(traces: &[Vec<Node>]) -> Result<Schedule> {
        let files = (0..).zip(traces).map(|(rank, nodes): (u32, _)| (format!("d/t.{rank}.et"), write(nodes)));
        parse("d/t", &Memory(files.collect()), how()).map(|made| made.schedule)
    }

    fn node(id: u64, kind: NodeKind, deps: &[u64]) -> Node {
        Node { id, kind, data_deps: deps.to_vec(), ..Node::default() }
    }

    fn allreduce(id: u64, deps: &[u64], bytes: u64, group: &str) -> Node {
        Node { bytes, group: group.into(), ..node(id, NodeKind::Collective, deps) }
    }

    #[test]
    fn a_step_computes_reduces_and_hands_on() {
        // Rank 3 waits for a message of rank 0, which leaves after the all-reduce.
        let rank = |r: u64| {
            let compute = Node { micros: 5, ..node(1, NodeKind::Compute, &[]) };
            let mut nodes = vec![compute, allreduce(2, &[1], 4096, "")];
            match r {
                0 => nodes.push(Node { peer: Some(3), bytes: 100, tag: 4, ..node(3, NodeKind::Send, &[2]) }),
                3 => nodes.push(Node { peer: Some(0), bytes: 100, tag: 4, ..node(3, NodeKind::Recv, &[2]) }),
                _ => {}
            }
            nodes
        };
        let s = read(&[rank(0), rank(1), rank(2), rank(3)]).expect("schedule");
        // A ring of 4 sends 2 * 3 parts of a quarter from every rank.
        assert_eq!(s.volume(), Volume { messages: 4 * 6 + 1, bytes: 4 * 6 * 1024 + 100 });
        let first = s.ops()[s.of(0, 2).start as usize];
        assert_eq!((first.what, first.amount), (What::Compute, 5000));
        assert!(s.of(0, 2).skip(1).all(|op| s.needs(op) > 0), "all else comes after the computation");
    }

    #[test]
    fn groups_are_those_that_name_them_and_sizes_what_ranks_put_in() {
        let of = |kind: u64, group: &str| vec![Node { comm_type: kind, ..allreduce(1, &[], 4000, group) }];
        let total =
            |kind: u64| read(&[of(kind, "a"), of(kind, "b"), of(kind, "a"), of(kind, "b")]).expect("ok").volume();
        assert_eq!(total(6), Volume { messages: 4, bytes: 4 * 2000 }, "all-to-all: half of it goes to the other");
        assert_eq!(total(2), Volume { messages: 4, bytes: 4 * 4000 }, "all-gather: all of it goes to the other");
        assert_eq!(total(7), Volume { messages: 4, bytes: 4 * 2000 }, "reduce-scatter");
        assert_eq!(total(3), Volume { messages: 2, bytes: 2 * 4000 }, "gather");
        assert_eq!(total(4), Volume { messages: 2, bytes: 2 * 2000 }, "scatter");
        let few = read(&[of(9, "a"), of(9, "a"), of(9, "a")]).expect("barrier");
        assert_eq!(few.volume().bytes, 0);
    }

    #[test]
    fn what_cannot_be_is_named() {
        let error = |traces: &[Vec<Node>]| read(traces).expect_err("wrong").to_string();
        assert!(error(&[vec![node(1, NodeKind::Compute, &[2])]]).contains("waits for node 2, which is not there"));
        let circle = vec![node(1, NodeKind::Compute, &[2]), node(2, NodeKind::Compute, &[1])];
        assert!(error(&[circle]).contains("node 1 of rank 0 waits for itself"));
        assert!(error(&[vec![node(1, NodeKind::Send, &[])]]).contains("names no rank"));
        assert!(error(&[vec![node(1, NodeKind::Other, &[]); 2]]).contains("two nodes with number 1"));
        let call = |n: u64| (0..n).map(|i| allreduce(i, &[], 8, "")).collect::<Vec<_>>();
        assert!(error(&[call(2), call(1)]).contains("rank 1 does not come to a collective"));
        assert!(error(&[call(1), vec![allreduce(0, &[], 9, "")]]).contains("are one collective but differ"));
    }
}
