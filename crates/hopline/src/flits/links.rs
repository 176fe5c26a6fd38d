//! The links of a router: from output buffers to the next router or endpoint.

use super::failing::{DEAD, Leaving};
use super::mail::ArrivingFlit;
use super::node::Node;
use super::port_set::{PortSet, in_turn, next_in_turn};
use super::queues::{FREE, Flit, HEAD, Pool, Port, RouterState, TAIL};
use super::router::LinkTurn;
use super::shared::Shared;
use super::{FlitModel, MOST_VCS};
use crate::forwarding::Forwarding;

/// When and [where](super::mail::place) a flit that crosses a link arrives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crossing {
    time: u32,
    place: u32,
}

impl<const V: usize, P: PortSet> Shared<V, P> {
    /// A flit crosses a link that stays in the part.
    #[inline(always)]
    fn cross_here(&mut self, id: u32, Crossing { time, place }: Crossing) {
        let slot = self.slot(time);
        self.mail.put(slot, ArrivingFlit { flit: id, place });
    }

    /// A flit crosses a link that leads to another part.
    #[inline(always)]
    fn cross_away(&mut self, part: u16, id: u32, Crossing { time, place }: Crossing) {
        let flit = Flit { next: place, ..self.pool.remove(id) };
        self.outgoing[usize::from(part)].flits.push((time, flit));
        self.foreign -= 1;
    }

    /// A flit crosses a link that leads to a part.
    pub(super) fn cross(&mut self, part: u16, id: u32, crossing: Crossing) {
        if part == self.own { self.cross_here(id, crossing) } else { self.cross_away(part, id, crossing) }
    }
}

impl<const V: usize, P: PortSet> Port<V, P> {
    /// Whether the next router takes the first flit of an output buffer; `start` flits must find place for a packet to start.
    #[inline(always)]
    pub(super) fn has_credit(&self, vc: usize, credits: u16, start: u16, pool: &Pool) -> bool {
        let queue = &self.outputs[vc & (V - 1)];
        let starts = start > 1 && queue.len > 0 && pool.get(queue.head(pool)).words & HEAD != 0;
        credits >= if starts { start } else { 1 }
    }

    /// Whether an output buffer takes what may come next: the flits of its holder, or the start of another packet.
    #[inline(always)]
    pub(super) fn has_room<const LONG: bool>(&self, start: u16, output: u16, vc: usize) -> bool {
        let queue = &self.outputs[vc & (V - 1)];
        let need = if LONG && queue.holder() == FREE { start } else { 1 };
        u32::from(queue.len) + u32::from(need) <= u32::from(output)
    }

    /// Notes whether it [has credit](Port::has_credit).
    #[inline]
    pub(super) fn check_credit(
        &mut self,
        vc: usize,
        credits: u16,
        state: &mut RouterState<P>,
        start: u16,
        pool: &Pool,
    ) {
        let enough = self.has_credit(vc, credits, start, pool);
        self.credit = self.credit & !(1 << vc) | u8::from(enough) << vc;
        state.sending.set(self.offset, self.filled & self.credit != 0);
    }

    /// Notes whether it [has room](Port::has_room).
    #[inline]
    pub(super) fn check_room<const LONG: bool>(
        &mut self,
        start: u16,
        output: u16,
        vc: usize,
        state: &mut RouterState<P>,
    ) {
        let bit = 1 << vc;
        if self.has_room::<LONG>(start, output, vc) == (self.room & bit == 0) {
            self.room ^= bit;
            state.asked.set(self.offset, self.open() != 0);
            if V == MOST_VCS as usize && self.room & bit == 0 {
                state.undecided = state.undecided.or(self.asks[vc & (V - 1)]);
            }
        }
    }

