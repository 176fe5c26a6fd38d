//! Messages as flows that share links max-min fairly, each along the mean of
//! its paths: progressive filling (Bertsekas and Gallager, Data Networks,
//! section 6.5.2). Rates change when a flow joins or ends; flows that end within a nanosecond of each other end together.

use super::engine::{Engine, EventKind};
use crate::error::Result;
use crate::fabric::Fabric;
use crate::id::{ClassId, LinkId};
use crate::routing::Route;

/// A message under way.
#[derive(Debug, Clone)]
struct Flow {
    message: u32,
    /// Bytes that are not through, and bytes per picosecond.
    left: f64,
    rate: f64,
    /// Limited links with the share of the flow on them.
    route: Vec<(u32, f64)>,
    /// Picoseconds from end to end.
    latency: u64,
}

/// All flows.
#[derive(Debug)]
pub(super) struct Fluid {
    flows: Vec<Flow>,
    /// Bytes per picosecond of each class; infinite where it has no limit.
    bandwidth: Vec<f64>,
    latency: Vec<f64>,
    class: Vec<u8>,
    /// When rates were settled last, and the event that is valid.
    now: u64,
    epoch: u32,
    /// An event for this time is in the queue.
    due: Option<u64>,
    /// Per link, while rates are settled: what is left of it, and the shares that want it.
    room: Vec<f64>,
    wanted: Vec<f64>,
    route: Route,
}

/// Flows that end so soon after another end with it.
const TOGETHER: f64 = 1000.0;

impl Fluid {
    pub(super) fn new(fabric: &Fabric) -> Fluid {
        let links = fabric.links();
        let per_ps = |c: &crate::fabric::LinkClass| c.bandwidth.map_or(f64::INFINITY, |b| b.as_gb_s() * 1e-3);
        Fluid {
            flows: Vec::new(),
            bandwidth: fabric.classes().iter().map(per_ps).collect(),
            latency: fabric.classes().iter().map(|c| c.latency.0 as f64 * 1000.0).collect(),
            class: (0..links as u32).map(|l| fabric.class_id(LinkId(l)).0 as u8).collect(),
            now: 0,
            epoch: 0,
            due: None,
            room: vec![0.0; links],
            wanted: vec![0.0; links],
            route: Route::new(),
        }
    }

    fn class_of(&self, link: u32) -> usize {
        ClassId(u32::from(self.class[link as usize])).index()
    }

    /// Lets time pass.
    fn advance(&mut self, t: u64) {
        let dt = (t - self.now) as f64;
        self.now = t;
        self.flows.iter_mut().filter(|f| f.rate.is_finite()).for_each(|f| f.left -= f.rate * dt);
    }

    /// Max-min fair rates: O(rounds * (flows * links of a route)).
    fn fill(&mut self) {
        let mut used = Vec::new();
        for flow in &mut self.flows {
            flow.rate = if flow.route.is_empty() { f64::INFINITY } else { -1.0 };
            for &(link, share) in &flow.route {
                let l = link as usize;
                if self.wanted[l] == 0.0 {
                    self.room[l] = self.bandwidth[self.class[l] as usize];
                    used.push(link);
                }
                self.wanted[l] += share;
            }
        }
        let mut open: Vec<usize> = (0..self.flows.len()).filter(|&i| self.flows[i].rate < 0.0).collect();
        while !open.is_empty() {
            // Shares that are fixed leave rounding behind.
            let full =
                |s: &Self, l: u32| (s.wanted[l as usize] > 1e-9).then(|| s.room[l as usize] / s.wanted[l as usize]);
            let least = used.iter().filter_map(|&l| full(self, l)).fold(f64::INFINITY, f64::min).max(0.0);
            let tight = |s: &Self, l: u32| full(s, l).is_some_and(|r| r <= least * (1.0 + 1e-9));
            let (fixed, rest): (Vec<usize>, Vec<usize>) =
                open.iter().partition(|&&i| self.flows[i].route.iter().any(|&(l, _)| tight(self, l)));
            // Without a tight link rounding alone is left: all the rest gets what is there.
            let (fixed, rest) = if fixed.is_empty() { (rest, fixed) } else { (fixed, rest) };
            for i in fixed {
                self.flows[i].rate = least;
                for &(link, share) in &self.flows[i].route {
                    self.room[link as usize] -= share * least;
                    self.wanted[link as usize] -= share;
                }
            }
            open = rest;
        }
        used.iter().for_each(|&l| self.wanted[l as usize] = 0.0);
    }

    /// Picoseconds until the first flow is through.
    fn first_end(&self) -> Option<f64> {
        self.flows.iter().map(|f| f.left.max(0.0) / f.rate).reduce(f64::min)
    }
}

impl Engine<'_> {
    /// A message joins the flows.
    pub(super) fn join(&mut self, id: u32, t: u64) -> Result<()> {
        let m = &self.wire.messages[id];
        let bytes = m.unsent as f64;
        let ends = self.endpoints(m);
        let fluid = &mut self.fluid;
        fluid.advance(t);
        self.setting.routing.route(ends.0, ends.1, &mut fluid.route)?;
        let route = std::mem::take(&mut fluid.route);
        let latency: f64 = route.iter().map(|&(l, share)| share * fluid.latency[fluid.class_of(l.0)]).sum();
        route.iter().for_each(|&(l, share)| self.wire.links.add_busy(l.0, share * bytes));
        let limited = route.iter().filter(|(l, _)| fluid.bandwidth[fluid.class_of(l.0)].is_finite());
        let limited = limited.map(|&(l, share)| (l.0, share)).collect();
        fluid.route = route;
        fluid.flows.push(Flow { message: id, left: bytes, rate: 0.0, route: limited, latency: latency.round() as u64 });
        if fluid.due != Some(t) {
            fluid.due = Some(t);
            fluid.epoch += 1;
            self.queue.push(t, EventKind::Flow, fluid.epoch);
        }
        Ok(())
    }

    /// Flows that are through leave, and the others share anew.
    pub(super) fn flow(&mut self, epoch: u32, t: u64) {
        let fluid = &mut self.fluid;
        if epoch != fluid.epoch {
            return;
        }
        fluid.due = None;
        fluid.advance(t);
        for f in fluid.flows.iter().filter(|f| f.is_through()) {
            let arrival = t.saturating_add(f.latency).saturating_add(self.setting.model.latency);
            self.queue.push(arrival, EventKind::Arrive, f.message);
            if let Some(next) = self.wire.left(f.message) {
                self.queue.push(t.max(self.wire.messages[next].arrival), EventKind::Join, next);
            }
        }
        fluid.flows.retain(|f| !f.is_through());
        fluid.fill();
        if let Some(end) = fluid.first_end() {
            fluid.epoch += 1;
            self.queue.push(t.saturating_add(end.ceil() as u64), EventKind::Flow, fluid.epoch);
        }
    }
}

impl Flow {
    fn is_through(&self) -> bool {
        self.left <= 1e-6 || self.left <= self.rate * TOGETHER
    }
}
