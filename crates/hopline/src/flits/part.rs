//! A part of the network, simulated by one thread: consecutive routers with
//! their buffers and endpoints. Parts meet only through the links between them.

use super::Setting;
use super::mail::Mail;
use super::node::Node;
use super::process::{Clock, NEVER, Process};
use super::queues::{FREE, NONE, Pool, Port, Queue, RouterState};
use super::router::Crossbar;
use super::shared::{Message, Shared, Source};
use super::switch::in_turn;
use super::tally::Tally;
use crate::forwarding::{Forwarding, NOWHERE};
use crate::rng::Rng;
use std::ops::Range;

/// Bytes of ports beyond which a router's are not in the cache when it is served again.
const CACHE: usize = 1 << 19;

/// See the [module](self). V is the number of VCs that ports have places for;
/// LONG says that packets have several flits, which hold VCs.
pub(super) struct Part<const V: usize, const LONG: bool> {
    /// Its routers and ports, counted over the whole network.
    pub(super) routers: Range<u32>,
    pub(super) range: Range<u32>,
    pub(super) ports: Vec<Port<V>>,
    /// Free places of the input buffer at the other end of each port, by VC.
    pub(super) credits: Vec<[u16; V]>,
    /// The router of each port, counted in the part.
    owners: Vec<u32>,
    pub(super) states: Vec<RouterState>,
    pub(super) shared: Shared<V>,
}

impl<const V: usize, const LONG: bool> Part<V, LONG> {
    /// The part of consecutive routers, empty; `borders` are the first ports of
    /// all parts.
    pub(super) fn new<F: Forwarding>(setting: &Setting<F>, routers: Range<u32>, borders: Vec<u32>) -> Part<V, LONG> {
        let wiring = &setting.wiring;
        let range = wiring.first[routers.start as usize]..wiring.first[routers.end as usize];
        let span = setting.span();
        let count = range.len();
        let shared = Shared {
            pool: Pool::new(),
            mail: Mail::new(routers.len(), count, span),
            returning: vec![Vec::new(); span],
            tally: Tally::new(),
            births: Vec::new(),
            sources: Vec::new(),
            start: routers.start,
            first: wiring.first[routers.start as usize..=routers.end as usize]
                .iter()
                .map(|p| p - range.start)
                .collect(),
            peers: range.clone().map(|p| wiring.ports[p as usize].peer).collect(),
            outboxes: vec![Vec::new(); borders.len()],
            borders,
            waiting: Vec::new(),
            since: if setting.needs_since() { vec![[0; V]; count] } else { Vec::new() },
            rngs: routers.clone().map(|r| Rng::new(setting.seed, &format!("flits router {r}"))).collect(),
        };
        let mut part = Part {
            ports: range.clone().map(|p| new_port(setting, p, &routers)).collect(),
            credits: vec![[setting.router.buffers; V]; count],
            owners: range.clone().map(|p| wiring.ports[p as usize].router - routers.start).collect(),
            states: shared.first.windows(2).map(|w| RouterState::new(w[0]..w[1])).collect(),
            routers,
            range,
            shared,
        };
        for r in 0..part.states.len() {
            part.states[r].sender = part.shared.sources.len() as u32;
            for port in part.states[r].range() {
                let endpoint = wiring.ports[part.range.start as usize + port].endpoint;
                if endpoint != NOWHERE {
                    part.add_source(setting, endpoint, port);
                    part.states[r].senders += 1;
                }
            }
        }
        part
    }

