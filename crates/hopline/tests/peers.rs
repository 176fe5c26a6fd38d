//! The same work on other flit simulators, side by side: what both say, and the
//! processor time that they take (set-up included).
//!
//! `cargo install caminos --version 0.6.3 --locked`, and BookSim2 built from its sources, then
//! `cargo test --release -p hopline --test peers -- --ignored --nocapture --test-threads 1`;
//! `HOPLINE_CAMINOS` and `HOPLINE_BOOKSIM` name the programs where they are not in the path.
#![allow(clippy::print_stdout, reason = "a comparison prints")]

mod common;

use common::network;
use hopline::error::Place;
use hopline::files::Disk;
use hopline::flits::{FlitModel, Injection, Process, ROUTER, Router, Simulation};
use hopline::forwarding::{self, Wiring};
use hopline::id::SlotId;
use hopline::params::Params;
use hopline::traffic;
use std::process::Command;
use std::sync::Arc;

/// Dragonfly (p, 2p, p), minimal, uniform: latencies of local and global links,
/// the flits of a buffer, warm-up and measured cycles.
struct Work {
    p: u32,
    latency: (u32, u32),
    buffers: u32,
    cycles: (u32, u32),
}

const LOAD: f64 = 0.3;

/// What a simulator says of a work.
struct Said {
    /// Accepted flits per cycle and endpoint; mean latency in cycles.
    accepted: f64,
    latency: f64,
    /// Seconds of processor time, and cycles in them.
    seconds: f64,
    cycles: u32,
}

/// Seconds of processor time of this thread so far.
fn own_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).expect("nanoseconds") / 1e9
}

/// Runs a program, whose exit code may mean nothing (BookSim2's is always 255);
/// what it printed, and the seconds of processor time of all children.
fn run(command: &mut Command) -> Option<(String, f64)> {
    let seconds = || {
        let text = std::fs::read_to_string("/proc/self/stat").expect("Linux");
        // Behind the name in brackets come the state and, 13 words on, the times of children in hundredths.
        let words: Vec<&str> = text.rsplit(')').next().expect("words").split_whitespace().collect();
        (words[13].parse::<f64>().expect("user") + words[14].parse::<f64>().expect("system")) / 100.0
    };
    let before = seconds();
    let output = command.output().ok()?;
    Some((String::from_utf8_lossy(&output.stdout).into_owned(), seconds() - before))
}

/// The number behind the last of these words.
fn number(text: &str, key: &str) -> f64 {
    let rest = text.rsplit(key).next().filter(|_| text.contains(key)).unwrap_or_else(|| panic!("no {key} in {text}"));
    let digits: String = rest.trim_start().chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.parse().unwrap_or_else(|_| panic!("no number behind {key} in {text}"))
}

fn caminos(program: &str, work: &Work) -> Option<Said> {
    let Work { p, latency: (local, global), buffers, cycles: (warmup, measured) } = *work;
    let (a, servers) = (2 * p, 2 * p * p * (2 * p * p + 1));
    let groups = 2 * p * p + 1;
    let text = format!(
        "Configuration {{ random_seed: 42, warmup: {warmup}, measured: {measured},
        topology: Dragonfly {{ global_ports_per_router: {p}, servers_per_router: {p}, group_size: {a},
            number_of_groups: {groups}, global_arrangement: Palmtree }},
        traffic: HomogeneousTraffic {{ pattern: Uniform, servers: {servers}, load: {LOAD}, message_size: 1 }},
        maximum_packet_size: 1,
        router: InputOutput {{ virtual_channels: 2, virtual_channel_policies: [EnforceFlowControl, Random],
            delay: 1, buffer_size: {buffers}, output_buffer_size: {buffers}, bubble: false, flit_size: 1,
            intransit_priority: false, allow_request_busy_port: true, allocator: Random }},
        routing: AscendantChannelsWithLinkClass {{ bases: [1, 1],
            routing: WeighedShortest {{ class_weight: [1, 100] }} }},
        link_classes: [LinkClass {{ delay: {local} }}, LinkClass {{ delay: {global} }}, LinkClass {{ delay: 1 }}],
        launch_configurations: [] }}"
    );
    let stem = std::env::temp_dir().join(format!("hopline-caminos-{}", std::process::id()));
    let (config, result) = (stem.with_extension("cfg"), stem.with_extension("result"));
    std::fs::write(&config, text).expect("configuration");
    let (_, seconds) = run(Command::new(program).arg(&config).arg("--results").arg(&result))?;
    let text = std::fs::read_to_string(&result).expect("result");
    let _ = (std::fs::remove_file(config), std::fs::remove_file(result));
    Some(Said {
        accepted: number(&text, "accepted_load:"),
        latency: number(&text, "average_message_delay:"),
        seconds,
        cycles: warmup + measured,
    })
}

/// Its Dragonfly has links of 10 and 100 cycles, its routers take two, and its uniform traffic includes the sender.
fn booksim(program: &str, work: &Work) -> Option<Said> {
    let text = format!(
        "topology = dragonflynew; k = {}; n = 1; routing_function = min; num_vcs = 2; vc_buf_size = {};
        wait_for_tail_credit = 0; vc_allocator = separable_input_first; sw_allocator = separable_input_first;
        alloc_iters = 1; credit_delay = 2; routing_delay = 0; vc_alloc_delay = 1; sw_alloc_delay = 1; st_final_delay = 1;
        input_speedup = 1; output_speedup = 1; internal_speedup = 2.0; traffic = uniform; packet_size = 1;
        sim_type = latency; warmup_periods = 1; sample_period = {}; max_samples = 2; sim_count = 1;
        injection_rate = {LOAD}; seed = 1;",
        work.p, work.buffers, work.cycles.1
    );
    let config = std::env::temp_dir().join(format!("hopline-booksim-{}.cfg", std::process::id()));
    std::fs::write(&config, text).expect("configuration");
    let (text, seconds) = run(Command::new(program).arg(&config))?;
    let _ = std::fs::remove_file(config);
    Some(Said {
        accepted: number(&text, "Accepted flit rate average ="),
        latency: number(&text, "Packet latency average ="),
        seconds,
        cycles: number(&text, "Time taken is ") as u32,
    })
}

