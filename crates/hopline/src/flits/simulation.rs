//! A network under simulation: its parts, advanced side by side, here and in other processes.

use super::any_part::{self, AnyPart};
use super::bytes::{Bytes, Writer};
use super::failing::Stage;
use super::shared::Outgoing;
use super::shares::{Counted, Exchanged, Shares};
use super::team::{Boxes, Cycles};
use super::{FlitModel, Totals, partition, process, side_by_side};
use crate::error::Result;
use crate::forwarding::{Adapts, Any, Forwarding};
use crate::parallel;
use crate::peers::{Alone, Peers, gather};
use crate::stats::Histogram;
use std::sync::Arc;

/// A network with its flits, at some cycle. Of several processes each has some of its parts.
pub struct Simulation<F> {
    pub(super) setting: FlitModel<F>,
    /// Those of this process.
    pub(super) parts: Vec<Box<dyn AnyPart<F>>>,
    boxes: Boxes<Outgoing>,
    pub(super) shares: Shares,
    pub(super) now: u32,
    /// Of the failure in the setting, if there is one.
    pub(super) stage: Stage,
    /// Cycles that parts may run without hearing of each other.
    stride: u32,
    threads: usize,
    /// What was counted before the checkpoint from which it went on.
    pub(super) earlier: Totals,
    pub(super) earlier_latencies: Histogram,
}

