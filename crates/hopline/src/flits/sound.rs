//! Whether a state that was read is one that a simulation can come to. The engine takes for granted that masks say what queues hold,
//! that packets are whole and have a way on, and that a link's ends agree; here all of it is looked at, once. Parts look at their
//! routers (`sound/router`) and at where flits are (`sound/place`); then the ends of links are compared.

mod place;
mod router;

use super::bytes::{Bytes, Writer, damaged};
use super::part::Part;
use super::port_set::PortSet;
use super::queues::{FREE, Flit, HEAD, TAIL};
use super::router::InjectionVc;
use super::{FlitModel, Simulation};
use crate::error::Result;
use crate::forwarding::{Forwarding, NOWHERE};
use crate::peers::{agree, damaged as garbled};
use std::collections::HashMap;

/// What comes to a port on a VC: flits in the input buffer and on the link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Inbox {
    flits: u16,
    /// The rest of a packet is still to come.
    open: bool,
}

impl<F: Forwarding> Simulation<F> {
    /// Refuses a state to which no simulation comes; the processes together. O(flits * hops + ports * VCs).
    pub(super) fn check(&self) -> Result<()> {
        let peers = &*self.shares.peers;
        let own: Option<Vec<Vec<Inbox>>> =
            self.parts.iter().map(|part| part.inboxes(&self.setting, self.now)).collect();
        let own = agree(peers, own.ok_or_else(damaged))?.concat();
        let far = self.inboxes_elsewhere(&own)?;
        let (vcs, first) = (u32::from(self.setting.vcs()), self.shares.own_ports(&self.setting.wiring).start);
        let inbox = |port: u32, vc: u8| {
            let node = port * vcs + u32::from(vc);
            far.get(&node).copied().unwrap_or_else(|| own[(node - first * vcs) as usize])
        };
        let joined = self.parts.iter().all(|part| part.is_joined(&self.setting, &inbox));
        agree(peers, if joined { Ok(()) } else { Err(damaged()) })
    }

    /// What comes to ports of other processes that are cabled to this one, by port times VCs plus VC.
    fn inboxes_elsewhere(&self, own: &[Inbox]) -> Result<HashMap<u32, Inbox>> {
        let (wiring, shares, vcs) = (&self.setting.wiring, &self.shares, u32::from(self.setting.vcs()));
        let mut messages = vec![Writer::default(); shares.neighbours.len()];
        for (port, inboxes) in shares.own_ports(wiring).zip(own.chunks_exact(vcs as usize)) {
            let Some(peer) = wiring.ports.get(wiring.ports[port as usize].peer as usize) else { continue };
            let Ok(to) = shares.neighbours.binary_search(&shares.owner(peer.router)) else { continue };
            for (node, inbox) in (port * vcs..).zip(inboxes) {
                [node, inbox.flits.into(), inbox.open.into()].into_iter().for_each(|n| messages[to].put(n));
            }
        }
        let messages = messages.into_iter().map(Writer::into_bytes).collect();
        let mut far = HashMap::new();
        for message in shares.peers.exchange(&shares.neighbours, messages)? {
            let mut bytes = Bytes::new(&message);
            while !bytes.0.is_empty() {
                let (node, flits, open): (u32, u16, u8) = (bytes.get()?, bytes.get()?, bytes.get()?);
                far.insert(node, Inbox { flits, open: open > 0 });
            }
        }
        // Of every port there that is cabled to one here.
        let expected = shares.own_ports(wiring).map(|port| wiring.ports[port as usize].peer);
        let expected = expected
            .filter(|&peer| peer != NOWHERE && shares.owner(wiring.ports[peer as usize].router) != shares.peers.rank());
        let all = expected.flat_map(|peer| peer * vcs..(peer + 1) * vcs).all(|node| far.contains_key(&node));
        if all { Ok(far) } else { Err(garbled()) }
    }
}

/// Whether the flits of a queue are whole packets one after the other, behind one that is under way or not; whether the last is
/// under way then.
fn follows(open: bool, flits: impl IntoIterator<Item = Flit>) -> Option<bool> {
    flits.into_iter().try_fold(open, |open, flit| {
        let begins = flit.words & HEAD != 0;
        (begins != open).then_some(flit.words & TAIL == 0)
    })
}

impl<const V: usize, const LONG: bool, P: PortSet> Part<V, LONG, P> {
    /// What comes to each of its ports on each VC; nothing where a router, an endpoint or a flit is not as it can be before the
    /// cycle `now`.
    pub(super) fn inboxes<F: Forwarding>(&self, setting: &FlitModel<F>, now: u32) -> Option<Vec<Inbox>> {
        let vcs = usize::from(setting.vcs());
        let mut inboxes = vec![Inbox::default(); self.ports.len() * vcs];
        for r in 0..self.states.len() {
            self.is_router_sound(setting, now, r).then_some(())?;
            for port in self.states[r].range() {
                for vc in 0..vcs {
                    let queue = &self.ports[port].inputs[vc];
                    let open = follows(self.is_under_way(port, vc), queue.iter(&self.shared.pool))?;
                    inboxes[port * vcs + vc] = Inbox { flits: queue.len, open };
                    self.are_flits_sound(setting, now, r, port, vc).then_some(())?;
                }
            }
        }
        self.take_mail(setting, now, &mut inboxes)?;
        for s in self.states.iter().flat_map(|state| state.sources().map(move |s| (state, s))) {
            self.is_source_sound(setting, now, s.1, s.0.range().start, &inboxes).then_some(())?;
        }
        Some(inboxes)
    }

