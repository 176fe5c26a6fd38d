//! Groups in random order, everything inside them as it is.

use super::{Context, Mapping, Problem, Strategy};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::files::Files;
use crate::id::SlotId;
use crate::params::{Params, Reader};

pub(super) const ENTRY: Entry = Entry {
    name: "group-random",
    summary: "groups of the machine in random order, tasks in order within them",
    doc: "The slots of the allocation are cut into the parts of a level (a group, a supernode), the parts shuffled, and \
          the tasks laid into them in order. All other order is kept, so that only which groups are neighbours changes. \
          Without level= the outermost level with several parts.\n\
          Source: the Dragonfly imbalance paper, sections III and IV-A.",
    example: "group-random",
    params: &[param("level", "name of a level", "the outermost", "whose parts are shuffled")],
};

/// Groups of the machine in random order: see the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GroupRandom {
    level: Option<String>,
}

impl GroupRandom {
    /// Of the outermost level with several parts.
    pub fn new() -> GroupRandom {
        GroupRandom::default()
    }

    /// The same of the parts of this level.
    #[must_use]
    pub fn level(mut self, level: &str) -> Self {
        self.level = Some(level.to_string());
        self
    }
}

pub(super) fn read(_: &'static Entry, reader: &Reader, _: &dyn Files) -> Result<Box<dyn Strategy>> {
    Ok(Box::new(GroupRandom { level: reader.get("level")? }))
}

impl Strategy for GroupRandom {
    fn params(&self) -> Params {
        Params::named(ENTRY.name).maybe("level", self.level.as_deref())
    }

    fn is_random(&self) -> bool {
        true
    }

    fn choose(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        let fabric = problem.fabric();
        let level = match &self.level {
            Some(name) => fabric.level(name),
            None => fabric.levels().iter().rev().find(|l| l.parts > 1),
        };
        let level = level.ok_or_else(|| {
            let name = self.level.as_ref().map_or("with several parts".to_string(), |n| format!("`{n}`"));
            let known: Vec<&str> = fabric.levels().iter().map(|l| l.name.as_str()).collect();
            Error::input(format!("{} has no level {name}", fabric.name()))
                .hint(format!("known are: {}", known.join(", ")))
        })?;
        let part = |s: SlotId| level.part[fabric.hosts().endpoint_of(s).index()];
        let mut groups: Vec<&[SlotId]> = problem.slots().chunk_by(|&a, &b| part(a) == part(b)).collect();
        context.rng.shuffle(&mut groups);
        let slots = groups.concat();
        Mapping::new(slots[..problem.tasks() as usize].to_vec(), fabric)
    }
}
