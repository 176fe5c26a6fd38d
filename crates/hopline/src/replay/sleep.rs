//! Cables that sleep and links that are slow, while a replay runs: a packet
//! that comes to a cable that is off waits until it is on; nothing is lost.
//!
//! A cable rests from its last packet, in either direction, to the next. What
//! it does in a rest is known when the rest ends, so sleeping costs no events.

use super::timeline::{Timeline, Watch};
use crate::fabric::Fabric;
use crate::id::LinkId;

/// No time at all comes so late.
pub const NEVER: u64 = u64::MAX;

/// A byte takes its time at full speed: see [`Dimming::slow`].
pub const FULL: u32 = 1 << 16;

/// When a cable goes off and on. Times are picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nap {
    /// Goes off after so long a rest; [`NEVER`] where it stays on.
    pub after: u64,
    /// Where it has carried nothing until then, goes off at this time; at 0 it is off from the beginning.
    pub unused: u64,
    /// Never goes off before this time, but learns how long it rests.
    pub from: u64,
    /// Wakes by itself when it has rested for so many 1/65536 of its shortest long rest so far; [`NEVER`] waits for a packet.
    pub ahead: u64,
    /// That rest before there was any; 0 where none is known.
    pub rest: u64,
    /// Time to switch on.
    pub wake: u64,
    /// Time to switch off; nothing stops that half way.
    pub sleep: u64,
}

/// What links do beside sending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dimming {
    /// Per link: the time that a byte takes, in 1/65536 of that at full speed; empty where all are at full speed.
    pub slow: Vec<u32>,
    /// Per link: its cable in `naps`, or `u32::MAX` where it is always on; empty where none sleeps.
    pub cable: Vec<u32>,
    /// Per cable.
    pub naps: Vec<Nap>,
    /// Length of a bin in picoseconds for what classes do over time; none where nobody asks.
    pub bin: Option<u64>,
    /// Whether rests are recorded.
    pub listen: bool,
}

impl Dimming {
    /// The cable that a link is a direction of, where it may sleep.
    #[inline]
    pub fn cable_of(&self, link: LinkId) -> Option<usize> {
        self.cable.get(link.index()).filter(|&&c| c != u32::MAX).map(|&c| c as usize)
    }

    /// The time that a byte takes on a link, in 1/65536 of that at full speed.
    #[inline]
    pub fn slow_of(&self, link: LinkId) -> u32 {
        self.slow.get(link.index()).copied().unwrap_or(FULL)
    }
}

/// What cables did. Times are picoseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Slept {
    /// Per cable: how long it was off.
    pub off: Vec<u64>,
    /// Per cable: how long it was being switched.
    pub changing: Vec<u64>,
    /// Per cable: packets that woke it, and so waited.
    pub woken: Vec<u32>,
    /// Per cable: how long packets waited for it to be on.
    pub waited: Vec<u64>,
    /// Per cable: its rests between packets that were longer than [`Nap::after`]; empty where nobody listens.
    pub rests: Vec<Vec<u64>>,
    /// Per class and bin: off, summed over directions of cables; then the same of changing.
    pub timeline: [Vec<Vec<u64>>; 2],
}

/// A cable while the replay runs.
#[derive(Debug, Clone, Copy, Default)]
struct Cable {
    /// When its last packet had left.
    idle: u64,
    /// It is on from then, if it was switched on.
    awake: u64,
    /// The shortest of its rests that were long enough to sleep; 0 before the first.
    rest: u64,
    used: bool,
}

/// The state of a [`Dimming`].
#[derive(Debug)]
pub(super) struct Sleep {
    plan: Dimming,
    cables: Vec<Cable>,
    slept: Slept,
    timeline: Option<[Timeline; 2]>,
}

/// Rows of [`Slept::timeline`].
const OFF: usize = 0;
const CHANGING: usize = 1;

impl Nap {
    /// When a cable wakes by itself.
    fn alarm(&self, cable: &Cable) -> u64 {
        if self.ahead == NEVER || cable.rest == 0 {
            return NEVER;
        }
        let rest = (u128::from(cable.rest) * u128::from(self.ahead)) >> 16;
        cable.idle.saturating_add(rest as u64).saturating_sub(self.wake)
    }
}

