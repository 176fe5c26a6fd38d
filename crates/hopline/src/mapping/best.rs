//! The best of a family of strategies, by evaluation.

use super::{Context, Mapping, Obedience, Problem, Score, Strategy, build};
use crate::entry::Entry;
use crate::error::{Error, Place, Result};
use crate::event::{Control, Event, Observer};
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
          its routing. Takes the mapping with the least busy hottest link, then the least busy hottest link between \
          routers, then the fewest hop-bytes; the first of equals. A note names it.",
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

/// A member's mapping, with what it had to say.
struct Tried {
    mapping: Mapping,
    score: Score,
    notes: Vec<String>,
}

/// Maps by one spec and evaluates. Members run side by side, so of their events
/// only notes are kept, and the observer is asked whether to stop.
fn attempt(spec: &str, problem: &Problem<'_>, seed: u64, observer: &Mutex<&mut (dyn Observer + '_)>) -> Result<Tried> {
    let strategy = build(&Params::from_spec(spec, &Place::new("best", 0))?, &Memory::default())?;
    let mut notes = Vec::new();
    let mut listener = |event: Event| match (event, observer.lock()) {
        (Event::Note(note), _) => {
            notes.push(note);
            Control::Continue
        }
        (_, Ok(mut observer)) => observer.event(Event::Progress(0)),
        (_, Err(_)) => Control::Stop,
    };
    let mut context = Context { rng: Rng::new(seed, spec), observer: &mut listener };
    let mapping = strategy.map(problem, &mut context)?;
    Ok(Tried { score: problem.score(&mapping)?, mapping, notes })
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
        let all: Vec<Result<Tried>> = specs.par_iter().map(|spec| attempt(spec, problem, seed, &observer)).collect();
        let mut best: Option<(&str, Tried)> = None;
        let mut fit = 0;
        for (spec, tried) in specs.iter().zip(all) {
            match tried {
                Ok(tried) => {
                    fit += 1;
                    if best.as_ref().is_none_or(|b| tried.score.is_better(&b.1.score)) {
                        best = Some((spec, tried));
                    }
                }
                // What does not fit is passed over; a failure is one.
                Err(error) if error.is_input() => {}
                Err(error) => return Err(error),
            }
        }
        let (spec, tried) =
            best.ok_or_else(|| Error::input("mapping `best`: no strategy fits this job and machine"))?;
        context.observer.event(Event::Note(format!("{spec} is the best of {fit} mappings")));
        tried.notes.into_iter().for_each(|note| _ = context.observer.event(Event::Note(note)));
        Ok(tried.mapping)
    }
}
