//! Cycle-level simulation of flits: input-output-buffered routers, virtual
//! channels, credits, virtual cut-through or wormhole.
//!
//! A [`FlitModel`] says what is simulated, a [`Simulation`] does it. In every cycle flits
//! and credits arrive and endpoints inject (`node`, `process`), links take
//! flits from output buffers (`links`), switches move flits to them
//! (`switch`), and packets of adaptive routings decide where to go as long as they wait (`adapt`). Routers influence each other only through links, at least one
//! cycle later; so the network is cut into parts that threads advance by as many
//! cycles as the links between them take, and the result does not depend on
//! their number. All random values come from streams of single endpoints and
//! routers.
//!
//! An unlimited queue at an endpoint holds no packets: packets exist from the cycle
//! in which they enter the network, and the endpoint's clock lags behind, so
//! that they have the generation times that they would have had.

mod adapt;
mod any_part;
mod arbitrate;
mod bytes;
mod checkpoint;
mod destinations;
mod failing;
mod links;
mod mail;
mod measure;
mod node;
mod options;
mod part;
mod partition;
mod per_vc;
mod port_set;
mod process;
mod queues;
mod record;
mod rounds;
mod router;
mod separable;
mod shared;
mod shares;
mod side_by_side;
mod simulation;
mod sound;
mod stuck;
mod switch;
mod tally;
mod team;
mod wire;
mod work;

pub use checkpoint::{head, open, seal};
pub use failing::{Failed, Failure};
pub use measure::{Measured, Progress};
pub use options::{ENTRY as OPTIONS, Options, Precision, no_options};
pub use partition::worthwhile;
pub use process::{ENTRIES as PROCESSES, Process};
pub use record::{Interval, Recorder};
pub use router::{
    Allocator, Arbitration, Claim, Crossbar, ENTRY as ROUTER, EjectionVc, InjectionVc, LinkTurn, Router, Switching,
};
pub use shares::Exchanged;
pub use simulation::Simulation;

use crate::demand::Demand;
use crate::error::{Error, Result};
use crate::forwarding::{Adapts, Forwarding, Hop, NOWHERE, Wiring};
use crate::id::VertexId;
use destinations::Destinations;
use shared::Source;
use std::sync::Arc;

/// Most VCs of a port.
pub(crate) const MOST_VCS: u32 = 8;

/// What is simulated.
pub struct FlitModel<F> {
    wiring: Arc<Wiring>,
    forwarding: F,
    router: Router,
    process: Process,
    destinations: Destinations,
    load: f64,
    seed: u64,
    /// Flits for which there must be room before a packet starts.
    start: u16,
    /// VCs of a port.
    vcs: u8,
    /// The VCs that stand for each of the forwarding's.
    lanes: [u8; MOST_VCS as usize],
    /// Bits that number the ports of a router.
    port_bits: u32,
    /// In a flit's words: the bits of its endpoint, and one router that it came to; 0 where the
    /// routers of the longest path do not fit above the endpoint.
    target: u32,
    hop: u32,
    /// Whether packets decide in every cycle in which they wait.
    decides: bool,
    /// Cycles that a flit needs beyond the one in which a link takes it, and the link's own.
    beyond: u32,
    failure: Option<Failure<F>>,
}

/// What enters the network.
#[derive(Debug, Clone, Copy)]
pub struct Injection<'a> {
    /// Who sends to whom.
    pub demand: &'a Demand,
    /// Task t injects at `place[t]`.
    pub place: &'a [VertexId],
    /// When packets are generated.
    pub process: Process,
    /// Flits per cycle of the endpoint that sends most; the others generate in proportion.
    pub load: f64,
    /// Of all random choices.
    pub seed: u64,
}

