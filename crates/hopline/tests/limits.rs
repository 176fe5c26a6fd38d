//! Tasks that must sit in given slots, slots that may not be used, whole hosts:
//! every strategy obeys or says that it cannot, and what comes out is compared
//! with what trying everything finds.

mod common;

use common::{network, root};
use hopline::demand::{Block, Demand, TaskSet, Unit};
use hopline::entry::Listed;
use hopline::error::Place;
use hopline::event::Silent;
use hopline::fabric::Fabric;
use hopline::files::{Disk, Memory};
use hopline::id::{HostId, SlotId};
use hopline::loads::evaluate;
use hopline::mapping::{self, Context, Kinds, Mapping, Obedience, Problem, WholeHosts};
use hopline::params::Params;
use hopline::plan::Plan;
use hopline::rng::Rng;
use hopline::run;
use hopline::scenario::Scenario;
use hopline::traffic;
use std::collections::{BTreeMap, BTreeSet};

fn run(spec: &str, problem: &Problem<'_>) -> hopline::error::Result<(Mapping, Obedience)> {
    let strategy = mapping::build(&Params::from_spec(spec, &Place::new("--mapping", 0))?, &Disk)?;
    let mut silent = Silent;
    let context = &mut Context::new(5, "test", &mut silent);
    Ok((strategy.map(problem, context)?, strategy.obedience()))
}

/// Each task sends to some others, more and less.
fn job(tasks: u32, rng: &mut Rng) -> Demand {
    let mut below = |n| rng.below(n) as u32;
    let entries = (0..tasks * 3).map(|i| (i % tasks, below(u64::from(tasks)), f64::from(below(8)) + 1.0)).collect();
    Demand::new(tasks, Unit::Units, entries, Vec::new()).expect("demand")
}

fn shuffled(fabric: &Fabric, rng: &mut Rng) -> Vec<SlotId> {
    let mut slots: Vec<SlotId> = (0..fabric.hosts().slots()).map(SlotId).collect();
    rng.shuffle(&mut slots);
    slots
}

#[test]
fn every_strategy_obeys_pins_or_refuses() {
    let machines = [
        ("torus:dims=4x4x2,slots=2", None, "halo:grid=8x8"),
        ("percs:ns=2,nd=8,slots=1", Some("direct"), "halo:grid=8x8"),
        ("dragonfly:p=2,a=4,h=2,slots=1", Some("minimal"), "halo:grid=8x8"),
    ];
    let (mut obeyed, mut refused) = (BTreeSet::new(), BTreeSet::new());
    for (topology, routing, pattern) in machines {
        let network = network(topology, routing);
        let fabric = &network.fabric;
        let params = Params::from_spec(pattern, &Place::new("--traffic", 0)).expect(pattern);
        let context = traffic::Context { fabric, slots: fabric.hosts().slots(), files: &Disk };
        let demand = traffic::build(&params, &context).expect(pattern).demand;
        let slots: Vec<SlotId> = (0..fabric.hosts().slots()).map(SlotId).collect();
        let mut rng = Rng::new(2, topology);
        let pins: Vec<(u32, SlotId)> = rng
            .sample(9, demand.tasks() as usize)
            .into_iter()
            .map(|t| t as u32)
            .zip(shuffled(fabric, &mut rng))
            .collect();
        let kinds = Kinds::pinned(demand.tasks(), &slots, &pins, fabric).expect("pins");
        let problem = || Problem::new(&demand, &*network.routing, &slots).expect("problem");
        // All of the others, one after the other, take seconds.
        let in_time = |name: &str| name != "best" || topology.starts_with("torus") || common::is_slow();
        for kind in mapping::LIST.iter().filter(|kind| in_time(kind.entry().name)) {
            let example = kind.entry().example.replace("testdata/", &format!("{}/testdata/", root()));
            let Ok((_, obedience)) = run(&example, &problem()) else { continue };
            match run(&example, &problem().with_kinds(Some(&kinds))) {
                Ok((mapping, _)) => {
                    assert!(pins.iter().all(|&(t, slot)| mapping.slot(t) == slot), "{topology}: {example}");
                    obeyed.insert(kind.entry().name);
                }
                Err(error) => {
                    assert!(error.is_input(), "{example}: {error}");
                    assert_ne!(obedience, Obedience::Repaired, "{topology}: {example}: {error}");
                    refused.insert(kind.entry().name);
                }
            }
        }
    }
    let all =
        ["default", "random", "row", "blocks", "group-random", "greedy", "best", "multilevel", "congestion-search"];
    assert!(all.iter().all(|name| obeyed.contains(name)), "{obeyed:?}");
    assert!(refused.contains("reorder-hosts") && !refused.contains("greedy"), "{refused:?}");
}

