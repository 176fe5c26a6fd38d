//! What happens over time: flits, queues and latencies in consecutive intervals.

use super::measure::Progress;
use super::{Simulation, Totals};
use crate::error::Result;
use crate::forwarding::{Forwarding, NOWHERE};

/// What happened in consecutive cycles; ports are those of the [`Wiring`](crate::forwarding::Wiring), in its order.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Interval {
    /// The first cycle, and how many there are.
    pub from: u32,
    /// How many cycles.
    pub cycles: u32,
    /// Flits and packets that arrived, and the sum of the latencies of those packets.
    pub flits: u64,
    /// Packets whose last flit arrived.
    pub packets: u64,
    /// Sum of their latencies, in cycles.
    pub latency: u64,
    /// Flits that left by each port.
    pub sent: Vec<u32>,
    /// Flits that waited for each port and, beyond its link, at the next router: the mean of some looks.
    pub waiting: Vec<f32>,
}

/// Records intervals of so many cycles.
#[derive(Debug)]
pub struct Recorder {
    interval: u32,
    /// When the counts of ports began, and what they were at the last look.
    start: u32,
    sent: Vec<u32>,
    before: Totals,
    open: Interval,
    looks: u32,
    done: Vec<Interval>,
}

impl Recorder {
    /// Of a simulation with so many ports, from its beginning.
    pub fn new(interval: u32, ports: usize) -> Recorder {
        Recorder {
            interval,
            start: 0,
            sent: vec![0; ports],
            before: Totals::default(),
            open: Interval { sent: vec![0; ports], waiting: vec![0.0; ports], ..Interval::default() },
            looks: 0,
            done: Vec::new(),
        }
    }

    /// Looks at a simulation of one process, at the end of each step that a recording asks for. O(ports).
    ///
    /// # Errors
    /// None where there is one process.
    pub fn look<F: Forwarding>(&mut self, simulation: &Simulation<F>, progress: &Progress) -> Result<()> {
        let sent = simulation.sent()?;
        // A new measurement counts from nothing.
        if progress.start != self.start {
            self.start = progress.start;
            self.sent.fill(0);
        }
        for (sum, (now, before)) in self.open.sent.iter_mut().zip(sent.iter().zip(&self.sent)) {
            *sum += now - before;
        }
        self.sent = sent;
        let queues = simulation.waiting();
        self.open.waiting.iter_mut().zip(&queues).for_each(|(sum, &n)| *sum += n as f32);
        self.looks += 1;
        if simulation.now().is_multiple_of(self.interval) {
            self.close(simulation);
        }
        Ok(())
    }

    fn close<F: Forwarding>(&mut self, simulation: &Simulation<F>) {
        let ports = self.sent.len();
        let next =
            Interval { from: simulation.now(), sent: vec![0; ports], waiting: vec![0.0; ports], ..Interval::default() };
        let mut done = std::mem::replace(&mut self.open, next);
        let totals = simulation.totals();
        done.cycles = simulation.now() - done.from;
        done.flits = totals.delivered - self.before.delivered;
        done.packets = totals.packets - self.before.packets;
        done.latency = totals.latency - self.before.latency;
        done.waiting.iter_mut().for_each(|sum| *sum /= self.looks as f32);
        (self.before, self.looks) = (totals, 0);
        self.done.push(done);
    }

    /// The intervals, the last of which may be shorter.
    pub fn finish<F: Forwarding>(mut self, simulation: &Simulation<F>) -> Vec<Interval> {
        if self.looks > 0 {
            self.close(simulation);
        }
        self.done
    }
}

impl<F: Forwarding> Simulation<F> {
    /// Flits that wait for each port, in its output buffers and beyond its link at the next router, in the order of
    /// [`Wiring::ports`](crate::forwarding::Wiring::ports). O(ports).
    pub fn waiting(&self) -> Vec<u32> {
        let all: Vec<[u32; 2]> = self.parts.iter().flat_map(|p| p.waiting()).collect();
        let wired = self.setting.wiring.ports.iter();
        let beyond = |peer: u32| if peer == NOWHERE { 0 } else { all[peer as usize][0] };
        wired.zip(&all).map(|(port, [_, out])| out + beyond(port.peer)).collect()
    }
}
