//! Whether a forwarding can deadlock: the channel-dependency test. Dally and
//! Seitz, "Deadlock-free message routing in multiprocessor interconnection
//! networks", 1987; where packets have an escape, of the extended graph of that. Duato,
//! "A new theory of deadlock-free adaptive routing in wormhole networks", 1993.

use super::{At, Forwarding, Header, NOWHERE, Wiring};
use crate::error::{Error, Result};
use crate::routing::deadlock::find_cycle;
use rustc_hash::{FxHashMap, FxHashSet};

/// A virtual channel of the link that leaves by a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Channel {
    /// The port, counted over all routers.
    pub port: u32,
    /// The VC.
    pub vc: u8,
}

/// Channels that wait for each other in a circle, or `None` where no packets
/// can. Of a forwarding with an escape only its channels count: one follows another where a packet may take it
/// next, or after any others ([`Forwarding::is_escape`]); and everywhere there must be one. Walks what [`Forwarding::walks`]
/// visits; ways to one target that have met are followed once. O(walks + (channel, target, header) that occur) in time; memory
/// is that of one target, where walks to it follow each other.
///
/// # Errors
/// A walk does not end at its target, or finds no escape: the forwarding is wrong.
pub fn find_deadlock<F: Forwarding + ?Sized>(wiring: &Wiring, forwarding: &F) -> Result<Option<Vec<Channel>>> {
    let mut graph =
        Graph { known: vec![UNKNOWN; wiring.ports.len() * usize::from(forwarding.vcs())], ..Graph::default() };
    // Beside channels that are no escape stands the last one that was.
    let mut seen: FxHashSet<(Channel, Header, Option<u32>)> = FxHashSet::default();
    let (mut lost, mut before, mut ways) = (None, None, Vec::new());
    let mut open: Vec<(At, Header, Option<u32>)> = Vec::new();
    forwarding.walks(wiring, &mut |source, target, header| {
        if before.replace(target) != Some(target) {
            seen.clear();
        }
        open.push((At::start(source), header, None));
        while let Some((at, header, last)) = open.pop() {
            forwarding.ways(at, target, header, &mut ways);
            if !ways.iter().any(|&(hop, _)| forwarding.is_escape(hop)) {
                lost = Some((at.router, target));
            }
            for (hop, header) in ways.drain(..) {
                let port = wiring.first[at.router as usize] + u32::from(hop.port);
                let Some(next) = wiring.ports.get(port as usize).filter(|p| p.router == at.router) else {
                    lost = Some((at.router, target));
                    continue;
                };
                if next.peer == NOWHERE {
                    if next.endpoint != target {
                        lost = Some((at.router, target));
                    }
                    continue;
                }
                let channel = Channel { port, vc: hop.vc };
                let (mut after, mut beside) = (last, last);
                if forwarding.is_escape(hop) {
                    let class = graph.class(channel, forwarding.vcs(), || forwarding.class(wiring, channel));
                    graph.follows(last, class);
                    (after, beside) = (Some(class), None);
                }
                if seen.insert((channel, header, beside)) {
                    open.push((wiring.head(next.peer, hop.vc), header, after));
                }
            }
        }
    });
    if let Some((router, target)) = lost {
        return Err(Error::input(format!("no way leads on from router {router} to endpoint {target}")));
    }
    let cycle = find_cycle(&graph.next);
    Ok(cycle.map(|cycle| cycle.into_iter().map(|class| graph.example[class as usize]).collect()))
}

/// No class is known yet.
const UNKNOWN: u32 = u32::MAX;

/// The dependency graph over classes of channels.
#[derive(Default)]
struct Graph {
    /// The class of every port and VC.
    known: Vec<u32>,
    id: FxHashMap<u64, u32>,
    /// A channel of each class.
    example: Vec<Channel>,
    next: Vec<Vec<u32>>,
}

impl Graph {
    fn class(&mut self, channel: Channel, vcs: u8, class: impl FnOnce() -> u64) -> u32 {
        let cell = channel.port as usize * usize::from(vcs) + usize::from(channel.vc);
        if let Some(&known) = self.known.get(cell).filter(|&&known| known != UNKNOWN) {
            return known;
        }
        let fresh = self.example.len() as u32;
        let id = *self.id.entry(class()).or_insert(fresh);
        self.known.get_mut(cell).into_iter().for_each(|known| *known = id);
        if id == fresh {
            self.example.push(channel);
            self.next.push(Vec::new());
        }
        id
    }

    fn follows(&mut self, before: Option<u32>, after: u32) {
        if let Some(before) = before
            && !self.next[before as usize].contains(&after)
        {
            self.next[before as usize].push(after);
        }
    }
}
