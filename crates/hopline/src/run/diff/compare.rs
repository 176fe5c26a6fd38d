//! Which cables, hosts and switches are in one and not in the other.

use super::cabling::{Cable, Cabling, End, Node};
use super::{Change, ChangeKind};
use crate::fabric::Fabric;
use crate::id::{HostId, LinkId};
use crate::unit::Bandwidth;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What is different, with what costs are looked up by.
#[derive(Default)]
pub(super) struct Found {
    pub(super) changes: Vec<Change>,
    /// The cables that each change takes away from the first machine, by their directed links.
    pub(super) gone: Vec<Vec<LinkId>>,
    /// The new bandwidths of links whose speed changed, by the number of the change.
    pub(super) speeds: FxHashMap<usize, Option<Bandwidth>>,
    /// The link of the second machine that is the same cable in the same direction; empty for a plan.
    pub(super) same: Vec<Option<LinkId>>,
    pub(super) alike: u64,
    pub(super) notes: Vec<String>,
}

impl Found {
    fn push(
        &mut self,
        kind: ChangeKind,
        name: String,
        before: Option<String>,
        after: Option<String>,
        gone: Vec<LinkId>,
    ) {
        self.changes.push(Change { kind, name, before, after, left: None, mend: None });
        self.gone.push(gone);
    }
}

/// Two looks at a machine.
pub(super) fn fabrics(old: &Fabric, new: &Fabric) -> Found {
    let (mut before, mut now) = (Cabling::of_fabric(old), Cabling::as_known(new, old));
    if !(old.states_ports() && new.states_ports()) {
        (before, now) = (before.without_ports(), now.without_ports());
    }
    let mut found = cablings(&before, &now);
    slots(old, new, &mut found);
    let pairs: Vec<(LinkId, LinkId)> = matched(&before, &now)
        .iter()
        .filter_map(|&(i, j)| Some((before.cables[i].link?, now.cables[j].link?)))
        .collect();
    found.same = vec![None; old.links()];
    for (a, b) in pairs {
        found.same[a.index()] = Some(b);
        found.same[old.reverse(a).index()] = Some(new.reverse(b));
    }
    for gone in &mut found.gone {
        let back: Vec<LinkId> = gone.iter().map(|&l| old.reverse(l)).collect();
        gone.extend(back);
    }
    found
}

/// Pairs of cables that are the same: with the same ports at the same nodes.
fn matched(before: &Cabling, now: &Cabling) -> Vec<(usize, usize)> {
    let mut free: FxHashMap<&[End; 2], Vec<usize>> = FxHashMap::default();
    for (j, cable) in now.cables.iter().enumerate().rev() {
        free.entry(&cable.ends).or_default().push(j);
    }
    let pairs = before.cables.iter().enumerate();
    pairs.filter_map(|(i, cable)| Some((i, free.get_mut(&cable.ends)?.pop()?))).collect()
}

pub(super) fn cablings(before: &Cabling, now: &Cabling) -> Found {
    let mut found = Found::default();
    let pairs = matched(before, now);
    found.alike = pairs.len() as u64;
    let (mine, theirs): (FxHashSet<usize>, FxHashSet<usize>) = pairs.iter().copied().unzip();
    let exchanged = exchanged(before, now, (&mine, &theirs));
    nodes(before, now, &exchanged, &mut found);
    for (there, here) in &now.renamed {
        found.push(ChangeKind::Renamed, there.clone(), Some(there.clone()), Some(here.clone()), Vec::new());
    }
    for &(i, j) in &pairs {
        speeds(&before.cables[i], &now.cables[j], &mut found);
    }
    for &(i, j) in &exchanged {
        let (was, is) = (before.cables[i].show(), now.cables[j].show());
        found.push(
            ChangeKind::CableMoved,
            was.clone(),
            Some(was),
            Some(is),
            before.cables[i].link.into_iter().collect(),
        );
    }
    // What hangs on a node that is gone or new goes with it.
    let stays = |cable: &Cable, other: &Cabling| cable.nodes().iter().all(|node| other.nodes.contains_key(*node));
    let left = |cabling: &Cabling, taken: &FxHashSet<usize>, other: &Cabling| -> Vec<usize> {
        (0..cabling.cables.len()).filter(|i| !taken.contains(i) && stays(&cabling.cables[*i], other)).collect()
    };
    let (gone, new) = (left(before, &mine, now), left(now, &theirs, before));
    moved(before, now, &gone, &new, &mut found);
    found
}

