//! The router and the packets: what `--router` and `[flits]` say.

use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::params::Reader;

/// How a router chooses among packets that want the same output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arbitration {
    /// Input ports in turn.
    RoundRobin,
    /// The packet that was generated first.
    Oldest,
    /// The packet that came first to the head of its buffer.
    Fcfs,
    /// Any, as likely.
    Random,
}

/// When a packet may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switching {
    /// Virtual cut-through: the next buffer has room for all of it.
    CutThrough,
    /// Wormhole: the next buffer has room for a flit.
    Wormhole,
}

/// What the ports of the switch are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crossbar {
    /// Those of the router.
    Ports,
    /// Their VCs: a flit per cycle from every input buffer and to every output buffer.
    Vcs,
}

/// How the switch matches inputs with outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocator {
    /// No output stays idle that an idle input has a flit for.
    Maximal,
    /// Every input asks for one output, every output takes one of those that ask for it, and that is all.
    Separable,
}

/// When a flit takes its place in the next input buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// As it leaves by the link.
    Link,
    /// As it crosses the switch, so that an output buffer holds no more than the next input buffer has room for.
    Switch,
}

/// Which input buffer of its port an endpoint fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InjectionVc {
    /// That of the first VC, always.
    First,
    /// That of the first VC that has room for a packet to start.
    Lowest,
    /// Any of the VCs, as likely.
    Random,
}

/// On which VCs of its port a packet leaves for its endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EjectionVc {
    /// The one that the routing says.
    Own,
    /// Any of them.
    Any,
}

/// What a link takes from its output buffers in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkTurn {
    /// A flit from each VC.
    Flit,
    /// A packet: one that is on its way goes on, as far as its flits are there, before another starts.
    Packet,
}

/// An input-output-buffered router with credit flow control.
///
/// ```
/// use hopline::flits::Router;
///
/// let router = Router::default().buffers(32)?.packet(4)?;
/// assert_eq!((router.buffers, router.packet, router.output), (32, 4, 64));
/// assert!(router.lanes(9).is_err());
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Router {
    /// Flits of each input buffer, one per port and VC.
    pub buffers: u16,
    /// Flits of each output buffer, one per port and VC.
    pub output: u16,
    /// Flits that the switch moves per cycle from every input port and to every output port.
    pub speedup: u8,
    /// See [`Crossbar`].
    pub crossbar: Crossbar,
    /// Cycles from the arrival of a flit to its link, at least; with 0 it may cross the router in the cycle of its
    /// arrival.
    pub delay: u16,
    /// Cycles of links whose class has no latency.
    pub latency: u16,
    /// VCs for each VC that the routing needs.
    pub lanes: u8,
    /// Flits of a packet.
    pub packet: u16,
    /// Packets that an endpoint keeps, beyond which new ones are lost; `None` is
    /// all of them.
    pub source: Option<u16>,
    /// Bytes of a flit.
    pub flit_bytes: u32,
    /// See [`Switching`].
    pub switching: Switching,
    /// See [`Arbitration`].
    pub arbitration: Arbitration,
    /// See [`Allocator`].
    pub allocator: Allocator,
    /// See [`Claim`].
    pub claim: Claim,
    /// See [`InjectionVc`].
    pub entry: InjectionVc,
    /// See [`EjectionVc`].
    pub exit: EjectionVc,
    /// See [`LinkTurn`].
    pub link: LinkTurn,
}

