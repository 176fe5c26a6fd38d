//! A switch that is allocated as BookSim2 does it, with separable allocators of one iteration, input first. In a round
//! every input port asks for the output of one of its packets that have a VC there, and every output port takes one of the inputs
//! that ask for it; then packets that have none ask for a VC, and every VC that is free takes one of them, which may
//! cross in the next round. What is not taken waits.

use super::FlitModel;
use super::node::Node;
use super::port_set::{PortSet, in_turn};
use super::queues::{FREE, Grant};
use crate::forwarding::Forwarding;

/// Where the arbiters of a port begin to look, round robin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turns<const V: usize> {
    /// The input port that may cross to this one, and the output port that this one asks for.
    pub(super) input: u8,
    pub(super) output: u8,
    /// The input buffer that gets a VC, counted port by port.
    pub(super) holder: [u16; V],
}

impl<const V: usize, const LONG: bool, const ONCE: bool, P: PortSet> Node<'_, V, LONG, ONCE, P> {
    /// One cycle of it: as many rounds as it is faster than links.
    #[inline(never)]
    pub(super) fn switch_input_first<F: Forwarding>(&mut self, setting: &FlitModel<F>) {
        let mut bids = std::mem::take(&mut self.shared.bids);
        for _ in 0..setting.router.speedup {
            bids.clear();
            bids.extend((0..self.ports.len() as u8).filter_map(|input| self.crossing(input)));
            // Both allocators see what was there before the round: a VC that a packet leaves is free in the next one.
            let crossings = bids.len();
            for input in 0..self.ports.len() as u8 {
                let held = u64::from(self.ports[usize::from(input)].held);
                bids.extend(in_turn(held, 0).filter_map(|from| self.wanted(input, from)));
            }
            let (crossings, wanted) = bids.split_at(crossings);
            let asked = self.state.asked;
            for port in asked.in_turn(0) {
                let turn = self.turns(port).input;
                let asking = crossings.iter().filter(|(to, _)| *to == port).map(|(_, grant)| *grant);
                if let Some(grant) = asking.min_by_key(|grant| grant.input.wrapping_sub(turn)) {
                    self.turns(port).input = P::after(grant.input);
                    self.turns(grant.input).output = P::after(port);
                    self.ports[usize::from(grant.input)].vc_turn = (grant.from + 1) & (V - 1) as u8;
                    self.transfer(setting, port, grant);
                }
            }
            for port in asked.in_turn(0) {
                for to in 0..V as u8 {
                    let turn = self.turns(port).holder[usize::from(to)];
                    let asking = wanted.iter().filter(|(at, grant)| (*at, grant.to) == (port, to)).map(|bid| bid.1);
                    let place = |grant: &Grant| u16::from(grant.input) * V as u16 + u16::from(grant.from);
                    if let Some(grant) = asking.min_by_key(|grant| place(grant).wrapping_sub(turn)) {
                        self.turns(port).holder[usize::from(to)] = place(&grant) + 1;
                        self.hold(port, grant);
                    }
                }
            }
        }
        self.shared.bids = bids;
    }

    /// The output port that an input port asks for: the first in turn for which a packet has a VC, with room; and the first
    /// in turn of its packets that have one there.
    fn crossing(&mut self, input: u8) -> Option<(u8, Grant)> {
        let turn = self.turns(input).output;
        let own = &self.ports[usize::from(input)];
        let crossings = in_turn(u64::from(own.held), own.vc_turn).filter_map(|from| {
            let (port, vcs) = own.inputs[usize::from(from) & (V - 1)].wish();
            let there = &self.ports[usize::from(port)];
            let is_own = |to: &u8| there.outputs[usize::from(*to) & (V - 1)].holder() == (input, from);
            let to = in_turn(u64::from(there.room & vcs), 0).find(is_own)?;
            Some((port, Grant { input, from, to }))
        });
        crossings.min_by_key(|(port, _)| port.wrapping_sub(turn))
    }

    /// Whose turn it is at a port.
    fn turns(&mut self, port: u8) -> &mut Turns<V> {
        &mut self.shared.turns[self.first + usize::from(port)]
    }

    /// The VC that the packet at the head of an input buffer asks for, if it has none.
    fn wanted(&self, input: u8, from: u8) -> Option<(u8, Grant)> {
        let (port, vcs) = self.ports[usize::from(input)].inputs[usize::from(from) & (V - 1)].wish();
        let holder = |to: u8| self.ports[usize::from(port)].outputs[usize::from(to) & (V - 1)].holder();
        if in_turn(u64::from(vcs), 0).any(|to| holder(to) == (input, from)) {
            return None;
        }
        let to = in_turn(u64::from(self.ports[usize::from(port)].open() & vcs), 0).find(|&to| holder(to) == FREE)?;
        Some((port, Grant { input, from, to }))
    }

    /// Gives a packet a VC, which it asks for alone from now on.
    fn hold(&mut self, port: u8, Grant { input, from, to }: Grant) {
        let all = self.ports[usize::from(input)].inputs[usize::from(from) & (V - 1)].wish().1;
        self.withdraw((input, from), port, all);
        self.ports[usize::from(input)].inputs[usize::from(from) & (V - 1)].note.1 = 1 << to;
        self.ports[usize::from(port)].outputs[usize::from(to) & (V - 1)].note = (input, from);
        self.ask(input, port, 1 << to);
    }
}
