//! What a run in which cables fail tells: spans, verdicts, notes, refusals.

use super::failing::plan;
use super::processes::options;
use hopline::event::Silent;
use hopline::files::Disk;
use hopline::flits::Options;
use hopline::params::Params;
use hopline::plan::Plan;
use hopline::run::{Forget, flits};
use hopline::scenario::Scenario;

/// The outcome says what happened before, until new routes are in use, and after.
#[test]
fn the_outcome_tells_of_the_failure() {
    let plan = plan("torus:dims=4x4", None, "t0-0 -- t1-0");
    assert_eq!(plan.network.routing_spec(), "dor", "the usual routing of the whole machine");
    let run = |text: &str| flits(&plan, &options(text), &mut Forget, &mut Silent).expect("a run");
    let outcome = run("flits:load=0.2,warmup=1000,cycles=9000,fail-at=5000,repair-after=1000");
    let failure = outcome.failure.as_ref().expect("a failure");
    assert_eq!((failure.cycle, failure.repair_after, &failure.routing[..]), (5000, 1000, "shortest:vcs=hops"));
    assert_eq!(failure.cables.len(), 1, "{failure:?}");
    let losses = outcome.points[0].failure.as_ref().expect("losses");
    let [before, during, after] = [&losses.before, &losses.during, &losses.after].map(|s| s.as_ref().expect("a span"));
    let resumed = losses.resumed_cycle.expect("new routes");
    assert_eq!((before.cycles, during.cycles, after.cycles), (4000, resumed - 5000, 10_000 - resumed));
    assert!((before.accepted - 0.2).abs() < 0.01 && (after.accepted - 0.2).abs() < 0.02, "{losses:?}");
    let lost = losses.dropped as f64 / (16.0 * 0.2 * f64::from(during.cycles));
    assert!((during.accepted - 0.2 * (1.0 - lost)).abs() < 0.01 && lost > 0.02, "{losses:?}");
    assert!(after.latency_cycles > before.latency_cycles, "{losses:?}");
    assert!(!outcome.points[0].saturated && outcome.setting.notes.iter().all(|n| !n.contains("measure more")));
    for (text, note) in [
        ("flits:load=0.2,warmup=10,cycles=90,fail-at=5000", "before cycle 5000"),
        ("flits:load=0.2,warmup=10,cycles=90,fail-at=90,repair-after=500", "loads of 0.2 the run ended"),
    ] {
        let notes = run(text).setting.notes.join("; ");
        assert!(notes.contains(note) && notes.contains("measure more cycles"), "{text}: {notes}");
    }
}

/// A routing that needs a whole machine is that before the failure; and the verdict on a load does not depend on whether a cable fails.
#[test]
fn routings_and_verdicts() {
    let named = plan("torus:dims=4x4", Some("dor"), "t0-0 -- t1-0");
    let broken = named.broken.as_ref().expect("a broken machine");
    assert_eq!((named.network.routing_spec(), broken.routing_spec()), ("dor".into(), "shortest:vcs=hops".into()));
    assert!(named.notes.iter().any(|n| n.contains("dor does not find its way")), "{:?}", named.notes);
    let large = plan("torus:dims=10x10", None, "t0-0 -- t1-0");
    assert_eq!(large.broken.expect("a broken machine").routing_spec(), "up-down", "more hops than channels");
    let verdict = |plan: &Plan, text: &str| {
        flits(plan, &options(text), &mut Forget, &mut Silent)
            .expect("a run")
            .points
            .iter()
            .map(|p| p.saturated)
            .collect::<Vec<_>>()
    };
    let mut saturated = 0;
    for seed in 0..20 {
        let scenario =
            Scenario::default().topology("torus:dims=4x4").and_then(|s| s.traffic("uniform")).expect("specs");
        let plan = Plan::failing(&scenario.without("t0-0 -- t1-0").seed(seed), &Disk).expect("a plan");
        let found = verdict(&plan, "flits:load=0.02,warmup=500,cycles=6000,fail-at=3000");
        saturated += found.iter().filter(|s| **s).count();
    }
    assert!(saturated <= 2, "{saturated} of 20 at a load of 0.02");
    let full = "flits:load=1,warmup=500,cycles=4000,router=[buffers=2,output=2],fail-at=";
    for at in ["9999", "2000", "4400"] {
        assert_eq!(verdict(&named, &format!("{full}{at}")), [true], "fails at {at}");
    }
}