/// All injections of tasks into places that `allowed` lets pass, one by one.
fn each_injection(tasks: u32, places: u32, allowed: &dyn Fn(u32, u32) -> bool, visit: &mut dyn FnMut(&[u32])) {
    fn place(
        at: &mut Vec<u32>,
        left: u32,
        places: u32,
        allowed: &dyn Fn(u32, u32) -> bool,
        visit: &mut dyn FnMut(&[u32]),
    ) {
        if left == 0 {
            return visit(at);
        }
        for p in 0..places {
            if !at.contains(&p) && allowed(at.len() as u32, p) {
                at.push(p);
                place(at, left - 1, places, allowed, visit);
                at.pop();
            }
        }
    }
    place(&mut Vec::new(), tasks, places, allowed, visit);
}

#[test]
fn searches_with_pins_and_holes_find_what_trying_all_finds() {
    let (mut found, mut cases) = (0, 0);
    for (topology, seed) in
        [("torus:dims=3x3", 1), ("torus:dims=3x3", 2), ("tree:arity=3x3,slots=1", 3), ("torus:dims=5,slots=2", 4)]
    {
        let network = network(topology, None);
        let mut rng = Rng::new(seed, topology);
        let demand = job(6, &mut rng);
        // Eight slots in any order: the others are forbidden.
        let slots = shuffled(&network.fabric, &mut rng)[..8].to_vec();
        let pins = [(4, slots[1]), (1, slots[6])];
        let kinds = Kinds::pinned(6, &slots, &pins, &network.fabric).expect("pins");
        let problem = Problem::new(&demand, &*network.routing, &slots).expect("problem").with_kinds(Some(&kinds));
        let hop_bytes = |mapping: &Mapping| problem.score(mapping).expect("score").0[2];
        let mut least = f64::INFINITY;
        let pinned = |t: u32, p: u32| pins.iter().all(|&(task, slot)| (task == t) == (slot == slots[p as usize]));
        each_injection(6, 8, &pinned, &mut |places| {
            let mapping = Mapping::new(places.iter().map(|&p| slots[p as usize]).collect(), &network.fabric);
            least = least.min(hop_bytes(&mapping.expect("an injection")));
        });
        for spec in ["multilevel", "greedy", "congestion-search:evaluations=3000", "default", "random"] {
            let (mapping, _) = run(spec, &problem).expect(spec);
            assert!(pins.iter().all(|&(t, slot)| mapping.slot(t) == slot), "{topology}: {spec}");
            assert!((0..6).all(|t| slots.contains(&mapping.slot(t))), "{topology}: {spec}");
            assert!(hop_bytes(&mapping) >= least, "{topology}: {spec} is better than all mappings");
            if spec == "multilevel" {
                cases += 1;
                found += u32::from(hop_bytes(&mapping) == least);
            }
        }
    }
    assert_eq!(found, cases, "multilevel missed an optimum");
}

