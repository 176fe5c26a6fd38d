//! Valiant routing on any network: by way of a random router, on shortest paths before
//! and after it. Valiant, "A scheme for fast parallel communication", 1982.

use super::{FAR, Path, Route, Routing, Shortest, load_host_links};
use crate::demand::Flows;
use crate::error::Result;
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use crate::routing::{Bundles, split};
use std::sync::{Arc, OnceLock};

/// By way of every router with endpoints, with equal shares: see [the list](crate::routing::LIST). Messages between
/// endpoints of one router stay there.
pub struct Valiant {
    shortest: Shortest,
    /// Places of the routers with endpoints, ascending.
    homes: Vec<u32>,
    /// Per endpoint the number of its router among those.
    home: Vec<u32>,
    /// Number of shortest paths from every router to those (saturating), found when first asked for.
    paths: Vec<OnceLock<Box<[u64]>>>,
}

impl Valiant {
    /// Valiant routing of any network whose cables lead both ways. O(vertices log vertices + links).
    ///
    /// # Errors
    /// Not all routers with endpoints are joined, so that some in the middle could not be reached.
    pub fn new(fabric: Arc<Fabric>) -> Result<Valiant> {
        Valiant::over(Shortest::new(fabric))
    }

    /// The same with legs on given paths.
    pub(crate) fn over(shortest: Shortest) -> Result<Valiant> {
        let places: Vec<u32> = (0..shortest.fabric.endpoints()).map(|e| shortest.router(VertexId(e)).0).collect();
        let mut homes = places.clone();
        homes.sort_unstable();
        homes.dedup();
        let home = places.iter().map(|&place| homes.partition_point(|&other| other < place) as u32).collect();
        let paths = homes.iter().map(|_| OnceLock::new()).collect();
        if let Some(&first) = homes.first() {
            let hops = shortest.hops_to(first);
            if let Some(&alone) = homes.iter().find(|&&home| hops[home as usize] == FAR) {
                return Err(shortest.apart(shortest.routers[first as usize], shortest.routers[alone as usize]));
            }
        }
        Ok(Valiant { shortest, homes, home, paths })
    }

    /// The legs.
    pub(crate) fn shortest(&self) -> &Shortest {
        &self.shortest
    }

    /// The paths to a router with endpoints, which are also those from there.
    fn paths(&self, home: u32) -> &[u64] {
        self.paths[home as usize].get_or_init(|| {
            let hops = self.shortest.hops_to(self.homes[home as usize]);
            let mut order: Vec<u32> = (0..hops.len() as u32).filter(|&r| hops[r as usize] != FAR).collect();
            order.sort_by_key(|&r| hops[r as usize]);
            let mut paths = vec![0u64; hops.len()].into_boxed_slice();
            for r in order {
                let onward = self.shortest.nearer(hops, r).map(|(_, next)| paths[next as usize]);
                paths[r as usize] = if hops[r as usize] == 0 { 1 } else { onward.fold(0, u64::saturating_add) };
            }
            paths
        })
    }

