//! Algorithms of a collective and orders of its ranks, compared by predicted time.

use super::trains::{simulated, trains};
use super::{Setting as About, chosen, setting};
use crate::entry::Listed as _;
use crate::error::{Error, Result, suggest};
use crate::event::{Control, Event, Observer, Shared, Work};
use crate::format::tuning::{Decisions, Rule};
use crate::mapping::Mapping;
use crate::ordering::{self, Delays, Traversal};
use crate::plan::Plan;
use crate::replay::{self, Model, Network, Places, Record, Setting};
use crate::rng::Rng;
use crate::schedule::Schedule;
use crate::schedule::collective::{Algorithm, Keys, LIST, Operation};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectiveOptions {
    /// Sizes in bytes, as the operation counts them.
    pub sizes: Vec<u64>,
    /// Orders of the ranks, out of [`ORDERS`].
    pub orders: Vec<String>,
    /// Algorithms by name; all of the operation where empty.
    pub algorithms: Vec<String>,
    /// Root, radix, segment and ranks of a host; the size is replaced.
    pub keys: Keys,
    /// Exchanges that `optimised` tries.
    pub evaluations: u64,
    /// Packets are those of the model at every size; else large sizes are simulated with larger ones, and say so.
    pub exact: bool,
}

/// The orders that there are.
pub const ORDERS: [&str; 6] = ["default", "dft", "bft", "dft-speed", "bft-speed", "optimised"];

const NO_LATENCY: &str = "messages have no latency and cost their ranks no time (L and o are 0): small sizes are faster than they can \
     be, and algorithms with many messages look too good; give yours in ns, --model L=770,o=400";

/// Algorithms and orders compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct CollectiveOutcome {
    /// What it was about.
    #[serde(flatten)]
    pub setting: About,
    /// The mapping that `default` keeps.
    pub mapping: String,
    /// The operation.
    pub operation: String,
    /// Keys of the model that were given; the others have their defaults.
    pub model: String,
    /// One per size.
    pub sizes: Vec<CollectiveSize>,
    /// The ranks in the fastest order of the largest size, for launchers.
    #[serde(skip)]
    pub ordered: Mapping,
}

/// One size.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct CollectiveSize {
    /// Bytes, as the operation counts them.
    pub bytes: u64,
    /// All algorithms and orders.
    pub tried: Vec<CollectiveTime>,
    /// The fastest of all, the first of equals.
    pub best: CollectiveTime,
    /// The fastest in the default order.
    pub best_default: CollectiveTime,
}

/// One algorithm in one order.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct CollectiveTime {
    /// The algorithm.
    pub algorithm: String,
    /// The order of the ranks.
    pub order: String,
    /// Predicted time in seconds.
    pub time_s: f64,
    /// Where larger packets than those of the model were simulated.
    pub trained: Option<Trained>,
}

/// Packets simulated as one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Trained {
    /// Bytes of data in each.
    pub packet: u32,
    /// By what part the time differs from that with packets four times as large, or from the line through those of two
    /// small sizes, whichever is more.
    pub doubt: f64,
}

impl Trained {
    /// Up to this doubt a time is about right.
    pub const ABOUT: f64 = 0.03;
}

/// The operation that a word means: its name or that of one of its algorithms,
/// and the algorithms to compare.
///
/// # Errors
/// No operation and no algorithm has that name.
pub fn algorithms(word: &str, only: &[String]) -> Result<(Operation, Vec<Algorithm>)> {
    let named = |name: &str| LIST.iter().find(|a| a.entry().name == name).copied();
    if let Some(one) = named(word) {
        return Ok((one.operation, vec![one]));
    }
    // MPI's own name.
    let word = if word == "bcast" { "broadcast" } else { word };
    let Some(operation) = Operation::ALL.into_iter().find(|o| o.name() == word) else {
        let known = Operation::ALL.iter().map(|o| o.name()).chain(LIST.iter().map(|a| a.entry().name));
        return Err(Error::input(format!("no collective is called `{word}`")).hint(suggest(word, known)));
    };
    let of: Vec<Algorithm> = LIST.iter().filter(|a| a.operation == operation).copied().collect();
    if only.is_empty() {
        return Ok((operation, of));
    }
    let pick = |name: &String| {
        of.iter().find(|a| a.entry().name == name).copied().ok_or_else(|| {
            Error::input(format!("{word} has no algorithm `{name}`"))
                .hint(suggest(name, of.iter().map(|a| a.entry().name)))
        })
    };
    Ok((operation, only.iter().map(pick).collect::<Result<_>>()?))
}

