//! Adaptive routings: what a packet asks for where it may go several ways, decided in every
//! cycle as long as nothing takes it. Looks at its own router only, as it is at that moment, so that
//! neither threads nor parts change anything.

use super::FlitModel;
use super::node::Node;
use super::port_set::PortSet;
use super::queues::{FREE, Port};
use crate::forwarding::{At, Forwarding, Hop, Outputs};

/// What a packet sees of its router.
struct RouterView<'a, F, const V: usize, P> {
    setting: &'a FlitModel<F>,
    ports: &'a [Port<V, P>],
    credits: &'a [[u16; V]],
}

impl<F: Forwarding, const V: usize, P: PortSet> Outputs for RouterView<'_, F, V, P> {
    fn waiting(&self, hop: Hop) -> u32 {
        let port = usize::from(hop.port);
        let of = |vc: usize| {
            u32::from(self.ports[port].outputs[vc].len)
                + u32::from(self.setting.router.buffers - self.credits[port][vc])
        };
        bits(self.setting.lanes[usize::from(hop.vc) & 7]).map(|vc| of(vc & (V - 1))).sum()
    }

    fn at_port(&self, port: u16) -> u32 {
        let port = usize::from(port);
        self.ports[port].waiting(&self.credits[port], self.setting.router.buffers)
    }
}

/// The numbers of the bits of a mask.
fn bits(mut mask: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = mask.trailing_zeros() as usize;
        let some = mask != 0;
        mask &= mask.wrapping_sub(1);
        some.then_some(next)
    })
}

impl<const V: usize, const LONG: bool, const ONCE: bool, P: PortSet> Node<'_, V, LONG, ONCE, P> {
    /// Whether an output port takes a packet on one of these VCs now.
    fn takes(&self, (port, vcs): (u8, u8)) -> bool {
        let own = &self.ports[usize::from(port)];
        bits(vcs & own.room).any(|vc| !LONG || own.outputs[vc & (V - 1)].holder() == FREE)
    }

    /// Whether the packet at the head of an input buffer holds one of these VCs, and stays with it: it is on its way, or is to
    /// cross next.
    fn has_a_vc(&self, input: (u8, u8), (port, vcs): (u8, u8)) -> bool {
        let own = &self.ports[usize::from(port)];
        LONG && bits(vcs).any(|vc| own.outputs[vc & (V - 1)].holder() == input)
    }

    /// The port and VCs for which the packet at the head of an input buffer may best ask: the first of its
    /// candidates that takes it, or the escape if that does. None where nothing does.
    fn best<F: Forwarding>(&mut self, setting: &FlitModel<F>, port: u8, vc: u8) -> Option<(u8, u8)> {
        let pool = &self.shared.pool;
        let flit = pool.get(self.ports[usize::from(port)].inputs[usize::from(vc) & (V - 1)].head(pool));
        let mut found = std::mem::take(&mut self.shared.found);
        let is_terminal = self.ports[usize::from(port)].terminal;
        let lane = if is_terminal { 0 } else { vc / setting.router.lanes };
        let at = At { router: self.router, port: port.into(), vc: lane };
        let (target, mut header) = (flit.words & setting.target, flit.header);
        let own = RouterView { setting, ports: self.ports, credits: self.credits };
        setting.forwarding.candidates(at, target, header, &own, &mut found);
        let wish = |hop: Hop| (hop.port as u8, setting.lanes[usize::from(hop.vc) & 7]);
        let takes = |&wish: &(u8, u8)| self.takes(wish);
        let escape = || Some(wish(setting.forwarding.hop(at, target, &mut header))).filter(takes);
        let best = found.iter().map(|&hop| wish(hop)).find(takes).or_else(escape);
        found.clear();
        self.shared.found = found;
        best
    }

    /// Packets that ask for nothing yet, or for what takes nobody now, decide.
    #[inline(never)]
    pub(super) fn decide<F: Forwarding>(&mut self, setting: &FlitModel<F>) {
        for port in 0..self.ports.len() as u8 {
            let mut held = self.ports[usize::from(port)].held;
            while held != 0 {
                let vc = held.trailing_zeros() as u8;
                held &= held - 1;
                let before = self.ports[usize::from(port)].inputs[usize::from(vc) & (V - 1)].wish();
                if self.takes(before) || self.has_a_vc((port, vc), before) {
                    continue;
                }
                if let Some(after) = self.best(setting, port, vc) {
                    self.withdraw((port, vc), before.0, before.1);
                    self.ports[usize::from(port)].inputs[usize::from(vc) & (V - 1)].note = after;
                    self.ask(port, after.0, after.1);
                }
            }
        }
    }
}
