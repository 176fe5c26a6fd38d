//! Processes that share a simulation change nothing. Here they are threads.

use super::{Bench, bench, router};
use hopline::error::{Error, Result};
use hopline::event::{Control, Event, Silent};
use hopline::files::Disk;
use hopline::flits::{Exchanged, FlitModel, Injection, Options, Process, Progress, Simulation};
use hopline::forwarding::Any;
use hopline::peers::{Alone, Peers, agree, together};
use hopline::plan::Plan;
use hopline::run::{FlitsOutcome, Forget, Keep, flits, flits_among};
use hopline::scenario::Scenario;
use std::sync::{Arc, Mutex};

const CASES: [(&str, &str, &str); 9] = [
    ("dragonfly:p=2,a=4,h=2,local_latency=3,global_latency=9", "minimal", ""),
    ("dragonfly:p=2,a=4,h=2,local_latency=3,global_latency=9", "valiant-any", "packet=2"),
    ("dragonfly:p=2,a=4,h=2", "ugal-l", "arbitration=random,packet=3,buffers=4"),
    ("dragonfly:p=2,a=4,h=2", "ugal-g", ""),
    ("torus:dims=4x4x2", "dor", "packet=3,switching=wormhole,buffers=2,output=2,arbitration=fcfs"),
    ("torus:dims=4x4x2", "min-adaptive", "packet=3,buffers=4,output=3,speedup=1"),
    ("torus:dims=4x4", "min-adaptive:adaptive=2", "delay=0,lanes=2,packet=2,buffers=3"),
    ("fat-tree:k=3,n=3", "up-down", "source=2,delay=2"),
    ("torus:dims=5", "dor", "latency=4"),
];

impl Bench {
    /// As `simulation`, among processes.
    fn share(&self, keys: &str, threads: usize, peers: Arc<dyn Peers>) -> Simulation<&Any> {
        let (demand, place) = self.demand("uniform");
        let setting = FlitModel::new(
            self.wiring.clone(),
            &self.forwarding,
            router(keys),
            Injection { demand: &demand, place: &place, process: Process::Bursts { length: 4.0 }, load: 0.8, seed: 7 },
        );
        Simulation::of_any_among(setting.expect("setting"), threads, peers)
    }
}

/// The state, sums, links and latencies are those of one process, at any number of them, also of more than there are
/// routers; and go on from the state of any number.
#[test]
fn processes_change_nothing() {
    for (topology, routing, keys) in CASES {
        let bench = bench(topology, routing);
        let mut alone = bench.share(keys, 1, Arc::new(Alone));
        alone.advance(217).expect("alone");
        let kept = Progress::default().save(&alone).expect("alone");
        let sums = (alone.totals(), alone.in_flight());
        let sent = alone.sent().expect("alone");
        alone.start_measuring();
        alone.advance(150).expect("alone");
        let after = Progress::default().save(&alone).expect("alone");
        for (size, threads) in [(2, 2), (3, 7), (6, 6)] {
            let what = format!("{topology} {routing} {keys} {size}");
            let found = together(size, |peers| {
                let mut own = bench.share(keys, threads, peers);
                own.advance(100).expect("all go on");
                own.advance(117).expect("all go on");
                let kept = Progress::default().save(&own).expect("all go on");
                (kept, (own.totals(), own.in_flight()), own.sent().expect("all go on"), own.exchanged())
            });
            assert!(found[0].0 == kept, "{what}: the state differs");
            assert!(found.iter().all(|f| f.1 == sums && f.2 == sent), "{what}: sums differ");
            assert!(found[1..].iter().all(|f| f.0.is_empty()), "{what}: only the first has the state");
            let messages: u64 = found.iter().map(|f| f.3.messages).sum();
            assert_eq!(messages == 0, routing == "ugal-g", "{what}");
            let resumed = together(size, |peers| {
                let bytes = if peers.rank() == 0 { &kept[..] } else { &[] };
                let mut own = bench.share(keys, threads, peers);
                Progress::load(&mut own, bytes).expect("a checkpoint");
                own.start_measuring();
                own.advance(150).expect("all go on");
                let latencies = own.latencies().expect("all go on");
                (Progress::default().save(&own).expect("all go on"), latencies)
            });
            assert!(resumed[0].0 == after, "{what}: a checkpoint changes what follows");
            let latencies = alone.latencies().expect("alone");
            assert!(resumed.iter().all(|r| r.1 == latencies), "{what}: latencies differ");
        }
    }
}

/// Processes hear of each other as seldom as the shortest link between them allows.
#[test]
fn windows_are_as_long_as_the_shortest_link_between_processes() {
    let bench = bench("dragonfly:p=2,a=4,h=2,local_latency=3,global_latency=50", "minimal");
    let told = together(2, |peers| {
        let mut own = bench.share("", 2, peers);
        own.advance(1000).expect("all go on");
        own.exchanged()
    });
    assert!(told.iter().all(|t| (t.windows, t.messages) == (20, 20) && t.bytes > 20 * 8), "{told:?}");
}