/// What became of the bandwidth and the latency of a cable that is the same.
fn speeds(old: &Cable, new: &Cable, found: &mut Found) {
    let (Some(was), Some(is)) = (old.speed, new.speed) else { return };
    if was.bandwidth != is.bandwidth {
        let show = |bandwidth: Option<Bandwidth>| bandwidth.map_or("unlimited".to_string(), |b| b.to_string());
        let (before, after) = match (was.bandwidth, is.bandwidth) {
            // What three digits do not tell apart.
            (Some(was), Some(is)) if show(Some(was)) == show(Some(is)) => {
                (format!("{} GB/s", was.as_gb_s()), format!("{} GB/s", is.as_gb_s()))
            }
            (was, is) => (show(was), show(is)),
        };
        let is_slower = is.bandwidth.is_some_and(|is| was.bandwidth.is_none_or(|was| is < was));
        let kind = if is_slower { ChangeKind::Slower } else { ChangeKind::Faster };
        found.speeds.insert(found.changes.len(), is.bandwidth);
        let link = old.link.into_iter().collect();
        found.push(kind, old.show(), Some(before), Some(after), link);
    }
    if was.latency != is.latency {
        let kind = if is.latency > was.latency { ChangeKind::LatencyHigher } else { ChangeKind::LatencyLower };
        found.push(kind, old.show(), Some(was.latency.to_string()), Some(is.latency.to_string()), Vec::new());
    }
}

/// Hosts of both that have other slots.
fn slots(old: &Fabric, new: &Fabric, found: &mut Found) {
    let (old, new) = (old.hosts(), new.hosts());
    for host in (0..old.len()).map(HostId) {
        let Some(there) = new.find(old.name(host)) else { continue };
        let (was, is) = (old.slot_count(host), new.slot_count(there));
        if was != is {
            let name = old.name(host).to_string();
            found.push(ChangeKind::SlotsChanged, name, Some(was.to_string()), Some(is.to_string()), Vec::new());
        }
    }
}

/// Cables that kept one end, then those without a partner.
fn moved(before: &Cabling, now: &Cabling, gone: &[usize], new: &[usize], found: &mut Found) {
    let mut by_end: FxHashMap<&End, Vec<usize>> = FxHashMap::default();
    for &j in new {
        now.cables[j].ends.iter().for_each(|end| by_end.entry(end).or_default().push(j));
    }
    let mut taken: FxHashSet<usize> = FxHashSet::default();
    for &i in gone {
        let old = &before.cables[i];
        let link = old.link.into_iter().collect();
        // A host's cable is known by its adapter.
        let mut ends: Vec<&End> = old.ends.iter().collect();
        ends.sort_by_key(|end| !matches!(before.nodes.get(&end.node), Some(Node::Adapter(_))));
        let partner = ends.iter().find_map(|end| by_end.get(end)?.iter().copied().find(|j| !taken.contains(j)));
        match partner {
            Some(j) => {
                taken.insert(j);
                let is = now.cables[j].show();
                found.push(ChangeKind::CableMoved, old.show(), Some(old.show()), Some(is), link);
            }
            None => found.push(ChangeKind::CableGone, old.show(), Some(old.show()), None, link),
        }
    }
    for &j in new.iter().filter(|j| !taken.contains(j)) {
        let name = now.cables[j].show();
        found.push(ChangeKind::CableNew, name.clone(), None, Some(name), Vec::new());
    }
}

/// Cables at the same port of the same switch whose other ends are adapters that only one of both has, though both know their hosts:
/// the cable is in the wrong adapter, and one without a cable is not seen.
fn exchanged(
    before: &Cabling,
    now: &Cabling,
    (mine, theirs): (&FxHashSet<usize>, &FxHashSet<usize>),
) -> Vec<(usize, usize)> {
    let hosts = |cabling: &Cabling| -> FxHashSet<String> {
        cabling
            .nodes
            .values()
            .filter_map(|node| if let Node::Adapter(host) = node { host.clone() } else { None })
            .collect()
    };
    let (known, seen) = (hosts(before), hosts(now));
    // The switch's end of a cable whose other end the other side has not.
    let port = |cable: &Cable, own: &Cabling, other: &Cabling, hosts: &FxHashSet<String>| -> Option<End> {
        let [a, b] = &cable.ends;
        let lost = |end: &End| match own.nodes.get(&end.node) {
            Some(Node::Adapter(Some(host))) => hosts.contains(host) && !other.nodes.contains_key(&end.node),
            _ => false,
        };
        let stays = |end: &End| end.port.is_some() && other.nodes.get(&end.node) == Some(&Node::Switch);
        [(a, b), (b, a)].into_iter().find(|(x, y)| lost(x) && stays(y)).map(|(_, y)| y.clone())
    };
    let free = |taken: &FxHashSet<usize>, i: &usize| !taken.contains(i);
    let there: FxHashMap<End, usize> = (0..now.cables.len())
        .filter(|j| free(theirs, j))
        .filter_map(|j| Some((port(&now.cables[j], now, before, &known)?, j)))
        .collect();
    let planned = (0..before.cables.len()).filter(|i| free(mine, i));
    planned.filter_map(|i| Some((i, *there.get(&port(&before.cables[i], before, now, &seen)?)?))).collect()
}

