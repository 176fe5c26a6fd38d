//! The same work on CAMINOS, another flit simulator, side by side.
//!
//! `cargo install caminos --version 0.6.3 --locked`, then
//! `cargo test --release -p hopline --test caminos -- --ignored --nocapture`;
//! `HOPLINE_CAMINOS` names the program where it is not in the path.
#![allow(clippy::print_stdout, reason = "a comparison prints")]

mod common;

use common::network;
use hopline::error::Place;
use hopline::files::Disk;
use hopline::flits::{Process, ROUTER, Router, Setting, Simulation};
use hopline::forwarding::{self, Wiring};
use hopline::id::SlotId;
use hopline::params::Params;
use hopline::traffic;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

/// Dragonfly (p, 2p, p), minimal, uniform: latencies of local and global links,
/// the flits of a buffer, warm-up and measured cycles.
struct Work {
    p: u32,
    latency: (u32, u32),
    buffers: u32,
    cycles: (u32, u32),
}

const LOAD: f64 = 0.3;

/// Accepted load, mean latency in cycles, seconds.
fn caminos(program: &str, work: &Work) -> Option<(f64, f64, f64)> {
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
    let start = Instant::now();
    let output = Command::new(program).arg(&config).arg("--results").arg(&result).output().ok()?;
    let seconds = start.elapsed().as_secs_f64();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&result).expect("result");
    let number = |key: &str| {
        let rest = text.split(&format!("{key}:")).nth(1).unwrap_or_else(|| panic!("no {key} in {text}"));
        let digits: String = rest.trim_start().chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        digits.parse::<f64>().expect(key)
    };
    let answer = (number("accepted_load"), number("average_message_delay"), seconds);
    let _ = (std::fs::remove_file(config), std::fs::remove_file(result));
    Some(answer)
}

fn hopline(work: &Work) -> (f64, f64, f64) {
    let start = Instant::now();
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
    let keys = format!("router:crossbar=vcs,buffers={0},output={0}", work.buffers);
    let router = Params::from_spec(&keys, &place).and_then(|p| p.check(&ROUTER)).and_then(|r| Router::read(&r));
    let what = (router.expect("router"), Process::Bernoulli);
    let setting = Setting::new(wiring, forwarding, what, (&demand, &places), (LOAD, 42)).expect("setting");
    let mut simulation = Simulation::new(setting, 1);
    simulation.advance(work.cycles.0);
    let before = simulation.totals();
    simulation.advance(work.cycles.1);
    let t = simulation.totals();
    let accepted = (t.delivered - before.delivered) as f64 / f64::from(work.cycles.1) / f64::from(demand.tasks());
    let latency = (t.latency - before.latency) as f64 / (t.packets - before.packets) as f64;
    (accepted, latency, start.elapsed().as_secs_f64())
}

#[test]
#[ignore = "needs CAMINOS 0.6.3 and minutes"]
fn caminos_agrees_and_is_slower() {
    let program = std::env::var("HOPLINE_CAMINOS").unwrap_or_else(|_| "caminos".into());
    println!("endpoints  latency  accepted           latency            seconds          ratio");
    for work in [
        Work { p: 2, latency: (1, 1), buffers: 64, cycles: (1000, 5000) },
        Work { p: 2, latency: (10, 100), buffers: 256, cycles: (1000, 5000) },
        Work { p: 4, latency: (1, 1), buffers: 64, cycles: (300, 700) },
        Work { p: 4, latency: (10, 100), buffers: 256, cycles: (500, 700) },
    ] {
        let ours = hopline(&work);
        let Some(theirs) = caminos(&program, &work) else {
            println!("skipped: there is no `{program}`");
            return;
        };
        let endpoints = 2 * work.p * work.p * (2 * work.p * work.p + 1);
        println!(
            "{endpoints:9}  {:3}/{:3}  {:.4} {:.4}  {:8.2} {:8.2}  {:.3} {:.3}  {:.1}x",
            work.latency.0,
            work.latency.1,
            ours.0,
            theirs.0,
            ours.1,
            theirs.1,
            ours.2,
            theirs.2,
            theirs.2 / ours.2
        );
        assert!((ours.0 / theirs.0 - 1.0).abs() < 0.03, "accepted");
        assert!((ours.1 / theirs.1 - 1.0).abs() < 0.03, "latency");
    }
}
