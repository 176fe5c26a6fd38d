//! Blocks of flows on hosts with several endpoints: what stays within a host is cut out, without a flow for every pair.

use super::FlowBlock;
use crate::fabric::Hosts;
use crate::id::{HostId, VertexId};
use rustc_hash::FxHashMap;

/// Endpoints with their numbers of tasks, on the two sides of a block.
type Sides = [Vec<(VertexId, u32)>; 2];

/// The hosts that a block has on both sides, not only by one and the same endpoint, and what of it is elsewhere.
pub(super) struct OnBothSides {
    /// Ascending, with what they have of each side.
    hosts: Vec<(HostId, Sides)>,
    rest: Sides,
}

impl OnBothSides {
    /// O(sides of the block * log).
    pub(super) fn new(block: &FlowBlock, hosts: &Hosts) -> OnBothSides {
        let mut own: FxHashMap<HostId, Sides> = FxHashMap::default();
        let sides = [&block.sources, &block.targets];
        for (side, all) in sides.iter().enumerate() {
            for &(v, tasks) in *all {
                if let Some(host) = hosts.owner(v) {
                    own.entry(host).or_default()[side].push((v, tasks));
                }
            }
        }
        own.retain(|_, [sources, targets]| match (&sources[..], &targets[..]) {
            ([], _) | (_, []) => false,
            ([from], [to]) => from.0 != to.0,
            _ => true,
        });
        let elsewhere = |v: VertexId| hosts.owner(v).is_none_or(|host| !own.contains_key(&host));
        let rest = sides.map(|all| all.iter().filter(|end| elsewhere(end.0)).copied().collect());
        let mut hosts: Vec<(HostId, Sides)> = own.into_iter().collect();
        hosts.sort_unstable_by_key(|(host, _)| *host);
        OnBothSides { hosts, rest }
    }

    /// Pairs of tasks at different endpoints of one host. O(endpoints).
    pub(super) fn pairs_within(&self) -> u64 {
        let tasks = |side: &[(VertexId, u32)]| side.iter().map(|end| u64::from(end.1)).sum::<u64>();
        let of = |(_, [sources, targets]): &(HostId, Sides)| {
            let at_one = sources.iter().map(|&(v, k)| {
                let found = targets.binary_search_by_key(&v, |end| end.0);
                found.map_or(0, |at| u64::from(k) * u64::from(targets[at].1))
            });
            tasks(sources) * tasks(targets) - at_one.sum::<u64>()
        };
        self.hosts.iter().map(of).sum()
    }

    /// Pairs of different endpoints of one host, with how many tasks of the one talk to how many of the other.
    pub(super) fn within(&self) -> impl Iterator<Item = (VertexId, VertexId, f64)> {
        let of = |(_, [sources, targets]): &(HostId, Sides)| {
            let pairs = sources.iter().flat_map(|&(a, k)| targets.iter().map(move |&(b, l)| (a, b, k, l)));
            let apart = pairs.filter(|(a, b, ..)| a != b);
            apart.map(|(a, b, k, l)| (a, b, f64::from(k) * f64::from(l))).collect::<Vec<_>>()
        };
        self.hosts.iter().flat_map(of)
    }

    /// Blocks that hold all pairs of different hosts once and none of one host: hosts are halved again and again, and each half
    /// sends to the other. At most twice as many blocks as hosts, with sides of O(endpoints * log hosts) together.
    pub(super) fn apart(self, amount: f64) -> Vec<FlowBlock> {
        let mut blocks = Vec::new();
        let mut add = |mut sources: Vec<(VertexId, u32)>, mut targets: Vec<(VertexId, u32)>| {
            if !sources.is_empty() && !targets.is_empty() {
                sources.sort_unstable();
                targets.sort_unstable();
                blocks.push(FlowBlock { sources, targets, amount });
            }
        };
        let OnBothSides { hosts, rest: [sources, targets] } = self;
        let side = |hosts: &[(HostId, Sides)], side: usize| -> Vec<(VertexId, u32)> {
            hosts.iter().flat_map(|(_, sides)| sides[side].iter().copied()).collect()
        };
        add(side(&hosts, 0), targets.clone());
        add(sources, [targets, side(&hosts, 1)].concat());
        let mut parts = vec![&hosts[..]];
        while let Some(part) = parts.pop() {
            if part.len() > 1 {
                let (left, right) = part.split_at(part.len() / 2);
                add(side(left, 0), side(right, 1));
                add(side(right, 0), side(left, 1));
                parts.extend([right, left]);
            }
        }
        blocks
    }
}

/// A block on striped rails as a block for each rail, where all its hosts have as many: from rail to rail, so that what stays within a host
/// is at one endpoint. None where they have not. O(sides * rails).
pub(super) fn striped(block: &FlowBlock, hosts: &Hosts) -> Option<Vec<FlowBlock>> {
    let by_host = |side: &[(VertexId, u32)]| -> Option<Vec<(HostId, u32)>> {
        let mut all = side.iter().map(|&(v, k)| Some((hosts.owner(v)?, k))).collect::<Option<Vec<(HostId, u32)>>>()?;
        all.sort_unstable_by_key(|(host, _)| *host);
        let of_one = |own: &[(HostId, u32)]| (own[0].0, own.iter().map(|end| end.1).sum());
        Some(all.chunk_by(|a, b| a.0 == b.0).map(of_one).collect())
    };
    let (sources, targets) = (by_host(&block.sources)?, by_host(&block.targets)?);
    let rails = hosts.endpoints(sources.first()?.0).len();
    if sources.iter().chain(&targets).any(|(host, _)| hosts.endpoints(*host).len() != rails) {
        return None;
    }
    let of = |rail: usize| {
        let side = |all: &[(HostId, u32)]| {
            let mut side: Vec<_> = all.iter().map(|&(host, k)| (hosts.endpoints(host)[rail], k)).collect();
            side.sort_unstable();
            side
        };
        FlowBlock { sources: side(&sources), targets: side(&targets), amount: block.amount / rails as f64 }
    };
    Some((0..rails).map(of).collect())
}
