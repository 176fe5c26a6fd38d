//! Where flits are: each has a target and has gone through no more routers than there are, and the first of a packet has a way on.

use crate::flits::FlitModel;
use crate::flits::part::Part;
use crate::flits::port_set::PortSet;
use crate::flits::queues::{Flit, HEAD, TAIL};
use crate::flits::router::EjectionVc;
use crate::forwarding::{At, Forwarding, Header, NOWHERE};

impl<F: Forwarding> FlitModel<F> {
    /// Routers that a flit came to, if it may be one of those in flight before the cycle `now`.
    fn routers_of(&self, now: u32, flit: Flit) -> Option<u32> {
        let above = flit.words & !(HEAD | TAIL | self.target);
        let hops = above.checked_div(self.hop).unwrap_or(above);
        let most = if self.hop == 0 { 0 } else { self.forwarding.longest() };
        (self.has_home(flit.words & self.target) && flit.birth < now && hops <= most).then_some(hops)
    }

    /// Whether a flit that came to so many routers may come to so many more.
    fn may_go(&self, hops: u32, left: u32) -> bool {
        self.hop == 0 || u64::from(hops) + u64::from(left) <= u64::from(self.forwarding.longest())
    }
}

impl<const V: usize, const LONG: bool, P: PortSet> Part<V, LONG, P> {
    /// Whether the flits in the buffers of a port and VC may be there.
    pub(super) fn are_flits_sound<F: Forwarding>(
        &self,
        setting: &FlitModel<F>,
        now: u32,
        r: usize,
        port: usize,
        vc: usize,
    ) -> bool {
        let (own, pool) = (&self.ports[port], &self.shared.pool);
        let router = self.routers.start + r as u32;
        let mut input = own.inputs[vc].iter(pool);
        let first = input.next().is_none_or(|flit| self.stands(setting, now, router, port, vc, flit));
        first
            && input.all(|flit| self.comes(setting, now, router, port, vc, flit))
            && own.outputs[vc].iter(pool).all(|flit| self.leaves(setting, now, port, vc, flit))
    }

    /// Where a packet stands that came by a port of a router on a VC.
    fn at<F: Forwarding>(&self, setting: &FlitModel<F>, router: u32, port: usize, vc: usize) -> At {
        let own = &self.ports[port];
        let lane = if LONG && own.terminal { 0 } else { vc as u8 / setting.router.lanes };
        At { router, port: own.offset.into(), vc: lane }
    }

    /// A flit at the head of an input buffer, which has come to this router and asks for an output.
    fn stands<F: Forwarding>(
        &self,
        setting: &FlitModel<F>,
        now: u32,
        router: u32,
        port: usize,
        vc: usize,
        flit: Flit,
    ) -> bool {
        let Some(hops) = setting.routers_of(now, flit) else { return false };
        if setting.hop > 0 && hops == 0 {
            return false;
        }
        if flit.words & HEAD == 0 {
            return true;
        }
        let (to, vcs) = self.ports[port].inputs[vc].wish();
        let first = port - usize::from(self.ports[port].offset);
        let there = first + usize::from(to);
        // All VCs that it asks for are lanes of one, or it leaves for its endpoint on any.
        let leaves = setting.router.exit == EjectionVc::Any && self.ports[there].terminal;
        let lane = leaves || setting.lanes.iter().any(|lanes| vcs & !lanes == 0);
        let wish = vcs == 0 || {
            lane && self
                .way_on(setting, there, vcs.trailing_zeros() as usize, flit)
                .is_some_and(|left| setting.may_go(hops, left))
        };
        let at = self.at(setting, router, port, vc);
        let decides = || {
            let left = setting.forwarding.left(&setting.wiring, at, flit.words & setting.target, flit.header);
            left.is_some_and(|left| setting.may_go(hops.saturating_sub(1), left))
        };
        wish && (!setting.decides::<V>() || decides())
    }

    /// A flit behind it, or on the link that leads there.
    pub(super) fn comes<F: Forwarding>(
        &self,
        setting: &FlitModel<F>,
        now: u32,
        router: u32,
        port: usize,
        vc: usize,
        flit: Flit,
    ) -> bool {
        let Some(hops) = setting.routers_of(now, flit) else { return false };
        if flit.words & HEAD == 0 {
            return true;
        }
        // An endpoint's packets get their header when they come to the head.
        let (at, header) = match self.ports[port].terminal {
            true => (At::start(router), Header(0)),
            false => (self.at(setting, router, port, vc), flit.header),
        };
        let left = setting.forwarding.left(&setting.wiring, at, flit.words & setting.target, header);
        left.is_some_and(|left| setting.may_go(hops, left))
    }

    /// A flit in an output buffer.
    fn leaves<F: Forwarding>(&self, setting: &FlitModel<F>, now: u32, port: usize, vc: usize, flit: Flit) -> bool {
        let Some(hops) = setting.routers_of(now, flit) else { return false };
        flit.words & HEAD == 0 || self.way_on(setting, port, vc, flit).is_some_and(|left| setting.may_go(hops, left))
    }

    /// Routers that a packet goes through at most once it has left by a port on a VC.
    fn way_on<F: Forwarding>(&self, setting: &FlitModel<F>, port: usize, vc: usize, flit: Flit) -> Option<u32> {
        let (wiring, target) = (&setting.wiring, flit.words & setting.target);
        let own = wiring.ports[self.range.start as usize + port];
        match own.peer {
            NOWHERE => (own.endpoint == target).then_some(0),
            peer => {
                let at = wiring.head(peer, vc as u8 / setting.router.lanes);
                setting.forwarding.left(wiring, at, target, flit.header)
            }
        }
    }
}
