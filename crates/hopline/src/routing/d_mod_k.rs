//! D-mod-k on fat trees: the target's number decides every way up. Zahavi,
//! "D-Mod-K routing providing non-blocking traffic for shift permutations on
//! real life fat trees", 2010.

mod rule;

pub(crate) use rule::DModKRule;

use super::{Path, Route, Routing, check_whole, load_entries, mismatch, unreachable};
use crate::demand::{FlowBlock, Flows};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use crate::params::Reader;
use crate::topology::{FatTree, Topology};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "d-mod-k",
    summary: "fat tree: the target's number decides the way up, then the one way down",
    doc: "A vertex of level i that does not hold target d below it sends to its parent number \
          floor(d / (w_1*...*w_i)) mod w_(i+1), the endpoints being level 0; from there on one way leads down. So all \
          traffic to d that reaches a subtree's top passes its switch d mod (w_1*...*w_i). On k-ary n-trees no shift \
          of all endpoints puts more than one flow on a link.\n\
          roots=R takes d mod R for d on all ways up, so traffic concentrates on R of the tree's tops, and the other \
          switches above the leaves can be switched off (`hopline power`); 1 makes the fat tree a plain one.\n\
          Source: Zahavi, \"D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat \
          trees\", CCIT report 776, 2010. Fewer roots: Heller et al., \"ElasticTree: saving energy in data center networks\", \
          NSDI 2010.",
    example: "d-mod-k",
    params: &[param("roots", "count", "all", "tops of the tree that are used")],
};

/// D-mod-k routing: see [the list](super::LIST).
pub struct DModK {
    tree: FatTree,
    /// Tops that are used.
    roots: u32,
    fabric: Arc<Fabric>,
}

impl DModK {
    /// Over all roots of a fat tree's fabric.
    ///
    /// # Errors
    /// The fabric is not the whole network of this fat tree.
    pub fn new(tree: &FatTree, fabric: &Arc<Fabric>) -> Result<DModK> {
        check_whole(ENTRY.name, tree.clone(), fabric)?;
        Ok(DModK { tree: tree.clone(), roots: tree.tops[tree.height()], fabric: fabric.clone() })
    }

    /// The same over so many roots.
    ///
    /// # Errors
    /// There are none, or more than the tree has.
    pub fn roots(mut self, roots: u32) -> Result<DModK> {
        let all = self.tree.tops[self.tree.height()];
        if !(1..=all).contains(&roots) {
            return Err(Error::argument("roots", format!("{roots} roots of a fat tree that has {all}")));
        }
        self.roots = roots;
        Ok(self)
    }

    pub(super) fn read(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        Ok(Box::new(read_d_mod_k(reader, topology, fabric)?))
    }

    /// The same hop by hop.
    pub(crate) fn rule(&self) -> DModKRule {
        DModKRule::new(&self.tree, self.roots)
    }

    /// The link by which traffic to `target` leaves upwards the subtree of
    /// `level` around `endpoint`.
    #[inline]
    fn up(&self, level: usize, endpoint: VertexId, target: VertexId) -> LinkId {
        let t = &self.tree;
        t.up_link(&self.fabric, level, endpoint.0 / t.spans[level], self.top(level, target))
    }

    /// The switch above `level` that traffic to `target` passes, among those above one subtree.
    #[inline]
    fn top(&self, level: usize, target: VertexId) -> u32 {
        target.0 % self.roots % self.tree.tops[level + 1]
    }

    /// Levels that a message climbs.
    fn levels(&self, source: VertexId, target: VertexId) -> usize {
        let apart = |level: &usize| source.0 / self.tree.spans[*level] != target.0 / self.tree.spans[*level];
        (0..self.tree.height()).take_while(apart).count()
    }

    fn check_ends(&self, source: VertexId, target: VertexId) -> Result<()> {
        if self.fabric.is_endpoint(source) && self.fabric.is_endpoint(target) {
            return Ok(());
        }
        Err(unreachable(&self.fabric, source, target, "d-mod-k routes between endpoints only"))
    }

