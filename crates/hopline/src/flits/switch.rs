//! The switch of a router: from input buffers to output buffers. Output ports
//! are served in turn; each takes an input port that was not yet served in the
//! same round, so that a round is a maximal matching. VCs are allocated with
//! the first flit of a packet.

use super::FlitModel;
use super::node::Node;
use super::port_set::{PortSet, in_turn, next_in_turn};
use super::queues::{FREE, Grant, NONE, RouterState, TAIL};
use super::router::Arbitration;
use crate::forwarding::Forwarding;

impl<const V: usize, const LONG: bool, const ONCE: bool, P: PortSet> Node<'_, V, LONG, ONCE, P> {
    /// The packet at the head of a buffer of an input port asks for VCs of an
    /// output port.
    #[inline]
    pub(super) fn ask(&mut self, input: u8, port: u8, vcs: u8) {
        let own = &mut self.ports[usize::from(port)];
        let mut left = vcs;
        while left != 0 {
            own.asks[left.trailing_zeros() as usize & (V - 1)].insert(input);
            left &= left - 1;
        }
        own.asked |= vcs;
        if own.open() != 0 {
            self.state.asked.insert(port);
        }
    }

    /// Takes back what the head of an input buffer asked for.
    #[inline]
    pub(super) fn withdraw(&mut self, (input, from): (u8, u8), port: u8, vcs: u8) {
        // Other VCs of the same input port may ask for the same.
        let mut left = vcs;
        let at = &self.ports[usize::from(input)];
        let mut others = at.held & !(1 << from);
        while others != 0 {
            let (to, wanted) = at.inputs[others.trailing_zeros() as usize & (V - 1)].wish();
            others &= others - 1;
            left &= if to == port { !wanted } else { u8::MAX };
        }
        let own = &mut self.ports[usize::from(port)];
        while left != 0 {
            let vc = left.trailing_zeros();
            left &= left - 1;
            let asks = &mut own.asks[vc as usize & (V - 1)];
            asks.remove(input);
            if asks.is_empty() {
                own.asked &= !(1 << vc);
            }
        }
        if own.open() == 0 {
            self.state.asked.remove(port);
        }
    }

    /// One cycle of the switch: as many rounds as it is faster than links.
    pub(super) fn switch<F: Forwarding>(&mut self, setting: &FlitModel<F>) {
        match setting.router.arbitration {
            Arbitration::RoundRobin => self.rounds(setting, Node::choose_in_turn),
            other => self.rounds(setting, |node, port, served| node.choose_by_key(other, port, served)),
        }
        self.next_turn();
    }

    #[inline(always)]
    fn rounds<F: Forwarding>(&mut self, setting: &FlitModel<F>, choose: impl Fn(&mut Self, u8, P) -> Option<Grant>) {
        for _ in 0..setting.router.speedup {
            let RouterState { asked, turn, .. } = *self.state;
            let mut served = P::default();
            for port in asked.in_turn(turn) {
                if let Some(grant) = choose(self, port, served) {
                    served.insert(grant.input);
                    self.transfer(setting, port, grant);
                }
            }
            if served.is_empty() || self.state.asked.is_empty() {
                break;
            }
        }
    }

    /// Another output port is served first in the next cycle.
    #[inline]
    pub(super) fn next_turn(&mut self) {
        self.state.turn = if usize::from(self.state.turn) + 1 >= self.ports.len() { 0 } else { self.state.turn + 1 };
    }

    /// The input buffer that an output port serves next, and on which VC.
    #[inline(always)]
    fn choose_in_turn(&mut self, port: u8, served: P) -> Option<Grant> {
        let own = &self.ports[usize::from(port)];
        let (turn, start) = (own.input_turn, own.vc_turn);
        for to in in_turn(u64::from(own.open()), start) {
            let inputs = self.candidates(port, to, served);
            if !inputs.is_empty() {
                let input = inputs.next_in_turn(turn);
                let from = self.asking(input, port, to, start);
                let own = &mut self.ports[usize::from(port)];
                own.input_turn = P::after(input);
                own.vc_turn = (to + 1) & (V - 1) as u8;
                return Some(Grant { input, from, to });
            }
        }
        None
    }

    /// Input ports that may send to an output VC now.
    #[inline]
    pub(super) fn candidates(&self, port: u8, vc: u8, served: P) -> P {
        let own = &self.ports[usize::from(port)];
        let inputs = own.asks[usize::from(vc) & (V - 1)].without(served);
        let (input, from) = own.outputs[usize::from(vc) & (V - 1)].holder();
        if !LONG || (input, from) == FREE {
            return inputs;
        }
        // Only the packet that is on its way, if its next flit is there.
        let holder = &self.ports[usize::from(input)].inputs[usize::from(from) & (V - 1)];
        if holder.len == 0 { P::default() } else { inputs.only(input) }
    }

    /// The VC of an input port whose head asks for an output VC, the first from
    /// `start` on.
    #[inline]
    pub(super) fn asking(&self, input: u8, port: u8, vc: u8, start: u8) -> u8 {
        if LONG {
            let holder = self.ports[usize::from(port)].outputs[usize::from(vc) & (V - 1)].holder();
            if holder != FREE {
                return holder.1;
            }
        }
        let at = &self.ports[usize::from(input)];
        let mut held = at.held;
        while held & (held - 1) != 0 {
            let from = next_in_turn(u64::from(held), start);
            let (to, vcs) = at.inputs[usize::from(from) & (V - 1)].wish();
            if to == port && vcs >> vc & 1 == 1 {
                return from;
            }
            held &= !(1 << from);
        }
        held.trailing_zeros() as u8
    }

    /// Moves a flit through the switch, returns its credit, and lets the next
    /// one ask.
    #[inline(always)]
    pub(super) fn transfer<F: Forwarding>(&mut self, setting: &FlitModel<F>, port: u8, grant: Grant) {
        let pool = &mut self.shared.pool;
        let at = &mut self.ports[usize::from(grant.input)];
        let input = &mut at.inputs[usize::from(grant.from) & (V - 1)];
        let vcs = input.wish().1;
        let id = input.pop(pool);
        let next = if input.len > 0 { input.head(pool) } else { NONE };
        let ends = !LONG || pool.flits[id as usize].words & TAIL != 0;
        input.note.1 = if ends { 0 } else { 1 << grant.to };
        if next == NONE {
            at.held ^= 1 << grant.from;
        }
        let back = (!at.terminal).then_some((at.peer_part, at.peer_port << 3 | u32::from(grant.from), at.latency));
        self.withdraw((grant.input, grant.from), port, vcs);
        let own = &mut self.ports[usize::from(port)];
        let output = &mut own.outputs[usize::from(grant.to) & (V - 1)];
        output.push(&mut self.shared.pool, id);
        if LONG {
            output.note = if ends { FREE } else { (grant.input, grant.from) };
        }
        let len = output.len;
        if setting.decides::<V>() {
            self.shared.waiting[self.first + usize::from(port)] += 1;
        }
        if len == 1 {
            own.filled |= 1 << grant.to;
            if LONG && setting.start > 1 {
                let credits = self.credits[usize::from(port)][usize::from(grant.to) & (V - 1)];
                own.check_credit(usize::from(grant.to), credits, self.state, setting.start, &self.shared.pool);
            } else if own.credit >> grant.to & 1 == 1 {
                self.state.sending.insert(port);
            }
        }
        if LONG || len == setting.router.output {
            let credits = self.credits[usize::from(port)][usize::from(grant.to) & (V - 1)];
            let room = if LONG { setting.router.room(credits) } else { setting.router.output };
            own.check_room::<LONG>(setting.start, room, usize::from(grant.to), self.state);
        }
        if let Some(way) = back {
            self.give_back(way);
        }
        if next != NONE {
            self.come_to_head(setting, grant.input, grant.from, next);
        }
    }

    /// A credit goes back over the link on which a flit came, to a buffer of a part.
    #[inline(always)]
    fn give_back(&mut self, (part, buffer, latency): (u16, u32, u16)) {
        let time = self.now + u32::from(latency);
        if part == self.shared.own {
            let slot = self.shared.slot(time);
            self.shared.returning[slot].push(buffer);
        } else {
            self.shared.credit_away(part, time, buffer);
        }
    }
}
