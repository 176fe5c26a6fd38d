//! Whole flows on shortest paths, target by target.

use super::failures::push;
use super::{FAR, Shortest};
use crate::demand::Flows;
use crate::error::Result;
use crate::id::VertexId;

/// Tasks of one side of a block at one router, with one of their endpoints.
struct Side {
    router: u32,
    tasks: f64,
    example: VertexId,
}

impl Shortest {
    /// Visits every target's router, ascending, with the hops to it and what each router sends
    /// there; the visitor leaves that all zeros.
    pub(super) fn each_target(&self, flows: &Flows, mut visit: impl FnMut(u32, &[u16], &mut [f64])) -> Result<()> {
        let mut singles: Vec<(u32, usize)> =
            flows.entries.iter().enumerate().map(|(i, f)| (self.router(f.target).0, i)).collect();
        singles.sort_unstable();
        let sides: Vec<[Vec<Side>; 2]> =
            flows.blocks.iter().map(|b| [self.by_router(&b.sources), self.by_router(&b.targets)]).collect();
        let mut blocks: Vec<(u32, usize, usize)> = Vec::new();
        for (b, [_, targets]) in sides.iter().enumerate() {
            blocks.extend(targets.iter().enumerate().map(|(t, side)| (side.router, b, t)));
        }
        blocks.sort_unstable();
        let mut inflow = vec![0.0; self.states()];
        let all = (singles.len() + blocks.len()).saturating_mul(flows.parts.max(1) as usize);
        let (targets, mut cells) = (self.routers.len().min(all), Vec::new());
        let (mut singles, mut blocks) = (&singles[..], &blocks[..]);
        while let Some(to) = [singles.first().map(|s| s.0), blocks.first().map(|b| b.0)].into_iter().flatten().min() {
            let hops = self.hops_to_one_of(targets, to, &mut cells);
            let (mine, rest) = singles.split_at(singles.partition_point(|s| s.0 == to));
            singles = rest;
            for flow in mine.iter().map(|&(_, i)| &flows.entries[i]) {
                let from = self.router(flow.source).0 as usize;
                if hops[from] == FAR {
                    return Err(self.apart(flow.source, flow.target));
                }
                inflow[from] += flow.amount;
            }
            let (mine, rest) = blocks.split_at(blocks.partition_point(|b| b.0 == to));
            blocks = rest;
            for &(_, b, t) in mine {
                let [sources, targets] = &sides[b];
                let each = targets[t].tasks * flows.blocks[b].amount;
                // A vertex that is source and target sends itself nothing, but that crosses no link anyway.
                for source in sources {
                    if hops[source.router as usize] == FAR {
                        return Err(self.apart(source.example, targets[t].example));
                    }
                    inflow[source.router as usize] += source.tasks * each;
                }
            }
            visit(to, hops, &mut inflow);
        }
        Ok(())
    }

    /// Routers to which something goes.
    pub(super) fn target_routers(&self, flows: &Flows) -> u64 {
        let mut is_target = vec![false; self.routers.len()];
        let blocks = flows.blocks.iter().flat_map(|block| block.targets.iter().map(|t| t.0));
        flows
            .entries
            .iter()
            .map(|flow| flow.target)
            .chain(blocks)
            .for_each(|v| is_target[self.router(v).0 as usize] = true);
        is_target.into_iter().filter(|&is| is).count() as u64
    }

    /// Sends all inflow on to the target of `hops`, telling what passes each router on the way; leaves `inflow` all zeros.
    pub(super) fn drain(&self, hops: &[u16], inflow: &mut [f64], loads: &mut [f64], mut passes: impl FnMut(u32, f64)) {
        let mut layers: Vec<Vec<u32>> = Vec::new();
        for v in (0..inflow.len()).filter(|&v| inflow[v] != 0.0) {
            push(&mut layers, hops[v], v as u32);
        }
        let mut ways = Vec::new();
        for h in (1..layers.len()).rev() {
            let mut layer = std::mem::take(&mut layers[h]);
            layer.sort_unstable();
            for v in layer {
                let amount = std::mem::take(&mut inflow[v as usize]);
                passes(v, amount);
                self.gather(hops, v, &mut ways);
                let part = amount / ways.len() as f64;
                for &(link, next) in &ways {
                    loads[link.index()] += part;
                    if inflow[next as usize] == 0.0 {
                        layers[usize::from(hops[next as usize])].push(next);
                    }
                    inflow[next as usize] += part;
                }
            }
        }
        layers.first().into_iter().flatten().for_each(|&v| inflow[v as usize] = 0.0);
    }

    /// One side of a block by router, ascending.
    fn by_router(&self, side: &[(VertexId, u32)]) -> Vec<Side> {
        let one = |&(v, k): &(VertexId, u32)| Side { router: self.router(v).0, tasks: f64::from(k), example: v };
        let mut all: Vec<Side> = side.iter().map(one).collect();
        all.sort_by_key(|s| s.router);
        all.dedup_by(|next, kept| {
            let same = next.router == kept.router;
            if same {
                kept.tasks += next.tasks;
            }
            same
        });
        all
    }
}
