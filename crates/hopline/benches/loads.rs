//! Loads of 65,536 tasks on the largest PERCS machine, on one core, with the
//! peak of memory beside the time: `cargo bench --bench loads`.
//!
//! A special-purpose calculator needs 0.11 s and 23 MB for Transpose.

use divan::{AllocProfiler, Bencher, counter::ItemsCount};
use hopline::demand::{Demand, Flows};
use hopline::files::Disk;
use hopline::id::VertexId;
use hopline::loads::evaluate;
use hopline::mapping::Mapping;
use hopline::params::Params;
use hopline::plan::Network;
use hopline::scenario::Scenario;
use hopline::traffic;

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// A machine, a job in default order, and how many times its routes touch a
/// link when followed pair by pair.
fn set_up(topology: &str, routing: &str, job: &str) -> (Network, Demand, Vec<VertexId>) {
    let scenario = Scenario::default().topology(topology).and_then(|s| s.routing(routing)).expect("specs");
    let network = Network::new(&scenario, &Disk).expect("machine");
    let slots = network.fabric.hosts().slots();
    let context = traffic::Context { fabric: &network.fabric, slots, files: &Disk };
    let params = Params::from_spec(job, &hopline::error::Place::new("bench", 0)).expect("spec");
    let demand = traffic::build(&params, &context).expect("job").demand;
    let in_order = (0..demand.tasks()).map(hopline::id::SlotId).collect();
    let place = Mapping::new(in_order, &network.fabric).expect("mapping").places(network.fabric.hosts());
    (network, demand, place)
}

const PERCS: &str = "percs:ns=512,nd=1";

#[divan::bench(args = [
    ("direct", "transpose:grid=256x256"), ("indirect", "transpose:grid=256x256"),
    ("direct", "transpose:grid=128x512"), ("indirect", "transpose:grid=128x512"),
    ("direct", "halo:grid=256x256"), ("indirect", "halo:grid=256x256"),
    ("direct", "alltoall"), ("indirect", "alltoall"),
], sample_count = 11)]
fn percs_65536_tasks(bencher: Bencher, (routing, job): (&str, &str)) {
    let (network, demand, place) = set_up(PERCS, routing, job);
    bencher.counter(ItemsCount::new(demand.pairs())).bench(|| evaluate(&demand, &place, &*network.routing));
}

#[divan::bench(args = [
    ("torus:dims=16x16x16x16", "dor", "alltoall"),
    ("torus:dims=32x32x64", "dor", "halo:grid=64x32x32"),
    ("dragonfly:p=8,a=16,h=8", "minimal", "alltoall"),
    ("tree:arity=16x64x64", "shortest", "alltoall"),
], sample_count = 5)]
fn other_machines(bencher: Bencher, (topology, routing, job): (&str, &str, &str)) {
    let (network, demand, place) = set_up(topology, routing, job);
    bencher.counter(ItemsCount::new(demand.pairs())).bench(|| evaluate(&demand, &place, &*network.routing));
}

/// Link updates per second when routes are followed one by one, to be held
/// against `memory`: both are bound by the machine's memory.
#[divan::bench(sample_count = 5)]
fn link_updates(bencher: Bencher) {
    let (network, demand, place) = set_up("torus:dims=32x32x64", "dor", "bit-complement");
    let flows = Flows::new(&demand, &place, &network.fabric);
    let mut loads = vec![0.0; network.fabric.links()];
    network.routing.load(&flows, &mut loads).expect("load");
    let updates: f64 = loads.iter().sum();
    bencher.counter(ItemsCount::new(updates as u64)).bench_local(|| network.routing.load(&flows, &mut loads));
}

/// The machine's memory bandwidth: reading and writing 64 MB, in updates of 8
/// bytes in order and in random order.
#[divan::bench(args = [false, true], sample_count = 5)]
fn memory(bencher: Bencher, random: bool) {
    let mut cells = vec![0.0f64; 1 << 23];
    let n = cells.len();
    bencher.counter(ItemsCount::new(n)).bench_local(|| {
        let mut at = 1usize;
        for i in 0..n {
            at = if random {
                (at.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407)) & usize::MAX
            } else {
                i
            };
            cells[(at >> if random { 20 } else { 0 }) % n] += 1.0;
        }
    });
}
