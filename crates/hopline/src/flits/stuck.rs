//! The watchdog: packets that wait for each other and will for ever.
//!
//! An input buffer can move if the output buffer that its head wants has room,
//! or will get some: because its link can send, because credits or flits are on
//! the way, or because the buffer at the other end can move. Doubtful cases
//! count as moving, so what is left over is a deadlock for sure.

use super::Simulation;
use super::queues::{FREE, Input};
use crate::forwarding::{Channel, Forwarding, NOWHERE};
use crate::routing::deadlock::find_cycle;

/// What the watchdog sees of a port and VC.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) input: Input,
    /// Flits in the output buffer, who holds it, whether it takes and sends more.
    pub(super) waiting: u16,
    pub(super) holder: (u8, u8),
    pub(super) room: bool,
    pub(super) sends: bool,
    pub(super) credits: u16,
}

/// An input buffer: port (over the whole network) times 8 plus VC.
type Node = u32;

impl<F: Forwarding> Simulation<F> {
    /// Channels whose packets wait for each other in a circle and will for ever,
    /// or `None`. O(ports * VCs).
    pub fn deadlock(&self) -> Option<Vec<Channel>> {
        let nodes = self.setting.wiring.ports.len() as u32 * 8;
        let mut waits: Vec<Vec<Node>> = vec![Vec::new(); nodes as usize];
        let mut before: Vec<Vec<Node>> = vec![Vec::new(); nodes as usize];
        let (mut stuck, mut moving) = (vec![false; nodes as usize], Vec::new());
        for node in (0..nodes).filter(|n| n % 8 < u32::from(self.setting.vcs())) {
            let input = self.look(node).input;
            if input.queue.len == 0 && input.vcs == 0 {
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
        let part = self.parts.partition_point(|p| p.range().start <= node / 8) - 1;
        self.parts[part].look(node / 8, (node % 8) as usize)
    }

    /// The link by which packets come to an input buffer, and its VC.
    fn channel(&self, node: Node) -> Channel {
        let port = &self.setting.wiring.ports[(node / 8) as usize];
        Channel { port: if port.peer == NOWHERE { node / 8 } else { port.peer }, vc: (node % 8) as u8 }
    }

    /// The buffers one of which must move before this one can; `None` where it can.
    fn waits_for(&self, node: Node, input: Input) -> Option<Vec<Node>> {
        let wiring = &self.setting.wiring;
        let port = &wiring.ports[(node / 8) as usize];
        let at_router = |router: u32, (offset, vc): (u8, u8)| {
            (wiring.first[router as usize] + u32::from(offset)) * 8 + u32::from(vc)
        };
        if input.queue.len == 0 {
            // In the middle of a packet: the rest comes from the router before.
            let before = wiring.ports.get(port.peer as usize)?;
            let output = self.look(port.peer * 8 + node % 8);
            let comes = output.waiting > 0 || output.holder == FREE;
            return (!comes).then(|| vec![at_router(before.router, output.holder)]);
        }
        let mut others = Vec::new();
        for vc in (0..8).filter(|vc| input.vcs >> vc & 1 == 1) {
            let to = at_router(port.router, (input.port, vc));
            let output = self.look(to);
            let next = wiring.ports[(to / 8) as usize].peer;
            if output.holder != FREE && at_router(port.router, output.holder) != node {
                others.push(at_router(port.router, output.holder));
            } else if output.room || next == NOWHERE || output.sends {
                return None;
            } else {
                let next = next * 8 + u32::from(vc);
                if self.look(next).input.queue.len + output.credits < self.setting.router.buffers {
                    return None;
                }
                others.push(next);
            }
        }
        Some(others)
    }
}