/// Predicts every algorithm at every size in every order. Deterministic for one seed.
///
/// # Errors
/// An unknown algorithm or order, a mapping that does not fit, or hosts without a way between them; the observer says stop
/// before the first size is done (later the sizes that are done are the outcome, and a note says so).
pub fn collective(
    plan: &Plan,
    word: &str,
    options: &CollectiveOptions,
    (model, model_spec): (&Model, &str),
    observer: &mut dyn Observer,
) -> Result<CollectiveOutcome> {
    let (operation, algorithms) = algorithms(word, &options.algorithms)?;
    if let Some(order) = options.orders.iter().find(|o| !ORDERS.contains(&o.as_str())) {
        return Err(Error::input(format!("no order is called `{order}`")).hint(suggest(order, ORDERS.into_iter())));
    }
    let candidate = &plan.candidates[0];
    let chosen = chosen(plan, observer)?;
    let places = Places::new(&chosen, plan.network.fabric.hosts())?;
    let steps = (options.sizes.len() * algorithms.len() * options.orders.len()) as u64;
    observer.event(Event::Stage { what: "predictions".into(), steps });
    let shared = Shared::new(observer);
    let bench = Bench {
        plan,
        places,
        root: options.keys.root,
        evaluations: options.evaluations,
        observer: &shared,
        done: AtomicU64::new(0),
    };
    if model.network == Network::Packets {
        let amount = bench.packet_hops(&algorithms, options, model)?;
        (&shared).event(Event::Work { amount, of: Work::PacketHops });
    }
    let (mut sizes, mut largest, mut left) = (Vec::new(), (0, Vec::new()), None);
    for &bytes in &options.sizes {
        let (tried, mut orders): (Vec<_>, Vec<_>) = match bench.size(bytes, &algorithms, options, model) {
            Err(e) if e.is_stopped() && !sizes.is_empty() => {
                let missing = options.sizes.len() - sizes.len();
                left = Some(format!(
                    "stopped: {missing} of {} sizes were not looked at to their end",
                    options.sizes.len()
                ));
                break;
            }
            done => done?.into_iter().unzip(),
        };
        let (size, first) = CollectiveSize::new(bytes, tried)?;
        sizes.push(size);
        if bytes >= largest.0 {
            largest = (bytes, orders.swap_remove(first));
        }
    }
    let slots = largest.1.iter().map(|&place| chosen.slot(place)).collect();
    let ordered = Mapping::new(slots, &plan.network.fabric)?;
    let mut setting = setting(plan);
    setting.notes.extend(left);
    setting.traffic = operation.name().to_string();
    if model.latency == 0 && model.overhead == 0 {
        setting.notes.push(NO_LATENCY.to_string());
    }
    let doubts = sizes.iter().flat_map(|s: &CollectiveSize| &s.tried).filter_map(|t| t.trained).map(|t| t.doubt);
    if let Some(most) = doubts.reduce(f64::max) {
        let doubted = if most > Trained::ABOUT { "; with ? they differ by more" } else { "" };
        setting.notes.push(format!(
            "times with ~ are simulated with larger packets, and within {:.0} % of what packets four times as large and a line \
             through small sizes say{doubted}; packet= in --model has packets of that size",
            100.0 * Trained::ABOUT
        ));
    }
    let (mapping, model) = (candidate.spec.clone(), model_spec.to_string());
    Ok(CollectiveOutcome { setting, mapping, operation: operation.name().to_string(), model, sizes, ordered })
}

impl CollectiveSize {
    /// What was tried, and the number of the fastest.
    fn new(bytes: u64, tried: Vec<CollectiveTime>) -> Result<(CollectiveSize, usize)> {
        let fastest = |only: Option<&str>| {
            let fits = (0..tried.len()).filter(|&i| only.is_none_or(|o| tried[i].order == o));
            fits.min_by(|&a, &b| tried[a].time_s.total_cmp(&tried[b].time_s))
        };
        let Some(first) = fastest(None) else { return Err(Error::input("nothing to compare")) };
        let (best, best_default) = (tried[first].clone(), tried[fastest(Some("default")).unwrap_or(first)].clone());
        Ok((CollectiveSize { bytes, tried, best, best_default }, first))
    }
}

/// Replays of fewer packet-hops are over before a forecast would be of use.
const QUICK: f64 = 1e8;
/// Links of a path, at most as a rule.
const FAR: f64 = 10.0;

struct Bench<'a> {
    plan: &'a Plan,
    places: Places,
    root: u32,
    evaluations: u64,
    observer: &'a Shared<'a>,
    /// Predictions so far.
    done: AtomicU64,
}

