//! Dimension order on networks of lines: meshes, whose lines lead from neighbour to
//! neighbour, and HyperX, whose lines join all their routers. Dimensions only ascend and no
//! line wraps around, so one virtual channel is enough.

use super::{Path, Route, Routing, check_whole, dor, host_link};
use crate::error::Result;
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use crate::topology::{HyperX, Lines, Mesh, Topology};
use std::sync::Arc;

/// Dimension order on a mesh or a HyperX: see [the list](super::LIST). The digits of a path's number, one a dimension, say which of
/// parallel cables it takes.
pub struct LineOrder {
    lines: Lines,
    fabric: Arc<Fabric>,
}

impl LineOrder {
    /// Dimension by dimension through a mesh's fabric.
    ///
    /// # Errors
    /// The fabric is not the whole network of this mesh.
    pub fn on_mesh(mesh: &Mesh, fabric: &Arc<Fabric>) -> Result<LineOrder> {
        LineOrder::new(mesh.clone().into(), mesh.lines(), fabric)
    }

    /// Dimension by dimension through a HyperX's fabric.
    ///
    /// # Errors
    /// The fabric is not the whole network of this HyperX.
    pub fn on_hyperx(hyperx: &HyperX, fabric: &Arc<Fabric>) -> Result<LineOrder> {
        LineOrder::new(hyperx.clone().into(), hyperx.lines(), fabric)
    }

    /// Along the lines of a family.
    pub(super) fn new(family: Topology, lines: Lines, fabric: &Arc<Fabric>) -> Result<LineOrder> {
        check_whole(dor::ENTRY.name, family, fabric)?;
        Ok(LineOrder { lines, fabric: fabric.clone() })
    }

    /// The router of a vertex, counted from the first, with its injection where it has one.
    fn router(&self, v: VertexId) -> (u32, Option<LinkId>) {
        let inject = host_link(&self.fabric, v);
        (inject.map_or(v, |link| self.fabric.target(link)).0 - self.first(), inject)
    }

    /// The vertex of the first router: endpoints come first, where they are no routers.
    fn first(&self) -> u32 {
        if self.fabric.switches() > 0 { self.fabric.endpoints() } else { 0 }
    }

    /// Visits the routers after the first, with the cable of its trunk by which each is reached.
    fn walk(&self, mut at: u32, target: u32, mut choice: u64, mut visit: impl FnMut(u32, u64)) {
        let mut stride = 1;
        for (&k, &cables) in self.lines.dims.iter().zip(&self.lines.cables) {
            let cable = choice % u64::from(cables);
            choice /= u64::from(cables);
            loop {
                let (x, y) = (at / stride % k, target / stride % k);
                if x == y {
                    break;
                }
                let next = match self.lines.are_joined {
                    true => y,
                    false if y > x => x + 1,
                    false => x - 1,
                };
                at = at - x * stride + next * stride;
                visit(at, cable);
            }
            stride *= k;
        }
    }
}

impl Routing for LineOrder {
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// The product of all trunks, whether a path uses them or not: so that each number is a table.
    fn choices(&self, _: VertexId, _: VertexId) -> Result<u64> {
        Ok(self.lines.cables.iter().fold(1u64, |n, &k| n.saturating_mul(u64::from(k))))
    }

    fn one_path(&self) -> bool {
        self.lines.cables.iter().all(|&k| k == 1)
    }

    /// O(hops * ports).
    fn path(&self, source: VertexId, target: VertexId, choice: u64, path: &mut Path) -> Result<()> {
        path.restart(1.0 / self.choices(source, target)? as f64);
        if source == target {
            return Ok(());
        }
        let ((mut at, inject), (to, eject)) = (self.router(source), self.router(target));
        path.links.extend(inject);
        let first = self.first();
        self.walk(at, to, choice, |next, cable| {
            let here = |&l: &LinkId| self.fabric.target(l).0 == first + next;
            path.links.extend(self.fabric.out_links(VertexId(first + at)).filter(here).nth(cable as usize));
            at = next;
        });
        path.links.extend(eject.map(|l| self.fabric.reverse(l)));
        Ok(())
    }

    /// O(dimensions).
    fn hops(&self, source: VertexId, target: VertexId, _: &mut Route) -> Result<f64> {
        let (mut from, mut to) = (self.router(source).0, self.router(target).0);
        let mut hops = 0;
        for &k in &self.lines.dims {
            let far = (from % k).abs_diff(to % k);
            hops += if self.lines.are_joined { far.min(1) } else { far };
            (from, to) = (from / k, to / k);
        }
        Ok(f64::from(hops))
    }
}
