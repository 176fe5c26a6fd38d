//! Messages as flows that share links max-min fairly, each along the mean of
//! its paths: progressive filling (Bertsekas and Gallager, Data Networks,
//! section 6.5.2). Rates change when a flow joins or ends; flows that end within a nanosecond of each other end together.

use crate::fabric::Fabric;
use crate::id::{ClassId, LinkId};
use crate::routing::Route;

/// A message under way.
#[derive(Debug, Clone)]
pub(super) struct Flow {
    pub(super) message: u32,
    /// Bytes that are not through, and bytes per picosecond.
    pub(super) left: f64,
    pub(super) rate: f64,
    /// Limited links with the share of the flow on them.
    pub(super) route: Vec<(u32, f64)>,
    /// Picoseconds from end to end.
    pub(super) latency: u64,
}

/// All flows.
#[derive(Debug)]
pub(super) struct Fluid {
    pub(super) flows: Vec<Flow>,
    /// Bytes per picosecond of each class; infinite where it has no limit.
    pub(super) bandwidth: Vec<f64>,
    pub(super) latency: Vec<f64>,
    class: Vec<u8>,
    /// When rates were settled last, and the event that is valid.
    now: u64,
    pub(super) epoch: u32,
    /// An event for this time is in the queue.
    pub(super) due: Option<u64>,
    /// Per link, while rates are settled: what is left of it, and the shares that want it.
    room: Vec<f64>,
    wanted: Vec<f64>,
    pub(super) route: Route,
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

    pub(super) fn class_of(&self, link: u32) -> usize {
        ClassId(u32::from(self.class[link as usize])).index()
    }

    /// Lets time pass.
    pub(super) fn advance(&mut self, t: u64) {
        let dt = (t - self.now) as f64;
        self.now = t;
        self.flows.iter_mut().filter(|f| f.rate.is_finite()).for_each(|f| f.left -= f.rate * dt);
    }

    /// Max-min fair rates: O(rounds * (flows * links of a route)).
    pub(super) fn fill(&mut self) {
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
    pub(super) fn first_end(&self) -> Option<f64> {
        self.flows.iter().map(|f| f.left.max(0.0) / f.rate).reduce(f64::min)
    }
}

impl Flow {
    pub(super) fn is_through(&self) -> bool {
        self.left <= 1e-6 || self.left <= self.rate * TOGETHER
    }
}
