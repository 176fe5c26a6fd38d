//! Mappings side by side, and their search.

use super::among::{self, Placed, Words};
use super::axes::{AxisPlaces, axes};
use super::tried::Tried;
use super::verdict::{Verdict, verdict};
use super::{NamedRouting, Setting, Spreading, Who, evaluate, place, setting, spreading};
use crate::error::Result;
use crate::event::{Control, Event, Observer, Shared};
use crate::mapping::{self, Context, Mapping, Problem, Score, WholeHosts};
use crate::parallel;
use crate::peers::Peers;
use crate::plan::{Candidate, Plan};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Several mappings side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct MapOutcome {
    /// What it was about.
    #[serde(flatten)]
    pub setting: Setting,
    /// In the order in which they were asked for, routing by routing.
    pub candidates: Vec<Tried>,
    /// What makes one better than another.
    pub objective: String,
    /// The best by the objective; of equals the first that needs no random choices.
    pub best: Tried,
    /// Where the best puts each task: host and slot on it.
    pub placement: Vec<(String, u32)>,
    /// Moves that the search tried; null without a search.
    pub evaluations: Option<u64>,
    /// Where the best puts the axes of a training job: inside hosts, on rails, in pods; empty for other jobs.
    pub axes: Vec<AxisPlaces>,
    /// The same as `spreading` of `load`, for the best.
    pub spreading: Option<Spreading>,
    /// What to do; null where there was nothing to compare.
    pub verdict: Option<Verdict>,
}

/// Evaluates all mappings of the plan under all its routings, each on a thread of its own, and as often as its candidate
/// says; of several runs the best is kept. The result is the same at any number of threads: every run draws from its
/// own stream.
///
/// # Errors
/// A mapping that is not optional does not fit, or two hosts have no way between them.
pub fn map(plan: &Plan, observer: &mut dyn Observer) -> Result<MapOutcome> {
    compared(plan, None, observer)
}

/// The same by several processes, which all have the same plan: the first one has the outcome, that of [`map`], the others
/// nothing. They find mappings side by side, and the first one evaluates them.
///
/// # Errors
/// Those of [`map`], of any of them; a process is gone.
pub fn map_among(plan: &Plan, peers: &dyn Peers, observer: &mut dyn Observer) -> Result<Option<MapOutcome>> {
    if peers.size() == 1 {
        return map(plan, observer).map(Some);
    }
    among::same(peers, &among::name(plan))?;
    let (runs, size) = (runs(plan), peers.size() as usize);
    let own: Vec<&Run<'_>> = runs.iter().skip(peers.rank() as usize).step_by(size).collect();
    observer.event(Event::Stage { what: "mappings".into(), steps: own.len() as u64 });
    let (shared, done) = (Shared::new(observer), AtomicU64::new(0));
    let find = |&(way, candidate, run): &Run<'_>| {
        let mut own = |_: Event| (&shared).event(Event::Progress(done.load(Relaxed)));
        let found = place(plan, candidate, way.1, run, &mut own);
        (&shared).event(Event::Progress(done.fetch_add(1, Relaxed) + 1));
        match found {
            Err(error) if candidate.is_optional && error.is_input() => Ok(None),
            found => found.map(|found| Some(among::words(&found))),
        }
    };
    let found: Vec<Vec<Option<Words>>> = among::at_first(peers, parallel::try_map(own.len(), |i| find(own[i])))?;
    if peers.rank() > 0 {
        return Ok(None);
    }
    let mut found: Vec<_> = found.into_iter().map(Vec::into_iter).collect();
    let in_order = (0..runs.len()).map(|i| found[i % size].next().flatten());
    let placed = in_order.map(|words| words.map(|words| among::placed(words, plan)).transpose());
    compared(plan, Some(placed.collect::<Result<_>>()?), observer).map(Some)
}

/// One run of one candidate under a routing.
type Run<'a> = (NamedRouting<'a>, &'a Candidate, u32);

/// All runs, in the order of their results.
fn runs(plan: &Plan) -> Vec<Run<'_>> {
    let runs = plan.candidates.iter().flat_map(|candidate| (0..candidate.runs).map(move |run| (candidate, run)));
    plan.routings().flat_map(|way| runs.clone().map(move |(candidate, run)| (way, candidate, run))).collect()
}

