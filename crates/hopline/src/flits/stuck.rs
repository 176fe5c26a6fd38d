//! The watchdog: packets that wait for each other and will for ever.
//!
//! An input buffer can move if the output buffer that its head wants has room,
//! or will get some: because its link can send, because credits or flits are on
//! the way, or because the buffer at the other end can move. Doubtful cases
//! count as moving, so what is left over is a deadlock for sure.

use super::Simulation;
use super::queues::{FREE, Queue};
use crate::forwarding::{Channel, Forwarding, NOWHERE};
use crate::routing::deadlock::find_cycle;

/// What the watchdog sees of a port and VC.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) input: Queue,
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
            let input = self.look(node).input;
            if input.len == 0 && input.wish().1 == 0 {
                continue;
            }
            match self.waits_for(node, input) {
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
    fn waits_for(&self, node: Node, input: Queue) -> Option<Vec<Node>> {
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
        for vc in (0..vcs as u8).filter(|vc| input.wish().1 >> vc & 1 == 1) {
            let to = at_router(port.router, (input.wish().0, vc));
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
}