#[test]
fn a_deadlock_across_processes_is_the_one_that_one_process_finds() {
    let bench = bench("torus:dims=6", "shortest");
    let look = |peers: Arc<dyn Peers>| {
        let (demand, place) = bench.demand("uniform");
        let setting = FlitModel::new(
            bench.wiring.clone(),
            &bench.forwarding,
            router("buffers=4,output=4,packet=4"),
            Injection { demand: &demand, place: &place, process: Process::Bernoulli, load: 1.0, seed: 1 },
        )
        .expect("setting");
        let mut own = Simulation::of_any_among(setting, 4, peers);
        (0..200).find_map(|_| {
            own.advance(100).expect("all go on");
            own.deadlock().expect("all go on").map(|circle| (own.now(), circle))
        })
    };
    let alone = look(Arc::new(Alone));
    assert!(alone.is_some());
    for size in [2, 3, 4] {
        assert!(together(size, look).iter().all(|found| *found == alone), "{size}");
    }
}

fn plan(topology: &str, routing: &str, seed: u64) -> Plan {
    let specs = Scenario::default().topology(topology).and_then(|s| s.routing(routing)?.traffic("bit-complement"));
    Plan::new(&specs.expect("specs").seed(seed), &Disk).expect("plan")
}

pub(super) fn options(text: &str) -> Options {
    Options::read(&text.parse().expect("keys")).expect("options")
}

/// Whole runs: of known and unknown length, and an exchange with its end.
#[test]
fn the_outcome_of_every_process_is_that_of_one() {
    let plan = plan("dragonfly:p=2,a=4,h=2,local_latency=3,global_latency=20", "ugal-l", 0);
    for keys in [
        "flits:load=[0.2,0.6],warmup=300,cycles=1501",
        "flits:load=0.3,warmup=300,cycles=40000,until=5%@90%,router=[packet=4]",
        "flits:inject=[exchange:bytes=1000],router=[flit=16]",
    ] {
        let options = options(keys);
        let alone = flits(&plan, &options, &mut Forget, &mut Silent).expect("a run");
        for size in [2, 3] {
            let all = together(size, |peers| flits_among(&plan, &options, &peers, &mut Forget, &mut Silent));
            for found in all {
                let (outcome, told) = found.expect("a run");
                assert_eq!(outcome, alone, "{keys} {size}");
                assert!(told.messages > told.windows && told.bytes > told.messages, "{told:?}");
            }
        }
    }
}

/// Keeps the state at every chance.
#[derive(Default)]
pub(super) struct Kept(Option<Vec<u8>>);

impl Keep for Kept {
    fn load(&mut self, _: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.0.clone())
    }
    fn is_due(&mut self) -> bool {
        true
    }
    fn save(&mut self, state: &[u8]) -> Result<()> {
        self.0 = Some(state.to_vec());
        Ok(())
    }
}

/// Killed again and again, it goes on at another number of processes each time.
#[test]
fn a_run_goes_on_at_another_number_of_processes() {
    let plan = plan("dragonfly:p=2,a=4,h=2", "valiant-any", 0);
    let options = options("flits:load=[0.2,0.5],warmup=1500,cycles=4321");
    let whole = flits(&plan, &options, &mut Forget, &mut Silent).expect("a run");
    let kept = Mutex::new(Kept::default());
    for (deaths, size) in [3, 1, 2, 4].into_iter().cycle().take(40).enumerate() {
        let found = together(size, |peers| {
            let mut left = 25;
            let mut killer = |event: Event| {
                left -= i32::from(matches!(event, Event::Progress(_)));
                if left < 0 { Control::Stop } else { Control::Continue }
            };
            match peers.rank() {
                0 => flits_among(&plan, &options, &peers, &mut *kept.lock().expect("the first"), &mut killer),
                _ => flits_among(&plan, &options, &peers, &mut Forget, &mut Silent),
            }
        });
        let points = |f: &Result<(FlitsOutcome, Exchanged)>| f.as_ref().map_or(0, |(outcome, _)| outcome.points.len());
        if let Ok((outcome, _)) = &found[0]
            && outcome.points.len() == 2
        {
            assert!(deaths > 3, "{deaths} deaths");
            assert_eq!(*outcome, whole);
            return;
        }
        assert!(found.iter().all(|f| f.is_ok() || f.as_ref().is_err_and(|e| e.is_stopped())));
        assert!(found.iter().all(|f| points(f) == points(&found[0])), "all have the same loads");
    }
    panic!("it gets nowhere");
}

/// What one process cannot do none does, and all know why; nor do they begin what they were not all asked for.
#[test]
fn processes_fail_together() {
    let said = together(3, |peers| match peers.rank() {
        1 => agree::<()>(&*peers, Err(Error::input("no such file"))),
        _ => agree(&*peers, Ok(())),
    });
    let said: Vec<String> = said.into_iter().map(|s| s.expect_err("all").to_string()).collect();
    assert_eq!(said, ["process 1: no such file", "no such file", "process 1: no such file"]);
    let options = options("flits:load=0.2,warmup=10,cycles=10");
    let plans = [plan("torus:dims=4", "dor", 0), plan("torus:dims=4", "dor", 1)];
    let found = together(2, |peers| {
        let plan = &plans[peers.rank() as usize];
        flits_among(plan, &options, &peers, &mut Forget, &mut Silent).expect_err("not the same").to_string()
    });
    assert!(found.iter().all(|e| e.contains("not asked for the same")), "{found:?}");
    // A state that is damaged is refused by all.
    let bench = bench("torus:dims=4x4", "dor");
    let mut alone = bench.share("", 1, Arc::new(Alone));
    alone.advance(50).expect("alone");
    let whole = Progress::default().save(&alone).expect("alone");
    for end in [whole.len() - 1, whole.len() / 2, 40] {
        let refused = together(2, |peers| Progress::load(&mut bench.share("", 2, peers), &whole[..end]).is_err());
        assert_eq!(refused, [true, true], "{end}");
    }
}