impl<F: Forwarding> FlitModel<F> {
    /// A network whose routers all are the same.
    ///
    /// # Errors
    /// A load outside 0 to 1, packets that no buffer takes whole, more than 8 VCs, worms under a routing that adapts at every hop, a task at an endpoint without a
    /// router, or a demand in which nobody sends.
    pub fn new(
        wiring: Arc<Wiring>,
        forwarding: F,
        router: Router,
        Injection { demand, place, process, load, seed }: Injection<'_>,
    ) -> Result<FlitModel<F>> {
        if !(load > 0.0 && load <= 1.0) {
            return Err(Error::input(format!("the load is {load}, expected more than 0 and at most 1"))
                .hint("loads are flits per cycle and endpoint"));
        }
        router.check()?;
        // What is to be exchanged is all there from the beginning, and none of it is lost.
        let source = router.source.filter(|_| !matches!(process, Process::Exchange { .. }));
        let router = Router { source, ..router };
        let vcs = vcs_of(&forwarding, &router)?;
        let decides = forwarding.adapts() == Adapts::EveryHop;
        if decides && router.switching == Switching::Wormhole && router.packet > 1 {
            return Err(Error::input(
                "packets of several flits whose ways are decided by queues can deadlock with wormhole switching",
            )
            .hint("use switching=vct, or packet=1"));
        }
        let ports = wiring.first.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(1);
        let port_bits = ports.next_power_of_two().trailing_zeros();
        for (count, what, most) in [
            (wiring.home.len() as u64, "endpoints", u64::from(queues::MOST_ENDPOINTS)),
            (wiring.len() as u64, "routers", mail::MOST_PLACES >> port_bits),
        ] {
            if count > most {
                return Err(Error::input(format!("{count} {what}, at most {most} are possible")));
            }
        }
        if let Some(&lost) = place.iter().find(|v| wiring.router_of(v.0) == NOWHERE) {
            return Err(Error::input(format!("endpoint {lost} has no link")));
        }
        let destinations = Destinations::new(demand, place, wiring.home.len() as u32)?;
        let own = (1u32 << router.lanes) - 1;
        let lanes = std::array::from_fn(|vc| own.checked_shl(vc as u32 * u32::from(router.lanes)).unwrap_or(0) as u8);
        let start = router.start();
        let hop = (wiring.home.len() as u32).next_power_of_two();
        let (target, fits) = (hop - 1, forwarding.longest() < queues::HEAD / hop);
        let hop = if fits { hop } else { 0 };
        let beyond = u32::from(router.delay.saturating_sub(1));
        Ok(FlitModel {
            wiring,
            forwarding,
            router,
            process,
            destinations,
            load,
            seed,
            start,
            vcs,
            lanes,
            port_bits,
            target,
            hop,
            decides,
            beyond,
            failure: None,
        })
    }

    /// Endpoints that send.
    pub fn senders(&self) -> u32 {
        self.destinations.share.iter().filter(|&&s| s > 0.0).count() as u32
    }

    /// Whether paths are short enough that the routers of each can be counted.
    pub fn counts_hops(&self) -> bool {
        self.hop > 0
    }

    /// Flits per cycle that a sending endpoint generates, on average.
    pub fn offered(&self) -> f64 {
        self.load * self.destinations.share.iter().sum::<f64>() / f64::from(self.senders())
    }

    /// Whether packets of parts with so many VCs decide in every cycle in which they wait: no others do, see `any_part`.
    #[inline(always)]
    fn decides<const V: usize>(&self) -> bool {
        V == MOST_VCS as usize && self.decides
    }

    /// Whether they decide anew in every such cycle, although what they chose before has room.
    fn decides_anew(&self) -> bool {
        self.router.allocator == Allocator::Separable
    }

    /// The VCs of an output port that a packet may take whose next hop is this one. With LONG those of an endpoint's port may be all.
    #[inline(always)]
    fn outputs<const LONG: bool>(&self, router: u32, hop: Hop) -> u8 {
        if LONG
            && self.router.exit == EjectionVc::Any
            && self.wiring.ports[(self.wiring.first[router as usize] + u32::from(hop.port)) as usize].endpoint
                != NOWHERE
        {
            return self.all_vcs();
        }
        self.lanes[usize::from(hop.vc) & 7]
    }

    /// All VCs of a port, as a mask.
    fn all_vcs(&self) -> u8 {
        u8::MAX >> (MOST_VCS as u8 - self.vcs())
    }

    /// VCs of a port.
    pub fn vcs(&self) -> u8 {
        self.vcs
    }

