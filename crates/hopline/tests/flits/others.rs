//! Routers as other simulators have them, beside what those say of the same work.

use super::measured;
use crate::common::is_slow;
use hopline::files::Disk;
use hopline::plan::Network;
use hopline::routing::Adaptive;
use hopline::scenario::Scenario;
use hopline::topology::Dragonfly;
use std::sync::Arc;

/// Of a table of what others measured every third row, with HOPLINE_SLOW all: a minute of one core each.
fn few<T>(rows: &[T]) -> impl Iterator<Item = &T> {
    rows.iter().step_by(if is_slow() { 1 } else { 3 })
}

/// BookSim2 (28f4329) on its Dragonfly of k = 3, buffers of 256 flits, internal speed-up 2, separable allocators of one iteration:
/// mean latency of packets of 1, 4 and 16 flits, and of UGAL where every group sends to the next.
#[test]
fn the_router_of_booksim_has_its_latencies() {
    let machine = "dragonfly:p=3,a=6,h=3,local_latency=10,global_latency=100";
    let (even, next) = ("uniform:self=true", "product:of=[shift:by=1,tasks=19;uniform:tasks=18,self=true]");
    let (minimal, ugal) = ("minimal:like=booksim", "ugal-l:like=booksim");
    for &(routing, job, packet, load, latency) in few(&[
        (minimal, even, 1, 0.1, 121.2),
        (minimal, even, 1, 0.6, 124.8),
        (minimal, even, 4, 0.3, 127.3),
        (minimal, even, 4, 0.6, 136.2),
        (minimal, even, 4, 0.9, 197.0),
        (minimal, even, 16, 0.3, 151.4),
        (minimal, even, 16, 0.6, 191.2),
        (ugal, next, 1, 0.05, 148.2),
        (ugal, next, 1, 0.1, 297.5),
        (ugal, next, 1, 0.2, 452.2),
    ]) {
        let keys = format!("like=booksim,buffers=256,packet={packet}");
        let [accepted, own, _] = measured(machine, routing, job, &keys, load);
        let near = (own / latency - 1.0).abs() < 0.03 && (accepted / load - 1.0).abs() < 0.02;
        assert!(near, "{routing} {packet} {load}: {accepted} and {own} cycles beside {latency}");
    }
    // Its allocators leave VCs idle: beyond .781 of uniform traffic nothing more arrives.
    let [accepted, ..] = measured(machine, minimal, even, "like=booksim,buffers=256", 0.9);
    assert!((accepted / 0.781 - 1.0).abs() < 0.01, "{accepted}");
}

/// Its rule is that of Dragonflies.
#[test]
fn booksims_rule_of_dragonflies_is_asked_for_there_alone() {
    let scenario = Scenario::default().topology("slim-fly:q=3,p=2").and_then(|s| s.routing("ugal-l:like=booksim"));
    let e = Network::new(&scenario.expect("a scenario"), &Disk).err().expect("no Dragonfly");
    assert!(e.to_string().contains("one link between any two groups"), "{e}");
    // Another Dragonfly is none of it.
    let (d, small) = (Dragonfly::new(2, 4, 2).expect("a dragonfly"), Dragonfly::new(1, 2, 1).expect("a dragonfly"));
    assert!(Adaptive::ugal_booksim(&d, &Arc::new(small.build().expect("a fabric"))).is_err());
}

/// A random regular graph of 32 routers, 5 links and 3 endpoints each, that no program here drew.
const JELLYFISH: &str = "file:testdata/modern/jellyfish-32x5.json";

/// CAMINOS 0.6.3 on links of one cycle, below saturation: mean latency of packets of 1, 4 and 16 flits. From .8 of the load on
/// the buffers of endpoints are full, which is most of the latency.
#[test]
fn the_router_of_caminos_has_its_latencies() {
    let (small, dragonfly, minimal) = ("dragonfly:p=2,a=4,h=2", "dragonfly:p=3,a=6,h=3", "minimal:like=caminos");
    for &(topology, routing, packet, load, latency) in few(&[
        (small, minimal, 1, 0.3, 8.27),
        (small, minimal, 1, 0.5, 9.28),
        (small, minimal, 1, 0.7, 13.03),
        (small, minimal, 1, 0.9, 99.7),
        (dragonfly, minimal, 1, 0.6, 11.75),
        (dragonfly, minimal, 1, 0.8, 94.9),
        (dragonfly, minimal, 4, 0.3, 14.80),
        (dragonfly, minimal, 4, 0.6, 28.3),
        (dragonfly, minimal, 4, 0.8, 116.3),
        (dragonfly, minimal, 16, 0.3, 38.4),
        (dragonfly, minimal, 16, 0.7, 148.6),
        ("slim-fly:q=5,p=4", "minimal", 1, 0.5, 8.27),
        ("hyperx:dims=4x4,p=4", "dor", 1, 0.5, 9.54),
        ("hyperx:dims=4x4x4,p=4", "dor", 1, 0.5, 12.20),
        ("mesh:dims=8x8", "dor", 1, 0.1, 13.98),
        (JELLYFISH, "minimal", 1, 0.1, 7.474),
        (JELLYFISH, "minimal", 1, 0.3, 8.146),
        (JELLYFISH, "minimal", 1, 0.5, 10.13),
        ("jellyfish:n=32,r=5,p=3", "minimal", 1, 0.3, 8.426),
        ("jellyfish:n=32,r=5,p=3", "minimal", 1, 0.4, 9.473),
        // CAMINOS with a routing added that draws the next hop once, as ours: its `Shortest` goes round worms (22.7 at 0.5).
        (JELLYFISH, "minimal", 4, 0.3, 14.48),
        (JELLYFISH, "minimal", 4, 0.5, 24.17),
        (JELLYFISH, "minimal", 16, 0.3, 39.96),
    ]) {
        let [accepted, own, _] = measured(topology, routing, "uniform", &format!("like=caminos,packet={packet}"), load);
        let near = (own / latency - 1.0).abs() < 0.03 && (accepted / load - 1.0).abs() < 0.02;
        assert!(near, "{topology} {routing} {packet} {load}: {accepted} and {own} cycles beside {latency}");
    }
}