    /// The VC from which the link takes a flit, of those that can send: in turn, but packets on their way before others start.
    fn next_of_packets(&self, pool: &Pool) -> u8 {
        let can = u64::from(self.filled & self.credit);
        let is_on_its_way = |vc: &u8| pool.get(self.outputs[usize::from(*vc)].head(pool)).words & HEAD == 0;
        let going = in_turn(can, 0).filter(is_on_its_way).fold(0, |going, vc| going | 1 << vc);
        next_in_turn(if going == 0 { can } else { going }, self.link_turn)
    }
}

impl<const V: usize, const LONG: bool, const ONCE: bool, P: PortSet> Node<'_, V, LONG, ONCE, P> {
    /// Every link that can takes one flit.
    #[inline]
    pub(super) fn send<F: Forwarding>(&mut self, setting: &FlitModel<F>) {
        let (start, room) = (setting.start, setting.router.output);
        let mut ports = self.state.sending;
        while !ports.is_empty() {
            let offset = ports.pop();
            let port = usize::from(offset);
            let own = &mut self.ports[port];
            let vc = match LONG && setting.router.link == LinkTurn::Packet {
                true => own.next_of_packets(&self.shared.pool),
                false => next_in_turn(u64::from(own.filled & own.credit), own.link_turn),
            };
            own.link_turn = (vc + 1) & (V - 1) as u8;
            own.sent += 1;
            let output = &mut own.outputs[usize::from(vc) & (V - 1)];
            let id = output.pop(&mut self.shared.pool);
            let left = output.len;
            if left == 0 {
                own.filled ^= 1 << vc;
            }
            let credits = &mut self.credits[port][usize::from(vc) & (V - 1)];
            *credits -= u16::from(!own.terminal);
            if LONG && start > 1 || *credits == 0 {
                own.check_credit(usize::from(vc), *credits, self.state, start, &self.shared.pool);
            } else if own.filled & own.credit == 0 {
                self.state.sending.remove(offset);
            }
            // A single flit finds no room but where all is full.
            if LONG || left + 1 == room {
                let room = if LONG { setting.router.room(*credits) } else { room };
                own.check_room::<LONG>(start, room, usize::from(vc), self.state);
            }
            if own.terminal {
                let latency = own.latency;
                if setting.decides::<V>() {
                    self.shared.waiting[self.first + port] -= 1;
                }
                self.deliver(setting, latency, id);
            } else {
                self.fly(setting, port, vc, id);
            }
        }
    }

    /// A flit leaves for the next router.
    #[inline]
    fn fly<F: Forwarding>(&mut self, setting: &FlitModel<F>, port: usize, vc: u8, id: u32) {
        let own = &self.ports[port];
        let time = self.now + u32::from(own.latency) + setting.beyond;
        let crossing = Crossing { time, place: own.there | u32::from(vc) };
        let part = own.peer_part;
        // One comparison where the link is as most are.
        if part == self.shared.own {
            self.shared.cross_here(id, crossing);
        } else if part >= DEAD {
            let (port, credits) = (&mut self.ports[port], &mut self.credits[port]);
            let leaving = Leaving { port, credits, state: &mut *self.state, vc, id, crossing };
            self.shared.leave_by_dead::<F, LONG>(setting, leaving);
        } else {
            self.shared.cross_away(part, id, crossing);
        }
    }

    /// A flit reaches its endpoint. Latency counts from the packet's generation
    /// to its last flit, with both host links and the first router, which
    /// packets enter at once in the simulation.
    #[inline]
    fn deliver<F: Forwarding>(&mut self, setting: &FlitModel<F>, latency: u16, id: u32) {
        let Shared { pool, tally, .. } = &mut *self.shared;
        let flit = pool.remove(id);
        tally.delivered += 1;
        tally.hops += u64::from(flit.words & !(HEAD | TAIL | setting.target));
        if !LONG || flit.words & TAIL != 0 {
            let arrival = self.now + 2 * u32::from(latency) + setting.beyond;
            tally.arrived(arrival, flit.birth);
        }
    }
}
