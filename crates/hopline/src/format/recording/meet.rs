//! Which message each receive gets. A recording has receives from anyone, and
//! receives with more room than the message needs; so the run is played through
//! once, with messages that take no time, ranks that take turns by their clocks,
//! and collectives that nobody leaves before all have come.

use super::play::{Play, Played, length};
use super::{Comm, Recording, Shape};
use crate::error::{Error, Result};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

/// The most calls that are unfolded: a schedule of more fits no tool.
const MOST_CALLS: u64 = 50_000_000;

/// A message that a receive got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MatchedMessage {
    pub(super) source: u32,
    pub(super) bytes: u64,
    pub(super) comm: u32,
    pub(super) tag: Option<u32>,
}

/// Every receive of each rank in the order they were issued, and sends that nobody received, by number.
pub(super) struct Matches {
    pub(super) received: Vec<Vec<Option<MatchedMessage>>>,
    pub(super) lost: Vec<BTreeSet<u64>>,
    /// One number for each communicator and tag.
    pub(super) tags: Tags,
    pub(super) comms: Comms,
}

/// Messages of the world keep their tags; every other communicator and tag has a number above them.
#[derive(Default)]
pub(super) struct Tags {
    worlds: BTreeSet<u32>,
    others: BTreeMap<(u32, Option<u32>), u32>,
}

impl Tags {
    fn new(recording: &Recording, comms: &Comms) -> Tags {
        let mut tags = Tags::default();
        let mut others = BTreeSet::new();
        for (rank, stream) in recording.ranks.iter().enumerate() {
            for shape in &stream.shapes {
                match (shape.op.as_str(), comms.of(rank, shape), shape.tag) {
                    ("send", 0, Some(tag)) => drop(tags.worlds.insert(tag)),
                    ("send", comm, tag) => drop(others.insert((comm, tag))),
                    ("recv" | "wait" | "cancel", ..) => {}
                    (_, comm, _) => drop(others.insert((comm, None))),
                }
            }
        }
        let first = tags.worlds.last().map_or(0, |&tag| tag.saturating_add(1));
        tags.others = others.into_iter().zip(first..).collect();
        tags
    }

    /// The number of a tag, or of a communicator's collectives.
    pub(super) fn number(&self, comm: u32, tag: Option<u32>) -> u32 {
        match tag {
            Some(tag) if comm == 0 => tag,
            _ => self.others.get(&(comm, tag)).copied().unwrap_or(0),
        }
    }
}

/// Communicators as all ranks know them: the world is 0.
pub(super) struct Comms(Vec<Vec<u32>>);

impl Comms {
    fn new(recording: &Recording) -> (Comms, Vec<usize>) {
        let mut known: BTreeMap<Comm, u32> = BTreeMap::new();
        let mut sizes = Vec::new();
        let numbers = |stream: &super::Stream| {
            let number = |comm: &Comm| {
                let mut comm = comm.clone();
                // The other side of an intercommunicator has its groups the other way round.
                if let Some(local) = &mut comm.local
                    && *local > comm.peers
                {
                    std::mem::swap(local, &mut comm.peers);
                }
                let members = comm.peers.iter().chain(comm.local.iter().flatten()).flatten().count();
                let next = known.len() as u32;
                *known.entry(comm).or_insert_with(|| {
                    sizes.push(members);
                    next
                })
            };
            stream.comms.iter().map(number).collect()
        };
        let all = recording.ranks.iter().map(numbers).collect();
        (Comms(all), sizes)
    }

    /// The communicator of a rank's shape; the world where it has none.
    pub(super) fn of(&self, rank: usize, shape: &Shape) -> u32 {
        shape.comm.map_or(0, |comm| self.0[rank][comm as usize])
    }
}

/// A message under way or a receive that waits for one.
#[derive(Debug, Clone, Copy)]
struct Message {
    comm: Option<u32>,
    source: Option<u32>,
    tag: Option<u32>,
    bytes: u64,
    /// Number of the send or receive of its rank.
    number: u64,
}

impl Message {
    /// A message is what a receive waits for.
    fn fits(&self, receive: &Message) -> bool {
        let same = |wanted: Option<u32>, is: Option<u32>| wanted.is_none() || wanted == is;
        same(receive.comm, self.comm) && same(receive.source, self.source) && same(receive.tag, self.tag)
    }
}