/// What CAMINOS accepts beyond saturation.
#[test]
fn the_router_of_caminos_accepts_as_much() {
    for &(topology, routing, packet, load, most) in few(&[
        ("dragonfly:p=2,a=4,h=2", "minimal:like=caminos", 1, 1.0, 0.935),
        ("dragonfly:p=2,a=4,h=2", "minimal:like=caminos", 4, 1.0, 0.9358),
        ("dragonfly:p=3,a=6,h=3", "minimal:like=caminos", 1, 1.0, 0.8622),
        ("dragonfly:p=3,a=6,h=3", "minimal:like=caminos", 4, 1.0, 0.8508),
        ("dragonfly:p=3,a=6,h=3", "minimal:like=caminos", 16, 1.0, 0.7675),
        ("hyperx:dims=4x4,p=4", "dor", 1, 0.8, 0.6309),
        ("hyperx:dims=4x4x4,p=4", "dor", 1, 0.8, 0.6358),
        ("hyperx:dims=4x4x4,p=4", "omni-dimensional:threshold=64", 1, 0.8, 0.7953),
        ("dragonfly-plus:p=4", "shortest", 1, 0.8, 0.6534),
        ("fat-tree:k=4,n=3", "up-adaptive", 1, 0.5, 0.4505),
        ("slim-fly:q=5,p=4", "minimal", 1, 0.8, 0.7968),
        ("mesh:dims=8x8", "dor", 1, 0.45, 0.4051),
        // The next hop drawn once, again: its `Shortest` goes round full buffers (.6467).
        (JELLYFISH, "minimal", 1, 0.8, 0.6064),
        (JELLYFISH, "minimal", 4, 0.8, 0.605),
    ]) {
        let keys = format!("like=caminos,packet={packet}");
        let [accepted, ..] = measured(topology, routing, "uniform", &keys, load);
        assert!((accepted / most - 1.0).abs() < 0.01, "{topology} {packet}: {accepted} beside {most}");
    }
}

/// CAMINOS on networks with a hierarchy, and routings that look at queues, where it chooses by them as ours do: mean latency,
/// and links of a path. Its fat tree has as many parents as children.
#[test]
fn adaptive_routings_are_those_of_caminos() {
    let (leaves, slim) = ("dragonfly-plus:p=4", "slim-fly:q=5,p=4");
    let (flat, cube, dragonfly) = ("hyperx:dims=4x4,p=4", "hyperx:dims=4x4x4,p=4", "dragonfly:p=2,a=4,h=2");
    let (ugal, par) = ("ugal-l:threshold=8", "par:threshold=8");
    let (omni, straight) = ("omni-dimensional:threshold=64", "omni-dimensional:deroutes=0");
    for &(topology, routing, job, load, latency, links) in few(&[
        (leaves, "shortest", "uniform", 0.1, 9.03, 2.922),
        ("dragonfly-plus:p=2", "shortest", "uniform", 0.1, 8.57, 2.729),
        ("dragonfly-plus:p=2", "shortest", "uniform", 0.5, 10.33, 2.734),
        (slim, ugal, "uniform", 0.1, 6.80, 1.827),
        (slim, ugal, "uniform", 0.5, 8.33, 1.830),
        (JELLYFISH, ugal, "uniform", 0.1, 7.479, 2.146),
        (JELLYFISH, ugal, "uniform", 0.3, 8.066, 2.144),
        (flat, ugal, "uniform", 0.1, 6.18, 1.524),
        (flat, ugal, "uniform", 0.8, 83.70, 1.525),
        (flat, straight, "uniform", 0.1, 6.18, 1.526),
        (cube, straight, "uniform", 0.1, 7.68, 2.260),
        (cube, straight, "uniform", 0.5, 9.10, 2.258),
        (dragonfly, ugal, "uniform", 0.1, 7.82, 2.339),
        (dragonfly, par, "uniform", 0.1, 7.81, 2.336),
        (dragonfly, par, "uniform", 0.5, 9.23, 2.339),
        (dragonfly, par, "shift:groups=1", 0.3, 26.07, 4.191),
        (dragonfly, par, "shift:groups=1", 0.45, 31.18, 4.489),
        (flat, omni, "uniform", 0.1, 6.17, 1.524),
        (flat, omni, "uniform", 0.5, 7.28, 1.521),
        (cube, omni, "uniform", 0.1, 7.68, 2.256),
        ("fat-tree:k=4,n=3", "up-adaptive", "uniform", 0.1, 10.04, 3.422),
    ]) {
        let [accepted, own, hops] = measured(topology, routing, job, "like=caminos", load);
        let near = (own / latency - 1.0).abs() < 0.03 && (hops / links - 1.0).abs() < 0.015;
        let takes = (accepted / load - 1.0).abs() < 0.01;
        assert!(
            near && takes,
            "{topology} {routing} {load}: {accepted}, {own} cycles, {hops} links for {latency}, {links}"
        );
    }
}

