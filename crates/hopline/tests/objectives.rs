//! What `--objective` changes: which candidate is best, and what a search lowers.

mod common;

use common::network;
use hopline::error::Place;
use hopline::event::Silent;
use hopline::files::Disk;
use hopline::id::SlotId;
use hopline::mapping::{self, Context, Mapping, Objective, Problem};
use hopline::params::Params;
use hopline::plan::Plan;
use hopline::rng::Rng;
use hopline::run;
use hopline::scenario::Scenario;
use hopline::traffic;

fn place() -> Place {
    Place::new("test", 0)
}

/// Congestion, links between routers, hop-bytes before and after a search of a halo out of order.
fn search(topology: &str, objective: &str, terms: &[&str]) -> [Vec<f64>; 2] {
    let net = network(topology, None);
    let slots: Vec<SlotId> = (0..net.fabric.hosts().slots()).map(SlotId).collect();
    let context = traffic::Context { fabric: &net.fabric, slots: slots.len() as u32, files: &Disk };
    let demand =
        traffic::build(&Params::from_spec("halo:grid=8x8", &place()).expect("spec"), &context).expect("halo").demand;
    let problem = Problem::new(&demand, &*net.routing, &slots).expect("problem");
    let mut order: Vec<SlotId> = slots[..demand.tasks() as usize].to_vec();
    Rng::new(1, "order").shuffle(&mut order);
    let start = Mapping::new(order, &net.fabric).expect("mapping");
    let wanted = Objective::read(objective, &place()).expect("objective");
    let problem = problem.with_objective(&wanted);
    let mut context = Context { rng: Rng::new(2, "search"), observer: &mut Silent };
    let (found, tried) = mapping::improve(&problem, &start, Some(30_000), &mut context).expect("search");
    assert!(tried > 0);
    let measure = |mapping: &Mapping| {
        let of = |term: &&str| {
            let objective = Objective::read(term, &place()).expect("term");
            let problem = Problem::new(&demand, &*net.routing, &slots).expect("problem").with_objective(&objective);
            problem.score(mapping).expect("score").0[0]
        };
        terms.iter().map(of).collect::<Vec<f64>>()
    };
    [measure(&start), measure(&found)]
}

#[test]
fn a_search_lowers_what_the_objective_names() {
    let terms = ["congestion", "hop-bytes"];
    let [_, busy] = search("torus:dims=4x4x4", "congestion", &terms);
    let [start, short] = search("torus:dims=4x4x4", "hop-bytes", &terms);
    assert!(short[1] < start[1] * 0.6, "hop-bytes {} of {}", short[1], start[1]);
    assert!(busy[0] <= short[0] && short[1] <= busy[1], "{busy:?} {short:?}");
    // A class alone: its links get less, whatever the others carry.
    let classes = ["class:dim0", "congestion"];
    let [before, after] = search("torus:dims=4x4x4", "class:dim0", &classes);
    assert!(after[0] < before[0] * 0.5, "{before:?} {after:?}");
}

#[test]
fn among_equally_busy_links_messages_go_less_far() {
    // Every link may carry what the busiest does: distance is all that is left.
    let [before, after] = search("full-mesh:n=64", "congestion", &["congestion", "hop-bytes"]);
    assert!(after[0] <= before[0] && after[1] <= before[1], "{before:?} {after:?}");
}

#[test]
fn the_objective_chooses_among_candidates() {
    let best = |objective: &str| {
        let scenario = Scenario::default().topology("tree:arity=4x4x4,distance=1x10x100").expect("topology");
        let scenario = scenario.traffic("halo:grid=8x8").and_then(|s| s.mappings("default,random,fold")).expect("job");
        let plan = Plan::new(&scenario.objective(objective), &Disk).expect("plan");
        let outcome = run::map(&plan, &mut Silent).expect("map");
        assert_eq!(outcome.objective, objective);
        let hops = |t: &run::Tried| (t.summary.hop_bytes, t.hop_bound.expect("a bound"));
        assert!(outcome.candidates.iter().map(hops).all(|(far, bound)| bound <= far));
        outcome.best.mapping
    };
    assert_eq!(best("hop-bytes"), "fold");
}

#[test]
fn unknown_terms_and_classes_are_named() {
    let plan = |objective: &str| {
        let scenario =
            Scenario::default().topology("percs:ns=2,nd=1").and_then(|s| s.traffic("alltoall")).expect("scenario");
        Plan::new(&scenario.objective(objective), &Disk).err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert!(plan("class:LX").contains("no class `LX` of links"), "{}", plan("class:LX"));
    assert!(plan("hopbytes").contains("hop-bytes"), "{}", plan("hopbytes"));
    assert_eq!(plan("class:LR,links-off"), "");
}
