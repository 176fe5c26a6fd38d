//! Loads, queues and latencies over time, by class and by link.

use super::Bench;
use crate::error::{Error, Result};
use crate::flits::{Interval, Process, Recorder};
use crate::forwarding::NOWHERE;
use crate::id::LinkId;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happened in an interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct FlitsInterval {
    /// Its first cycle.
    pub from_cycle: u32,
    /// How many cycles it has.
    pub cycles: u32,
    /// Flits per cycle and sender that arrived.
    pub accepted: f64,
    /// Mean latency of the packets that arrived, in cycles; null where none did.
    pub latency_cycles: Option<f64>,
    /// Links between routers by class.
    pub classes: Vec<ClassInterval>,
}

/// Links of a class in an interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct ClassInterval {
    /// The class.
    pub name: String,
    /// Flits per cycle and link.
    pub mean_load: f64,
    /// Flits per cycle of the busiest link.
    pub max_load: f64,
    /// Flits that waited for a link and beyond it at the next router, mean over links.
    pub mean_queue: f64,
    /// The same of the link with most.
    pub max_queue: f64,
    /// Cycles that a flit waited there: queue over load (Little's law); null where no flit went.
    pub wait_cycles: Option<f64>,
    /// Nanojoules of a flit across one of its links, see [`FlitsClass`](super::FlitsClass); null where no flit went.
    #[serde(default)]
    pub flit_hop_nj: Option<f64>,
}

/// A link in an interval.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LinkInterval {
    /// The first cycle of the interval.
    pub from_cycle: u32,
    /// How many cycles it has.
    pub cycles: u32,
    /// The link.
    pub link: LinkId,
    /// Flits per cycle.
    pub load: f64,
    /// Flits that waited for it and beyond it at the next router.
    pub queue: f64,
}

/// Most figures that are recorded: intervals times ports, 8 bytes each and as much again when they are told.
const MOST_CELLS: u64 = 1 << 25;

impl Bench<'_> {
    /// What records intervals, where they are asked for.
    pub(super) fn recorder(&self) -> Result<Option<Recorder>> {
        let Some(interval) = self.options.interval else { return Ok(None) };
        if matches!(self.options.process, Process::Exchange { .. }) {
            return Err(Error::input("the length of an exchange is not known, so no intervals of it can be recorded")
                .hint("leave the intervals out"));
        }
        let cycles = u64::from(self.options.warmup) + u64::from(self.options.cycles);
        let cells = cycles.div_ceil(u64::from(interval)) * self.wiring.ports.len() as u64;
        if cells > MOST_CELLS {
            let ports = self.wiring.ports.len();
            let least = (cycles * ports as u64).div_ceil(MOST_CELLS);
            return Err(Error::input(format!("`interval` is {interval}: too many intervals of {ports} ports"))
                .hint(format!("give an interval of {least} cycles or more, or measure fewer cycles")));
        }
        Ok(Some(Recorder::new(interval, self.wiring.ports.len())))
    }

    /// An interval by class.
    pub(super) fn interval(&self, i: &Interval, senders: u32) -> FlitsInterval {
        let cycles = f64::from(i.cycles.max(1));
        FlitsInterval {
            from_cycle: i.from,
            cycles: i.cycles,
            accepted: i.flits as f64 / cycles / f64::from(senders.max(1)),
            latency_cycles: (i.packets > 0).then(|| i.latency as f64 / i.packets as f64),
            classes: self.class_intervals(i),
        }
    }

    fn class_intervals(&self, i: &Interval) -> Vec<ClassInterval> {
        let fabric = &self.plan.network.fabric;
        let of_class = |c: u32| {
            let own = self.links_of(i).filter(|(l, _)| fabric.class_id(l.link).0 == c);
            let (mut links, mut there, mut sum, mut most) = (0u32, 0.0, [0.0; 2], [0.0f64; 2]);
            for (link, share) in own {
                links += 1;
                there += share;
                sum = [sum[0] + link.load, sum[1] + link.queue];
                most = [most[0].max(link.load), most[1].max(link.queue)];
            }
            let mean = sum.map(|s| if there > 0.0 { s / there } else { 0.0 });
            (links > 0).then(|| ClassInterval {
                name: fabric.classes()[c as usize].name.clone(),
                mean_load: mean[0],
                max_load: most[0],
                mean_queue: mean[1],
                max_queue: most[1],
                wait_cycles: (sum[0] > 0.0).then(|| sum[1] / sum[0]),
                flit_hop_nj: None,
            })
        };
        (0..fabric.classes().len() as u32).filter_map(of_class).collect()
    }

    /// The links between routers in an interval, and in which share of it each is there.
    fn links_of<'a>(&'a self, i: &'a Interval) -> impl Iterator<Item = (LinkInterval, f64)> + 'a {
        let length = f64::from(i.cycles.max(1));
        let cycles = i.from..i.from + i.cycles;
        let ports = (0u32..).zip(self.wiring.ports.iter().zip(i.sent.iter().zip(&i.waiting)));
        ports.filter(|(_, (port, _))| port.peer != NOWHERE).map(move |(number, (port, (&sent, &queue)))| {
            let (load, queue) = (f64::from(sent) / length, f64::from(queue));
            let link = LinkInterval { from_cycle: i.from, cycles: i.cycles, link: LinkId(port.link), load, queue };
            (link, f64::from(self.there(number, &cycles)) / length)
        })
    }

    /// All intervals by link.
    pub(super) fn links(&self, all: &[Interval]) -> Vec<LinkInterval> {
        all.iter().flat_map(|i| self.links_of(i)).map(|(link, _)| link).collect()
    }
}
