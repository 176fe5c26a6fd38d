//! Predicts algorithms in orders: what all of them share.

use super::{CollectiveOptions, CollectiveTime, Trained};
use crate::entry::Listed as _;
use crate::error::{Error, Result};
use crate::event::{Control, Event, Observer, Shared};
use crate::ordering::{self, Delays, Traversal};
use crate::plan::Plan;
use crate::replay::{self, Model, PacketCount, Places, Record, ReplayInput};
use crate::rng::Rng;
use crate::run::trains::{simulated, trains};
use crate::schedule::Schedule;
use crate::schedule::collective::{Algorithm, Keys};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Replays of fewer packet-hops are over before a forecast would be of use.
const QUICK: f64 = 1e8;
/// Links of a path, at most as a rule.
const FAR: f64 = 10.0;

/// The time of an order, in picoseconds.
struct Ordered {
    order: String,
    time: u64,
    /// The order itself.
    ranks: Vec<u32>,
}

pub(super) struct Bench<'a> {
    pub(super) plan: &'a Plan,
    pub(super) places: Places,
    pub(super) root: u32,
    pub(super) evaluations: u64,
    pub(super) observer: &'a Shared<'a>,
    /// Predictions so far.
    pub(super) done: AtomicU64,
}

impl Bench<'_> {
    /// The times of all algorithms in all orders, with the orders themselves.
    pub(super) fn size(
        &self,
        bytes: u64,
        algorithms: &[Algorithm],
        options: &CollectiveOptions,
        model: &Model,
    ) -> Result<Vec<(CollectiveTime, Vec<u32>)>> {
        let mut tried = Vec::new();
        for algorithm in algorithms {
            let of = |bytes: u64| {
                let keys = Keys { bytes, ..options.keys };
                algorithm.schedule_within(&keys, self.plan.demand.tasks(), model.limit)
            };
            let schedule = of(bytes)?;
            let given: Vec<u32> = (0..schedule.ranks()).collect();
            let packets = replay::packets(self.input(&schedule, &self.places, model));
            let trains = match options.exact {
                true => None,
                false => {
                    let time = |model: &Model| self.time(&schedule, &given, model);
                    trains(model, bytes, packets, time, |bytes, model| self.time(&of(bytes)?, &given, model))?
                }
            };
            let trained = trains.map(|t| Trained { packet: t.model.packet, doubt: t.doubt });
            let model = trains.as_ref().map_or(model, |t| &t.model);
            let default = trains.map_or_else(|| self.time(&schedule, &given, model), |t| Ok(t.time))?;
            for Ordered { order, time, ranks } in self.orders(&schedule, &options.orders, model, (default, given))? {
                let algorithm = algorithm.entry().name.to_string();
                tried.push((CollectiveTime { algorithm, order, time_s: time as f64 * 1e-12, trained }, ranks));
                self.done.fetch_add(1, Relaxed);
                self.tell()?;
            }
        }
        Ok(tried)
    }

    /// How far it is.
    fn tell(&self) -> Result<()> {
        let mut observer = self.observer;
        match observer.event(Event::Progress(self.done.load(Relaxed))) {
            Control::Continue => Ok(()),
            Control::Stop => Err(Error::stopped("stopped before the first size was done")),
        }
    }

    fn input<'s>(&'s self, schedule: &'s Schedule, places: &'s Places, model: &'s Model) -> ReplayInput<'s> {
        ReplayInput { schedule, routing: &*self.plan.network.routing, places, model }
    }

    fn time(&self, schedule: &Schedule, order: &[u32], model: &Model) -> Result<u64> {
        let places = ordering::reorder(&self.places, order);
        self.tell()?;
        // A long replay is stopped on its way; how far it is says nothing of how many are done.
        let mut observer = |_: Event| if self.tell().is_err() { Control::Stop } else { Control::Continue };
        Ok(replay::replay(self.input(schedule, &places, model), &Record::default(), &mut observer)?.makespan())
    }

    /// Packet-hops of one replay, at most as a rule: nobody sends more than all blocks in every round.
    fn at_most(&self, algorithm: &Algorithm, keys: &Keys, model: &Model) -> f64 {
        let n = self.plan.demand.tasks();
        let blocks = f64::from(n).powi(2) * f64::from(n.max(2)).log2().ceil();
        FAR * (algorithm.messages(n, keys) as f64 + blocks * keys.bytes as f64 / f64::from(model.packet))
    }

    /// What all replays take together, roughly: that of the largest size by its schedule, smaller ones in proportion. Where
    /// that is little for sure, no schedule is built for it.
    pub(super) fn packet_hops(
        &self,
        algorithms: &[Algorithm],
        options: &CollectiveOptions,
        model: &Model,
    ) -> Result<f64> {
        let largest = options.sizes.iter().copied().max().unwrap_or(0);
        // The default order is replayed once, each other one once more, and the search as often as it tries.
        let orders = |name: &String| match name.as_str() {
            "default" => 0.0,
            "optimised" => self.evaluations as f64,
            _ => 1.0,
        };
        let orders = 1.0 + options.orders.iter().map(orders).sum::<f64>();
        let at_most = algorithms.iter().map(|a| self.at_most(a, &Keys { bytes: largest, ..options.keys }, model));
        let at_most = at_most.sum::<f64>() * options.sizes.len() as f64 * orders;
        if at_most < QUICK {
            return Ok(at_most);
        }
        let mut all = 0.0;
        for algorithm in algorithms {
            let keys = Keys { bytes: largest, ..options.keys };
            let schedule = algorithm.schedule_within(&keys, self.plan.demand.tasks(), model.limit)?;
            let input = self.input(&schedule, &self.places, model);
            let PacketCount { packets, messages } = replay::packets(input);
            let links = replay::links_of_a_packet(input);
            for &bytes in &options.sizes {
                let own = (packets as f64 * bytes as f64 / largest.max(1) as f64).max(messages as f64);
                let most = if options.exact { f64::INFINITY } else { simulated(messages) as f64 };
                all += links * own.min(most) * orders;
            }
        }
        Ok(all)
    }

    /// Those of `default` are known. `optimised` starts from the best of the others that are asked for and the default.
    fn orders(
        &self,
        schedule: &Schedule,
        names: &[String],
        model: &Model,
        default: (u64, Vec<u32>),
    ) -> Result<Vec<Ordered>> {
        let (routing, root) = (&*self.plan.network.routing, self.root);
        let tree = ordering::communication_tree(schedule, root);
        let mut start = default.clone();
        let mut times = Vec::new();
        for name in names.iter().filter(|n| *n != "optimised") {
            if name == "default" {
                times.push(Ordered { order: name.clone(), time: default.0, ranks: default.1.clone() });
                continue;
            }
            let delays = match name.ends_with("speed") {
                true => Delays::by_speed(&self.places, routing)?,
                false => Delays::by_hops(&self.places, routing)?,
            };
            let way = if name.starts_with("dft") { Traversal::Depth } else { Traversal::Breadth };
            let order = ordering::traverse_hosts(&tree, root, &delays, &self.places, way);
            let time = self.time(schedule, &order, model)?;
            times.push(Ordered { order: name.clone(), time, ranks: order.clone() });
            if time < start.0 {
                start = (time, order);
            }
        }
        if names.iter().any(|n| n == "optimised") {
            let mut rng = Rng::new(self.plan.seed, "ordering");
            let found =
                ordering::improve(start.1, root, self.evaluations, &mut rng, |o| self.time(schedule, o, model))?;
            times.push(Ordered { order: "optimised".to_string(), time: found.1, ranks: found.0 });
        }
        Ok(times)
    }
}
