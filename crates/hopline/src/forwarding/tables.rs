//! Forwarding by tables: at every router the target says the port, as in
//! InfiniBand switches. Filled from the paths of a routing that has such tables.

use super::hop_vcs::HopVcs;
use super::{At, Context, Forwarding, Header, Hop, NOWHERE, Queues, Wiring, terminals};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use crate::params::Reader;
use crate::rng::Rng;
use crate::routing::Path;

/// The header is the number of the path where a target has several
/// (InfiniBand's LMC), drawn anew for every packet.
pub struct TableHops {
    /// `port[(choice * routers + router) * endpoints + endpoint]`.
    port: Vec<u8>,
    routers: usize,
    endpoints: usize,
    choices: u64,
    /// Most links of a path.
    longest: u32,
    vcs: HopVcs,
}

/// No packet to that target passes there.
const UNUSED: u8 = u8::MAX;

/// Largest table, in entries of a byte.
const MOST_ENTRIES: usize = 1 << 28;

impl TableHops {
    pub(super) fn read(reader: &Reader, name: &str, context: &Context<'_>) -> Result<TableHops> {
        Self::new(context)
            .map_err(|e| e.at(reader.place()).hint(format!("`{name}` must lead from every endpoint to every other")))
    }

    /// Reads the tables off the paths of a routing. O(routers with endpoints *
    /// endpoints * hops).
    fn new(context: &Context<'_>) -> Result<TableHops> {
        let Context { wiring, routing, .. } = *context;
        let fabric = &**context.fabric;
        let (routers, endpoints) = (wiring.len(), wiring.home.len());
        let ends: Vec<VertexId> =
            (0..endpoints as u32).filter(|&e| wiring.home[e as usize] != NOWHERE).map(VertexId).collect();
        let mut sources = Vec::new();
        for &source in &ends {
            let router = wiring.router_of(source.0);
            if sources.last().is_none_or(|&(r, _)| r != router) {
                sources.push((router, source));
            }
        }
        let other = |t: VertexId| ends.iter().copied().find(|&e| e != t).unwrap_or(t);
        let mut choices = 1;
        for &target in &ends {
            choices = choices.max(routing.choices(other(target), target)?);
        }
        let size = choices.saturating_mul((routers * endpoints) as u64);
        if size > MOST_ENTRIES as u64 {
            return Err(Error::input(format!("tables of {size} entries, at most {MOST_ENTRIES} are held")));
        }
        let (port, vcs) = (vec![UNUSED; size as usize], HopVcs::new(wiring, routing.vcs()));
        let mut table = TableHops { port, routers, endpoints, choices, longest: 0, vcs };
        let mut path = Path::default();
        for &target in &ends {
            let own = routing.choices(other(target), target)?;
            for choice in 0..choices {
                for &(_, source) in sources.iter().filter(|s| s.1 != target) {
                    routing.path(source, target, choice % own, &mut path)?;
                    table.longest = table.longest.max(path.links.len() as u32);
                    table.note(wiring, fabric, choice, target, &path.links)?;
                }
                let (home, port) = (wiring.router_of(target.0), wiring.home[target.index()]);
                let cell = table.cell(choice as usize, home, target.0);
                table.port[cell] = wiring.offset(port);
            }
        }
        Ok(table)
    }

    fn cell(&self, choice: usize, router: u32, target: u32) -> usize {
        (choice * self.routers + router as usize) * self.endpoints + target as usize
    }

    /// Writes the ports along a path.
    fn note(
        &mut self,
        wiring: &Wiring,
        fabric: &Fabric,
        choice: u64,
        target: VertexId,
        links: &[LinkId],
    ) -> Result<()> {
        for &link in links {
            let Ok(router) = wiring.routers.binary_search(&fabric.source(link)) else { continue };
            let port = fabric.offset(link) as u8;
            let cell = self.cell(choice as usize, router as u32, target.0);
            if self.port[cell] != UNUSED && self.port[cell] != port {
                return Err(Error::input(format!(
                    "paths to {} part at {}: no table says that",
                    fabric.vertex_name(target),
                    fabric.vertex_name(fabric.source(link))
                )));
            }
            self.port[cell] = port;
        }
        Ok(())
    }
}

impl Forwarding for TableHops {
    fn vcs(&self) -> u8 {
        self.vcs.count()
    }

    fn inject(&self, _: u32, _: u32, _: &dyn Queues, rng: &mut Rng) -> Header {
        Header(rng.below(self.choices) as u32)
    }

    #[inline]
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        let port = self.port[self.cell(header.0 as usize, at.router, target)].into();
        Hop { port, vc: self.vcs.of(at, port) }
    }

    fn longest(&self) -> u32 {
        self.longest + 1
    }

    fn headers(&self, _: u32, _: u32) -> Vec<Header> {
        (0..self.choices as u32).map(Header).collect()
    }

    fn walks(&self, wiring: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        for target in (0..self.endpoints as u32).filter(|&t| wiring.home[t as usize] != NOWHERE) {
            for &source in &terminals(wiring) {
                self.headers(source, target).into_iter().for_each(|h| visit(source, target, h));
            }
        }
    }
}
