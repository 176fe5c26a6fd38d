//! [`Flows`]: a demand whose tasks have places, as the network sees it.

use super::Demand;
use super::hosts_apart::{OnBothSides, striped};
use crate::fabric::{Fabric, Rails};
use crate::id::{HostId, VertexId};
use std::ops::Range;

/// One endpoint sends an amount to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    /// The sender.
    pub source: VertexId,
    /// The receiver.
    pub target: VertexId,
    /// How much.
    pub amount: f64,
}

/// A uniform block of flows: a source with k tasks and a target with l tasks
/// exchange k*l times the amount. A vertex that is in both lists sends nothing
/// to itself.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowBlock {
    /// Senders with their numbers of tasks, ascending, no vertex twice.
    pub sources: Vec<(VertexId, u32)>,
    /// Receivers with their numbers of tasks, ascending, no vertex twice.
    pub targets: Vec<(VertexId, u32)>,
    /// Amount per pair of tasks.
    pub amount: f64,
}

/// What endpoints send to each other. Traffic within a host is free and left out, unless the
/// host's inside is part of the fabric.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Flows {
    /// Single flows, in the demand's order.
    pub entries: Vec<Flow>,
    /// Uniform blocks, none of them between endpoints of one host.
    pub blocks: Vec<FlowBlock>,
    /// What stays within hosts, what tasks send to themselves included.
    pub local: f64,
    /// What leaves its host.
    pub remote: f64,
    /// Into how many parts like this one they were cut; 0 where they are whole.
    pub parts: u32,
}

impl Flows {
    /// The demand between endpoints, where task t injects at `place[t]`.
    /// O(entries + sum of block sides); on hosts with several endpoints blocks are cut into at most twice as many as hosts: O(sides * log).
    /// On striped rails of hosts that have different numbers of them they are expanded: O(pairs of endpoints).
    pub fn new(demand: &Demand, place: &[VertexId], fabric: &Fabric) -> Flows {
        let mut flows = Flows::default();
        let hosts = fabric.hosts();
        let rails = (0..hosts.len()).any(|h| hosts.endpoints(HostId(h)).len() > 1);
        let same_host = |a: VertexId, b: VertexId| {
            a == b || (rails && hosts.owner(a).is_some() && hosts.owner(a) == hosts.owner(b))
        };
        for &(from, to, amount) in demand.entries() {
            let (source, target) = (place[from as usize], place[to as usize]);
            if same_host(source, target) {
                flows.local += amount;
            } else {
                flows.remote += amount;
            }
            if !hosts.is_free(source, target) {
                spread(fabric, Flow { source, target, amount }, &mut flows.entries);
            }
        }
        let mut count = vec![0u32; fabric.endpoints() as usize];
        for block in demand.blocks() {
            let sources = tally(block.sources.iter().map(|t| place[t as usize]), &mut count);
            let targets = tally(block.destinations.iter().map(|t| place[t as usize]), &mut count);
            let block = FlowBlock { sources, targets, amount: block.amount };
            if !rails {
                flows.remote += block.remote();
                flows.blocks.push(block);
                continue;
            }
            let both = OnBothSides::new(&block, hosts);
            flows.remote += block.remote() - both.pairs_within() as f64 * block.amount;
            match hosts.rails() {
                Rails::Stripe => match striped(&block, hosts).filter(|_| !hosts.have_insides()) {
                    Some(blocks) => flows.blocks.extend(blocks),
                    None => block.each_pair(|flow| {
                        if !hosts.is_free(flow.source, flow.target) {
                            spread(fabric, flow, &mut flows.entries);
                        }
                    }),
                },
                _ => {
                    let amount = block.amount;
                    if hosts.have_insides() {
                        let flow = |(source, target, pairs)| Flow { source, target, amount: pairs * amount };
                        flows.entries.extend(both.within().map(flow));
                    }
                    flows.blocks.extend(both.apart(amount));
                }
            }
        }
        // Inside blocks only what leaves its host was added up; the rest of the total stays.
        if !demand.blocks().is_empty() {
            flows.local = (demand.total() - flows.remote).max(0.0);
        }
        flows
    }
}

