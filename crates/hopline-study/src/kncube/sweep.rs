//! Latency against throughput, and the highest load that is sustained, on the
//! router of section 4.

use hopline::demand::Demand;
use hopline::error::Result;
use hopline::flits::{Arbitration, FlitModel, Injection, Process, Router, Simulation, Switching};
use hopline::forwarding::{Any, Wiring};
use hopline::id::VertexId;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// Messages of 20 flits as worms, first come first served, one flit per cycle
/// everywhere, a cycle from a buffer to the next router's. One flit of output
/// buffer; two of input buffer, because a credit needs a cycle to come back: with
/// one a VC would carry a flit every other cycle.
pub(super) const ROUTER: Router = Router {
    buffers: 2,
    output: 1,
    speedup: 1,
    delay: 0,
    packet: 20,
    switching: Switching::Wormhole,
    arbitration: Arbitration::Fcfs,
    ..Router::DEFAULT
};

/// How often a half of a run looks at the queues of the processors.
const LOOKS: u32 = 20;

/// As many waiting messages are not sustained, on average over a half of the run.
const WAITING: u64 = 10;

/// The lowest and the highest load of a sweep.
const LOADS: (f64, f64) = (0.02, 0.99);

/// Points of a curve, as shares of the highest load that is sustained.
const CURVE: [f64; 5] = [0.3, 0.6, 0.8, 0.9, 1.0];

/// What is simulated.
pub(super) struct Bench<'a> {
    pub(super) hops: &'a (Arc<Wiring>, Any),
    pub(super) job: &'a Demand,
    pub(super) places: &'a [VertexId],
    pub(super) router: Router,
    pub(super) effort: Effort,
    pub(super) seed: u64,
}

/// How long runs are, and how fine the loads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Effort {
    /// Messages that a processor generates during the measurement, on average;
    /// a quarter as many come before.
    pub(super) messages: u32,
    /// Loads of a sweep, in geometric steps.
    pub(super) steps: u32,
}

/// A run at one load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Run {
    /// Flits per cycle and processor that arrived.
    pub(super) throughput: f64,
    /// Mean cycles from generation to the arrival of the last flit.
    pub(super) latency: f64,
    /// In each half of the run fewer than [`WAITING`] messages waited at every processor.
    pub(super) sustained: bool,
}

/// The runs of one communication, by step of the load.
pub(super) struct Sweep(BTreeMap<u32, Run>);

impl Effort {
    /// Of the loads of two neighbouring steps.
    pub(super) fn ratio(self) -> f64 {
        (LOADS.1 / LOADS.0).powf(1.0 / f64::from(self.steps - 1))
    }

    /// The load of a step, and the last step that is not above a load.
    fn load(self, step: u32) -> f64 {
        LOADS.0 * self.ratio().powi(step as i32)
    }

    fn step(self, load: f64) -> u32 {
        ((load / LOADS.0).ln() / self.ratio().ln() + 1e-9) as u32
    }
}

impl Bench<'_> {
    /// One run. It ends as soon as it is not sustained where `until_sure`.
    pub(super) fn run(&self, load: f64, until_sure: bool) -> Result<Run> {
        let (wiring, forwarding) = self.hops;
        let setting = FlitModel::new(
            wiring.clone(),
            forwarding,
            self.router,
            Injection { demand: self.job, place: self.places, process: Process::Poisson, load, seed: self.seed },
        )?;
        let cycles = f64::from(self.effort.messages) * f64::from(self.router.packet) / load;
        let stretch = (cycles / f64::from(2 * LOOKS)) as u32;
        let warmup = stretch * LOOKS / 2;
        let mut simulation = Simulation::of_any(setting, 1);
        simulation.advance(warmup)?;
        let before = simulation.totals();
        let mut sustained = true;
        'halves: for _ in 0..2 {
            let mut queues = vec![0; self.places.len()];
            for _ in 0..LOOKS {
                simulation.advance(stretch)?;
                queues.iter_mut().zip(simulation.backlog()).for_each(|(sum, waiting)| *sum += waiting);
                sustained &= queues.iter().all(|&sum| sum < WAITING * u64::from(LOOKS));
                if until_sure && !sustained {
                    break 'halves;
                }
            }
        }
        let after = simulation.totals();
        let latency = (after.latency - before.latency) as f64 / (after.packets - before.packets).max(1) as f64;
        let delivered = (after.delivered - before.delivered) as f64 / self.places.len() as f64;
        Ok(Run { throughput: delivered / f64::from(simulation.now() - warmup), latency, sustained })
    }

    /// The highest throughput that is sustained.
    pub(super) fn highest(&self) -> Result<f64> {
        Ok(self.bisected()?.0.highest())
    }

    /// Runs by bisection, and the step of the highest load that is sustained.
    fn bisected(&self) -> Result<(Sweep, u32)> {
        let mut sweep = Sweep(BTreeMap::new());
        let (mut sustained, mut failing) = (0, self.effort.steps);
        while sustained + 1 < failing {
            let middle = (sustained + failing) / 2;
            if sweep.at(self, middle)?.sustained {
                sustained = middle;
            } else {
                failing = middle;
            }
        }
        sweep.at(self, sustained)?;
        Ok((sweep, sustained))
    }

    /// The highest load that is sustained, and a curve up to it.
    pub(super) fn sweep(&self) -> Result<Sweep> {
        let (mut sweep, sustained) = self.bisected()?;
        for share in CURVE {
            sweep.at(self, self.effort.step(share * self.effort.load(sustained)))?;
        }
        Ok(sweep)
    }
}

impl Sweep {
    /// The run of a step, done once.
    fn at(&mut self, bench: &Bench<'_>, step: u32) -> Result<&Run> {
        Ok(match self.0.entry(step) {
            Entry::Occupied(done) => done.into_mut(),
            Entry::Vacant(free) => free.insert(bench.run(bench.effort.load(step), true)?),
        })
    }

    /// Whether the load below the highest that is sustained is so too in runs of another length.
    pub(super) fn lasts(&self, bench: &Bench<'_>) -> Result<bool> {
        let top = self.0.iter().filter(|(_, run)| run.sustained).map(|(step, _)| *step).next_back().unwrap_or(0);
        Ok(bench.run(bench.effort.load(top.saturating_sub(1)), true)?.sustained)
    }

    /// The highest throughput that is sustained; 0 where none is.
    pub(super) fn highest(&self) -> f64 {
        self.0.values().filter(|run| run.sustained).map(|run| run.throughput).fold(0.0, f64::max)
    }

    /// Throughput and latency of the runs that are sustained, ascending.
    pub(super) fn curve(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.0.values().filter(|run| run.sustained).map(|run| (run.throughput, run.latency))
    }
}
