//! The best of a family of strategies, by evaluation.

use super::attempt::{Tried, attempt, choose};
use super::{Context, Mapping, Obedience, Problem, Strategy, build};
use crate::entry::Entry;
use crate::error::{Error, Place, Result};
use crate::event::Event;
use crate::fabric::Fabric;
use crate::files::{Files, Memory};
use crate::params::{Params, Reader};
use crate::rng::Rng;
use rayon::prelude::*;
use std::sync::Mutex;

pub(super) const ENTRY: Entry = Entry {
    name: "best",
    summary: "tries every strategy that fits and takes the best",
    doc: "Evaluates default, row, column, blocks of one host and of a part of every level, mod-coloring, coloring, both \
          with their tasks rearranged by inner-search, and greedy: all that apply to the job and the machine, under \
          its routing. Takes the best by the objective, the first of equals. A note names it.",
    example: "best",
    params: &[],
};

/// What is tried, beside the blocks of every level; what does not fit is passed over.
const MEMBERS: &[&str] = &[
    "default",
    "row",
    "column",
    "blocks:level=node",
    "mod-coloring",
    "inner-search:of=mod-coloring,evaluations=300000",
    "coloring",
    "inner-search:of=[coloring:block=4x8,bricks=true],evaluations=300000",
    "inner-search:of=[coloring:block=4x4],evaluations=300000",
    "greedy",
];

struct Best;

pub(super) fn read(_: &'static Entry, _: &Reader, _: &dyn Files) -> Result<Box<dyn Strategy>> {
    Ok(Box::new(Best))
}

/// The specs of all members for a fabric.
fn members(fabric: &Fabric) -> Vec<String> {
    let blocks = fabric.levels().iter().map(|level| format!("blocks:level={}", level.name));
    MEMBERS.iter().map(|spec| spec.to_string()).chain(blocks).collect()
}

impl Strategy for Best {
    fn obedience(&self) -> Obedience {
        Obedience::Own
    }

    fn map(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        let specs = members(problem.fabric());
        context.observer.event(Event::Stage { what: format!("{} strategies", specs.len()), steps: 0 });
        let seed = context.rng.below(u64::MAX);
        let observer = Mutex::new(&mut *context.observer);
        let attempt = |spec: &String| {
            let strategy = build(&Params::from_spec(spec, &Place::new("best", 0))?, &Memory::default())?;
            attempt(&*strategy, problem, Rng::new(seed, spec), &observer)
        };
        let all: Vec<Result<Tried>> = specs.par_iter().map(attempt).collect();
        let (at, fit, tried) =
            choose(all)?.ok_or_else(|| Error::input("mapping `best`: no strategy fits this job and machine"))?;
        context.observer.event(Event::Note(format!("{} is the best of {fit} mappings", specs[at])));
        tried.notes.into_iter().for_each(|note| _ = context.observer.event(Event::Note(note)));
        Ok(tried.mapping)
    }
}
