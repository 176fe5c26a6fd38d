//! The traces of all ranks become one schedule: a node is added once all that it waits for is, a collective once all
//! its members have come to it.

use super::Options;
use crate::error::{Error, Result};
use crate::format::chakra::{Node, NodeKind};
use crate::schedule::collective::{Operation, Plot, TRACE_TAG, sized};
use crate::schedule::{Builder, OpId, Schedule};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
pub(super) struct Weave<'a> {
    traces: &'a [Vec<Node>],
    how: Options,
    ranks: Vec<Rank>,
    builder: Builder,
    members: FxHashMap<&'a str, Vec<u32>>,
    /// Collectives that some members have come to: (group, number) with (rank, node).
    open: FxHashMap<(&'a str, u32), Vec<(u32, u32)>>,
}

impl<'a> Weave<'a> {
    pub(super) fn new(traces: &'a [Vec<Node>], how: Options) -> Result<Weave<'a>> {
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

    pub(super) fn finish(mut self) -> Result<Schedule> {
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
