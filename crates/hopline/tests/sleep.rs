//! Cables that sleep and links that are slow in replays: closed forms, and laws over random jobs. Policies and slack.

mod common;

use common::network;
use hopline::error::Place;
use hopline::event::Silent;
use hopline::fabric::Fabric;
use hopline::files::Disk;
use hopline::id::{LinkId, SlotId};
use hopline::mapping::Mapping;
use hopline::params::Params;
use hopline::plan::Network;
use hopline::power::policy::{Job, plan};
use hopline::power::slack::of_links;
use hopline::power::{self, Energy, Keep, cables};
use hopline::replay::{Dimming, FULL, Model, NEVER, Nap, Places, Record, ReplayInput, Replayed, replay, replay_dimmed};
use hopline::rng::Rng;
use hopline::schedule::{Builder, Schedule};
use proptest::prelude::*;

const US: u64 = 1_000_000;

fn params(kind: &str, keys: &str) -> Params {
    Params::from_spec(&format!("{kind}:{keys}"), &Place::new("test", 0)).expect("keys")
}

fn model(keys: &str) -> Model {
    Model::read(&params("replay", keys)).expect("model")
}

/// A machine with a job on it, rank r in slot r.
struct Run {
    net: Network,
    schedule: Schedule,
    places: Places,
    model: Model,
}

impl Run {
    fn new(topology: &str, schedule: Schedule, keys: &str) -> Run {
        let net = network(topology, None);
        let mapping = Mapping::new((0..schedule.ranks()).map(SlotId).collect(), &net.fabric).expect("mapping");
        let places = Places::new(&mapping, net.fabric.hosts()).expect("places");
        Run { net, schedule, places, model: model(keys) }
    }

    fn input(&self) -> ReplayInput<'_> {
        ReplayInput { schedule: &self.schedule, routing: &*self.net.routing, places: &self.places, model: &self.model }
    }

    fn plain(&self, critical: bool) -> Replayed {
        replay(self.input(), &Record { watch: None, critical }, &mut Silent).unwrap_or_else(|e| panic!("{e}"))
    }

    fn dimmed(&self, plan: &Dimming) -> Replayed {
        replay_dimmed(self.input(), &Record::default(), plan, &mut Silent).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Under a policy with cables that take 100 us to wake and 10 us to sleep.
    fn policy(&self, spec: &str, keep: Keep) -> (Dimming, Replayed) {
        let watts = power::Model::read(&params("power", "on=1"), &Disk).expect("watts");
        let base = self.plain(true);
        let job = Job { input: self.input(), model: &watts, keep, base: &base };
        let spec = Params::from_spec(spec, &Place::new("test", 0)).expect("spec");
        let plan = plan(&spec, &job, &mut Silent).unwrap_or_else(|e| panic!("{e}")).dimming;
        let done = self.dimmed(&plan);
        (plan, done)
    }
}

const NAP: Nap = Nap { after: NEVER, unused: 0, from: 0, ahead: NEVER, rest: 0, wake: 100 * US, sleep: 10 * US };

/// Every cable sleeps as `nap` says.
fn all(fabric: &Fabric, nap: impl Fn(usize) -> Nap) -> Dimming {
    let mut plan = Dimming { cable: vec![u32::MAX; fabric.links()], ..Dimming::default() };
    for (c, l) in cables(fabric).enumerate() {
        plan.naps.push(nap(c));
        [l, fabric.reverse(l)].iter().for_each(|d| plan.cable[d.index()] = c as u32);
    }
    plan
}

/// Rank 0 computes and sends to rank `to`, `times` over.
fn one_message(to: u32, nanos: u64, bytes: u64, times: u32) -> Schedule {
    let mut b = Builder::new(to + 1);
    let work = b.compute(0, nanos);
    let sent = b.send(0, to, bytes, 0);
    b.requires(sent, work);
    b.recv(to, 0, bytes, 0);
    b.finish().and_then(|s| s.repeat(times)).expect("schedule")
}

