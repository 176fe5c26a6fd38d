//! What a replay models: hosts by LogGOPS, messages by packets.

use crate::entry::{Entry, param};
use crate::error::Result;
use crate::params::{FromValue, Params, Value};
use crate::schedule::{Bytes, Limit};
use crate::unit::Bandwidth;

/// The keys of `[replay]` and of the command line.
pub const ENTRY: Entry = Entry {
    name: "replay",
    summary: "the parameters of hosts, packets and memory",
    doc: "Hosts follow LogGOPS: a send or receive keeps its rank's processor busy for o + O*(bytes-1); an adapter (endpoint) \
          starts a message g + G*(bytes-1) after the last one and takes one in every g; every message arrives L later than \
          its last packet. Messages of more than S bytes wait for their receive (rendezvous): a request of no bytes goes to \
          the receiver, and when the receive is posted a grant comes back and the data leaves; adapters do that without the \
          processor. Requests and grants pass all data, at adapters and on links, and wait only for each other, as on a virtual lane of \
          their own with priority: their header delays data behind them, and they need no room in buffers. The sender of a small message is done when its processor is, of a large one when it has arrived.\n\
          network=packets: a message is cut into packets that follow the routing's paths; links are first in, first out, a \
          packet keeps a link for (bytes+header)/bandwidth and arrives its class's latency later. forward=store sends on \
          what has arrived as a whole, forward=cut what has begun to arrive (after 32 bytes). \
          Messages from one rank to another leave one after the other; others of an adapter share its link packet by packet. A message with several paths takes them in a \
          low-discrepancy sequence (golden ratio) in the routing's shares; beyond 64 paths, or more paths than packets, in \
          equal shares. Larger packets mean fewer events: with forward=cut, packet=64K is a train of packets.\n\
          Buffers are unlimited, unless `buffers` says how many bytes each virtual channel of a link has at its far end. The \
          channels are those that the routing has for flits, one where it has none. A packet leaves over a link when there is \
          room for the whole of it in its channel; it gives that back when it has left over the next link or has \
          arrived, which the near end knows a latency later. A buffer is shared by packets for all next links. Routings whose \
          channels do not keep packets apart (`shortest` on a ring) may let them wait for each other in a circle: the replay then \
          ends with the links of it. Packets that wait to enter the network stand in line at their adapter.\n\
          network=fluid: messages are flows that share links max-min fairly, each along the mean of its paths, one at a time from \
          one rank to another.\n\
          network=ideal: no network; a message arrives L + G*(bytes-1) after it left. That is LogGOPS alone.\n\
          A replay says how much memory it takes before it begins, and is refused where that is more than `limit`: some 100 bytes \
          for a message of a schedule, 24 for every operation of every play where the critical path is recorded. What is under way in the \
          network (about 110 bytes for a message and 50 for a packet) is known only while it runs, and ends it at the limit. More \
          than 2^38 packets in all, about a day of computing, are refused too.\n\
          Ranks of one host copy at the rate of `memory` after `memory_latency`, one copy of a sender at a time.\n\
          Source: Alexandrov, Ionescu, Schauser, Scheiman, LogGP (SPAA 1995); Hoefler, Schneider, Lumsdaine, LogGOPSim \
          (HPDC 2010).",
    example: "replay:L=500,o=200,S=65536",
    params: &[
        param("L", "ns", "0", "latency of a message beside the network's"),
        param("o", "ns", "0", "processor time of a send or receive"),
        param("g", "ns", "0", "gap between messages of an adapter"),
        param("G", "ns", "0", "gap per byte of an adapter"),
        param("O", "ns", "0", "processor time per byte"),
        param("S", "bytes", "65536", "largest message that does not wait for its receive"),
        param("network", "packets|fluid|ideal", "packets", "how messages share the network"),
        param("packet", "bytes", "2048", "data in a packet"),
        param("header", "bytes", "0", "further bytes of every packet"),
        param("buffers", "bytes", "unlimited", "room of a virtual channel at the far end of each link"),
        param("forward", "store|cut", "store", "when a packet is sent on"),
        param("memory", "GB/s", "10", "rate of a copy within a host"),
        param("memory_latency", "ns", "300", "latency of a copy within a host"),
        param(
            "limit",
            "bytes",
            "what is free",
            "memory that schedule and replay may take; 16 GB where nobody knows what is free",
        ),
    ],
};

/// How messages share the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// Packets on links that are first in, first out.
    Packets,
    /// Flows with max-min fair rates.
    Fluid,
    /// No contention: LogGOPS alone.
    Ideal,
}

impl Model {
    /// The same with packets that are so many times larger and cut through: trains of packets.
    #[must_use]
    pub fn with_trains(self, times: u32) -> Model {
        let larger = |bytes: u32| bytes.saturating_mul(times);
        Model { packet: larger(self.packet), header: larger(self.header), forward: CUT, ..self }
    }
}

