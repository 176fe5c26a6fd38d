//! Checkpoints that somebody has made up: the sums are right, what is in them is not. They are refused, or simulated without a panic.

#![allow(clippy::print_stdout, reason = "how many there were")]

use super::coverage::options;
use super::{Bench, bench};
use hopline::event::Silent;
use hopline::flits::{Options, Process, Progress, Simulation};
use hopline::forwarding::Any;
use hopline::params::Value;
use hopline::rng::Rng;
use hopline::stats::Histogram;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Cells of a histogram of latencies.
fn latencies() -> usize {
    Histogram::new().counts().len()
}

/// A state as numbers: what stands before the routers, and each router.
#[derive(Clone)]
pub(super) struct State {
    head: Vec<u64>,
    routers: Vec<Vec<u64>>,
}

fn put(bytes: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
}

fn take(bytes: &mut &[u8]) -> u64 {
    let mut n = 0;
    for shift in (0..).step_by(7) {
        let (first, rest) = bytes.split_first().expect("a number");
        n |= u64::from(first & 0x7f) << shift;
        *bytes = rest;
        if first & 0x80 == 0 {
            break;
        }
    }
    n
}

impl State {
    fn of(bytes: &[u8]) -> State {
        let (mut left, mut head) = (bytes, Vec::new());
        let mut more = |count: u64, left: &mut &[u8]| {
            (0..count).for_each(|_| head.push(take(left)));
            head.last().copied().unwrap_or(0)
        };
        // Batches, totals and the batch under way, means that rose, now and its totals, latencies.
        let batches = more(2, &mut left);
        more(4 * batches + 23, &mut left);
        let risen = more(1, &mut left);
        more(risen + 11, &mut left);
        // The stage of a failure, with the totals that it keeps.
        let stage = more(1, &mut left);
        more(1 + 10 * [0, 1, 1, 2][stage as usize] + latencies() as u64, &mut left);
        let mut routers = Vec::new();
        while !left.is_empty() {
            let length = take(&mut left) as usize;
            let (mut own, rest) = left.split_at(length);
            let mut numbers = Vec::new();
            while !own.is_empty() {
                numbers.push(take(&mut own));
            }
            routers.push(numbers);
            left = rest;
        }
        State { head, routers }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.head.iter().for_each(|&n| put(&mut bytes, n));
        for router in &self.routers {
            let mut own = Vec::new();
            router.iter().for_each(|&n| put(&mut own, n));
            put(&mut bytes, own.len() as u64);
            bytes.extend(own);
        }
        bytes
    }

    /// Changes one number, of a router or before them.
    fn change(&mut self, other: &State, rng: &mut Rng) {
        let routers = self.routers.len() as u64;
        let pick = rng.below(routers) as usize;
        match rng.below(16) {
            // The router of another time, or another router.
            0 => self.routers[pick] = other.routers[pick].clone(),
            1 => self.routers[pick] = self.routers[rng.below(routers) as usize].clone(),
            2 => {
                // A latency seldom matters.
                let at = rng.below((self.head.len() - latencies() + 4) as u64) as usize;
                self.head[at] = changed(self.head[at], other.head[at.min(other.head.len() - 1)], rng);
            }
            kind => {
                let own = &mut self.routers[pick];
                let [at, from] = [(); 2].map(|()| rng.below(own.len() as u64) as usize);
                match kind {
                    3 => own.swap(at, from),
                    4 => own[at] = own[from],
                    _ => own[at] = changed(own[at], other.routers[pick].get(at).copied().unwrap_or(0), rng),
                }
            }
        }
    }
}

fn changed(n: u64, other: u64, rng: &mut Rng) -> u64 {
    match rng.below(8) {
        0 => n + 1,
        1 => n.saturating_sub(1),
        2 => 0,
        3 => other,
        4 => rng.below(70),
        5 => u64::from(u32::MAX),
        6 => n ^ 1 << rng.below(64),
        _ => n ^ 1 << rng.below(32),
    }
}

const CASES: &[(&str, &str, &str)] = &[
    ("torus:dims=3x2", "dor", ""),
    ("torus:dims=3x2", "dor", "packet=2,buffers=4,output=3"),
    ("torus:dims=3x2", "dor", "source=2,packet=3,switching=wormhole,buffers=2,output=2,arbitration=fcfs"),
    ("torus:dims=3x2", "dor", "delay=0,packet=3,buffers=4,output=3,arbitration=oldest,lanes=2"),
    ("torus:dims=3x3", "min-adaptive", "buffers=2,output=2"),
    ("torus:dims=3x3", "min-adaptive", "packet=3,buffers=4,output=3,speedup=1"),
    ("torus:dims=3x3", "min-adaptive", "crossbar=vcs,buffers=2,output=2,arbitration=fcfs"),
    ("torus:dims=3x3", "shortest:vcs=hops", "packet=3,switching=wormhole,buffers=2,output=2"),
    ("dragonfly:p=1,a=2,h=1,local_latency=3,global_latency=9", "valiant-any", "packet=2"),
    ("dragonfly:p=1,a=2,h=1", "ugal-l", "arbitration=random"),
    ("dragonfly:p=1,a=2,h=1", "ugal-l:like=booksim,threshold=2", "like=booksim,packet=2,buffers=4"),
    ("dragonfly:p=1,a=2,h=1", "par", "like=caminos,packet=2,buffers=4"),
    ("hyperx:p=1,dims=3x2", "omni-dimensional", "packet=2,buffers=3,output=2"),
    ("hyperx:p=1,dims=3x2", "valiant-any", "buffers=2"),
    ("fat-tree:k=2,n=2", "up-adaptive", "packet=2,buffers=2,output=2"),
    ("fat-tree:k=2,n=2", "up-down", "source=2,delay=2"),
    ("fat-tree:k=2,n=2", "d-mod-k", "like=booksim,packet=3,buffers=2"),
    ("fat-tree:down=66x2,up=1x2", "up-down", "packet=2"),
];

