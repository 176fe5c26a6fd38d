//! What `hopline map` does where no mapping is named: nothing in the list is better.

mod common;

use hopline::demand::Demand;
use hopline::entry::Listed;
use hopline::error::Place;
use hopline::event::{Control, Event, Observer, Silent};
use hopline::files::Disk;
use hopline::id::SlotId;
use hopline::mapping::{self, Context, Kinds, Mapping, Objective, Problem};
use hopline::params::Params;
use hopline::peers::{Peers, together};
use hopline::plan::Plan;
use hopline::rng::Rng;
use hopline::run::{self, VerdictKind};
use hopline::scenario::Scenario;
use std::sync::Arc;

fn plan(topology: &str, routing: &str, traffic: &str) -> Plan {
    let topology = topology.replace("testdata", &format!("{}/testdata", common::root()));
    let scenario = Scenario::default().topology(&topology).and_then(|s| s.routing(routing));
    let scenario = scenario.and_then(|s| s.traffic(traffic)).unwrap_or_else(|e| panic!("{e}"));
    Plan::new(&scenario, &Disk).unwrap_or_else(|e| panic!("{topology} {traffic}: {e}"))
}

const JOBS: [(&str, &str, &str); 15] = [
    ("omega:k=2,n=4", "destination-tag", "halo:grid=4x4"),
    ("omega:k=3,n=2", "destination-tag", "uniform"),
    ("percs:ns=2,nd=2", "direct", "halo:grid=16x16"),
    ("percs:ns=3,nd=1", "indirect", "transpose:grid=8x16"),
    ("percs:ns=2,nd=2", "direct", "uniform:tasks=64"),
    ("dragonfly:p=2,a=4,h=2", "minimal", "nearest3d"),
    ("dragonfly:p=2,a=4,h=2", "valiant-any", "bit-complement"),
    ("torus:dims=4x4x4", "dor", "halo:grid=8x8"),
    ("torus:dims=5x6", "dor:tie=split", "shift:by=7"),
    ("kncube:k=2,n=6", "dor", "linear:name=transpose"),
    ("kncube:k=3,n=3", "dor", "halo:grid=3x9"),
    ("fat-tree:k=4,n=3,host=1", "d-mod-k", "halo:grid=8x8"),
    ("tree:arity=4x4x4", "shortest", "nearest3d"),
    ("full-mesh:n=12,slots=2", "shortest", "halo:grid=4x6"),
    ("file:testdata/fabrics/rack64", "table", "halo:grid=8x8"),
];

fn hop_bytes() -> Objective {
    Objective::read("hop-bytes", &Place::new("test", 0)).expect("an objective")
}

fn score(problem: &Problem<'_>, spec: &str, seed: u64) -> Option<mapping::Score> {
    let strategy = Params::from_spec(spec, &Place::new("test", 0)).and_then(|p| mapping::build(&p, &Disk));
    let strategy = strategy.unwrap_or_else(|e| panic!("{spec}: {e}"));
    let mut silent = Silent;
    let chosen = strategy.map(problem, &mut Context::new(seed, spec, &mut silent));
    match chosen {
        Ok(chosen) => Some(problem.score(&chosen).unwrap_or_else(|e| panic!("{spec}: {e}"))),
        Err(error) if error.is_input() => None,
        Err(error) => panic!("{spec}: {error}"),
    }
}

#[test]
fn best_is_never_worse_than_any_of_the_list() {
    // All of them take minutes.
    for &(topology, routing, traffic) in JOBS.iter().step_by(if common::is_slow() { 1 } else { 3 }) {
        let plan = plan(topology, routing, traffic);
        let problem = plan.problem().expect("a problem");
        let members = mapping::members(&problem).expect("members");
        let best = score(&problem, "best", 1).unwrap_or_else(|| panic!("{topology} {traffic}: nothing fits"));
        let hops = plan.problem().map(|p| p.with_objective(&hop_bytes())).expect("a problem");
        for (bound, least) in [
            (mapping::bound(&problem).map(|bound| bound.busy), Some(best.0[0])),
            (mapping::hop_bound(&hops), score(&hops, "best", 1).map(|score| score.0[0])),
        ] {
            let holds = bound.zip(least).is_none_or(|(bound, least)| bound <= least * (1.0 + 1e-9));
            assert!(holds, "{topology} {routing} {traffic}: {bound:?} bounds {least:?}");
        }
        let mut fit = 0;
        for entry in mapping::LIST.iter().map(|kind| kind.entry()).filter(|e| e.name != "file") {
            // Searches are given what the portfolio gives them.
            let own = members.iter().find(|m| m.spec.split(':').next() == Some(entry.name));
            let spec = own.map_or(entry.example, |member| &member.spec);
            if let Some(other) = score(&problem, spec, 1) {
                assert!(
                    !other.is_better(&best),
                    "{topology} {routing} {traffic}: {spec} {other:?} is better than {best:?}"
                );
                fit += 1;
            }
        }
        assert!(fit >= 5, "{topology} {traffic}: {fit} mappings fit");
    }
}

