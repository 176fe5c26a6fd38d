//! Neither threads nor parts nor checkpoints change anything.

use super::bench;
use hopline::error::Place;
use hopline::files::Disk;
use hopline::flits::{Process, Progress};

/// The same at any number of threads, and after a checkpoint in the middle.
#[test]
fn threads_and_checkpoints_change_nothing() {
    for (topology, routing, keys) in [
        ("dragonfly:p=2,a=4,h=2,local_latency=3,global_latency=9", "valiant-any", "packet=2"),
        ("dragonfly:p=2,a=4,h=2", "ugal-l", "arbitration=random"),
        ("torus:dims=4x4x2", "dor", "packet=3,switching=wormhole,buffers=2,output=2,arbitration=fcfs"),
        ("torus:dims=4x4x2", "min-adaptive", "packet=3,buffers=4,output=3,speedup=1"),
        ("torus:dims=6x6", "min-adaptive:adaptive=2", "crossbar=vcs,buffers=2,output=2,arbitration=fcfs"),
        ("torus:dims=4x4", "min-adaptive:adaptive=2", "delay=0,lanes=2,packet=2,buffers=3"),
        ("torus:dims=4x4", "shortest:vcs=hops", "packet=3,switching=wormhole,buffers=2,output=2"),
        ("fat-tree:k=3,n=3", "up-down", "source=2,delay=2"),
        ("fat-tree:down=66x3,up=1x3", "up-down", "packet=2,arbitration=fcfs"),
        ("dragonfly:p=2,a=4,h=2,local_latency=2,global_latency=7", "valiant-any", "delay=0"),
        ("dragonfly:p=2,a=4,h=2", "ugal-l:like=booksim,threshold=2", "like=booksim,packet=2,buffers=4"),
        ("dragonfly:p=2,a=4,h=2", "minimal:like=caminos", "like=caminos,packet=2,buffers=4"),
        ("torus:dims=4x4", "dor", "delay=0,packet=3,buffers=4,output=3,arbitration=oldest"),
    ] {
        let bench = bench(topology, routing);
        let start = |threads: usize| bench.simulation("uniform", keys, Process::Bursts { length: 4.0 }, 0.8, threads);
        let (mut one, mut three) = (start(1), start(3));
        one.advance(217).expect("alone");
        three.advance(100).expect("alone");
        three.advance(117).expect("alone");
        let kept = Progress::default().save(&three).expect("alone");
        assert!(kept == Progress::default().save(&one).expect("alone"), "{topology} {routing}: parts change the state");
        let mut other = start(2);
        Progress::load(&mut other, &kept).expect("a checkpoint");
        one.advance(150).expect("alone");
        other.advance(150).expect("alone");
        assert!(
            Progress::default().save(&one).expect("alone") == Progress::default().save(&other).expect("alone"),
            "{topology} {routing}: a checkpoint changes what follows"
        );
        assert_eq!((one.totals(), one.sent().expect("alone")), (other.totals(), other.sent().expect("alone")));
        assert!(one.totals().packets > 100, "{topology} {routing}");
    }
}

/// Large machines with long links are simulated in parts that fit the cache, even by
/// one thread; with more threads than that in others.
#[test]
fn parts_in_the_cache_change_nothing() {
    let large = "dragonfly:p=6,a=12,h=6,local_latency=10,global_latency=100";
    for routing in ["valiant-any", "ugal-g"] {
        let bench = bench(large, routing);
        let start = |threads: usize| bench.simulation("bit-complement", "", Process::Bernoulli, 0.1, threads);
        let (mut one, mut many) = (start(1), start(20));
        (0..5).for_each(|_| one.advance(35).expect("alone"));
        many.advance(175).expect("alone");
        assert!(
            Progress::default().save(&one).expect("alone") == Progress::default().save(&many).expect("alone"),
            "{routing}"
        );
        assert_eq!(one.totals().injected, one.totals().delivered + one.in_flight(), "{routing}");
        assert!(one.totals().packets > 100, "{routing}");
    }
}