    /// Visits the links of the way in order.
    fn each_link(&self, source: VertexId, target: VertexId, mut visit: impl FnMut(LinkId)) -> Result<()> {
        self.check_ends(source, target)?;
        let top = self.levels(source, target);
        (0..top).for_each(|level| visit(self.up(level, source, target)));
        (0..top).rev().for_each(|level| visit(self.fabric.reverse(self.up(level, target, target))));
        Ok(())
    }

    /// A uniform block between two levels: from a subtree with S of the s source
    /// tasks, all to targets d elsewhere with d mod W = r share one link up; all
    /// from elsewhere to such targets within share the link back.
    fn load_level(&self, level: usize, block: &FlowBlock, loads: &mut [f64]) {
        let (span, tops) = (self.tree.spans[level], self.tree.tops[level + 1]);
        let residue = |v: VertexId| self.top(level, v) as usize;
        let mut total = vec![0.0; tops as usize];
        block.targets.iter().for_each(|&(v, k)| total[residue(v)] += f64::from(k));
        let used: Vec<usize> = (0..total.len()).filter(|&r| total[r] > 0.0).collect();
        let mut own = vec![0.0; tops as usize];
        for from in block.sources.chunk_by(|a, b| a.0.0 / span == b.0.0 / span) {
            let (tree, sent) = (from[0].0.0 / span, tasks(from) * block.amount);
            let within = part(&block.targets, span, tree);
            within.iter().for_each(|&(v, k)| own[residue(v)] += f64::from(k));
            for &r in &used {
                let link = self.tree.up_link(&self.fabric, level, tree, r as u32);
                loads[link.index()] += sent * (total[r] - own[r]);
            }
            within.iter().for_each(|&(v, _)| own[residue(v)] = 0.0);
        }
        let sources = tasks(&block.sources);
        for to in block.targets.chunk_by(|a, b| a.0.0 / span == b.0.0 / span) {
            let within = tasks(part(&block.sources, span, to[0].0.0 / span));
            let each = (sources - within) * block.amount;
            for &(v, k) in to {
                let link = self.fabric.reverse(self.up(level, v, v));
                loads[link.index()] += each * f64::from(k);
            }
        }
    }
}

/// The routing that a spec describes.
pub(crate) fn read_d_mod_k(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<DModK> {
    match topology {
        Topology::FatTree(t) => reader.set(DModK::new(t, fabric)?, "roots", DModK::roots),
        _ => Err(mismatch(reader, "d-mod-k", "a fat-tree", topology, fabric)),
    }
}

/// The vertices of one side of a block that lie in subtree `tree`.
fn part(side: &[(VertexId, u32)], span: u32, tree: u32) -> &[(VertexId, u32)] {
    let from = side.partition_point(|s| s.0.0 / span < tree);
    let to = side.partition_point(|s| s.0.0 / span <= tree);
    &side[from..to]
}

fn tasks(side: &[(VertexId, u32)]) -> f64 {
    side.iter().map(|s| f64::from(s.1)).sum()
}

impl Routing for DModK {
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    fn choices(&self, _: VertexId, _: VertexId) -> Result<u64> {
        Ok(1)
    }

    fn one_path(&self) -> bool {
        true
    }

    fn path(&self, source: VertexId, target: VertexId, _: u64, path: &mut Path) -> Result<()> {
        path.restart(1.0);
        self.each_link(source, target, |link| path.links.push(link))
    }

    /// O(levels).
    fn route(&self, source: VertexId, target: VertexId, route: &mut Route) -> Result<()> {
        route.clear();
        self.each_link(source, target, |link| route.push((link, 1.0)))
    }

    /// O(levels).
    fn hops(&self, source: VertexId, target: VertexId, _: &mut Route) -> Result<f64> {
        self.check_ends(source, target)?;
        Ok(2.0 * self.levels(source, target).saturating_sub(1) as f64)
    }

    /// O(entries * levels), and per block and level O(sources + targets + W +
    /// subtrees with sources * ways up to targets): at most O(links) in all.
    fn load(&self, flows: &Flows, loads: &mut [f64]) -> Result<()> {
        load_entries(self, &flows.entries, loads)?;
        for block in &flows.blocks {
            (0..self.tree.height()).for_each(|level| self.load_level(level, block, loads));
        }
        Ok(())
    }
}
