//! Whole hosts: the ranks that the launcher's order puts on one host stay
//! together, and only hosts are reordered, for launchers that fill host after host.
//!
//! The ranks of a host become one task, hosts one slot each, and any strategy
//! maps that smaller job. Only hosts with equally many slots change places, so
//! that a launcher which fills them in the new order finds the same blocks.

use super::{Context, Kinds, Mapping, Obedience, Problem, Strategy, build};
use crate::demand::{Block, Demand, TaskSet};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::files::Files;
use crate::id::{HostId, SlotId};
use crate::params::{Params, Reader};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

pub(super) const ENTRY: Entry = Entry {
    name: "reorder-hosts",
    summary: "another mapping, of whole hosts: ranks stay in blocks and only hosts are reordered",
    doc: "The ranks that the launcher's order puts on one host stay together, in their order. They become one task, hosts \
          become one slot each, and of= maps that smaller job: what --reorder-hosts does to every mapping. Only hosts \
          with equally many slots in the allocation change places, so that a launcher which fills hosts in the new order \
          makes the same blocks. A host with several adapters sends and gets at the one of its first slot while of= is at \
          work; what comes out is judged as it is.\n\
          The task grid is not known to of=; `fold` recognises one.",
    example: "reorder-hosts:of=greedy",
    params: &[param("of", "a mapping", "", "which host goes where, such as [multilevel:evaluations=100000]")],
};

pub(super) fn read(_: &'static Entry, reader: &Reader, files: &dyn Files) -> Result<Box<dyn Strategy>> {
    let of: String = reader.need("of")?;
    Ok(whole_hosts(build(&Params::from_spec(&of, reader.place_of("of"))?, files)?))
}

/// A problem of whole hosts, made from one of tasks.
pub struct WholeHosts {
    demand: Demand,
    /// The slots of every host of the allocation, in the order of the launcher.
    hosts: Vec<Vec<SlotId>>,
    /// First slot of every host.
    heads: Vec<SlotId>,
    /// Hosts by number of slots, where they differ.
    kinds: Option<Kinds>,
    /// Per task: its unit, and its place among the ranks of that.
    unit: Vec<(u32, u32)>,
}

impl WholeHosts {
    /// Contracts what the launcher's order puts on one host. O(pairs of tasks
    /// that are named one by one + sides of uniform blocks + slots).
    ///
    /// # Errors
    /// The problem has tasks in given slots.
    pub fn new(problem: &Problem<'_>) -> Result<WholeHosts> {
        if problem.kinds().is_some() {
            return Err(Error::input("whole hosts are reordered, so no single task can be kept in its slot"));
        }
        let all = problem.fabric().hosts();
        let mut hosts: Vec<Vec<SlotId>> = Vec::new();
        let mut number: FxHashMap<HostId, u32> = FxHashMap::default();
        let mut unit = Vec::new();
        for &slot in problem.slots() {
            let host = *number.entry(all.host_of(slot)).or_insert_with(|| {
                hosts.push(Vec::new());
                hosts.len() as u32 - 1
            });
            let own = &mut hosts[host as usize];
            unit.push((host, own.len() as u32));
            own.push(slot);
        }
        unit.truncate(problem.tasks() as usize);
        let units = unit.iter().map(|u| u.0 + 1).max().unwrap_or(0);
        let size: Vec<u32> = hosts.iter().map(|own| own.len() as u32).collect();
        let kinds = Kinds::alike(size[..units as usize].to_vec(), size);
        let demand = contract(problem.demand(), units, &unit)?;
        let heads = hosts.iter().map(|own| own[0]).collect();
        Ok(WholeHosts { demand, hosts, heads, kinds, unit })
    }

    /// The problem of whole hosts under the routing of the other. A host sends
    /// and gets at the endpoint of its first slot.
    ///
    /// # Errors
    /// None: there are as many hosts as units.
    pub fn problem<'a>(&'a self, problem: &Problem<'a>) -> Result<Problem<'a>> {
        let whole = Problem::new(&self.demand, problem.routing(), &self.heads)?;
        Ok(whole.with_objective(problem.objective()).with_kinds(self.kinds.as_ref()))
    }

