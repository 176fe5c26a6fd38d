//! A part of the network, simulated by one thread: consecutive routers with
//! their buffers and endpoints. Parts meet only through the links between them.

use super::FlitModel;
use super::mail::{self, Mail};
use super::node::Node;
use super::port_set::{PortSet, in_turn};
use super::process::{Clock, NEVER, Process};
use super::queues::{FREE, NONE, Pool, Port, Queue, RouterState};
use super::router::{Allocator, Claim, Crossbar};
use super::separable::Turns;
use super::shared::{Outgoing, Shared, Source};
use super::tally::Tally;
use crate::forwarding::{Adapts, Forwarding, NOWHERE, Port as Wired};
use crate::rng::Rng;
use std::ops::Range;

/// Bytes of ports beyond which a router's are not in the cache when it is served again.
const CACHE: usize = 1 << 19;

/// See the [module](self). V is the number of VCs that ports have places for;
/// LONG says that packets have several flits, which hold VCs; P holds the ports of a router.
pub(super) struct Part<const V: usize, const LONG: bool, P: PortSet> {
    /// Its routers and ports, counted over the whole network.
    pub(super) routers: Range<u32>,
    pub(super) range: Range<u32>,
    pub(super) ports: Vec<Port<V, P>>,
    /// Free places of the input buffer at the other end of each port, by VC.
    pub(super) credits: Vec<[u16; V]>,
    /// The router of each port, counted in the part.
    owners: Vec<u32>,
    pub(super) states: Vec<RouterState<P>>,
    pub(super) shared: Shared<V, P>,
}

impl<const V: usize, const LONG: bool, P: PortSet> Part<V, LONG, P> {
    /// One of the parts that begin at these routers, empty; `cuts` ends with the end of the last.
    pub(super) fn new<F: Forwarding>(setting: &FlitModel<F>, cuts: &[u32], own: usize) -> Part<V, LONG, P> {
        let wiring = &setting.wiring;
        let routers = cuts[own]..cuts[own + 1];
        let range = wiring.first[routers.start as usize]..wiring.first[routers.end as usize];
        let span = setting.span();
        let count = range.len();
        let shared = Shared {
            pool: Pool::new(),
            mail: Mail::new(routers.len(), setting.port_bits, span),
            returning: vec![Vec::new(); span],
            tally: Tally::new(),
            births: Vec::new(),
            sources: Vec::new(),
            start: routers.start,
            first: wiring.first[routers.start as usize..=routers.end as usize]
                .iter()
                .map(|p| p - range.start)
                .collect(),
            outgoing: vec![Outgoing::default(); cuts.len() - 1],
            own: own as u16,
            foreign: 0,
            waiting: Vec::new(),
            bids: Vec::new(),
            turns: vec![Turns { input: 0, output: 0, holder: [0; V] }; if setting.has_turns() { count } else { 0 }],
            since: if setting.needs_since() { vec![[0; V]; count] } else { Vec::new() },
            rngs: routers.clone().map(|r| Rng::new(setting.seed, &format!("flits router {r}"))).collect(),
            dead: Vec::new(),
            holds: false,
        };
        let mut part = Part {
            ports: range.clone().map(|p| new_port(setting, p, cuts)).collect(),
            credits: vec![[setting.router.buffers; V]; count],
            owners: range.clone().map(|p| wiring.ports[p as usize].router - routers.start).collect(),
            states: shared.first.windows(2).map(|w| RouterState::new(w[0]..w[1])).collect(),
            routers,
            range,
            shared,
        };
        for r in 0..part.states.len() {
            let first = part.shared.sources.len();
            for port in part.states[r].range() {
                let endpoint = wiring.ports[part.range.start as usize + port].endpoint;
                if endpoint != NOWHERE {
                    part.add_source(setting, endpoint, port);
                }
            }
            part.states[r].set_sources(first..part.shared.sources.len());
            part.states[r].note_due(&part.shared.births);
        }
        part
    }

    fn add_source<F: Forwarding>(&mut self, setting: &FlitModel<F>, endpoint: u32, port: usize) {
        let left = match setting.process {
            Process::Exchange { bytes } => setting.packets_of(bytes) * setting.destinations.partners(endpoint),
            _ => 0,
        };
        let stream = |what: &str| Rng::new(setting.seed, &format!("flits {what} {endpoint}"));
        let mut source = Source {
            clock: Clock::new(stream("when"), setting.rate(endpoint), left),
            how: stream("how"),
            whom: stream("whom"),
            endpoint,
            only: setting.destinations.only(endpoint).unwrap_or(NOWHERE),
            count: 0,
            port: self.ports[port].offset,
            target: 0,
            left: 0,
            vc: 0,
            next: NEVER,
            waiting: Box::default(),
        };
        let first = setting.next_birth(&mut source);
        let limited = setting.router.source.is_some();
        source.next = if limited { first } else { NEVER };
        self.shared.births.push(if limited { NEVER } else { first });
        self.ports[port].there = self.shared.sources.len() as u32;
        self.shared.sources.push(source);
    }

