//! Forwarding: how a routing decides hop by hop, with virtual channels.
//!
//! A [`crate::routing::Routing`] says which share of the traffic takes which
//! path; a [`Forwarding`] of the same name says at one router by which port and
//! virtual channel (VC) a packet leaves. Both come from one rule, which stands with the
//! routing: a forwarding adds what packets draw, and what they see of queues where it is
//! adaptive. One forwarding is one file and one line of `forwardings!`.

mod choice;
mod d_mod_k;
mod deadlock;
mod dor;
mod dragonfly;
mod dragonfly_peer;
mod hop_vcs;
mod left;
mod masks;
mod min_adaptive;
mod omni;
mod par;
mod slim_fly;
mod tables;
mod ugal;
mod up_adaptive;
mod valiant;
mod wiring;

pub use crate::routing::{At, Header, Hop};
pub use choice::{Choice, Offers, Outputs};
pub use d_mod_k::DModKHops;
pub use deadlock::{Channel, find_deadlock};
pub use dor::DorHops;
pub use dragonfly::DragonflyHops;
pub use dragonfly_peer::DragonflyPeerHops;
pub use masks::SpreadHops;
pub(crate) use masks::mix;
pub use min_adaptive::MinAdaptiveHops;
pub use omni::OmniHops;
pub use par::ParHops;
pub use tables::TableHops;
pub use up_adaptive::UpAdaptiveHops;
pub use valiant::ValiantHops;
pub use wiring::{MOST_PORTS, NOWHERE, Port, Wiring};

use crate::entry::Listed as _;
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::params::{Params, Reader, find};
use crate::rng::Rng;
use crate::routing::{self, Routing};
use crate::topology::Topology;
use std::sync::Arc;

/// When a forwarding looks at queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adapts {
    /// Never.
    Never,
    /// Where a packet enters, at the queues of its router or of all routers.
    AtSource {
        /// Those of all.
        everywhere: bool,
    },
    /// At every router, again in every cycle in which the packet waits.
    EveryHop,
}

/// What is seen where a packet enters: the queues at the beginning of a cycle.
pub trait Queues {
    /// Flits that wait at a router for one of its ports: those in its output
    /// buffers, and those for which the next router holds a place.
    fn waiting(&self, router: u32, port: u16) -> u32;
}

/// Queues in which nothing waits.
pub(crate) struct Idle;

impl Queues for Idle {
    fn waiting(&self, _: u32, _: u16) -> u32 {
        0
    }
}

impl Outputs for Idle {
    fn waiting(&self, _: Hop) -> u32 {
        0
    }
    fn at_port(&self, _: u16) -> u32 {
        0
    }
}

/// What is done with a forwarding of one kind: the compiler knows which, so that nothing is looked up at every packet.
pub trait OfOneKind {
    /// Does it.
    fn run(self, forwarding: &impl Forwarding);
}

/// Decides hop by hop: see the [module](self). Targets are endpoints.
pub trait Forwarding: Send + Sync {
    /// Number of VCs that every port needs.
    fn vcs(&self) -> u8;

    /// What a packet carries along: asked once, when it is first at the head of
    /// its queue at the source's router. Draws the same number of random values
    /// whatever the queues are.
    fn inject(&self, router: u32, target: u32, queues: &dyn Queues, rng: &mut Rng) -> Header;

    /// The next hop of a packet at the head of a queue; at the target's router
    /// the port of its terminal. May note in the header what happened, unless it
    /// [adapts](Adapts::EveryHop): then this is the escape, which a packet may always ask for.
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop;

    /// Offers the hops that a packet may take where it adapts at every hop, the escape among them where no other has room. What is
    /// chosen is what the packet asks for; it is asked again in every cycle in which that takes nobody.
    fn candidates(&self, at: At, target: u32, mut header: Header, choice: &mut impl Choice) {
        choice.offer(self.hop(at, target, &mut header), 0);
    }

    /// Does something with the forwarding itself, where this is one of a list.
    fn with(&self, task: impl OfOneKind)
    where
        Self: Sized,
    {
        task.run(self);
    }

    /// Whether a channel is one of those that the escape uses, where it adapts at every hop.
    fn is_escape(&self, _: Hop) -> bool {
        true
    }

    /// Most routers that a packet goes through, or more.
    fn longest(&self) -> u32;

    /// When it looks at queues.
    fn adapts(&self) -> Adapts {
        Adapts::Never
    }

    /// False where no packet has such a header, for which [`Forwarding::hop`] may panic.
    fn is_header(&self, _: Header) -> bool {
        true
    }

