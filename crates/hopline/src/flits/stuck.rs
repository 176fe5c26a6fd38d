//! The watchdog: packets that wait for each other and will for ever.
//!
//! An input buffer can move if the output buffer that its head wants has room,
//! or will get some: because its link can send, because credits or flits are on
//! the way, or because the buffer at the other end can move. Doubtful cases
//! count as moving, so what is left over is a deadlock for sure. A packet that decides at
//! every hop waits for all that it may take.

use super::bytes::{Bytes, Writer};
use super::queues::{FREE, Flit, HEAD, Queue};
use super::{FlitModel, Simulation};
use crate::error::Result;
use crate::forwarding::{Channel, Forwarding, NOWHERE};
use crate::peers::{damaged, gather};
use crate::routing::deadlock::find_cycle;
use std::collections::HashMap;

/// What the watchdog sees of a port and VC.
#[derive(Debug, Clone, Copy)]
pub(super) struct QueueState {
    pub(super) input: Queue,
    /// The first flit there.
    pub(super) head: Option<Flit>,
    /// Flits in the output buffer, who holds it, whether it takes and sends more.
    pub(super) waiting: u16,
    pub(super) holder: (u8, u8),
    pub(super) room: bool,
    pub(super) sends: bool,
    pub(super) credits: u16,
}

/// An input buffer: port (over the whole network) times the number of VCs, plus VC.
type Node = u32;

/// What a router must know of a port of another one.
#[derive(Debug, Clone, Copy)]
struct RemotePort {
    /// Flits in the input buffer.
    held: u16,
    /// As in [`QueueState`].
    waiting: u16,
    holder: (u8, u8),
}

/// An input buffer that waits, and the buffers one of which must move before it can.
type Waits = (Node, Vec<Node>);

impl<F: Forwarding> Simulation<F> {
    /// Channels whose packets wait for each other in a circle and will for ever,
    /// or `None`. O(ports * VCs).
    ///
    /// # Errors
    /// Another process is gone.
    pub fn deadlock(&self) -> Result<Option<Vec<Channel>>> {
        let ports = self.shares.own_ports(&self.setting.wiring);
        let far = self.seen_elsewhere()?;
        let own: Vec<Waits> = (ports.start * self.vcs()..ports.end * self.vcs())
            .filter_map(|node| {
                let QueueState { input, head, .. } = self.look(node);
                let idle = input.len == 0 && input.wish().1 == 0;
                if idle { None } else { Some((node, self.waits_for(node, input, head, &far)?)) }
            })
            .collect();
        let mut all = Vec::new();
        for bytes in gather(&*self.shares.peers, write_waits(&own))? {
            all.extend(read_waits(&bytes)?);
        }
        let cycle = circle(&all);
        Ok(cycle.map(|cycle| cycle.into_iter().map(|node| self.channel(node)).collect()))
    }

    /// What neighbours tell of their ports that are cabled to this process, by node.
    fn seen_elsewhere(&self) -> Result<HashMap<Node, RemotePort>> {
        let (wiring, shares) = (&self.setting.wiring, &self.shares);
        let mut messages = vec![Writer::default(); shares.neighbours.len()];
        if !messages.is_empty() {
            for port in shares.own_ports(wiring) {
                let Some(peer) = wiring.ports.get(wiring.ports[port as usize].peer as usize) else { continue };
                let Ok(to) = shares.neighbours.binary_search(&shares.owner(peer.router)) else { continue };
                for node in port * self.vcs()..(port + 1) * self.vcs() {
                    let RemotePort { held, waiting, holder } = self.seen(node, &HashMap::new());
                    messages[to].put(node);
                    [held, waiting, holder.0.into(), holder.1.into()].into_iter().for_each(|n| messages[to].put(n));
                }
            }
        }
        let messages = messages.into_iter().map(Writer::into_bytes).collect();
        let mut far = HashMap::new();
        for message in shares.peers.exchange(&shares.neighbours, messages)? {
            for words in Bytes::new(&message).all()?.chunks_exact(5) {
                let holder = (words[3] as u8, words[4] as u8);
                far.insert(words[0] as Node, RemotePort { held: words[1] as u16, waiting: words[2] as u16, holder });
            }
        }
        Ok(far)
    }

    /// Of a port and VC of this process, or of one that a neighbour has told of.
    fn seen(&self, node: Node, far: &HashMap<Node, RemotePort>) -> RemotePort {
        far.get(&node).copied().unwrap_or_else(|| {
            let QueueState { input, waiting, holder, .. } = self.look(node);
            RemotePort { held: input.len, waiting, holder }
        })
    }

    /// Of a port and VC of this process.
    fn look(&self, node: Node) -> QueueState {
        let (port, vc) = (node / self.vcs(), node % self.vcs());
        let part = self.parts.partition_point(|p| p.range().start <= port) - 1;
        self.parts[part].look(port, vc as usize)
    }

    fn vcs(&self) -> u32 {
        u32::from(self.setting.vcs())
    }