/// The bare command and `best` draw the same, so that they are one thing.
#[test]
fn best_is_what_the_bare_command_finds() {
    for (topology, routing, traffic) in
        [("percs:ns=2,nd=2", "direct", "uniform:tasks=64"), ("torus:dims=5x6", "dor:tie=split", "shift:by=7")]
    {
        let bare = plan(topology, routing, traffic).with_portfolio().expect("a portfolio");
        let found = run::map(&bare, &mut Silent).expect("an answer");
        let problem = bare.problem().expect("a problem");
        let alone = score(&problem, "best", bare.seed).expect("it fits");
        assert_eq!(problem.score(&found.best.chosen).expect("a score"), alone, "{topology} {routing} {traffic}");
    }
}

#[test]
fn the_portfolio_names_each_strategy_of_the_list_once_and_has_default_first() {
    let plan = plan("percs:ns=4,nd=2", "direct", "halo:grid=16x32").with_portfolio().expect("a portfolio");
    assert_eq!(plan.candidates[0].spec, "default");
    let mut specs: Vec<&str> = plan.candidates.iter().map(|c| c.spec.as_str()).collect();
    let all = specs.len();
    specs.sort_unstable();
    specs.dedup();
    assert_eq!(specs.len(), all, "{specs:?}");
    assert!(plan.candidates.iter().all(|c| (c.runs > 1) == c.strategy.is_random()));
}

#[test]
fn what_a_member_costs_decides_how_often_it_is_run() {
    let runs = |traffic: &str, name: &str| {
        let plan = plan("torus:dims=16x16x16", "dor", traffic);
        let members = mapping::members(&plan.problem().expect("a problem")).expect("members");
        members.iter().find(|m| m.spec.split(':').next() == Some(name)).map(|m| m.runs)
    };
    for (name, sparse, dense) in [("random", 2, Some(1)), ("multilevel", 2, Some(1)), ("congestion-search", 2, None)] {
        assert_eq!(runs("halo:grid=64x64", name), Some(sparse), "{name}");
        // 126 neighbours: a search has no moves for half of the tasks.
        assert_eq!(runs("transpose:grid=64x64", name), dense, "{name}");
    }
}

#[test]
fn who_loads_the_hottest_link_is_told_of_the_best_where_pairs_are_many() {
    let known = |traffic: &str| {
        let scenario = Scenario::default().topology("torus:dims=8x8x16").and_then(|s| s.traffic(traffic));
        let scenario = scenario.and_then(|s| s.mappings("random,default")).expect(traffic);
        let plan = Plan::new(&scenario, &Disk).expect(traffic);
        let outcome = run::map(&plan, &mut Silent).expect(traffic);
        let best = outcome.best.hottest.expect("a link");
        let alone = plan.problem().and_then(|p| p.hottest(&outcome.best.chosen, 1)).expect("links");
        assert_eq!(Some(&best), alone.first(), "{traffic}");
        assert!(best.pairs > 0 && !best.heaviest.is_empty(), "{traffic}: {best:?}");
        let others = outcome.candidates.iter().filter_map(|t| t.hottest.as_ref());
        others.filter(|link| link.pairs > 0).count()
    };
    assert_eq!((known("halo:grid=32x32"), known("transpose:grid=64x16")), (2, 2));
    assert_eq!(known("uniform"), 1);
}