    /// Routers that a packet with this header goes through from here on at most, this one among them; `None` where it does not come
    /// to its target, or [no packet has it](Forwarding::is_header). With header 0 it tells whether any
    /// packet comes there. Asked of each packet of a state that is read from a file. O(hops).
    fn left(&self, wiring: &Wiring, at: At, target: u32, header: Header) -> Option<u32> {
        left::follow(self, wiring, at, target, header)
    }

    /// All headers that a packet may get.
    fn headers(&self, router: u32, target: u32) -> Vec<Header>;

    /// Adds all hops that a packet may take, each with its header then: [`Forwarding::candidates`], or all that
    /// [`Forwarding::hop`] may answer.
    fn ways(&self, at: At, target: u32, mut header: Header, found: &mut Vec<(Hop, Header)>) {
        if self.adapts() != Adapts::EveryHop {
            let hop = self.hop(at, target, &mut header);
            return found.push((hop, header));
        }
        let mut offers = Offers::new(&Idle);
        self.candidates(at, target, header, &mut offers);
        found.extend(offers.in_order().into_iter().map(|hop| (hop, header)));
    }

    /// Walks whose hops stand for those of all packets: visits (router of the
    /// source, target, header). All of them unless a symmetry makes some enough.
    fn walks(&self, wiring: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        let sources: Vec<u32> = terminals(wiring);
        for target in (0..wiring.home.len() as u32).filter(|&t| wiring.home[t as usize] != NOWHERE) {
            for &source in &sources {
                self.headers(source, target).into_iter().for_each(|header| visit(source, target, header));
            }
        }
    }

    /// Channels of one class are one in the dependency graph: a symmetry of the
    /// network maps them to each other, or they are always used in a fixed order.
    fn class(&self, _: &Wiring, channel: Channel) -> u64 {
        class_of_its_own(channel)
    }
}

/// The class of a channel that is alone in it.
fn class_of_its_own(channel: Channel) -> u64 {
    u64::from(channel.port) << 8 | u64::from(channel.vc)
}

impl<T: Forwarding> Forwarding for &T {
    fn vcs(&self) -> u8 {
        (**self).vcs()
    }
    #[inline]
    fn inject(&self, router: u32, target: u32, queues: &dyn Queues, rng: &mut Rng) -> Header {
        (**self).inject(router, target, queues, rng)
    }
    #[inline]
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        (**self).hop(at, target, header)
    }
    fn longest(&self) -> u32 {
        (**self).longest()
    }
    fn adapts(&self) -> Adapts {
        (**self).adapts()
    }
    fn is_header(&self, header: Header) -> bool {
        (**self).is_header(header)
    }
    fn left(&self, wiring: &Wiring, at: At, target: u32, header: Header) -> Option<u32> {
        (**self).left(wiring, at, target, header)
    }
    fn candidates(&self, at: At, target: u32, header: Header, choice: &mut impl Choice) {
        (**self).candidates(at, target, header, choice);
    }
    fn with(&self, task: impl OfOneKind) {
        (**self).with(task);
    }
    fn is_escape(&self, hop: Hop) -> bool {
        (**self).is_escape(hop)
    }
    fn headers(&self, router: u32, target: u32) -> Vec<Header> {
        (**self).headers(router, target)
    }
    fn ways(&self, at: At, target: u32, header: Header, found: &mut Vec<(Hop, Header)>) {
        (**self).ways(at, target, header, found);
    }
    fn walks(&self, wiring: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        (**self).walks(wiring, visit);
    }
    fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
        (**self).class(wiring, channel)
    }
}

/// Routers with terminals, ascending.
fn terminals(wiring: &Wiring) -> Vec<u32> {
    let mut routers: Vec<u32> =
        wiring.home.iter().filter(|&&p| p != NOWHERE).map(|&p| wiring.ports[p as usize].router).collect();
    routers.sort_unstable();
    routers.dedup();
    routers
}

/// What a forwarding is built from.
pub struct Context<'a> {
    /// The family.
    pub topology: &'a Topology,
    /// The network.
    pub fabric: &'a Arc<Fabric>,
    /// The same as routers and ports.
    pub wiring: &'a Wiring,
    /// The routing of the same name.
    pub routing: &'a dyn Routing,
}

