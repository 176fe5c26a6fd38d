//! What a replay takes, said before it begins; what is known only while it runs is watched.

use super::message::Message;
use super::network::Wire;
use super::{Network, Record, ReplayInput};
use crate::error::{Error, Result};
use crate::rng::Rng;
use crate::routing::Path;
use crate::schedule::{What, gigabytes};

/// The most packets of a replay: about a day of computing.
const MOST_PACKETS: u64 = 1 << 38;

/// A message that is under way, with its event and, on average, its place in line.
const MESSAGE: u64 = size_of::<Message>() as u64 + 48;

/// What is recorded of an operation, and of an arrival.
const RECORD: u64 = 24;
const ARRIVAL: u64 = 16;

/// Bytes of a link: its times and its lines.
const LINK: u64 = 240;

/// What goes between hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketCount {
    /// Packets in all, if each holds as much data as the model says.
    pub packets: u64,
    /// Their messages.
    pub messages: u64,
}

/// Counts what goes between hosts. O(operations).
pub fn packets(input: ReplayInput<'_>) -> PacketCount {
    let sends = sends(input);
    PacketCount { packets: sends.packets, messages: sends.messages }
}

/// Sends whose paths stand for those of all.
const SAMPLES: u64 = 256;

/// Links that take time under a packet between hosts, on average, roughly: by the paths of some 256 messages at random
/// distances in the schedule, one path of each, weighted by their packets. 0 where none has a way. O(operations + paths).
pub fn links_of_a_packet(input: ReplayInput<'_>) -> f64 {
    let (schedule, routing, places) = (input.schedule, input.routing, input.places);
    // At equal distances they might all be of one step.
    let mut rng = Rng::new(0, "work");
    let every = (schedule.ops().len() as u64 / SAMPLES).max(1);
    let mut path = Path::default();
    let (mut links, mut weights) = (0.0, 0.0);
    let mut skip = 0u64;
    for (body, rank) in (0..schedule.bodies()).flat_map(|b| (0..schedule.ranks()).map(move |r| (b, r))) {
        let own = schedule.of(body, rank);
        for op in &schedule.ops()[own.start as usize..own.end as usize] {
            if skip > 0 || op.what != What::Send || places.host[rank as usize] == places.host[op.peer as usize] {
                skip = skip.saturating_sub(1);
                continue;
            }
            skip = rng.below(2 * every - 1);
            let (from, to) = (places.endpoint[rank as usize], places.endpoint[op.peer as usize]);
            let choice = routing.choices(from, to).map(|choices| rng.below(choices));
            if choice.and_then(|choice| routing.path(from, to, choice, &mut path)).is_err() {
                continue;
            }
            let weight = op.amount.div_ceil(u64::from(input.model.packet)).max(1) as f64;
            let timed = path.links.iter().filter(|&&l| routing.fabric().class_of(l).bandwidth.is_some()).count();
            links += weight * timed as f64;
            weights += weight;
        }
    }
    if weights == 0.0 { 0.0 } else { links / weights }
}

/// What a schedule sends.
#[derive(Default)]
struct Sends {
    /// Between hosts.
    packets: u64,
    messages: u64,
    /// Operations in all.
    done: u64,
    /// Messages that leave at once.
    begun: u64,
}

fn sends(input: ReplayInput<'_>) -> Sends {
    let (schedule, model) = (input.schedule, input.model);
    let mut all = Sends::default();
    for (body, plays) in (0u32..).zip(schedule.plays()) {
        for rank in 0..schedule.ranks() {
            let own = schedule.of(body, rank);
            all.done = all.done.saturating_add(plays.saturating_mul(own.len() as u64));
            let ops = &schedule.ops()[own.start as usize..own.end as usize];
            for (op, send) in (own.start..).zip(ops).filter(|(_, op)| op.what == What::Send) {
                let host = |rank: u32| input.places.host[rank as usize];
                if host(rank) != host(send.peer) {
                    let count = send.amount.div_ceil(u64::from(model.packet)).max(1);
                    all.packets = all.packets.saturating_add(count.saturating_mul(plays));
                    all.messages = all.messages.saturating_add(plays);
                }
                // Without anything before them and without time of the processor they leave at once.
                all.begun += u64::from(schedule.needs(op) == 0 && body == 0 && model.overhead == 0);
            }
        }
    }
    all
}

/// # Errors
/// The replay would take more memory than it may, or days.
pub(super) fn check(input: ReplayInput<'_>, record: &Record) -> Result<()> {
    let (schedule, model) = (input.schedule, input.model);
    let Sends { packets, done, begun, .. } = sends(input);
    if model.network == Network::Packets && packets > MOST_PACKETS {
        let text =
            format!("the replay takes {packets} packets of {} bytes, expected at most {MOST_PACKETS}", model.packet);
        return Err(
            Error::input(text).hint("larger packets (packet=, forward=cut), smaller messages, or network=fluid")
        );
    }
    let links = input.routing.fabric().links() as u64 * LINK;
    let log = if record.critical { done.saturating_mul(RECORD + ARRIVAL) } else { 0 };
    let bytes = schedule.size().bytes().saturating_add(begun * MESSAGE).saturating_add(links).saturating_add(log);
    if bytes <= model.limit.bytes {
        return Ok(());
    }
    let critical = if log > 0 { format!(", {} of it for the critical path", gigabytes(log)) } else { String::new() };
    let (all, limit) = (gigabytes(bytes), gigabytes(model.limit.bytes));
    let text = format!("the replay takes about {all} of memory{critical}; the limit is {limit}");
    Err(Error::input(text).hint("fewer ranks or plays, no critical path, or raise `limit` of the model"))
}

/// # Errors
/// What is under way takes more memory than is left.
pub(super) fn watch(input: ReplayInput<'_>, wire: &Wire<'_>) -> Result<()> {
    let (room, taken) = (input.model.limit.bytes, input.schedule.size().bytes().saturating_add(wire.bytes()));
    if taken <= room {
        return Ok(());
    }
    let text = format!(
        "{} packets are under way at once, and the replay takes {} of memory; the limit is {}",
        wire.packets,
        gigabytes(taken),
        gigabytes(room)
    );
    Err(Error::failed(text).hint("larger packets, `buffers`, network=fluid, or raise `limit` of the model"))
}