#[test]
fn the_verdict_is_that_of_the_numbers() {
    // A mapping that pays, within the bound.
    let outcome = |topology, routing, traffic| {
        let plan = plan(topology, routing, traffic).with_portfolio().expect("a portfolio");
        run::map(&plan, &mut Silent).unwrap_or_else(|e| panic!("{topology}: {e}"))
    };
    let pays = outcome("percs:ns=4,nd=2", "direct", "halo:grid=16x32");
    let verdict = pays.verdict.expect("a verdict");
    let gain = pays.best.summary.throughput_gb_s.expect("a limit")
        / pays.candidates[0].summary.throughput_gb_s.expect("a limit");
    assert_eq!((verdict.kind, &verdict.mapping), (VerdictKind::Use, &pays.best.mapping));
    assert!((verdict.gain - gain).abs() < 1e-9 && gain > 1.02, "{gain} {verdict:?}");
    assert!(verdict.low <= verdict.gain && verdict.gain <= verdict.high);
    assert!(verdict.at_most.is_some_and(|most| most >= verdict.gain * (1.0 - 1e-9)), "{verdict:?}");
    let told = format!("Use {}: {gain:.2}x the throughput of default", mapping::without_budget(&pays.best.mapping));
    assert!(verdict.sentence.starts_with(&told), "{verdict:?}");
    // Where all are alike nothing pays, and adapters are named as what limits.
    let alike = outcome("full-mesh:n=8", "shortest", "alltoall").verdict.expect("a verdict");
    assert_eq!((alike.kind, alike.mapping.as_str(), alike.gain), (VerdictKind::NotWorthIt, "default", 1.0));
    let adapters = outcome("fat-tree:k=4,n=3,host=1", "d-mod-k", "uniform").verdict.expect("a verdict");
    assert_eq!(adapters.kind, VerdictKind::NotWorthIt);
    assert!(adapters.reason.contains("adapters of hosts limit it"), "{adapters:?}");
    // Where adapters hide the network, an order that relieves it is still worth having.
    let relieved = outcome("fat-tree:k=4,n=3,host=1", "d-mod-k", "shift:by=16").verdict.expect("a verdict");
    assert_eq!((relieved.kind, relieved.gain), (VerdictKind::Use, 1.0), "{relieved:?}");
    assert!(relieved.sentence.contains("the links between routers are"), "{relieved:?}");
    // Nothing is left on links that limit: hosts' links of a Dragonfly have no bandwidth.
    let free = outcome("dragonfly:p=2,a=4,h=2", "minimal", "bit-complement").verdict.expect("a verdict");
    assert_eq!((free.kind, free.gain), (VerdictKind::Use, f64::INFINITY), "{free:?}");
    assert!(free.sentence.contains("no link limits it any more, as one does under default"), "{free:?}");
    assert!(!free.sentence.contains("inf"), "{free:?}");
    // Nothing to compare.
    let single = plan("torus:dims=4x4", "dor", "uniform");
    assert_eq!(run::map(&single, &mut Silent).expect("default").verdict, None);
}

#[test]
fn the_same_bytes_at_any_number_of_threads() {
    let plan = plan("torus:dims=4x4x4", "dor", "halo:grid=8x8").with_portfolio().expect("a portfolio");
    let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("threads");
    let run = |n: usize| pool(n).install(|| run::map(&plan, &mut Silent)).expect("mappings");
    let (one, three) = (run(1), run(3));
    assert_eq!(one, three);
}

/// Of equals that which needs no random choices is taken, wherever it stands, and a search that finds nothing better is none.
#[test]
fn chance_is_not_preferred_to_what_is_as_good() {
    let best = |mappings: &str, searched: bool| {
        let scenario =
            Scenario::default().topology("full-mesh:n=6").and_then(|s| s.traffic("uniform")?.mappings(mappings));
        let plan = Plan::new(&scenario.expect("a job"), &Disk).expect("a plan");
        let found = run::map(&plan, &mut Silent).expect("compared");
        let found = if searched { run::search(&plan, found, Some(50), &mut Silent).expect("searched") } else { found };
        found.best.mapping
    };
    for searched in [false, true] {
        assert_eq!(best("random,default", searched), "default");
        assert_eq!(best("random,multilevel", searched), "random");
    }
}

