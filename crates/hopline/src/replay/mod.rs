//! Packet-level replay of a [`Schedule`]: when does each rank finish, and which
//! links make it late?
//!
//! Hosts follow LogGOPS ([`Model`], `ranks`), messages travel as packets over
//! links that are first in, first out (`links`, `network`), with room for them
//! at the other end where that is limited (`buffers`), as fluid flows that
//! share links max-min fairly (`fluid`), or through no network at all. A single
//! queue of events (`queue`) holds it together; time is whole picoseconds, so a
//! replay is the same on every machine.

mod buffers;
mod engine;
mod estimate;
mod events;
mod fluid;
mod lines;
mod links;
mod log;
mod message;
mod model;
mod network;
mod packet;
mod queue;
mod ranks;
mod routes;
mod sleep;
mod timeline;

pub use estimate::{PacketCount, links_of_a_packet, packets};
pub use model::{ENTRY as MODEL, Model, Network, Rate, no_params};
pub use sleep::{Dimming, FULL, NEVER, Nap, Slept};
pub use timeline::{Watch, ranks_in_row};

use crate::error::{Error, Result};
use crate::event::Observer;
use crate::fabric::{Hosts, Rails};
use crate::id::{HostId, VertexId};
use crate::mapping::Mapping;
use crate::routing::Routing;
use crate::schedule::Schedule;
use engine::Engine;

/// No message, operation, record or link.
const NONE: u32 = u32::MAX;

/// Where each rank is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Its host, or its processor where hosts have insides: ranks of one copy.
    pub host: Vec<HostId>,
    /// Its host, whatever is inside.
    pub machine: Vec<HostId>,
    /// The endpoint at which it injects.
    pub endpoint: Vec<VertexId>,
}

impl Places {
    /// Ranks on these hosts, of which nobody knows an inside, and endpoints.
    pub fn on(host: Vec<HostId>, endpoint: Vec<VertexId>) -> Places {
        Places { machine: host.clone(), host, endpoint }
    }

    /// The places of a mapping.
    ///
    /// # Errors
    /// The hosts stripe messages over several endpoints.
    pub fn new(mapping: &Mapping, hosts: &Hosts) -> Result<Places> {
        if hosts.rails() == Rails::Stripe && hosts.most_rails() > 1 {
            return Err(Error::input("a replay cannot stripe messages over rails")
                .hint("choose rails=affine, rails=round-robin or the number of a rail"));
        }
        let endpoint = mapping.places(hosts);
        let machine: Vec<HostId> = (0..mapping.tasks()).map(|t| hosts.host_of(mapping.slot(t))).collect();
        let host = match hosts.have_insides() {
            // Links join the processors of a host, so each is a host of its own.
            true => endpoint.iter().map(|e| HostId(e.0)).collect(),
            false => machine.clone(),
        };
        Ok(Places { host, machine, endpoint })
    }
}

/// What is replayed.
#[derive(Clone, Copy)]
pub struct ReplayInput<'a> {
    /// Who sends what after what.
    pub schedule: &'a Schedule,
    /// The network and its paths.
    pub routing: &'a dyn Routing,
    /// Where each rank is.
    pub places: &'a Places,
    /// Parameters of hosts and packets.
    pub model: &'a Model,
}

/// What is recorded beside the times.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// Utilisation over time.
    pub watch: Option<Watch>,
    /// The critical path, 24 bytes for every operation of every play.
    pub critical: bool,
}

/// What came of it. Times are picoseconds from the beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Replayed {
    /// When each rank had done its last operation.
    pub finish: Vec<u64>,
    /// How long each link was sending.
    pub busy: Vec<u64>,
    /// Messages between hosts, without requests and grants, and within hosts.
    pub messages: u64,
    /// Messages within hosts, over the links inside where those are known.
    pub copies: u64,
    /// Packets times links that take time.
    pub packet_hops: u64,
    /// Events of the queue.
    pub events: u64,
    /// The most packets under way at once.
    pub most_packets: u64,
    /// Busy picoseconds per bin: a row per class of links, then one per watched link.
    pub timeline: Vec<Vec<u64>>,
    /// The same of the processors of ranks, which compute or handle messages: at most 64 rows of [`ranks_in_row`] ranks
    /// each, in their order.
    pub processors: Vec<Vec<u64>>,
    /// What the last rank waited for, from the beginning; empty where not recorded.
    pub critical: Vec<Critical>,
    /// All that was done; empty where no critical path is recorded.
    pub done: Done,
    /// What cables did that may sleep; empty where none may.
    pub slept: Slept,
}

