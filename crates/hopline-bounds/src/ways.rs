//! Where messages between ranks go: by the routing of a fabric, or by shortest ways along links of one direction.

use crate::network::Network;
use hopline::error::{Error, Result};
use hopline::id::{LinkId, SlotId, VertexId};
use hopline::routing::{Route, Routing};
use rustc_hash::FxHashMap;

/// Links with bandwidths and latencies, and the ways over them from rank to rank.
pub(crate) enum Ways<'a> {
    /// Ranks at endpoints of a fabric, by its routing.
    Routed(&'a dyn Routing, Vec<VertexId>),
    /// Shortest ways by number of links, as ECMP has them.
    Shortest(Shortest<'a>),
}

impl<'a> Ways<'a> {
    pub(crate) fn routed(routing: &'a dyn Routing, slots: &[SlotId]) -> Ways<'a> {
        let hosts = routing.fabric().hosts();
        Ways::Routed(routing, slots.iter().map(|&slot| hosts.endpoint_of(slot)).collect())
    }

    /// The vertices of the ranks.
    pub(crate) fn ends(&self) -> Vec<u32> {
        match self {
            Ways::Routed(_, endpoints) => endpoints.iter().map(|end| end.0).collect(),
            Ways::Shortest(shortest) => shortest.network.ranks().to_vec(),
        }
    }

    /// Number of links.
    pub(crate) fn links(&self) -> usize {
        match self {
            Ways::Routed(routing, _) => routing.fabric().links(),
            Ways::Shortest(shortest) => shortest.network.links().len(),
        }
    }

    /// Where a link starts and ends.
    pub(crate) fn ends_of(&self, link: LinkId) -> (u32, u32) {
        match self {
            Ways::Routed(routing, _) => (routing.fabric().source(link).0, routing.fabric().target(link).0),
            Ways::Shortest(shortest) => {
                let link = shortest.network.links()[link.index()];
                (link.from, link.to)
            }
        }
    }

    /// Bytes per second of a link; `None` where it is unlimited.
    pub(crate) fn bytes_s(&self, link: LinkId) -> Option<u64> {
        match self {
            Ways::Routed(routing, _) => {
                routing.fabric().class_of(link).bandwidth.map(|bandwidth| bandwidth.as_bytes_s())
            }
            Ways::Shortest(shortest) => shortest.network.links()[link.index()].bytes_s,
        }
    }

    /// Seconds of latency of a link.
    pub(crate) fn latency_s(&self, link: LinkId) -> f64 {
        match self {
            Ways::Routed(routing, _) => routing.fabric().class_of(link).latency.0 as f64 * 1e-9,
            Ways::Shortest(_) => 0.0,
        }
    }

    /// Name of a link.
    pub(crate) fn name(&self, link: LinkId) -> String {
        match self {
            Ways::Routed(routing, _) => routing.fabric().link_name(link),
            Ways::Shortest(shortest) => {
                let (from, to) = self.ends_of(link);
                format!("{} -> {}", shortest.network.name(from), shortest.network.name(to))
            }
        }
    }

    /// Adds the links of a message between two ranks with their shares; none inside a host.
    pub(crate) fn route(&mut self, from: u32, to: u32, route: &mut Route) -> Result<()> {
        match self {
            Ways::Routed(routing, endpoints) => {
                let (from, to) = (endpoints[from as usize], endpoints[to as usize]);
                if routing.fabric().hosts().is_free(from, to) { Ok(()) } else { routing.route(from, to, route) }
            }
            Ways::Shortest(shortest) => shortest.route(from, to, route),
        }
    }
}

/// Shortest ways along the links' directions; where several next links are as near, each takes the same.
pub(crate) struct Shortest<'a> {
    network: &'a Network,
    leaving: Vec<Vec<u32>>,
    entering: Vec<Vec<u32>>,
    /// Links from every vertex to a rank's, by that vertex.
    far: FxHashMap<u32, Vec<u32>>,
}

const FAR: u32 = u32::MAX;

impl<'a> Shortest<'a> {
    pub(crate) fn new(network: &'a Network) -> Shortest<'a> {
        let mut ends = [vec![Vec::new(); network.vertices()], vec![Vec::new(); network.vertices()]];
        for (k, link) in (0..).zip(network.links()) {
            ends[0][link.from as usize].push(k);
            ends[1][link.to as usize].push(k);
        }
        let [leaving, entering] = ends;
        Shortest { network, leaving, entering, far: FxHashMap::default() }
    }

    /// Links from every vertex to this one. O(vertices + links).
    fn lengths(&self, target: u32) -> Vec<u32> {
        let mut far = vec![FAR; self.network.vertices()];
        far[target as usize] = 0;
        let mut reached = vec![target];
        for at in 0.. {
            let Some(&v) = reached.get(at) else { break };
            for &k in &self.entering[v as usize] {
                let from = self.network.links()[k as usize].from;
                if far[from as usize] == FAR {
                    far[from as usize] = far[v as usize] + 1;
                    reached.push(from);
                }
            }
        }
        far
    }

    fn route(&mut self, from: u32, to: u32, route: &mut Route) -> Result<()> {
        let (from, to) = (self.network.ranks()[from as usize], self.network.ranks()[to as usize]);
        if !self.far.contains_key(&to) {
            let lengths = self.lengths(to);
            self.far.insert(to, lengths);
        }
        let far = &self.far[&to];
        if far[from as usize] == FAR {
            let (from, to) = (self.network.name(from), self.network.name(to));
            return Err(Error::input(format!("rank `{to}` cannot be reached from `{from}`")));
        }
        // What arrives at the vertices of a distance goes on over all their links that lead nearer.
        let mut layer = vec![(from, 1.0)];
        while layer.first().is_some_and(|&(v, _)| v != to) {
            let mut next: Vec<(u32, f64)> = Vec::new();
            for (v, share) in layer {
                let ends = |k: &&u32| self.network.links()[**k as usize].to;
                let is_nearer = |k: &&u32| far[ends(k) as usize] != FAR && far[ends(k) as usize] + 1 == far[v as usize];
                let ways: Vec<&u32> = self.leaving[v as usize].iter().filter(is_nearer).collect();
                let each = share / ways.len() as f64;
                for k in ways {
                    route.push((LinkId(*k), each));
                    match next.iter_mut().find(|(v, _)| *v == ends(&k)) {
                        Some((_, sum)) => *sum += each,
                        None => next.push((ends(&k), each)),
                    }
                }
            }
            layer = next;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_follow_directions_and_share_what_is_as_near() {
        let names = ["a", "b", "c", "s", "t"].map(String::from).to_vec();
        // From a to b over s or t, back over c.
        let links = [(0, 3, 1), (0, 4, 1), (3, 1, 1), (4, 1, 1), (1, 2, 1), (2, 0, 1)];
        let network = Network::new(names, vec![0, 1, 2], links).expect("a network");
        let route = |network: &Network, from, to| {
            let mut route = Route::new();
            Shortest::new(network).route(from, to, &mut route).map(|()| route)
        };
        let there = [(LinkId(0), 0.5), (LinkId(1), 0.5), (LinkId(2), 0.5), (LinkId(3), 0.5)];
        assert_eq!(route(&network, 0, 1).expect("a way"), there);
        assert_eq!(route(&network, 1, 0).expect("a way"), [(LinkId(4), 1.0), (LinkId(5), 1.0)]);
        let names = ["a", "b"].map(String::from).to_vec();
        let alone = Network::new(names, vec![0, 1], [(0, 1, 1)]).expect("a network");
        let error = route(&alone, 1, 0).expect_err("no way");
        assert!(error.to_string().contains("`a` cannot be reached from `b`"), "{error}");
    }
}
