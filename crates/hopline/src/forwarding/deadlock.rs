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
/// next, or after any others ([`Forwarding::is_escape`]); and everywhere there must be one. Walks what [`Forwarding::walks`] visits; ways that have met are
/// followed once. O(walks + (channel, target, header) that occur).
///
/// # Errors
/// A walk does not end at its target, or finds no escape: the forwarding is wrong.
pub fn find_deadlock<F: Forwarding + ?Sized>(wiring: &Wiring, forwarding: &F) -> Result<Option<Vec<Channel>>> {
    let mut graph = Graph::default();
    // Beside channels that are no escape stands the last one that was.
    let mut seen: FxHashSet<(Channel, u32, Header, Option<u32>)> = FxHashSet::default();
    let mut lost = None;
    let mut open: Vec<(At, Header, Option<u32>)> = Vec::new();
    forwarding.walks(wiring, &mut |source, target, header| {
        open.push((At::start(source), header, None));
        while let Some((at, header, before)) = open.pop() {
            let ways = forwarding.ways(at, target, header);
            if !ways.iter().any(|&(hop, _)| forwarding.is_escape(hop)) {
                lost = Some((at.router, target));
            }
            for (hop, header) in ways {
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
                let (mut last, mut beside) = (before, before);
                if forwarding.is_escape(hop) {
                    let class = graph.class(forwarding.class(wiring, channel), channel);
                    graph.follows(before, class);
                    (last, beside) = (Some(class), None);
                }
                if seen.insert((channel, target, header, beside)) {
                    let peer = wiring.ports[next.peer as usize];
                    let at = At { router: peer.router, port: wiring.offset(next.peer).into(), vc: hop.vc };
                    open.push((at, header, last));
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

/// The dependency graph over classes of channels.
#[derive(Default)]
struct Graph {
    id: FxHashMap<u64, u32>,
    /// A channel of each class.
    example: Vec<Channel>,
    next: Vec<Vec<u32>>,
}

impl Graph {
    fn class(&mut self, class: u64, channel: Channel) -> u32 {
        let fresh = self.example.len() as u32;
        let id = *self.id.entry(class).or_insert(fresh);
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