fn simulation<'a>(bench: &'a Bench, keys: &str, process: Process) -> Simulation<&'a Any> {
    bench.simulation("uniform", keys, process, 0.8, 1)
}

/// Runs of known length, or of any: so many cycles that the state is kept in warm-up, pilot and measurement.
fn runs() -> [Options; 2] {
    let keys = [("warmup", Value::Int(100)), ("cycles", Value::Int(300)), ("interval", Value::Int(160))];
    let until = ("until", Value::Text("5%@95%".into()));
    [options(&keys), options(&[&keys[..], &[until]].concat())]
}

/// The states that a run keeps.
pub(super) fn kept(mut one: Simulation<&Any>, options: &Options) -> Vec<State> {
    let mut states = Vec::new();
    let measured = Progress::default().run(&mut one, options, &mut Silent, |simulation, progress| {
        states.push(State::of(&progress.save(simulation)?));
        Ok(())
    });
    assert!(measured.is_ok() && states.len() > 10);
    states
}

/// Goes on from bytes, if they are taken, for at least 200 cycles more.
fn goes_on(mut fresh: Simulation<&Any>, bytes: &[u8], options: &Options) -> bool {
    let Ok(mut progress) = Progress::load(&mut fresh, bytes) else { return false };
    let goes =
        progress.run(&mut fresh, options, &mut Silent, |simulation, progress| progress.save(simulation).map(drop));
    if goes.is_ok() {
        fresh.advance(200).expect("alone");
        fresh.deadlock().expect("alone");
    }
    goes.is_ok()
}

/// Every state that a simulation comes to is taken.
#[test]
fn states_on_the_way_are_taken() {
    let processes =
        [Process::Bernoulli, Process::Poisson, Process::Bursts { length: 4.0 }, Process::Exchange { bytes: 2000 }];
    for (case, &(topology, routing, keys)) in CASES.iter().enumerate() {
        let bench = bench(topology, routing);
        let process = processes[case % processes.len()];
        let mut one = simulation(&bench, keys, process);
        for cycle in 0..60 {
            let state = Progress::default().save(&one).expect("alone");
            let mut other = bench.simulation("uniform", keys, process, 0.8, 1 + cycle % 3);
            Progress::load(&mut other, &state).unwrap_or_else(|e| panic!("{topology} {routing} {keys} {cycle}: {e}"));
            one.advance(1 + cycle as u32 % 7).expect("alone");
        }
        assert!(one.totals().injected > 0, "{topology} {routing} {keys}");
    }
}

/// So many changed states: how many were taken, and refused.
pub(super) fn tried<'a>(
    states: &[State],
    fresh: impl Fn() -> Simulation<&'a Any>,
    options: &Options,
    each: u64,
    rng: &mut Rng,
    what: &str,
) -> (u64, u64) {
    let (mut taken, mut refused) = (0, 0);
    for turn in 0..each {
        let pick = |rng: &mut Rng| &states[rng.below(states.len() as u64) as usize];
        let (mut state, other) = (pick(rng).clone(), pick(rng));
        (0..=rng.below(2)).for_each(|_| state.change(other, rng));
        let bytes = state.bytes();
        let fresh = fresh();
        match catch_unwind(AssertUnwindSafe(|| goes_on(fresh, &bytes, options))) {
            Ok(true) => taken += 1,
            Ok(false) => refused += 1,
            Err(_) => panic!("{what}: state {turn} ends in a panic"),
        }
    }
    (taken, refused)
}

/// 1,800 changed states here, in a build that counts overflows; 10 times as many with HOPLINE_SLOW.
#[test]
fn made_up_states_are_refused_or_simulated() {
    let each = if std::env::var_os("HOPLINE_SLOW").is_some() { 1_000 } else { 100 };
    let (mut taken, mut refused) = (0, 0);
    for (case, &(topology, routing, keys)) in CASES.iter().enumerate() {
        let bench = bench(topology, routing);
        let options = &runs()[case % 2];
        let states = kept(simulation(&bench, keys, Process::Bernoulli), options);
        let mut rng = Rng::new(case as u64, "made up");
        let fresh = || simulation(&bench, keys, Process::Bernoulli);
        let found = tried(&states, fresh, options, each, &mut rng, &format!("{topology} {routing} {keys}"));
        (taken, refused) = (taken + found.0, refused + found.1);
    }
    println!("{taken} taken and simulated, {refused} refused");
    assert!(taken > 0 && refused > taken, "{taken} taken, {refused} refused");
}