    /// Routers with endpoints by number.
    fn middles(&self, source: u32, target: u32) -> impl Iterator<Item = Middle> + '_ {
        let (to, from) = (self.paths(source), self.paths(target));
        self.homes.iter().map(move |&m| Middle {
            router: self.shortest.routers[m as usize],
            to: to[m as usize],
            from: from[m as usize],
        })
    }

    /// The routers of two endpoints, by number; `None` where it is one.
    fn apart(&self, source: VertexId, target: VertexId) -> Option<(u32, u32)> {
        let (s, t) = (self.home[source.index()], self.home[target.index()]);
        (s != t).then_some((s, t))
    }

    /// The injection and the ejection of an endpoint.
    fn host_links(&self, endpoint: VertexId) -> Option<(LinkId, LinkId)> {
        let inject = self.shortest.router(endpoint).1?;
        Some((inject, self.shortest.fabric.reverse(inject)))
    }

    /// What each router with endpoints sends to others, and what it gets from them. O(entries + sides of blocks).
    fn sums(&self, flows: &Flows) -> (Vec<f64>, Vec<f64>) {
        let (mut sent, mut got) = (vec![0.0; self.homes.len()], vec![0.0; self.homes.len()]);
        let at = |v: VertexId| self.home[v.index()] as usize;
        for flow in flows.entries.iter().filter(|flow| at(flow.source) != at(flow.target)) {
            sent[at(flow.source)] += flow.amount;
            got[at(flow.target)] += flow.amount;
        }
        for block in &flows.blocks {
            let by_router = |side: &[(VertexId, u32)]| {
                let mut tasks = vec![0u64; self.homes.len()];
                side.iter().for_each(|&(v, k)| tasks[at(v)] += u64::from(k));
                tasks
            };
            let (sources, targets) = (by_router(&block.sources), by_router(&block.targets));
            let [from_all, to_all] = [&sources, &targets].map(|side| side.iter().sum::<u64>());
            for (r, (&own, &other)) in sources.iter().zip(&targets).enumerate() {
                sent[r] += own as f64 * (to_all - other) as f64 * block.amount;
                got[r] += other as f64 * (from_all - own) as f64 * block.amount;
            }
        }
        (sent, got)
    }
}

/// A router in the middle, with the paths to it and from it.
struct Middle {
    router: VertexId,
    to: u64,
    from: u64,
}

impl Routing for Valiant {
    fn fabric(&self) -> &Fabric {
        &self.shortest.fabric
    }

    fn choices(&self, source: VertexId, target: VertexId) -> Result<u64> {
        let Some((s, t)) = self.apart(source, target) else { return Ok(1) };
        Ok(self.middles(s, t).fold(0u64, |n, m| n.saturating_add(m.to.saturating_mul(m.from))))
    }

    /// O(routers with endpoints).
    fn path(&self, source: VertexId, target: VertexId, mut choice: u64, path: &mut Path) -> Result<()> {
        let Some((s, t)) = self.apart(source, target) else {
            return self.shortest.path(source, target, 0, path);
        };
        for Middle { router: middle, to, from } in self.middles(s, t) {
            let here = to.saturating_mul(from);
            if choice >= here {
                choice -= here;
                continue;
            }
            self.shortest.path(source, middle, choice % to, path)?;
            let mut second = Path::default();
            self.shortest.path(middle, target, choice / to, &mut second)?;
            path.links.extend(second.links);
            path.share *= second.share / self.homes.len() as f64;
            break;
        }
        Ok(())
    }

    /// A router in the middle, then both ways hop by hop. O(ports on the way).
    fn draw(&self, source: VertexId, target: VertexId, _: u64, mut point: u64, path: &mut Path) -> Result<u64> {
        if self.apart(source, target).is_none() {
            return self.shortest.draw(source, target, 1, point, path);
        }
        let middle = split(&mut point, self.homes.len() as u64);
        let middle = self.shortest.routers[self.homes[middle as usize] as usize];
        path.restart(1.0 / self.homes.len() as f64);
        self.shortest.add_drawn(source, middle, &mut point, path)?;
        self.shortest.add_drawn(middle, target, &mut point, path)?;
        Ok(0)
    }

    /// O(routers with endpoints * links on the way).
    fn route(&self, source: VertexId, target: VertexId, route: &mut Route) -> Result<()> {
        if self.apart(source, target).is_none() {
            return self.shortest.route(source, target, route);
        }
        let each = 1.0 / self.homes.len() as f64;
        let (mut whole, mut leg) = (Route::new(), Route::new());
        for middle in self.homes.iter().map(|&m| self.shortest.routers[m as usize]) {
            for (from, to) in [(source, middle), (middle, target)] {
                self.shortest.route(from, to, &mut leg)?;
                whole.extend(leg.iter().map(|&(link, share)| (link, share * each)));
            }
        }
        *route = whole;
        Ok(())
    }

