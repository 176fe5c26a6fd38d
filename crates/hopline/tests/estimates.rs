//! What does not fit into memory, or would take days, is refused before it begins; what fits is not.

mod common;

use common::network;
use hopline::error::{Place, Result};
use hopline::event::{Control, Event, Observer, Silent};
use hopline::files::{Disk, Memory};
use hopline::flits::Options;
use hopline::id::SlotId;
use hopline::mapping::Mapping;
use hopline::params::Params;
use hopline::plan::Plan;
use hopline::replay::{Model, Places, Record, ReplayInput, Replayed, replay};
use hopline::run::{self, Forget, ReplayOptions, flits};
use hopline::scenario::Scenario;
use hopline::schedule::{self, Builder, Limit, Schedule};
use hopline::traffic::Context;

fn params(spec: &str) -> Params {
    Params::from_spec(spec, &Place::new("test", 0)).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

fn build(spec: &str, limit: Limit) -> Result<Schedule> {
    let net = network("full-mesh:n=2", None);
    let context = Context { fabric: &net.fabric, slots: 2, files: &Disk };
    schedule::build_within(&params(spec), &context, limit).map(|made| made.schedule)
}

fn played(schedule: &Schedule, keys: &str, record: &Record) -> Result<Replayed> {
    let net = network(&format!("full-mesh:n={}", schedule.ranks()), None);
    let mapping = Mapping::new((0..schedule.ranks()).map(SlotId).collect(), &net.fabric).expect("mapping");
    let places = Places::new(&mapping, net.fabric.hosts()).expect("places");
    let model = Model::read(&params(&format!("replay:{keys}"))).expect("model");
    replay(ReplayInput { schedule, routing: &*net.routing, places: &places, model: &model }, record, &mut Silent)
}

#[test]
fn collectives_are_refused_by_what_they_take() {
    let limit = Limit::default();
    // 14 rounds of 16,384 messages.
    assert_eq!(build("bruck:bytes=8,ranks=16384", limit).expect("it is small").volume().messages, 229_376);
    for (spec, messages, most) in [
        ("allreduce-ring:ranks=16384", "536838144 messages", "at most 536870911 operations"),
        ("pairwise:ranks=16384", "268419072 messages", "the limit is 16.0 GB"),
        ("chain:ranks=1048576,bytes=1G,segment=1K", "messages", "the limit is"),
        ("knomial:ranks=4294967295", "4294967294 messages", "the limit is"),
        ("pairwise:ranks=4294967295", "messages", "the limit is"),
        ("halo-steps:grid=4096x4096x128", "messages", "the limit is"),
        ("fft:grid=8192x8192", "messages", "the limit is"),
        ("is:class=D,ranks=16384", "messages", "the limit is"),
    ] {
        let limit = if spec.starts_with("allreduce") { Limit { bytes: 1 << 40 } } else { limit };
        let error = build(spec, limit).err().map(|e| e.to_string()).unwrap_or_else(|| panic!("{spec} fits"));
        assert!(error.contains(messages) && error.contains(most) && error.contains("fewer ranks"), "{spec}: {error}");
    }
    // A larger or smaller machine has another limit.
    assert!(build("pairwise:ranks=256", Limit { bytes: 7_000_000 }).is_ok());
    assert!(build("pairwise:ranks=256", Limit { bytes: 6_000_000 }).is_err());
    assert!(build("halo-steps:grid=16x16x16", Limit { bytes: 1_000_000 }).is_err());
    assert!(
        build("halo-steps:grid=16x16x16,steps=1000000000", Limit { bytes: 5_000_000 }).is_ok(),
        "steps cost nothing"
    );
}

#[test]
fn a_message_without_end_is_refused() {
    let text = "num_ranks 2\nrank 0 {\nl1: send 18446744073709551615b to 1 tag 0\n}\nrank 1 {\nl1: recv 18446744073709551615b from 0 tag 0\n}\n";
    let files = Memory([("big.goal".to_string(), text.as_bytes().to_vec())].into());
    let net = network("full-mesh:n=2", None);
    let context = Context { fabric: &net.fabric, slots: 2, files: &files };
    let schedule = schedule::build(&params("goal:file=big.goal"), &context).expect("a schedule").schedule;
    let error = |keys: &str| played(&schedule, keys, &Record::default()).expect_err(keys).to_string();
    for keys in ["packet=2048", "S=1G,packet=64K,forward=cut"] {
        let error = error(keys);
        assert!(error.contains("packets of") && error.contains("network=fluid"), "{keys}: {error}");
    }
    assert!(error("network=fluid").contains("more than 50 days"));
    // Many plays of small messages are as many packets.
    let mut b = Builder::new(2);
    b.send(0, 1, 1 << 20, 0);
    b.recv(1, 0, 1 << 20, 0);
    let often = b.finish().and_then(|s| s.repeat(1 << 30)).expect("schedule");
    assert!(
        played(&often, "packet=1024", &Record::default())
            .expect_err("years")
            .to_string()
            .contains("1099511627776 packets")
    );
}

#[test]
fn what_is_recorded_counts() {
    let mut b = Builder::new(2);
    b.send(0, 1, 8, 0);
    b.recv(1, 0, 8, 0);
    let often = b.finish().and_then(|s| s.repeat(1_000_000)).expect("schedule");
    let critical = Record { watch: None, critical: true };
    let error = played(&often, "limit=64M", &critical).expect_err("80 MB of records").to_string();
    assert!(error.contains("0.1 GB of it for the critical path"), "{error}");
    // Each message waits for its receive, so that few are under way.
    assert!(played(&often, "limit=64M,S=0", &Record::default()).is_ok());
}

#[test]
fn what_is_under_way_is_watched() {
    // 24 ranks send all at once, some 200,000 packets; the schedule itself is small.
    let linear = schedule::collective::named("linear")
        .and_then(|a| a.schedule(&schedule::collective::sized(1 << 19, 1), 24))
        .expect("linear");
    let net = network("dragonfly:p=2,a=4,h=2,host=64", None);
    let mapping = Mapping::new((0..24).map(SlotId).collect(), &net.fabric).expect("mapping");
    let places = Places::new(&mapping, net.fabric.hosts()).expect("places");
    let at = |keys: &str| {
        let model = Model::read(&params(&format!("replay:S=1G,packet=512{keys}"))).expect("model");
        replay(
            ReplayInput { schedule: &linear, routing: &*net.routing, places: &places, model: &model },
            &Record::default(),
            &mut Silent,
        )
    };
    let error = at(",limit=4M").expect_err("it fills memory").to_string();
    assert!(error.contains("packets are under way at once") && error.contains("larger packets"), "{error}");
    assert!(at("").expect("memory enough").most_packets > 100_000);
}

/// What a run says that it will simulate, before anything else.
fn foretold(run: impl FnOnce(&mut dyn Observer)) -> f64 {
    let mut amounts = Vec::new();
    run(&mut |event: Event| {
        if let Event::Work { amount, .. } = event {
            amounts.push(amount);
        }
        Control::Continue
    });
    assert_eq!(amounts.len(), 1);
    amounts[0]
}

/// Far below saturation everything arrives, so that only the sample of paths, and what is under way at the end, differ.
#[test]
fn flit_hops_are_foretold() {
    for (topology, routing, traffic, options) in [
        ("dragonfly:p=2,a=4,h=2", "minimal", "uniform", "flits:load=[0.1,0.2,0.3],cycles=4000"),
        ("dragonfly:p=2,a=4,h=2", "valiant-any", "shift:by=8", "flits:load=0.2,warmup=0,cycles=6000,router=[packet=4]"),
        ("torus:dims=8x8", "dor", "halo:grid=8x8", "flits:load=0.4,cycles=4000"),
        ("torus:dims=4x4x4", "min-adaptive", "uniform", "flits:load=0.2,cycles=4000"),
        ("fat-tree:k=4,n=3", "up-adaptive", "uniform", "flits:load=0.2,cycles=4000"),
        ("dragonfly:p=2,a=4,h=2", "minimal", "uniform", "flits:inject=[exchange:bytes=4096]"),
    ] {
        let scenario = Scenario::default().topology(topology).and_then(|s| s.routing(routing));
        let scenario = scenario.and_then(|s| s.traffic(traffic)).expect("scenario");
        let options = Options::read(&params(options)).unwrap_or_else(|e| panic!("{options}: {e}"));
        let plan = Plan::new(&scenario, &Disk).expect("plan");
        let mut done = 0.0;
        let told = foretold(|observer| {
            let outcome = flits(&plan, &options, &mut Forget, observer).unwrap_or_else(|e| panic!("{topology}: {e}"));
            done = outcome.points.iter().map(|p| p.flit_hops as f64).sum();
        });
        assert!((0.92..1.08).contains(&(told / done)), "{topology} {routing} {traffic}: {told} for {done}");
    }
}

#[test]
fn packet_hops_are_foretold() {
    for (topology, schedule) in [
        ("dragonfly:p=2,a=4,h=2", "collective:pairwise:bytes=10000"),
        ("fat-tree:k=4,n=3", "collective:allreduce-ring:bytes=100000"),
        ("torus:dims=4x4x4", "collective:bruck:bytes=5000"),
    ] {
        let scenario = Scenario::default().topology(topology).and_then(|s| s.schedule(schedule)).expect("scenario");
        let (plan, schedule) = Plan::for_schedule(&scenario, &Disk).expect("plan");
        let model = Model::read(&params("replay")).expect("model");
        let mut done = 0.0;
        let told = foretold(|observer| {
            let options = ReplayOptions::default();
            done = run::replay(&plan, &schedule, (&model, ""), &options, observer).expect("outcome").packet_hops as f64;
        });
        assert!((0.9..1.1).contains(&(told / done)), "{topology}: {told} for {done}");
    }
}
