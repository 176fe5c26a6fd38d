//! Latency against throughput, and the highest load that is sustained, on the
//! router of section 4.

use crate::demand::Demand;
use crate::error::Result;
use crate::flits::{Arbitration, Crossbar, Process, Router, Setting, Simulation, Switching};
use crate::forwarding::{Any, Wiring};
use crate::id::VertexId;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// Messages of 20 flits as worms, first come first served, one flit per cycle
/// everywhere. One flit of output buffer; two of input buffer, because a credit
/// needs a cycle to come back: with one a VC would carry a flit every other cycle.
const ROUTER: Router = Router {
    buffers: 2,
    output: 1,
    speedup: 1,
    crossbar: Crossbar::Ports,
    delay: 1,
    latency: 1,
    lanes: 1,
    packet: 20,
    source: None,
    flit_bytes: 64,
    switching: Switching::Wormhole,
    arbitration: Arbitration::Fcfs,
};

/// How often a run looks at the queues of the processors.
const LOOKS: u32 = 40;

/// As many waiting messages are not sustained, on average over the run.
const WAITING: u64 = 10;

/// The lowest and the highest load of a sweep.
const LOADS: (f64, f64) = (0.04, 0.99);

/// What is simulated.
pub(super) struct Bench<'a> {
    pub(super) hops: &'a (Arc<Wiring>, Any),
    pub(super) job: &'a Demand,
    pub(super) places: &'a [VertexId],
    /// Messages that a processor generates during the measurement, on average;
    /// a quarter as many come before.
    pub(super) messages: u32,
    /// Loads of a sweep, in geometric steps.
    pub(super) steps: u32,
    pub(super) seed: u64,
}

/// A run at one load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Run {
    /// Flits per cycle and processor that arrived.
    pub(super) throughput: f64,
    /// Mean cycles from generation to the arrival of the last flit.
    pub(super) latency: f64,
    /// Fewer than [`WAITING`] messages waited at every processor.
    pub(super) strict: bool,
    /// Fewer than [`WAITING`] messages waited at a processor, on average over all.
    pub(super) lenient: bool,
}

/// The runs of one communication, by step of the load.
pub(super) struct Sweep {
    /// Of the loads of two neighbouring steps.
    pub(super) ratio: f64,
    runs: BTreeMap<u32, Run>,
}

impl Bench<'_> {
    /// One run. It ends as soon as neither definition can hold.
    pub(super) fn run(&self, load: f64) -> Result<Run> {
        let (wiring, forwarding) = self.hops;
        let what = (ROUTER, Process::Poisson);
        let setting = Setting::new(wiring.clone(), forwarding, what, (self.job, self.places), (load, self.seed))?;
        let cycles = f64::from(self.messages) * f64::from(ROUTER.packet) / load;
        let stretch = (cycles / f64::from(LOOKS)) as u32;
        let warmup = stretch * LOOKS / 4;
        let mut simulation = Simulation::new(setting, 1);
        simulation.advance(warmup);
        let before = simulation.totals();
        let mut queues = vec![0; self.places.len()];
        let (mut strict, mut lenient) = (true, true);
        for _ in 0..LOOKS {
            simulation.advance(stretch);
            queues.iter_mut().zip(simulation.backlog()).for_each(|(sum, waiting)| *sum += waiting);
            let limit = WAITING * u64::from(LOOKS);
            strict = queues.iter().all(|&sum| sum < limit);
            lenient = queues.iter().sum::<u64>() < limit * queues.len() as u64;
            if !strict && !lenient {
                break;
            }
        }
        let after = simulation.totals();
        let latency = (after.latency - before.latency) as f64 / (after.packets - before.packets).max(1) as f64;
        let delivered = (after.delivered - before.delivered) as f64 / queues.len() as f64;
        Ok(Run { throughput: delivered / f64::from(simulation.now() - warmup), latency, strict, lenient })
    }

    /// Bisection for both definitions, and some runs below for the curve.
    pub(super) fn sweep(&self) -> Result<Sweep> {
        let ratio = (LOADS.1 / LOADS.0).powf(1.0 / f64::from(self.steps - 1));
        let mut sweep = Sweep { ratio, runs: BTreeMap::new() };
        for holds in [|run: &Run| run.strict, |run: &Run| run.lenient] {
            let (mut sustained, mut failing) = (0, self.steps);
            while sustained + 1 < failing {
                let middle = (sustained + failing) / 2;
                if holds(sweep.at(self, middle)?) {
                    sustained = middle;
                } else {
                    failing = middle;
                }
            }
        }
        let top = sweep.runs.iter().filter(|(_, run)| run.lenient).map(|(step, _)| *step).next_back().unwrap_or(0);
        for percent in [0, 50, 80] {
            sweep.at(self, top * percent / 100)?;
        }
        Ok(sweep)
    }
}

impl Sweep {
    /// The run of a step, done once.
    fn at(&mut self, bench: &Bench<'_>, step: u32) -> Result<&Run> {
        let load = LOADS.0 * self.ratio.powi(step as i32);
        Ok(match self.runs.entry(step) {
            Entry::Occupied(done) => done.into_mut(),
            Entry::Vacant(free) => free.insert(bench.run(load)?),
        })
    }

    /// The highest throughput that is sustained by a definition; 0 where none is.
    pub(super) fn highest(&self, holds: impl Fn(&Run) -> bool) -> f64 {
        self.runs.values().filter(|run| holds(run)).map(|run| run.throughput).fold(0.0, f64::max)
    }

    /// Throughput and latency of the runs that are sustained on average, ascending.
    pub(super) fn curve(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.runs.values().filter(|run| run.lenient).map(|run| (run.throughput, run.latency))
    }
}
