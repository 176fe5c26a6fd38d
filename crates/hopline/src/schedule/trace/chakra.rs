//! Chakra execution traces as schedules: nodes wait for their dependencies,
//! collectives are drawn by an algorithm of the list. The files are read by
//! [`crate::format::chakra`].

use super::super::collective::chosen::{
    ALLGATHER, ALLREDUCE, ALLTOALL, BARRIER, BROADCAST, Chosen, REDUCE, REDUCE_SCATTER,
};
use super::super::collective::{Operation, Plot, TRACE_TAG, sized};
use super::super::{Builder, Limit, Made, OpId, Schedule};
use crate::entry::{Entry, Param, param};
use crate::error::{Error, Place, Result};
use crate::files::{Files, read_bytes};
use crate::format::chakra::{self, Node, NodeKind};
use crate::params::Reader;
use crate::traffic::Context;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

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
struct How {
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
    let how = How { all_deps: reader.choice("deps", &["data", "all"])? == 1, gflops, algorithms, groups, limit };
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
fn parse(prefix: &str, files: &dyn Files, how: How) -> Result<Made> {
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

/// A rank while its nodes are added.
#[derive(Default)]
struct Rank {
    /// Per node: how many others it still waits for, all that it waits for, who waits for it, and
    /// the last of its operations.
    left: Vec<u32>,
    before: Vec<Vec<u32>>,
    after: Vec<Vec<u32>>,
    done: Vec<Option<OpId>>,
    /// Nodes that may be added, the first of the file first.
    ready: BinaryHeap<Reverse<u32>>,
    /// Per node, for collectives: their number in their group.
    turn: Vec<u32>,
}

impl Rank {
    fn new(rank: u32, nodes: &[Node], all_deps: bool) -> Result<Rank> {
        let mut r = Rank { after: vec![Vec::new(); nodes.len()], done: vec![None; nodes.len()], ..Rank::default() };
        let mut places = FxHashMap::default();
        for (place, node) in (0u32..).zip(nodes) {
            if places.insert(node.id, place).is_some() {
                return Err(Error::input(format!("rank {rank} has two nodes with number {}", node.id)));
            }
        }
        let mut turns: FxHashMap<&str, u32> = FxHashMap::default();
        for (place, node) in (0u32..).zip(nodes) {
            let control = node.ctrl_deps.iter().filter(|_| all_deps);
            let mut before = Vec::new();
            for id in node.data_deps.iter().chain(control) {
                let found = places.get(id).copied();
                before.push(found.ok_or_else(|| {
                    Error::input(format!("node {} of rank {rank} waits for node {id}, which is not there", node.id))
                })?);
            }
            before.sort_unstable();
            before.dedup();
            before.iter().for_each(|&b| r.after[b as usize].push(place));
            r.left.push(before.len() as u32);
            if before.is_empty() {
                r.ready.push(Reverse(place));
            }
            r.before.push(before);
            let turn = turns.entry(&node.group).or_default();
            r.turn.push(*turn);
            *turn += u32::from(node.kind == NodeKind::Collective);
        }
        Ok(r)
    }

    /// A node is added, and `op` is the last of it.
    fn end(&mut self, node: u32, op: OpId) {
        self.done[node as usize] = Some(op);
        for next in std::mem::take(&mut self.after[node as usize]) {
            self.left[next as usize] -= 1;
            if self.left[next as usize] == 0 {
                self.ready.push(Reverse(next));
            }
        }
    }
}

/// All traces while they become one schedule.
struct Weave<'a> {
    traces: &'a [Vec<Node>],
    how: How,
    ranks: Vec<Rank>,
    builder: Builder,
    members: FxHashMap<&'a str, Vec<u32>>,
    /// Collectives that some members have come to: (group, number) with (rank, node).
    open: FxHashMap<(&'a str, u32), Vec<(u32, u32)>>,
}

impl<'a> Weave<'a> {
    fn new(traces: &'a [Vec<Node>], how: How) -> Result<Weave<'a>> {
        let mut ranks = Vec::new();
        let mut members: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        for (number, nodes) in (0u32..).zip(traces) {
            ranks.push(Rank::new(number, nodes, how.all_deps)?);
            for node in nodes.iter().filter(|n| n.kind == NodeKind::Collective) {
                let of = members.entry(&node.group).or_default();
                if of.last() != Some(&number) {
                    of.push(number);
                }
            }
        }
        for (name, of) in &mut members {
            match how.groups.get(*name) {
                Some(given) => {
                    if let Some(rank) = of.iter().find(|rank| !given.contains(rank)) {
                        return Err(Error::input(format!("rank {rank} is in no list of group {name}, which it calls")));
                    }
                    of.clone_from(given);
                }
                None if name.is_empty() => *of = (0..traces.len() as u32).collect(),
                None => {}
            }
            if let Some(&rank) = of.iter().find(|&&rank| rank as usize >= traces.len()) {
                return Err(Error::input(format!("group {name} has rank {rank}, expected less than {}", traces.len())));
            }
        }
        let builder = Builder::within(traces.len() as u32, how.limit);
        Ok(Weave { traces, how, ranks, builder, members, open: FxHashMap::default() })
    }

    fn finish(mut self) -> Result<Schedule> {
        let mut work: Vec<u32> = (0..self.traces.len() as u32).rev().collect();
        while let Some(rank) = work.pop() {
            while let Some(Reverse(node)) = self.ranks[rank as usize].ready.pop() {
                work.extend(self.add(rank, node)?);
            }
        }
        if let Some((&(group, _), here)) = self.open.iter().min_by_key(|(key, _)| **key) {
            let all = &self.members[group];
            let missing = all.iter().find(|r| here.iter().all(|(rank, _)| rank != *r)).copied().unwrap_or(0);
            return Err(Error::input(format!(
                "rank {missing} does not come to a collective of group `{group}` that rank {} calls",
                here[0].0
            )));
        }
        for (rank, r) in self.ranks.iter().enumerate() {
            if let Some(node) = r.done.iter().position(Option::is_none) {
                let id = self.traces[rank][node].id;
                return Err(Error::input(format!("node {id} of rank {rank} waits for itself")));
            }
        }
        self.builder.finish()
    }

    /// Adds a node that may begin; answers ranks that have more to add.
    fn add(&mut self, rank: u32, number: u32) -> Result<Vec<u32>> {
        let node = &self.traces[rank as usize][number as usize];
        let wrong = |what: &str| Error::input(format!("node {} of rank {rank} {what}", node.id));
        let before = self.deps(rank, number);
        let peer = || {
            let peer = node.peer.and_then(|p| u32::try_from(p).ok()).filter(|&p| (p as usize) < self.traces.len());
            peer.ok_or_else(|| wrong("names no rank that it sends to or receives from").hint("comm_src and comm_dst"))
        };
        let tag = (node.tag as u32) & (u32::MAX >> 1);
        let op = match node.kind {
            NodeKind::Other => self.builder.compute(rank, node.micros.saturating_mul(1000)),
            NodeKind::Compute if node.micros == 0 => {
                self.builder.compute(rank, (node.num_ops as f64 / self.how.gflops).round() as u64)
            }
            NodeKind::Compute => self.builder.compute(rank, node.micros.saturating_mul(1000)),
            NodeKind::Send => {
                let to = peer()?;
                self.builder.send(rank, to, node.bytes, tag)
            }
            NodeKind::Recv => {
                let from = peer()?;
                self.builder.recv(rank, from, node.bytes, tag)
            }
            NodeKind::Collective => {
                let key = (node.group.as_str(), self.ranks[rank as usize].turn[number as usize]);
                let here = self.open.entry(key).or_default();
                here.push((rank, number));
                if here.len() < self.members[key.0].len() {
                    return Ok(Vec::new());
                }
                let here = self.open.remove(&key).unwrap_or_default();
                return self.draw(here);
            }
        };
        self.requires(op, before);
        self.builder.open(rank);
        self.ranks[rank as usize].end(number, op);
        Ok(Vec::new())
    }

    /// The operations that a node waits for; true where their beginning is enough.
    fn deps(&self, rank: u32, number: u32) -> Vec<(OpId, bool)> {
        let (r, nodes) = (&self.ranks[rank as usize], &self.traces[rank as usize]);
        let dep = |&b: &u32| Some((r.done[b as usize]?, nodes[b as usize].kind == NodeKind::Send));
        r.before[number as usize].iter().filter_map(dep).collect()
    }

    fn requires(&mut self, later: OpId, before: Vec<(OpId, bool)>) {
        for (earlier, begun) in before {
            if begun { self.builder.requires_begun(later, earlier) } else { self.builder.requires(later, earlier) }
        }
    }

    /// Draws a collective that all its members have come to; answers them.
    fn draw(&mut self, here: Vec<(u32, u32)>) -> Result<Vec<u32>> {
        let (rank, number) = here[0];
        let node = &self.traces[rank as usize][number as usize];
        let members = self.members[node.group.as_str()].clone();
        if let Some(&(other, at)) = here.iter().find(|h| {
            let n = &self.traces[h.0 as usize][h.1 as usize];
            (n.comm_type, n.bytes) != (node.comm_type, node.bytes)
        }) {
            let other_id = self.traces[other as usize][at as usize].id;
            let text = format!(
                "node {} of rank {rank} and node {other_id} of rank {other} are one collective but differ",
                node.id
            );
            return Err(Error::input(text).hint("collectives of a group come in one order on all its ranks"));
        }
        for &(rank, number) in &here {
            let before = self.deps(rank, number);
            let start = self.builder.compute(rank, 0);
            self.requires(start, before);
            self.builder.after(rank, start);
        }
        self.algorithm(node, &members)?;
        for &(rank, number) in &here {
            self.builder.wait(rank);
            let end = self.builder.compute(rank, 0);
            self.builder.open(rank);
            self.ranks[rank as usize].end(number, end);
        }
        Ok(members)
    }

    fn algorithm(&mut self, node: &Node, members: &[u32]) -> Result<()> {
        let n = members.len() as u64;
        // What a rank puts in, as our operations count it.
        let (operation, bytes) = match node.comm_type {
            0 => (Operation::AllReduce, node.bytes),
            1 => (Operation::Reduce, node.bytes),
            2 => (Operation::AllGather, node.bytes),
            3 | 4 => {
                self.straight(node.comm_type == 3, node.bytes, members);
                return Ok(());
            }
            5 => (Operation::Broadcast, node.bytes),
            6 => (Operation::AllToAll, node.bytes.div_ceil(n)),
            7 | 8 => (Operation::ReduceScatter, node.bytes.div_ceil(n)),
            9 => (Operation::Barrier, 0),
            other => return Err(Error::input(format!("node {} is a collective of unknown type {other}", node.id))),
        };
        if let Some(algorithm) = self.how.algorithms.of(operation).filter(|_| n > 1) {
            let keys = sized(bytes, 1);
            self.builder.has_room(algorithm.messages(members.len() as u32, &keys))?;
            algorithm.draw(&mut Plot::new(&mut self.builder, members, TRACE_TAG), &keys);
        }
        Ok(())
    }

    /// Gather to the first member, or scatter from it.
    fn straight(&mut self, gather: bool, bytes: u64, members: &[u32]) {
        let part = if gather { bytes } else { bytes.div_ceil(members.len() as u64) };
        for &other in &members[1..] {
            let (from, to) = if gather { (other, members[0]) } else { (members[0], other) };
            self.builder.send(from, to, part, TRACE_TAG);
            self.builder.recv(to, from, part, TRACE_TAG);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;
    use crate::format::chakra::tests::write;
    use crate::schedule::What;

    fn how() -> How {
        let params = crate::params::Params::from_spec("chakra:file=d/t", &Place::new("test", 0)).expect("a spec");
        let algorithms = Chosen::read(&params.check(&ENTRY).expect("keys"), &CHOSEN).expect("defaults");
        How { all_deps: false, gflops: 1000.0, algorithms, groups: BTreeMap::new(), limit: Limit::default() }
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
        assert_eq!(s.volume(), (4 * 6 + 1, 4 * 6 * 1024 + 100));
        let first = s.ops()[s.of(0, 2).start as usize];
        assert_eq!((first.what, first.amount), (What::Compute, 5000));
        assert!(s.of(0, 2).skip(1).all(|op| s.needs(op) > 0), "all else comes after the computation");
    }

    #[test]
    fn groups_are_those_that_name_them_and_sizes_what_ranks_put_in() {
        let of = |kind: u64, group: &str| vec![Node { comm_type: kind, ..allreduce(1, &[], 4000, group) }];
        let total =
            |kind: u64| read(&[of(kind, "a"), of(kind, "b"), of(kind, "a"), of(kind, "b")]).expect("ok").volume();
        assert_eq!(total(6), (4, 4 * 2000), "all-to-all: half of it goes to the other");
        assert_eq!(total(2), (4, 4 * 4000), "all-gather: all of it goes to the other");
        assert_eq!(total(7), (4, 4 * 2000), "reduce-scatter");
        assert_eq!(total(3), (2, 2 * 4000), "gather");
        assert_eq!(total(4), (2, 2 * 2000), "scatter");
        let few = read(&[of(9, "a"), of(9, "a"), of(9, "a")]).expect("barrier");
        assert_eq!(few.volume().1, 0);
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