/// Declares the forwardings by the names of their routings, for a family alone where one is named: one line adds one. The first
/// that fits is taken.
macro_rules! forwardings {
    ($($($name:literal)|+ $(on $family:pat)? $(if $fits:path)? => $kind:ident($type:ty),)*) => {
        /// A forwarding of the list. The engine is compiled for this type: a
        /// match that always goes the same way costs next to nothing, less with a tag of its own.
        #[repr(u8)]
        pub enum Any { $(
            #[doc = concat!("That of the routings ", $($name, " ",)+)]
            $kind($type),
        )* }

        /// The routings that have a forwarding; those with another one for a family stand here twice.
        pub const NAMES: &[&str] = &[$($($name,)+)*];

        fn read(reader: &Reader, name: &str, context: &Context<'_>) -> Result<Option<Any>> {
            Ok(Some(match name {
                $($($name)|+ $(if matches!(context.topology, $family))? $(if $fits(reader, context))? => {
                    Any::$kind(<$type>::read(reader, name, context)?)
                })*
                _ => return Ok(None),
            }))
        }

        impl Forwarding for Any {
            fn vcs(&self) -> u8 {
                match self { $(Any::$kind(f) => f.vcs(),)* }
            }
            #[inline(always)]
            fn inject(&self, router: u32, target: u32, queues: &dyn Queues, rng: &mut Rng) -> Header {
                match self { $(Any::$kind(f) => f.inject(router, target, queues, rng),)* }
            }
            #[inline]
            fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
                match self { $(Any::$kind(f) => f.hop(at, target, header),)* }
            }
            fn longest(&self) -> u32 {
                match self { $(Any::$kind(f) => f.longest(),)* }
            }
            fn adapts(&self) -> Adapts {
                match self { $(Any::$kind(f) => f.adapts(),)* }
            }
            fn is_header(&self, header: Header) -> bool {
                match self { $(Any::$kind(f) => f.is_header(header),)* }
            }
            fn left(&self, wiring: &Wiring, at: At, target: u32, header: Header) -> Option<u32> {
                match self { $(Any::$kind(f) => f.left(wiring, at, target, header),)* }
            }
            fn candidates(&self, at: At, target: u32, header: Header, choice: &mut impl Choice) {
                match self { $(Any::$kind(f) => f.candidates(at, target, header, choice),)* }
            }
            fn with(&self, task: impl OfOneKind) {
                match self { $(Any::$kind(f) => f.with(task),)* }
            }
            fn is_escape(&self, hop: Hop) -> bool {
                match self { $(Any::$kind(f) => f.is_escape(hop),)* }
            }
            fn ways(&self, at: At, target: u32, header: Header, found: &mut Vec<(Hop, Header)>) {
                match self { $(Any::$kind(f) => f.ways(at, target, header, found),)* }
            }
            fn headers(&self, router: u32, target: u32) -> Vec<Header> {
                match self { $(Any::$kind(f) => f.headers(router, target),)* }
            }
            fn walks(&self, wiring: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
                match self { $(Any::$kind(f) => f.walks(wiring, visit),)* }
            }
            fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
                match self { $(Any::$kind(f) => f.class(wiring, channel),)* }
            }
        }
    };
}

forwardings! {
    "minimal" if DragonflyPeerHops::fit => DragonflyPeer(DragonflyPeerHops),
    "minimal" | "valiant-restricted" | "valiant-any" | "ugal-l" | "ugal-g" if DragonflyHops::fit => Dragonfly(DragonflyHops),
    "valiant-any" | "ugal-l" | "ugal-g" => Valiant(ValiantHops),
    "dor" on Topology::Torus(_) | Topology::KnCube(_) => Dor(DorHops),
    "min-adaptive" => MinAdaptive(MinAdaptiveHops),
    "par" => Par(ParHops),
    "omni-dimensional" => Omni(OmniHops),
    "up-adaptive" => UpAdaptive(UpAdaptiveHops),
    "d-mod-k" => DModK(DModKHops),
    "dor" | "table" | "minhop" => Table(TableHops),
    "minimal" | "shortest" | "up-down" => Spread(SpreadHops),
}

/// Builds the forwarding of a routing that [`routing::build`] has accepted.
///
/// # Errors
/// The routing has none, or one of its keys has no meaning for flits.
pub fn build(params: &Params, context: &Context<'_>) -> Result<Any> {
    let entry = find("routing", routing::LIST, params)?.entry();
    read(&params.check(entry)?, entry.name, context)?.ok_or_else(|| {
        let names: Vec<&str> =
            routing::LIST.iter().map(|kind| kind.entry().name).filter(|name| NAMES.contains(name)).collect();
        Error::input(format!("routing `{}` cannot be simulated flit by flit", params.kind()))
            .at(params.place())
            .hint(format!("those that can: {}", names.join(", ")))
    })
}