impl Bench<'_> {
    /// The times of all algorithms in all orders, with the orders themselves.
    fn size(
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
            let packets = replay::packets(self.setting(&schedule, &self.places, model));
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
            for (order, time, places) in self.orders(&schedule, &options.orders, model, (default, given))? {
                let algorithm = algorithm.entry().name.to_string();
                tried.push((CollectiveTime { algorithm, order, time_s: time as f64 * 1e-12, trained }, places));
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

    fn setting<'s>(&'s self, schedule: &'s Schedule, places: &'s Places, model: &'s Model) -> Setting<'s> {
        Setting { schedule, routing: &*self.plan.network.routing, places, model }
    }

    fn time(&self, schedule: &Schedule, order: &[u32], model: &Model) -> Result<u64> {
        let places = ordering::reorder(&self.places, order);
        self.tell()?;
        // A long replay is stopped on its way; how far it is says nothing of how many are done.
        let mut observer = |_: Event| if self.tell().is_err() { Control::Stop } else { Control::Continue };
        Ok(replay::replay(self.setting(schedule, &places, model), &Record::default(), &mut observer)?.makespan())
    }

    /// Packet-hops of one replay, at most as a rule: nobody sends more than all blocks in every round.
    fn at_most(&self, algorithm: &Algorithm, keys: &Keys, model: &Model) -> f64 {
        let n = self.plan.demand.tasks();
        let blocks = f64::from(n).powi(2) * f64::from(n.max(2)).log2().ceil();
        FAR * (algorithm.messages(n, keys) as f64 + blocks * keys.bytes as f64 / f64::from(model.packet))
    }

    /// What all replays take together, roughly: that of the largest size by its schedule, smaller ones in proportion. Where
    /// that is little for sure, no schedule is built for it.
    fn packet_hops(&self, algorithms: &[Algorithm], options: &CollectiveOptions, model: &Model) -> Result<f64> {
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
            let setting = self.setting(&schedule, &self.places, model);
            let ((packets, messages), links) = (replay::packets(setting), replay::links_of_a_packet(setting));
            for &bytes in &options.sizes {
                let own = (packets as f64 * bytes as f64 / largest.max(1) as f64).max(messages as f64);
                let most = if options.exact { f64::INFINITY } else { simulated(messages) as f64 };
                all += links * own.min(most) * orders;
            }
        }
        Ok(all)
    }

    /// The time of each order, and the order itself; those of `default` are known. `optimised` starts from the best of the
    /// others that are asked for and the default.
    fn orders(
        &self,
        schedule: &Schedule,
        names: &[String],
        model: &Model,
        default: (u64, Vec<u32>),
    ) -> Result<Vec<(String, u64, Vec<u32>)>> {
        let (routing, root) = (&*self.plan.network.routing, self.root);
        let tree = ordering::communication_tree(schedule, root);
        let mut start = default.clone();
        let mut times = Vec::new();
        for name in names.iter().filter(|n| *n != "optimised") {
            if name == "default" {
                times.push((name.clone(), default.0, default.1.clone()));
                continue;
            }
            let delays = match name.ends_with("speed") {
                true => Delays::by_speed(&self.places, routing)?,
                false => Delays::by_hops(&self.places, routing)?,
            };
            let way = if name.starts_with("dft") { Traversal::Depth } else { Traversal::Breadth };
            let order = ordering::traverse_hosts(&tree, root, &delays, &self.places, way);
            let time = self.time(schedule, &order, model)?;
            times.push((name.clone(), time, order.clone()));
            if time < start.0 {
                start = (time, order);
            }
        }
        if names.iter().any(|n| n == "optimised") {
            let mut rng = Rng::new(self.plan.seed, "ordering");
            let found =
                ordering::improve(start.1, root, self.evaluations, &mut rng, |o| self.time(schedule, o, model))?;
            times.push(("optimised".to_string(), found.1, found.0));
        }
        Ok(times)
    }
}

impl CollectiveOutcome {
    /// The largest size.
    pub fn largest(&self) -> Option<&CollectiveSize> {
        self.sizes.iter().max_by_key(|s| s.bytes)
    }

    /// The fastest algorithm of each size in the default order, out of those that the
    /// library of `form` has, for its decision file: each from its size on, the first
    /// from 0. `keys` are those of the comparison.
    ///
    /// # Errors
    /// No form has that name, or neither L nor o was given: the library would obey times
    /// of messages that cost nothing.
    pub fn decisions(&self, form: &str, keys: &Keys) -> Result<Decisions> {
        if !self.model.split(',').any(|key| key.starts_with("L=") || key.starts_with("o=")) {
            return Err(Error::input(format!("the file for {form} would rest on messages without latency")).hint(
                "give what a message takes on your machine in ns, such as L=770,o=400; L=0 says that 0 is meant",
            ));
        }
        let of_size = |size: &CollectiveSize| {
            let tried = size.tried.iter().filter(|t| t.order == size.best_default.order);
            let rule = |t: &CollectiveTime| Rule {
                from: size.bytes,
                algorithm: t.algorithm.clone(),
                segment: keys.segment,
                k: keys.k,
            };
            tried.map(|t| (rule(t), t.time_s)).collect()
        };
        let sizes = self.sizes.iter().map(of_size).collect();
        Decisions::fastest(form, &self.operation, (self.setting.tasks, self.setting.hosts), sizes)
    }
}
