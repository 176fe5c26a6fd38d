//! What `load` and `map` say of imbalanced jobs on a Dragonfly.

mod common;

use hopline::event::Silent;
use hopline::files::Disk;
use hopline::plan::Plan;
use hopline::run::{Criterion, Spreading, load, map};
use hopline::scenario::Scenario;

const P: u32 = 4;

fn plan(topology: &str, routing: &str, traffic: &str, mapping: &str) -> Plan {
    let scenario = Scenario::default().topology(topology).and_then(|s| s.routing(routing));
    let scenario = scenario.and_then(|s| s.traffic(traffic)).and_then(|s| s.mappings(mapping)).expect("a scenario");
    Plan::new(&scenario, &Disk).expect("a plan")
}

fn of(topology: &str, routing: &str, traffic: &str, mapping: &str) -> Option<Spreading> {
    load(&plan(topology, routing, traffic, mapping), 0, &mut Silent).expect("loads").spreading
}

fn here(routing: &str, traffic: &str) -> Option<Spreading> {
    of(&format!("dragonfly:p={P},a={},h={P}", 2 * P), routing, traffic, "default")
}

#[test]
fn the_papers_patterns_meet_the_criteria_and_others_none() {
    let shift = here("minimal", "shift:groups=8").expect("adversarial");
    assert_eq!((shift.kind, shift.to_one_group), (Criterion::Adversarial, 1.0));
    assert_eq!(shift.remedies.iter().map(|r| r.routing.as_str()).collect::<Vec<_>>(), ["valiant-any"]);
    for traffic in ["shift:groups=8", "bit-complement"] {
        let found = here("valiant-restricted", traffic).expect("consecutive");
        assert_eq!(found.kind, Criterion::Consecutive, "{traffic}");
        assert!(found.consecutive > 0.5 && found.consecutive <= 1.0, "{traffic}: {found:?}");
        let remedies: Vec<_> = found.remedies.iter().map(|r| (r.routing.as_str(), r.mapping.as_str())).collect();
        assert_eq!(remedies, [("valiant-any", "default"), ("valiant-restricted", "group-random")], "{traffic}");
        assert!(found.sentence.contains("--routing valiant-any") && found.sentence.contains('%'), "{}", found.sentence);
    }
    // Half to either side is less than half to one other group where something goes further, and more where planes are groups.
    for (phase, kind) in [("x", Criterion::Neither), ("z", Criterion::Adversarial)] {
        let nearest = here("minimal", &format!("nearest3d:phase={phase}")).expect("it leaves groups");
        assert_eq!(nearest.kind, kind, "{}", nearest.sentence);
    }
    // Near groups leave by the router where they came in; uniform traffic is even; nothing is left to help.
    for (routing, traffic) in [
        ("valiant-restricted", "shift:groups=1"),
        ("valiant-restricted", "uniform"),
        ("valiant-restricted", "alltoall"),
        ("minimal", "uniform"),
        ("valiant-any", "shift:groups=8"),
    ] {
        let found = here(routing, traffic).expect("it leaves groups");
        assert_eq!((found.kind, found.remedies.len(), found.loss), (Criterion::Neither, 0, 0.0), "{routing} {traffic}");
        assert!(found.sentence.ends_with("spreads it") || found.sentence.ends_with("spreads any of it"), "{found:?}");
    }
    // Groups in random order are no longer consecutive.
    let random = of("dragonfly:p=4,a=8,h=4", "valiant-restricted", "shift:groups=8", "group-random");
    assert_eq!(random.map(|found| found.kind), Some(Criterion::Neither));
    assert_eq!(of("torus:dims=8x9", "dor", "bit-complement", "default"), None);
}

#[test]
fn traffic_inside_groups_and_single_tasks_are_nothing_to_speak_of() {
    let topology = "dragonfly:p=2,a=4,h=2";
    for traffic in ["shift:by=0", "uniform:tasks=2", "alltoall:tasks=8", "bit-complement:tasks=1"] {
        assert_eq!(of(topology, "minimal", traffic, "default"), None, "{traffic}");
    }
}

#[test]
fn map_speaks_of_the_best() {
    let plan = plan("dragonfly:p=2,a=4,h=2", "minimal,valiant-restricted", "shift:groups=4", "default");
    let outcome = map(&plan, &mut Silent).expect("mappings");
    let found = outcome.spreading.expect("the best is imbalanced");
    assert_eq!((outcome.best.routing.as_str(), found.kind), ("valiant-restricted", Criterion::Consecutive));
}
