//! Strategies tried side by side, and the best of what they found.

use super::{Context, Mapping, Problem, Score, Strategy};
use crate::error::Result;
use crate::event::{Control, Event, Observer as _, Shared};

/// A mapping, with what its strategy had to say.
pub(super) struct Tried {
    pub(super) mapping: Mapping,
    score: Score,
    is_random: bool,
    pub(super) notes: Vec<String>,
}

impl Tried {
    /// What decides between mappings.
    fn rank(&self) -> (&Score, bool) {
        (&self.score, self.is_random)
    }
}

/// Maps and evaluates. Strategies run side by side, so of their events only
/// notes are kept, and the observer is asked whether to stop.
pub(super) fn attempt(
    strategy: &dyn Strategy,
    problem: &Problem<'_>,
    (seed, name, run): (u64, &str, u32),
    mut observer: &Shared<'_>,
) -> Result<Tried> {
    let mut notes = Vec::new();
    let mut listener = |event: Event| match event {
        Event::Note(note) => {
            notes.push(note);
            Control::Continue
        }
        _ => observer.event(Event::Progress(0)),
    };
    let mapping = strategy.map(problem, &mut Context::of_run(seed, name, run, &mut listener))?;
    Ok(Tried { score: problem.score(&mapping)?, mapping, is_random: strategy.is_random(), notes })
}

/// What was chosen of several.
pub(super) struct Chosen {
    /// Its number.
    pub(super) at: usize,
    /// How many fit.
    pub(super) fit: usize,
    pub(super) tried: Tried,
}

/// The best, of equals the first that needs no random choices. What does not fit is passed over; `None` where nothing does.
///
/// # Errors
/// A strategy failed.
pub(super) fn choose(all: Vec<Result<Tried>>) -> Result<Option<Chosen>> {
    let mut best: Option<(usize, Tried)> = None;
    let mut fit = 0;
    for (at, tried) in all.into_iter().enumerate() {
        match tried {
            Ok(tried) => {
                fit += 1;
                if best.as_ref().is_none_or(|b| Score::goes_before(tried.rank(), b.1.rank())) {
                    best = Some((at, tried));
                }
            }
            Err(error) if error.is_input() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(best.map(|(at, tried)| Chosen { at, fit, tried }))
}
