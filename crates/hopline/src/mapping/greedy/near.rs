//! How near hosts are to those of a task's neighbours, and how busy links would be.

use super::{EXACT_HOSTS, FINALISTS, NEARLY, Place, Pull, WHOLE_ROWS, WINDOW};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use crate::mapping::Problem;
use crate::routing::{Route, Routing};

/// What is known of hosts: distances, row by row as they are needed, and the
/// loads of what is placed so far.
pub(super) struct Nearness<'a> {
    routing: &'a dyn Routing,
    /// Per host the number of its switch, and a host of each: all hosts of a switch are as far from others.
    switch: Vec<usize>,
    example: Vec<VertexId>,
    /// Per switch.
    rows: Vec<Option<Box<[f32]>>>,
    /// Per host: GB/s of its adapter, infinite where nothing limits it.
    bandwidth: Vec<f64>,
    cost: Vec<f64>,
    loads: Vec<f64>,
    /// Per host: what its tasks will send and receive once all are placed.
    pub(super) promised: Vec<f64>,
    /// Busy time that the heaviest task causes on the fastest host.
    pub(super) budget: f64,
    /// Per link: what one more task would add.
    extra: Vec<f64>,
    route: Route,
}

impl<'a> Nearness<'a> {
    pub(super) fn new(problem: &Problem<'a>, places: &[Place]) -> Self {
        let (fabric, links) = (problem.fabric(), problem.fabric().links());
        let bandwidth = |place: &Place| {
            let adapter = fabric.adapter_link(place.endpoint).and_then(|l| fabric.class_of(l).bandwidth);
            adapter.map_or(f64::INFINITY, |b| b.as_gb_s())
        };
        let (switch, example) = by_switch(fabric, places);
        Nearness {
            routing: problem.routing(),
            rows: example.iter().map(|_| None).collect(),
            switch,
            example,
            bandwidth: places.iter().map(bandwidth).collect(),
            cost: vec![0.0; places.len()],
            loads: vec![0.0; links],
            promised: vec![0.0; places.len()],
            budget: f64::INFINITY,
            extra: vec![0.0; links],
            route: Route::new(),
        }
    }

    /// The free host for a task of a kind with the given traffic to occupied hosts and in all.
    pub(super) fn best(&mut self, places: &[Place], placed: &[Pull], (total, kind): (f64, u32)) -> Result<usize> {
        let mut candidates = candidates(places, placed, kind);
        let exact = places.len() <= EXACT_HOSTS;
        // Adding up whole rows is quicker than picking cells of them, unless few are wanted.
        let whole = exact && candidates.len() * WHOLE_ROWS >= places.len();
        self.cost.fill(0.0);
        for pull in placed {
            let amount = pull.out + pull.back;
            if exact {
                self.fill_row(self.switch[pull.to])?;
            }
            let row = self.rows[self.switch[pull.to]].as_ref();
            if let Some(row) = row.filter(|_| whole) {
                self.cost.iter_mut().zip(row).for_each(|(cost, &distance)| *cost += amount * f64::from(distance));
                continue;
            }
            for &c in &candidates {
                let distance = match &self.rows[self.switch[pull.to]] {
                    Some(row) => row[c],
                    None => self.distance(places[pull.to].endpoint, places[c].endpoint)?,
                };
                self.cost[c] += amount * f64::from(distance);
            }
        }
        let slow = |c: usize| self.host_busy(c, total) > self.budget * (1.0 + 1e-9);
        if !candidates.iter().all(|&c| slow(c)) {
            candidates.retain(|&c| !slow(c));
        }
        let by_cost = |a: &usize, b: &usize| self.cost[*a].total_cmp(&self.cost[*b]).then(a.cmp(b));
        if candidates.len() > FINALISTS {
            candidates.select_nth_unstable_by(FINALISTS, by_cost);
            candidates.truncate(FINALISTS);
        }
        candidates.sort_by(by_cost);
        let Some(&nearest) = candidates.first() else { return Err(Error::failed("no free slot is left")) };
        let limit = self.cost[nearest] * NEARLY;
        let finalists = candidates.iter().take(FINALISTS).take_while(|&&c| self.cost[c] <= limit).count();
        let mut best = (f64::INFINITY, nearest);
        for &c in &candidates[..finalists] {
            let peak = self.peak(places, c, placed)?.max(self.host_busy(c, self.promised[c] + total));
            if peak < best.0 {
                best = (peak, c);
            }
        }
        Ok(best.1)
    }

