//! Laws that hold for every job, every placement and every spec: checked on
//! generated ones, the same on every run. `PROPTEST_CASES` asks for more.

#[path = "../common/mod.rs"]
mod common;
mod found;
mod mappings;
mod specs;
mod threads;

use common::{endpoint, fabric, network, pairs, root};
use hopline::demand::{Block, Demand, Flow, Flows, TaskSet, Unit};
use hopline::entry::Listed;
use hopline::error::Place;
use hopline::event::Silent;
use hopline::fabric::{Builder, Fabric, LinkClass, Rails};
use hopline::files::{Disk, Memory};
use hopline::id::{HostId, SlotId, VertexId};
use hopline::loads::evaluate;
use hopline::mapping::{self, Context, Mapping, Problem};
use hopline::params::{Params, Value};
use hopline::plan::{Network, Plan};
use hopline::rng::Rng;
use hopline::routing::{Path, Routing};
use hopline::run;
use hopline::scenario::Scenario;
use hopline::traffic;
use hopline::unit::Bandwidth;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::subsequence;
use proptest::test_runner::{RngSeed, TestRunner};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// So many cases unless the environment asks for others, and always the same ones.
fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { cases };
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..default }
}

/// What a demand is made of.
#[derive(Debug, Clone)]
struct Job {
    tasks: u32,
    entries: Vec<(u32, u32, f64)>,
    blocks: Vec<Block>,
}

impl Job {
    fn demand(&self) -> Demand {
        Demand::new(self.tasks, Unit::Units, self.entries.clone(), self.blocks.clone()).expect("a demand")
    }

    /// Amounts by sender and receiver, summed without the library's help.
    fn pairs(&self) -> BTreeMap<(u32, u32), f64> {
        let mut pairs = BTreeMap::new();
        let mut add = |from, to, amount| *pairs.entry((from, to)).or_insert(0.0) += amount;
        self.entries.iter().for_each(|&(from, to, amount)| add(from, to, amount));
        for b in &self.blocks {
            for from in b.sources.iter() {
                b.destinations.iter().filter(|&to| b.to_self || to != from).for_each(|to| add(from, to, b.amount));
            }
        }
        pairs.retain(|_, amount| *amount > 0.0);
        pairs
    }

    /// The same job with every task called by another number.
    fn relabelled(&self, number: &[u32]) -> Job {
        let of = |task: u32| number[task as usize];
        let set = |s: &TaskSet| TaskSet::List(s.iter().map(of).collect());
        let block = |b: &Block| Block { sources: set(&b.sources), destinations: set(&b.destinations), ..b.clone() };
        Job {
            tasks: self.tasks,
            entries: self.entries.iter().map(|&(from, to, amount)| (of(from), of(to), amount)).collect(),
            blocks: self.blocks.iter().map(block).collect(),
        }
    }
}

/// Eighths: their sums are exact in any order, so totals must be equal to the last bit.
fn amounts() -> impl Strategy<Value = f64> {
    (0..=64u32).prop_map(|k| f64::from(k) / 8.0)
}

fn task_sets(tasks: u32) -> impl Strategy<Value = TaskSet> {
    let range = (0..tasks, 1..=4u32, 0..=tasks).prop_map(move |(first, step, count)| {
        let fit = (tasks - 1 - first) / step + 1;
        TaskSet::Range { first, count: count.min(fit), step }
    });
    let list = subsequence((0..tasks).collect::<Vec<_>>(), 0..=tasks as usize).prop_shuffle().prop_map(TaskSet::List);
    prop_oneof![range, list]
}

fn jobs() -> impl Strategy<Value = Job> {
    (1..=24u32).prop_flat_map(|tasks| {
        let entries = vec((0..tasks, 0..tasks, amounts()), 0..60);
        let block = (task_sets(tasks), task_sets(tasks), amounts(), any::<bool>());
        let block =
            block.prop_map(|(sources, destinations, amount, to_self)| Block { sources, destinations, amount, to_self });
        (entries, vec(block, 0..4)).prop_map(move |(entries, blocks)| Job { tasks, entries, blocks })
    })
}

/// Every routing on a small machine that it fits.
static NETWORKS: LazyLock<Vec<Network>> =
    LazyLock::new(|| pairs().map(|(topology, routing)| network(topology, Some(routing))).collect());

