//! The watchdog: packets that wait for each other and will for ever.
//!
//! An input buffer can move if the output buffer that its head wants has room,
//! or will get some: because its link can send, because credits or flits are on
//! the way, or because the buffer at the other end can move. Doubtful cases
//! count as moving, so what is left over is a deadlock for sure. A packet that decides at
//! every hop waits for all that it may take.

use super::queues::{FREE, Flit, HEAD, Queue};
use super::{Setting, Simulation};
use crate::forwarding::{At, Channel, Forwarding, NOWHERE};
use crate::routing::deadlock::find_cycle;

/// What the watchdog sees of a port and VC.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
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

impl<F: Forwarding> Simulation<F> {
    /// Channels whose packets wait for each other in a circle and will for ever,
    /// or `None`. O(ports * VCs).
    pub fn deadlock(&self) -> Option<Vec<Channel>> {
        let nodes = self.setting.wiring.ports.len() as u32 * self.vcs();
        let mut waits: Vec<Vec<Node>> = vec![Vec::new(); nodes as usize];
        let mut before: Vec<Vec<Node>> = vec![Vec::new(); nodes as usize];
        let (mut stuck, mut moving) = (vec![false; nodes as usize], Vec::new());
        for node in 0..nodes {
            let Look { input, head, .. } = self.look(node);
            if input.len == 0 && input.wish().1 == 0 {
                continue;
            }
            match self.waits_for(node, input, head) {
                Some(others) => {
                    stuck[node as usize] = true;
                    others.iter().for_each(|&o| before[o as usize].push(node));
                    waits[node as usize] = others;
                }
                None => moving.push(node),
            }
        }
        // What waits for something idle or moving moves.
        moving.extend((0..nodes).filter(|&n| !stuck[n as usize] && !before[n as usize].is_empty()));
        while let Some(node) = moving.pop() {
            for &other in &before[node as usize] {
                if std::mem::replace(&mut stuck[other as usize], false) {
                    moving.push(other);
                }
            }
        }
        waits.iter_mut().zip(&stuck).for_each(|(w, stuck)| w.retain(|_| *stuck));
        let cycle = find_cycle(&waits)?;
        Some(cycle.into_iter().map(|node| self.channel(node)).collect())
    }

    fn look(&self, node: Node) -> Look {
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
    fn waits_for(&self, node: Node, input: Queue, head: Option<Flit>) -> Option<Vec<Node>> {
        let wiring = &self.setting.wiring;
        let vcs = self.vcs();
        let port = &wiring.ports[(node / vcs) as usize];
        let at_router = |router: u32, (offset, vc): (u8, u8)| {
            (wiring.first[router as usize] + u32::from(offset)) * vcs + u32::from(vc)
        };
        if input.len == 0 {
            // In the middle of a packet: the rest comes from the router before.
            let before = wiring.ports.get(port.peer as usize)?;
            let output = self.look(port.peer * vcs + node % vcs);
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
                if self.look(next).input.len + output.credits < self.setting.router.buffers {
                    return None;
                }
                others.push(next);
            }
        }
        Some(others)
    }

    /// The ports and VCs that a packet at the head of an input buffer may take.
    fn ways(&self, node: Node, head: Flit) -> Vec<(u8, u8)> {
        let Setting { wiring, forwarding, lanes, router, target, .. } = &self.setting;
        let (port, vc) = (node / self.vcs(), (node % self.vcs()) as u8 / router.lanes);
        let at = At { router: wiring.ports[port as usize].router, port: wiring.offset(port).into(), vc };
        let mut ways = Vec::new();
        forwarding.ways(at, head.words & target, head.header, &mut ways);
        ways.into_iter().map(|(hop, _)| (hop.port as u8, lanes[usize::from(hop.vc) & 7])).collect()
    }
}
