//! The lower bounds on the busiest link and on hop-bytes: no mapping beats them,
//! and where all mappings can be tried they are held against the best of them.

mod common;

use common::network;
use hopline::demand::{Demand, Grid, Unit};
use hopline::entry::Listed;
use hopline::error::Place;
use hopline::event::Silent;
use hopline::fabric::Fabric;
use hopline::files::Disk;
use hopline::id::SlotId;
use hopline::mapping::{self, Context, Mapping, Problem, bound, hop_bound};
use hopline::params::Params;
use hopline::rng::Rng;
use hopline::traffic;

/// Machines with their routing, and the slots on which all mappings are tried.
const MACHINES: &[(&str, &str, &[u32])] = &[
    ("percs:ns=2,nd=1", "direct", &[0, 1, 4, 32, 128, 132]),
    ("percs:ns=3,nd=4,hub=20", "direct:inside=single-hop", &[0, 1, 2, 128, 129, 256]),
    ("percs:ns=3,nd=2", "indirect", &[0, 1, 36, 128, 256, 257]),
    ("percs:ns=4,nd=8", "indirect:intermediates=other", &[0, 4, 5, 128, 256, 384]),
    ("dragonfly:p=2,a=2,h=1,host=1", "minimal", &[0, 1, 2, 3, 4, 8, 11]),
    ("torus:dims=3x3", "dor", &[0, 1, 2, 4, 6, 8]),
    ("torus:dims=4x2,slots=2", "dor:tie=split", &[0, 1, 2, 3, 6, 9, 15]),
    ("kncube:k=2,n=3", "dor", &[0, 1, 2, 3, 5, 7]),
    ("torus:dims=3x2", "shortest", &[0, 1, 2, 3, 4, 5]),
    ("fat-tree:down=2x2x2,up=1x2x1,host=1", "d-mod-k", &[0, 1, 2, 4, 5, 7]),
    ("fat-tree:down=2x3,up=1x1,slots=2", "up-down", &[0, 1, 2, 3, 4, 7, 10]),
    ("tree:arity=2x2x2", "shortest", &[0, 1, 2, 4, 6, 7]),
    ("full-mesh:n=5", "shortest", &[0, 1, 2, 3, 4]),
    ("file:testdata/fabrics/lmc1-8", "table", &[0, 1, 2, 3, 5, 7]),
];

/// A job of `tasks` tasks: sparse and uneven, all the same, or one that sends most.
fn job(tasks: u32, kind: u32, rng: &mut Rng) -> Demand {
    let mut entries = Vec::new();
    for from in 0..tasks {
        for to in (0..tasks).filter(|&to| to != from) {
            let amount = match kind {
                0 if rng.below(2) == 0 => 1.0 + rng.below(5) as f64,
                1 => 1.0,
                2 if from == 0 => 3.0,
                _ => 0.0,
            };
            entries.push((from, to, amount));
        }
    }
    Demand::new(tasks, Unit::Units, entries, Vec::new()).expect("demand")
}

/// Every injection of `left` tasks into the free slots.
fn each_mapping(chosen: &mut Vec<SlotId>, free: &mut Vec<SlotId>, left: u32, visit: &mut impl FnMut(&[SlotId])) {
    if left == 0 {
        return visit(chosen);
    }
    for i in 0..free.len() {
        let slot = free.remove(i);
        chosen.push(slot);
        each_mapping(chosen, free, left - 1, visit);
        chosen.pop();
        free.insert(i, slot);
    }
}

/// The busiest link, and hop-bytes.
fn terms(problem: &Problem<'_>, slots: &[SlotId], fabric: &Fabric) -> (f64, f64) {
    let score = problem.score(&Mapping::new(slots.to_vec(), fabric).expect("mapping")).expect("score");
    (score.0[0], score.0[2])
}

#[test]
fn no_mapping_of_tiny_jobs_beats_the_bound_and_some_reach_it() {
    let (mut known, mut reached, mut far) = (0, 0, 0);
    for (topology, routing, slots) in MACHINES {
        let net = network(topology, Some(routing));
        let slots: Vec<SlotId> = slots.iter().map(|&s| SlotId(s)).collect();
        for kind in 0..3 {
            let demand = job(slots.len() as u32 - u32::from(kind == 0), kind, &mut Rng::new(5, topology));
            let problem = Problem::new(&demand, &*net.routing, &slots).expect("problem");
            let (mut least, mut shortest) = (f64::INFINITY, f64::INFINITY);
            each_mapping(&mut Vec::new(), &mut slots.clone(), demand.tasks(), &mut |chosen| {
                let (busy, hops) = terms(&problem, chosen, &net.fabric);
                (least, shortest) = (least.min(busy), shortest.min(hops));
            });
            let hops = hop_bound(&problem).expect("a bound");
            assert!(hops <= shortest * (1.0 + 1e-9), "{topology} {routing} job {kind}: {hops} above {shortest}");
            far += usize::from(hops >= shortest * 0.999);
            let Some(bound) = bound(&problem) else { continue };
            assert!(bound.busy <= least, "{topology} {routing} job {kind}: {bound:?} above {least}");
            known += 1;
            reached += usize::from(bound.busy >= least * 0.999);
        }
    }
    assert!(known >= 36, "only {known} bounds are known");
    assert!(reached >= 8, "only {reached} bounds of {known} are reached");
    assert!(far >= 12, "only {far} bounds of hop-bytes are reached");
}