/// Spans of an exchange end with it, it is said to be incomplete, and a cable counts as long as it is there.
#[test]
fn exchanges_and_loads_of_a_failure() {
    let plan = plan("torus:dims=4x4", None, "t0-0 -- t1-0");
    let run = |text: &str| flits(&plan, &options(text), &mut Forget, &mut Silent).expect("a run");
    let outcome = run("flits:inject=[exchange:bytes=4096],fail-at=10,repair-after=100000");
    let (point, notes) = (&outcome.points[0], outcome.setting.notes.join("; "));
    let losses = point.failure.as_ref().expect("losses");
    let spans = [&losses.before, &losses.during, &losses.after].into_iter().flatten();
    assert_eq!(spans.map(|s| s.cycles).sum::<u32>(), point.cycles, "{losses:?}");
    assert!(losses.dropped > 0 && notes.contains("the exchange is not complete"), "{notes}");
    let early = run("flits:inject=[exchange:bytes=64],fail-at=5000");
    assert!(early.setting.notes.iter().any(|n| n.contains("over before cycle 5000")), "{:?}", early.setting.notes);
    assert_eq!(
        early.points[0].failure.as_ref().and_then(|l| l.before.as_ref()).map(|s| s.cycles),
        Some(early.points[0].cycles)
    );
    // The same flits over the same cables as where it is gone from the start.
    let [failed, gone] = [true, false].map(|fails| {
        let scenario = Scenario::default().topology("full-mesh:n=3").and_then(|s| s.traffic("uniform")).expect("specs");
        let scenario = scenario.without("r0 -- r1");
        let (plan, more) = match fails {
            true => (Plan::failing(&scenario, &Disk).expect("a plan"), ",fail-at=0"),
            false => (Plan::simulated(&scenario, &Disk).expect("a plan"), ""),
        };
        let text = format!("flits:load=0.3,warmup=0,cycles=2000{more}");
        flits(&plan, &options(&text), &mut Forget, &mut Silent).expect("a run").points[0].classes[0].mean_load
    });
    assert!((failed / gone - 1.0).abs() < 0.02, "{failed} and {gone}");
}

/// A machine without a cable has the virtual channels that it needs, as one that loses it, where nobody names a routing.
#[test]
fn machines_without_parts_need_no_routing() {
    for (topology, cable, routing) in [
        ("torus:dims=7x3", "t0-0 -- t1-0", "shortest:vcs=hops"),
        ("torus:dims=24x3", "t0-0 -- t1-0", "up-down"),
        ("fat-tree:k=2,n=2", "l1t0s0 -- l2t0s0", "shortest:vcs=hops"),
    ] {
        let scenario = Scenario::default().topology(topology).and_then(|s| s.traffic("uniform")).expect("specs");
        let scenario = scenario.without(cable);
        let [gone, lost] = [Plan::simulated(&scenario, &Disk), Plan::failing(&scenario, &Disk)];
        let (gone, lost) = (gone.expect(topology), lost.expect(topology).broken.expect("what is left"));
        assert_eq!((gone.network.routing_spec(), lost.routing_spec()), (routing.into(), routing.into()), "{topology}");
        let point = &flits(&gone, &options("flits:load=0.03"), &mut Forget, &mut Silent).expect(topology).points[0];
        assert!(point.flit_hops > 100 && !point.saturated, "{topology}");
        let named = Plan::simulated(&scenario.routing("up-down").expect("a spec"), &Disk).expect(topology);
        assert_eq!(named.network.routing_spec(), "up-down", "what is named stays");
    }
}

/// What cannot be is refused in words.
#[test]
fn failures_that_cannot_be() {
    let refused = |topology: &str, routing: &str, cable: &str, text: &str| {
        let scenario = Scenario::default().topology(topology).and_then(|s| s.routing(routing)?.traffic("uniform"));
        let scenario = scenario.expect("specs");
        let scenario = if cable.is_empty() { scenario } else { scenario.without(cable) };
        let options = text.parse().and_then(|keys: Params| Options::read(&keys));
        let outcome = options.and_then(|options| {
            let plan = Plan::failing(&scenario, &Disk)?;
            flits(&plan, &options, &mut Forget, &mut Silent)
        });
        outcome.expect_err(text).to_string()
    };
    for (topology, routing, cable, text, words) in [
        ("torus:dims=4x4", "min-adaptive", "t0-0 -- t1-0", "flits:fail-at=9", "adapt at every hop either before"),
        (
            "torus:dims=4x4",
            "minimal",
            "t0-0 -- t1-0",
            "flits:fail-at=9,router=[lanes=5]",
            "virtual channels, at most 8",
        ),
        ("torus:dims=4", "minimal", "", "flits:fail-at=9", "nothing is named that fails"),
        ("torus:dims=4", "minimal", "t0 -- t1", "flits:repair-after=9", "there is none"),
        ("torus:dims=4", "minimal", "t0 -- t1", "flits:fail-at=9,until=1%@99%", "no steady state"),
        ("torus:dims=4", "minimal", "t0 -- t1", "flits:load=0.1", "when cables fail is not said"),
        ("torus:dims=4", "minimal", "t0", "flits:fail-at=9", "no way from"),
        ("fat-tree:k=2,n=2", "up-down", "e0", "flits:fail-at=9", "name cables between switches"),
    ] {
        let error = refused(topology, routing, cable, text);
        assert!(error.contains(words), "{topology} {routing} {cable} {text}: {error}");
    }
}