/// Hosts, adapters and switches that only one of both has, but for adapters whose cables are in others.
fn nodes(before: &Cabling, now: &Cabling, exchanged: &[(usize, usize)], found: &mut Found) {
    let ends = exchanged.iter().flat_map(|&(i, j)| before.cables[i].nodes().into_iter().chain(now.cables[j].nodes()));
    let known: FxHashSet<&str> = ends.collect();
    let other = |all: Vec<Only>| all.into_iter().filter(|one| !known.contains(&one.name[..])).collect::<Vec<_>>();
    let gone = other(only(before, now));
    let new = other(only(now, before));
    for Only { kinds: [kind, _], name, nodes } in gone {
        let links =
            before.cables.iter().filter(|c| c.nodes().iter().any(|n| nodes.contains(*n))).filter_map(|c| c.link);
        found.push(kind, name.clone(), Some(name), None, links.collect());
    }
    for Only { kinds: [_, kind], name, .. } in new {
        found.push(kind, name.clone(), None, Some(name), Vec::new());
    }
    let renamed: FxHashSet<&String> = now.renamed.iter().map(|(there, _)| there).collect();
    let mut all: Vec<(&String, &Node)> = before.nodes.iter().filter(|(name, _)| !renamed.contains(name)).collect();
    all.sort_by_key(|(name, _)| *name);
    for (name, was) in all {
        if let (Node::Adapter(Some(was)), Some(Node::Adapter(Some(is)))) = (was, now.nodes.get(name))
            && was != is
        {
            found.push(ChangeKind::AdapterMoved, name.clone(), Some(was.clone()), Some(is.clone()), Vec::new());
        }
    }
}

/// What one has and the other does not; whole hosts as one.
struct Only {
    /// What it is called where it is gone, and where it is new.
    kinds: [ChangeKind; 2],
    name: String,
    nodes: BTreeSet<String>,
}

const HOST: [ChangeKind; 2] = [ChangeKind::HostGone, ChangeKind::HostNew];
const ADAPTER: [ChangeKind; 2] = [ChangeKind::AdapterGone, ChangeKind::AdapterNew];
const SWITCH: [ChangeKind; 2] = [ChangeKind::SwitchGone, ChangeKind::SwitchNew];

fn only(own: &Cabling, other: &Cabling) -> Vec<Only> {
    let missing: BTreeSet<&String> = own.nodes.keys().filter(|node| !other.nodes.contains_key(*node)).collect();
    let mut adapters: FxHashMap<&str, Vec<&String>> = FxHashMap::default();
    for (name, node) in &own.nodes {
        if let Node::Adapter(Some(host)) = node {
            adapters.entry(host).or_default().push(name);
        }
    }
    let mut all = Vec::new();
    let mut hosts: BTreeSet<&str> = BTreeSet::new();
    for name in missing.iter().copied() {
        match &own.nodes[name] {
            Node::Switch => all.push(Only { kinds: SWITCH, name: name.clone(), nodes: BTreeSet::from([name.clone()]) }),
            Node::Adapter(Some(host)) if adapters[host.as_str()].iter().all(|n| missing.contains(*n)) => {
                if hosts.insert(host) {
                    let nodes = adapters[host.as_str()].iter().map(|n| n.to_string()).collect();
                    all.push(Only { kinds: HOST, name: host.clone(), nodes });
                }
            }
            Node::Adapter(_) => {
                all.push(Only { kinds: ADAPTER, name: name.clone(), nodes: BTreeSet::from([name.clone()]) })
            }
        }
    }
    all
}
