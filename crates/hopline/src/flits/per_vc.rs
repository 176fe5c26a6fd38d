//! A switch in which every VC of a port is a port by itself: one flit per cycle
//! from every input buffer and to every output buffer, as in CAMINOS'
//! input-output-buffered router.

use super::FlitModel;
use super::node::Node;
use super::port_set::{PortSet, in_turn};
use super::queues::{FREE, Grant, RouterState};
use super::router::{Allocator, Arbitration};
use crate::forwarding::Forwarding;

impl<const V: usize, const LONG: bool, const ONCE: bool, P: PortSet> Node<'_, V, LONG, ONCE, P> {
    /// One cycle of it.
    pub(super) fn switch_by_vc<F: Forwarding>(&mut self, setting: &FlitModel<F>) {
        if LONG && setting.router.allocator == Allocator::Separable {
            return self.switch_by_vc_once(setting);
        }
        let RouterState { asked, turn, .. } = *self.state;
        // VCs of each input port that have sent a flit.
        let mut sent = P::bytes();
        for port in asked.in_turn(turn) {
            for to in in_turn(u64::from(self.ports[usize::from(port)].open()), 0) {
                if let Some(grant) = self.choose_buffer(setting.router.arbitration, port, to, &sent) {
                    sent[usize::from(grant.input)] |= 1 << grant.from;
                    self.ports[usize::from(port)].input_turn = P::after(grant.input);
                    self.transfer(setting, port, grant);
                }
            }
        }
        self.next_turn();
    }

    /// Every input buffer asks for one output buffer, any of those that it may take, as likely; every output buffer takes
    /// one of the inputs that ask for it.
    #[inline(never)]
    fn switch_by_vc_once<F: Forwarding>(&mut self, setting: &FlitModel<F>) {
        let mut bids = std::mem::take(&mut self.shared.bids);
        bids.clear();
        for input in 0..self.ports.len() as u8 {
            for from in in_turn(u64::from(self.ports[usize::from(input)].held), 0) {
                bids.extend(self.bid(input, from));
            }
        }
        let asked = self.state.asked;
        for port in asked.in_turn(0) {
            for to in in_turn(u64::from(self.ports[usize::from(port)].open()), 0) {
                let turn = self.ports[usize::from(port)].input_turn;
                let asking = bids.iter().filter(|(at, grant)| (*at, grant.to) == (port, to)).map(|bid| bid.1);
                let key = |grant: &Grant| {
                    let key = self.key(setting.router.arbitration, usize::from(grant.input), usize::from(grant.from));
                    (key, grant.input.wrapping_sub(turn), grant.from)
                };
                if let Some(grant) = asking.min_by_key(key) {
                    self.ports[usize::from(port)].input_turn = P::after(grant.input);
                    self.transfer(setting, port, grant);
                }
            }
        }
        self.shared.bids = bids;
    }

    /// The output port and buffer that an input buffer asks for: its own, or any that is free and has room.
    fn bid(&mut self, input: u8, from: u8) -> Option<(u8, Grant)> {
        let (port, vcs) = self.ports[usize::from(input)].inputs[usize::from(from) & (V - 1)].wish();
        let there = &self.ports[usize::from(port)];
        let takes = |to: &u8| [FREE, (input, from)].contains(&there.outputs[usize::from(*to) & (V - 1)].holder());
        let ways = in_turn(u64::from(vcs & there.room), 0).filter(takes).fold(0, |ways: u64, to| ways | 1 << to);
        let which = match ways.count_ones() {
            0 => return None,
            1 => 0,
            count => self.shared.rngs[(self.router - self.shared.start) as usize].below(count.into()),
        };
        in_turn(ways, 0).nth(which as usize).map(|to| (port, Grant { input, from, to }))
    }

    /// The input buffer with the smallest key that asks for an output buffer and
    /// has not sent; the first in turn of equal ones.
    fn choose_buffer(&mut self, arbitration: Arbitration, port: u8, to: u8, sent: &P::Bytes) -> Option<Grant> {
        let own = &self.ports[usize::from(port)];
        let (turn, holder) = (own.input_turn, own.outputs[usize::from(to) & (V - 1)].holder());
        let mut best: Option<(u64, Grant)> = None;
        for input in self.candidates(port, to, P::default()).in_turn(turn) {
            for from in 0..V as u8 {
                let head = &self.ports[usize::from(input)].inputs[usize::from(from)];
                let asks = head.len > 0 && head.wish().0 == port && head.wish().1 >> to & 1 == 1;
                let held = LONG && holder != FREE && holder != (input, from);
                if !asks || held || sent[usize::from(input)] >> from & 1 == 1 {
                    continue;
                }
                let key = self.key(arbitration, usize::from(input), usize::from(from));
                if best.is_none_or(|b| key < b.0) {
                    best = Some((key, Grant { input, from, to }));
                }
            }
        }
        best.map(|b| b.1)
    }
}