/// Whatever is random, however many processes find it, and where what does not fit is passed over.
#[test]
fn processes_that_share_a_comparison_change_nothing() {
    let plan = plan("dragonfly:p=2,a=4,h=2", "minimal", "halo:grid=8x9").with_portfolio().expect("plan");
    let alone = run::map(&plan, &mut Silent).expect("map");
    assert!(alone.candidates.len() > 10 && plan.candidates.iter().any(|c| c.runs > 1));
    let searched = run::search(&plan, alone.clone(), Some(2000), &mut Silent).expect("search");
    for size in [2, 7] {
        let shared = |peers: Arc<dyn Peers>| {
            let found = run::map_among(&plan, &*peers, &mut Silent).expect("map");
            let so_far = found.clone();
            (so_far, run::search_among(&plan, found, Some(2000), &*peers, &mut Silent).expect("search"))
        };
        let mut all = together(size, shared).into_iter();
        assert!(all.next() == Some((Some(alone.clone()), Some(searched.clone()))), "{size}");
        assert!(all.all(|other| other == (None, None)));
        // Until each says stop, at its first question: the best of all is no worse than what it began with.
        let timed = |peers: Arc<dyn Peers>| {
            let found = (peers.rank() == 0).then(|| alone.clone());
            run::search_among(&plan, found, None, &*peers, &mut Stop(0)).expect("search")
        };
        let found = together(size, timed).swap_remove(0).expect("an outcome");
        let score = |outcome: &run::MapOutcome| plan.objective.score(&outcome.best.summary);
        assert!(!score(&alone).is_better(&score(&found)), "{size}");
        assert!(found.evaluations > Some(0));
    }
    let other = |peers: Arc<dyn Peers>| {
        let plan =
            crate::plan("dragonfly:p=2,a=4,h=2", "minimal", ["halo:grid=8x9", "halo:grid=9x8"][peers.rank() as usize]);
        run::map_among(&plan, &*peers, &mut Silent).err().map(|e| e.to_string())
    };
    assert!(together(2, other).iter().all(|said| said.as_ref().is_some_and(|e| e.contains("not asked for the same"))));
}

/// Says stop after so many questions.
struct Stop(u32);

impl Observer for Stop {
    fn event(&mut self, _: Event) -> Control {
        self.0 += 1;
        if self.0 > 200 { Control::Stop } else { Control::Continue }
    }
}

/// All ways to give tasks different slots.
fn all_placements(tasks: usize, slots: &[SlotId], so_far: &mut Vec<SlotId>, visit: &mut dyn FnMut(&[SlotId])) {
    if so_far.len() == tasks {
        return visit(so_far);
    }
    for &slot in slots {
        if !so_far.contains(&slot) {
            so_far.push(slot);
            all_placements(tasks, slots, so_far, visit);
            so_far.pop();
        }
    }
}

/// Nothing is better, by any objective, pinned or not.
#[test]
fn tiny_jobs_have_the_best_of_all_placements() {
    for (number, (topology, routing, tasks)) in [
        ("mesh:dims=3x2", "shortest", 5),
        ("mesh:dims=3x2", "dor", 6),
        ("torus:dims=5", "dor", 4),
        ("tree:arity=3x2,slots=2", "shortest", 4),
        ("fat-tree:k=2,n=3", "d-mod-k", 4),
        ("full-mesh:n=5", "valiant-any", 5),
        ("dragonfly:p=1,a=3,h=1,g=2", "minimal", 6),
        ("file:testdata/fabrics/lmc1-8", "table", 4),
    ]
    .into_iter()
    .enumerate()
    {
        let plan = plan(topology, routing, &format!("uniform:tasks={tasks}"));
        let mut rng = Rng::new(number as u64, "tiny jobs");
        let rows: Vec<Vec<f64>> =
            (0..tasks).map(|_| (0..tasks).map(|_| rng.below(8).saturating_sub(3) as f64).collect()).collect();
        let demand = Demand::from_rows(&rows).expect("a demand");
        let routing = &*plan.network.routing;
        let slots = plan.network.fabric.slots();
        let pinned = Kinds::pinned(tasks, &slots, &[(1, slots[2])], &plan.network.fabric).expect("pins");
        for (objective, kinds) in
            [(Objective::default(), None), (hop_bytes(), None), (Objective::default(), Some(&pinned))]
        {
            let problem = Problem::new(&demand, routing, &slots).expect("a problem").with_objective(&objective);
            let problem = problem.with_kinds(kinds);
            let found = score(&problem, "congestion-search:evaluations=20000", number as u64).expect("it fits");
            let mut looked_at = 0;
            all_placements(tasks as usize, &slots, &mut Vec::new(), &mut |places| {
                if kinds.is_some() && places[1] != slots[2] {
                    return;
                }
                looked_at += 1;
                let mapping = Mapping::new(places.to_vec(), &plan.network.fabric).expect("a mapping");
                let other = problem.score(&mapping).expect("a score");
                assert!(!other.is_better(&found), "{topology}: {places:?} is better");
            });
            assert!(looked_at >= 24, "{topology}: {looked_at}");
        }
    }
}