/// Evaluates what all runs find, or have found: one for each of them, none where the strategy does not fit.
fn compared(plan: &Plan, found: Option<Vec<Option<Placed>>>, observer: &mut dyn Observer) -> Result<MapOutcome> {
    let candidates = || plan.candidates.iter();
    let runs = runs(plan);
    observer.event(Event::Stage { what: "mappings".into(), steps: runs.len() as u64 });
    let (shared, done) = (Shared::new(observer), AtomicU64::new(0));
    let tell = |event: Event| (&shared).event(event);
    let (skipped, seen) = (AtomicU64::new(0), Seen::new(plan)?);
    let attempt = |i: usize| {
        let (way, candidate, run) = runs[i];
        // Whoever says stop wants what there is; the first mapping is what others are compared with.
        let is_first = run == 0 && std::ptr::eq(candidate, &plan.candidates[0]);
        if !is_first && tell(Event::Progress(done.load(Relaxed))) == Control::Stop {
            skipped.fetch_add(1, Relaxed);
            return Ok(None);
        }
        // Searches run side by side: what they tell of their progress is not that of the whole.
        let mut own = |event: Event| match event {
            Event::Stage { .. } | Event::Progress(_) => tell(Event::Progress(done.load(Relaxed))),
            event => tell(event),
        };
        let placed = match &found {
            None => place(plan, candidate, way.1, run, &mut own),
            Some(found) => match found[i].clone() {
                None => return Ok(None),
                Some(found) => Ok(found),
            },
        };
        let tried = placed.and_then(|placed| seen.evaluate(plan, candidate, way, placed));
        let control = tell(Event::Progress(done.fetch_add(1, Relaxed) + 1));
        match tried {
            Err(error) if candidate.is_optional && error.is_input() => Ok(None),
            // It may have been stopped before it had a mapping.
            Err(_) if candidate.is_optional && control == Control::Stop => {
                skipped.fetch_add(1, Relaxed);
                Ok(None)
            }
            tried => tried.map(Some),
        }
    };
    let mut tried = parallel::try_map(runs.len(), attempt)?.into_iter();
    // Distances are the fabric's, whatever the routing.
    let hop_bound = mapping::hop_bound(&plan.problem()?);
    let mut found = Vec::new();
    for (_, way) in plan.routings() {
        let bound = mapping::bound(&plan.problem_under(way)?).map(|b| b.busy);
        for candidate in candidates() {
            let runs: Vec<Tried> = tried.by_ref().take(candidate.runs as usize).flatten().collect();
            if let Some(best) = best_run(plan, runs) {
                found.push(Tried { bound, hop_bound, ..best });
            }
        }
    }
    let mut outcome = compare(plan, found)?;
    if let n @ 1.. = skipped.load(Relaxed) {
        outcome.setting.notes.push(format!("stopped: {n} of {} mappings were not tried", runs.len()));
    }
    Ok(outcome)
}

/// To look at every pair of tasks takes long where they load more links together.
const MANY_LINKS: u64 = 1 << 22;

/// What was evaluated so far: many strategies come to the same order on the same machine.
struct Seen {
    tried: Mutex<Vec<Tried>>,
    who: Who,
}

impl Seen {
    fn new(plan: &Plan) -> Result<Seen> {
        let is_long = mapping::links_of_pairs(&plan.problem()?) > MANY_LINKS;
        Ok(Seen { tried: Mutex::default(), who: if is_long { Who::Unknown } else { Who::Listed } })
    }

    /// What a mapping comes to, with what its strategy had to say.
    fn evaluate(
        &self,
        plan: &Plan,
        candidate: &Candidate,
        way: NamedRouting<'_>,
        (chosen, notes): (Mapping, Vec<String>),
    ) -> Result<Tried> {
        let routing = way.0.spec();
        let is_same = |t: &&Tried| t.routing == routing && t.chosen == chosen;
        let known = self.tried.lock().ok().and_then(|seen| seen.iter().find(is_same).cloned());
        if let Some(known) = known {
            return Ok(Tried { mapping: candidate.spec.clone(), notes, ..known });
        }
        let tried = evaluate(plan, &candidate.spec, way, chosen, (1, self.who))?.tried;
        if let Ok(mut seen) = self.tried.lock() {
            seen.push(tried.clone());
        }
        Ok(Tried { notes, ..tried })
    }
}

