//! One router in one cycle: its ports and what they share with the rest of
//! their part, borrowed once for all that the router does.

use super::Setting;
use super::mail::Mail;
use super::part::{Message, Source};
use super::queues::{Flit, HEAD, NONE, Pool, Port, RouterState, TAIL, TARGET};
use super::tally::Tally;
use crate::forwarding::{At, Forwarding, Header, Queues};
use crate::rng::Rng;

/// See the [module](self).
pub(super) struct Node<'a, const V: usize, const LONG: bool> {
    pub(super) now: u32,
    /// Its number in the whole network.
    pub(super) router: u32,
    /// Its ports and their credits.
    pub(super) ports: &'a mut [Port<V>],
    pub(super) credits: &'a mut [[u16; V]],
    /// Of all ports of the part, from its own at `first` on: the other ends of their cables, and when the heads of
    /// their buffers came (empty unless that matters).
    pub(super) first: usize,
    pub(super) peers: &'a [u32],
    pub(super) since: &'a mut [[u32; V]],
    pub(super) state: &'a mut RouterState,
    pub(super) rng: &'a mut Rng,
    /// Of the part: flits, endpoints, what is on the way.
    pub(super) pool: &'a mut Pool,
    pub(super) births: &'a mut [u32],
    pub(super) sources: &'a mut [Source],
    pub(super) mail: &'a mut Mail,
    pub(super) returning: &'a mut [Vec<u32>],
    pub(super) outboxes: &'a mut [Vec<Message>],
    pub(super) borders: &'a [u32],
    pub(super) tally: &'a mut Tally,
    pub(super) queues: Seen<'a>,
}

/// What adaptive forwardings see.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    /// Flits that wait for each port of the part.
    pub(super) waiting: &'a [u32],
    /// First port of each router; the number of the first router.
    pub(super) first: &'a [u32],
    pub(super) start: u32,
}

impl Queues for Seen<'_> {
    fn waiting(&self, router: u32, port: u8) -> u32 {
        self.waiting[(self.first[(router - self.start) as usize] + u32::from(port)) as usize]
    }
}

impl<const V: usize, const LONG: bool> Node<'_, V, LONG> {
    /// Takes the flits of a cycle off the links, the last first.
    #[inline]
    pub(super) fn take_mail<F: Forwarding>(&mut self, setting: &Setting<F>, slot: usize, mut mail: u32) {
        while mail != NONE {
            let (before, id) = self.mail.get(slot, mail);
            let (port, vc) = self.pool.flits[id as usize].comes_by();
            self.enter(setting, port, vc, id);
            mail = before;
        }
    }

    /// A flit comes into an input buffer.
    #[inline]
    fn enter<F: Forwarding>(&mut self, setting: &Setting<F>, port: u8, vc: u8, id: u32) {
        let queue = &mut self.ports[usize::from(port)].inputs[usize::from(vc) & (V - 1)];
        queue.push(self.pool, id);
        if queue.len == 1 {
            self.come_to_head(setting, port, vc, id);
        }
    }

    /// A flit at the head of an input buffer asks for its output: the first of
    /// a packet is told which, the others follow it.
    #[inline]
    pub(super) fn come_to_head<F: Forwarding>(&mut self, setting: &Setting<F>, port: u8, vc: u8, id: u32) {
        let own = &mut self.ports[usize::from(port)];
        let flit = &mut self.pool.flits[id as usize];
        if !LONG || flit.words & HEAD != 0 {
            let target = flit.words & TARGET;
            if own.terminal {
                let source = &mut self.sources[own.peer_router as usize];
                flit.header = setting.forwarding.inject(self.router, target, &self.queues, &mut source.how);
            }
            let lane = if setting.router.lanes == 1 { vc } else { vc / setting.router.lanes };
            let at = At { router: self.router, port, vc: lane };
            let hop = setting.forwarding.hop(at, target, &mut flit.header);
            own.inputs[usize::from(vc) & (V - 1)].note = (hop.port, setting.lanes(hop.vc));
            if let Some(since) = self.since.get_mut(self.first + usize::from(port)) {
                since[usize::from(vc) & (V - 1)] = self.now;
            }
        }
        let (to, vcs) = own.inputs[usize::from(vc) & (V - 1)].wish();
        self.ask(port, to, vcs);
    }

    /// An endpoint with a packet hands a flit to its router, if that has a place.
    #[inline]
    pub(super) fn inject<F: Forwarding>(&mut self, setting: &Setting<F>, s: usize) {
        let source = &mut self.sources[s];
        let port = source.port;
        if self.ports[usize::from(port)].inputs[0].len >= setting.router.buffers {
            return;
        }
        let mut marks = 0;
        if !LONG || source.left == 0 {
            source.target = setting.receiver(source);
            source.count += 1;
            source.left = setting.router.packet;
            marks |= HEAD;
        }
        source.left -= 1;
        let birth = self.births[s];
        if !LONG || source.left == 0 {
            marks |= TAIL;
            self.births[s] = source.after_packet(setting);
        }
        let flit = Flit { next: NONE, words: source.target | marks, header: Header(0), birth };
        self.tally.injected += 1;
        let id = self.pool.add(flit);
        self.enter(setting, port, 0, id);
    }
}
