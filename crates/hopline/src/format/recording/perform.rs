//! A rank's part of a recording as plain messages: receives know their senders,
//! collectives are the messages of `messages.rs`. What schedule formats are written from.

use super::Recording;
use super::library::Call;
use super::meet::{Matches, meet};
use super::messages::{Step, steps};
use super::play::Play;
use crate::error::Result;
use std::collections::{BTreeMap, BTreeSet};

/// A message with a rank of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Message {
    /// The other rank.
    pub(crate) peer: u32,
    pub(crate) bytes: u64,
    pub(crate) tag: u32,
    /// The request it has, where the rank goes on without waiting.
    pub(crate) request: Option<u64>,
}

/// Takes what a rank does, in order.
pub(crate) trait Stage {
    fn compute(&mut self, nanos: u64);
    fn send(&mut self, message: Message);
    fn recv(&mut self, message: Message);
    /// Waits for requests; each is named once.
    fn wait(&mut self, requests: &[u64]);
}

/// A recording that is whole, and which message each receive gets.
pub(crate) struct Performance<'a> {
    recording: &'a Recording,
    meetings: Matches,
}

impl<'a> Performance<'a> {
    /// Finds out who gets what: as [`meet`].
    ///
    /// # Errors
    /// A rank's recording is not whole, or has more calls than a schedule should.
    pub(crate) fn new(recording: &'a Recording) -> Result<Self> {
        Ok(Performance { recording, meetings: meet(recording)? })
    }

    /// Plays a rank on a stage: O(its calls and messages).
    pub(crate) fn rank(&self, rank: u32, stage: &mut dyn Stage) {
        perform(self.recording, &self.meetings, rank, stage);
    }
}

fn perform(recording: &Recording, meetings: &Matches, rank: u32, stage: &mut dyn Stage) {
    let stream = &recording.ranks[rank as usize];
    let (mut sends, mut receives) = (0u64, 0usize);
    // Requests of the program by slot; those of receives that met nothing or of collectives are not there.
    let mut requests: BTreeMap<u64, u64> = BTreeMap::new();
    let mut next = 0u64;
    for played in Play::new(stream) {
        let shape = stream.shape(played.shape);
        let comm = meetings.comms.of(rank as usize, shape);
        if played.gap > 0 {
            stage.compute(played.gap);
        }
        let mut request = || {
            let slot = shape.slot?;
            next += 1;
            requests.insert(u64::from(slot), next);
            Some(next)
        };
        match shape.op.as_str() {
            "send" => {
                let lost = meetings.lost[rank as usize].contains(&sends);
                sends += 1;
                if let Some(peer) = shape.peer.filter(|_| !lost) {
                    let tag = meetings.tags.number(comm, shape.tag);
                    stage.send(Message { peer, bytes: shape.bytes, tag, request: request() });
                }
            }
            "recv" => {
                let met = meetings.received[rank as usize].get(receives).copied().flatten();
                receives += 1;
                if let Some(met) = met {
                    let tag = meetings.tags.number(met.comm, met.tag);
                    stage.recv(Message { peer: met.source, bytes: met.bytes, tag, request: request() });
                }
            }
            "wait" => {
                let ended: Vec<u64> = stream.list(shape).iter().filter_map(|slot| requests.remove(slot)).collect();
                if !ended.is_empty() {
                    stage.wait(&ended);
                }
            }
            "put" | "get" | "exchange" | "cancel" => {}
            op => {
                let Some(members) = stream.comm(shape).filter(|comm| comm.local.is_none()) else { continue };
                let world = |member: u32| members.peers.get(member as usize).copied().flatten();
                let me = members.peers.iter().position(|&peer| peer == Some(rank)).unwrap_or(0) as u32;
                let root = shape.peer.unwrap_or(0);
                let size = members.peers.len() as u32;
                let list = stream.list(shape);
                let call = Call { library: &stream.library, op, n: size, root, bytes: shape.bytes, list };
                let all = steps(&call, me);
                let real = |peer: u32| if op.starts_with("neighbor") { Some(peer) } else { world(peer) };
                next = collective(stage, &all, meetings.tags.number(comm, None), real, next);
            }
        }
    }
}

/// Plays the messages of a collective; answers the last request used.
fn collective(
    stage: &mut dyn Stage,
    steps: &[Step],
    tag: u32,
    world: impl Fn(u32) -> Option<u32>,
    mut next: u64,
) -> u64 {
    let mut open = BTreeSet::new();
    for step in steps {
        let message = |peer: u32, bytes: u64, request: u64| {
            Some(Message { peer: world(peer)?, bytes, tag, request: Some(request) })
        };
        match *step {
            Step::Send(peer, bytes) => {
                next += 1;
                if let Some(message) = message(peer, bytes, next) {
                    open.insert(next);
                    stage.send(message);
                }
            }
            Step::Recv(peer, bytes) => {
                next += 1;
                if let Some(message) = message(peer, bytes, next) {
                    open.insert(next);
                    stage.recv(message);
                }
            }
            Step::Join => {
                let all: Vec<u64> = std::mem::take(&mut open).into_iter().collect();
                if !all.is_empty() {
                    stage.wait(&all);
                }
            }
        }
    }
    next
}
