//! One router: what it keeps beside its queues, so as not to look at them again, says what they hold.

use super::follows;
use crate::flits::FlitModel;
use crate::flits::part::Part;
use crate::flits::port_set::PortSet;
use crate::flits::process::{NEVER, Process};
use crate::flits::queues::{FREE, Flit, HEAD, TAIL};
use crate::flits::shared::Source;
use crate::forwarding::{Forwarding, NOWHERE};

impl<const V: usize, const LONG: bool, P: PortSet> Part<V, LONG, P> {
    /// Whether the sets and masks of a router and its ports follow from its queues.
    pub(super) fn is_router_sound<F: Forwarding>(&self, setting: &FlitModel<F>, now: u32, r: usize) -> bool {
        let (state, own) = (&self.states[r], self.states[r].range());
        let (all, vcs) = (setting.all_vcs(), usize::from(setting.vcs()));
        let mut asks = vec![[P::default(); V]; own.len()];
        for (input, port) in (0u8..=u8::MAX).zip(own.clone()) {
            for vc in 0..V {
                let queue = &self.ports[port].inputs[vc];
                let (to, wished) = queue.wish();
                let used = vc < vcs || (queue.len == 0 && wished == 0);
                if !used || wished & !all != 0 || usize::from(to) >= own.len() {
                    return false;
                }
                for bit in (0..vcs).filter(|bit| queue.len > 0 && wished >> bit & 1 == 1) {
                    asks[usize::from(to)][bit].insert(input);
                }
            }
        }
        let (mut asked, mut sending) = (P::default(), P::default());
        for (offset, port) in (0u8..=u8::MAX).zip(own.clone()) {
            if !self.is_port_sound(setting, now, own.start, port, &asks[usize::from(offset)]) {
                return false;
            }
            asked.set(offset, self.ports[port].open() != 0);
            sending.set(offset, self.ports[port].filled & self.ports[port].credit != 0);
        }
        let turn = usize::from(state.turn) < own.len().max(1);
        turn && state.asked == asked && state.sending == sending
    }

    /// The same of a port, to which so many ask to come.
    fn is_port_sound<F: Forwarding>(
        &self,
        setting: &FlitModel<F>,
        now: u32,
        first: usize,
        port: usize,
        asks: &[P; V],
    ) -> bool {
        let (own, vcs) = (&self.ports[port], usize::from(setting.vcs()));
        let ports = self.states[self.router_of(port)].range().len();
        let turns = usize::from(own.link_turn) < V && usize::from(own.vc_turn) < V;
        let since = self.shared.since.get(port).is_none_or(|since| since.iter().all(|&cycle| cycle <= now));
        let [mut held, mut asked, mut room, mut filled, mut credit] = [0u8; 5];
        for (vc, asking) in asks.iter().enumerate() {
            let (input, output, bit) = (&own.inputs[vc], &own.outputs[vc], 1 << vc);
            held |= if input.len > 0 { bit } else { 0 };
            filled |= if output.len > 0 { bit } else { 0 };
            asked |= if asking.is_empty() { 0 } else { bit };
            if vc < vcs {
                let credits = self.credits[port][vc];
                let most = if LONG { setting.router.room(credits) } else { setting.router.output };
                room |= if own.has_room::<LONG>(setting.start, most, vc) { bit } else { 0 };
                credit |= if own.has_credit(vc, credits, setting.start, &self.shared.pool) { bit } else { 0 };
                if !self.is_output_sound(setting, first, port, vc) || !self.is_input_sound(setting, first, port, vc) {
                    return false;
                }
            } else if output.len > 0 || output.holder() != FREE {
                return false;
            }
        }
        let masks = (held, asked, room, filled, credit) == (own.held, own.asked, own.room, own.filled, own.credit);
        masks && own.asks == *asks && turns && since && usize::from(own.input_turn) <= ports && own.sent <= now
    }

    /// Whether an output buffer has whole packets, but for the last where its holder has more of it.
    fn is_output_sound<F: Forwarding>(&self, setting: &FlitModel<F>, first: usize, port: usize, vc: usize) -> bool {
        let own = &self.ports[port];
        let queue = &own.outputs[vc];
        let (input, from) = queue.holder();
        let held = (input, from) != FREE;
        if held {
            let ports = self.states[self.router_of(port)].range().len();
            if !LONG || usize::from(input) >= ports || from >= setting.vcs() {
                return false;
            }
            let holder = &self.ports[first + usize::from(input)].inputs[usize::from(from)];
            if holder.wish() != (own.offset, 1 << vc) {
                return false;
            }
        }
        let mut flits = queue.iter(&self.shared.pool).peekable();
        let Some(&begin) = flits.peek() else { return true };
        let goes_on = follows(begin.words & HEAD == 0, flits);
        queue.len <= setting.router.output && goes_on == Some(held && self.is_taken(port, vc))
    }

    /// Whether what an input buffer asks for is what its head may: a packet under way has the one VC that it holds.
    fn is_input_sound<F: Forwarding>(&self, setting: &FlitModel<F>, first: usize, port: usize, vc: usize) -> bool {
        let own = &self.ports[port];
        let queue = &own.inputs[vc];
        let (to, wished) = queue.wish();
        if self.is_under_way(port, vc) {
            let held = wished.is_power_of_two().then(|| wished.trailing_zeros() as usize);
            let there = |bit: usize| self.ports[first + usize::from(to)].outputs[bit].holder();
            return LONG && held.is_some_and(|bit| there(bit) == (own.offset, vc as u8));
        }
        let whole = |flit: Flit| LONG || flit.words & (HEAD | TAIL) == HEAD | TAIL;
        // Only what decides again in every cycle may ask for nothing.
        (queue.len == 0 || wished != 0 || setting.decides::<V>()) && queue.iter(&self.shared.pool).all(whole)
    }
}

impl<F: Forwarding> FlitModel<F> {
    /// Whether the packets of a source come when its clock says, and those that wait have come; the oldest, if there is one, at
    /// `birth`.
    pub(super) fn is_clock_sound(&self, now: u32, source: &Source, birth: u32) -> bool {
        let all = match self.process {
            Process::Exchange { bytes } => self.packets_of(bytes) * self.destinations.partners(source.endpoint),
            _ => 0,
        };
        let waiting = &source.waiting;
        let (due, queued) = match self.router.source {
            None => (birth, waiting.is_empty() && source.next == NEVER),
            Some(limit) => {
                let in_order = waiting.iter().zip(waiting.iter().skip(1)).all(|(a, b)| a <= b);
                let come = waiting.iter().all(|&birth| birth < now) && source.next >= now;
                let oldest = waiting.front().copied().unwrap_or(NEVER);
                (source.next, waiting.len() <= usize::from(limit) && in_order && come && birth == oldest)
            }
        };
        queued && source.clock.is_at(self.process, due, all)
    }

    /// Whether an endpoint has a terminal.
    pub(super) fn has_home(&self, endpoint: u32) -> bool {
        self.wiring.home.get(endpoint as usize).is_some_and(|&port| port != NOWHERE)
    }
}