/// The best of the runs of one candidate, the first of equals, with what all of them came to.
fn best_run(plan: &Plan, runs: Vec<Tried>) -> Option<Tried> {
    let busy: Vec<f64> = runs.iter().map(|t| plan.objective.first(&t.summary)).collect();
    let score = |t: &Tried| plan.objective.score(&t.summary);
    let best = runs.into_iter().reduce(|best, t| if score(&t).is_better(&score(&best)) { t } else { best })?;
    Some(Tried { runs: busy, ..best })
}

/// Improves the best mapping, under its routing, by what the objective names and adds it as `search`: by so
/// many moves, or without a number until the observer says stop.
///
/// # Errors
/// Two hosts have no way between them, or too many pairs of tasks talk.
pub fn search(
    plan: &Plan,
    outcome: MapOutcome,
    evaluations: Option<u64>,
    observer: &mut dyn Observer,
) -> Result<MapOutcome> {
    let way = way_of(plan, &outcome.best.routing);
    let found =
        improve(plan, way, &starts(plan, &outcome), evaluations, &mut Context::new(plan.seed, SEARCH, observer))?;
    improved(plan, way, outcome, found)
}

/// The same by several processes, of which the first has the outcome of [`map_among`], and in the end that with the best
/// of what all of them found. Without a number of moves each searches on its own, until its observer says stop; so many
/// moves are one search, which the first one does alone.
///
/// # Errors
/// Those of [`search`], of any of them; a process is gone.
pub fn search_among(
    plan: &Plan,
    outcome: Option<MapOutcome>,
    evaluations: Option<u64>,
    peers: &dyn Peers,
    observer: &mut dyn Observer,
) -> Result<Option<MapOutcome>> {
    if peers.size() == 1 || evaluations.is_some() {
        return outcome.map(|outcome| search(plan, outcome, evaluations, observer)).transpose();
    }
    let known = outcome.as_ref().map(|outcome| {
        let starts = starts(plan, outcome).into_iter().map(|start| among::words(&(start, Vec::new()))).collect();
        (outcome.best.routing.clone(), starts)
    });
    let (routing, starts): (String, Vec<Words>) = among::told(peers, Ok(known))?;
    let starts = starts.into_iter().map(|words| Ok(among::placed(words, plan)?.0)).collect::<Result<Vec<_>>>()?;
    let way = way_of(plan, &routing);
    let name = if peers.rank() == 0 { SEARCH.to_string() } else { format!("{SEARCH} {}", peers.rank()) };
    let found = improve(plan, way, &starts, None, &mut Context::new(plan.seed, &name, observer));
    let found = found.map(|(mapping, done)| (among::words(&(mapping, Vec::new())), done));
    let all: Vec<(Words, u64)> = among::at_first(peers, found)?;
    let Some(outcome) = outcome else { return Ok(None) };
    let done = all.iter().map(|found| found.1).sum();
    let problem = plan.problem_under(way.1)?;
    let scored = all.into_iter().map(|(words, _)| {
        let mapping = among::placed(words, plan)?.0;
        Ok((problem.score(&mapping)?, mapping))
    });
    let best = scored.collect::<Result<Vec<_>>>()?.into_iter().reduce(|a, b| if b.0.is_better(&a.0) { b } else { a });
    let chosen = best.map_or(outcome.best.chosen.clone(), |best| best.1);
    improved(plan, way, outcome, (chosen, done)).map(Some)
}

/// The name of what a search finds, and of its random stream.
const SEARCH: &str = "search";

/// The routing of that name.
fn way_of<'a>(plan: &'a Plan, name: &str) -> NamedRouting<'a> {
    let named = plan.routings().find(|way| way.0.spec() == name);
    named.unwrap_or((&plan.network.routing_params, &*plan.network.routing))
}