impl Sleep {
    pub(super) fn new(plan: &Dimming, fabric: &Fabric) -> Sleep {
        let n = plan.naps.len();
        let rows = |bin| Timeline::new(&Watch { bin, links: Vec::new() }, fabric);
        Sleep {
            cables: plan.naps.iter().map(|nap| Cable { rest: nap.rest, ..Cable::default() }).collect(),
            slept: Slept {
                off: vec![0; n],
                changing: vec![0; n],
                woken: vec![0; n],
                waited: vec![0; n],
                rests: vec![Vec::new(); if plan.listen { n } else { 0 }],
                timeline: [vec![], vec![]],
            },
            timeline: plan.bin.map(|bin| [rows(bin), rows(bin)]),
            plan: plan.clone(),
        }
    }

    /// A time at full speed on a link.
    #[inline]
    pub(super) fn stretch(&self, link: u32, time: u64) -> u64 {
        ((u128::from(time) * u128::from(self.plan.slow_of(LinkId(link)))) >> 16) as u64
    }

    /// When a link can send what wants to leave at `start`.
    pub(super) fn wake(&mut self, link: u32, start: u64) -> u64 {
        let Some(c) = self.plan.cable_of(LinkId(link)) else { return start };
        let on = self.rest(link, c, start, true).max(self.cables[c].awake);
        self.cables[c].awake = on;
        self.slept.waited[c] += on.saturating_sub(start);
        start.max(on)
    }

    /// A link sends until `end`.
    #[inline]
    pub(super) fn sent(&mut self, link: u32, end: u64) {
        if let Some(c) = self.plan.cable_of(LinkId(link)) {
            let cable = &mut self.cables[c];
            cable.idle = cable.idle.max(end);
            cable.used = true;
        }
    }

    /// What a cable did from its last packet until `until`, when a packet comes or the replay ends. When it is on
    /// again, or 0 where it never went off.
    fn rest(&mut self, link: u32, c: usize, until: u64, packet: bool) -> u64 {
        let (nap, cable) = (self.plan.naps[c], self.cables[c]);
        let dark = !cable.used && nap.unused == 0;
        let tired = if cable.used { cable.idle.saturating_add(nap.after) } else { nap.unused };
        if !dark && tired >= until {
            return 0;
        }
        let rest = until - cable.idle;
        self.cables[c].rest = if cable.rest == 0 { rest } else { rest.min(cable.rest) };
        if let Some(rests) = self.slept.rests.get_mut(c).filter(|_| packet) {
            rests.push(rest);
        }
        let tired = tired.max(nap.from);
        let off = if dark { 0 } else { tired.saturating_add(nap.sleep) };
        let alarm = nap.alarm(&cable);
        // A rest that is not yet slept through, or said to be too short, is spent awake.
        if !dark && tired >= until || alarm <= off {
            return 0;
        }
        let wake = if alarm < until { alarm } else { until.max(off) };
        let on = wake.saturating_add(nap.wake);
        // The end of the replay wakes nothing.
        let (end, woken) = if packet { (NEVER, true) } else { (until, alarm < until) };
        self.add(link, c, CHANGING, tired, off.min(end));
        self.add(link, c, OFF, off, wake.min(end));
        self.add(link, c, CHANGING, wake, if woken { on.min(end) } else { wake });
        self.slept.woken[c] += u32::from(packet && alarm >= until);
        on
    }

    /// A cable is off or changing for a while.
    fn add(&mut self, link: u32, c: usize, what: usize, from: u64, to: u64) {
        let sum = if what == OFF { &mut self.slept.off } else { &mut self.slept.changing };
        sum[c] += to.saturating_sub(from);
        if let Some(rows) = &mut self.timeline {
            // Both directions.
            rows[what].add(link, from, to);
            rows[what].add(link, from, to);
        }
    }

    /// What cables did until the end of the replay.
    pub(super) fn finish(mut self, end: u64) -> Slept {
        let mut seen = vec![false; self.cables.len()];
        for link in 0..self.plan.cable.len() as u32 {
            if let Some(c) = self.plan.cable_of(LinkId(link)).filter(|&c| !std::mem::replace(&mut seen[c], true)) {
                self.rest(link, c, end, false);
            }
        }
        if let Some(rows) = self.timeline.take() {
            self.slept.timeline = rows.map(Timeline::rows);
        }
        self.slept
    }
}
