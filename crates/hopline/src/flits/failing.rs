//! Cables that fail while a simulation runs, and how it goes on.
//!
//! From the cycle of the failure on a dead cable takes no packet: what is on its way across comes there whole, and every packet
//! that would follow is dropped where it is, a flit a cycle. Endpoints send on by the old routes until these are repaired; then
//! they hold their packets back until the network is empty, and go on by the new ones. So packets of old and new routes never
//! wait for each other, and each of both is free of deadlock by itself (static reconfiguration: Duato, Yalamanchili and Ni,
//! "Interconnection networks", 2003, chapter 6).

use super::bytes::{Bytes, Writer, damaged};
use super::checkpoint::{get_totals, put_totals};
use super::links::Crossing;
use super::part::Part;
use super::port_set::PortSet;
use super::process::NEVER;
use super::queues::{Flit, HEAD, Port, RouterState, TAIL};
use super::shared::Shared;
use super::{FlitModel, Simulation, Totals, queues};
use crate::error::{Error, Result};
use crate::forwarding::{Adapts, Forwarding};
use std::ops::Range;

/// Cables that fail, and how packets are forwarded without them.
#[derive(Debug, Clone)]
pub struct Failure<F> {
    /// The cycle at whose beginning they do.
    pub at: u32,
    /// Cycles from then until the new routes are known.
    pub repair: u32,
    /// The ports at both ends of each, ascending.
    pub ports: Vec<u32>,
    /// The new routes, by the same numbers of ports.
    pub after: F,
}

/// What a failure did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failed {
    /// All that was counted before.
    pub before: Totals,
    /// The cycle in which endpoints went on by new routes, and all that was counted before that.
    pub resumed: Option<(u32, Totals)>,
}

/// How far a simulation in which cables fail has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Whole,
    /// Endpoints send by the old routes.
    Broken {
        before: Totals,
    },
    /// They wait until the network is empty, which is looked at in every cycle.
    Draining {
        before: Totals,
    },
    /// They send by the new ones.
    Resumed {
        before: Totals,
        at: u32,
        then: Totals,
    },
}

/// From here on a [`Port::peer_part`] is no part: it counts the ports of its own part whose cables are dead.
pub(super) const DEAD: u16 = 1 << 15;

/// A port whose cable is dead.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeadPort {
    /// Counted in its part.
    port: u32,
    /// The part at the other end.
    part: u16,
    /// VCs whose packet is on its way across.
    crossing: u8,
}

impl<F: Forwarding> FlitModel<F> {
    /// The same where cables fail.
    ///
    /// # Errors
    /// The new routes need more VCs than are possible, packets decide at every hop by one of both alone, or more than 16,384
    /// cables fail.
    pub fn failing(mut self, failure: Failure<F>) -> Result<FlitModel<F>> {
        let after = &failure.after;
        if (after.adapts() == Adapts::EveryHop) != self.decides {
            return Err(Error::input("packets adapt at every hop either before the failure or after it, not both")
                .hint("name a routing that finds its way before and after, such as up-adaptive or ugal-l"));
        }
        let (ports, most) = (failure.ports.len(), usize::from(DEAD));
        if ports > most {
            return Err(Error::input(format!("{} cables fail, at most {} can", ports / 2, most / 2)));
        }
        self.vcs = self.vcs.max(super::vcs_of(after, &self.router).map_err(|e| {
            let hint = e.advice().unwrap_or_default().to_string();
            Error::input(format!("by the routes after the failure {}", e.message())).hint(hint)
        })?);
        if after.longest() >= queues::HEAD / (self.target + 1) {
            self.hop = 0;
        }
        self.failure = Some(failure);
        Ok(self)
    }
}

impl<F: Forwarding> Simulation<F> {
    /// What a failure did, once it has come.
    pub fn failed(&self) -> Option<Failed> {
        match self.stage {
            Stage::Whole => None,
            Stage::Broken { before } | Stage::Draining { before } => Some(Failed { before, resumed: None }),
            Stage::Resumed { before, at, then } => Some(Failed { before, resumed: Some((at, then)) }),
        }
    }

    /// Of the cycles from `start` on those in which routes stayed the same: after a failure, and before it. Nothing where none has come.
    pub(super) fn steady_cycles(&self, start: u32) -> Option<Vec<Range<u32>>> {
        let before = start..self.setting.failure.as_ref()?.at.max(start);
        match self.stage {
            Stage::Whole => None,
            Stage::Resumed { at, .. } => Some(vec![at.max(start)..self.now, before]),
            Stage::Broken { .. } | Stage::Draining { .. } => Some(vec![before]),
        }
    }

