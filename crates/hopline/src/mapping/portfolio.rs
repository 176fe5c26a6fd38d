//! Several searches side by side, with the best of them kept.

use super::attempt::{Chosen, attempt, choose};
use super::{Context, Mapping, Obedience, Problem, Strategy, build};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::event::{Event, Shared};
use crate::files::Files;
use crate::parallel;
use crate::params::{Params, Reader, split_specs};

pub(super) const ENTRY: Entry = Entry {
    name: "portfolio",
    summary: "other mappings, each several times with other random choices, on all threads; the best is kept",
    doc: "Runs every mapping of= as many times as runs= says, each time with a random stream of its own, on as many threads \
          as there are, and keeps the best by the objective. The result is the same at any number of threads. What does \
          not fit the job is passed over.",
    example: "portfolio:of=[congestion-search:evaluations=2000,greedy],runs=2",
    params: &[
        param("of", "mappings", "", "what is run, in brackets, with commas between them"),
        param("runs", "count", "4", "how often each is run"),
    ],
};

/// Several searches side by side: see the list.
pub struct Portfolio {
    /// With the specs that name their random streams.
    of: Vec<(String, Box<dyn Strategy>)>,
    runs: u32,
}

/// Runs of each where nobody says.
const RUNS: u32 = 4;

impl Portfolio {
    /// Of these, each run four times.
    pub fn new(of: Vec<Box<dyn Strategy>>) -> Portfolio {
        Portfolio { of: of.into_iter().map(|strategy| (strategy.to_string(), strategy)).collect(), runs: RUNS }
    }

    /// The same with each run so many times.
    ///
    /// # Errors
    /// Of no runs.
    pub fn runs(mut self, runs: u32) -> Result<Portfolio> {
        if runs == 0 {
            return Err(Error::argument("runs", "a portfolio of no runs").hint("give runs=1 or more"));
        }
        self.runs = runs;
        Ok(self)
    }
}

pub(super) fn read(_: &'static Entry, reader: &Reader, files: &dyn Files) -> Result<Box<dyn Strategy>> {
    let (of, place): (String, _) = (reader.need("of")?, reader.place_of("of"));
    let specs = split_specs(&of, place)?;
    let of = specs.into_iter().map(|spec| Ok((spec.clone(), build(&Params::from_spec(&spec, place)?, files)?)));
    let portfolio = Portfolio { of: of.collect::<Result<_>>()?, runs: RUNS };
    Ok(Box::new(reader.set(portfolio, "runs", Portfolio::runs)?))
}

impl Strategy for Portfolio {
    fn params(&self) -> Params {
        let of: Vec<String> = self.of.iter().map(|(_, strategy)| strategy.to_string()).collect();
        Params::named(ENTRY.name).with("of", &of.join(",")[..]).unless("runs", self.runs, RUNS)
    }

    fn choose(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        let seed = context.rng.below(u64::MAX);
        let all: Vec<_> = self.of.iter().flat_map(|one| (0..self.runs).map(move |run| (one, run))).collect();
        context.observer.event(Event::Stage { what: format!("{} searches", all.len()), steps: 0 });
        let observer = Shared::new(context.observer);
        let search = |((spec, strategy), run): &(&(String, Box<dyn Strategy>), u32)| {
            attempt(&**strategy, problem, (seed, &format!("{spec} {run}"), 0), &observer)
        };
        let Chosen { at, tried, .. } = choose(parallel::map(all.len(), |i| search(&all[i])))?
            .ok_or_else(|| Error::input("mapping `portfolio`: none of its mappings fits this job and machine"))?;
        let ((spec, _), run) = all[at];
        let note = format!("portfolio: run {} of {spec} is the best of {} searches", run + 1, all.len());
        context.observer.event(Event::Note(note));
        Ok(tried.mapping)
    }

    fn is_random(&self) -> bool {
        true
    }

    fn obedience(&self) -> Obedience {
        Obedience::Own
    }
}
