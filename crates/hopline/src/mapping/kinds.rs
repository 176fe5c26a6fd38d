//! [`Kinds`]: a task sits only in a slot of its own kind. A pinned task and its
//! slot are a kind of their own; where whole hosts are placed, hosts with
//! equally many slots are one.
//!
//! Two slots of one kind may exchange what sits in them, and nothing is broken:
//! that is all that searches need to know. Strategies which build a mapping
//! anew either ask for the kinds, or have their mapping repaired.

use super::{Mapping, Problem};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::SlotId;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Which tasks may sit in which slots of a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kinds {
    /// Kind of every task, and of every slot in the problem's order.
    task: Vec<u32>,
    place: Vec<u32>,
    /// Kinds below are shared by any number of tasks, those from here on are pins.
    shared: u32,
}

/// What a strategy does about kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obedience {
    /// Knows nothing of them: tasks in wrong slots change places with others.
    Repaired,
    /// Obeys by itself; what it does not obey is an error.
    Own,
    /// Its mapping is worth nothing once tasks have changed places.
    Refused,
}

impl Kinds {
    /// Task t sits in slot s for every pin (t, s); all others where they like.
    /// O(tasks + slots).
    ///
    /// # Errors
    /// A task that is not there, a slot outside the allocation, or a task or
    /// slot that is pinned twice; the error names it.
    pub fn pinned(tasks: u32, slots: &[SlotId], pins: &[(u32, SlotId)], fabric: &Fabric) -> Result<Kinds> {
        let at: FxHashMap<SlotId, usize> = slots.iter().enumerate().map(|(place, &slot)| (slot, place)).collect();
        let mut kinds = Kinds { task: vec![0; tasks as usize], place: vec![0; slots.len()], shared: 1 };
        for (kind, &(task, slot)) in (1..).zip(pins) {
            let Some(own) = kinds.task.get_mut(task as usize) else {
                return Err(Error::input(format!("task {task} is pinned, but the job has {tasks} tasks")));
            };
            let Some(&place) = at.get(&slot) else {
                return Err(Error::input(format!(
                    "task {task} is pinned to slot {slot}{}, which is not in the allocation",
                    named(fabric, slot)
                ))
                .hint("name its host in the allocation"));
            };
            if *own != 0 {
                return Err(Error::input(format!("task {task} is pinned twice")));
            }
            if kinds.place[place] != 0 {
                let other = pins[kinds.place[place] as usize - 1].0;
                return Err(Error::input(format!(
                    "tasks {other} and {task} are both pinned to slot {slot}{}",
                    named(fabric, slot)
                )));
            }
            *own = kind;
            kinds.place[place] = kind;
        }
        Ok(kinds)
    }

    /// Tasks and slots by kind; `None` where all are alike.
    pub(super) fn alike(task: Vec<u32>, place: Vec<u32>) -> Option<Kinds> {
        let differ = place.windows(2).any(|p| p[0] != p[1]);
        differ.then_some(Kinds { task, place, shared: u32::MAX })
    }

    /// Kind of a task.
    pub(super) fn of_task(&self, task: u32) -> u32 {
        self.task[task as usize]
    }

    /// Kind of every slot, in the problem's order.
    pub(super) fn of_places(&self) -> &[u32] {
        &self.place
    }

    /// Whether only one slot is left for a task.
    pub(super) fn is_pinned(&self, task: u32) -> bool {
        self.of_task(task) >= self.shared
    }

    /// Puts every task into a place of its kind: those that are in a wrong one,
    /// in their order, into those that become free, then into those that were.
    /// `places` are indices of the problem's slots. O(tasks + slots).
    ///
    /// # Errors
    /// A kind has more tasks than slots.
    pub(super) fn repair(&self, places: &mut [u32]) -> Result<()> {
        let wrong: Vec<usize> = (0..places.len()).filter(|&t| self.task[t] != self.place[places[t] as usize]).collect();
        let mut taken = vec![false; self.place.len()];
        places.iter().for_each(|&p| taken[p as usize] = true);
        let left = (0..self.place.len() as u32).filter(|&p| !taken[p as usize]);
        let mut free: FxHashMap<u32, VecDeque<u32>> = FxHashMap::default();
        for place in wrong.iter().map(|&t| places[t]).chain(left) {
            free.entry(self.place[place as usize]).or_default().push_back(place);
        }
        for task in wrong {
            let own = free.get_mut(&self.task[task]).and_then(VecDeque::pop_front);
            places[task] = own.ok_or_else(|| Error::input(format!("no slot is left for task {task}")))?;
        }
        Ok(())
    }

    /// The mapping with every task in a slot of its kind.
    pub(super) fn repaired(&self, problem: &Problem<'_>, mapping: Mapping) -> Result<Mapping> {
        let Some(mut places) = places(problem, &mapping) else { return Ok(mapping) };
        self.repair(&mut places)?;
        Mapping::new(places.iter().map(|&p| problem.slots()[p as usize]).collect(), problem.fabric())
    }

    /// The first task that sits in a slot of another kind.
    fn disobeyed(&self, problem: &Problem<'_>, mapping: &Mapping) -> Option<u32> {
        let places = places(problem, mapping)?;
        (0..mapping.tasks()).find(|&t| self.of_task(t) != self.place[places[t as usize] as usize])
    }
}

/// The places of a mapping; `None` where a task sits outside the allocation.
fn places(problem: &Problem<'_>, mapping: &Mapping) -> Option<Vec<u32>> {
    let at: FxHashMap<SlotId, u32> = problem.slots().iter().zip(0..).map(|(&slot, place)| (slot, place)).collect();
    (0..mapping.tasks()).map(|t| at.get(&mapping.slot(t)).copied()).collect()
}

/// ` (host n, its slot k)` of a slot that is there.
fn named(fabric: &Fabric, slot: SlotId) -> String {
    let hosts = fabric.hosts();
    if slot.0 >= hosts.slots() {
        return String::new();
    }
    format!(" (host {}, its slot {})", hosts.name(hosts.host_of(slot)), hosts.rank_in_host(slot))
}

impl Kinds {
    /// The mapping, where every task sits in a slot of its kind.
    pub(super) fn obeyed(&self, problem: &Problem<'_>, mapping: Mapping, name: impl Fn() -> String) -> Result<Mapping> {
        match self.disobeyed(problem, &mapping) {
            None => Ok(mapping),
            Some(task) => Err(Error::input(format!(
                "mapping `{}` puts task {task} into slot {}{}, and it must sit elsewhere",
                name(),
                mapping.slot(task),
                named(problem.fabric(), mapping.slot(task))
            ))),
        }
    }
}