/// Hosts with so many adapters each, on two switches in turn.
fn rails(adapters: &[u32]) -> Fabric {
    let ends = adapters.iter().sum();
    let mut b = Builder::new(format!("rails {adapters:?}"), ends, 2);
    let host = b.class(LinkClass::host(Some(Bandwidth::gb_s(1.0))));
    let trunk = b.class(LinkClass::network("trunk", Bandwidth::gb_s(1.0)));
    for v in 0..ends {
        b.cable(VertexId(v), b.switch(v % 2), host);
    }
    b.cable(b.switch(0), b.switch(1), trunk);
    let mut first = 0;
    for (h, &own) in adapters.iter().enumerate() {
        b.host(format!("h{h}"), (first..first + own).map(VertexId).collect(), 2);
        first += own;
    }
    b.finish().expect("rails")
}

/// As many adapters on all hosts, and not.
const RAILS: [&[u32]; 3] = [&[2; 6], &[4; 4], &[1, 2, 1, 4, 2, 1, 2]];

/// Tasks on random endpoints, several on one.
fn places(fabric: &Fabric, tasks: u32, seed: u64) -> Vec<VertexId> {
    let mut rng = Rng::new(seed, "places");
    (0..tasks).map(|_| endpoint(fabric, &mut rng)).collect()
}

fn assert_close(a: &[f64], b: &[f64], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (link, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= 1e-9 * (1.0 + x.abs()), "{what}: link {link} has {x} and {y}");
    }
}

/// What leaves its host, and that the parts of the flows add up to it.
fn assert_flows_conserve(job: &Job, place: &[VertexId], f: &Fabric) {
    let flows = Flows::new(&job.demand(), place, f);
    let host = |task: u32| f.hosts().owner(place[task as usize]);
    let total: f64 = job.pairs().values().sum();
    let remote: f64 = job.pairs().iter().filter(|((from, to), _)| host(*from) != host(*to)).map(|(_, a)| a).sum();
    assert_eq!(flows.remote, remote, "{}: what leaves its host", f.name());
    assert_eq!(flows.local, total - remote, "{}: what stays in it", f.name());
    let mut flowing = 0.0;
    let mut add = |flow: Flow| {
        assert_ne!(f.hosts().owner(flow.source), f.hosts().owner(flow.target), "{}: no flow within a host", f.name());
        flowing += flow.amount;
    };
    flows.entries.iter().for_each(|&flow| add(flow));
    flows.blocks.iter().for_each(|block| block.each_pair(&mut add));
    assert_eq!(flowing, remote, "{}: flows", f.name());
}

type ByEnds = BTreeMap<(VertexId, VertexId), f64>;

/// What endpoints send to each other.
fn flows_between(job: &Job, place: &[VertexId], f: &Fabric) -> ByEnds {
    let flows = Flows::new(&job.demand(), place, f);
    let mut all = ByEnds::new();
    let mut add = |flow: Flow| *all.entry((flow.source, flow.target)).or_default() += flow.amount;
    flows.entries.iter().for_each(|&flow| add(flow));
    flows.blocks.iter().for_each(|block| block.each_pair(&mut add));
    all.retain(|_, amount| *amount > 0.0);
    all
}

/// The same, task by task: stripes go from rail to rail in equal parts.
fn flows_by_pairs(job: &Job, place: &[VertexId], f: &Fabric) -> ByEnds {
    let hosts = f.hosts();
    let mut all = ByEnds::new();
    for ((from, to), amount) in job.pairs() {
        let ends = [place[from as usize], place[to as usize]];
        let [a, b] = ends.map(|v| hosts.endpoints(hosts.owner(v).expect("a host")));
        if a == b || amount == 0.0 {
            continue;
        }
        let rails = if hosts.rails() == Rails::Stripe { a.len().max(b.len()) } else { 1 };
        for rail in 0..rails {
            let ends = if rails > 1 { (a[rail % a.len()], b[rail % b.len()]) } else { (ends[0], ends[1]) };
            *all.entry(ends).or_default() += amount / rails as f64;
        }
    }
    all
}

