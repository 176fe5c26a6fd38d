//! The best of the portfolio.

use super::attempt::{Chosen, Tried, attempt, choose};
use super::{Context, Mapping, Member, Obedience, Problem, Strategy, members};
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::event::{Event, Shared};
use crate::files::Files;
use crate::parallel;
use crate::params::{Params, Reader};

pub(super) const ENTRY: Entry = Entry {
    name: "best",
    summary: "the portfolio: everything that fits, what is random from several seeds; the best is kept",
    doc: "Evaluates every mapping that `hopline map` compares where none is named: each strategy that needs no key, blocks of a \
          part of every level, space-filling curves, colourings with their tasks rearranged by inner-search, multilevel and \
          congestion-search, under the job's routing; what makes random choices is run two to five times, once where tasks \
          have more than some 32 partners, and a search that could not move half of the tasks is left out. Takes the best \
          by the objective, of equals the first that needs no random choices. A note names it. Some five seconds of processor time up to 4,096 tasks.",
    example: "best",
    params: &[],
};

/// The best of the portfolio: see the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Best;

pub(super) fn read(_: &'static Entry, _: &Reader, _: &dyn Files) -> Result<Box<dyn Strategy>> {
    Ok(Box::new(Best))
}

impl Strategy for Best {
    fn params(&self) -> Params {
        Params::named(ENTRY.name)
    }

    fn is_random(&self) -> bool {
        true
    }

    fn obedience(&self) -> Obedience {
        Obedience::Own
    }

    fn choose(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        let members = members(problem)?;
        let all: Vec<_> = members.iter().flat_map(|member| (0..member.runs).map(move |run| (member, run))).collect();
        context.observer.event(Event::Stage { what: format!("{} mappings", all.len()), steps: 0 });
        // Members draw what they draw beside each other in `hopline map`, so that both have one answer.
        let seed = context.seed;
        let observer = Shared::new(context.observer);
        let attempt =
            |&(member, run): &(&Member, u32)| attempt(&*member.strategy, problem, (seed, &member.spec, run), &observer);
        let tried: Vec<Result<Tried>> = parallel::map(all.len(), |i| attempt(&all[i]));
        let Chosen { at, fit, tried } =
            choose(tried)?.ok_or_else(|| Error::input("mapping `best`: no strategy fits this job and machine"))?;
        context.observer.event(Event::Note(format!("{} is the best of {fit} mappings", all[at].0.spec)));
        tried.notes.into_iter().for_each(|note| _ = context.observer.event(Event::Note(note)));
        Ok(tried.mapping)
    }
}