    /// O(routers with endpoints).
    fn hops(&self, source: VertexId, target: VertexId, _: &mut Route) -> Result<f64> {
        let Some((s, t)) = self.apart(source, target) else { return Ok(0.0) };
        let [to, from] = [s, t].map(|home| self.shortest.hops_to(self.homes[home as usize]));
        let leg = |length: u16| f64::from(self.shortest.hops(length));
        let both = |&m: &u32| leg(to[m as usize]) + leg(from[m as usize]);
        Ok(self.homes.iter().map(both).sum::<f64>() / self.homes.len() as f64)
    }

    /// To and from the router that is farthest from two others. O(routers with endpoints^2).
    fn most_hops(&self) -> u32 {
        let mut cells = Vec::new();
        let farthest = |&home: &u32| {
            let hops = self.shortest.hops_to_one_of(self.homes.len(), home, &mut cells);
            let all = self.homes.iter().map(|&r| self.shortest.hops(hops[r as usize]));
            let (first, second) = all.fold((0, 0), |(a, b), h| if h > a { (h, a) } else { (a, b.max(h)) });
            u32::from(first) + u32::from(second)
        };
        self.homes.iter().map(farthest).max().unwrap_or(0)
    }

    /// Both legs at once: towards every router what comes to be sent on, and what is for it. O(entries + sides of blocks +
    /// routers with endpoints * links).
    fn load(&self, flows: &Flows, loads: &mut [f64]) -> Result<()> {
        let (sent, got) = self.sums(flows);
        let each = 1.0 / self.homes.len().max(1) as f64;
        let (mut inflow, mut cells) = (vec![0.0; self.shortest.routers.len()], Vec::new());
        for (&home, got) in self.homes.iter().zip(&got) {
            for (&from, sent) in self.homes.iter().zip(&sent) {
                inflow[from as usize] = (sent + got) * each;
            }
            let hops = self.shortest.hops_to_one_of(self.homes.len(), home, &mut cells);
            self.shortest.drain(hops, &mut inflow, loads, |_, _| ());
        }
        load_host_links(&self.shortest.fabric, flows, loads);
        Ok(())
    }

    fn links_of_any_load(&self) -> u64 {
        self.homes.len() as u64 * self.shortest.fabric.links() as u64
    }

    fn bundles(&self) -> Option<&dyn Bundles> {
        Some(self)
    }
}

/// Injection and ejection of every endpoint, then from each router with endpoints to all others, and back from them.
impl Bundles for Valiant {
    fn count(&self) -> u32 {
        2 * (self.home.len() + self.homes.len()) as u32
    }

    fn of(&self, source: VertexId, target: VertexId, bundles: &mut Vec<u32>) {
        bundles.clear();
        if source == target {
            return;
        }
        let (ends, homes) = (self.home.len() as u32, self.homes.len() as u32);
        bundles.extend([source.0, ends + target.0]);
        let (s, t) = (self.home[source.index()], self.home[target.index()]);
        if s != t {
            bundles.extend([2 * ends + s, 2 * ends + homes + t]);
        }
    }

    fn links(&self, bundle: u32, route: &mut Route) {
        route.clear();
        let (ends, homes) = (self.home.len() as u32, self.homes.len() as u32);
        if bundle < 2 * ends {
            let links = self.host_links(VertexId(bundle % ends));
            route.extend(links.map(|(inject, eject)| (if bundle < ends { inject } else { eject }, 1.0)));
            return;
        }
        let (leg, home) = ((bundle - 2 * ends) / homes, (bundle - 2 * ends) % homes);
        let own = self.shortest.routers[self.homes[home as usize] as usize];
        let mut part = Route::new();
        for other in self.homes.iter().map(|&m| self.shortest.routers[m as usize]) {
            let (from, to) = if leg == 0 { (own, other) } else { (other, own) };
            // All are joined.
            if self.shortest.route(from, to, &mut part).is_ok() {
                route.append(&mut part);
            }
        }
        route.sort_by_key(|&(link, _)| link);
        route.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        route.iter_mut().for_each(|(_, share)| *share /= f64::from(homes));
    }
}