proptest! {
    #![proptest_config(config(128))]

    #[test]
    fn a_demand_keeps_what_its_parts_send(job in jobs()) {
        let demand = job.demand();
        let pairs = job.pairs();
        let total: f64 = pairs.values().sum();
        prop_assert_eq!(demand.total(), total);
        prop_assert!((demand.mean_sent() * f64::from(job.tasks) - total).abs() <= 1e-12 * total);
        let mut visited = BTreeMap::new();
        demand.each_pair(|from, to, amount| *visited.entry((from, to)).or_insert(0.0) += amount);
        prop_assert_eq!(visited, pairs);
        let entries = demand.entries();
        prop_assert!(entries.windows(2).all(|w| (w[0].0, w[0].1) < (w[1].0, w[1].1)), "sorted, no pair twice");
        prop_assert!(entries.iter().all(|e| e.2 > 0.0));
    }

    #[test]
    fn flows_keep_what_a_demand_sends(job in jobs(), seed in any::<u64>()) {
        for network in NETWORKS.iter() {
            let f = &network.fabric;
            assert_flows_conserve(&job, &places(f, job.tasks, seed), f);
        }
        for (adapters, use_of_rails) in RAILS.iter().flat_map(|a| [(a, Rails::RoundRobin), (a, Rails::Stripe)]) {
            let rails = rails(adapters).with_rails(use_of_rails).expect("rails");
            let place = places(&rails, job.tasks, seed);
            assert_flows_conserve(&job, &place, &rails);
            assert_eq!(flows_between(&job, &place, &rails), flows_by_pairs(&job, &place, &rails), "{}", rails.name());
        }
    }

    #[test]
    fn one_slot_takes_one_task(slots in vec(0..14u32, 0..8)) {
        let (_, f) = fabric("tree:arity=3x2,slots=2");
        let mapped = Mapping::new(slots.iter().map(|&s| SlotId(s)).collect(), &f);
        let twice = (0..slots.len()).find_map(|t| Some((slots[..t].iter().position(|s| *s == slots[t])?, t)));
        let outside = slots.iter().position(|&s| s >= 12);
        match (mapped, twice, outside) {
            (Ok(mapping), None, None) => {
                prop_assert_eq!(mapping.tasks() as usize, slots.len());
                for slot in (0..12).map(SlotId) {
                    let task = slots.iter().position(|&s| s == slot.0).map(|t| t as u32);
                    prop_assert_eq!(mapping.task(slot), task);
                    prop_assert!(task.is_none_or(|t| mapping.slot(t) == slot));
                }
            }
            // The first fault is named.
            (Err(e), Some((first, second)), out) if out.is_none_or(|t| second < t) => {
                prop_assert!(e.message().starts_with(&format!("tasks {first} and {second} are both in slot ")), "{}", e);
            }
            (Err(e), _, Some(task)) => {
                prop_assert!(e.message().starts_with(&format!("task {task} is put in slot ")), "{}", e);
            }
            (mapped, ..) => prop_assert!(false, "{:?} gave {:?}", slots, mapped),
        }
    }
}

