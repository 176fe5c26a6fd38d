//! A mapping from a file: Hopline's own form, an Open MPI rankfile, or one host
//! a line.

use super::{Context, Mapping, Obedience, Problem, Strategy};
use crate::entry::{Entry, param};
use crate::error::{Error, Place, Result};
use crate::fabric::Fabric;
use crate::files::{Files, read_text};
use crate::format::placement::{self, Placed, Placement, Target};
use crate::id::{HostId, SlotId};
use crate::params::{Params, Reader};
use rustc_hash::FxHashMap;
use std::num::NonZeroU32;

pub(super) const ENTRY: Entry = Entry {
    name: "file",
    summary: "a mapping that is given: task-slot lines, a rankfile, or one host a line",
    doc: "Forms, told apart by content: `task slot` or one slot number a line; an Open MPI rankfile (`rank 3=node002 \
          slot=1`); one host name a line, line i for task i, or `node002:4` for 4 tasks (an MPICH machinefile), where a host that \
          is named again takes its next slot. Without --hosts the hosts that it names belong to the allocation.",
    example: "file:testdata/mappings/reverse-64.txt",
    params: &[param("path", "path", "", "the file")],
};

/// A mapping that is given: see the list.
#[derive(Debug, Clone)]
pub struct FromFile {
    path: String,
    placement: Placement,
}

pub(super) fn read(_: &'static Entry, reader: &Reader, files: &dyn Files) -> Result<Box<dyn Strategy>> {
    Ok(Box::new(FromFile::open(&reader.need::<String>("path")?, files)?))
}

impl FromFile {
    /// Reads a file, whatever its form.
    ///
    /// # Errors
    /// It cannot be read, or is no mapping; with the line.
    pub fn open(path: &str, files: &dyn Files) -> Result<FromFile> {
        let placement = placement::parse(path, read_text(files, path)?)?;
        Ok(FromFile { path: path.to_string(), placement })
    }

    /// The slot of every task.
    ///
    /// # Errors
    /// A host or slot that is not there, or a slot that is taken twice; the error names the line.
    fn slots(&self, fabric: &Fabric) -> Result<Vec<SlotId>> {
        let hosts = fabric.hosts();
        // Backwards, so that of two hosts with one name the first stays.
        let by_name = (0..hosts.len()).rev().map(HostId).map(|host| (hosts.name(host), host));
        let by_name: FxHashMap<&str, HostId> = by_name.collect();
        let mut next: FxHashMap<HostId, u32> = FxHashMap::default();
        let mut taken: Vec<Option<NonZeroU32>> = vec![None; hosts.slots() as usize];
        let mut slots = Vec::new();
        for (task, Placed { target, line }) in (1..).filter_map(NonZeroU32::new).zip(self.placement.iter()) {
            let refused = |message: String| Error::input(message).at(&Place::new(&self.path, line));
            let slot = match target {
                Target::Slot(slot) if slot >= hosts.slots() => {
                    return Err(refused(format!("slot {slot}, but {} has {} slots", fabric.name(), hosts.slots())));
                }
                Target::Slot(slot) => SlotId(slot),
                Target::Host { name, slot } => {
                    let host = by_name.get(name).copied();
                    let host = host.ok_or_else(|| refused(format!("{} has no host `{name}`", fabric.name())))?;
                    let at = next.entry(host).or_insert(0);
                    let k = slot.unwrap_or(*at);
                    *at += 1;
                    hosts.slots_of(host).nth(k as usize).ok_or_else(|| {
                        refused(format!("host `{name}` has {} slots, slot {k} is asked for", hosts.slot_count(host)))
                            .hint("raise slots= of the topology")
                    })?
                }
            };
            if let Some(other) = taken[slot.index()].replace(task) {
                let (name, other, task) = (hosts.name(hosts.host_of(slot)), other.get() - 1, task.get() - 1);
                return Err(refused(format!("tasks {other} and {task} are both in slot {slot} (host {name})"))
                    .hint("a slot takes one task"));
            }
            slots.push(slot);
        }
        Ok(slots)
    }
}

impl Strategy for FromFile {
    fn params(&self) -> Params {
        Params::named(ENTRY.name).with("path", &self.path[..])
    }

    fn obedience(&self) -> Obedience {
        Obedience::Own
    }

    fn given(&self, fabric: &Fabric) -> Vec<SlotId> {
        // What is wrong with the file is said when the mapping is asked for.
        self.slots(fabric).unwrap_or_default()
    }

    fn choose(&self, problem: &Problem<'_>, _: &mut Context<'_>) -> Result<Mapping> {
        let (given, tasks) = (self.placement.tasks(), problem.tasks());
        if given != tasks {
            let whole = Place::new(self.path.clone(), 0);
            return Err(Error::input(format!("{given} tasks are placed, but the job has {tasks}")).at(&whole));
        }
        Mapping::new(self.slots(problem.fabric())?, problem.fabric())
    }
}