    /// The next cycle in which the failure asks for something.
    pub(super) fn next_turn(&self) -> u32 {
        let Some(failure) = &self.setting.failure else { return u32::MAX };
        match self.stage {
            Stage::Whole => failure.at,
            Stage::Broken { .. } => failure.at.saturating_add(failure.repair),
            Stage::Draining { .. } => self.now + 1,
            Stage::Resumed { .. } => u32::MAX,
        }
    }

    /// Does what the failure asks for in this cycle. All processes come here together.
    pub(super) fn turn(&mut self) -> Result<()> {
        if self.stage == Stage::Whole && self.next_turn() <= self.now {
            self.count()?;
            self.set_stage(Stage::Broken { before: self.totals() });
        }
        if let Stage::Broken { before } = self.stage
            && self.next_turn() <= self.now
        {
            self.set_stage(Stage::Draining { before });
        }
        if let Stage::Draining { before } = self.stage {
            self.count()?;
            if self.in_flight() == 0 {
                self.set_stage(Stage::Resumed { before, at: self.now, then: self.totals() });
            }
        }
        Ok(())
    }

    /// Makes parts and routes those of a stage that is not before this one.
    pub(super) fn set_stage(&mut self, stage: Stage) {
        let old = std::mem::replace(&mut self.stage, stage);
        let Simulation { setting, parts, .. } = self;
        let Some(failure) = &mut setting.failure else { return };
        if old == Stage::Whole && stage != Stage::Whole {
            parts.iter_mut().for_each(|part| part.fail(&failure.ports));
        }
        let holds = matches!(stage, Stage::Draining { .. });
        if holds != matches!(old, Stage::Draining { .. }) {
            parts.iter_mut().for_each(|part| part.hold(holds));
        }
        let resumed = |stage| matches!(stage, Stage::Resumed { .. });
        if resumed(stage) && !resumed(old) {
            std::mem::swap(&mut setting.forwarding, &mut failure.after);
        }
    }

    /// Whether a stage that was read may be that of the cycle `now`, with so much counted.
    pub(super) fn may_be_at(&self, stage: &Stage, now: u32, totals: &Totals) -> bool {
        let Some(failure) = &self.setting.failure else { return *stage == Stage::Whole };
        let repaired = failure.at.saturating_add(failure.repair);
        match stage {
            Stage::Whole => now <= failure.at,
            Stage::Broken { before } => failure.at <= now && now <= repaired && before.comes_before(totals),
            Stage::Draining { before } => repaired <= now && before.comes_before(totals),
            Stage::Resumed { before, at, then } => {
                repaired <= *at && *at <= now && before.comes_before(then) && then.comes_before(totals)
            }
        }
    }
}

impl<const V: usize, const LONG: bool, P: PortSet> Part<V, LONG, P> {
    /// These ports, counted over the whole network, lose their cables.
    pub(super) fn fail(&mut self, ports: &[u32]) {
        for &port in ports.iter().filter(|port| self.range.contains(port)) {
            let port = (port - self.range.start) as usize;
            let crossing = (0..V).fold(0, |all, vc| all | u8::from(self.goes_on(port, vc)) << vc);
            let number = DEAD + self.shared.dead.len() as u16;
            let part = std::mem::replace(&mut self.ports[port].peer_part, number);
            self.shared.dead.push(DeadPort { port: port as u32, part, crossing });
        }
    }

    /// Endpoints begin no packet as long as this holds.
    pub(super) fn hold(&mut self, holds: bool) {
        self.shared.holds = holds;
        self.states.iter_mut().for_each(|state| self.shared.note_due::<LONG>(state));
    }

    /// Whether the packet that a link took last has not gone on whole.
    pub(super) fn goes_on(&self, port: usize, vc: usize) -> bool {
        let first = self.ports[port].outputs[vc].iter(&self.shared.pool).next();
        first.map_or_else(|| self.is_taken(port, vc), |flit| flit.words & HEAD == 0)
    }

    /// What is known of a port whose cable is dead.
    pub(super) fn dead(&self, port: usize) -> Option<&DeadPort> {
        self.shared.dead.get(usize::from(self.ports[port].peer_part.checked_sub(DEAD)?))
    }

    /// Writes and reads what there is of it.
    pub(super) fn save_dead(&self, port: usize, out: &mut Writer) {
        self.dead(port).iter().for_each(|dead| out.put(dead.crossing));
    }

    pub(super) fn load_dead(&mut self, port: usize, from: &mut Bytes<'_>) -> Result<()> {
        let number = self.ports[port].peer_part.checked_sub(DEAD);
        if let Some(dead) = number.and_then(|number| self.shared.dead.get_mut(usize::from(number))) {
            dead.crossing = from.get()?;
        }
        Ok(())
    }
}

