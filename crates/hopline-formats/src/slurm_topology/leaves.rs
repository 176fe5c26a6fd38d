//! The hosts that each leaf switch joins.

use hopline::fabric::Fabric;
use hopline::id::{HostId, VertexId};
use rustc_hash::FxHashMap;

/// Hosts that one switch joins.
pub(super) struct Leaf {
    /// The switch, or the first endpoint where endpoints are their own routers.
    pub(super) vertex: VertexId,
    pub(super) hosts: Vec<HostId>,
}

/// Hosts by the switch of their first adapter, in the order of the hosts.
pub(super) fn leaves(fabric: &Fabric, notes: &mut Vec<String>) -> Vec<Leaf> {
    #[derive(PartialEq, Eq, Hash)]
    enum Seat {
        At(VertexId),
        Part(Option<u32>),
    }
    let hosts = fabric.hosts();
    let switch = |v: VertexId| fabric.adapter_link(v).map(|l| fabric.target(l)).filter(|&t| !fabric.is_endpoint(t));
    let (mut leaves, mut index): (Vec<Leaf>, FxHashMap<Seat, usize>) = Default::default();
    let (mut strange, mut several) = (0, 0);
    for host in (0..hosts.len()).map(HostId).filter(|&h| hosts.slot_count(h) > 0) {
        let Some(&first) = hosts.endpoints(host).first() else { continue };
        if !is_node(hosts.name(host)) {
            strange += 1;
            continue;
        }
        let own = switch(first);
        several += usize::from(hosts.endpoints(host).iter().any(|&v| switch(v) != own));
        let part = fabric.levels().first().and_then(|level| level.part.get(first.index()).copied());
        let at = *index.entry(own.map_or(Seat::Part(part), Seat::At)).or_insert(leaves.len());
        match leaves.get_mut(at) {
            Some(leaf) => leaf.hosts.push(host),
            None => leaves.push(Leaf { vertex: own.unwrap_or(first), hosts: vec![host] }),
        }
    }
    if strange > 0 {
        notes.push(format!("hosts whose names Slurm does not take, left out: {strange}"));
    }
    if several > 0 {
        notes.push(format!("hosts with adapters on several switches, at that of the first: {several}"));
    }
    leaves
}

fn is_node(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_plain)
}

/// A character that Slurm takes in a name.
pub(super) fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}