/// The keys of a router, as they are documented.
pub const ENTRY: Entry = Entry {
    name: "router",
    summary: "an input-output-buffered router with credit flow control",
    doc: "A flit that has arrived waits in the input buffer of its port and VC. The switch moves flits at the heads of \
          input buffers to output buffers, at most `speedup` per cycle from an input port and to an output port; every \
          link takes one flit per cycle from its output buffers, VC by VC in turn, if the input buffer at the other end \
          has a place (credit). A flit needs `delay` cycles through a router and the link's latency to the next; with delay=0 it may \
          leave in the cycle of its arrival. Credits come back with the link's latency. Endpoints take one flit per cycle.\n\
          A packet takes one VC of the output port and holds it from its first to its last flit. With switching=vct \
          it starts only where all of it finds place, with switching=wormhole where one flit does.\n\
          The switch serves output ports in turn; each takes, of the inputs not yet served in this round, the next in \
          turn (round-robin), the packet generated first (oldest), the one longest at the head of its buffer (fcfs) or \
          any (random). With crossbar=vcs every VC of a port is a port of the switch by itself: a flit per cycle from every \
          input buffer and to every output buffer, whatever its port does; with allocator=separable an input buffer then asks for \
          one of the output buffers that its packet may take, any of them, as likely; a packet that adapts at every hop decides anew in every \
          cycle, by chance where two ways are as good, so that many may ask for one output while others stay idle.\n\
          like=caminos is the router that CAMINOS' InputOutput is (crossbar=vcs, allocator=separable, arbitration=random, entry=lowest, \
          exit=any, link=packet, source=20; packets of more than its flit_size with switching=wormhole), like=booksim the one of \
          BookSim2's iq with internal_speedup=2 (delay=2, output=16384, switching=wormhole, allocator=separable, claim=switch, entry=random); keys beside \
          it are as given. On a Dragonfly minimal:like=caminos and minimal:like=booksim have their virtual channels.",
    example: "router:buffers=64,speedup=2",
    params: &[
        param("like", "none|booksim|caminos", "none", "another simulator's router"),
        param("buffers", "flits", "64", "input buffer of each port and VC"),
        param("output", "flits", "64", "output buffer of each port and VC"),
        param("speedup", "count", "2", "flits per cycle through the switch, per port"),
        param("crossbar", "ports|vcs", "ports", "what takes `speedup` flits per cycle, or one"),
        param("delay", "cycles", "1", "through a router, 0 for none"),
        param("latency", "cycles", "1", "of links whose class has none, and of host links"),
        param("lanes", "count", "1", "VCs for each VC that the routing needs"),
        param("packet", "flits", "1", "length of a packet"),
        param(
            "source",
            "packets|infinite",
            "infinite",
            "queue of an endpoint; packets that do not fit are lost, but none of an exchange",
        ),
        param("flit", "bytes", "64", "size of a flit"),
        param("switching", "vct|wormhole", "vct", "virtual cut-through or wormhole"),
        param("arbitration", "round-robin|oldest|fcfs|random", "round-robin", "among packets that want one output"),
        param(
            "allocator",
            "maximal|separable",
            "maximal",
            "how inputs and outputs meet: as many as can, or each input asks for one output",
        ),
        param("claim", "link|switch", "link", "when a flit takes its place in the next input buffer"),
        param(
            "entry",
            "first|lowest|random",
            "first",
            "the VC whose input buffer an endpoint fills: the first, the first with room, or any, as likely",
        ),
        param("exit", "own|any", "own", "the VC on which a packet leaves for its endpoint: the routing's, or any"),
        param("link", "flit|packet", "flit", "what a link takes from each VC in turn"),
    ],
};

impl Default for Router {
    fn default() -> Router {
        Router::DEFAULT
    }
}

/// Setters of numbers, which refuse what is out of range.
macro_rules! numbers {
    ($($name:ident = $key:literal: $type:ty, $from:literal to $to:literal, $what:literal;)*) => {
        impl Router { $(
            #[doc = concat!("The same with another number of ", $what, ".")]
            ///
            /// # Errors
            #[doc = concat!("It is not ", $from, " to ", $to, ".")]
            pub fn $name(mut self, number: u32) -> Result<Router> {
                if !($from..=$to).contains(&number) {
                    let text = format!("`{}` is {number}, expected {} to {}", $key, $from, $to);
                    return Err(Error::argument($key, text));
                }
                self.$name = number as $type;
                Ok(self)
            }
        )* }
    };
}

numbers! {
    buffers = "buffers": u16, 1 to 16384, "flits of each input buffer";
    output = "output": u16, 1 to 16384, "flits of each output buffer";
    speedup = "speedup": u8, 1 to 64, "flits per cycle through the switch";
    delay = "delay": u16, 0 to 1000, "cycles through the router";
    latency = "latency": u16, 1 to 10000, "cycles of links whose class has none";
    lanes = "lanes": u8, 1 to 8, "VCs for each VC of the routing";
    packet = "packet": u16, 1 to 4096, "flits of a packet";
    flit_bytes = "flit": u32, 1 to 1048576, "bytes of a flit";
}

impl Router {
    /// What is so where no key says otherwise.
    pub const DEFAULT: Router = Router {
        buffers: 64,
        output: 64,
        speedup: 2,
        crossbar: Crossbar::Ports,
        delay: 1,
        latency: 1,
        lanes: 1,
        packet: 1,
        source: None,
        flit_bytes: 64,
        switching: Switching::CutThrough,
        arbitration: Arbitration::RoundRobin,
        allocator: Allocator::Maximal,
        claim: Claim::Link,
        entry: InjectionVc::First,
        exit: EjectionVc::Own,
        link: LinkTurn::Flit,
    };

    /// The router of CAMINOS that it calls `InputOutput`, with `flit_size` the size of packets and its allocator `Random`.
    pub fn caminos() -> Router {
        Router {
            crossbar: Crossbar::Vcs,
            arbitration: Arbitration::Random,
            allocator: Allocator::Separable,
            entry: InjectionVc::Lowest,
            exit: EjectionVc::Any,
            link: LinkTurn::Packet,
            source: Some(20),
            ..Router::DEFAULT
        }
    }