#[test]
fn a_dark_cable_costs_its_wake_up_time_and_loses_nothing() {
    // One hop, then three: each cable on the way wakes when the packet is there.
    for (to, hops) in [(1, 1), (3, 3)] {
        let run = Run::new("torus:dims=8", one_message(to, 500_000, 2048, 1), "packet=2048");
        let (plain, dark) = (run.plain(false), run.dimmed(&all(&run.net.fabric, |_| NAP)));
        assert_eq!(dark.makespan(), plain.makespan() + hops * 100 * US);
        assert_eq!((dark.messages, dark.packet_hops, &dark.busy), (plain.messages, plain.packet_hops, &plain.busy));
        assert_eq!(dark.slept.woken.iter().sum::<u32>() as u64, hops);
        assert_eq!(dark.slept.waited.iter().sum::<u64>(), hops * 100 * US);
    }
}

#[test]
fn a_packet_that_comes_while_a_cable_goes_off_waits_for_both() {
    // Off from 499 us on, which takes 10 us; the packet comes at 500 us.
    let run = Run::new("torus:dims=8", one_message(1, 500_000, 2048, 1), "packet=2048");
    let dark = run.dimmed(&all(&run.net.fabric, |_| Nap { unused: 499 * US, ..NAP }));
    assert_eq!(dark.makespan(), run.plain(false).makespan() + (9 + 100) * US);
    // And one that comes before finds it on.
    let on = run.dimmed(&all(&run.net.fabric, |_| Nap { unused: 500 * US, ..NAP }));
    assert_eq!(on.makespan(), run.plain(false).makespan());
}

#[test]
fn both_directions_wake_together() {
    let mut b = Builder::new(2);
    b.send(0, 1, 2048, 0);
    b.recv(1, 0, 2048, 0);
    b.send(1, 0, 2048, 0);
    b.recv(0, 1, 2048, 0);
    let run = Run::new("torus:dims=8", b.finish().expect("schedule"), "packet=2048");
    let dark = run.dimmed(&all(&run.net.fabric, |_| NAP));
    assert_eq!(dark.makespan(), run.plain(false).makespan() + 100 * US);
    assert_eq!(dark.slept.woken.iter().sum::<u32>(), 1);
}

#[test]
fn a_cable_that_knows_its_rest_wakes_in_time() {
    // A message every 500 us and a little: 20 of them.
    let run = Run::new("torus:dims=8", one_message(1, 500_000, 2048, 20), "packet=2048,S=0");
    let plain = run.plain(false);
    let (plan, threshold) = run.policy("threshold:idle=50000,iterations=0", Keep::default());
    assert_eq!(threshold.makespan(), plain.makespan() + 20 * 100 * US);
    let (_, ahead) = run.policy("predict:idle=50000,margin=0.01,iterations=0", Keep::default());
    // The first rest ends with a packet that waits; the second is as long as told, the rest without the waiting.
    assert_eq!(ahead.slept.woken.iter().sum::<u32>(), 1);
    assert_eq!(ahead.makespan(), plain.makespan() + 100 * US);
    let cable = plan.cable[run.net.routing_link(0, 1)] as usize;
    assert!(ahead.slept.off[cable] > 19 * 300 * US, "{}", ahead.slept.off[cable]);
}

/// The link between two endpoints that are neighbours.
trait RoutingLink {
    fn routing_link(&self, from: u32, to: u32) -> usize;
}

impl RoutingLink for Network {
    fn routing_link(&self, from: u32, to: u32) -> usize {
        let ends = |l: &LinkId| self.fabric.source(*l).0 == from && self.fabric.target(*l).0 == to;
        self.fabric.link_ids().find(ends).expect("neighbours").index()
    }
}

