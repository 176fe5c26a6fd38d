//! Where messages between ranks go: by the routing of a fabric, or by shortest ways along links of one direction.

use crate::network::Network;
use hopline::error::Result;
use hopline::id::{LinkId, VertexId};
use hopline::routing::{Route, Routing};
use hopline::unit::Bandwidth;
use rustc_hash::FxHashMap;

/// Links, and the ways over them between the vertices of ranks.
pub(crate) enum Ways<'a> {
    /// Endpoints of a fabric, by its routing.
    Routed(&'a dyn Routing),
    /// Shortest ways by number of links, as ECMP has them.
    Shortest(Shortest<'a>),
}

impl Ways<'_> {
    /// Of each link its bytes per second, `None` where it is unlimited, and its seconds of latency.
    pub(crate) fn speeds(&self) -> Vec<(Option<u64>, f64)> {
        match self {
            Ways::Routed(routing) => {
                let classes = routing.fabric().link_ids().map(|link| routing.fabric().class_of(link));
                let bytes_s = |bandwidth: Bandwidth| bandwidth.as_bytes_s();
                classes.map(|class| (class.bandwidth.map(bytes_s), class.latency.0 as f64 * 1e-9)).collect()
            }
            Ways::Shortest(shortest) => shortest.network.links().iter().map(|link| (link.bytes_s, 0.0)).collect(),
        }
    }

    /// Where a link starts and ends.
    pub(crate) fn ends_of(&self, link: LinkId) -> (u32, u32) {
        match self {
            Ways::Routed(routing) => (routing.fabric().source(link).0, routing.fabric().target(link).0),
            Ways::Shortest(shortest) => {
                let link = shortest.network.links()[link.index()];
                (link.from, link.to)
            }
        }
    }

    /// Name of a link.
    pub(crate) fn name(&self, link: LinkId) -> String {
        match self {
            Ways::Routed(routing) => routing.fabric().link_name(link),
            Ways::Shortest(shortest) => shortest.network.link_name(link.index()),
        }
    }

    /// Adds the links of a message between two ranks' vertices with their shares; none inside a host.
    pub(crate) fn route(&mut self, from: u32, to: u32, route: &mut Route) -> Result<()> {
        match self {
            Ways::Routed(routing) => {
                let (from, to) = (VertexId(from), VertexId(to));
                if routing.fabric().hosts().is_free(from, to) { Ok(()) } else { routing.route(from, to, route) }
            }
            Ways::Shortest(shortest) => shortest.route(from, to, route),
        }
    }
}

/// Shortest ways along the links' directions; where several next links are as near, each takes the same.
pub(crate) struct Shortest<'a> {
    network: &'a Network,
    leaving: Vec<Vec<usize>>,
    entering: Vec<Vec<usize>>,
    /// Links from every vertex to a rank's, by that vertex.
    far: FxHashMap<u32, Vec<u32>>,
}

const FAR: u32 = u32::MAX;

impl<'a> Shortest<'a> {
    pub(crate) fn new(network: &'a Network) -> Shortest<'a> {
        let [leaving, entering] = network.adjacent();
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
                let from = self.network.links()[k].from;
                if far[from as usize] == FAR {
                    far[from as usize] = far[v as usize] + 1;
                    reached.push(from);
                }
            }
        }
        far
    }

    fn route(&mut self, from: u32, to: u32, route: &mut Route) -> Result<()> {
        if !self.far.contains_key(&to) {
            let lengths = self.lengths(to);
            self.far.insert(to, lengths);
        }
        let far = &self.far[&to];
        if far[from as usize] == FAR {
            return Err(self.network.apart(from, to));
        }
        // What arrives at the vertices of a distance goes on over all their links that lead nearer.
        let mut layer = vec![(from, 1.0)];
        while layer.first().is_some_and(|&(v, _)| v != to) {
            let mut next: Vec<(u32, f64)> = Vec::new();
            for (v, share) in layer {
                let ahead = self.leaving[v as usize].iter().map(|&k| (k, self.network.links()[k].to));
                let is_nearer = |to: u32| far[to as usize] != FAR && far[to as usize] + 1 == far[v as usize];
                let ways: Vec<(usize, u32)> = ahead.filter(|&(_, to)| is_nearer(to)).collect();
                let each = share / ways.len() as f64;
                for (k, to) in ways {
                    route.push((LinkId(k as u32), each));
                    match next.iter_mut().find(|(v, _)| *v == to) {
                        Some((_, sum)) => *sum += each,
                        None => next.push((to, each)),
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