impl DeadPort {
    /// Whether the packet of a VC is on its way across.
    pub(super) fn crosses(&self, vc: usize) -> bool {
        self.crossing >> vc & 1 == 1
    }
}

/// A flit that a link has taken at a port, with what belongs to that.
pub(super) struct Leaving<'a, const V: usize, P: PortSet> {
    pub(super) port: &'a mut Port<V, P>,
    pub(super) credits: &'a mut [u16; V],
    pub(super) state: &'a mut RouterState<P>,
    pub(super) vc: u8,
    pub(super) id: u32,
    pub(super) crossing: Crossing,
}

// Out of line, and given pieces of a node: a node that they were given would stand in memory wherever the engine uses one.
impl<const V: usize, P: PortSet> Shared<V, P> {
    /// Notes when the oldest or next packet of a router's endpoints was or will be generated; never where they begin none. Those in
    /// the middle of a packet of several flits go on.
    pub(super) fn note_due<const LONG: bool>(&self, state: &mut RouterState<P>) {
        match self.holds && !LONG {
            true => state.due = NEVER,
            false => state.note_due(&self.births),
        }
    }

    /// A credit goes back to another part, or by a dead cable, from [`DEAD`] on, for a flit that had crossed: the port there drains as
    /// ever.
    #[inline(never)]
    pub(super) fn credit_away(&mut self, part: u16, time: u32, buffer: u32) {
        let part = part.checked_sub(DEAD).map_or(part, |number| self.dead[usize::from(number)].part);
        if part == self.own {
            let slot = self.slot(time);
            self.returning[slot].push(buffer);
        } else {
            self.outgoing[usize::from(part)].credits.push((time, buffer));
        }
    }

    /// A flit leaves a router by a dead cable: with a packet that is on its way across it comes there, else it is gone.
    #[cold]
    #[inline(never)]
    pub(super) fn leave_by_dead<F: Forwarding, const LONG: bool>(
        &mut self,
        setting: &FlitModel<F>,
        leaving: Leaving<'_, V, P>,
    ) {
        let words = self.pool.get(leaving.id).words;
        let dead = &mut self.dead[usize::from(leaving.port.peer_part - DEAD)];
        if words & HEAD == 0 && dead.crosses(leaving.vc.into()) {
            if words & TAIL != 0 {
                dead.crossing ^= 1 << leaving.vc;
            }
            let part = dead.part;
            return self.cross(part, leaving.id, leaving.crossing);
        }
        self.drop_flit::<F, LONG>(setting, leaving);
    }

    /// Nothing holds the place at the next router that a link has taken for it.
    fn drop_flit<F: Forwarding, const LONG: bool>(&mut self, setting: &FlitModel<F>, leaving: Leaving<'_, V, P>) {
        let Leaving { port, credits, state, vc, id, .. } = leaving;
        let Flit { words, .. } = self.pool.remove(id);
        self.tally.dropped_flits += 1;
        self.tally.dropped += u64::from(!LONG || words & TAIL != 0);
        // It went through the router, and over no link.
        port.sent -= 1;
        self.tally.sent_before += 1;
        let (vc, start) = (usize::from(vc), setting.start);
        credits[vc & (V - 1)] += 1;
        let credits = credits[vc & (V - 1)];
        port.check_credit(vc, credits, state, if LONG { start } else { 1 }, &self.pool);
        if LONG {
            port.check_room::<LONG>(start, setting.router.room(credits), vc, state);
        }
        if setting.decides::<V>() {
            let at = self.dead[usize::from(port.peer_part - DEAD)].port;
            self.waiting[at as usize] -= 1;
        }
    }
}

impl Stage {
    pub(super) fn save(&self, out: &mut Writer) {
        let mut put = |kind: u8, cycle: u32, totals: &[&Totals]| {
            out.put(kind);
            out.put(cycle);
            totals.iter().for_each(|t| put_totals(out, t));
        };
        match self {
            Stage::Whole => put(0, 0, &[]),
            Stage::Broken { before } => put(1, 0, &[before]),
            Stage::Draining { before } => put(2, 0, &[before]),
            Stage::Resumed { before, at, then } => put(3, *at, &[before, then]),
        }
    }

    pub(super) fn load(from: &mut Bytes<'_>) -> Result<Stage> {
        let (kind, cycle): (u8, u32) = (from.get()?, from.get()?);
        Ok(match kind {
            0 => Stage::Whole,
            1 => Stage::Broken { before: get_totals(from)? },
            2 => Stage::Draining { before: get_totals(from)? },
            3 => Stage::Resumed { before: get_totals(from)?, at: cycle, then: get_totals(from)? },
            _ => return Err(damaged()),
        })
    }
}