#[test]
fn what_was_not_learned_wakes_once() {
    // Two steps to rank 1, then one to rank 2: the first is learned from.
    let steps = |to: u32, times: u32| {
        let mut b = Builder::new(3);
        let work = b.compute(0, 500_000);
        let sent = b.send(0, to, 2048, 0);
        b.requires(sent, work);
        b.recv(to, 0, 2048, 0);
        b.finish().and_then(|s| s.repeat(times)).expect("steps")
    };
    let run = Run::new("full-mesh:n=3", steps(1, 2).then(steps(2, 1)).expect("schedule"), "packet=2048");
    let plain = run.plain(false);
    let (_, learned) = run.policy("learn", Keep::default());
    assert_eq!(learned.makespan(), plain.makespan() + 100 * US);
    assert_eq!(learned.slept.woken.iter().sum::<u32>(), 1);
    let (_, known) = run.policy("static", Keep::default());
    assert_eq!((known.makespan(), known.slept.woken.iter().sum::<u32>()), (plain.makespan(), 0));
    let (plan, kept) = run.policy("learn:iterations=1", Keep { bisection: 1.0, ..Keep::default() });
    assert!(plan.naps.len() < 2 && kept.makespan() <= learned.makespan());
    let watts = power::Model::read(&params("power", "on=1"), &Disk).expect("watts");
    let job = Job { input: run.input(), model: &watts, keep: Keep::default(), base: &plain };
    let all = Params::from_spec("learn:iterations=3", &Place::new("test", 0)).expect("spec");
    let error = plan_error(&all, &job);
    assert!(error.contains("3 iterations"), "{error}");
}

fn plan_error(spec: &Params, job: &Job<'_>) -> String {
    plan(spec, job, &mut Silent).expect_err("too short").to_string()
}

#[test]
fn energy_is_its_closed_form() {
    let run = Run::new("full-mesh:n=2", one_message(1, 1_000_000, 1_000_000, 1), "packet=1048576,S=1048576");
    let fabric = &*run.net.fabric;
    // 1 ms of work, 1 ms of sending at 1 GB/s: the cable is off for 1 ms, wakes 0.1 ms, sends 1 ms.
    let plan = all(fabric, |_| NAP);
    let done = run.dimmed(&plan);
    let watts = power::Model::read(&params("power", "on=2,idle=0.5,off=0.25,changing=1.5"), &Disk).expect("watts");
    let energy = Energy::new(fabric, &watts, &plan, &done, Some(100 * US));
    let latency = done.makespan() as f64 * 1e-12 - 2.1e-3;
    // On 2 W, idle 1 W, off 0.5 W, changing 3 W; the other direction idles.
    let expected = 2.0 * (1e-3 * 0.5 + 1e-4 * 3.0) + 1e-3 * (2.0 + 1.0) + latency * 2.0;
    assert!((energy.joules - expected).abs() < 1e-9, "{} {expected}", energy.joules);
    let slow = Dimming { slow: vec![2 * FULL; fabric.links()], ..Dimming::default() };
    let done = run.dimmed(&slow);
    assert_eq!(done.makespan(), run.plain(false).makespan() + 1000 * US);
    let energy = Energy::new(fabric, &watts, &slow, &done, None);
    let expected = 1e-3 * 1.0 + 2e-3 * (1.0 + 0.5) + latency;
    assert!((energy.joules - expected).abs() < 1e-9, "{} {expected}", energy.joules);
}

