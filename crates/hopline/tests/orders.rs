//! Orders of ranks, for every collective: each is a permutation that keeps the
//! root, and the search is never behind the given order nor any that it starts from.

mod common;

use common::network;
use hopline::entry::Listed as _;
use hopline::event::Silent;
use hopline::files::Disk;
use hopline::format::tuning;
use hopline::ordering::{self, Delays, Traversal};
use hopline::plan::Plan;
use hopline::replay::{Model, Places};
use hopline::rng::Rng;
use hopline::run::{self, CollectiveOptions, Trained};
use hopline::scenario::Scenario;
use hopline::schedule::collective::{Keys, LIST, Operation, named, sized};

const MACHINES: [&str; 3] =
    ["tree:arity=4x4,bandwidth=1,host=1", "torus:dims=4x4,bandwidth=1", "dragonfly:p=2,a=4,h=1,host=1"];

#[test]
fn optimised_is_never_behind_any_other_order() {
    let model = Model::default();
    let orders: Vec<String> = run::ORDERS.map(String::from).to_vec();
    for (seed, machine) in (0..).zip(MACHINES) {
        for operation in Operation::ALL {
            let first = LIST.iter().find(|a| a.operation == operation).expect("an algorithm").entry().name;
            let mut scenario = Scenario::default().topology(machine).expect("topology");
            scenario = scenario.schedule(&format!("{first}:ranks=12")).expect("schedule");
            scenario = scenario.mappings("random").expect("mapping");
            scenario.seed = seed;
            let plan = Plan::for_schedule(&scenario, &Disk).unwrap_or_else(|e| panic!("{e}")).0;
            let keys = Keys { root: 5, k: 2, ..sized(0, 1) };
            let options = CollectiveOptions {
                sizes: vec![64, 65_536],
                orders: orders.clone(),
                algorithms: Vec::new(),
                keys,
                evaluations: 8,
                exact: true,
            };
            let done =
                run::collective(&plan, operation.name(), &options, (&model, "L=0"), &mut Silent).expect("predictions");
            for size in &done.sizes {
                assert_eq!(size.tried.len(), orders.len() * LIST.iter().filter(|a| a.operation == operation).count());
                for t in &size.tried {
                    let found = size.tried.iter().find(|o| o.algorithm == t.algorithm && o.order == "optimised");
                    let optimised = found.expect("optimised").time_s;
                    assert!(
                        optimised <= t.time_s,
                        "{machine} {} {}: {optimised} behind {}",
                        t.algorithm,
                        t.order,
                        t.time_s
                    );
                    assert!(size.best.time_s <= t.time_s && size.best_default.time_s >= size.best.time_s);
                }
            }
            // What is exported is an algorithm that the library has, wherever it has one.
            let rules = done.decisions("openmpi", &keys).expect("decisions").rules;
            assert!(
                rules.iter().all(|r| tuning::offers("openmpi", operation.name(), 12, r).expect("a form")),
                "{rules:?}"
            );
            assert_eq!(rules[0].from, 0);
            // Not from messages that cost nothing because nobody said what they cost.
            let mut unknown = done;
            unknown.model = "packet=4096".into();
            assert!(unknown.decisions("openmpi", &keys).is_err_and(|e| e.to_string().contains("such as L=770,o=400")));
        }
    }
}

#[test]
fn orders_are_permutations_that_keep_the_root_and_shorten_what_they_look_at() {
    for machine in MACHINES {
        let net = network(machine, None);
        let hosts = net.fabric.hosts().len();
        let mut given: Vec<u32> = (0..hosts).collect();
        Rng::new(3, "orders").shuffle(&mut given);
        given.truncate(12);
        let mapping = given.iter().map(|&h| hopline::id::SlotId(h)).collect();
        let mapping = hopline::mapping::Mapping::new(mapping, &net.fabric).expect("mapping");
        let places = Places::new(&mapping, net.fabric.hosts()).expect("places");
        let delays = Delays::by_hops(&places, &*net.routing).expect("delays");
        for algorithm in LIST {
            let name = algorithm.entry().name;
            let has_root = algorithm.entry().params.iter().any(|p| p.name == "root");
            let root = if has_root { 5 } else { 0 };
            let schedule =
                named(name).and_then(|a| a.schedule(&Keys { root, k: 2, ..sized(4096, 1) }, 12)).expect(name);
            let tree = ordering::communication_tree(&schedule, root);
            let below: usize = tree.children.iter().map(Vec::len).sum();
            assert_eq!(below, 11, "{name}: messages from or to the root lead to every rank");
            for traversal in [Traversal::Depth, Traversal::Breadth] {
                let order = ordering::traverse(&tree, root, &delays, traversal);
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!((order[root as usize], sorted), (root, (0..12).collect()), "{name}");
                // The first of the root's children to choose is as near as any place is.
                let nearest = (0..12).filter(|&p| p != root).map(|p| delays.between(root, p)).fold(f64::MAX, f64::min);
                let children = tree.children[root as usize].iter();
                let mut delays = children.map(|&child| delays.between(root, order[child as usize]));
                assert!(delays.any(|d| d == nearest), "{machine} {name}");
            }
        }
    }
}

/// Large sizes with trains of packets that are not in doubt take about as long as with single ones.
#[test]
fn trains_of_packets_tell_the_time_of_large_sizes() {
    let mut with_trains = 0;
    for (topology, operation) in [("fat-tree:k=4,n=2,host=1", "allreduce"), ("dragonfly:p=2,a=4,h=2", "broadcast")] {
        let first = run::algorithms(operation, &[]).expect("operation").1[0].entry().name;
        let scenario = Scenario::default().topology(topology).expect("topology");
        let scenario = scenario.schedule(&format!("{first}:ranks=16")).expect("schedule");
        let plan = Plan::for_schedule(&scenario, &Disk).unwrap_or_else(|e| panic!("{e}")).0;
        let mut model = Model::default();
        (model.latency, model.overhead) = (770_000, 400_000);
        let times = |exact: bool| {
            let options = CollectiveOptions {
                sizes: vec![80 << 20],
                orders: vec!["default".into()],
                algorithms: Vec::new(),
                keys: sized(0, 1),
                evaluations: 0,
                exact,
            };
            run::collective(&plan, operation, &options, (&model, ""), &mut Silent)
                .expect("predictions")
                .sizes
                .swap_remove(0)
        };
        for (fine, coarse) in times(true).tried.iter().zip(&times(false).tried) {
            let ratio = coarse.time_s / fine.time_s;
            if coarse.trained.is_some_and(|t| t.doubt <= Trained::ABOUT) {
                with_trains += 1;
                assert!((ratio - 1.0).abs() <= Trained::ABOUT, "{topology} {}: {ratio}", coarse.algorithm);
            }
        }
    }
    assert!(with_trains >= 3, "{with_trains} with trains");
}