/// What a rank waits for.
enum Waits {
    Nothing,
    Receives(Vec<u64>),
    Others,
}

struct Rank<'a> {
    play: Play<'a>,
    clock: u64,
    sends: u64,
    posted: VecDeque<Message>,
    arrived: VecDeque<Message>,
    /// Receives by slot.
    slots: BTreeMap<u32, u64>,
    received: Vec<Option<MatchedMessage>>,
    waits: Waits,
    ended: bool,
}

/// Plays a recording through: O(calls log ranks) where queues are short.
///
/// # Errors
/// A stream ends early or has calls that were only counted; too many calls;
/// ranks that wait for each other for ever.
pub(super) fn meet(recording: &Recording) -> Result<Matches> {
    check(recording)?;
    let (comms, sizes) = Comms::new(recording);
    let mut theatre = Matcher {
        recording,
        comms: &comms,
        ranks: recording.ranks.iter().map(Rank::new).collect(),
        turns: (0..recording.ranks.len() as u32).map(|rank| Reverse((0, rank))).collect(),
        gathered: vec![Vec::new(); sizes.len()],
        sizes,
    };
    theatre.run();
    if let Some(rank) = theatre.ranks.iter().position(|rank| !rank.ended) {
        return Err(Error::input(format!("{}: rank {rank} waits for a message that nobody sends", recording.path))
            .hint("no whole run, or threads of a rank called MPI side by side; its matrix can still be had"));
    }
    let tags = Tags::new(recording, &comms);
    let mut lost = vec![BTreeSet::new(); theatre.ranks.len()];
    for message in theatre.ranks.iter().flat_map(|rank| &rank.arrived) {
        if let Some(source) = message.source {
            lost[source as usize].insert(message.number);
        }
    }
    Ok(Matches { received: theatre.ranks.into_iter().map(|rank| rank.received).collect(), lost, tags, comms })
}

fn check(recording: &Recording) -> Result<()> {
    let calls = recording.ranks.iter().fold(0u64, |sum, stream| sum.saturating_add(length(&stream.calls)));
    let matrix = "its matrix can still be had";
    if calls > MOST_CALLS {
        return Err(Error::input(format!(
            "{}: {calls} calls, more than the {MOST_CALLS} of a schedule",
            recording.path
        ))
        .hint("record fewer iterations"));
    }
    for (rank, stream) in recording.ranks.iter().enumerate() {
        if !stream.counted.is_empty() {
            return Err(Error::input(format!("{}: rank {rank} reached the limit of the recording", recording.path))
                .hint(format!("record again with a higher HOPLINE_RECORD_LIMIT; {matrix}")));
        }
        if !stream.finished {
            return Err(Error::input(format!("{}: rank {rank} ended before MPI_Finalize", recording.path)).hint(matrix));
        }
    }
    Ok(())
}

impl<'a> Rank<'a> {
    fn new(stream: &'a super::Stream) -> Self {
        Rank {
            play: Play::new(stream),
            clock: 0,
            sends: 0,
            posted: VecDeque::new(),
            arrived: VecDeque::new(),
            slots: BTreeMap::new(),
            received: Vec::new(),
            waits: Waits::Nothing,
            ended: false,
        }
    }

    fn meet(&mut self, receive: &Message, message: &Message) {
        if let (Some(met), Some(source)) = (self.received.get_mut(receive.number as usize), message.source) {
            let comm = message.comm.unwrap_or(0);
            *met = Some(MatchedMessage { source, bytes: message.bytes, comm, tag: message.tag });
        }
    }

    /// A receive that nothing has come for waits no longer.
    fn cancel(&mut self, slot: u64) {
        let Ok(slot) = u32::try_from(slot) else { return };
        let waiting = |number| self.posted.iter().position(|receive| receive.number == number);
        if let Some(at) = self.slots.get(&slot).copied().and_then(waiting) {
            self.posted.remove(at);
            self.slots.remove(&slot);
        }
    }

    fn is_met(&self, receive: u64) -> bool {
        self.received.get(receive as usize).is_some_and(Option::is_some)
    }

