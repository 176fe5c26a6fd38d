//! Algorithms of a collective and orders of its ranks, compared by predicted time.

mod bench;

use super::{Setting, chosen, setting};
use crate::entry::Listed as _;
use crate::error::{Error, Result, suggest};
use crate::event::{Event, Observer, Shared, Work};
use crate::format::tuning::{self, Decisions, Rule};
use crate::mapping::Mapping;
use crate::plan::Plan;
use crate::replay::{Model, Network, Places};
use crate::schedule::collective::{Algorithm, Keys, LIST, Operation};
use bench::Bench;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::atomic::AtomicU64;

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
    pub setting: Setting,
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
        tuning::check_latency(form, &self.model)?;
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