impl Flows {
    /// The flows whose ends lie in one part of the network, `part` having a cell per vertex.
    /// O(entries + sum of block sides * their parts).
    #[must_use]
    pub fn within(&self, part: &[u32]) -> Flows {
        let joined = |flow: &&Flow| part[flow.source.index()] == part[flow.target.index()];
        let entries: Vec<Flow> = self.entries.iter().filter(joined).copied().collect();
        let mut blocks = Vec::new();
        for block in &self.blocks {
            let mut parts: Vec<u32> = block.sources.iter().map(|s| part[s.0.index()]).collect();
            parts.sort_unstable();
            parts.dedup();
            let side = |side: &[(VertexId, u32)], p: u32| -> Vec<(VertexId, u32)> {
                side.iter().filter(|s| part[s.0.index()] == p).copied().collect()
            };
            let own = |p: u32| {
                let (sources, targets) = (side(&block.sources, p), side(&block.targets, p));
                (!targets.is_empty()).then_some(FlowBlock { sources, targets, amount: block.amount })
            };
            blocks.extend(parts.into_iter().filter_map(own));
        }
        let remote = entries.iter().map(|e| e.amount).sum::<f64>() + blocks.iter().map(FlowBlock::remote).sum::<f64>();
        Flows { entries, blocks, local: self.local, remote, parts: self.parts }
    }

    /// Where to cut so that so many parts have as many receivers each: the first receiver of every part, and the end.
    /// O(entries log entries + sum of block targets).
    pub(crate) fn cuts(&self, parts: usize) -> Vec<u32> {
        if parts <= 1 {
            return vec![0, u32::MAX];
        }
        let blocks = self.blocks.iter().flat_map(|block| block.targets.iter().map(|t| t.0.0));
        let mut targets: Vec<u32> = self.entries.iter().map(|flow| flow.target.0).chain(blocks).collect();
        targets.sort_unstable();
        targets.dedup();
        let inner = (1..parts).filter_map(|part| targets.get(targets.len() * part / parts).copied());
        [0].into_iter().chain(inner).chain([u32::MAX]).collect()
    }

    /// What goes to the receivers of a range, as one of so many parts; `remote` and `local` stay those of all.
    /// O(entries + sum of block sides).
    pub(crate) fn towards(&self, targets: Range<u32>, parts: u32) -> Flows {
        let entries = self.entries.iter().filter(|flow| targets.contains(&flow.target.0)).copied().collect();
        let within = |block: &FlowBlock| {
            let at = |vertex: u32| block.targets.partition_point(|t| t.0.0 < vertex);
            let own = block.targets[at(targets.start)..at(targets.end)].to_vec();
            (!own.is_empty()).then(|| FlowBlock { sources: block.sources.clone(), targets: own, amount: block.amount })
        };
        let blocks = self.blocks.iter().filter_map(within).collect();
        Flows { entries, blocks, local: self.local, remote: self.remote, parts }
    }
}

/// Adds a flow between hosts; on striped rails in equal parts from rail to rail.
pub(crate) fn spread(fabric: &Fabric, flow: Flow, entries: &mut Vec<Flow>) {
    let hosts = fabric.hosts();
    let (Rails::Stripe, Some(from), Some(to)) = (hosts.rails(), hosts.owner(flow.source), hosts.owner(flow.target))
    else {
        return entries.push(flow);
    };
    let (sources, targets) = (hosts.endpoints(from), hosts.endpoints(to));
    let rails = sources.len().max(targets.len());
    entries.extend((0..rails).map(|r| Flow {
        source: sources[r % sources.len()],
        target: targets[r % targets.len()],
        amount: flow.amount / rails as f64,
    }));
}

impl FlowBlock {
    /// Amount between different vertices: O(sources + targets).
    fn remote(&self) -> f64 {
        let tasks = |side: &[(VertexId, u32)]| side.iter().map(|s| u64::from(s.1)).sum::<u64>();
        let mut own = 0u64;
        let mut targets = self.targets.iter().peekable();
        for &(v, k) in &self.sources {
            while targets.next_if(|t| t.0 < v).is_some() {}
            if let Some(&&(w, l)) = targets.peek()
                && w == v
            {
                own += u64::from(k) * u64::from(l);
            }
        }
        (tasks(&self.sources) * tasks(&self.targets) - own) as f64 * self.amount
    }

    /// Every pair of different vertices as a flow.
    pub fn each_pair(&self, mut visit: impl FnMut(Flow)) {
        for &(source, k) in &self.sources {
            for &(target, l) in &self.targets {
                if source != target {
                    visit(Flow { source, target, amount: f64::from(k) * f64::from(l) * self.amount });
                }
            }
        }
    }
}

/// Counts how often each vertex occurs; `count` is all zeros before and after.
fn tally(vertices: impl Iterator<Item = VertexId>, count: &mut [u32]) -> Vec<(VertexId, u32)> {
    let mut seen = Vec::new();
    for v in vertices {
        if count[v.index()] == 0 {
            seen.push(v);
        }
        count[v.index()] += 1;
    }
    seen.sort_unstable();
    seen.into_iter().map(|v| (v, std::mem::take(&mut count[v.index()]))).collect()
}
