//! What `--objective` changes: which candidate is best, and what a search lowers.

mod common;

use common::network;
use hopline::error::Place;
use hopline::event::{Control, Event, Observer, Silent};
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
    let mut silent = Silent;
    let mut context = Context::new(2, "search", &mut silent);
    let (found, tried) =
        mapping::improve(&problem, std::slice::from_ref(&start), Some(30_000), &mut context).expect("search");
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

/// Valiant routing looks at every link from every router, which takes minutes on large machines, however small the job.
#[test]
fn advice_about_routings_is_for_machines_where_it_is_quick() {
    let reason = |topology: &str| {
        let scenario = Scenario::default().topology(topology).expect("topology");
        let scenario = scenario.traffic("halo:grid=4x4").and_then(|s| s.mappings("default,random")).expect("job");
        let plan = Plan::new(&scenario, &Disk).expect("plan");
        run::map(&plan, &mut Silent).expect("map").verdict.expect("a verdict").reason
    };
    let small = reason("full-mesh:n=64");
    assert!(small.contains("--routing valiant-any would give"), "{small}");
    for large in ["full-mesh:n=600", "torus:dims=16384x4"] {
        let reason = reason(large);
        assert!(reason.starts_with("limited by") && !reason.contains("valiant"), "{large}: {reason}");
    }
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

/// Time passes with every look at the clock.
struct Clock {
    looks: f64,
    most: f64,
}

impl Observer for Clock {
    fn event(&mut self, _: Event) -> Control {
        if self.looks >= self.most { Control::Stop } else { Control::Continue }
    }

    fn passed(&mut self) -> Option<f64> {
        self.looks += 1.0;
        Some(self.looks / self.most)
    }
}

#[test]
fn a_search_by_time_cools_down_while_it_passes() {
    let net = network("torus:dims=6x6x6", None);
    let slots: Vec<SlotId> = (0..net.fabric.hosts().slots()).map(SlotId).collect();
    let context = traffic::Context { fabric: &net.fabric, slots: slots.len() as u32, files: &Disk };
    // No grid, so nothing but annealing helps.
    let spec = "sum:of=[halo:grid=12x18;permute:of=[halo:grid=12x18],by=random]";
    let demand = traffic::build(&Params::from_spec(spec, &place()).expect("spec"), &context).expect("sum").demand;
    let hop_bytes = Objective::read("hop-bytes", &place()).expect("objective");
    let problem = Problem::new(&demand, &*net.routing, &slots).expect("problem").with_objective(&hop_bytes);
    let start = Mapping::new(slots.clone(), &net.fabric).expect("mapping");
    let of = |mapping: &Mapping| problem.score(mapping).expect("score").0[0];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("pool");
    let search = |most: f64| {
        let mut clock = Clock { looks: 0.0, most };
        let mut context = Context::new(3, "search", &mut clock);
        pool.install(|| mapping::improve(&problem, std::slice::from_ref(&start), None, &mut context)).expect("search")
    };
    let (short, few) = search(10.0);
    let (long, many) = search(2000.0);
    assert!(many > 50 * few, "{few} and {many} moves");
    let strategy = format!("multilevel:evaluations={many}");
    let strategy = mapping::build(&Params::from_spec(&strategy, &place()).expect("spec"), &Disk).expect("mapping");
    let other = strategy.map(&problem, &mut Context::new(4, "test", &mut Silent)).expect("map");
    let [start, short, long, other] = [&start, &short, &long, &other].map(of);
    assert!(long < short && short <= start, "{start} {short} {long}");
    assert!(long <= 1.02 * other, "{long} by time, {other} by as many moves of multilevel");
}
