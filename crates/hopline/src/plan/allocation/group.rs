//! Groups of hosts by what they are for: `@compute` with changes to its rules, and `@partition:NAME:FILE` of Slurm.

use super::{Allocated, Named, Share};
use crate::error::{Error, Result, suggest_near};
use crate::fabric::{Fabric, ROLES, Role, ServingHost};
use crate::files::{Files, read_text};
use crate::format::{hostlist, slurm_partition};
use crate::id::HostId;
use rustc_hash::FxHashSet;

const GROUPS: &str = "@compute is all hosts but those for management, login and storage, @compute:build,-head with other words \
                      in their names; @partition:NAME:FILE those of a \
                      partition, FILE being what sinfo, `scontrol show partition` or `scontrol show node` prints";

/// The hosts of a group, and who was left out by which rule.
///
/// # Errors
/// There is no such group; the file cannot be read or knows no such partition, or none of its hosts is in the fabric.
pub(super) fn hosts(fabric: &Fabric, group: &str, files: &dyn Files) -> Result<Allocated> {
    match (group, group.strip_prefix("partition:")) {
        ("compute", _) => compute(fabric, &[], &[]),
        (words, None) if words.starts_with("compute:") => {
            let (more, without) = words_of(&words["compute:".len()..])?;
            compute(fabric, &more, &without)
        }
        (_, Some(which)) => match which.split_once(':') {
            Some((name, path)) => partition(fabric, name, path, files),
            None => Err(Error::input(format!("`@{group}` names no file")).hint(GROUPS)),
        },
        ("partition", _) => Err(Error::input("`@partition` names no partition and no file").hint(GROUPS)),
        _ => {
            let hint = suggest_near(group, ["compute"].into_iter(), GROUPS);
            Err(Error::input(format!("`@{group}` is no group of hosts")).hint(hint))
        }
    }
}

/// Words that also tell who computes nothing, and those behind a `-`, which do not.
fn words_of(text: &str) -> Result<(Vec<&str>, Vec<&str>)> {
    let known = || ROLES.iter().flat_map(|(_, words)| words.iter().copied());
    let (mut more, mut without) = (Vec::new(), Vec::new());
    for word in text.split(',') {
        let plain = word.strip_prefix('-').unwrap_or(word);
        if plain.is_empty() || !plain.chars().all(|c| c.is_ascii_alphabetic()) {
            return Err(Error::input(format!(
                "`{word}` in `@compute:{text}`, expected the letters of a word in names, or `-` and a word of the rules"
            ))
            .hint(GROUPS));
        }
        if plain.len() == word.len() {
            more.push(plain);
        } else if known().any(|other| other.eq_ignore_ascii_case(plain)) {
            without.push(plain);
        } else {
            let all: Vec<&str> = known().collect();
            let hint = suggest_near(plain, known(), &format!("the rules have {}", all.join(", ")));
            return Err(Error::input(format!("no rule of @compute has the word `{plain}`")).hint(hint));
        }
    }
    Ok((more, without))
}

fn compute(fabric: &Fabric, more: &[&str], without: &[&str]) -> Result<Allocated> {
    // Hosts that serve have no inside, and no slots beside those that do.
    let serving = fabric.between_hosts().serving_by(more, without);
    let out: FxHashSet<HostId> = serving.iter().map(|one| one.host).collect();
    let all = (0..fabric.hosts().len()).map(HostId).filter(|&host| fabric.hosts().slot_count(host) > 0);
    let shares: Vec<Share> = all.filter(|host| !out.contains(host)).map(|host| share(fabric, host)).collect();
    if shares.is_empty() {
        return Err(Error::input(format!("no host is left of the {} of {}", serving.len(), fabric.name())).hint(GROUPS));
    }
    let mut rules: Vec<(Role, &str, Vec<&str>)> = Vec::new();
    for &ServingHost { host, role, word, .. } in &serving {
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
    Ok(Allocated { shares, note: Some(note) })
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
    let hosts = if shares.len() == 1 { "host" } else { "hosts" };
    let note = format!("@partition:{name} is {} {hosts}{told}", shares.len());
    Ok(Allocated { shares, note: Some(note) })
}

fn share(fabric: &Fabric, host: HostId) -> Share {
    Share { host, slots: fabric.hosts().slot_count(host) }
}