    /// Simulates the cycles `from..to`. Nothing that happens elsewhere in them
    /// may concern this part.
    pub(super) fn advance<F: Forwarding>(&mut self, setting: &FlitModel<F>, from: u32, to: u32) {
        // Parts of other sizes have routers that take time and packets that do not decide, see `any_part`.
        let at_once = LONG && V == 8 && setting.router.delay == 0;
        if setting.decides::<V>() {
            match at_once {
                true => self.cycles::<F, true, true>(setting, from, to),
                false => self.cycles::<F, false, true>(setting, from, to),
            }
        } else {
            match at_once {
                true => self.cycles::<F, true, false>(setting, from, to),
                false => self.cycles::<F, false, false>(setting, from, to),
            }
        }
    }

    /// With ONCE what comes is switched before links take their flits, so that it
    /// may leave at once, over one link. With DECIDES packets say where to go as long as they wait.
    fn cycles<F: Forwarding, const ONCE: bool, const DECIDES: bool>(
        &mut self,
        setting: &FlitModel<F>,
        from: u32,
        to: u32,
    ) {
        let routers = self.states.len();
        let wide = size_of_val(&self.ports[..]) > CACHE;
        if DECIDES && self.shared.waiting.is_empty() {
            self.look_at_queues(setting);
        }
        for now in from..to {
            let slot = self.shared.slot(now);
            self.take_credits(setting, slot);
            self.shared.mail.arrive(slot, &mut self.shared.pool);
            if setting.router.source.is_some() {
                self.generate(setting, now);
            }
            if matches!(setting.forwarding.adapts(), Adapts::AtSource { .. }) {
                self.look_at_queues(setting);
            }
            // There and back again: what was served last is served first, while it is in the cache.
            let (mut next, step) = if now % 2 == 1 { (routers - 1, usize::MAX) } else { (0, 1) };
            for _ in 0..routers {
                let r = next;
                next = next.wrapping_add(step);
                let mail = self.shared.mail.take(r);
                let state = &self.states[r];
                let decides = DECIDES && (LONG || !state.undecided.is_empty());
                if mail.or(state.sending).or(state.asked).is_empty() && state.due > now && !decides {
                    continue;
                }
                if wide {
                    self.look_ahead(r, now, mail);
                }
                let mut node = self.node::<ONCE>(r, now);
                node.take_mail(setting, mail);
                if node.state.due <= now {
                    node.inject(setting);
                }
                if !ONCE {
                    node.send(setting);
                }
                if DECIDES {
                    node.decide(setting);
                }
                if !node.state.asked.is_empty() {
                    match setting.router.crossbar {
                        Crossbar::Ports if LONG && setting.router.allocator == Allocator::Separable => {
                            node.switch_input_first(setting);
                        }
                        Crossbar::Ports => node.switch(setting),
                        Crossbar::Vcs => node.switch_by_vc(setting),
                    }
                }
                if ONCE {
                    node.send(setting);
                }
            }
        }
    }

    /// Loads what a router will need: its ports, the flits that come or are delivered, the
    /// endpoints that send. Nothing here waits for anything else here, so that
    /// memory is waited for once and not piece by piece.
    #[inline]
    fn look_ahead(&self, router: usize, now: u32, mail: P) {
        let state = &self.states[router];
        let (own, Shared { pool, births, sources, .. }) = (&self.ports[state.range()], &self.shared);
        // Both lines of each.
        let mut sum = own.iter().fold(0, |sum, port| sum ^ port.sent ^ port.outputs[0].last());
        for port in mail.in_turn(0) {
            sum ^= pool.flits[self.shared.mail.arrived(router, port).flit as usize].words;
        }
        for port in state.sending.in_turn(0).map(|port| &own[usize::from(port)]) {
            for vc in in_turn(u64::from(port.filled), 0) {
                sum ^= pool.flits[port.outputs[usize::from(vc) & (V - 1)].last() as usize].words;
            }
        }
        if state.due <= now {
            for s in state.sources().filter(|&s| births[s] <= now) {
                sum ^= sources[s].endpoint ^ u32::from(sources[s].clock.is_silent());
            }
        }
        std::hint::black_box(sum);
    }

