//! Measuring a simulation: warm-up, batches, means with confidence intervals,
//! and when enough is known. Batch means as in Law and Kelton, "Simulation
//! modeling and analysis", 9.5.3; see [`series`].

use super::bytes::damaged;
use super::options::{Options, Precision};
use super::{Process, Simulation, Totals};
use crate::error::{Error, Result};
use crate::event::{Control, Event, Observer};
use crate::forwarding::{Channel, Forwarding};
use crate::peers::first_says;
use crate::stats::{Estimate, Series, series};
use std::ops::Range;

/// Looks at queues in an interval.
const LOOKS: u32 = 8;

/// What happened in consecutive cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Batch {
    pub(super) cycles: u32,
    pub(super) delivered: u64,
    pub(super) packets: u64,
    pub(super) latency: u64,
}

/// A measurement under way; with the simulation all that is needed to go on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Progress {
    /// Cycles of a batch.
    pub(super) length: u32,
    pub(super) batches: Vec<Batch>,
    /// The totals at the beginning, and at the end of the last batch.
    pub(super) first: Totals,
    pub(super) before: Totals,
    /// The beginning, and the end of the batch under way.
    pub(super) start: u32,
    pub(super) goal: u32,
    /// Cycles of the intervals that somebody records.
    pub(super) interval: Option<u32>,
    /// With an unknown length: this is the pilot, which only finds out how long it
    /// takes. What counts comes after it and takes as long, or more: else runs
    /// would end when by luck they vary little, and miss what is rare.
    pub(super) pilot: bool,
    /// Mean latencies at the last looks, as long as they rose.
    pub(super) risen: Vec<f64>,
}

/// Batches of a run of known length. A run of unknown length has so many to twice
/// as many, which then become half as many of twice the length; it looks whether
/// it knows enough when they do, and its pilot also when it has the first so many.
const BATCHES: usize = 64;

/// Batches after which a run looks for deadlocks.
const WATCH: usize = 16;

/// Shortest batch of a run of unknown length.
const SHORTEST: u32 = 100;

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Measured {
    /// Cycles measured; of an exchange all until its last packet has arrived.
    pub cycles: u32,
    /// The first of them.
    pub from: u32,
    /// What was counted before that.
    pub first: Totals,
    /// Flits that arrived in them.
    pub flits: u64,
    /// Routers that those went through; 0 where paths may be too long to be counted.
    pub hops: u64,
    /// Flits per cycle and sender that reached their endpoints. An exchange is
    /// counted whole, and has no interval.
    pub accepted: Estimate,
    /// Cycles from a packet's generation to the arrival of its last flit.
    pub latency: Estimate,
    /// The latency still rises at the end: queues grow.
    pub rising: bool,
    /// Where cables failed: whether the network is saturated in the cycles after new routes were in use, or before the failure where
    /// these are too few to know.
    pub saturated: Option<bool>,
    /// Channels whose packets wait for each other and will for ever.
    pub deadlock: Option<Vec<Channel>>,
}

/// What a look at the batches says.
enum BatchState {
    Enough,
    More,
    /// Queues grow without end.
    Saturated,
}

/// What batches tell, the accepted rate and the latency.
struct ByBatch {
    accepted: Series,
    latency: Series,
}

impl Progress {
    /// Runs a simulation to its end: from the beginning, or from where a
    /// checkpoint was taken. `save` is called now and then. Of several processes the first one's observer counts.
    ///
    /// # Errors
    /// No run with these options comes to this measurement, the observer says stop, `save` fails, or another process is gone.
    pub fn run<F: Forwarding>(
        &mut self,
        simulation: &mut Simulation<F>,
        options: &Options,
        observer: &mut dyn Observer,
        mut save: impl FnMut(&Simulation<F>, &Progress) -> Result<()>,
    ) -> Result<Measured> {
        self.check(simulation.now(), options)?;
        let (exchange, Range { start: warmup, end }) = span(options);
        self.interval = options.interval;
        self.advance(simulation, warmup, observer, &mut save)?;
        if self.length == 0 {
            self.length = match options.until {
                None if !exchange => (options.cycles / BATCHES as u32).max(1),
                _ => SHORTEST,
            };
            self.pilot = options.until.is_some() && !exchange;
            self.begin(simulation);
        }
        let mut deadlock = None;
        while deadlock.is_none() {
            let start = self.batches.iter().fold(self.start, |sum, b| sum + b.cycles);
            // Else a batch is under way, since before a checkpoint.
            if simulation.now() == start {
                match self.next_goal(simulation, options, exchange, end) {
                    Some(goal) => self.goal = goal,
                    None => break,
                }
            }
            self.advance(simulation, self.goal, observer, &mut save)?;
            let from = self.batches.iter().fold(self.start, |sum, b| sum + b.cycles);
            self.close_batch(simulation.totals(), from);
            if self.batches.len().is_multiple_of(WATCH) || simulation.now() >= end {
                deadlock = simulation.deadlock()?;
            }
        }
        Ok(self.measured(simulation, options, exchange, deadlock))
    }

