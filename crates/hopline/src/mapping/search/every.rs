//! Tiny jobs: every placement is looked at.

use crate::error::Result;
use crate::event::{Control, Event};
use crate::id::VertexId;
use crate::mapping::{Context, Mapping, Problem};
use rustc_hash::FxHashMap;

/// Jobs of more tasks have too many placements on any machine on which it matters.
const MOST_TASKS: u32 = 16;
/// Placements, and links that are looked at for all of them.
const MOST: u64 = 10_000;
const MOST_LINKS: u64 = 1 << 27;
/// Placements between two looks at the clock.
const A_WHILE: u64 = 64;

/// Slots that are alike: of one endpoint and one kind.
struct Group {
    kind: u32,
    /// Those that are still free, as places among the problem's slots, the first one last.
    free: Vec<u32>,
}

/// The best of all placements, and how many there are, where they are no more than `moves`: the first of equals, `start` before all others.
/// `None` where there are more, none can be evaluated, or somebody says stop. O(placements * links).
///
/// # Errors
/// Those of [`super::mapping`].
pub(in crate::mapping) fn every(
    problem: &Problem<'_>,
    start: Option<&Mapping>,
    moves: u64,
    context: &mut Context<'_>,
) -> Result<Option<(Mapping, u64)>> {
    let links = problem.fabric().links() as u64;
    let most = moves.min(MOST).min(MOST_LINKS / links.max(1));
    let Some(all) = placements(problem, most as usize) else { return Ok(None) };
    let mut best = start.and_then(|start| Some((problem.score(start).ok()?, start.clone())));
    context.observer.event(Event::Stage { what: "placements".into(), steps: all.len() as u64 });
    for (done, places) in (0..).zip(&all) {
        if done % A_WHILE == 0 && context.observer.event(Event::Progress(done)) == Control::Stop {
            return Ok(None);
        }
        let mapping = super::mapping(problem, places)?;
        // Two of its hosts have no way between them, of others there may be one.
        let Ok(score) = problem.score(&mapping) else { continue };
        if best.as_ref().is_none_or(|(other, _)| score.is_better(other)) {
            best = Some((score, mapping));
        }
    }
    Ok(best.map(|(_, mapping)| (mapping, all.len() as u64)))
}

/// All placements that differ by more than slots that are alike, if there are at most so many.
fn placements(problem: &Problem<'_>, most: usize) -> Option<Vec<Vec<u32>>> {
    if problem.tasks() > MOST_TASKS {
        return None;
    }
    let hosts = problem.fabric().hosts();
    let kinds = problem.kinds().map(|kinds| kinds.of_places());
    let mut groups: Vec<Group> = Vec::new();
    let mut known: FxHashMap<(VertexId, u32), usize> = FxHashMap::default();
    for (place, &slot) in problem.slots().iter().enumerate().rev() {
        let kind = kinds.map_or(0, |kinds| kinds[place]);
        let at = *known.entry((hosts.endpoint_of(slot), kind)).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Group { kind, free: Vec::new() });
        }
        groups[at].free.push(place as u32);
    }
    groups.reverse();
    let mut all = Vec::new();
    place_next(problem, &mut groups, &mut Vec::new(), most, &mut all).then_some(all)
}

/// Puts the next task, and those behind it, wherever they may go; false where there are more than so many ways.
fn place_next(
    problem: &Problem<'_>,
    groups: &mut [Group],
    places: &mut Vec<u32>,
    most: usize,
    all: &mut Vec<Vec<u32>>,
) -> bool {
    let task = places.len() as u32;
    if task == problem.tasks() {
        all.push(places.clone());
        return all.len() <= most;
    }
    let kind = problem.kinds().map_or(0, |kinds| kinds.of_task(task));
    for at in 0..groups.len() {
        if groups[at].kind != kind {
            continue;
        }
        let Some(place) = groups[at].free.pop() else { continue };
        places.push(place);
        let goes_on = place_next(problem, groups, places, most, all);
        places.pop();
        groups[at].free.push(place);
        if !goes_on {
            return false;
        }
    }
    true
}