    /// The mapping of tasks that a mapping of whole hosts means.
    ///
    /// # Errors
    /// A unit sits on a host with fewer slots than its own.
    pub fn expand(&self, problem: &Problem<'_>, mapping: &Mapping) -> Result<Mapping> {
        let host: FxHashMap<SlotId, &[SlotId]> =
            self.heads.iter().copied().zip(self.hosts.iter().map(|h| &h[..])).collect();
        let slot = |&(unit, k): &(u32, u32)| {
            let slots = host.get(&mapping.slot(unit)).and_then(|own| own.get(k as usize));
            slots
                .copied()
                .ok_or_else(|| Error::failed(format!("host {unit} of the order does not fit where it was put")))
        };
        Mapping::new(self.unit.iter().map(slot).collect::<Result<_>>()?, problem.fabric())
    }

    /// The mapping of whole hosts that a mapping of tasks is; `None` where it
    /// parts the ranks of a host.
    pub fn contracted(&self, problem: &Problem<'_>, mapping: &Mapping) -> Option<Mapping> {
        let hosts = problem.fabric().hosts();
        let head: FxHashMap<HostId, SlotId> = self.heads.iter().map(|&slot| (hosts.host_of(slot), slot)).collect();
        let firsts = self.unit.iter().zip(0..).filter(|(unit, _)| unit.1 == 0);
        let slots =
            firsts.map(|(_, task)| head.get(&hosts.host_of(mapping.slot(task))).copied()).collect::<Option<_>>()?;
        let whole = Mapping::new(slots, problem.fabric()).ok()?;
        (self.expand(problem, &whole).ok()? == *mapping).then_some(whole)
    }
}

/// What units send to each other; what their tasks send among themselves stays inside.
fn contract(demand: &Demand, units: u32, unit: &[(u32, u32)]) -> Result<Demand> {
    let of = |task: u32| unit[task as usize].0;
    let entries = demand.entries().iter().map(|&(from, to, amount)| (of(from), of(to), amount)).collect();
    let mut blocks = Vec::new();
    for block in demand.blocks() {
        let (sources, targets) = (by_count(&block.sources, of), by_count(&block.destinations, of));
        for (&s, from) in &sources {
            for (&t, to) in &targets {
                blocks.push(Block {
                    sources: TaskSet::List(from.clone()),
                    destinations: TaskSet::List(to.clone()),
                    amount: f64::from(s) * f64::from(t) * block.amount,
                    to_self: false,
                });
            }
        }
    }
    Demand::new(units, demand.unit(), entries, blocks)
}

/// The units of a set of tasks, by how many tasks of the set they have.
fn by_count(tasks: &TaskSet, of: impl Fn(u32) -> u32) -> BTreeMap<u32, Vec<u32>> {
    let mut count: BTreeMap<u32, u32> = BTreeMap::new();
    tasks.iter().for_each(|t| *count.entry(of(t)).or_insert(0) += 1);
    let mut units: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    count.into_iter().for_each(|(unit, n)| units.entry(n).or_default().push(unit));
    units
}

/// A strategy that places whole hosts.
struct Whole(Box<dyn Strategy>);

/// The strategy with the ranks of each host kept together and only hosts
/// reordered.
pub fn whole_hosts(strategy: Box<dyn Strategy>) -> Box<dyn Strategy> {
    Box::new(Whole(strategy))
}

impl Strategy for Whole {
    fn params(&self) -> Params {
        Params::named(ENTRY.name).with("of", &self.0.to_string()[..])
    }

    fn obedience(&self) -> Obedience {
        Obedience::Refused
    }

    fn is_random(&self) -> bool {
        self.0.is_random()
    }

    fn choose(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        let whole = WholeHosts::new(problem)?;
        let mapping = self.0.map(&whole.problem(problem)?, context)?;
        whole.expand(problem, &mapping)
    }
}
