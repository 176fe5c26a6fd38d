//! Loads of one target from many sources at once.

use super::super::unreachable;
use super::Table;
use crate::error::Result;
use crate::id::VertexId;

/// The tree along which all switches forward one LID, summed from its leaves.
pub(super) struct Tree<'a> {
    table: &'a Table,
    /// Per switch: what arrived and must go on.
    inflow: Vec<f64>,
    /// Per switch: links to the target, or `UNKNOWN`.
    depth: Vec<u32>,
    layers: Vec<Vec<u32>>,
}

const UNKNOWN: u32 = u32::MAX;

impl<'a> Tree<'a> {
    pub(super) fn new(table: &'a Table) -> Self {
        let switches = table.fabric.switches() as usize;
        Tree { table, inflow: vec![0.0; switches], depth: vec![UNKNOWN; switches], layers: Vec::new() }
    }

    pub(super) fn load(
        &mut self,
        target: VertexId,
        lid: u16,
        sources: impl Iterator<Item = (VertexId, f64)>,
        loads: &mut [f64],
    ) -> Result<()> {
        let f = &*self.table.fabric;
        let first = f.endpoints();
        let mut stack = Vec::new();
        for (source, amount) in sources {
            let mut at = source;
            if f.is_endpoint(at) {
                let Some(link) = f.out_links(at).next() else {
                    return Err(unreachable(f, source, target, "the adapter has no link"));
                };
                loads[link.index()] += amount;
                at = f.target(link);
            }
            if at == target {
                continue;
            }
            // Depths along the way, and every switch into its layer once.
            let entry = at;
            stack.clear();
            while at != target && !f.is_endpoint(at) && self.depth[(at.0 - first) as usize] == UNKNOWN {
                stack.push(at);
                match self.table.forward(at, lid) {
                    Ok(Some(link)) if stack.len() <= f.switches() as usize => at = f.target(link),
                    // The walk finds the same fault again and words it.
                    _ => return self.table.walk(source, target, lid, |_| ()),
                }
            }
            if at != target && f.is_endpoint(at) {
                return self.table.walk(source, target, lid, |_| ());
            }
            let mut depth = if at == target { 0 } else { self.depth[(at.0 - first) as usize] };
            while let Some(v) = stack.pop() {
                depth += 1;
                let s = v.0 - first;
                self.depth[s as usize] = depth;
                self.layers.resize(self.layers.len().max(depth as usize + 1), Vec::new());
                self.layers[depth as usize].push(s);
            }
            if !f.is_endpoint(entry) {
                self.inflow[(entry.0 - first) as usize] += amount;
            }
        }
        for layer in self.layers.iter_mut().rev() {
            for s in layer.drain(..) {
                self.depth[s as usize] = UNKNOWN;
                let amount = std::mem::take(&mut self.inflow[s as usize]);
                if let Ok(Some(link)) = self.table.forward(VertexId(first + s), lid) {
                    loads[link.index()] += amount;
                    let next = f.target(link);
                    if next != target {
                        self.inflow[(next.0 - first) as usize] += amount;
                    }
                }
            }
        }
        Ok(())
    }
}
