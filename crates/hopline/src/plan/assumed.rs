//! The allocation where `--hosts` is left out.

use super::allocation::Share;
use super::limits::{self, Barred};
use crate::fabric::{Fabric, Hosts};
use crate::format::hostlist;
use crate::id::{HostId, SlotId};
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

/// What people should know of hosts whose file gives them no slots.
pub(super) fn idle_note(fabric: &Fabric) -> Option<String> {
    let hosts = fabric.hosts();
    let is_idle = |&host: &HostId| hosts.slot_count(host) == 0 && !hosts.endpoints(host).is_empty();
    let idle: Vec<HostId> = (0..hosts.len()).map(HostId).filter(is_idle).collect();
    (!idle.is_empty()).then(|| format!("hosts with 0 slots run no tasks: {}", names(hosts, idle.iter().copied())))
}

/// What people should know of hosts that are left out because of their names.
pub(super) fn managers_note(fabric: &Fabric) -> Option<String> {
    let managers = fabric.managers();
    (!managers.is_empty()).then(|| {
        let list = names(fabric.hosts(), managers.iter().copied());
        format!("hosts that manage the fabric, by their names, run tasks only if --hosts names them: {list}")
    })
}