impl<'a> Simulation<&'a Any> {
    /// [`Simulation::new`] for a routing of the list, compiled with the library: a caller that is not optimised simulates as fast.
    pub fn of_any(setting: FlitModel<&'a Any>, threads: usize) -> Simulation<&'a Any> {
        Simulation::new(setting, threads)
    }

    /// [`Simulation::among`] in the same way.
    pub fn of_any_among(setting: FlitModel<&'a Any>, threads: usize, peers: Arc<dyn Peers>) -> Simulation<&'a Any> {
        Simulation::among(setting, threads, peers)
    }
}

impl<F: Forwarding> Simulation<F> {
    /// An empty network at cycle 0, simulated by at most `threads` threads.
    pub fn new(setting: FlitModel<F>, threads: usize) -> Simulation<F> {
        Simulation::among(setting, threads, Arc::new(Alone))
    }

    /// The same by at most so many threads of all these processes together, which all give the same setting and number
    /// and call all functions that can fail together.
    pub fn among(setting: FlitModel<F>, threads: usize, peers: Arc<dyn Peers>) -> Simulation<F> {
        let processes = peers.size() as usize;
        let crossing = partition::shortest_crossing(&setting.wiring);
        let everywhere = |forwarding: &F| forwarding.adapts() == Adapts::AtSource { everywhere: true };
        let seen = everywhere(&setting.forwarding) || setting.failure.as_ref().is_some_and(|f| everywhere(&f.after));
        let (cuts, stride) = match seen {
            true => partition::cut(&crossing, 1),
            false => partition::parts(&setting.wiring, &crossing, threads, processes),
        };
        let shares = Shares::new(peers, &setting.wiring, &cuts, &crossing);
        let own = shares.own();
        let parts = parallel::map(own.len(), |part| any_part::new(&setting, &cuts, own.start + part));
        let (earlier, earlier_latencies) = (Totals::default(), Histogram::new());
        let threads = threads.div_ceil(processes);
        let stage = Stage::Whole;
        let boxes = Boxes::new(parts.len());
        Simulation { setting, parts, boxes, shares, now: 0, stage, stride, threads, earlier, earlier_latencies }
    }

    /// What is simulated.
    pub fn setting(&self) -> &FlitModel<F> {
        &self.setting
    }

    /// Cycles simulated so far.
    pub fn now(&self) -> u32 {
        self.now
    }

    /// What this process has told others.
    pub fn exchanged(&self) -> Exchanged {
        self.shares.exchanged
    }

    /// Simulates so many cycles.
    ///
    /// # Errors
    /// Another process is gone.
    pub fn advance(&mut self, cycles: u32) -> Result<()> {
        let end = self.now + cycles;
        while self.now < end {
            self.turn()?;
            let to = end.min(self.next_turn());
            let Simulation { setting, parts, boxes, shares, threads, .. } = self;
            let window = (!shares.is_alone()).then_some(shares.window);
            let cycles = Cycles { from: self.now, to, stride: self.stride, window };
            side_by_side::advance(setting, parts, boxes, shares, *threads, cycles)?;
            self.now = to;
        }
        self.count()
    }

    /// All processes learn what the others have counted.
    pub(super) fn count(&mut self) -> Result<()> {
        if self.shares.is_alone() {
            return Ok(());
        }
        let in_flight = self.parts.iter().map(|p| p.in_flight()).sum();
        self.shares.count(&Counted { totals: self.counted(), in_flight, goes_on: self.goes_on() })
    }

    /// What this process has counted.
    fn counted(&self) -> Totals {
        let mut totals = Totals::default();
        for t in self.parts.iter().map(|p| p.tally()) {
            totals.add(&Totals {
                injected: t.injected,
                delivered: t.delivered,
                packets: t.packets,
                latency: t.latency,
                hops: 0,
                delivered_hops: t.hops.checked_div(u64::from(self.setting.hop)).unwrap_or(0),
                last: t.last,
                lost: t.lost,
                dropped: t.dropped,
                dropped_flits: t.dropped_flits,
            });
        }
        totals.hops = self.parts.iter().map(|p| p.hops()).sum();
        totals
    }

    /// What was counted since the beginning. O(ports).
    pub fn totals(&self) -> Totals {
        let mut totals = self.earlier;
        totals.add(&self.counted());
        totals.add(&self.shares.others.totals);
        totals
    }

    /// Flits in buffers and on links.
    pub fn in_flight(&self) -> u64 {
        self.parts.iter().map(|p| p.in_flight()).sum::<u64>() + self.shares.others.in_flight
    }

    /// Packets that wait at each endpoint of a router of this process, with the one that is on
    /// its way into the network. O(packets that wait).
    pub fn backlog(&self) -> Vec<u64> {
        self.parts.iter().flat_map(|p| p.backlog(&self.setting, self.now)).collect()
    }

    /// True where no flit is in flight and none will come.
    pub fn is_over(&self) -> bool {
        self.in_flight() == 0 && !self.goes_on() && !self.shares.others.goes_on
    }

    /// Whether an endpoint of this process has packets to come.
    fn goes_on(&self) -> bool {
        self.parts.iter().flat_map(|p| p.births()).any(|&b| b != process::NEVER)
    }

    /// From now on links and latencies are counted anew.
    pub fn start_measuring(&mut self) {
        self.earlier_latencies = Histogram::new();
        self.parts.iter_mut().for_each(|p| p.start_measuring());
    }

    /// Latencies of packets since [`Simulation::start_measuring`].
    ///
    /// # Errors
    /// Another process is gone.
    pub fn latencies(&self) -> Result<Histogram> {
        let mut own = Histogram::new();
        self.parts.iter().for_each(|p| own.merge(&p.tally().latencies));
        let mut all = self.earlier_latencies.clone();
        for counts in self.everywhere(own.counts().iter().copied())? {
            all.merge(&Histogram::from_counts(counts));
        }
        Ok(all)
    }

    /// Flits that left by each port since then, in the order of [`Wiring::ports`](crate::forwarding::Wiring::ports).
    ///
    /// # Errors
    /// Another process is gone.
    pub fn sent(&self) -> Result<Vec<u32>> {
        let own = self.parts.iter().flat_map(|p| p.sent()).map(u64::from);
        Ok(self.everywhere(own)?.into_iter().flatten().map(|n| n as u32).collect())
    }

    /// Numbers of every process, in their order.
    fn everywhere(&self, own: impl Iterator<Item = u64>) -> Result<Vec<Vec<u64>>> {
        let mut writer = Writer::default();
        own.for_each(|n| writer.put(n));
        let all = gather(&*self.shares.peers, writer.into_bytes())?;
        all.iter().map(|words| Bytes::new(words).all()).collect()
    }
}
