//! Packet-hops and messages per second of the replay.
//!
//! `cargo bench --bench replay` prints for every case the messages, packet-hops
//! and events per second of user time, best of three, the most packets under way,
//! and the most memory of the process so far; in brackets seconds of user time and
//! of the kernel, which gives memory. With cases' names, or schedules such as
//! `goal:file=x.bin` whose hosts alone are modelled, it runs those once; instructions are counted by
//! `valgrind --tool=callgrind target/release/deps/replay-* alltoall-dragonfly`.
#![allow(clippy::print_stdout, reason = "a bench prints")]

use hopline::error::Place;
use hopline::event::Silent;
use hopline::files::Disk;
use hopline::id::SlotId;
use hopline::mapping::Mapping;
use hopline::params::Params;
use hopline::plan::Network;
use hopline::replay::{Model, Places, Record, ReplayInput, replay};
use hopline::scenario::Scenario;
use hopline::schedule::{self, Builder, Schedule, collective};
use hopline::traffic::Context;

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
fn halo(sizes: &[u32], bytes: u64, steps: u32) -> Schedule {
    let grid = hopline::demand::Grid { sizes: sizes.to_vec(), wrap: true };
    let mut b = Builder::new(sizes.iter().product());
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

const FAT_TREE: Case = Case {
    name: "fat-tree-2k",
    topology: "fat-tree:k=16,n=2,host=1",
    model: "replay:packet=2048,forward=cut,S=1G",
    schedule: || collective("pairwise", 256, 65_536),
};

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
        name: "packets-dragonfly",
        topology: "dragonfly:p=4,a=8,h=4",
        model: "replay:L=500,o=100,packet=2048,S=1G",
        schedule: || collective("pairwise", 1024, 16_384),
    },
    Case {
        name: "big-dragonfly",
        topology: "dragonfly:p=4,a=8,h=4",
        model: "replay:packet=2048",
        schedule: || collective("linear", 256, 262_144),
    },
    FAT_TREE,
    Case { name: "fat-tree-16k", model: "replay:packet=16384,forward=cut,S=1G", ..FAT_TREE },
    Case { name: "fat-tree-message", model: "replay:packet=64K,forward=cut,S=1G", ..FAT_TREE },
    Case { name: "fat-tree-fluid", model: "replay:network=fluid,S=1G", ..FAT_TREE },
    Case {
        name: "halo-torus",
        topology: "torus:dims=16x32x32",
        model: "replay:L=500,o=100",
        schedule: || halo(&[16, 32, 32], 8192, 100),
    },
];

/// Seconds that this process has computed, and that the kernel has for it, on Linux.
fn times() -> (f64, f64) {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name in brackets; a tick is 10 ms.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(f64::NAN) * 0.01;
    (ticks(11), ticks(12))
}

/// Most megabytes of memory so far, on Linux.
fn memory() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or("");
    line.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1024.0
}

fn network(topology: &str) -> Network {
    let scenario = Scenario::default().topology(topology).expect("topology");
    Network::new(&scenario, &Disk).expect("network")
}

/// Replays rounds of a schedule and prints the best.
fn measure(name: &str, network: &Network, model: &str, schedule: &Schedule, rounds: u32) {
    let slots = (0..schedule.ranks()).map(SlotId).collect();
    let mapping = Mapping::new(slots, &network.fabric).expect("mapping");
    let places = Places::new(&mapping, network.fabric.hosts()).expect("places");
    let params = Params::from_spec(model, &Place::new("bench", 0)).expect("model");
    let model = Model::read(&params).expect("model");
    let input = ReplayInput { schedule, routing: &*network.routing, places: &places, model: &model };
    let (mut best, mut kernel) = (f64::INFINITY, 0.0);
    let mut done = None;
    for _ in 0..rounds {
        let start = times();
        done = Some(replay(input, &Record::default(), &mut Silent).expect("replay"));
        let end = times();
        if end.0 - start.0 < best {
            (best, kernel) = (end.0 - start.0, end.1 - start.1);
        }
    }
    let Some(r) = done else { return };
    let rate = |n: u64| n as f64 / best / 1e6;
    println!(
        "{name:20} {:5} {:>10.4} ms {:8.2} {:8.2} {:9.2} {:15} {:5.0}   ({best:.2} + {kernel:.2} s)",
        schedule.ranks(),
        r.makespan() as f64 / 1e9,
        rate(r.messages),
        rate(r.packet_hops),
        rate(r.events),
        r.most_packets,
        memory()
    );
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let rounds = if wanted.is_empty() { 3 } else { 1 };
    println!("case                 ranks      makespan   Mmsg/s   Mhop/s  Mevent/s packets at once    MB");
    for case in CASES.iter().filter(|c| wanted.is_empty() || wanted.iter().any(|w| w == c.name)) {
        measure(case.name, &network(case.topology), case.model, &(case.schedule)(), rounds);
    }
    for spec in wanted.iter().filter(|w| w.contains(':')) {
        let two = network("full-mesh:n=2");
        let context = Context { fabric: &two.fabric, slots: 2, files: &Disk };
        let params = Params::from_spec(spec, &Place::new("bench", 0)).expect("spec");
        let schedule = schedule::build(&params, &context).expect("schedule").schedule;
        let mesh = network(&format!("full-mesh:n={}", schedule.ranks().max(2)));
        measure("hosts alone", &mesh, "replay:L=500,o=200,network=ideal,S=1G", &schedule, 1);
    }
}
