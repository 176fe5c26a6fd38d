//! Groups of hosts by what they are for: `@compute`, and `@partition:NAME:FILE` of Slurm.

use super::{Allocated, Named, Share, usable};
use crate::error::{Error, Result, suggest_near};
use crate::fabric::{Fabric, Role};
use crate::files::{Files, read_text};
use crate::format::{hostlist, slurm_partition};
use crate::id::HostId;
use rustc_hash::FxHashSet;

const GROUPS: &str = "@compute is all hosts but those for management, login and storage; @partition:NAME:FILE those of a \
                      partition, FILE being what sinfo or `scontrol show partition` prints";

/// The hosts of a group, and who was left out by which rule.
///
/// # Errors
/// There is no such group; the file cannot be read or knows no such partition, or none of its hosts is in the fabric.
pub(super) fn hosts(fabric: &Fabric, group: &str, files: &dyn Files) -> Result<Allocated> {
    match (group, group.strip_prefix("partition:")) {
        ("compute", _) => Ok(compute(fabric)),
        (_, Some(which)) => match which.split_once(':') {
            Some((name, path)) => partition(fabric, name, path, files),
            None => Err(Error::input(format!("`@{group}` names no file")).hint(GROUPS)),
        },
        _ => {
            let hint = suggest_near(group, ["compute", "partition"].into_iter(), GROUPS);
            Err(Error::input(format!("`@{group}` is no group of hosts")).hint(hint))
        }
    }
}

fn compute(fabric: &Fabric) -> Allocated {
    let serving = fabric.serving();
    let out: FxHashSet<HostId> = serving.iter().map(|&(host, ..)| host).collect();
    let left = usable(fabric).into_iter().filter(|host| !out.contains(host));
    let shares: Vec<Share> = left.map(|host| share(fabric, host)).collect();
    let mut rules: Vec<(Role, &str, Vec<&str>)> = Vec::new();
    for &(host, role, word) in &serving {
        let name = fabric.hosts().name(host);
        match rules.iter_mut().find(|rule| (rule.0, rule.1) == (role, word)) {
            Some(rule) => rule.2.push(name),
            None => rules.push((role, word, vec![name])),
        }
    }
    let count = shares.len();
    let told = rules.iter().map(|(role, word, names)| {
        let role = role.name();
        format!("{} ({role}: `{word}` in the name)", hostlist::compress(names))
    });
    let told = told.collect::<Vec<_>>().join(", ");
    let note = match told.is_empty() {
        true => format!("@compute is all {count} hosts: no name tells of management, login or storage"),
        false => format!("@compute is {count} hosts; left out by their names: {told}"),
    };
    Allocated { shares, note: Some(note) }
}

fn partition(fabric: &Fabric, name: &str, path: &str, files: &dyn Files) -> Result<Allocated> {
    let found = slurm_partition::partition(path, &read_text(files, path)?, name)?;
    let named = Named::new(fabric);
    let away: FxHashSet<&String> = found.away.iter().collect();
    let (mut shares, mut unknown, mut idle) = (Vec::new(), Vec::new(), Vec::new());
    for host in found.hosts.iter().filter(|host| !away.contains(host)) {
        match named.ids.get(host.as_str()) {
            None => unknown.push(host),
            Some(&id) if fabric.hosts().slot_count(id) == 0 => idle.push(host),
            Some(&id) => shares.push(share(fabric, id)),
        }
    }
    if shares.is_empty() {
        let text = format!("{} has none of the {} hosts of partition `{name}`", fabric.name(), found.hosts.len());
        let first = found.hosts.first().map_or("", String::as_str);
        return Err(Error::input(text).hint(suggest_near(first, named.names(), "are they called otherwise there?")));
    }
    let told =
        [("not in the fabric", &unknown), ("without slots", &idle), ("down or drained", &found.away.iter().collect())];
    let told: String = told
        .iter()
        .filter(|(_, hosts)| !hosts.is_empty())
        .fold(String::new(), |text, (why, hosts)| format!("{text}; {why}: {}", hostlist::compress(hosts)));
    let note = format!("@partition:{name} is {} hosts{told}", shares.len());
    Ok(Allocated { shares, note: Some(note) })
}

fn share(fabric: &Fabric, host: HostId) -> Share {
    Share { host, slots: fabric.hosts().slot_count(host) }
}