/// When everything was done, in order of time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Done {
    /// (rank, operation, time); a send that waits for its receive stands there twice: when it asked and when it was done.
    pub ops: Vec<(u32, u32, u64)>,
    /// (receive, time at which its message was there).
    pub arrived: Vec<(u32, u64)>,
}

impl Replayed {
    /// When the last rank was done.
    pub fn makespan(&self) -> u64 {
        self.finish.iter().copied().max().unwrap_or(0)
    }
}

/// One operation of the critical path: it began when the one before it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Critical {
    /// Its rank.
    pub rank: u32,
    /// The operation, as an index into [`Schedule::ops`].
    pub op: u32,
    /// When it was done.
    pub done: u64,
    /// For a receive that waited for its message: when that had been sent; else `None`.
    pub sent: Option<u64>,
}

/// Replays a schedule. O(packets * links of a path) events.
///
/// ```
/// use hopline::replay::{Model, Places, Record, ReplayInput, replay};
/// use hopline::{event::Silent, id::SlotId, mapping::Mapping, routing::Shortest, schedule, topology::FullMesh};
/// use std::sync::Arc;
///
/// let fabric = Arc::new(FullMesh::new(2)?.build()?);
/// let mut body = schedule::Builder::new(2);
/// body.compute(0, 1000);
/// body.wait(0);
/// body.send(0, 1, 1_000_000, 0);
/// body.recv(1, 0, 1_000_000, 0);
/// let schedule = body.finish()?;
/// let mapping = Mapping::new(vec![SlotId(0), SlotId(1)], &fabric)?;
/// let (places, model) = (Places::new(&mapping, fabric.hosts())?, Model::default());
/// let routing = Shortest::new(fabric.clone());
/// let input = ReplayInput { schedule: &schedule, routing: &routing, places: &places, model: &model };
/// // 1 us of work, then 1 MB at 1 GB/s; times are picoseconds.
/// let done = replay(input, &Record::default(), &mut Silent)?;
/// assert!((1_001_000_000..1_010_000_000).contains(&done.makespan()), "{}", done.makespan());
/// # Ok::<(), hopline::error::Error>(())
/// ```
///
/// # Errors
/// Another number of places than ranks, more than 8 virtual channels with finite buffers, more memory than the model's limit, two hosts without a way between them, ranks that wait for each other for ever
/// (large messages wait for their receive), packets that do (buffers are finite), or the observer says stop.
pub fn replay(input: ReplayInput<'_>, record: &Record, observer: &mut dyn Observer) -> Result<Replayed> {
    checked(input, record)?.run(observer)
}

/// The same with cables that sleep and links that are slow.
///
/// # Errors
/// Those of [`replay`], or a network without packets.
pub fn replay_dimmed(
    input: ReplayInput<'_>,
    record: &Record,
    plan: &Dimming,
    observer: &mut dyn Observer,
) -> Result<Replayed> {
    if input.model.network != Network::Packets {
        return Err(Error::input("only packets wake cables that sleep").hint("replay with network=packets"));
    }
    checked(input, record)?.dimmed(plan).run(observer)
}

fn checked<'a>(input: ReplayInput<'a>, record: &Record) -> Result<Engine<'a>> {
    let ranks = input.schedule.ranks() as usize;
    if input.places.host.len() != ranks || input.places.endpoint.len() != ranks {
        return Err(Error::input(format!(
            "{} places for a schedule of {ranks} ranks",
            input.places.host.len().min(input.places.endpoint.len())
        )));
    }
    let vcs = input.routing.vcs();
    if input.model.buffers.is_some() && vcs > routes::MOST_VCS {
        return Err(Error::input(format!(
            "{vcs} virtual channels with finite buffers, at most {} are possible",
            routes::MOST_VCS
        ))
        .hint("leave `buffers` out, or choose a routing that needs fewer; up-down needs one"));
    }
    estimate::check(input, record)?;
    Ok(Engine::new(input, record))
}
