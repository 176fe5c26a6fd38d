//! Measuring a simulation: warm-up, batches, means with confidence intervals.
//! Batch means as in Law and Kelton, "Simulation modeling and analysis", 9.5.3.

use super::options::{Options, Precision};
use super::{Process, Simulation, Totals};
use crate::error::{Error, Result};
use crate::event::{Control, Event, Observer};
use crate::forwarding::{Channel, Forwarding};
use crate::stats::{Estimate, estimate};

/// What happened in consecutive cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Batch {
    pub(super) cycles: u32,
    pub(super) delivered: u64,
    pub(super) packets: u64,
    pub(super) latency: u64,
}

/// A measurement under way; with the simulation all that is needed to go on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// Cycles of a batch.
    pub(super) length: u32,
    pub(super) batches: Vec<Batch>,
    /// The totals at the end of the last batch, or of the warm-up.
    pub(super) before: Totals,
    /// The end of the batch under way.
    pub(super) goal: u32,
}

/// Batches of a run of known length, and those after which a run of unknown
/// length looks at its precision.
const BATCHES: usize = 20;

/// Shortest batch of a run of unknown length.
const SHORTEST: u32 = 200;

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Cycles measured.
    pub cycles: u32,
    /// Flits that arrived in them.
    pub flits: u64,
    /// Flits per cycle and sender that reached their endpoints.
    pub accepted: Estimate,
    /// Cycles from a packet's generation to the arrival of its last flit.
    pub latency: Estimate,
    /// Channels whose packets wait for each other and will for ever.
    pub deadlock: Option<Vec<Channel>>,
}

impl Progress {
    /// Runs a simulation to its end: from the beginning, or from where a
    /// checkpoint was taken. `save` is called now and then.
    ///
    /// # Errors
    /// The observer says stop, or `save` fails.
    pub fn run<F: Forwarding>(
        &mut self,
        simulation: &mut Simulation<F>,
        options: &Options,
        observer: &mut dyn Observer,
        mut save: impl FnMut(&Simulation<F>, &Progress) -> Result<()>,
    ) -> Result<Measured> {
        let senders = f64::from(simulation.setting().senders());
        let exchange = matches!(options.process, Process::Exchange { .. });
        let warmup = if exchange { 0 } else { options.warmup };
        self.advance(simulation, warmup, observer, &mut save)?;
        if self.length == 0 {
            simulation.start_measuring();
            self.before = simulation.totals();
            self.length = match options.until {
                Some(_) => SHORTEST,
                None if exchange => SHORTEST,
                None => (options.cycles / BATCHES as u32).max(1),
            };
        }
        let end = if exchange { u32::MAX / 2 } else { warmup + options.cycles };
        let mut deadlock = None;
        while deadlock.is_none() {
            let start = self.batches.iter().fold(warmup, |sum, b| sum + b.cycles);
            // Else a batch is under way, since before a checkpoint.
            if simulation.now() == start {
                match self.next_goal(simulation, options, exchange, end, senders) {
                    Some(goal) => self.goal = goal,
                    None => break,
                }
            }
            self.advance(simulation, self.goal, observer, &mut save)?;
            self.close_batch(simulation.totals(), start);
            deadlock = simulation.deadlock();
        }
        let precision = Precision::from(options);
        let (accepted, latency) = self.estimates(senders, precision.confidence);
        Ok(Measured { cycles: simulation.now() - warmup, flits: self.sum().delivered, accepted, latency, deadlock })
    }

    /// The end of the next batch, or nothing where all is known.
    fn next_goal<F: Forwarding>(
        &mut self,
        simulation: &Simulation<F>,
        options: &Options,
        exchange: bool,
        end: u32,
        senders: f64,
    ) -> Option<u32> {
        let now = simulation.now();
        if now >= end || exchange && simulation.is_over() {
            return None;
        }
        if let Some(precision) = options.until
            && self.batches.len() >= BATCHES
            && self.is_precise(precision, simulation.setting().offered(), senders)
        {
            return None;
        }
        if (options.until.is_some() || exchange) && self.batches.len() == 2 * BATCHES {
            self.merge();
        }
        // The last batch of a run of known length takes what does not divide.
        let rest = end - now;
        let last = options.until.is_none() && !exchange && rest < 2 * self.length;
        Some(if last { end } else { now + self.length.min(rest) })
    }

    fn close_batch(&mut self, totals: Totals, start: u32) {
        self.batches.push(Batch {
            cycles: self.goal - start,
            delivered: totals.delivered - self.before.delivered,
            packets: totals.packets - self.before.packets,
            latency: totals.latency - self.before.latency,
        });
        self.before = totals;
    }

    /// Pairs of batches become one.
    fn merge(&mut self) {
        self.batches = self
            .batches
            .chunks(2)
            .map(|pair| Progress { batches: pair.to_vec(), ..Progress::default() }.sum())
            .collect();
        self.length *= 2;
    }

    fn sum(&self) -> Batch {
        self.batches.iter().fold(Batch::default(), |sum, b| Batch {
            cycles: sum.cycles + b.cycles,
            delivered: sum.delivered + b.delivered,
            packets: sum.packets + b.packets,
            latency: sum.latency + b.latency,
        })
    }

    /// Throughput and latency; in saturation, where latency grows without end,
    /// throughput alone.
    fn is_precise(&self, precision: Precision, offered: f64, senders: f64) -> bool {
        let (accepted, latency) = self.estimates(senders, precision.confidence);
        let good = |e: Estimate| e.half <= precision.relative * e.mean;
        good(accepted) && (good(latency) || accepted.mean + accepted.half < offered)
    }

    fn estimates(&self, senders: f64, confidence: f64) -> (Estimate, Estimate) {
        let rate = |flits: u64, cycles: u32| flits as f64 / f64::from(cycles) / senders;
        let rates: Vec<f64> = self.batches.iter().map(|b| rate(b.delivered, b.cycles)).collect();
        let late = self.batches.iter().filter(|b| b.packets > 0);
        let means: Vec<f64> = late.map(|b| b.latency as f64 / b.packets as f64).collect();
        let all = self.sum();
        let accepted = Estimate { mean: rate(all.delivered, all.cycles), ..estimate(&rates, confidence) };
        // The interval is that of batches, the mean that of packets.
        let latency = Estimate { mean: all.latency as f64 / all.packets as f64, ..estimate(&means, confidence) };
        (accepted, latency)
    }

    fn advance<F: Forwarding>(
        &self,
        simulation: &mut Simulation<F>,
        to: u32,
        observer: &mut dyn Observer,
        save: &mut impl FnMut(&Simulation<F>, &Progress) -> Result<()>,
    ) -> Result<()> {
        while simulation.now() < to {
            simulation.advance(REPORT.min(to - simulation.now()));
            if observer.event(Event::Progress(u64::from(simulation.now()))) == Control::Stop {
                return Err(Error::failed("stopped before the end"));
            }
            save(simulation, self)?;
        }
        Ok(())
    }
}

/// Cycles between two words to the observer.
const REPORT: u32 = 1000;
