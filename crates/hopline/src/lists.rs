//! Every list of the library by name: `hopline list`, help, completions, the reference pages and the tests feed on it.

use crate::cost;
use crate::entry::{Entry, Listed};
use crate::flits;
use crate::format;
use crate::mapping;
use crate::power;
use crate::replay;
use crate::routing;
use crate::schedule;
use crate::topology;
use crate::traffic;

/// A list of entries.
#[derive(Debug, Clone)]
pub struct List {
    /// Its name: one of what it lists.
    pub name: &'static str,
    /// The same as a title.
    pub title: &'static str,
    /// What it lists, in the order in which it is shown.
    pub entries: Vec<Entry>,
}

fn list<T: Listed>(name: &'static str, title: &'static str, items: &[T]) -> List {
    List { name, title, entries: items.iter().map(|item| *item.entry()).collect() }
}

fn words(name: &'static str, title: &'static str, entries: &[Entry]) -> List {
    List { name, title, entries: entries.to_vec() }
}

/// All lists, in the order in which they are shown.
pub fn lists() -> Vec<List> {
    vec![
        list("topology", "Topologies", topology::LIST),
        list("host", "Insides of hosts", topology::HOSTS),
        list("routing", "Routings", routing::LIST),
        list("traffic", "Traffic", traffic::LIST),
        list("mapping", "Mappings", mapping::LIST),
        list("objective", "Objectives", mapping::OBJECTIVES),
        words("flits", "Flits", &[flits::OPTIONS, flits::ROUTER]),
        words("inject", "Injection", &flits::PROCESSES),
        list("schedule", "Schedules", schedule::LIST),
        list("collective", "Collectives", schedule::collective::LIST),
        words("replay", "Replay", &[replay::MODEL]),
        words("power", "Power", &[power::MODEL]),
        words("cost", "Costs", &[cost::ENTRY]),
        list("policy", "Power policies", power::policy::LIST),
        list("export", "Launcher files", format::EXPORTS),
        list("tuning", "Decision files", format::tuning::TUNINGS),
    ]
}
