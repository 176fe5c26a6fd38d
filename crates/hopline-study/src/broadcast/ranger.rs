//! Ranger: its real cabling and forwarding tables where they are at hand, else a
//! fat tree of the same shape.

use hopline::error::{Place, Result};
use hopline::fabric::{Fabric, LinkClass};
use hopline::files::{Disk, Files as _, join};
use hopline::id::{HostId, VertexId};
use hopline::params::{Params, Value};
use hopline::replay::Places;
use hopline::rng::Rng;
use hopline::routing::{self, Routing};
use hopline::topology;
use hopline::unit::Nanos;
use std::sync::Arc;

/// Where a directory of data keeps the dump.
const DUMP: &str = "fabrics/ranger-2011";

/// Chassis of 12 blades, racks of 4 chassis, two stages of a core switch above: 84 racks.
const GENERATED: &str = "fat-tree:down=12x4x12x7,up=1x12x4x12,host=1";

/// Latency of a link between switches, from Table II: (2.85 - 1.57) us over six links.
pub(super) const LINK_NANOS: u64 = 213;
pub(super) const EQUAL: [u64; 3] = [LINK_NANOS; 3];

/// The machine with the names of its racks.
pub(super) struct Ranger {
    pub(super) routing: Box<dyn Routing>,
    pub(super) real: bool,
    /// Compute nodes, in the order of their names.
    pub(super) nodes: Vec<Node>,
}

/// A compute node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) host: HostId,
    pub(super) endpoint: VertexId,
    pub(super) rack: u32,
    pub(super) chassis: u32,
}

impl Ranger {
    /// The dump below `data`, or the stand-in. Links between switches have the first latency, in ns, those of the stand-in's
    /// upper levels the others. O(links + entries of the tables).
    pub(super) fn new(data: Option<&str>, latencies: [u64; 3]) -> Result<Ranger> {
        let dump = data.map(|dir| join(dir, DUMP)).filter(|dir| Disk.list(dir).is_some());
        let place = Place::new("study", 0);
        let params = match &dump {
            Some(dir) => {
                let mut params = Params::new("file", place.clone());
                params.push("path", Value::Text(dir.clone()), place.clone())?;
                params
            }
            None => Params::from_spec(GENERATED, &place)?,
        };
        let (topology, fabric) = topology::build(&params, &Disk)?;
        let latency = |class: &LinkClass| match class.name.as_str() {
            _ if class.host => 0,
            "up2" => latencies[1],
            "up3" => latencies[2],
            _ => latencies[0],
        };
        let fabric = fabric.with_latencies(|class| Nanos(latency(class)));
        let nodes = if dump.is_some() { named(&fabric) } else { grouped(&fabric) };
        let routing = Params::from_spec(topology.default_routing(), &place)?;
        let routing = routing::build(&routing, &topology, &Arc::new(fabric), &Disk)?;
        Ok(Ranger { routing, real: dump.is_some(), nodes })
    }

    /// `count` of its nodes, each set equally likely; in the order of their names.
    pub(super) fn allocate(&self, count: usize, rng: &mut Rng) -> Vec<Node> {
        rng.sample(count, self.nodes.len()).into_iter().map(|i| self.nodes[i]).collect()
    }
}

/// One rank on each node.
pub(super) fn places(nodes: &[Node]) -> Places {
    Places::on(nodes.iter().map(|n| n.host).collect(), nodes.iter().map(|n| n.endpoint).collect())
}

/// Compute nodes by name: i101-203 is blade 3 of chassis 2 in rack 101.
fn named(fabric: &Fabric) -> Vec<Node> {
    let hosts = fabric.hosts();
    let node = |h: u32| {
        let host = HostId(h);
        let (rack, blade) = hosts.name(host).strip_prefix('i')?.split_once('-')?;
        let (rack, blade): (u16, u32) = (rack.parse().ok()?, blade.parse().ok()?);
        let endpoint = *hosts.endpoints(host).first()?;
        Some(Node { host, endpoint, rack: rack.into(), chassis: blade / 100 })
    };
    (0..hosts.len()).filter_map(node).collect()
}

/// All hosts of the stand-in: its innermost level is a chassis, the next one a rack.
fn grouped(fabric: &Fabric) -> Vec<Node> {
    let hosts = fabric.hosts();
    let part = |level: usize, e: VertexId| fabric.levels().get(level).map_or(0, |l| l.part[e.index()]);
    let node = |h: u32| {
        let host = HostId(h);
        let endpoint = *hosts.endpoints(host).first()?;
        Some(Node { host, endpoint, rack: part(1, endpoint), chassis: part(0, endpoint) })
    };
    (0..hosts.len()).filter_map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopline::routing::Path;
    use std::collections::BTreeSet;

    #[test]
    fn the_stand_in_has_the_hops_of_table_2() {
        let ranger = Ranger::new(None, EQUAL).expect("a fabric");
        let racks: BTreeSet<u32> = ranger.nodes.iter().map(|node| node.rack).collect();
        assert_eq!((ranger.nodes.len(), racks.len()), (4032, 84));
        let mut path = Path::default();
        // Chassis, rack, half of a core switch, everything: 1, 3, 5 and 7 switches.
        for (other, links) in [(11, 2), (12, 4), (48, 6), (576, 8)] {
            ranger.routing.path(VertexId(0), VertexId(other), 0, &mut path).expect("a way");
            assert_eq!(path.links.len(), links);
        }
    }
}
