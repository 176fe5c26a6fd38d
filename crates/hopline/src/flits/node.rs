//! One router in one cycle: its ports and what they share with the rest of
//! their part, borrowed once for all that the router does.

use super::FlitModel;
use super::port_set::PortSet;
use super::process::NEVER;
use super::queues::{Flit, HEAD, NONE, Port, RouterState, TAIL};
use super::router::InjectionVc;
use super::shared::Shared;
use crate::forwarding::{At, Forwarding, Header, Queues};

/// See the [module](self). ONCE says that flits may leave in the cycle of their
/// arrival: it is here so that the compiler keeps both kinds apart.
pub(super) struct Node<'a, const V: usize, const LONG: bool, const ONCE: bool, P: PortSet> {
    pub(super) now: u32,
    /// Its number in the whole network.
    pub(super) router: u32,
    /// Its first port, counted in the part.
    pub(super) first: usize,
    /// Its ports and their credits.
    pub(super) ports: &'a mut [Port<V, P>],
    pub(super) credits: &'a mut [[u16; V]],
    pub(super) state: &'a mut RouterState<P>,
    pub(super) shared: &'a mut Shared<V, P>,
}

/// What adaptive forwardings see.
struct RouterQueues<'a> {
    /// Flits that wait for each port of the part.
    waiting: &'a [u32],
    /// First port of each router; the number of the first router.
    first: &'a [u32],
    start: u32,
}

impl Queues for RouterQueues<'_> {
    fn waiting(&self, router: u32, port: u16) -> u32 {
        self.waiting[(self.first[(router - self.start) as usize] + u32::from(port)) as usize]
    }
}

impl<const V: usize, const LONG: bool, const ONCE: bool, P: PortSet> Node<'_, V, LONG, ONCE, P> {
    /// Takes the flits of a cycle off the links.
    #[inline]
    pub(super) fn take_mail<F: Forwarding>(&mut self, setting: &FlitModel<F>, mut mail: P) {
        while !mail.is_empty() {
            let port = mail.pop();
            let arrived = self.shared.mail.arrived((self.router - self.shared.start) as usize, port);
            self.enter(setting, port, arrived.vc(), arrived.flit);
        }
    }

    /// A flit comes into an input buffer.
    #[inline(always)]
    fn enter<F: Forwarding>(&mut self, setting: &FlitModel<F>, port: u8, vc: u8, id: u32) {
        let own = &mut self.ports[usize::from(port)];
        let queue = &mut own.inputs[usize::from(vc) & (V - 1)];
        queue.push(&mut self.shared.pool, id);
        if queue.len == 1 {
            own.held |= 1 << vc;
            self.come_to_head(setting, port, vc, id);
        }
    }

    /// A flit at the head of an input buffer asks for its output: the first of
    /// a packet is told which (or left to [decide](Node::decide)), the others follow it.
    #[inline(always)]
    pub(super) fn come_to_head<F: Forwarding>(&mut self, setting: &FlitModel<F>, port: u8, vc: u8, id: u32) {
        let own = &mut self.ports[usize::from(port)];
        let Shared { pool, sources, waiting, first, start, since, .. } = &mut *self.shared;
        let flit = &mut pool.flits[id as usize];
        flit.words += setting.hop;
        let queue = &mut own.inputs[usize::from(vc) & (V - 1)];
        if !LONG || flit.words & HEAD != 0 {
            let target = flit.words & setting.target;
            if own.terminal {
                let seen = RouterQueues { waiting, first, start: *start };
                let source = &mut sources[own.there as usize];
                flit.header = setting.forwarding.inject(self.router, target, &seen, &mut source.how);
            }
            let lane = if setting.router.lanes == 1 { vc } else { vc / setting.router.lanes };
            let lane = if LONG && own.terminal { 0 } else { lane };
            let at = At { router: self.router, port: port.into(), vc: lane };
            if let Some(since) = since.get_mut(self.first + usize::from(port)) {
                since[usize::from(vc) & (V - 1)] = self.now;
            }
            if setting.decides::<V>() {
                queue.note = (0, 0);
                self.state.undecided.insert(port);
                return;
            }
            let hop = setting.forwarding.hop(at, target, &mut flit.header);
            queue.note = (hop.port as u8, setting.outputs::<LONG>(self.router, hop));
        }
        let (to, vcs) = queue.wish();
        self.ask(port, to, vcs);
    }

    /// Endpoints with packets hand a flit to the router each, if that has a place.
    #[inline]
    pub(super) fn inject<F: Forwarding>(&mut self, setting: &FlitModel<F>) {
        let mut due = NEVER;
        for s in self.state.sources() {
            let begins_none = LONG && self.shared.holds && self.shared.sources[s].left == 0;
            if self.shared.births[s] <= self.now && !begins_none {
                self.inject_from(setting, s);
            }
            due = due.min(self.shared.births[s]);
        }
        self.state.due = due;
    }

    #[inline]
    fn inject_from<F: Forwarding>(&mut self, setting: &FlitModel<F>, s: usize) {
        let Shared { sources, births, tally, pool, .. } = &mut *self.shared;
        let source = &mut sources[s];
        let port = source.port;
        let vc = if LONG && setting.router.entry != InjectionVc::First {
            if source.left == 0 {
                source.vc = match setting.router.entry {
                    InjectionVc::First => 0,
                    InjectionVc::Lowest => {
                        let most = setting.router.buffers - setting.start;
                        let inputs = &self.ports[usize::from(port)].inputs[..usize::from(setting.vcs())];
                        inputs.iter().position(|buffer| buffer.len <= most).unwrap_or(0) as u8
                    }
                    InjectionVc::Random => source.how.below(u64::from(setting.vcs())) as u8,
                };
            }
            source.vc
        } else {
            0
        };
        if self.ports[usize::from(port)].inputs[usize::from(vc) & (V - 1)].len >= setting.router.buffers {
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
        let birth = births[s];
        if !LONG || source.left == 0 {
            marks |= TAIL;
            births[s] = source.after_packet(setting);
        }
        let flit = Flit { next: NONE, words: source.target | marks, header: Header(0), birth };
        tally.injected += 1;
        let id = pool.add(flit);
        self.enter(setting, port, vc, id);
    }
}
