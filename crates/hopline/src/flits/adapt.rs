//! Adaptive routings: what a packet asks for where it may go several ways, decided in every
//! cycle as long as nothing takes it. Looks at its own router only, as it is at that moment, so that
//! neither threads nor parts change anything.

use super::FlitModel;
use super::node::Node;
use super::port_set::PortSet;
use super::queues::{FREE, Port};
use crate::forwarding::{At, Choice, Forwarding, Header, Hop, OfOneKind, Outputs, mix};

/// What a packet sees of its router, and what it has chosen there.
struct RouterChoice<'a, F, const V: usize, const LONG: bool, P> {
    setting: &'a FlitModel<F>,
    router: u32,
    ports: &'a [Port<V, P>],
    credits: &'a [[u16; V]],
    /// Flits that wait for each port of the part, and the router's first.
    waiting: &'a [u32],
    first: usize,
    /// The port and VCs of the least cost that take it, and that cost; without VCs none does.
    best: (u8, u8),
    cost: u32,
    /// See [`Choice::drawn`].
    drawn: u32,
}

impl<F: Forwarding, const V: usize, const LONG: bool, P: PortSet> Outputs for RouterChoice<'_, F, V, LONG, P> {
    #[inline(always)]
    fn waiting(&self, hop: Hop) -> u32 {
        let port = usize::from(hop.port);
        let of = |vc: usize| {
            u32::from(self.ports[port].outputs[vc].len)
                + u32::from(self.setting.router.buffers - self.credits[port][vc])
        };
        match self.setting.router.lanes {
            1 => of(usize::from(hop.vc) & (V - 1)),
            _ => bits(self.setting.lanes[usize::from(hop.vc) & 7]).map(|vc| of(vc & (V - 1))).sum(),
        }
    }

    #[inline]
    fn at_port(&self, port: u16) -> u32 {
        self.waiting[self.first + usize::from(port)]
    }
}

impl<F: Forwarding, const V: usize, const LONG: bool, P: PortSet> Choice for RouterChoice<'_, F, V, LONG, P> {
    #[inline(always)]
    fn offer(&mut self, hop: Hop, cost: u32) -> bool {
        let wish = (hop.port as u8, self.setting.outputs::<LONG>(self.router, hop));
        let is_best = (cost < self.cost || self.best.1 == 0) && takes::<V, LONG, P>(self.ports, wish);
        if is_best {
            (self.best, self.cost) = (wish, cost);
        }
        is_best
    }

    #[inline]
    fn is_made(&self) -> bool {
        self.best.1 != 0
    }

    #[inline(always)]
    fn drawn(&self) -> u32 {
        if LONG { self.drawn } else { 0 }
    }
}

/// Whether an output port takes a packet on one of these VCs now.
#[inline]
fn takes<const V: usize, const LONG: bool, P: PortSet>(ports: &[Port<V, P>], (port, vcs): (u8, u8)) -> bool {
    let own = &ports[usize::from(port)];
    let open = vcs & own.room;
    if LONG { bits(open).any(|vc| own.outputs[vc & (V - 1)].holder() == FREE) } else { open != 0 }
}

/// Random bits of a packet at a router in one cycle, never 0.
fn drawn(router: u32, now: u32, port: u8, vc: u8) -> u32 {
    let packet = router << 11 ^ u32::from(port) << 3 ^ u32::from(vc);
    mix(Header(packet), now) | 1 << 30
}

/// The numbers of the bits of a mask.
#[inline]
fn bits(mut mask: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = mask.trailing_zeros() as usize;
        let some = mask != 0;
        mask &= mask.wrapping_sub(1);
        some.then_some(next)
    })
}

/// What is left to do once the kind of the forwarding is known.
struct Decide<'n, 'a, F, const V: usize, const LONG: bool, const ONCE: bool, P: PortSet> {
    node: &'n mut Node<'a, V, LONG, ONCE, P>,
    setting: &'n FlitModel<F>,
}