/// What is modelled: see [`ENTRY`]. Times are picoseconds, rates picoseconds per byte.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Model {
    /// L: latency of a message beside the network's.
    pub latency: u64,
    /// o: processor time of a send or receive.
    pub overhead: u64,
    /// g: gap between messages of an adapter.
    pub gap: u64,
    /// G: gap per byte.
    pub gap_per_byte: Rate,
    /// O: processor time per byte.
    pub overhead_per_byte: Rate,
    /// S: the largest eager message in bytes.
    pub eager: u64,
    /// How messages share the network.
    pub network: Network,
    /// Data bytes of a packet.
    pub packet: u32,
    /// Further bytes of every packet.
    pub header: u32,
    /// Bytes that must have arrived before a packet is sent on.
    pub forward: u32,
    /// Bytes of the buffer of each virtual channel of a link; unlimited without.
    pub buffers: Option<u64>,
    /// Copies within a host.
    pub memory: Rate,
    /// Latency of a copy within a host.
    pub memory_latency: u64,
    /// The memory that a replay may take.
    pub limit: Limit,
}

/// Picoseconds per byte as a fixed-point number with 20 binary places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rate(u64);

impl Rate {
    /// The time per byte of a bandwidth.
    pub fn of(bandwidth: Bandwidth) -> Rate {
        let scale = 1_000_000_000_000u128 << 20;
        Rate((scale / u128::from(bandwidth.as_bytes_s().max(1))) as u64)
    }

    /// From nanoseconds per byte.
    pub fn nanos(value: f64) -> Rate {
        Rate((value * 1000.0 * f64::from(1 << 20)).round() as u64)
    }

    /// Picoseconds of so many bytes, rounded.
    #[inline]
    pub fn time(self, bytes: u64) -> u64 {
        ((u128::from(bytes) * u128::from(self.0) + (1 << 19)) >> 20).min(u128::from(u64::MAX)) as u64
    }
}

/// A time in nanoseconds, as picoseconds.
struct Picos(u64);

impl FromValue for Picos {
    const EXPECTED: &'static str = "nanoseconds";
    fn from_value(value: &Value) -> Option<Self> {
        f64::from_value(value).filter(|ns| (0.0..=1e15).contains(ns)).map(|ns| Picos((ns * 1000.0).round() as u64))
    }
}

/// Nanoseconds per byte.
struct PerByte(Rate);

impl FromValue for PerByte {
    const EXPECTED: &'static str = "nanoseconds per byte";
    fn from_value(value: &Value) -> Option<Self> {
        f64::from_value(value).filter(|ns| (0.0..=1e6).contains(ns)).map(|ns| PerByte(Rate::nanos(ns)))
    }
}

impl Default for Model {
    fn default() -> Model {
        Model {
            latency: 0,
            overhead: 0,
            gap: 0,
            gap_per_byte: Rate(0),
            overhead_per_byte: Rate(0),
            eager: 65536,
            network: Network::Packets,
            packet: 2048,
            header: 0,
            forward: u32::MAX,
            buffers: None,
            memory: Rate::of(Bandwidth::gb_s(10.0)),
            memory_latency: 300_000,
            limit: Limit::default(),
        }
    }
}

impl Model {
    /// Reads the keys of [`ENTRY`].
    ///
    /// # Errors
    /// A value that is out of range or cannot be read.
    pub fn read(params: &Params) -> Result<Model> {
        let reader = params.check(&ENTRY)?;
        let usual = Model::default();
        let picos = |key: &str, usual: u64| Ok(reader.or(key, Picos(usual))?.0);
        let packet = reader.or("packet", Bytes(usual.packet.into()))?.0;
        if !(1..=1 << 30).contains(&packet) {
            return Err(reader.wrong("packet", format!("packets of {packet} bytes, expected 1 to 1073741824")));
        }
        let header = reader.or("header", usual.header)?.min(1 << 20);
        let buffers = reader.get::<Bytes>("buffers")?.map(|b| b.0);
        if let Some(bytes) = buffers.filter(|&b| b < packet + u64::from(header)) {
            let text =
                format!("buffers of {bytes} bytes, expected at least a packet of {}", packet + u64::from(header));
            return Err(reader.wrong("buffers", text));
        }
        let network = [Network::Packets, Network::Fluid, Network::Ideal];
        let network = network[reader.choice("network", &["packets", "fluid", "ideal"])?];
        if buffers.is_some() && network != Network::Packets {
            return Err(reader.wrong("buffers", "`buffers` is given, but network=fluid and network=ideal have none"));
        }
        let forward = [u32::MAX, CUT];
        Ok(Model {
            latency: picos("L", usual.latency)?,
            overhead: picos("o", usual.overhead)?,
            gap: picos("g", usual.gap)?,
            gap_per_byte: reader.or("G", PerByte(usual.gap_per_byte))?.0,
            overhead_per_byte: reader.or("O", PerByte(usual.overhead_per_byte))?.0,
            eager: reader.or("S", Bytes(usual.eager))?.0,
            network,
            packet: packet as u32,
            header,
            forward: forward[reader.choice("forward", &["store", "cut"])?],
            buffers,
            memory: reader.get("memory")?.map_or(usual.memory, Rate::of),
            memory_latency: picos("memory_latency", usual.memory_latency)?,
            limit: reader.get::<Bytes>("limit")?.map_or(usual.limit, |b| Limit { bytes: b.0 }),
        })
    }
}

/// Bytes of a packet that must have arrived where it is cut through.
const CUT: u32 = 32;

/// No parameters at all: everything has its default.
pub fn no_params() -> Params {
    Params::new(ENTRY.name, crate::error::Place::new("[replay]", 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_exact() {
        assert_eq!(Rate::of(Bandwidth::gb_s(4.0)).time(2048), 512_000);
        assert_eq!(Rate::nanos(0.001).time(5), 5);
    }
}
