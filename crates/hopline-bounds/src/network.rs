//! A network as bounds see it: vertices, some of which are ranks, and directed links with whole bytes per second.

use hopline::error::{Error, Result};
use hopline::fabric::Fabric;
use hopline::id::{SlotId, VertexId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A link in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The vertex that it leaves.
    pub from: u32,
    /// The vertex that it reaches.
    pub to: u32,
    /// Bytes per second; `None` is unlimited.
    pub bytes_s: Option<u64>,
}

/// Vertices and directed links; ranks store and copy, other vertices only pass on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    names: Vec<String>,
    ranks: Vec<u32>,
    links: Vec<Link>,
}

impl Network {
    /// Of named vertices, those of the ranks in their order, and links of so many bytes per second. Links of 0 are none.
    ///
    /// # Errors
    /// There are fewer than two ranks, one stands twice or is no vertex, or a link leads to none.
    pub fn new(
        names: Vec<String>,
        ranks: Vec<u32>,
        links: impl IntoIterator<Item = (u32, u32, u64)>,
    ) -> Result<Network> {
        let links = links.into_iter().map(|(from, to, bytes_s)| Link { from, to, bytes_s: Some(bytes_s) });
        Network::of_links(names, ranks, links)
    }

    /// The same of links that may be unlimited.
    ///
    /// # Errors
    /// As [`Network::new`].
    pub fn of_links(names: Vec<String>, ranks: Vec<u32>, links: impl IntoIterator<Item = Link>) -> Result<Network> {
        let links: Vec<Link> = links.into_iter().filter(|l| l.bytes_s != Some(0) && l.from != l.to).collect();
        let mut seen = vec![false; names.len()];
        for &rank in &ranks {
            match seen.get_mut(rank as usize) {
                Some(seen) if !*seen => *seen = true,
                Some(_) => return Err(Error::input(format!("rank `{}` stands twice", names[rank as usize]))),
                None => return Err(Error::input(format!("rank {rank} is none of {} vertices", names.len()))),
            }
        }
        if ranks.len() < 2 {
            return Err(Error::input(format!("{} ranks: a collective has two or more", ranks.len())));
        }
        if let Some(l) = links.iter().find(|l| l.from.max(l.to) as usize >= names.len()) {
            let text = format!("a link from {} to {} leads out of {} vertices", l.from, l.to, names.len());
            return Err(Error::input(text));
        }
        Ok(Network { names, ranks, links })
    }

    /// The ranks of a job on a fabric: rank r sits in slot `slots[r]`. What stays inside a host is free, unless its inside is
    /// known; a rank that has its host (or there its processor) for itself is the only endpoint, else ranks and endpoints meet
    /// in a vertex of the host's name.
    /// O(vertices + links + ranks).
    ///
    /// # Errors
    /// As [`Network::new`].
    pub fn of_fabric(fabric: &Fabric, slots: &[SlotId]) -> Result<Network> {
        let mut names: Vec<String> =
            (0..fabric.vertices()).map(|v| fabric.vertex_name(VertexId(v)).to_string()).collect();
        let bytes = |l| fabric.class_of(l).bandwidth.map(hopline::unit::Bandwidth::as_bytes_s);
        let link = |l| Link { from: fabric.source(l).0, to: fabric.target(l).0, bytes_s: bytes(l) };
        let mut links: Vec<Link> = fabric.link_ids().map(link).collect();
        let hosts = fabric.hosts();
        // Ranks meet for free in their host, or where its inside is known only at their processor.
        let meets = |slot: SlotId| if hosts.have_insides() { hosts.endpoint_of(slot).0 } else { hosts.host_of(slot).0 };
        let mut places: BTreeMap<u32, (SlotId, u32)> = BTreeMap::new();
        for &slot in slots {
            places.entry(meets(slot)).or_insert((slot, 0)).1 += 1;
        }
        let mut hubs = BTreeMap::new();
        let mut both = |a: u32, b: u32| {
            links.extend([(a, b), (b, a)].map(|(from, to)| Link { from, to, bytes_s: None }));
        };
        for (&place, &(slot, tasks)) in &places {
            let (host, own) = (hosts.host_of(slot), hosts.endpoint_of(slot));
            let ends = if hosts.have_insides() { std::slice::from_ref(&own) } else { hosts.endpoints(host) };
            if tasks > 1 || ends.len() > 1 {
                let hub = names.len() as u32;
                names.push(hosts.name(host).to_string());
                ends.iter().for_each(|e| both(hub, e.0));
                hubs.insert(place, hub);
            }
        }
        let mut ranks = Vec::with_capacity(slots.len());
        for (rank, &slot) in slots.iter().enumerate() {
            let place = meets(slot);
            ranks.push(match (hubs.get(&place), places.get(&place)) {
                (None, _) => hosts.endpoint_of(slot).0,
                (Some(&hub), Some((_, 1))) => hub,
                (Some(&hub), _) => {
                    names.push(format!("rank {rank} on {}", hosts.name(hosts.host_of(slot))));
                    both(hub, names.len() as u32 - 1);
                    names.len() as u32 - 1
                }
            });
        }
        Network::of_links(names, ranks, links)
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.ranks.len()
    }

