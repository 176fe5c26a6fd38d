//! The library's lists by name: what `list`, `explain`, help and completions know.

use hopline::entry::{Entry, Listed};
use hopline::{flits, format, mapping, power, replay, routing, schedule, topology, traffic};
use hopline_report as report;
use hopline_study as study;

/// The names of the lists, in the order in which they are shown.
pub(crate) const LISTS: [&str; 17] = [
    "topology",
    "routing",
    "traffic",
    "mapping",
    "objective",
    "flits",
    "inject",
    "schedule",
    "collective",
    "replay",
    "power",
    "policy",
    "export",
    "fabric-export",
    "tuning",
    "study",
    "term",
];

/// All that one of them has.
pub(crate) fn entries(list: &str) -> Vec<Entry> {
    fn of<T: Listed>(list: &[T]) -> Vec<Entry> {
        list.iter().map(|item| *item.entry()).collect()
    }
    match list {
        "topology" => of(topology::LIST),
        "routing" => of(routing::LIST),
        "traffic" => of(traffic::LIST),
        "mapping" => of(mapping::LIST),
        "objective" => of(mapping::OBJECTIVES),
        "flits" => vec![flits::OPTIONS, flits::ROUTER],
        "inject" => flits::PROCESSES.to_vec(),
        "schedule" => of(schedule::LIST),
        "collective" => of(schedule::collective::LIST),
        "replay" => vec![replay::MODEL],
        "power" => vec![power::MODEL],
        "policy" => of(power::policy::LIST),
        "export" => of(format::EXPORTS),
        "tuning" => of(format::tuning::TUNINGS),
        "study" => of(study::LIST),
        "term" => report::TERMS.to_vec(),
        _ => of(format::FABRIC_EXPORTS),
    }
}