    fn add_source<F: Forwarding>(&mut self, setting: &Setting<F>, endpoint: u32, port: usize) {
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
            next: NEVER,
            waiting: Box::default(),
        };
        let first = setting.next_birth(&mut source);
        let limited = setting.router.source.is_some();
        source.next = if limited { first } else { NEVER };
        self.shared.births.push(if limited { NEVER } else { first });
        self.ports[port].peer_router = self.shared.sources.len() as u32;
        self.shared.sources.push(source);
    }

    /// Simulates the cycles `from..to`. Nothing that happens elsewhere in them
    /// may concern this part.
    pub(super) fn advance<F: Forwarding>(&mut self, setting: &Setting<F>, from: u32, to: u32) {
        let (mask, routers) = (self.shared.returning.len() as u32 - 1, self.states.len());
        let wide = size_of_val(&self.ports[..]) > CACHE;
        for now in from..to {
            let slot = (now & mask) as usize;
            self.take_credits(setting, slot);
            if setting.router.source.is_some() {
                self.generate(setting, now);
            }
            if setting.forwarding.is_adaptive() {
                self.look_at_queues(setting);
            }
            // There and back again: what was served last is served first, while it is in the cache.
            let (mut next, step) = if now % 2 == 1 { (routers - 1, usize::MAX) } else { (0, 1) };
            for _ in 0..routers {
                let r = next;
                next = next.wrapping_add(step);
                let mail = self.shared.mail.take(slot, r);
                let state = &self.states[r];
                let idle = mail | state.sending | state.asked == 0;
                if idle && self.shared.births[state.sources()].iter().all(|&b| b > now) {
                    continue;
                }
                if wide {
                    self.look_ahead(r, now, slot, mail);
                }
                let mut node = self.node(r, now);
                node.take_mail(setting, slot, mail);
                for s in node.state.sources() {
                    if node.shared.births[s] <= now {
                        node.inject(setting, s);
                    }
                }
                node.send(setting);
                if node.state.asked != 0 {
                    match setting.router.crossbar {
                        Crossbar::Ports => node.switch(setting),
                        Crossbar::Vcs => node.switch_by_vc(setting),
                    }
                }
            }
        }
    }

    /// Loads what a router will need: its ports, the flits that come or are delivered, the
    /// endpoints that send. Nothing here waits for anything else here, so that
    /// memory is waited for once and not piece by piece.
    #[inline]
    fn look_ahead(&self, router: usize, now: u32, slot: usize, mail: u64) {
        let state = &self.states[router];
        let (own, Shared { pool, births, sources, .. }) = (&self.ports[state.range()], &self.shared);
        // Both lines of each.
        let mut sum = own.iter().fold(0, |sum, port| sum ^ port.sent ^ port.outputs[0].last());
        for port in in_turn(mail, 0) {
            let (id, _) = self.shared.mail.flit(slot, state.range().start + usize::from(port));
            sum ^= pool.flits[id as usize].words;
        }
        for port in in_turn(state.sending, 0).map(|port| &own[usize::from(port)]) {
            for vc in in_turn(u64::from(port.filled), 0) {
                sum ^= pool.flits[port.outputs[usize::from(vc) & (V - 1)].last() as usize].words;
            }
        }
        for s in state.sources().filter(|&s| births[s] <= now) {
            sum ^= sources[s].endpoint ^ u32::from(sources[s].clock.is_silent());
        }
        std::hint::black_box(sum);
    }

    #[inline(always)]
    fn node(&mut self, router: usize, now: u32) -> Node<'_, V, LONG> {
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

    /// Notes what adaptive forwardings may look at: the queues as they are at
    /// the beginning of a cycle.
    fn look_at_queues<F: Forwarding>(&mut self, setting: &Setting<F>) {
        self.shared.waiting.clear();
        self.shared.waiting.extend(self.ports.iter().zip(&self.credits).map(|(port, credits)| {
            let own: u32 = port.outputs.iter().map(|o| u32::from(o.len)).sum();
            own + credits.iter().map(|&c| u32::from(setting.router.buffers - c)).sum::<u32>()
        }));
    }

    /// Takes the credits of a cycle off the links.
    fn take_credits<F: Forwarding>(&mut self, setting: &Setting<F>, slot: usize) {
        let mut returning = std::mem::take(&mut self.shared.returning[slot]);
        for word in returning.drain(..) {
            let (port, vc) = ((word >> 3) as usize, word as usize & (V - 1));
            let credits = &mut self.credits[port][vc];
            *credits += 1;
            if *credits <= if LONG { setting.start } else { 1 } {
                let own = &mut self.ports[port];
                let state = &mut self.states[self.owners[port] as usize];
                own.check_credit(vc, *credits, state, if LONG { setting.start } else { 1 }, &self.shared.pool);
            }
        }
        self.shared.returning[slot] = returning;
    }

    /// Endpoints with a limited queue generate packets, and lose those that do
    /// not fit.
    fn generate<F: Forwarding>(&mut self, setting: &Setting<F>, now: u32) {
        let limit = usize::from(setting.router.source.unwrap_or(u16::MAX));
        let Shared { sources, births, tally, .. } = &mut self.shared;
        for (source, birth) in sources.iter_mut().zip(births) {
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
    }

    /// Packets that each source has generated before `now` and not yet sent
    /// whole. O(packets that wait).
    pub(super) fn backlog<F: Forwarding>(&self, setting: &Setting<F>, now: u32) -> Vec<u64> {
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

    /// Takes in what another part has sent.
    pub(super) fn receive(&mut self, message: Message) {
        let slot = message.time as usize & (self.shared.returning.len() - 1);
        let port = message.port - self.range.start;
        match message.flit {
            Some(flit) => {
                let router = self.owners[port as usize] as usize;
                let id = self.shared.pool.add(flit);
                let place = (port as usize, self.ports[port as usize].offset);
                self.shared.mail.put(slot, router, place, (id, message.vc));
            }
            None => self.shared.returning[slot].push(port << 3 | u32::from(message.vc)),
        }
    }
}

/// Port `p` (counted over the whole network) of a part with these routers.
fn new_port<F: Forwarding, const V: usize>(setting: &Setting<F>, p: u32, routers: &Range<u32>) -> Port<V> {
    let wiring = &setting.wiring;
    let own = &wiring.ports[p as usize];
    let peer = wiring.ports.get(own.peer as usize);
    let all = ((1u32 << setting.vcs()) - 1) as u8;
    let start = wiring.first[routers.start as usize];
    Port {
        inputs: [Queue::empty((0, 0)); V],
        outputs: [Queue::empty(FREE); V],
        asks: [0; V],
        held: 0,
        asked: 0,
        room: all,
        filled: 0,
        credit: all,
        link_turn: 0,
        input_turn: 0,
        vc_turn: 0,
        offset: wiring.offset(p),
        peer_port: peer.filter(|q| routers.contains(&q.router)).map_or(NONE, |_| own.peer - start),
        sent: 0,
        peer_router: peer.filter(|q| routers.contains(&q.router)).map_or(NONE, |q| q.router - routers.start),
        peer_offset: peer.map_or(0, |_| wiring.offset(own.peer)),
        latency: own.latency,
        terminal: own.peer == NOWHERE,
    }
}