    /// The router of BookSim2 that it calls `iq`, with `internal_speedup = 2` and separable allocators of one iteration.
    pub fn booksim() -> Router {
        Router {
            delay: 2,
            output: 16384,
            switching: Switching::Wormhole,
            allocator: Allocator::Separable,
            claim: Claim::Switch,
            entry: InjectionVc::Random,
            ..Router::DEFAULT
        }
    }

    /// Reads the keys of [`ENTRY`].
    ///
    /// # Errors
    /// A value out of its range, or a packet that no buffer takes whole.
    pub fn read(reader: &Reader) -> Result<Router> {
        let like = [Router::default(), Router::booksim(), Router::caminos()]
            [reader.choice("like", &["none", "booksim", "caminos"])?];
        let source = match reader.get::<String>("source")? {
            None => like.source,
            Some(word) => match word.parse::<u16>() {
                Ok(packets) if packets > 0 => Some(packets),
                _ if word == "infinite" => None,
                _ => {
                    let text = format!("`source` is `{word}`, expected infinite or 1 to 65535");
                    return Err(reader.wrong("source", text));
                }
            },
        };
        let switchings = [("vct", Switching::CutThrough), ("wormhole", Switching::Wormhole)];
        let arbitrations = [
            ("round-robin", Arbitration::RoundRobin),
            ("oldest", Arbitration::Oldest),
            ("fcfs", Arbitration::Fcfs),
            ("random", Arbitration::Random),
        ];
        let allocators = [("maximal", Allocator::Maximal), ("separable", Allocator::Separable)];
        let entries = [("first", InjectionVc::First), ("lowest", InjectionVc::Lowest), ("random", InjectionVc::Random)];
        let exits = [("own", EjectionVc::Own), ("any", EjectionVc::Any)];
        let links = [("flit", LinkTurn::Flit), ("packet", LinkTurn::Packet)];
        let router = Router {
            source,
            switching: one_of(reader, "switching", like.switching, &switchings)?,
            crossbar: one_of(reader, "crossbar", like.crossbar, &[("ports", Crossbar::Ports), ("vcs", Crossbar::Vcs)])?,
            arbitration: one_of(reader, "arbitration", like.arbitration, &arbitrations)?,
            allocator: one_of(reader, "allocator", like.allocator, &allocators)?,
            claim: one_of(reader, "claim", like.claim, &[("link", Claim::Link), ("switch", Claim::Switch)])?,
            entry: one_of(reader, "entry", like.entry, &entries)?,
            exit: one_of(reader, "exit", like.exit, &exits)?,
            link: one_of(reader, "link", like.link, &links)?,
            ..like
        };
        if router.crossbar == Crossbar::Vcs && reader.is_given("speedup") {
            return Err(reader.wrong("speedup", "`speedup` has no meaning with crossbar=vcs"));
        }
        let router = reader.set(router, "buffers", Router::buffers)?;
        let router = reader.set(router, "output", Router::output)?;
        let router = reader.set(router, "speedup", Router::speedup)?;
        let router = reader.set(router, "delay", Router::delay)?;
        let router = reader.set(router, "latency", Router::latency)?;
        let router = reader.set(router, "lanes", Router::lanes)?;
        let router = reader.set(router, "packet", Router::packet)?;
        let router = reader.set(router, "flit", Router::flit_bytes)?;
        reader.made(router.check())?;
        Ok(router)
    }

    /// Makes sure that packets can move.
    pub(super) fn check(&self) -> Result<()> {
        let least = self.buffers.min(self.output);
        if self.switching == Switching::CutThrough && self.packet > least {
            let text = format!("a packet of {} flits does not fit a buffer of {least}", self.packet);
            return Err(Error::argument("packet", text).hint("use larger buffers and outputs, or switching=wormhole"));
        }
        Ok(())
    }

    /// Whether it is as most are, for which the engine has its own code.
    pub(super) fn is_usual(&self) -> bool {
        let usual = (Allocator::Maximal, Claim::Link, InjectionVc::First, EjectionVc::Own, LinkTurn::Flit);
        self.delay > 0 && (self.allocator, self.claim, self.entry, self.exit, self.link) == usual
    }

    /// Flits that an output buffer may hold where the next input buffer has so many credits left.
    #[inline]
    pub(super) fn room(&self, credits: u16) -> u16 {
        match self.claim {
            Claim::Link => self.output,
            Claim::Switch => self.output.min(credits),
        }
    }

    /// Flits for which there must be room before a packet's first flit moves.
    pub(super) fn start(&self) -> u16 {
        match self.switching {
            Switching::CutThrough => self.packet,
            Switching::Wormhole => 1,
        }
    }
}

/// The value of a word among some, `default` where the key is not given.
fn one_of<T: Copy>(reader: &Reader, key: &str, default: T, words: &[(&str, T)]) -> Result<T> {
    if !reader.is_given(key) {
        return Ok(default);
    }
    let names: Vec<&str> = words.iter().map(|word| word.0).collect();
    Ok(words[reader.choice(key, &names)?].1)
}