/// Also the flit-hops in a cycle.
fn hopline(work: &Work, crossbar: &str) -> (Said, f64) {
    let start = own_seconds();
    let place = Place::new("test", 0);
    let (p, (local, global)) = (work.p, work.latency);
    let spec = format!("dragonfly:p={p},a={},h={p},local_latency={local},global_latency={global}", 2 * p);
    let net = network(&spec, Some("minimal"));
    let fabric = &net.fabric;
    let wiring = Arc::new(Wiring::new(fabric, 1).expect("wiring"));
    let context = forwarding::Context { topology: &net.topology, fabric, wiring: &wiring, routing: &*net.routing };
    let forwarding =
        forwarding::build(&Params::from_spec("minimal", &place).expect("spec"), &context).expect("minimal");
    let context = traffic::Context { fabric, slots: fabric.hosts().slots(), files: &Disk };
    let uniform = Params::from_spec("uniform", &place).expect("spec");
    let demand = traffic::build(&uniform, &context).expect("uniform").demand;
    let places: Vec<_> = (0..demand.tasks()).map(|t| fabric.hosts().endpoint_of(SlotId(t))).collect();
    let keys = format!("router:crossbar={crossbar},buffers={0},output={0}", work.buffers);
    let router = Params::from_spec(&keys, &place).and_then(|p| p.check(&ROUTER)).and_then(|r| Router::read(&r));
    let setting = FlitModel::new(
        wiring,
        &forwarding,
        router.expect("router"),
        Injection { demand: &demand, place: &places, process: Process::Bernoulli, load: LOAD, seed: 42 },
    )
    .expect("setting");
    let mut simulation = Simulation::of_any(setting, 1);
    simulation.advance(work.cycles.0).expect("alone");
    let before = simulation.totals();
    simulation.advance(work.cycles.1).expect("alone");
    let t = simulation.totals();
    let said = Said {
        accepted: (t.delivered - before.delivered) as f64 / f64::from(work.cycles.1) / f64::from(demand.tasks()),
        latency: (t.latency - before.latency) as f64 / (t.packets - before.packets) as f64,
        seconds: own_seconds() - start,
        cycles: simulation.now(),
    };
    (said, (t.hops - before.hops) as f64 / f64::from(work.cycles.1))
}

/// Prints both, and asserts that they agree to 3 %.
fn compare(work: &Work, (ours, hops): (Said, f64), theirs: &Said) {
    let rate = |said: &Said| hops * f64::from(said.cycles) / said.seconds / 1e6;
    println!(
        "{:9}  {:3}/{:3}  {:.4} {:.4}  {:8.2} {:8.2}  {:7.3} {:7.3}  {:.1}x",
        2 * work.p * work.p * (2 * work.p * work.p + 1),
        work.latency.0,
        work.latency.1,
        ours.accepted,
        theirs.accepted,
        ours.latency,
        theirs.latency,
        rate(&ours),
        rate(theirs),
        rate(&ours) / rate(theirs)
    );
    assert!((ours.accepted / theirs.accepted - 1.0).abs() < 0.03, "accepted");
    assert!((ours.latency / theirs.latency - 1.0).abs() < 0.03, "latency");
}

/// Another simulator.
struct Peer {
    /// Its program where this variable does not name it.
    program: &'static str,
    variable: &'static str,
    run: fn(&str, &Work) -> Option<Said>,
    /// Our router that is like its.
    router: &'static str,
}

fn side_by_side(peer: &Peer, works: &[Work]) {
    let program = std::env::var(peer.variable).unwrap_or_else(|_| peer.program.into());
    println!("endpoints  latency  accepted           latency            Mflit-hops/s     ratio");
    for work in works {
        let ours = hopline(work, peer.router);
        match (peer.run)(&program, work) {
            Some(theirs) => compare(work, ours, &theirs),
            None => return println!("skipped: there is no `{program}`"),
        }
    }
}

#[test]
#[ignore = "needs CAMINOS 0.6.3 and minutes"]
fn caminos_agrees_and_is_slower() {
    let peer = Peer { program: "caminos", variable: "HOPLINE_CAMINOS", run: caminos, router: "vcs" };
    let works = [
        Work { p: 2, latency: (1, 1), buffers: 64, cycles: (1000, 5000) },
        Work { p: 2, latency: (10, 100), buffers: 256, cycles: (1000, 5000) },
        Work { p: 4, latency: (1, 1), buffers: 64, cycles: (300, 700) },
        Work { p: 4, latency: (10, 100), buffers: 256, cycles: (500, 700) },
    ];
    side_by_side(&peer, &works);
}

#[test]
#[ignore = "needs BookSim2 and minutes"]
fn booksim_agrees_and_is_slower() {
    let peer = Peer { program: "booksim", variable: "HOPLINE_BOOKSIM", run: booksim, router: "ports,delay=2" };
    let works = [
        Work { p: 2, latency: (10, 100), buffers: 256, cycles: (1000, 5000) },
        Work { p: 4, latency: (10, 100), buffers: 256, cycles: (500, 500) },
    ];
    side_by_side(&peer, &works);
}