/// A search from some mappings, the best first, and its moves.
fn improve(
    plan: &Plan,
    way: NamedRouting<'_>,
    starts: &[Mapping],
    evaluations: Option<u64>,
    context: &mut Context<'_>,
) -> Result<(Mapping, u64)> {
    let problem = plan.problem_under(way.1)?;
    match plan.reorder_hosts {
        true => improve_whole(&problem, &starts[0], evaluations, context),
        false => mapping::improve(&problem, starts, evaluations, context),
    }
}

/// The outcome with what a search has found.
fn improved(
    plan: &Plan,
    way: NamedRouting<'_>,
    outcome: MapOutcome,
    (chosen, done): (Mapping, u64),
) -> Result<MapOutcome> {
    let mut tried = evaluate(plan, SEARCH, way, chosen, (1, Who::Listed))?.tried;
    (tried.bound, tried.hop_bound) = (outcome.best.bound, outcome.best.hop_bound);
    let mut candidates = outcome.candidates;
    candidates.push(tried);
    Ok(MapOutcome { evaluations: Some(done), ..compare(plan, candidates)? })
}

/// A search starts from so many mappings at most.
const STARTS: usize = 8;

/// The best of the mappings under the routing of the best, no two alike, the best first.
fn starts(plan: &Plan, outcome: &MapOutcome) -> Vec<Mapping> {
    let mut starts: Vec<&Tried> = vec![&outcome.best];
    for tried in outcome.candidates.iter().filter(|t| t.routing == outcome.best.routing) {
        if starts.iter().all(|s| s.chosen != tried.chosen) {
            let score = plan.objective.score(&tried.summary);
            let worse = |s: &&Tried| score.is_better(&plan.objective.score(&s.summary));
            let at = 1 + starts[1..].iter().position(worse).unwrap_or(starts.len() - 1);
            starts.insert(at, tried);
        }
    }
    starts.into_iter().take(STARTS).map(|t| t.chosen.clone()).collect()
}

/// The same by exchanges of whole hosts. A mapping that was given and parts
/// the ranks of a host stays as it is.
fn improve_whole(
    problem: &Problem<'_>,
    best: &Mapping,
    evaluations: Option<u64>,
    context: &mut Context<'_>,
) -> Result<(Mapping, u64)> {
    let whole = WholeHosts::new(problem)?;
    let Some(start) = whole.contracted(problem, best) else { return Ok((best.clone(), 0)) };
    let (found, done) = mapping::improve(&whole.problem(problem)?, &[start], evaluations, context)?;
    Ok((whole.expand(problem, &found)?, done))
}

/// The best of all, where it puts tasks, and what would help it.
fn compare(plan: &Plan, mut candidates: Vec<Tried>) -> Result<MapOutcome> {
    // What was searched for from a candidate is none itself, and depends on random choices as well.
    let is_plain = |t: &Tried| plan.candidates.iter().any(|c| c.spec == t.mapping && !c.strategy.is_random());
    let ranks: Vec<(Score, bool)> =
        candidates.iter().map(|t| (plan.objective.score(&t.summary), !is_plain(t))).collect();
    let rank = |i: usize| (&ranks[i].0, ranks[i].1);
    let better = |best: usize, i: usize| if Score::goes_before(rank(i), rank(best)) { i } else { best };
    let best = (1..candidates.len()).fold(0, better);
    let on_hosts = candidates[best].chosen.on_hosts(plan.network.fabric.hosts());
    let placement = on_hosts.into_iter().map(|(host, slot)| (host.to_string(), slot)).collect();
    let way = way_of(plan, &candidates[best].routing);
    if candidates[best].hottest.as_ref().is_some_and(|link| link.pairs == 0) {
        candidates[best].hottest = plan.problem_under(way.1)?.hottest(&candidates[best].chosen, 1)?.pop();
    }
    let best = candidates[best].clone();
    let spreading = spreading::spreading(plan, way, (&best.mapping, &best.chosen), &best.summary)?;
    let verdict = verdict(plan, &candidates, &best, way)?;
    Ok(MapOutcome {
        setting: setting(plan),
        objective: plan.objective.spec(),
        axes: axes(plan, &best.chosen),
        best,
        candidates,
        placement,
        evaluations: None,
        spreading,
        verdict,
    })
}