/// No prefix and no changed byte of a checkpoint panics or passes for whole.
#[test]
fn damaged_checkpoints_are_refused() {
    let sealed = hopline::flits::seal("run", &[b"one", b"two"]);
    let parts = hopline::flits::open("run", &sealed).expect("whole");
    assert_eq!(parts, [b"one", b"two"]);
    for end in 0..sealed.len() {
        assert!(hopline::flits::open("run", &sealed[..end]).is_err(), "cut at {end}");
        let mut changed = sealed.clone();
        changed[end] ^= 4;
        assert!(hopline::flits::open("run", &changed).is_err(), "changed at {end}");
    }
    let other = hopline::flits::open("walk", &sealed).expect_err("another run").to_string();
    assert!(other.contains("another run"), "{other}");
    let bench = bench("torus:dims=4x4", "dor");
    let mut simulation = bench.simulation("uniform", "", Process::Bernoulli, 0.5, 1);
    simulation.advance(50).expect("alone");
    let whole = Progress::default().save(&simulation).expect("alone");
    for end in (0..whole.len()).step_by(7) {
        let mut fresh = bench.simulation("uniform", "", Process::Bernoulli, 0.5, 1);
        assert!(Progress::load(&mut fresh, &whole[..end]).is_err(), "cut at {end}");
    }
}

/// Keeps the state at every chance, and lets the run be killed after some.
struct Kept {
    state: Option<Vec<u8>>,
    saves: u32,
}

impl hopline::run::Keep for Kept {
    fn load(&mut self, _: &[u8]) -> hopline::error::Result<Option<Vec<u8>>> {
        Ok(self.state.clone())
    }
    fn is_due(&mut self) -> bool {
        true
    }
    fn save(&mut self, state: &[u8]) -> hopline::error::Result<()> {
        self.state = Some(state.to_vec());
        self.saves += 1;
        Ok(())
    }
}

/// A run that is killed again and again says the same as one that is not.
#[test]
fn a_run_that_was_killed_goes_on() {
    use hopline::event::{Control, Event, Silent};
    use hopline::flits::{Options, no_options};
    use hopline::params::Value;
    let scenario = hopline::scenario::Scenario::default()
        .topology("dragonfly:p=2,a=4,h=2")
        .and_then(|s| s.routing("valiant-any")?.traffic("bit-complement"))
        .expect("specs");
    let plan = hopline::plan::Plan::new(&scenario, &Disk).expect("plan");
    let mut params = no_options();
    for (key, value) in
        [("load", Value::Text("0.2,0.5".into())), ("warmup", Value::Int(1500)), ("cycles", Value::Int(4321))]
    {
        params.push(key, value, Place::new("test", 0)).expect("key");
    }
    let options = Options::read(&params).expect("options");
    let whole = hopline::run::flits(&plan, &options, &mut hopline::run::Forget, &mut Silent).expect("a run");
    let mut kept = Kept { state: None, saves: 0 };
    let (mut deaths, mut partial) = (0, 0);
    let outcome = loop {
        let mut left = 2;
        let mut killer = |event: Event| {
            left -= i32::from(matches!(event, Event::Progress(_)));
            if left < 0 { Control::Stop } else { Control::Continue }
        };
        match hopline::run::flits(&plan, &options, &mut kept, &mut killer) {
            Ok(outcome) if outcome.points.len() == 2 => break outcome,
            // Loads that were done are not lost.
            Ok(outcome) => {
                assert_eq!(outcome.points, whole.points[..1]);
                assert_eq!(outcome.setting.notes, ["stopped: 1 of 2 loads were not simulated to their end"]);
                partial += 1;
            }
            Err(e) => assert!(e.is_stopped() && e.to_string().contains("stopped"), "{e}"),
        }
        deaths += 1;
        assert!(deaths < 100, "it gets nowhere");
    };
    assert!(
        deaths > 3 && partial > 0 && kept.saves > 5,
        "{deaths} deaths, {partial} of them later, {} saves",
        kept.saves
    );
    assert_eq!(outcome, whole);
    // Another run does not take this one's state.
    let other = hopline::plan::Plan::new(&scenario.seed(1), &Disk).expect("plan");
    let error = hopline::run::flits(&other, &options, &mut kept, &mut Silent).expect_err("another run");
    assert!(error.to_string().contains("another run"), "{error}");
}
