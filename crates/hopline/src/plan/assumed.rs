//! The allocation where `--hosts` is left out.

use super::allocation::{self, Share};
use super::assumed_paths;
use super::limits::{self, Barred};
use crate::fabric::{Fabric, Hosts};
use crate::format::hostlist;
use crate::id::{HostId, SlotId};
use crate::routing::{self, Likeness};
use crate::topology::Topology;
use rustc_hash::FxHashSet;

/// The slots of a job of so many tasks on the first of `hosts` that fit, and on
/// the hosts of the slots that given mappings take; and what people should know
/// of it, where not the whole machine is meant.
pub(super) fn assume(
    fabric: &Fabric,
    mut hosts: Vec<Vec<SlotId>>,
    tasks: u32,
    given: &[SlotId],
    barred: &Barred,
) -> (Vec<SlotId>, Option<String>) {
    let all = hosts.len();
    let mut slots = 0;
    let fit = hosts.iter().position(|own| {
        slots += own.len() as u32;
        slots >= tasks
    });
    hosts.truncate(fit.map_or(all, |last| last + 1));
    let first = hosts.len();
    let named = fabric.hosts();
    let host = |slot: SlotId| named.host_of(slot);
    let mut seen: FxHashSet<HostId> = hosts.iter().filter_map(|own| own.first().map(|&s| host(s))).collect();
    let mut more: Vec<HostId> = given.iter().map(|&s| host(s)).filter(|&h| seen.insert(h)).collect();
    more.sort_unstable();
    let shares: Vec<Share> = more.iter().map(|&host| Share { host, slots: named.slot_count(host) }).collect();
    hosts.extend(limits::left(fabric, &shares, barred, &given.iter().copied().collect()));
    let note = (first < all || !more.is_empty()).then(|| {
        let which = match (first < all, more.is_empty()) {
            (_, true) => format!("the first {first} of {all}"),
            (true, false) => format!("the first {first} of {all} and {} that a given mapping names", more.len()),
            (false, false) => format!("all {all} and {} that a given mapping names", more.len()),
        };
        let ids = hosts.iter().filter_map(|own| own.first().map(|&s| host(s)));
        let places = hosts.concat().len();
        let slots = if places == 1 { "1 slot".to_string() } else { format!("{places} slots") };
        format!("hosts are assumed: {which}, {} ({slots}); --hosts names others", names(named, ids))
    });
    (hosts.concat(), note)
}

/// Hosts as a hostlist, a long one by its ends.
fn names(hosts: &Hosts, ids: impl Iterator<Item = HostId>) -> String {
    const LONG: usize = 120;
    let names: Vec<&str> = ids.map(|h| hosts.name(h)).collect();
    let list = hostlist::compress(&names);
    match &names[..] {
        [first, second, .., last] if list.len() > LONG => format!("{first}, {second}, ..., {last}"),
        _ => list,
    }
}

/// What people should know of hosts that are left out because of their names.
pub(super) fn managers_note(fabric: &Fabric) -> Option<String> {
    let managers = allocation::managers(fabric);
    (!managers.is_empty()).then(|| {
        let list = names(fabric.hosts(), managers.iter().copied());
        format!("hosts that manage the fabric, by their names, run tasks only if --hosts names them: {list}")
    })
}

/// What the tables that were read with a machine tell of the engine that made them.
fn engine(topology: &Topology) -> Option<Likeness> {
    let Topology::File(file) = topology else { return None };
    let (lids, tables) = file.tables()?;
    Some(routing::likeness(file.fabric(), &lids, &tables))
}

/// How a machine is assumed to route once parts are missing, where nobody says: where it has forwarding tables, as the
/// engine that made them, else as a subnet manager's usual engine; on other machines on shortest paths. O(as
/// [`likeness`](routing::likeness)).
pub fn after_faults(topology: &Topology) -> &'static str {
    engine(topology).map_or("shortest", |is| is.engine())
}

/// What is assumed of the routes after a fault, under a routing of that name.
pub(crate) fn after_faults_note(topology: &Topology, routing: &str) -> Option<String> {
    let spread = |paths| format!("routes are assumed after the fault: {paths} with ties spread evenly");
    let Some(is) = engine(topology).filter(|is| ["minhop", is.engine()].contains(&routing)) else {
        return assumed_paths(routing).map(spread);
    };
    let share = |n: u64| 100.0 * n as f64 / is.entries.max(1) as f64;
    let keeps =
        "as OpenSM repairs them: entries that still lie on a shortest way stay, the others take the least used port";
    Some(if routing == "up-down" {
        "the tables are those of up*/down* routing, which is run again after the fault; where it has a choice is not known, \
         so ties are spread evenly"
            .to_string()
    } else if share(is.same) > 99.95 {
        format!("the tables are those of the engine minhop, which is run again after the fault, {keeps}")
    } else if is.shortest == is.entries {
        format!(
            "which engine made the tables is not known: all entries lie on shortest ways, {:.1} % are what minhop would \
             choose; after the fault minhop is assumed, {keeps}",
            share(is.same)
        )
    } else {
        format!(
            "which engine made the tables is not known, minhop it was not: {:.1} % of the entries lie off the shortest \
             ways; after the fault minhop is assumed, and before it too where both are compared",
            share(is.entries - is.shortest)
        )
    })
}
