//! Schedules and what they send in all: the demand that loads and mappings look
//! at is the projection of the schedule, link by link what its replay carries.

mod common;

use common::{fabric, network, root};
use hopline::demand::Demand;
use hopline::entry::Listed as _;
use hopline::error::Place;
use hopline::event::Silent;
use hopline::files::Disk;
use hopline::id::{LinkId, SlotId};
use hopline::loads;
use hopline::mapping::Mapping;
use hopline::params::Params;
use hopline::replay::{Model, Places, Record, ReplayInput, no_params, replay};
use hopline::schedule::{self, Schedule, What};
use hopline::traffic::{self, Context};
use std::collections::BTreeMap;

fn params(spec: &str) -> Params {
    let spec = spec.replace("testdata/", &format!("{}/testdata/", root()));
    Params::from_spec(&spec, &Place::new("test", 0)).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

fn scheduled(spec: &str, slots: u32) -> Schedule {
    let (_, fabric) = fabric("percs:ns=1,nd=1");
    let context = Context { fabric: &fabric, slots, files: &Disk };
    schedule::build(&params(spec), &context).unwrap_or_else(|e| panic!("{spec}: {e}")).schedule
}

fn traffic(spec: &str, slots: u32) -> Demand {
    let (_, fabric) = fabric("percs:ns=1,nd=1");
    let context = Context { fabric: &fabric, slots, files: &Disk };
    traffic::build(&params(spec), &context).unwrap_or_else(|e| panic!("{spec}: {e}")).demand
}

/// Bytes of every pair, added up by playing the program body by body.
fn played(s: &Schedule) -> BTreeMap<(u32, u32), u64> {
    let mut bytes = BTreeMap::new();
    for play in s.program() {
        for rank in 0..s.ranks() {
            for op in s.of(play.body, rank).map(|i| s.ops()[i as usize]).filter(|op| op.what == What::Send) {
                *bytes.entry((rank, op.peer)).or_default() += op.amount * u64::from(play.times);
            }
        }
    }
    bytes.retain(|_, b| *b > 0);
    bytes
}

fn pairs(demand: &Demand) -> BTreeMap<(u32, u32), f64> {
    let mut bytes = BTreeMap::new();
    demand.each_pair(|from, to, amount| *bytes.entry((from, to)).or_default() += amount);
    bytes.retain(|pair: &(u32, u32), b: &mut f64| pair.0 != pair.1 && *b > 0.0);
    bytes
}

/// Every kind of schedule and every collective, by its example.
fn examples() -> Vec<(&'static str, Schedule)> {
    let kinds = schedule::LIST.iter().map(|k| k.entry());
    let all = kinds.chain(schedule::collective::LIST.iter().map(|a| a.entry()));
    all.map(|e| (e.name, scheduled(e.example, 16))).collect()
}

#[test]
fn demand_is_what_the_program_sends() {
    for (name, s) in examples() {
        let (played, demand) = (played(&s), s.demand().expect(name));
        assert_eq!(s.volume().bytes, played.values().sum::<u64>(), "{name}");
        let demand: BTreeMap<_, _> =
            demand.entries().iter().map(|&(a, b, x)| ((a, b), x)).filter(|e| e.1 > 0.0).collect();
        assert_eq!(demand.len(), played.len(), "{name}");
        assert!(played.iter().all(|(pair, &bytes)| demand[pair] == bytes as f64), "{name}");
    }
}

/// Links have one way between two hosts and 1 GB/s: a byte keeps each link of it busy for a nanosecond.
#[test]
fn a_replay_carries_the_demand_over_every_link() {
    let net = network("torus:dims=8x8x4,bandwidth=1", Some("dor"));
    let mut keys = no_params();
    keys.push("S", hopline::params::Value::Text("100G".into()), Place::new("test", 0)).expect("a key");
    let model = Model::read(&keys).expect("model");
    let mut compared = 0;
    for (name, s) in examples() {
        if s.ranks() > 256 || s.volume().messages > 100_000 {
            continue;
        }
        let mapping = Mapping::new((0..s.ranks()).map(SlotId).collect(), &net.fabric).expect(name);
        let places = Places::new(&mapping, net.fabric.hosts()).expect(name);
        let input = ReplayInput { schedule: &s, routing: &*net.routing, places: &places, model: &model };
        let done = replay(input, &Record::default(), &mut Silent).unwrap_or_else(|e| panic!("{name}: {e}"));
        let loads = loads::evaluate(&s.demand().expect(name), &places.endpoint, &*net.routing).expect(name);
        for l in 0..net.fabric.links() {
            if net.fabric.class_of(LinkId(l as u32)).bandwidth.is_some() {
                let (carried, load) = (done.busy[l] as f64 / 1000.0, loads.load[l]);
                assert!((carried - load).abs() <= 1e-6 * load.max(1.0), "{name}, link {l}: {carried} of {load} bytes");
            }
        }
        compared += 1;
    }
    assert!(compared > 25, "{compared}");
}

/// Where a pattern of traffic means the same messages, both say the same bytes.
#[test]
fn schedules_and_patterns_agree() {
    for (schedule, pattern, times) in [
        ("pairwise:bytes=100,ranks=12", "alltoall:weight=per-edge", 100.0),
        ("linear:bytes=100,ranks=12", "alltoall:weight=per-edge", 100.0),
        ("supernode:bytes=100,ranks=12,cores=4", "alltoall:weight=per-edge", 100.0),
        ("halo-steps:grid=4x3,bytes=10,steps=5,wrap=false", "halo:grid=4x3,weight=per-edge,wrap=false", 50.0),
        ("training:file=testdata/workloads/gpt-tiny-16.txt", "workload:file=testdata/workloads/gpt-tiny-16.txt", 1.0),
    ] {
        let (s, t) = (pairs(&scheduled(schedule, 12).demand().expect(schedule)), pairs(&traffic(pattern, 12)));
        assert_eq!(s.keys().collect::<Vec<_>>(), t.keys().collect::<Vec<_>>(), "{schedule}");
        assert!(s.iter().all(|(pair, bytes)| (bytes - times * t[pair]).abs() <= 1e-9 * bytes), "{schedule}");
    }
}

#[test]
fn a_training_step_waits_for_its_pipeline() {
    // Two stages of one rank, two micro-batches of one layer: 100 ns forward, 30 + 20 + 50 ns back.
    let file = "HYBRID_TRANSFORMER model_parallel_NPU_group: 1 pp: 2 ga: 2 all_gpus: 2 pp_comm 1000\n2\n\
                embedding_layer -1 100 NONE 0 50 NONE 0 30 NONE 0 20\nembedding_layer -1 100 NONE 0 50 NONE 0 30 NONE 0 20\n";
    let files = hopline::files::Memory([("w".to_string(), file.as_bytes().to_vec())].into());
    let net = network("full-mesh:n=2,bandwidth=1", None);
    let context = Context { fabric: &net.fabric, slots: 2, files: &files };
    let time = |spec: &str| {
        let made = schedule::build(&params(spec), &context).unwrap_or_else(|e| panic!("{e}"));
        let mapping = Mapping::new((0..2).map(SlotId).collect(), &net.fabric).expect("mapping");
        let places = Places::new(&mapping, net.fabric.hosts()).expect("places");
        let model = Model::read(&params("replay:o=0,L=0,g=0,O=0,S=100G,packet=1000")).expect("model");
        let input = ReplayInput { schedule: &made.schedule, routing: &*net.routing, places: &places, model: &model };
        (replay(input, &Record::default(), &mut Silent).expect("replay").makespan(), made.notes)
    };
    // Forward 100, hand on 1000, 100; the second micro-batch is a message behind: 100 + 1000 + 1000 + 100.
    // Then back: 100, 1000 on the wire, a second 1000, 100.
    let (makespan, notes) = time("training:file=w");
    assert_eq!(makespan, 2 * (100 + 2 * 1000 + 100) * 1000);
    assert_eq!(notes, ["each rank computes for 400 ns in all"]);
    // Computation alone sets the time where it is long: two micro-batches and one more stage, both ways.
    let (makespan, _) = time("training:file=w,scale=1000");
    assert_eq!(makespan, (3 * 200_000 + 2 * 1000) * 1000);
    let wrong = schedule::build(&params("training:file=w,allreduce=pairwise"), &context).err().map(|e| e.to_string());
    assert!(wrong.as_deref().is_some_and(|e| e.contains("`pairwise` is no allreduce")), "{wrong:?}");
}