/// A job whose ranks do one thing after another and in which every ordered pair of ranks sends one message at most, so
/// that nothing shares a link of a full mesh.
fn sparse_job(seed: u64, ranks: u32) -> Schedule {
    let mut rng = Rng::new(seed, "sparse");
    let mut b = Builder::new(ranks);
    let mut pairs: Vec<(u32, u32)> = (0..ranks).flat_map(|a| (0..ranks).map(move |b| (a, b))).collect();
    pairs.retain(|p| p.0 != p.1);
    rng.shuffle(&mut pairs);
    for &(from, to) in &pairs[..pairs.len() / 2] {
        let bytes = 1 + rng.below(9_000);
        b.wait(from);
        b.compute(from, 1 + rng.below(20_000));
        b.wait(from);
        b.send(from, to, bytes, 0);
        b.wait(to);
        b.recv(to, from, bytes, 0);
    }
    b.finish().expect("schedule")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sleep_loses_nothing(seed in 0u64..1 << 40, after in 0u64..400, unused in 0u64..400, ahead in 0u64..=FULL as u64) {
        let mut rng = Rng::new(seed, "sleep");
        let mut b = Builder::new(16);
        for _ in 0..60 {
            let (from, to) = (rng.below(16) as u32, rng.below(16) as u32);
            let bytes = rng.below(20_000);
            if from != to {
                b.compute(from, rng.below(300_000));
                b.wait(from);
                b.send(from, to, bytes, 0);
                b.recv(to, from, bytes, 0);
            }
        }
        let schedule = b.finish().and_then(|s| s.repeat(3)).expect("schedule");
        let run = Run::new("torus:dims=4x4", schedule, "packet=4096,o=100,S=8192");
        let plain = run.plain(false);
        let nap = |c: usize| Nap { after: (after + c as u64) * US, unused: unused * US, ahead, ..NAP };
        let dark = run.dimmed(&all(&run.net.fabric, nap));
        prop_assert_eq!((dark.messages, dark.packet_hops, &dark.busy), (plain.messages, plain.packet_hops, &plain.busy));
        for (l, cable) in cables(&run.net.fabric).enumerate() {
            let spent = dark.slept.off[l] + dark.slept.changing[l] + dark.busy[cable.index()];
            prop_assert!(spent <= dark.makespan(), "{} of {}", spent, dark.makespan());
        }
        // All on costs nothing.
        let on = run.dimmed(&all(&run.net.fabric, |_| Nap { unused: NEVER, ..NAP }));
        prop_assert_eq!((on.makespan(), on.finish), (plain.makespan(), plain.finish));
    }

    #[test]
    fn a_message_may_be_late_by_its_slack_and_no_more(seed in 0u64..1 << 40, asks in any::<bool>()) {
        let keys = if asks { "packet=16384,o=50,S=0" } else { "packet=16384,o=50" };
        let run = Run::new("full-mesh:n=6", sparse_job(seed, 6), keys);
        let plain = run.plain(true);
        // Every way is a link.
        let room = of_links(run.input(), &plain, 0).expect("room");
        prop_assert_eq!(room.iter().flatten().count(), plain.busy.iter().filter(|&&b| b > 0).count());
        prop_assert!(room.iter().flatten().any(|&r| r == 0.0), "the critical path has none");
        for (l, r) in room.iter().enumerate().filter_map(|(l, r)| Some((l, (*r)?))).filter(|(_, r)| *r < 1000.0) {
            let late = |by: f64| {
                let mut slow = vec![FULL; room.len()];
                slow[l] = (f64::from(FULL) * (1.0 + by)) as u32;
                run.dimmed(&Dimming { slow, ..Dimming::default() }).makespan()
            };
            prop_assert!(late(r) <= plain.makespan());
            prop_assert!(asks || late(r + 0.01) > plain.makespan());
        }
    }
}

/// Steps of computation, a message to the neighbour, and chains of small messages around the ring.
fn chained(steps: u32) -> Schedule {
    let ranks = 8;
    let mut b = Builder::new(ranks);
    for r in 0..ranks {
        b.compute(r, 500_000);
        b.wait(r);
        b.send(r, (r + 1) % ranks, 20_000, 0);
        b.recv((r + 1) % ranks, r, 20_000, 0);
    }
    (0..ranks).for_each(|r| b.wait(r));
    // 0 to 2 to 4 and so on: every one waits for the one before.
    for from in 0..ranks {
        let to = (from + 2) % ranks;
        b.send(from, to, 8, 1);
        b.recv(to, from, 8, 1);
        b.wait(to);
    }
    b.finish().and_then(|s| s.repeat(steps)).expect("schedule")
}