    /// Makes sure that a run with these options comes to this at that cycle: it is not beyond its end, and batches are as long as it
    /// makes them.
    ///
    /// # Errors
    /// It does not: what was [loaded](Progress::load) was saved by no such run.
    pub fn check(&self, now: u32, options: &Options) -> Result<()> {
        let (exchange, cycles) = span(options);
        let doubled = |length: u32| {
            let times = length / SHORTEST;
            length == SHORTEST * times && times.is_power_of_two() && (times == 1 || length <= now / BATCHES as u32)
        };
        let length = match options.until {
            None if !exchange => self.length == (options.cycles / BATCHES as u32).max(1),
            _ => doubled(self.length),
        };
        let measures =
            length && cycles.start <= self.start && self.goal <= cycles.end && self.batches.len() <= 2 * BATCHES;
        let warms_up = self.length == 0 && now <= cycles.start && self.batches.is_empty();
        if measures || warms_up { Ok(()) } else { Err(damaged()) }
    }

    /// From now on it counts.
    fn begin<F: Forwarding>(&mut self, simulation: &mut Simulation<F>) {
        simulation.start_measuring();
        self.first = simulation.totals();
        self.before = self.first;
        self.start = simulation.now();
        self.batches.clear();
    }

    /// The end of the next batch, or nothing where all is known.
    fn next_goal<F: Forwarding>(
        &mut self,
        simulation: &mut Simulation<F>,
        options: &Options,
        exchange: bool,
        end: u32,
    ) -> Option<u32> {
        let now = simulation.now();
        if now >= end || exchange && simulation.is_over() {
            return None;
        }
        let open = options.until.is_some() || exchange;
        let full = self.batches.len() == 2 * BATCHES;
        if let Some(precision) = options.until.filter(|_| !exchange && (full || self.is_first_look())) {
            match self.look(precision, simulation.setting()) {
                BatchState::Enough if self.pilot => {
                    self.pilot = false;
                    // Without time for as much again what there is counts.
                    if u64::from(end - now) >= 2 * BATCHES as u64 * u64::from(self.length) {
                        self.begin(simulation);
                    }
                }
                BatchState::Enough | BatchState::Saturated => return None,
                BatchState::More => {}
            }
        }
        if open && self.batches.len() == 2 * BATCHES {
            self.merge();
        }
        // The last batch of a run of known length takes what does not divide.
        let rest = end - now;
        let last = !open && rest < 2 * self.length;
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
        self.batches = self.batches.chunks(2).map(sum).collect();
        self.length *= 2;
    }

    /// The first look of a pilot.
    fn is_first_look(&self) -> bool {
        self.pilot && self.length == SHORTEST && self.batches.len() == BATCHES
    }

    /// Whether enough is known: throughput and latency, neither with a trend; in
    /// saturation throughput alone.
    fn look<F: Forwarding>(&mut self, precision: Precision, setting: &super::FlitModel<F>) -> BatchState {
        let ByBatch { accepted, latency } = self.by_batch(f64::from(setting.senders()), precision.confidence);
        let good = |s: &Series| s.trend == 0 && s.estimate.half <= precision.relative * s.estimate.mean;
        let below = accepted.estimate.mean + accepted.estimate.half < setting.offered();
        if self.keeps_rising(&latency) {
            return BatchState::Saturated;
        }
        if good(&accepted) && (good(&latency) || below) { BatchState::Enough } else { BatchState::More }
    }

    /// Whether the mean latency has risen at look after look, each after twice the time, as
    /// much as where a queue grows without end.
    fn keeps_rising(&mut self, latency: &Series) -> bool {
        if latency.trend <= 0 {
            self.risen.clear();
            return false;
        }
        self.risen.push(latency.estimate.mean);
        let steps: Vec<f64> = self.risen.windows(2).map(|w| w[1] - w[0]).collect();
        matches!(steps[..], [.., a, b, c] if a > 0.0 && b > LINEAR * a && c > LINEAR * b)
    }

    /// Whether the network is saturated in these cycles, by the whole batches in them: less arrives than is offered, beyond its confidence
    /// interval and 1 %, or the latency still rises. Nothing where there are too few batches to know.
    fn is_saturated_in(&self, cycles: Range<u32>, senders: f64, offered: f64, confidence: f64) -> Option<bool> {
        let mut start = self.start;
        let is_inside = |batch: &Batch| {
            let own = start..start + batch.cycles;
            start = own.end;
            cycles.start <= own.start && own.end <= cycles.end
        };
        let batches = self.batches.clone().into_iter().filter(is_inside).collect();
        let ByBatch { accepted, latency } = Progress { batches, ..self.clone() }.by_batch(senders, confidence);
        let Estimate { mean, half } = accepted.estimate;
        half.is_finite().then_some(mean + half < 0.99 * offered || latency.trend > 0)
    }

