//! The loop that takes events in order of time.

mod arrive;
mod flows;
mod launch;
mod packets;
mod rooms;
mod signal;
mod turns;

use super::buffers;
use super::estimate;
use super::events::EventKind;
use super::fluid::Fluid;
use super::links::Links;
use super::network::Wire;
use super::queue::Queue;
use super::ranks::Ranks;
use super::sleep::{Dimming, Sleep};
use super::timeline::{Processors, Timeline};
use super::{Network, Record, ReplayInput, Replayed};
use crate::error::{Error, Result};
use crate::event::{Control, Event, Observer};
use crate::schedule::What;

/// The longest replay in picoseconds: times must not overflow.
const LONGEST: u64 = 1 << 62;

pub(super) struct Engine<'a> {
    pub(super) input: ReplayInput<'a>,
    pub(super) queue: Queue<EventKind>,
    pub(super) ranks: Ranks,
    pub(super) wire: Wire<'a>,
    pub(super) fluid: Fluid,
}

impl<'a> Engine<'a> {
    pub(super) fn new(input: ReplayInput<'a>, record: &Record) -> Engine<'a> {
        let fabric = input.routing.fabric();
        let packets = input.model.network == Network::Packets;
        let timeline = record.watch.as_ref().filter(|_| packets).map(|watch| Timeline::new(watch, fabric));
        let links = Links::new(fabric, input.model.forward, timeline);
        Engine {
            queue: Queue::new(),
            ranks: Ranks::new(input.schedule, record),
            fluid: Fluid::new(fabric),
            wire: Wire::new(input, links),
            input,
        }
    }

    /// Cables that sleep and links that are slow.
    pub(super) fn dimmed(mut self, plan: &Dimming) -> Self {
        self.wire.links.sleep = Some(Sleep::new(plan, self.input.routing.fabric()));
        self
    }

    pub(super) fn run(mut self, observer: &mut dyn Observer) -> Result<Replayed> {
        observer.event(Event::Stage { what: "replay".into(), steps: self.wire.expected });
        for rank in 0..self.input.schedule.ranks() {
            self.enter(rank, 0);
        }
        self.settle(0)?;
        let (mut events, mut told) = (0u64, 0);
        while let Some(event) = self.queue.pop() {
            self.look_ahead();
            let (t, id) = (event.time, event.id);
            if t > LONGEST {
                return Err(Error::input("the replay takes more than 50 days")
                    .hint("look at units: calc and L are nanoseconds"));
            }
            match event.kind {
                EventKind::Hop => self.hop(id, t),
                EventKind::Follow => self.followed(id, t)?,
                EventKind::Inject => self.inject(id, t)?,
                EventKind::Signal => self.signal(id, t),
                EventKind::Room => self.room(id, t),
                EventKind::Arrive => self.arrive(id, t)?,
                EventKind::Take => self.take(id, t)?,
                EventKind::Processor => self.processor(id, t)?,
                EventKind::Join => self.join(id, t)?,
                EventKind::Flow => self.flow(id, t),
            }
            events += 1;
            if events % (1 << 18) == 0 {
                estimate::watch(self.input, &self.wire)?;
                let messages = self.wire.sent;
                if observer.event(Event::Progress(messages - told)) == Control::Stop {
                    return Err(Error::stopped("the replay was stopped"));
                }
                told = messages;
            }
        }
        if self.ranks.running > 0 {
            return Err(self.stuck());
        }
        let finish = self.ranks.finish();
        let end = finish.iter().copied().max().unwrap_or(0);
        Ok(Replayed {
            finish,
            busy: self.wire.links.busy(),
            messages: self.wire.sent,
            copies: self.wire.copies,
            packet_hops: self.wire.hops,
            events,
            most_packets: self.wire.most_packets,
            critical: self.ranks.log.path(),
            processors: self.ranks.processors.take().map(Processors::rows).unwrap_or_default(),
            slept: self.wire.links.sleep.take().map(|s| s.finish(end)).unwrap_or_default(),
            done: self.ranks.log.into(),
            timeline: self.wire.links.timeline.take().map(Timeline::rows).unwrap_or_default(),
        })
    }

    /// Reads what the events of a new front are about, all at once: packets and messages lie anywhere in memory,
    /// and one after another each of them would be waited for.
    #[inline]
    fn look_ahead(&mut self) {
        let soon = self.queue.soon();
        if soon.len() > 1 {
            let mut seen = 0;
            for event in soon {
                seen ^= self.wire.glance(event.kind, event.id);
                if event.kind == EventKind::Arrive {
                    seen ^= self.ranks.glance_at(self.wire.messages[event.id].recv);
                }
            }
            std::hint::black_box(seen);
        }
    }

    /// Packets whose buffers wait for each other, or ranks that do: a message waits for its receive, which
    /// waits for something behind the message.
    fn stuck(&self) -> Error {
        if let Some(circle) = self.wire.buffers.as_ref().and_then(|b| b.circle(&self.wire.routes.arena)) {
            let links = buffers::say(&circle, self.input.routing.fabric());
            return Error::failed(format!(
                "a deadlock: the buffers of these links are full of packets for the next: {links}"
            ))
            .hint("larger buffers, or a routing whose links never wait for each other in a circle");
        }
        let waits = |rank: u32| self.ranks.unfinished(self.input.schedule, rank);
        let mut all = (0..self.input.schedule.ranks()).filter_map(|rank| Some((rank, waits(rank)?)));
        let Some((rank, op)) = all.next() else { return Error::failed("the replay does not end") };
        let op = &self.input.schedule.ops()[op as usize];
        let what = match op.what {
            What::Send => format!("cannot send {} bytes to rank {}", op.amount, op.peer),
            What::Recv => format!("waits for {} bytes from rank {}", op.amount, op.peer),
            What::Compute => "never computes".to_string(),
        };
        Error::input(format!("ranks wait for each other for ever: rank {rank} {what}"))
            .hint("messages above S bytes wait for their receive; a larger S lets them go")
    }
}