    #[inline(always)]
    fn node<const ONCE: bool>(&mut self, router: usize, now: u32) -> Node<'_, V, LONG, ONCE, P> {
        let state = &mut self.states[router];
        let own = state.range();
        Node {
            now,
            router: self.routers.start + router as u32,
            first: own.start,
            ports: &mut self.ports[own.clone()],
            credits: &mut self.credits[own],
            state,
            shared: &mut self.shared,
        }
    }

    /// Notes what adaptive forwardings may look at: the queues as they are now, which is at the beginning of a cycle. Where
    /// packets decide at every hop that goes on being true, see [`Shared::waiting`].
    fn look_at_queues<F: Forwarding>(&mut self, setting: &FlitModel<F>) {
        self.shared.waiting.clear();
        let both = self.ports.iter().zip(&self.credits);
        self.shared.waiting.extend(both.map(|(port, credits)| port.waiting(credits, setting.router.buffers)));
    }

    /// Takes the credits of a cycle off the links.
    fn take_credits<F: Forwarding>(&mut self, setting: &FlitModel<F>, slot: usize) {
        let mut returning = std::mem::take(&mut self.shared.returning[slot]);
        for word in returning.drain(..) {
            let (port, vc) = ((word >> 3) as usize, word as usize & (V - 1));
            let credits = &mut self.credits[port][vc];
            *credits += 1;
            if setting.decides::<V>() {
                self.shared.waiting[port] -= 1;
            }
            if *credits <= if LONG { setting.start } else { 1 } {
                let own = &mut self.ports[port];
                let state = &mut self.states[self.owners[port] as usize];
                own.check_credit(vc, *credits, state, if LONG { setting.start } else { 1 }, &self.shared.pool);
            }
            if LONG && setting.router.claim == Claim::Switch {
                let (room, state) = (setting.router.room(*credits), &mut self.states[self.owners[port] as usize]);
                self.ports[port].check_room::<LONG>(setting.start, room, vc, state);
            }
        }
        self.shared.returning[slot] = returning;
    }

    /// Endpoints with a limited queue generate packets, and lose those that do
    /// not fit.
    fn generate<F: Forwarding>(&mut self, setting: &FlitModel<F>, now: u32) {
        let limit = usize::from(setting.router.source.unwrap_or(u16::MAX));
        for state in &mut self.states {
            let Shared { sources, births, tally, .. } = &mut self.shared;
            for (source, birth) in sources[state.sources()].iter_mut().zip(&mut births[state.sources()]) {
                while source.next <= now {
                    if source.waiting.len() < limit {
                        source.waiting.push_back(source.next);
                        *birth = source.waiting[0];
                    } else {
                        tally.lost += 1;
                    }
                    source.next = setting.next_birth(source);
                }
            }
            self.shared.note_due::<LONG>(state);
        }
    }

    /// The router of a port, counted in the part.
    pub(super) fn router_of(&self, port: usize) -> usize {
        self.owners[port] as usize
    }

    /// Packets that each source has generated before `now` and not yet sent
    /// whole. O(packets that wait).
    pub(super) fn backlog<F: Forwarding>(&self, setting: &FlitModel<F>, now: u32) -> Vec<u64> {
        let of = |(source, &birth): (&Source, &u32)| {
            if setting.router.source.is_some() {
                return source.waiting.len() as u64;
            }
            let mut clock = source.clock.clone();
            let births =
                std::iter::successors(Some(birth), |_| Some(clock.next(setting.process, setting.router.packet)));
            births.take_while(|&b| b < now).count() as u64
        };
        self.shared.sources.iter().zip(&self.shared.births).map(of).collect()
    }

    /// Routers that flits went through since the beginning: what links took, and what
    /// waits for them. O(ports).
    pub(super) fn hops(&self) -> u64 {
        let waiting = |port: &Port<V, P>| port.outputs.iter().map(|o| u64::from(o.len)).sum::<u64>();
        self.shared.tally.sent_before + self.ports.iter().map(|p| u64::from(p.sent) + waiting(p)).sum::<u64>()
    }

    /// Takes in what another part has sent.
    pub(super) fn receive(&mut self, outgoing: &Outgoing) {
        for &(time, flit) in &outgoing.flits {
            let slot = self.shared.slot(time);
            self.shared.mail.put_remote(slot, flit);
        }
        for &(time, buffer) in &outgoing.credits {
            let slot = self.shared.slot(time);
            self.shared.returning[slot].push(buffer);
        }
        self.shared.foreign += outgoing.flits.len() as i64;
    }
}

/// Port `p` (counted over the whole network), where parts begin at these routers.
fn new_port<F: Forwarding, const V: usize, P: PortSet>(setting: &FlitModel<F>, p: u32, cuts: &[u32]) -> Port<V, P> {
    let wiring = &setting.wiring;
    let own = &wiring.ports[p as usize];
    let peer = wiring.ports.get(own.peer as usize);
    let all = setting.all_vcs();
    let part = peer.map_or(0, |q| cuts.partition_point(|&first| first <= q.router) - 1);
    let to = |q: &Wired| mail::place(setting.port_bits, q.router - cuts[part], wiring.offset(own.peer).into());
    Port {
        inputs: [Queue::empty((0, 0)); V],
        outputs: [Queue::empty(FREE); V],
        asks: [P::default(); V],
        held: 0,
        asked: 0,
        room: all,
        filled: 0,
        credit: all,
        link_turn: 0,
        input_turn: 0,
        vc_turn: 0,
        offset: wiring.offset(p),
        peer_port: peer.map_or(NONE, |_| own.peer - wiring.first[cuts[part] as usize]),
        peer_part: part as u16,
        there: peer.map_or(NONE, to),
        sent: 0,
        latency: own.latency,
        terminal: own.peer == NOWHERE,
    }
}