#[test]
fn a_repaired_mapping_moves_nobody_else() {
    let network = network("torus:dims=4,slots=3", None);
    let demand = job(8, &mut Rng::new(1, "job"));
    let slots: Vec<SlotId> = (0..12).map(SlotId).collect();
    let kinds = Kinds::pinned(8, &slots, &[(0, SlotId(5)), (7, SlotId(11)), (2, SlotId(2))], &network.fabric);
    let kinds = kinds.expect("pins");
    let problem = Problem::new(&demand, &*network.routing, &slots).expect("problem").with_kinds(Some(&kinds));
    let (mapping, _) = run("default", &problem).expect("default");
    // Task 5 takes the slot of 0, 7 goes to its own, all others stay.
    assert_eq!(mapping.on_hosts(network.fabric.hosts()).len(), 8);
    assert_eq!((0..8).map(|t| mapping.slot(t).0).collect::<Vec<_>>(), [5, 1, 2, 3, 4, 0, 6, 11]);
}

/// Hosts of a torus with 1 to 4 slots in the allocation, host by host.
fn uneven(fabric: &Fabric, rng: &mut Rng) -> Vec<SlotId> {
    let mut hosts: Vec<HostId> = (0..fabric.hosts().len()).map(HostId).collect();
    rng.shuffle(&mut hosts);
    let own = |host: HostId, few: usize| fabric.hosts().slots_of(host).skip(few).collect::<Vec<_>>();
    hosts.into_iter().flat_map(|host| own(host, [0, 0, 2, 3][rng.below(4) as usize])).collect()
}

/// What a launcher does that is given hosts in an order, each with its slots:
/// the host of every rank.
fn launched(order: &[HostId], slots: &BTreeMap<HostId, u32>, ranks: u32) -> Vec<HostId> {
    let all = order.iter().flat_map(|host| std::iter::repeat_n(*host, slots[host] as usize));
    all.take(ranks as usize).collect()
}

#[test]
fn whole_hosts_load_links_as_their_ranks_do_and_launchers_find_the_same_blocks() {
    let network = network("torus:dims=3x4,slots=4", None);
    let (fabric, hosts) = (&network.fabric, network.fabric.hosts());
    for seed in 0..12 {
        let mut rng = Rng::new(seed, "whole hosts");
        let slots = uneven(fabric, &mut rng);
        let tasks = slots.len() as u32 - rng.below(6) as u32;
        let sparse = job(tasks, &mut rng);
        let set = |first: u32, step: u32| TaskSet::Range { first, count: (tasks - first).div_ceil(step), step };
        let block = Block { sources: set(1, 2), destinations: set(0, 3), amount: 0.5, to_self: seed % 2 == 0 };
        let demand = Demand::new(tasks, Unit::Units, sparse.entries().to_vec(), vec![block]).expect("demand");
        let problem = Problem::new(&demand, &*network.routing, &slots).expect("problem");
        let whole = WholeHosts::new(&problem).expect("whole hosts");
        let inner = whole.problem(&problem).expect("smaller problem");
        let mut size: BTreeMap<HostId, u32> = BTreeMap::new();
        slots.iter().for_each(|&s| *size.entry(hosts.host_of(s)).or_insert(0) += 1);
        let block_of: Vec<HostId> = slots[..tasks as usize].iter().map(|&s| hosts.host_of(s)).collect();
        for spec in ["default", "random", "greedy", "multilevel:evaluations=3000", "congestion-search:evaluations=2000"]
        {
            let (small, _) = run(spec, &inner).expect(spec);
            let mapping = whole.expand(&problem, &small).expect(spec);
            assert_eq!(whole.contracted(&problem, &mapping), Some(small.clone()), "{spec}");
            assert_eq!(
                run(&format!("reorder-hosts:of=[{spec}]"), &problem).map(|m| m.0),
                Ok(mapping.clone()),
                "{spec}"
            );
            // Ranks of one block share a host with as many slots.
            let at: Vec<HostId> = (0..tasks).map(|t| hosts.host_of(mapping.slot(t))).collect();
            for (t, (before, now)) in block_of.iter().zip(&at).enumerate() {
                let first = block_of.iter().position(|b| b == before).expect("a block");
                assert_eq!((at[first], size[before]), (*now, size[now]), "{spec}: task {t}");
            }
            let mut order = at.clone();
            order.dedup();
            assert_eq!(launched(&order, &size, tasks), at, "{spec}");
            // One endpoint a host: both problems load every link alike.
            let [ours, theirs] = [(&demand, &mapping), (inner.demand(), &small)].map(|(demand, mapping)| {
                evaluate(demand, &mapping.places(hosts), &*network.routing).expect("loads").load
            });
            assert!(ours.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-9), "{spec}");
        }
    }
}

