//! Routers as other simulators have them, beside what those say of the same work.

use super::measured;
use hopline::files::Disk;
use hopline::plan::Network;
use hopline::routing::Adaptive;
use hopline::scenario::Scenario;
use hopline::topology::Dragonfly;
use std::sync::Arc;

/// BookSim2 (28f4329) on its Dragonfly of k = 3, buffers of 256 flits, internal speed-up 2, separable allocators of one iteration:
/// mean latency of packets of 1, 4 and 16 flits, and of UGAL where every group sends to the next.
#[test]
fn the_router_of_booksim_has_its_latencies() {
    let machine = "dragonfly:p=3,a=6,h=3,local_latency=10,global_latency=100";
    let (even, next) = ("uniform:self=true", "product:of=[shift:by=1,tasks=19;uniform:tasks=18,self=true]");
    let ugal = "ugal-l:like=booksim";
    for (routing, job, packet, load, latency) in [
        ("minimal", even, 1, 0.1, 121.2),
        ("minimal", even, 1, 0.6, 124.8),
        ("minimal", even, 4, 0.3, 127.3),
        ("minimal", even, 4, 0.6, 136.2),
        ("minimal", even, 16, 0.3, 151.4),
        ("minimal", even, 16, 0.6, 191.2),
        (ugal, next, 1, 0.05, 148.2),
        (ugal, next, 1, 0.1, 297.5),
        (ugal, next, 1, 0.2, 452.2),
    ] {
        let keys = format!("like=booksim,buffers=256,packet={packet}");
        let [accepted, own, _] = measured(machine, routing, job, &keys, load);
        let near = (own / latency - 1.0).abs() < 0.03 && (accepted / load - 1.0).abs() < 0.02;
        assert!(near, "{routing} {packet} {load}: {accepted} and {own} cycles beside {latency}");
    }
    // Its allocators leave VCs idle: beyond .78 of uniform traffic (ours beyond .75) nothing more arrives.
    let [accepted, ..] = measured(machine, "minimal", even, "like=booksim,buffers=256", 0.9);
    assert!((0.72..0.80).contains(&accepted), "{accepted}");
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

/// CAMINOS 0.6.3 on links of one cycle, below saturation.
#[test]
fn the_router_of_caminos_has_its_latencies() {
    let (small, dragonfly) = ("dragonfly:p=2,a=4,h=2", "dragonfly:p=3,a=6,h=3");
    for (topology, routing, job, load, latency) in [
        (small, "minimal", "uniform", 0.3, 8.30),
        (small, "minimal", "uniform", 0.5, 9.42),
        (small, "minimal", "uniform", 0.7, 13.01),
        (dragonfly, "minimal", "uniform", 0.6, 11.75),
        (small, "par:threshold=8", "uniform", 0.5, 9.23),
        (small, "par:threshold=8", "shift:groups=1", 0.45, 31.18),
        ("slim-fly:q=5,p=4", "minimal", "uniform", 0.5, 8.27),
        ("hyperx:dims=4x4,p=4", "omni-dimensional:threshold=64", "uniform", 0.5, 7.28),
    ] {
        let [accepted, own, _] = measured(topology, routing, job, "like=caminos", load);
        // A seed of its own is known to 1 %.
        let near = (own / latency - 1.0).abs() < 0.035 && (accepted / load - 1.0).abs() < 0.02;
        assert!(near, "{topology} {routing} {load}: {accepted} and {own} cycles beside {latency}");
    }
    let [accepted, ..] =
        measured("hyperx:dims=4x4x4,p=4", "omni-dimensional:threshold=64", "uniform", "like=caminos", 0.8);
    assert!((accepted / 0.7953 - 1.0).abs() < 0.01, "{accepted}");
}