    fn goes_on(&self) -> bool {
        match &self.waits {
            Waits::Nothing => true,
            Waits::Receives(receives) => receives.iter().all(|&receive| self.is_met(receive)),
            Waits::Others => false,
        }
    }
}

struct Matcher<'a> {
    recording: &'a Recording,
    comms: &'a Comms,
    ranks: Vec<Rank<'a>>,
    turns: BinaryHeap<Reverse<(u64, u32)>>,
    /// Who waits in a collective of each communicator.
    gathered: Vec<Vec<u32>>,
    sizes: Vec<usize>,
}

impl Matcher<'_> {
    fn run(&mut self) {
        while let Some(Reverse((_, rank))) = self.turns.pop() {
            self.ranks[rank as usize].waits = Waits::Nothing;
            match self.ranks[rank as usize].play.next() {
                Some(played) => {
                    self.step(rank, played);
                    let this = &self.ranks[rank as usize];
                    if this.goes_on() {
                        self.turns.push(Reverse((this.clock, rank)));
                    }
                }
                None => self.ranks[rank as usize].ended = true,
            }
        }
    }

    fn step(&mut self, rank: u32, played: Played) {
        let stream = &self.recording.ranks[rank as usize];
        let shape = stream.shape(played.shape);
        let comm = shape.comm.map(|_| self.comms.of(rank as usize, shape));
        let this = &mut self.ranks[rank as usize];
        this.clock = this.clock.saturating_add(played.gap);
        match shape.op.as_str() {
            "send" => {
                let number = this.sends;
                this.sends += 1;
                if let Some(peer) = shape.peer {
                    let message = Message { comm, source: Some(rank), tag: shape.tag, bytes: shape.bytes, number };
                    self.deliver(peer, message);
                }
            }
            "recv" => {
                let number = this.received.len() as u64;
                this.received.push(None);
                if stream.is_elsewhere(shape) {
                    return;
                }
                let receive = Message { comm, source: shape.peer, tag: shape.tag, bytes: shape.bytes, number };
                match this.arrived.iter().position(|message| message.fits(&receive)) {
                    Some(at) => {
                        if let Some(message) = this.arrived.remove(at) {
                            this.meet(&receive, &message);
                        }
                    }
                    None => this.posted.push_back(receive),
                }
                match shape.slot {
                    Some(slot) => drop(this.slots.insert(slot, number)),
                    None => this.waits = Waits::Receives(vec![number]),
                }
            }
            "wait" => {
                let ended = |&slot: &u64| this.slots.remove(&u32::try_from(slot).ok()?);
                this.waits = Waits::Receives(stream.list(shape).iter().filter_map(ended).collect());
            }
            "cancel" => stream.list(shape).iter().for_each(|&slot| this.cancel(slot)),
            "put" | "get" | "exchange" => {}
            op if shape.slot.is_none() && !op.starts_with("neighbor") => self.gather(rank, comm.unwrap_or(0)),
            _ => {}
        }
    }

    fn deliver(&mut self, to: u32, message: Message) {
        let now = self.ranks[message.source.unwrap_or(to) as usize].clock;
        let there = &mut self.ranks[to as usize];
        let waited = !there.goes_on();
        match there.posted.iter().position(|receive| message.fits(receive)) {
            Some(at) => {
                if let Some(receive) = there.posted.remove(at) {
                    there.meet(&receive, &message);
                }
            }
            None => there.arrived.push_back(message),
        }
        if waited && there.goes_on() {
            there.clock = there.clock.max(now);
            self.turns.push(Reverse((there.clock, to)));
        }
    }

    /// The last one to come lets all go on.
    fn gather(&mut self, rank: u32, comm: u32) {
        self.ranks[rank as usize].waits = Waits::Others;
        let there = &mut self.gathered[comm as usize];
        there.push(rank);
        if there.len() < self.sizes[comm as usize] {
            return;
        }
        let all = std::mem::take(there);
        let clock = all.iter().map(|&r| self.ranks[r as usize].clock).max().unwrap_or(0);
        for &other in &all {
            self.ranks[other as usize].clock = clock;
            self.ranks[other as usize].waits = Waits::Nothing;
            if other != rank {
                self.turns.push(Reverse((clock, other)));
            }
        }
    }
}