    /// Throughput and latency by batch.
    fn by_batch(&self, senders: f64, confidence: f64) -> ByBatch {
        let rates: Vec<f64> = self.batches.iter().map(|b| rate(b.delivered, b.cycles, senders)).collect();
        let late = self.batches.iter().filter(|b| b.packets > 0);
        let means: Vec<f64> = late.map(|b| b.latency as f64 / b.packets as f64).collect();
        let (mut accepted, mut latency) = (series(&rates, confidence), series(&means, confidence));
        // The interval is that of batches, the mean that of flits and packets.
        let all = sum(&self.batches);
        accepted.estimate.mean = rate(all.delivered, all.cycles, senders);
        latency.estimate.mean = all.latency as f64 / all.packets as f64;
        ByBatch { accepted, latency }
    }

    fn measured<F: Forwarding>(
        &self,
        simulation: &Simulation<F>,
        options: &Options,
        exchange: bool,
        deadlock: Option<Vec<Channel>>,
    ) -> Measured {
        let senders = f64::from(simulation.setting().senders());
        let totals = simulation.totals();
        let ByBatch { mut accepted, mut latency } = self.by_batch(senders, Precision::from(options).confidence);
        let mut cycles = simulation.now() - self.start;
        let flits = totals.delivered - self.first.delivered;
        if exchange {
            // Nothing is a sample; and the last batch ends after the last packet.
            cycles = if deadlock.is_none() { totals.last } else { cycles };
            accepted.estimate = Estimate { mean: rate(flits, cycles, senders), half: f64::INFINITY };
            latency.estimate.half = f64::INFINITY;
        }
        Measured {
            cycles,
            from: self.start,
            first: self.first,
            flits,
            hops: totals.delivered_hops - self.first.delivered_hops,
            accepted: accepted.estimate,
            latency: latency.estimate,
            rising: !exchange && latency.trend > 0,
            saturated: simulation.steady_cycles(self.start).filter(|_| !exchange).map(|spans| {
                let (offered, confidence) = (simulation.setting().offered(), Precision::from(options).confidence);
                let known = |cycles| self.is_saturated_in(cycles, senders, offered, confidence);
                spans.into_iter().find_map(known).unwrap_or(false)
            }),
            deadlock,
        }
    }

    fn advance<F: Forwarding>(
        &self,
        simulation: &mut Simulation<F>,
        to: u32,
        observer: &mut dyn Observer,
        save: &mut impl FnMut(&Simulation<F>, &Progress) -> Result<()>,
    ) -> Result<()> {
        while simulation.now() < to {
            let pause = self.interval.map_or(REPORT, |interval| pause(interval, simulation.now()).min(REPORT));
            simulation.advance(pause.min(to - simulation.now()))?;
            let stop = observer.event(Event::Progress(u64::from(simulation.now()))) == Control::Stop;
            // What stops is kept, too.
            save(simulation, self)?;
            if first_says(&*simulation.shares.peers, stop)? {
                return Err(Error::stopped("stopped before the first load was done"));
            }
        }
        Ok(())
    }
}

/// Cycles between two words to the observer.
const REPORT: u32 = 1000;

/// How much more than before latency rises over twice the time, at least, if it
/// rises linearly, which would be 2; by the square root of time, as at the very
/// limit of a queue, it would be 1.4.
const LINEAR: f64 = 1.7;

/// Whether all packets are there from the beginning, and the cycles that are measured at most.
fn span(options: &Options) -> (bool, Range<u32>) {
    match options.process {
        Process::Exchange { .. } => (true, 0..u32::MAX / 2),
        _ => (false, options.warmup..options.warmup + options.cycles),
    }
}

/// Flits per cycle and sender.
fn rate(flits: u64, cycles: u32, senders: f64) -> f64 {
    flits as f64 / f64::from(cycles) / senders
}

fn sum(batches: &[Batch]) -> Batch {
    batches.iter().fold(Batch::default(), |sum, b| Batch {
        cycles: sum.cycles + b.cycles,
        delivered: sum.delivered + b.delivered,
        packets: sum.packets + b.packets,
        latency: sum.latency + b.latency,
    })
}

/// Cycles until somebody who records intervals looks next.
fn pause(interval: u32, now: u32) -> u32 {
    (interval - now % interval).min(interval.div_ceil(LOOKS))
}
