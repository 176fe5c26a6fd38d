//! The bounds where hosts have several adapters: on random small networks all mappings of a random job are
//! tried, whatever the routing and however slots use the adapters.

use hopline::demand::{Demand, Unit};
use hopline::fabric::{Builder, Fabric, LinkClass, Rails};
use hopline::id::{SlotId, VertexId};
use hopline::mapping::{Mapping, Problem, bound, hop_bound};
use hopline::rng::Rng;
use hopline::routing::{Routing, Shortest, default_roots, up_down};
use hopline::unit::Bandwidth;
use std::sync::Arc;

const RAILS: [Rails; 5] = [Rails::RoundRobin, Rails::Affine, Rails::Stripe, Rails::One(0), Rails::One(1)];

/// Hosts of one to three adapters, each on a switch of its own choice; switches joined as a tree and by
/// some cables more.
fn machine(rng: &mut Rng, most_slots: u64) -> Fabric {
    let (hosts, switches) = (2 + rng.below(3), 1 + rng.below(5) as u32);
    let rails: Vec<u32> = (0..hosts).map(|_| 1 + rng.below(3) as u32).collect();
    let mut b = Builder::new("random", rails.iter().sum(), switches);
    let host = b.class(LinkClass::host(Some(Bandwidth::gb_s(4.0))));
    let cable = b.class(LinkClass::network("cable", Bandwidth::gb_s(1.0 + rng.below(3) as f64)));
    let mut next = 0;
    for (h, &own) in rails.iter().enumerate() {
        let ends: Vec<VertexId> = (next..next + own).map(VertexId).collect();
        for &end in &ends {
            b.cable(end, b.switch(rng.below(u64::from(switches)) as u32), host);
        }
        b.host(format!("h{h}"), ends, 1 + rng.below(most_slots) as u32);
        next += own;
    }
    for s in 1..switches {
        b.cable(b.switch(s), b.switch(rng.below(u64::from(s)) as u32), cable);
    }
    for _ in 0..rng.below(3) {
        let (one, other) = (rng.below(u64::from(switches)) as u32, rng.below(u64::from(switches)) as u32);
        if one != other {
            b.cable(b.switch(one), b.switch(other), cable);
        }
    }
    b.finish().expect("a network")
}

fn job(tasks: u32, rng: &mut Rng) -> Demand {
    let mut entries = Vec::new();
    for from in 0..tasks {
        for to in (0..tasks).filter(|&to| to != from) {
            if rng.below(3) > 0 {
                entries.push((from, to, 1.0 + rng.below(9) as f64));
            }
        }
    }
    Demand::new(tasks, Unit::Units, entries, Vec::new()).expect("demand")
}

/// Least busiest link and least hop-bytes over all mappings onto these slots.
fn least(problem: &Problem<'_>, fabric: &Fabric, chosen: &mut Vec<SlotId>) -> (f64, f64) {
    if chosen.len() == problem.tasks() as usize {
        let mapping = Mapping::new(chosen.clone(), fabric).expect("mapping");
        let score = problem.score(&mapping).expect("score");
        return (score.0[0], score.0[2]);
    }
    let mut best = (f64::INFINITY, f64::INFINITY);
    for &slot in problem.slots() {
        if !chosen.contains(&slot) {
            chosen.push(slot);
            let found = least(problem, fabric, chosen);
            chosen.pop();
            best = (best.0.min(found.0), best.1.min(found.1));
        }
    }
    best
}

#[test]
fn no_mapping_beats_the_bounds_whatever_the_rails() {
    let (mut reached, mut tried) = (0, 0);
    for seed in 0..60 {
        let mut rng = Rng::new(seed, "rails");
        let fabric = machine(&mut rng, 2);
        let slots: Vec<SlotId> = (0..fabric.hosts().slots()).map(SlotId).take(6).collect();
        let demand = job(2 + rng.below(slots.len() as u64 - 1) as u32, &mut rng);
        for rails in RAILS {
            // Not every machine that is drawn has a host with several adapters.
            let Ok(fabric) = fabric.clone().with_rails(rails).map(Arc::new) else { continue };
            let routings: [Box<dyn Routing>; 2] =
                [Box::new(Shortest::new(fabric.clone())), Box::new(up_down(fabric.clone(), &default_roots(&fabric)))];
            for routing in &routings {
                let problem = Problem::new(&demand, &**routing, &slots).expect("problem");
                let (busy, hops) = least(&problem, &fabric, &mut Vec::new());
                let far = hop_bound(&problem).expect("a bound");
                assert!(far <= hops * (1.0 + 1e-9), "seed {seed} {rails:?}: {far} hops, {hops} is possible");
                let bound = bound(&problem).map_or(0.0, |b| b.busy);
                assert!(bound <= busy, "seed {seed} {rails:?}: busy {bound}, {busy} is possible");
                tried += 1;
                reached += usize::from(far >= hops * 0.999);
            }
        }
    }
    assert!(reached * 3 > tried, "only {reached} bounds of {tried} are reached");
}