/// What all paths of all pairs put on links between routers, path by path.
fn amount_times_hops(job: &Job, place: &[VertexId], routing: &dyn Routing) -> f64 {
    let f = routing.fabric();
    let mut sum = 0.0;
    let mut path = Path::default();
    for (&(from, to), amount) in &job.pairs() {
        let (source, target) = (place[from as usize], place[to as usize]);
        if f.hosts().owner(source) == f.hosts().owner(target) {
            continue;
        }
        for choice in 0..routing.choices(source, target).expect("a way") {
            routing.path(source, target, choice, &mut path).expect("a way");
            sum += amount * path.share * path.links.iter().filter(|&&l| !f.is_host_link(l)).count() as f64;
        }
    }
    sum
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn loads_add_up_to_amount_times_expected_hops(job in jobs(), seed in any::<u64>()) {
        for (network, (topology, spec)) in NETWORKS.iter().zip(pairs()) {
            let f = &*network.fabric;
            let place = places(f, job.tasks, seed);
            let loads = evaluate(&job.demand(), &place, &*network.routing).expect("loads");
            let of = |host: bool| -> f64 {
                f.link_ids().filter(|&l| f.is_host_link(l) == host).map(|l| loads.load[l.index()]).sum()
            };
            let expected = amount_times_hops(&job, &place, &*network.routing);
            prop_assert!((of(false) - expected).abs() <= 1e-9 * (1.0 + expected), "{topology} {spec}: {} {expected}", of(false));
            // What leaves a host is injected once and ejected once, where there are links for it.
            let sides = if f.link_ids().any(|l| f.is_host_link(l)) { 2.0 } else { 0.0 };
            let remote = loads.remote;
            prop_assert!((of(true) - sides * remote).abs() <= 1e-9 * (1.0 + remote), "{topology} {spec}: {} {remote}", of(true));
        }
    }

    #[test]
    fn names_of_tasks_do_not_matter(job in jobs(), seed in any::<u64>()) {
        let mut number: Vec<u32> = (0..job.tasks).collect();
        Rng::new(seed, "numbers").shuffle(&mut number);
        let other = job.relabelled(&number);
        for (network, (topology, spec)) in NETWORKS.iter().zip(pairs()) {
            let place = places(&network.fabric, job.tasks, seed);
            let mut moved = place.clone();
            number.iter().zip(&place).for_each(|(&new, &v)| moved[new as usize] = v);
            let loads = |job: &Job, place: &[VertexId]| evaluate(&job.demand(), place, &*network.routing).expect("loads");
            let (before, after) = (loads(&job, &place), loads(&other, &moved));
            assert_close(&before.load, &after.load, &format!("{topology} {spec}"));
            prop_assert_eq!((before.remote, before.local), (after.remote, after.local));
        }
    }

    /// One uniform block, which the torus sums up by rings, against the same pairs one by one.
    #[test]
    fn all_to_all_on_a_torus_is_the_sum_of_its_pairs(
        // The last extent is not 1: see the fault below.
        dims in (vec(1..=6u32, 0..=2), 2..=6u32).prop_map(|(mut dims, last)| { dims.push(last); dims }),
        tie in prop::sample::select(vec!["plus", "minus", "parity", "split"]),
        tasks in 1..=40u32,
        seed in any::<u64>(),
    ) {
        let dims: Vec<String> = dims.iter().map(u32::to_string).collect();
        let network = network(&format!("torus:dims={}", dims.join("x")), Some(&format!("dor:tie={tie}")));
        let block = built_traffic(&network, &format!("alltoall:tasks={tasks}"));
        prop_assert_eq!((block.entries().len(), block.blocks().len()), (0, 1));
        let mut pairs = Vec::new();
        block.each_pair(|from, to, amount| pairs.push((from, to, amount)));
        prop_assert_eq!(pairs.len(), (tasks * tasks) as usize);
        let single = Demand::new(tasks, Unit::Units, pairs, Vec::new()).expect("pairs");
        let place = places(&network.fabric, tasks, seed);
        let loads = |demand: &Demand| evaluate(demand, &place, &*network.routing).expect("loads").load;
        assert_close(&loads(&block), &loads(&single), network.fabric.name());
    }
}

fn built_traffic(network: &Network, spec: &str) -> Demand {
    let params = Params::from_spec(spec, &Place::new("test", 0)).expect(spec);
    let context = traffic::Context { fabric: &network.fabric, slots: network.fabric.hosts().slots(), files: &Disk };
    traffic::build(&params, &context).unwrap_or_else(|e| panic!("{spec}: {e}")).demand
}

/// In an odd ring of k the mean distance is (k^2-1)/(4k) and both directions are
/// alike, so all-to-all of one unit a task puts (k^2-1)/(8k) on every link.
#[test]
fn all_to_all_on_an_odd_torus_loads_every_link_alike() {
    for k in [3u32, 5, 7] {
        for dims in [format!("{k}"), format!("{k}x{k}"), format!("{k}x{k}x{k}")] {
            let network = network(&format!("torus:dims={dims}"), Some("dor"));
            let demand = built_traffic(&network, "alltoall");
            let place: Vec<VertexId> = (0..demand.tasks()).map(VertexId).collect();
            let loads = evaluate(&demand, &place, &*network.routing).expect("loads").load;
            let each = f64::from(k * k - 1) / f64::from(8 * k);
            assert_close(&loads, &vec![each; network.fabric.links()], &dims);
        }
    }
}