    /// Cycles that the rings of arrivals hold.
    fn span(&self) -> usize {
        let longest = self.wiring.ports.iter().map(|p| p.latency).max().unwrap_or(1);
        (usize::from(longest) + usize::from(self.router.delay.max(1))).next_power_of_two()
    }

    /// Whether the cycle in which packets come to the head of a buffer matters.
    fn needs_since(&self) -> bool {
        self.router.arbitration == Arbitration::Fcfs
    }

    /// Whether the arbiters of ports have turns of their own.
    fn has_turns(&self) -> bool {
        (self.router.allocator, self.router.crossbar) == (Allocator::Separable, Crossbar::Ports)
    }

    /// Packets per cycle of an endpoint.
    fn rate(&self, endpoint: u32) -> f64 {
        self.load * self.destinations.share[endpoint as usize] / f64::from(self.router.packet)
    }

    /// Cycle of the next packet of a source.
    fn next_birth(&self, source: &mut Source) -> u32 {
        source.clock.next(self.process, self.router.packet)
    }

    /// Packets for so many bytes.
    fn packets_of(&self, bytes: u64) -> u64 {
        bytes.div_ceil(u64::from(self.router.flit_bytes) * u64::from(self.router.packet))
    }

    /// The endpoint to which the next packet of a source goes.
    fn receiver(&self, source: &mut Source) -> u32 {
        match self.process {
            Process::Exchange { .. } => {
                let turn = source.count % self.destinations.partners(source.endpoint).max(1);
                self.destinations.partner(source.endpoint, turn).unwrap_or(source.endpoint)
            }
            _ if source.only != NOWHERE => source.only,
            _ => self.destinations.draw(source.endpoint, &mut source.whom),
        }
    }
}

/// VCs of a port for a forwarding.
fn vcs_of(forwarding: &impl Forwarding, router: &Router) -> Result<u8> {
    let vcs = u32::from(forwarding.vcs()) * u32::from(router.lanes);
    if vcs <= MOST_VCS {
        return Ok(vcs as u8);
    }
    Err(Error::input(format!("{vcs} virtual channels, at most {MOST_VCS} are possible")).hint(
        match MOST_VCS / u32::from(forwarding.vcs()).max(1) {
            0 => "choose a routing that needs fewer; up-down needs one".to_string(),
            most => format!("lanes={most} is the most for this routing"),
        },
    ))
}

/// What was counted since the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Totals {
    /// Flits that entered the network.
    pub injected: u64,
    /// Flits that reached their endpoints.
    pub delivered: u64,
    /// Packets whose last flit arrived.
    pub packets: u64,
    /// Sum of their latencies, in cycles.
    pub latency: u64,
    /// Routers that flits went through.
    pub hops: u64,
    /// Routers that the delivered flits went through; 0 where paths may be too long to be counted.
    pub delivered_hops: u64,
    /// When the last packet arrived: the latency that it would have from cycle 0.
    pub last: u32,
    /// Packets that found the queue of their endpoint full.
    pub lost: u64,
    /// Packets that were dropped before a cable that had failed.
    pub dropped: u64,
    /// Their flits; of a packet that is still being dropped those that are gone.
    pub dropped_flits: u64,
}

impl Totals {
    /// True where no count of `later` is less, nor so large that sums of several may not be counted.
    fn comes_before(&self, later: &Totals) -> bool {
        self.counts().into_iter().zip(later.counts()).all(|(earlier, later)| earlier <= later && later <= u64::MAX >> 8)
    }

    /// All that only rise.
    fn counts(&self) -> [u64; 9] {
        let Totals {
            injected,
            delivered,
            packets,
            latency,
            hops,
            delivered_hops,
            last: _,
            lost,
            dropped,
            dropped_flits,
        } = *self;
        [injected, delivered, packets, latency, hops, delivered_hops, lost, dropped, dropped_flits]
    }

    /// Adds what others have counted.
    fn add(&mut self, other: &Totals) {
        self.injected += other.injected;
        self.delivered += other.delivered;
        self.packets += other.packets;
        self.latency += other.latency;
        self.hops += other.hops;
        self.delivered_hops += other.delivered_hops;
        self.last = self.last.max(other.last);
        self.lost += other.lost;
        self.dropped += other.dropped;
        self.dropped_flits += other.dropped_flits;
    }
}
