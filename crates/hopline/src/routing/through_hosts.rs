//! Messages between processors of hosts whose insides are known: inside a host the way that NCCL would take, between hosts
//! from an adapter to an adapter as the network outside routes.

use super::{Path, Route, Routing, split, unreachable};
use crate::demand::{Flow, Flows};
use crate::error::{Error, Result};
use crate::fabric::{Fabric, Outside, Rails, WaysInside, adapter_of};
use crate::id::{HostId, LinkId, VertexId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

const NOT_OUTSIDE: u32 = u32::MAX;

/// A routing of the network outside, with the ways inside hosts before and behind it.
pub(super) struct ThroughHosts {
    fabric: Arc<Fabric>,
    outer: Box<dyn Routing>,
    /// Of every processor its ways inside its host, and the place of the adapter next to it.
    ways: Vec<(WaysInside, Option<usize>)>,
    /// Of every link its own in the network outside.
    own: Vec<u32>,
}

/// From an adapter of one host to one of another: their places in their hosts.
#[derive(Clone, Copy)]
struct Leg {
    ends: [usize; 2],
    share: f64,
}

impl ThroughHosts {
    /// Over `outer`, a routing of the network outside of `fabric`. O(processors * links of a host).
    ///
    /// # Errors
    /// The fabric's hosts have no insides.
    pub(super) fn new(fabric: &Arc<Fabric>, outer: Box<dyn Routing>) -> Result<ThroughHosts> {
        let outside = outside(fabric)?;
        let hosts = fabric.hosts();
        let ways = (0..fabric.endpoints()).map(VertexId).map(|e| {
            let ways = WaysInside::new(fabric, outside, e);
            let near = hosts.owner(e).and_then(|host| {
                let k = hosts.endpoints(host).iter().position(|&own| own == e)?;
                adapter_of(fabric, outside, outside.fabric().hosts().endpoints(host), e, k as u32)
            });
            (ways, near)
        });
        let ways = ways.collect();
        let mut own = vec![NOT_OUTSIDE; fabric.links()];
        outside.links().iter().zip(0..).for_each(|(l, at)| own[l.index()] = at);
        Ok(ThroughHosts { fabric: fabric.clone(), outer, ways, own })
    }

    fn outside(&self) -> Result<&Outside> {
        outside(&self.fabric)
    }

    fn ends(&self, source: VertexId, target: VertexId) -> Result<[HostId; 2]> {
        let owner = |v: VertexId| self.fabric.hosts().owner(v).ok_or_else(|| self.no_way(source, target));
        Ok([owner(source)?, owner(target)?])
    }

    fn no_way(&self, source: VertexId, target: VertexId) -> Error {
        unreachable(&self.fabric, source, target, "no links inside their hosts join them to adapters of one network")
    }

    /// From which adapters to which a message goes, with their shares; none inside a host.
    fn legs(&self, source: VertexId, target: VertexId) -> Result<Vec<Leg>> {
        let [from, to] = self.ends(source, target)?;
        if from == to {
            return Ok(Vec::new());
        }
        let hosts = self.outside()?.fabric().hosts();
        let rails = [from, to].map(|host| hosts.endpoints(host).len());
        if rails.contains(&0) {
            return Err(self.no_way(source, target));
        }
        let one = |a: usize, b: usize| Ok(vec![Leg { ends: [a % rails[0], b % rails[1]], share: 1.0 }]);
        let near = |v: VertexId| self.ways[v.index()].1.ok_or_else(|| self.no_way(source, target));
        let number = |v: VertexId, host: HostId| {
            self.fabric.hosts().endpoints(host).iter().position(|&own| own == v).unwrap_or_default()
        };
        match self.outside()?.rails() {
            Rails::Affine => one(near(source)?, near(target)?),
            Rails::RoundRobin => one(number(source, from), number(target, to)),
            Rails::One(n) => one(n as usize, n as usize),
            Rails::Stripe => {
                let most = rails[0].max(rails[1]);
                let leg = |r: usize| Leg { ends: [r % rails[0], r % rails[1]], share: 1.0 / most as f64 };
                Ok((0..most).map(leg).collect())
            }
        }
    }

    /// The adapters of a leg as endpoints of the network outside.
    fn adapters(&self, source: VertexId, target: VertexId, leg: Leg) -> Result<[VertexId; 2]> {
        let hosts = self.outside()?.fabric().hosts();
        let [from, to] = self.ends(source, target)?;
        Ok([hosts.endpoints(from)[leg.ends[0]], hosts.endpoints(to)[leg.ends[1]]])
    }

    /// Adds the way from a processor to its adapter, or back from it.
    fn add_inside(&self, processor: VertexId, part: VertexId, leaves: bool, links: &mut Vec<LinkId>) -> Result<()> {
        let start = links.len();
        if !self.ways[processor.index()].0.add(&self.fabric, part, links) {
            let (a, b) = if leaves { (processor, part) } else { (part, processor) };
            return Err(unreachable(&self.fabric, a, b, "no links inside the host join them"));
        }
        if !leaves {
            links[start..].reverse();
            links[start..].iter_mut().for_each(|l| *l = self.fabric.reverse(*l));
        }
        Ok(())
    }

    /// The links of a leg, `add` adding those outside.
    fn walk(
        &self,
        (source, target): (VertexId, VertexId),
        leg: Option<Leg>,
        links: &mut Vec<LinkId>,
        add: impl FnOnce([VertexId; 2], &mut Vec<LinkId>) -> Result<()>,
    ) -> Result<()> {
        let Some(leg) = leg else { return self.add_inside(source, target, true, links) };
        let (outside, adapters) = (self.outside()?, self.adapters(source, target, leg)?);
        self.add_inside(source, outside.vertex(adapters[0]), true, links)?;
        add(adapters, links)?;
        self.add_inside(target, outside.vertex(adapters[1]), false, links)
    }

    /// Which leg a choice is of, and its number there.
    fn leg_of(&self, source: VertexId, target: VertexId, mut choice: u64) -> Result<(Option<Leg>, u64)> {
        let legs = self.legs(source, target)?;
        if let [one] = legs[..] {
            return Ok((Some(one), choice));
        }
        for &leg in &legs {
            let [a, b] = self.adapters(source, target, leg)?;
            let own = self.outer.choices(a, b)?;
            if choice < own {
                return Ok((Some(leg), choice));
            }
            choice -= own;
        }
        Ok((legs.last().copied(), 0))
    }

    /// The path outside that is part of a path.
    fn part_outside(&self, path: &Path) -> Path {
        let mut part = Path::default();
        part.restart(path.share);
        let own = path.links.iter().map(|l| self.own[l.index()]).filter(|&l| l != NOT_OUTSIDE);
        part.links.extend(own.map(LinkId));
        part
    }
}

fn outside(fabric: &Fabric) -> Result<&Outside> {
    fabric.outside().ok_or_else(|| Error::failed(format!("the hosts of {} have no insides", fabric.name())))
}

impl Routing for ThroughHosts {
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    fn choices(&self, source: VertexId, target: VertexId) -> Result<u64> {
        let legs = self.legs(source, target)?;
        let each = legs.iter().map(|&leg| {
            let [a, b] = self.adapters(source, target, leg)?;
            self.outer.choices(a, b)
        });
        let all = each.collect::<Result<Vec<u64>>>()?;
        Ok(all.into_iter().fold(0u64, u64::saturating_add).max(1))
    }

    fn one_path(&self) -> bool {
        let striped = self.outside().is_ok_and(|outside| outside.rails() == Rails::Stripe);
        !striped && self.outer.one_path()
    }

    fn path(&self, source: VertexId, target: VertexId, choice: u64, path: &mut Path) -> Result<()> {
        path.restart(1.0);
        if source == target {
            return Ok(());
        }
        let (leg, own) = self.leg_of(source, target, choice)?;
        path.share = leg.map_or(1.0, |leg| leg.share);
        let share = &mut path.share;
        self.walk((source, target), leg, &mut path.links, |[a, b], links| {
            let mut part = Path::default();
            self.outer.path(a, b, own, &mut part)?;
            *share *= part.share;
            let outside = self.outside()?;
            links.extend(part.links.iter().map(|&l| outside.link(l)));
            Ok(())
        })
    }

    fn draw(&self, source: VertexId, target: VertexId, choices: u64, mut point: u64, path: &mut Path) -> Result<u64> {
        path.restart(1.0);
        if source == target {
            return Ok(0);
        }
        let legs = self.legs(source, target)?;
        let (mut leg, mut before, mut own) = (legs.first().copied(), 0, choices);
        if legs.len() > 1 {
            let chosen = split(&mut point, legs.len() as u64) as usize;
            leg = legs.get(chosen).copied();
            for (n, &other) in legs.iter().enumerate().take(chosen + 1) {
                let [a, b] = self.adapters(source, target, other)?;
                own = self.outer.choices(a, b)?;
                before += if n < chosen { own } else { 0 };
            }
        }
        path.share = leg.map_or(1.0, |leg| leg.share);
        let (share, mut number) = (&mut path.share, 0);
        self.walk((source, target), leg, &mut path.links, |[a, b], links| {
            let mut part = Path::default();
            number = self.outer.draw(a, b, own, point, &mut part)?;
            *share *= part.share;
            let outside = self.outside()?;
            links.extend(part.links.iter().map(|&l| outside.link(l)));
            Ok(())
        })?;
        Ok(before + number)
    }

    fn route(&self, source: VertexId, target: VertexId, route: &mut Route) -> Result<()> {
        route.clear();
        if source == target {
            return Ok(());
        }
        let legs = self.legs(source, target)?;
        let legs = if legs.is_empty() { vec![None] } else { legs.into_iter().map(Some).collect() };
        let (mut links, mut part) = (Vec::new(), Route::new());
        for leg in legs {
            links.clear();
            let share = leg.map_or(1.0, |leg: Leg| leg.share);
            self.walk((source, target), leg, &mut links, |[a, b], _| {
                self.outer.route(a, b, &mut part)?;
                let outside = self.outside()?;
                route.extend(part.iter().map(|&(l, own)| (outside.link(l), share * own)));
                Ok(())
            })?;
            route.extend(links.iter().map(|&l| (l, share)));
        }
        Ok(())
    }

    /// Inside hosts flow by flow; outside what adapters send to each other, as the routing there does it.
    fn load(&self, flows: &Flows, loads: &mut [f64]) -> Result<()> {
        let mut between: FxHashMap<(VertexId, VertexId), f64> = FxHashMap::default();
        let mut links = Vec::new();
        let mut one = |flow: Flow| -> Result<()> {
            if flow.source == flow.target {
                return Ok(());
            }
            let legs = self.legs(flow.source, flow.target)?;
            let legs = if legs.is_empty() { vec![None] } else { legs.into_iter().map(Some).collect() };
            for leg in legs {
                links.clear();
                let amount = flow.amount * leg.map_or(1.0, |leg: Leg| leg.share);
                self.walk((flow.source, flow.target), leg, &mut links, |[a, b], _| {
                    *between.entry((a, b)).or_default() += amount;
                    Ok(())
                })?;
                links.iter().for_each(|l| loads[l.index()] += amount);
            }
            Ok(())
        };
        flows.entries.iter().try_for_each(|&flow| one(flow))?;
        let mut failed = None;
        for block in &flows.blocks {
            block.each_pair(|flow| {
                if failed.is_none() {
                    failed = one(flow).err();
                }
            });
        }
        failed.map_or(Ok(()), Err)?;
        let between: BTreeMap<(VertexId, VertexId), f64> = between.into_iter().collect();
        let entries: Vec<Flow> =
            between.into_iter().map(|((source, target), amount)| Flow { source, target, amount }).collect();
        let remote = entries.iter().map(|flow| flow.amount).sum();
        let outside = self.outside()?;
        let mut own = vec![0.0; outside.links().len()];
        self.outer.load(&Flows { entries, remote, ..Flows::default() }, &mut own)?;
        outside.links().iter().zip(own).for_each(|(l, load)| loads[l.index()] += load);
        Ok(())
    }

    fn vcs(&self) -> u8 {
        self.outer.vcs()
    }

    /// Those of the network outside; links inside hosts have one.
    fn channels(&self, path: &Path, choice: u64, channels: &mut Vec<u8>) {
        channels.clear();
        let part = self.part_outside(path);
        let ends = path.links.first().zip(path.links.last());
        let ends = ends.map(|(a, b)| (self.fabric.source(*a), self.fabric.target(*b)));
        let own = ends.and_then(|(a, b)| self.leg_of(a, b, choice).ok()).map_or(choice, |(_, own)| own);
        let mut outer = Vec::new();
        self.outer.channels(&part, own, &mut outer);
        let mut outer = outer.into_iter();
        let of = |l: &LinkId| if self.own[l.index()] == NOT_OUTSIDE { 0 } else { outer.next().unwrap_or(0) };
        channels.extend(path.links.iter().map(of));
    }

    /// Those of the network outside, and at both ends at most as many as the longest way inside a host.
    fn most_hops(&self) -> u32 {
        let mut links = Vec::new();
        let mut most = 0;
        let hosts = self.fabric.hosts();
        for (e, (ways, _)) in (0..).map(VertexId).zip(&self.ways) {
            let adapters = hosts.owner(e).and_then(|host| Some((host, self.outside().ok()?)));
            let adapters = adapters.into_iter().flat_map(|(host, outside)| {
                outside.fabric().hosts().endpoints(host).iter().map(|&v| outside.vertex(v))
            });
            let own = hosts.owner(e).into_iter().flat_map(|host| hosts.endpoints(host).iter().copied());
            for part in adapters.chain(own) {
                links.clear();
                ways.add(&self.fabric, part, &mut links);
                most = most.max(links.len() as u32);
            }
        }
        self.outer.most_hops() + 2 * most + 2
    }
}
