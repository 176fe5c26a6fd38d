//! The links of a router: from output buffers to the next router or endpoint.

use super::Setting;
use super::node::Node;
use super::part::Message;
use super::queues::{FREE, Flit, HEAD, NONE, Pool, Port, RouterState, TAIL};
use super::switch::next_in_turn;
use crate::forwarding::Forwarding;

impl<const V: usize> Port<V> {
    /// Notes whether the next router takes the first flit of an output buffer;
    /// `start` flits must find place for a packet to start.
    #[inline]
    pub(super) fn check_credit(&mut self, vc: usize, credits: u16, state: &mut RouterState, start: u16, pool: &Pool) {
        let queue = &self.outputs[vc & (V - 1)];
        let starts = start > 1 && queue.len > 0 && pool.get(queue.head(pool)).words & HEAD != 0;
        let enough = credits >= if starts { start } else { 1 };
        self.credit = self.credit & !(1 << vc) | u8::from(enough) << vc;
        let ready = u64::from(self.filled & self.credit != 0);
        state.sending = state.sending & !(1 << self.offset) | ready << self.offset;
    }

    /// Notes whether an output buffer takes what may come next: the flits of its
    /// holder, or the start of another packet.
    #[inline]
    pub(super) fn check_room<F: Forwarding, const LONG: bool>(
        &mut self,
        setting: &Setting<F>,
        vc: usize,
        state: &mut RouterState,
    ) {
        let output = &self.outputs[vc & (V - 1)];
        let need = if LONG && output.holder() == FREE { setting.start } else { 1 };
        let full = output.len + need > setting.router.output;
        let bit = 1 << vc;
        if full != (self.room & bit == 0) {
            self.room ^= bit;
            let port = 1u64 << self.offset;
            state.asked = if self.open() != 0 { state.asked | port } else { state.asked & !port };
        }
    }
}

impl<const V: usize, const LONG: bool> Node<'_, V, LONG> {
    /// Every link that can takes one flit.
    pub(super) fn send<F: Forwarding>(&mut self, setting: &Setting<F>) {
        let mut ports = self.state.sending;
        while ports != 0 {
            let port = ports.trailing_zeros() as usize;
            ports &= ports - 1;
            let own = &mut self.ports[port];
            let vc = next_in_turn(u64::from(own.filled & own.credit), own.link_turn);
            own.link_turn = (vc + 1) & (V - 1) as u8;
            own.sent += 1;
            let output = &mut own.outputs[usize::from(vc) & (V - 1)];
            let id = output.pop(self.pool);
            if output.len == 0 {
                own.filled &= !(1 << vc);
            }
            let credits = &mut self.credits[port][usize::from(vc) & (V - 1)];
            *credits -= u16::from(!own.terminal);
            if LONG && setting.start > 1 || *credits == 0 {
                own.check_credit(usize::from(vc), *credits, self.state, setting.start, self.pool);
            } else if own.filled & own.credit == 0 {
                self.state.sending &= !(1 << port);
            }
            own.check_room::<F, LONG>(setting, usize::from(vc), self.state);
            let (latency, to) = (own.latency, (own.peer_router, own.peer_offset));
            if own.terminal {
                self.deliver(setting, latency, id);
            } else {
                self.fly(setting, (latency, port), to, vc, id);
            }
        }
    }

    /// A flit leaves for the next router.
    #[inline]
    fn fly<F: Forwarding>(
        &mut self,
        setting: &Setting<F>,
        (latency, own): (u16, usize),
        (router, port): (u32, u8),
        vc: u8,
        id: u32,
    ) {
        let time = self.now + u32::from(latency) + u32::from(setting.router.delay) - 1;
        let flit = &mut self.pool.flits[id as usize];
        flit.words = Flit::coming_by(flit.words, port, vc);
        if router != NONE {
            let slot = time as usize & (self.returning.len() - 1);
            self.mail.put(slot, router as usize, id);
        } else {
            let flit = self.pool.remove(id);
            self.post(Message { time, port: self.peers[self.first + own], vc, flit: Some(flit) });
        }
    }

    /// A flit reaches its endpoint. Latency counts from the packet's generation
    /// to its last flit, with both host links and the first router, which
    /// packets enter at once in the simulation.
    #[inline]
    fn deliver<F: Forwarding>(&mut self, setting: &Setting<F>, latency: u16, id: u32) {
        let flit = self.pool.remove(id);
        self.tally.delivered += 1;
        if !LONG || flit.words & TAIL != 0 {
            let extra = 2 * u32::from(latency) + u32::from(setting.router.delay) - 1;
            self.tally.arrived(self.now - flit.birth + extra);
        }
    }

    /// Sends a message to the part of its port.
    pub(super) fn post(&mut self, message: Message) {
        let part = self.borders.partition_point(|&first| first <= message.port) - 1;
        self.outboxes[part].push(message);
    }
}