#[test]
fn a_guard_leaves_cables_on_that_do_not_pay() {
    // On a full mesh every rank's cable to the next is used once a step, those of the chain one after the other.
    let run = Run::new("full-mesh:n=8", chained(12), "packet=32768");
    let plain = run.plain(false);
    let saved = |spec: &str| {
        let (plan, done) = run.policy(spec, Keep::default());
        let watts = power::Model::read(&params("power", "on=1"), &Disk).expect("watts");
        let effect = power::Effect::new(&run.net.fabric, &watts, &plain, (&plan, &done), None);
        (effect.machine_saving, done.makespan() as f64 / plain.makespan() as f64)
    };
    let (alone, guarded) = (saved("threshold:iterations=0"), saved("threshold"));
    assert!(alone.0 < 0.0 && alone.1 > 1.5, "{alone:?}");
    assert!(guarded.0 > 0.05 && guarded.1 < 1.05, "{guarded:?}");
    // Who knows when the next message comes is in time, and sleeps between.
    let predicted = saved("predict");
    assert!(predicted.0 > guarded.0 && predicted.1 < 1.001, "{predicted:?}");
}

#[test]
fn what_never_pays_is_said() {
    // Two ranks that swap at once all the time: no rest is long enough.
    let run = Run::new("full-mesh:n=2", one_message(1, 150_000, 8, 40), "packet=2048,S=0");
    let watts = power::Model::read(&params("power", "on=1"), &Disk).expect("watts");
    let base = run.plain(false);
    let job = Job { input: run.input(), model: &watts, keep: Keep::default(), base: &base };
    let spec = Params::from_spec("threshold", &Place::new("test", 0)).expect("spec");
    let planned = plan(&spec, &job, &mut Silent).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(planned.notes, ["not worth it: no cable sleeps"]);
    assert_eq!(run.dimmed(&planned.dimming).makespan(), base.makespan());
    // Known rests of 150 us are no time to sleep either.
    let spec = Params::from_spec("predict", &Place::new("test", 0)).expect("spec");
    assert_eq!(
        plan(&spec, &job, &mut Silent).unwrap_or_else(|e| panic!("{e}")).notes,
        ["not worth it: no cable sleeps"]
    );
}

#[test]
fn a_small_message_does_not_keep_a_link_fast() {
    // The small one is on the critical path, the large one is not: a quarter of the speed costs 8 bytes 24 ns.
    let mut b = Builder::new(2);
    b.send(0, 1, 100_000, 0);
    b.recv(1, 0, 100_000, 0);
    b.compute(0, 1_000_000);
    b.wait(0);
    b.send(0, 1, 8, 1);
    b.recv(1, 0, 8, 1);
    let run = Run::new("full-mesh:n=2", b.finish().expect("schedule"), "packet=1048576,S=1048576");
    let link = run.net.routing_link(0, 1);
    let (plan, done) = run.policy("scale:penalty=0.001", Keep::default());
    assert_eq!(plan.slow[link], 4 * FULL);
    assert_eq!(done.makespan(), run.plain(false).makespan() + 24_000);
    assert!(run.policy("scale:penalty=0", Keep::default()).0.slow.iter().all(|&slow| slow == FULL));
}

#[test]
fn links_off_the_critical_path_run_slower() {
    // Rank 2 waits for a message that takes 1 ms; that from rank 1 is there early.
    let mut b = Builder::new(3);
    for (from, bytes) in [(0, 1_000_000), (1, 100_000)] {
        b.send(from, 2, bytes, 0);
        b.recv(2, from, bytes, 0);
    }
    let run = Run::new("full-mesh:n=3", b.finish().expect("schedule"), "packet=1048576,S=1048576");
    let (plan, done) = run.policy("scale:penalty=0", Keep::default());
    assert_eq!(done.makespan(), run.plain(false).makespan());
    let slow = |from: u32| plan.slow[run.net.routing_link(from, 2)];
    assert_eq!((slow(0), slow(1)), (FULL, 4 * FULL));
    // At an eighth the message takes 0.8 ms, at a sixteenth it is late.
    let (plan, _) = run.policy("scale:speeds=[0.125;0.0625],penalty=0", Keep::default());
    assert_eq!(plan.slow[run.net.routing_link(1, 2)], 8 * FULL);
}