    /// The link by which packets come to an input buffer, and its VC.
    fn channel(&self, node: Node) -> Channel {
        let (own, vc) = (node / self.vcs(), (node % self.vcs()) as u8);
        let peer = self.setting.wiring.ports[own as usize].peer;
        Channel { port: if peer == NOWHERE { own } else { peer }, vc }
    }

    /// The buffers one of which must move before this one can; `None` where it can.
    fn waits_for(
        &self,
        node: Node,
        input: Queue,
        head: Option<Flit>,
        far: &HashMap<Node, RemotePort>,
    ) -> Option<Vec<Node>> {
        let wiring = &self.setting.wiring;
        let vcs = self.vcs();
        let port = &wiring.ports[(node / vcs) as usize];
        let at_router = |router: u32, (offset, vc): (u8, u8)| {
            (wiring.first[router as usize] + u32::from(offset)) * vcs + u32::from(vc)
        };
        if input.len == 0 {
            // In the middle of a packet: the rest comes from the router before.
            let before = wiring.ports.get(port.peer as usize)?;
            let output = self.seen(port.peer * vcs + node % vcs, far);
            let comes = output.waiting > 0 || output.holder == FREE;
            return (!comes).then(|| vec![at_router(before.router, output.holder)]);
        }
        let mut others = Vec::new();
        let wishes = match head {
            Some(flit) if self.setting.decides && flit.words & HEAD != 0 => self.ways(node, flit),
            _ => vec![input.wish()],
        };
        let channels =
            |(port, own): (u8, u8)| (0..vcs as u8).filter(move |vc| own >> vc & 1 == 1).map(move |vc| (port, vc));
        for wish in wishes.into_iter().flat_map(channels) {
            let (to, vc) = (at_router(port.router, wish), wish.1);
            let output = self.look(to);
            let next = wiring.ports[(to / vcs) as usize].peer;
            if output.holder != FREE && at_router(port.router, output.holder) != node {
                others.push(at_router(port.router, output.holder));
            } else if output.room || next == NOWHERE || output.sends {
                return None;
            } else {
                let next = next * vcs + u32::from(vc);
                if self.seen(next, far).held + output.credits < self.setting.router.buffers {
                    return None;
                }
                others.push(next);
            }
        }
        Some(others)
    }

    /// The ports and VCs that a packet at the head of an input buffer may take.
    fn ways(&self, node: Node, head: Flit) -> Vec<(u8, u8)> {
        let FlitModel { wiring, forwarding, router, target, .. } = &self.setting;
        let (port, vc) = (node / self.vcs(), (node % self.vcs()) as u8 / router.lanes);
        let mut ways = Vec::new();
        forwarding.ways(wiring.head(port, vc), head.words & target, head.header, &mut ways);
        let own = wiring.ports[port as usize].router;
        ways.into_iter().map(|(hop, _)| (hop.port as u8, self.setting.outputs::<true>(own, hop))).collect()
    }
}

/// A circle of those that wait for each other and will for ever. Sorted by node. O(waits log waits).
fn circle(waits: &[Waits]) -> Option<Vec<Node>> {
    let place = |node: Node| waits.binary_search_by_key(&node, |w| w.0).ok();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); waits.len()];
    let (mut stuck, mut moving) = (vec![true; waits.len()], Vec::new());
    for (own, (_, others)) in (0..).zip(waits) {
        let mut free = false;
        for &other in others {
            match place(other) {
                Some(other) => before[other].push(own),
                // What is idle or moves lets others move.
                None => free = true,
            }
        }
        if free {
            stuck[own as usize] = false;
            moving.push(own);
        }
    }
    while let Some(own) = moving.pop() {
        for &other in &before[own as usize] {
            if std::mem::replace(&mut stuck[other as usize], false) {
                moving.push(other);
            }
        }
    }
    let next: Vec<Vec<u32>> = waits
        .iter()
        .zip(&stuck)
        .map(|((_, others), stuck)| {
            let places = others.iter().filter_map(|&o| place(o)).map(|o| o as u32);
            if *stuck { places.collect() } else { Vec::new() }
        })
        .collect();
    Some(find_cycle(&next)?.into_iter().map(|at| waits[at as usize].0).collect())
}

fn write_waits(waits: &[Waits]) -> Vec<u8> {
    let mut writer = Writer::default();
    for (node, others) in waits {
        writer.put(*node);
        writer.put(others.len() as u64);
        others.iter().for_each(|&o| writer.put(o));
    }
    writer.into_bytes()
}

fn read_waits(bytes: &[u8]) -> Result<Vec<Waits>> {
    let (words, mut waits) = (Bytes::new(bytes).all()?, Vec::new());
    let mut left = &words[..];
    while let [node, count, rest @ ..] = left {
        let (others, rest) = rest.split_at_checked(*count as usize).ok_or_else(damaged)?;
        waits.push((*node as Node, others.iter().map(|&o| o as Node).collect()));
        left = rest;
    }
    Ok(waits)
}