    /// The vertices of the ranks, in their order.
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.names.len()
    }

    /// All links.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Name of a vertex.
    pub fn name(&self, vertex: u32) -> &str {
        &self.names[vertex as usize]
    }

    /// Name of a link.
    pub(crate) fn link_name(&self, link: usize) -> String {
        let Link { from, to, .. } = self.links[link];
        format!("{} -> {}", self.name(from), self.name(to))
    }

    /// The links that leave each vertex, and those that enter it. O(vertices + links).
    pub(crate) fn adjacent(&self) -> [Vec<Vec<usize>>; 2] {
        let mut ends = [vec![Vec::new(); self.vertices()], vec![Vec::new(); self.vertices()]];
        for (k, link) in self.links.iter().enumerate() {
            ends[0][link.from as usize].push(k);
            ends[1][link.to as usize].push(k);
        }
        ends
    }

    /// What is wrong where a rank has no way to another; both are vertices.
    pub(crate) fn apart(&self, from: u32, to: u32) -> Error {
        Error::input(format!("rank `{}` cannot be reached from `{}`", self.name(to), self.name(from)))
    }

    /// The network with all links turned around.
    #[must_use]
    pub fn reversed(&self) -> Network {
        let links = self.links.iter().map(|l| Link { from: l.to, to: l.from, ..*l }).collect();
        Network { links, ..self.clone() }
    }

    /// A place for every vertex, and how many: vertices that unlimited links join both ways have one. O(vertices + links).
    pub(crate) fn joined(&self) -> (Vec<u32>, u32) {
        let unlimited = self.links.iter().filter(|l| l.bytes_s.is_none());
        let ends: FxHashSet<(u32, u32)> = unlimited.map(|l| (l.from, l.to)).collect();
        let mut near = vec![Vec::new(); self.names.len()];
        ends.iter().filter(|(a, b)| ends.contains(&(*b, *a))).for_each(|&(a, b)| near[a as usize].push(b));
        let (mut place, mut places) = (vec![u32::MAX; self.names.len()], 0);
        for first in 0..self.names.len() {
            let mut stack = vec![first as u32];
            while let Some(v) = stack.pop() {
                if place[v as usize] == u32::MAX {
                    place[v as usize] = places;
                    stack.extend(&near[v as usize]);
                }
            }
            places += u32::from(place[first] == places);
        }
        (place, places)
    }

    /// A switch that can give out more than it takes in, or the other way around: there copying switches could do more than
    /// plain ones, and a cut promises less than it seems to.
    pub fn unbalanced(&self) -> Option<&str> {
        let mut sums = vec![(0u128, 0u128); self.names.len()];
        for link in &self.links {
            let bytes = u128::from(link.bytes_s.unwrap_or(u64::MAX));
            sums[link.from as usize].0 += bytes;
            sums[link.to as usize].1 += bytes;
        }
        self.ranks.iter().for_each(|&rank| sums[rank as usize] = (0, 0));
        sums.iter().position(|(out, into)| out != into).map(|v| self.names[v].as_str())
    }
}