#[test]
fn no_strategy_beats_the_bound() {
    let jobs = [
        ("percs:ns=8,nd=4", "direct", "halo:grid=32x32"),
        ("percs:ns=4,nd=1", "direct", "transpose:grid=16x32"),
        ("percs:ns=4,nd=16", "indirect", "halo:grid=16x32"),
        ("torus:dims=8x8", "dor", "halo:grid=8x8"),
        ("torus:dims=4x4x4", "dor", "halo:grid=8x8,wrap=false"),
        ("dragonfly:p=2,a=4,h=2", "minimal", "halo:grid=8x9"),
        ("fat-tree:k=4,n=3,host=1", "d-mod-k", "transpose:grid=8x8"),
    ];
    for (topology, routing, traffic) in jobs {
        let net = network(topology, Some(routing));
        let params = Params::from_spec(traffic, &Place::new("--traffic", 0)).expect("spec");
        let files = &Disk;
        let context = traffic::Context { fabric: &net.fabric, slots: net.fabric.hosts().slots(), files };
        let demand = traffic::build(&params, &context).expect(traffic).demand;
        let slots: Vec<SlotId> = (0..net.fabric.hosts().slots()).map(SlotId).collect();
        let problem = Problem::new(&demand, &*net.routing, &slots).expect("problem");
        let (bound, hops) = (bound(&problem).expect("a bound"), hop_bound(&problem).expect("a bound"));
        let mut tried = 0;
        for entry in mapping::LIST.iter().map(Listed::entry).filter(|e| e.name != "file") {
            let params = Params::from_spec(entry.example, &Place::new("--mapping", 0)).expect("spec");
            let strategy = mapping::build(&params, &Disk).expect("strategy");
            let mut silent = Silent;
            let context = &mut Context::new(1, entry.name, &mut silent);
            let Ok(mapping) = strategy.map(&problem, context) else { continue };
            let score = problem.score(&mapping).expect("score").0;
            let (busy, far) = (score[0], score[2]);
            assert!(bound.busy <= busy, "{topology} {traffic} {}: {bound:?} above {busy}", entry.name);
            assert!(hops <= far * (1.0 + 1e-9), "{topology} {traffic} {}: {hops} above {far}", entry.name);
            tried += 1;
        }
        assert!(tried >= 4, "{topology}: {tried} strategies fit");
    }
}

#[test]
fn a_halo_that_fits_its_torus_reaches_the_bound() {
    for (topology, traffic) in [("torus:dims=8x8", "halo:grid=8x8"), ("torus:dims=4x4x4", "halo:grid=4x4x4")] {
        let net = network(topology, None);
        let params = Params::from_spec(traffic, &Place::new("--traffic", 0)).expect("spec");
        let context = traffic::Context { fabric: &net.fabric, slots: 64, files: &Disk };
        let demand = traffic::build(&params, &context).expect(traffic).demand;
        assert!(matches!(demand.grid(), Some(Grid { wrap: true, .. })));
        let slots: Vec<SlotId> = (0..64).map(SlotId).collect();
        let problem = Problem::new(&demand, &*net.routing, &slots).expect("problem");
        let (bound, busy) = (bound(&problem).expect("a bound").busy, terms(&problem, &slots, &net.fabric).0);
        assert!(bound <= busy && busy <= bound * 1.001, "{topology}: {bound} {busy}");
    }
}

/// Half of `hop_bound` on unit edges, and what `multilevel` is known to reach.
#[test]
fn blocks_of_a_halo_reach_the_bound_of_a_tree() {
    let net = network("tree:arity=4x16x64,distance=1x10x100", None);
    let params = Params::from_spec("halo:grid=64x64,weight=per-edge", &Place::new("--traffic", 0)).expect("spec");
    let context = traffic::Context { fabric: &net.fabric, slots: 4096, files: &Disk };
    let demand = traffic::build(&params, &context).expect("halo").demand;
    let slots: Vec<SlotId> = (0..4096).map(SlotId).collect();
    let problem = Problem::new(&demand, &*net.routing, &slots).expect("problem");
    assert_eq!(hop_bound(&problem).map(|b| b / 2.0), Some(137_216.0));
}