    /// Adds what is on links, in the order of its arrival: one flit at a port and cycle, and none later than its link takes.
    fn take_mail<F: Forwarding>(&self, setting: &FlitModel<F>, now: u32, inboxes: &mut [Inbox]) -> Option<()> {
        let (mail, wiring, vcs) = (&self.shared.mail, &setting.wiring, usize::from(setting.vcs()));
        let mut coming: Vec<_> = mail
            .under_way(&self.shared.pool)
            .map(|(slot, flit)| {
                let (router, offset, vc) = mail.of_place(flit.next);
                (self.states[router].range().start + offset, self.cycles_until(slot, now), usize::from(vc), flit)
            })
            .collect();
        coming.sort_unstable_by_key(|&(port, cycles, ..)| (port, cycles));
        let together = coming.windows(2).any(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1));
        (!together).then_some(())?;
        for (port, cycles, vc, flit) in coming {
            let own = &wiring.ports[self.range.start as usize + port];
            let from = wiring.ports.get(own.peer as usize)?;
            let inbox = inboxes.get_mut(port * vcs + vc).filter(|_| vc < vcs)?;
            let in_time = cycles < u32::from(from.latency) + setting.beyond;
            let comes_on = self.comes(setting, now, own.router, port, vc, flit);
            (in_time && comes_on).then_some(())?;
            *inbox = Inbox { flits: inbox.flits.checked_add(1)?, open: follows(inbox.open, [flit])? };
        }
        Some(())
    }

    /// Cycles until what is at a place of the rings of arrivals is there.
    fn cycles_until(&self, slot: usize, now: u32) -> u32 {
        (slot.wrapping_sub(now as usize) & (self.shared.returning.len() - 1)) as u32
    }

    /// Whether the links that leave its ports agree with what comes at their other ends: every place of a buffer there is taken by a
    /// flit, or known here to be free, or told so on the way back; and packets go on where they are under way.
    pub(super) fn is_joined<F: Forwarding>(&self, setting: &FlitModel<F>, inbox: &dyn Fn(u32, u8) -> Inbox) -> bool {
        let (wiring, vcs, buffers) = (&setting.wiring, setting.vcs(), u32::from(setting.router.buffers));
        let mut back = vec![[0u32; V]; self.ports.len()];
        for &word in self.shared.returning.iter().flatten() {
            back[word as usize >> 3][word as usize & (V - 1)] += 1;
        }
        (0..self.ports.len()).all(|port| {
            let there = wiring.ports[self.range.start as usize + port].peer;
            (0..V).all(|vc| {
                let free = u32::from(self.credits[port][vc]) + back[port][vc];
                if there == NOWHERE || vc >= usize::from(vcs) {
                    return free == buffers && back[port][vc] == 0;
                }
                let inbox = inbox(there, vc as u8);
                // By a dead cable comes only what was on its way across.
                let goes_on = self.goes_on(port, vc) && self.dead(port).is_none_or(|dead| dead.crosses(vc));
                free + u32::from(inbox.flits) == buffers && inbox.open == goes_on
            })
        })
    }

    /// Whether a packet is on its way out of an input buffer: its first flit is gone, its last is not.
    fn is_under_way(&self, port: usize, vc: usize) -> bool {
        let queue = &self.ports[port].inputs[vc];
        let is_head = queue.iter(&self.shared.pool).next().is_some_and(|flit| flit.words & HEAD != 0);
        queue.wish().1 != 0 && !is_head
    }

    /// Whether a packet is on its way into an output buffer.
    pub(super) fn is_taken(&self, port: usize, vc: usize) -> bool {
        let own = &self.ports[port];
        let (input, from) = own.outputs[vc].holder();
        let first = port - usize::from(own.offset);
        (input, from) != FREE && self.is_under_way(first + usize::from(input), usize::from(from) & (V - 1))
    }

    /// Whether an endpoint is in the middle of a packet to exactly one VC of its port, and its packets were generated before now.
    fn is_source_sound<F: Forwarding>(
        &self,
        setting: &FlitModel<F>,
        now: u32,
        s: usize,
        first: usize,
        inboxes: &[Inbox],
    ) -> bool {
        let (source, birth) = (&self.shared.sources[s], self.shared.births[s]);
        let (port, vcs) = (first + usize::from(source.port), usize::from(setting.vcs()));
        let chosen = if LONG && setting.router.entry != InjectionVc::First { usize::from(source.vc) } else { 0 };
        let begun = source.left > 0;
        let whole = inboxes[port * vcs..(port + 1) * vcs]
            .iter()
            .enumerate()
            .all(|(vc, inbox)| inbox.open == (begun && vc == chosen) && inbox.flits <= setting.router.buffers);
        let at_most = source.left < setting.router.packet && source.count <= u64::from(now);
        let has_way = !begun || (birth < now && setting.has_home(source.target));
        whole && at_most && usize::from(source.vc) < vcs && has_way && setting.is_clock_sound(now, source, birth)
    }
}
