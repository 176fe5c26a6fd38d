//! Packet-hops and messages per second of the replay.
//!
//! `cargo bench --bench replay` prints for every case the messages, packet-hops
//! and events per second of processor time, best of three. With cases' names it
//! runs those once; instructions are counted by
//! `valgrind --tool=callgrind target/release/deps/replay-* alltoall-dragonfly`.
#![allow(clippy::print_stdout, reason = "a bench prints")]

use hopline::error::Place;
use hopline::event::Silent;
use hopline::files::Disk;
use hopline::id::SlotId;
use hopline::mapping::Mapping;
use hopline::params::Params;
use hopline::plan::Network;
use hopline::replay::{Model, Places, Record, Setting, replay};
use hopline::scenario::Scenario;
use hopline::schedule::{Builder, Schedule, collective};

struct Case {
    name: &'static str,
    topology: &'static str,
    model: &'static str,
    schedule: fn() -> Schedule,
}

fn collective(name: &str, ranks: u32, bytes: u64) -> Schedule {
    let algorithm = collective::named(name).expect("collective");
    algorithm.schedule(&collective::sized(bytes, 1), ranks).expect("schedule")
}

/// Steps of a halo exchange on a periodic 3-D grid.
fn halo(side: u32, bytes: u64, steps: u32) -> Schedule {
    let grid = hopline::demand::Grid { sizes: vec![side; 3], wrap: true };
    let mut b = Builder::new(side * side * side);
    for rank in 0..b.ranks() {
        grid.neighbours(rank, |other| {
            b.recv(rank, other, bytes, 0);
        });
        grid.neighbours(rank, |other| {
            b.send(rank, other, bytes, 0);
        });
    }
    b.finish().and_then(|s| s.repeat(steps)).expect("halo")
}

const CASES: &[Case] = &[
    Case {
        name: "alltoall-dragonfly",
        topology: "dragonfly:p=4,a=8,h=4",
        model: "replay:L=500,o=100,packet=2048",
        schedule: || collective("linear", 1024, 1024),
    },
    Case {
        name: "pairwise-dragonfly",
        topology: "dragonfly:p=4,a=8,h=4",
        model: "replay:L=500,o=100,packet=2048",
        schedule: || collective("pairwise", 1024, 1024),
    },
    Case {
        name: "big-dragonfly",
        topology: "dragonfly:p=4,a=8,h=4",
        model: "replay:packet=2048",
        schedule: || collective("linear", 256, 262_144),
    },
    Case {
        name: "halo-torus",
        topology: "torus:dims=25x25x26",
        model: "replay:L=500,o=100",
        schedule: || halo(25, 8192, 100),
    },
];

/// Seconds that this process has been on a processor, on Linux.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(f64::NAN) * 1e-9
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let rounds = if wanted.is_empty() { 3 } else { 1 };
    println!("case                 ranks    makespan    Mmsg/s   Mhop/s  Mevent/s  packets at once");
    for case in CASES.iter().filter(|c| wanted.is_empty() || wanted.iter().any(|w| w == c.name)) {
        let scenario = Scenario::default().topology(case.topology).expect("topology");
        let network = Network::new(&scenario, &Disk).expect("network");
        let schedule = (case.schedule)();
        let slots = (0..schedule.ranks()).map(SlotId).collect();
        let mapping = Mapping::new(slots, &network.fabric).expect("mapping");
        let places = Places::new(&mapping, network.fabric.hosts()).expect("places");
        let params = Params::from_spec(case.model, &Place::new("bench", 0)).expect("model");
        let model = Model::read(&params).expect("model");
        let setting = Setting { schedule: &schedule, routing: &*network.routing, places: &places, model: &model };
        let mut best = f64::INFINITY;
        let mut done = None;
        for _ in 0..rounds {
            let start = processor_time();
            done = Some(replay(setting, &Record::default(), &mut Silent).expect("replay"));
            best = best.min(processor_time() - start);
        }
        let Some(r) = done else { continue };
        let rate = |n: u64| n as f64 / best / 1e6;
        println!(
            "{:20} {:5} {:>8.3} ms {:9.2} {:8.2} {:9.2} {:9}   ({best:.2} s)",
            case.name,
            schedule.ranks(),
            r.makespan() as f64 / 1e9,
            rate(r.messages),
            rate(r.packet_hops),
            rate(r.events),
            r.most_packets
        );
    }
}