    /// Mean busy time of a host's two links once `total` passes over them.
    pub(super) fn host_busy(&self, host: usize, total: f64) -> f64 {
        total / 2.0 / self.bandwidth[host]
    }

    /// Busy time of the busiest link that the traffic would use from `host`.
    fn peak(&mut self, places: &[Place], host: usize, placed: &[Pull]) -> Result<f64> {
        let mut used = Vec::new();
        self.each_link(places, host, placed, |extra, link, amount| {
            extra[link.index()] += amount;
            used.push(link);
        })?;
        let fabric = self.routing.fabric();
        let mut peak: f64 = 0.0;
        for link in used {
            if let Some(bandwidth) = fabric.class_of(link).bandwidth {
                peak = peak.max((self.loads[link.index()] + self.extra[link.index()]) / bandwidth.as_gb_s());
            }
            self.extra[link.index()] = 0.0;
        }
        Ok(peak)
    }

    /// Adds the traffic of a task that now sits on `host`.
    pub(super) fn occupy(&mut self, places: &[Place], host: usize, placed: &[Pull]) -> Result<()> {
        std::mem::swap(&mut self.loads, &mut self.extra);
        let added = self.each_link(places, host, placed, |loads, link, amount| loads[link.index()] += amount);
        std::mem::swap(&mut self.loads, &mut self.extra);
        added
    }

    /// Visits what the traffic adds to each link, with `extra` in hand.
    fn each_link(
        &mut self,
        places: &[Place],
        host: usize,
        placed: &[Pull],
        mut visit: impl FnMut(&mut [f64], LinkId, f64),
    ) -> Result<()> {
        for pull in placed.iter().filter(|p| p.to != host) {
            let (here, there) = (places[host].endpoint, places[pull.to].endpoint);
            for (source, target, amount) in [(here, there, pull.out), (there, here, pull.back)] {
                if amount > 0.0 {
                    self.routing.route(source, target, &mut self.route)?;
                    self.route.iter().for_each(|&(link, share)| visit(&mut self.extra, link, share * amount));
                }
            }
        }
        Ok(())
    }

    fn fill_row(&mut self, from: usize) -> Result<()> {
        if self.rows[from].is_none() {
            let far = (0..self.example.len()).map(|to| self.distance(self.example[from], self.example[to]));
            let far = far.collect::<Result<Vec<f32>>>()?;
            self.rows[from] = Some(self.switch.iter().map(|&to| far[to]).collect());
        }
        Ok(())
    }

    fn distance(&mut self, a: VertexId, b: VertexId) -> Result<f32> {
        let fabric: &Fabric = self.routing.fabric();
        if let Some(distance) = fabric.level_distance(a, b) {
            return Ok(distance as f32);
        }
        Ok(self.routing.hops(a, b, &mut self.route)? as f32)
    }
}

/// Hosts numbered by the switch at which they hang, with one of each; a host that routes itself, or whose distance from
/// others of its switch counts, is alone.
fn by_switch(fabric: &Fabric, places: &[Place]) -> (Vec<usize>, Vec<VertexId>) {
    let mut numbers = rustc_hash::FxHashMap::<VertexId, usize>::default();
    let mut example = Vec::new();
    let alike = !fabric.has_distances() && fabric.outside().is_none();
    let number = |place: &Place| {
        let mut links = fabric.out_links(place.endpoint);
        let at = match (links.next(), links.next()) {
            (Some(link), None) if alike && !fabric.is_endpoint(fabric.target(link)) => fabric.target(link),
            _ => place.endpoint,
        };
        *numbers.entry(at).or_insert_with(|| {
            example.push(place.endpoint);
            example.len() - 1
        })
    };
    (places.iter().map(number).collect(), example)
}

/// Free hosts worth a look: all, or on large machines those around the heaviest
/// neighbour's host; the first few where no neighbour is placed yet.
fn candidates(places: &[Place], placed: &[Pull], kind: u32) -> Vec<usize> {
    let free = |h: &usize| places[*h].next(kind).is_some();
    let all = || (0..places.len()).filter(free);
    let heaviest = placed.iter().max_by(|a, b| (a.out + a.back).total_cmp(&(b.out + b.back)));
    match heaviest {
        None => all().take(FINALISTS).collect(),
        Some(_) if places.len() <= EXACT_HOSTS => all().collect(),
        Some(centre) => {
            let mut near: Vec<usize> = (centre.to..places.len()).filter(free).take(WINDOW / 2).collect();
            near.extend((0..centre.to).rev().filter(free).take(WINDOW - near.len()));
            near
        }
    }
}
