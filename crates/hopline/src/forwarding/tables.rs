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

/// Where no path to a target was seen to go on.
const UNSEEN: u16 = u16::MAX;

/// Largest table, in entries of a byte.
const MOST_ENTRIES: usize = 1 << 28;

impl TableHops {
    pub(super) fn read(reader: &Reader, name: &str, context: &Context<'_>) -> Result<TableHops> {
        Self::new(context)
            .map_err(|e| e.at(reader.place()).hint(format!("`{name}` must lead from every endpoint to every other")))
    }

    /// Reads the tables off the paths of a routing: to every target from the routers that no path before led through.
    /// O(routers with endpoints * endpoints + (those at the ends of paths) * hops).
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
        let (port, vcs) = (vec![0; size as usize], HopVcs::new(wiring, routing.vcs()));
        let mut table = TableHops { port, routers, endpoints, choices, longest: 0, vcs };
        let mut number = vec![NOWHERE; fabric.vertices() as usize];
        (0u32..).zip(&wiring.routers).for_each(|(r, v)| number[v.index()] = r);
        let (mut path, mut row) = (Path::default(), vec![UNSEEN; routers]);
        for &target in &ends {
            let own = routing.choices(other(target), target)?;
            let (home, last) = (wiring.router_of(target.0), wiring.offset(wiring.home[target.index()]));
            for choice in 0..choices {
                row.fill(UNSEEN);
                for &(router, source) in sources.iter().filter(|s| s.1 != target) {
                    if router != home && row[router as usize] == UNSEEN {
                        routing.path(source, target, choice % own, &mut path)?;
                        table.longest = table.longest.max(path.links.len() as u32);
                        note(fabric, wiring, &number, target, &path.links, &mut row)?;
                    }
                }
                row[home as usize] = last.into();
                for (router, &port) in (0u32..).zip(&row).filter(|(_, port)| **port != UNSEEN) {
                    let cell = table.cell(choice as usize, router, target.0);
                    table.port[cell] = port as u8;
                }
            }
        }
        Ok(table)
    }

    fn cell(&self, choice: usize, router: u32, target: u32) -> usize {
        (choice * self.routers + router as usize) * self.endpoints + target as usize
    }
}

/// Writes the ports along a path to a target into its row, by the numbers of routers.
fn note(
    fabric: &Fabric,
    wiring: &Wiring,
    number: &[u32],
    target: VertexId,
    links: &[LinkId],
    row: &mut [u16],
) -> Result<()> {
    for &link in links {
        let Some(cell) = row.get_mut(number[fabric.source(link).index()] as usize) else { continue };
        let port = wiring.port_of(fabric, link);
        if *cell != UNSEEN && *cell != port {
            return Err(Error::input(format!(
                "paths to {} part at {}: no table says that",
                fabric.vertex_name(target),
                fabric.vertex_name(fabric.source(link))
            )));
        }
        *cell = port;
    }
    Ok(())
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

    fn is_header(&self, header: Header) -> bool {
        u64::from(header.0) < self.choices
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