impl<F: Forwarding, const V: usize, const LONG: bool, const ONCE: bool, P: PortSet> OfOneKind
    for Decide<'_, '_, F, V, LONG, ONCE, P>
{
    #[inline]
    fn run(self, forwarding: &impl Forwarding) {
        self.node.decide_by(self.setting, forwarding);
    }
}

impl<const V: usize, const LONG: bool, const ONCE: bool, P: PortSet> Node<'_, V, LONG, ONCE, P> {
    /// Whether the packet at the head of an input buffer holds one of these VCs, and stays with it: it is on its way, or is to
    /// cross next.
    fn has_a_vc(&self, input: (u8, u8), (port, vcs): (u8, u8)) -> bool {
        let own = &self.ports[usize::from(port)];
        LONG && bits(vcs).any(|vc| own.outputs[vc & (V - 1)].holder() == input)
    }

    /// The port and VCs for which the packet at the head of an input buffer may best ask. None where nothing takes it.
    #[inline(always)]
    fn best<F: Forwarding>(
        &self,
        setting: &FlitModel<F>,
        forwarding: &impl Forwarding,
        port: u8,
        vc: u8,
    ) -> Option<(u8, u8)> {
        let pool = &self.shared.pool;
        let flit = pool.get(self.ports[usize::from(port)].inputs[usize::from(vc) & (V - 1)].head(pool));
        let is_terminal = self.ports[usize::from(port)].terminal;
        let lane = if setting.router.lanes == 1 { vc } else { vc / setting.router.lanes };
        let lane = if is_terminal { 0 } else { lane };
        let at = At { router: self.router, port: port.into(), vc: lane };
        let mut choice = RouterChoice::<F, V, LONG, P> {
            setting,
            router: self.router,
            ports: self.ports,
            credits: self.credits,
            waiting: &self.shared.waiting,
            first: self.first,
            best: (0, 0),
            cost: u32::MAX,
            drawn: if LONG && setting.decides_anew() { drawn(self.router, self.now, port, vc) } else { 0 },
        };
        forwarding.candidates(at, flit.words & setting.target, flit.header, &mut choice);
        Some(choice.best).filter(|best| best.1 != 0)
    }

    /// Packets that ask for nothing yet, or for what takes nobody now, decide.
    pub(super) fn decide<F: Forwarding>(&mut self, setting: &FlitModel<F>) {
        setting.forwarding.with(Decide { node: self, setting });
    }

    /// The same by a forwarding that is no longer one of a list.
    #[inline(never)]
    fn decide_by<F: Forwarding>(&mut self, setting: &FlitModel<F>, forwarding: &impl Forwarding) {
        if LONG {
            for port in 0..self.ports.len() as u8 {
                self.decide_at(setting, forwarding, port);
            }
            return;
        }
        let mut ports = std::mem::take(&mut self.state.undecided);
        while !ports.is_empty() {
            let port = ports.pop();
            if !self.decide_at(setting, forwarding, port) {
                self.state.undecided.insert(port);
            }
        }
    }

    /// The heads of an input port; false where one of them finds nothing that takes it.
    #[inline(always)]
    fn decide_at<F: Forwarding>(&mut self, setting: &FlitModel<F>, forwarding: &impl Forwarding, port: u8) -> bool {
        let mut all = true;
        let mut held = self.ports[usize::from(port)].held;
        while held != 0 {
            let vc = held.trailing_zeros() as u8;
            held &= held - 1;
            let before = self.ports[usize::from(port)].inputs[usize::from(vc) & (V - 1)].wish();
            let keeps = || !(LONG && setting.decides_anew()) && takes::<V, LONG, P>(self.ports, before);
            if before.1 != 0 && (keeps() || self.has_a_vc((port, vc), before)) {
                continue;
            }
            let Some(after) = self.best(setting, forwarding, port, vc) else {
                all = false;
                continue;
            };
            if before.1 != 0 {
                self.withdraw((port, vc), before.0, before.1);
            }
            self.ports[usize::from(port)].inputs[usize::from(vc) & (V - 1)].note = after;
            self.ask(port, after.0, after.1);
        }
        all
    }
}