/// BookSim2's flattened butterfly of 16 routers, 8 channels, buffers of 16 flits: a cycle more at any load.
#[test]
fn a_flattened_butterfly_is_that_of_booksim() {
    let (ugal, minimal) = ("ugal-l:threshold=2", "minimal");
    for (routing, lanes, load, latency) in
        [(minimal, 4, 0.1, 9.60), (minimal, 4, 0.5, 10.53), (ugal, 2, 0.5, 10.84), (ugal, 2, 0.8, 14.02)]
    {
        let keys = format!("like=booksim,buffers=16,lanes={lanes}");
        let [accepted, own, _] = measured("hyperx:dims=4x4,p=4", routing, "uniform:self=true", &keys, load);
        let near = ((own + 1.0) / latency - 1.0).abs() < 0.03 && (accepted / load - 1.0).abs() < 0.01;
        assert!(near, "{routing} {load}: {accepted} and {own} cycles beside {latency}");
    }
}

/// SuperSim (2ee12fe), output-queued and input-output-queued, cycle times and latencies of 1, endpoints that generate with the
/// same probability in every cycle: mean latency of packets of one flit. Its interface takes three cycles before the first link.
#[test]
fn output_and_input_output_queues_of_supersim_have_their_latencies() {
    let (hyperx, torus, dragonfly) = ("hyperx:dims=4x4,p=4", "torus:dims=8x8", "dragonfly:p=2,a=4,h=2");
    let (split, adaptive) = ("dor:tie=split", "omni-dimensional:deroutes=0");
    let out = "delay=4,speedup=16";
    let both = |lanes| format!("delay=6,crossbar=vcs,entry=random,exit=any,lanes={lanes}");
    let (two, four) = (&*both(2), &*both(4));
    for &(topology, routing, keys, load, latency) in few(&[
        (hyperx, "dor", out, 0.1, 16.71),
        (hyperx, "dor", out, 0.5, 17.60),
        (hyperx, "dor", out, 0.8, 20.96),
        (hyperx, adaptive, out, 0.3, 17.03),
        (hyperx, adaptive, out, 0.5, 17.58),
        (hyperx, adaptive, out, 0.8, 20.06),
        (torus, split, out, 0.3, 29.95),
        (torus, split, out, 0.5, 30.87),
        (torus, split, out, 0.8, 36.26),
        (dragonfly, "minimal", out, 0.3, 21.18),
        (dragonfly, "minimal", out, 0.5, 21.84),
        (dragonfly, "minimal", out, 0.8, 25.08),
        (hyperx, "dor", four, 0.3, 22.05),
        (hyperx, "dor", four, 0.8, 26.05),
        (hyperx, adaptive, four, 0.5, 22.82),
        (torus, split, two, 0.5, 41.10),
        (dragonfly, "minimal", two, 0.5, 28.54),
    ]) {
        let keys = format!("buffers=256,output=256,{keys}");
        let [accepted, own, _] = measured(topology, routing, "uniform", &keys, load);
        let near = ((own + 3.0) / latency - 1.0).abs() < 0.01 && (accepted / load - 1.0).abs() < 0.01;
        assert!(near, "{topology} {routing} {keys} {load}: {accepted} and {own} cycles beside {latency}");
    }
}

/// The virtual channels of others are asked for on Dragonflies alone.
#[test]
fn others_channels_are_those_of_dragonflies() {
    for topology in ["slim-fly:q=3,p=2", "dragonfly:p=2,a=4,h=2,g=5"] {
        let scenario = Scenario::default().topology(topology).and_then(|s| s.routing("minimal:like=caminos"));
        let e = Network::new(&scenario.expect("a scenario"), &Disk).err().expect("no whole Dragonfly");
        assert!(e.to_string().contains("whole Dragonfly"), "{e}");
    }
}