#[test]
fn reordering_finds_the_best_order_of_few_hosts() {
    let network = network("torus:dims=6,slots=2", None);
    let mut rng = Rng::new(9, "order");
    // Three hosts with two slots, three with one.
    let slots: Vec<SlotId> = [0, 1, 2, 4, 5, 6, 8, 9, 10].map(SlotId).to_vec();
    let size = [2, 1, 2, 1, 2, 1];
    let demand = job(9, &mut rng);
    let problem = Problem::new(&demand, &*network.routing, &slots).expect("problem");
    let whole = WholeHosts::new(&problem).expect("whole hosts");
    let inner = whole.problem(&problem).expect("smaller problem");
    let hop_bytes = |mapping: &Mapping| problem.score(mapping).expect("score").0[2];
    let (mut least, mut orders) = (f64::INFINITY, 0);
    each_injection(6, 6, &|a, b| size[a as usize] == size[b as usize], &mut |places| {
        let order = places.iter().map(|&p| inner.slots()[p as usize]).collect();
        let small = Mapping::new(order, &network.fabric).expect("an order");
        least = least.min(hop_bytes(&whole.expand(&problem, &small).expect("equal sizes")));
        orders += 1;
    });
    assert_eq!(orders, 36);
    let (mapping, _) = run("reorder-hosts:of=multilevel", &problem).expect("multilevel");
    assert_eq!(hop_bytes(&mapping), least);
    // A host that would be put where it does not fit is an error, not a panic.
    let wrong = [1, 0, 2, 3, 4, 5].map(|p| inner.slots()[p]).to_vec();
    assert!(whole.expand(&problem, &Mapping::new(wrong, &network.fabric).expect("an order")).is_err());
}

/// Which of its slots a host of a smaller capacity uses is up to a mapping that is given.
#[test]
fn a_capacity_forces_no_slot() {
    let judge = |slots: &str, more: &str| {
        let files = Memory([("m".to_string(), slots.replace(' ', "\n").into_bytes())].into());
        let toml = format!(
            "topology = \"torus:dims=4,slots=4\"\ntraffic = \"uniform:tasks=4\"\nmapping = \"file:m\"\ncapacity = \"t1=1\"\n{more}"
        );
        let plan = Plan::new(&Scenario::from_toml("s.toml", &toml).expect("scenario"), &files).expect("plan");
        run::load(&plan, 1, &mut Silent).map(drop).map_err(|e| e.to_string())
    };
    for slots in ["0 4 8 12", "0 7 8 12", "7 1 2 3"] {
        assert_eq!(judge(slots, ""), Ok(()), "{slots}");
        assert_eq!(judge(slots, "hosts = \"t[0-3]\""), Ok(()), "{slots}");
    }
    let crowded = judge("4 6 0 1", "").expect_err("two on t1");
    assert!(crowded.ends_with("2 tasks sit on host t1, whose capacity is 1"), "{crowded}");
    let outside = judge("0 7 8 12", "hosts = \"t0,t2,t3\"").expect_err("t1 is not allocated");
    assert!(outside.contains("task 1 sits on host t1, which is not in the allocation"), "{outside}");
}
