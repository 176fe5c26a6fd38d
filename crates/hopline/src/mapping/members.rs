//! The portfolio: what is tried where nobody names a mapping, and by `best`.

use super::objective::Lever;
use super::{LIST, Problem, Strategy, build, search};
use crate::entry::Listed as _;
use crate::error::{Place, Result};
use crate::files::Memory;
use crate::params::Params;
use crate::rng::GOLDEN_RATIO;
use crate::routing::Route;

/// A mapping of the portfolio.
#[non_exhaustive]
pub struct Member {
    /// Its spec.
    pub spec: String,
    /// What the spec says.
    pub strategy: Box<dyn Strategy>,
    /// How often it is run, each time with other random choices; once where none matter.
    pub runs: u32,
}

/// Strategies that are made of the portfolio themselves.
const MADE_OF_OTHERS: [&str; 1] = ["best"];

/// Constructions that only the keys of a strategy tell apart.
const VARIANTS: [&str; 7] = [
    "curve:of=snake",
    "curve:of=morton",
    "curve:of=peano",
    "curve:tasks=ranks",
    "curve:of=morton,tasks=ranks",
    "curve:of=snake,tasks=ranks",
    "blocks:level=node",
];

/// Colourings say which tasks share a part; where in it they sit is searched.
const REARRANGED: [&str; 2] = ["mod-coloring", "[coloring:block=4x8,bricks=true]"];

/// Exchanges that rearrange the parts of one colouring, where tasks have few neighbours.
const INNER: u64 = 300_000;
/// One of so many of them where every route is looked up by its ends instead of put together from the routing's bundles.
const LOOKED_UP: u64 = 16;
/// Moves of multilevel for each task: where distance is what counts, and where it is only a way to lower loads.
const NEAR: u64 = 2000;
const LESS: u64 = 200;
/// Blocks that colourings may look at for each symmetry: more than these are of use where colours are few and wanted perfect.
const COLOURS: u64 = 1_000_000;
/// Where routes are not put together from bundles a move takes as long as they have links: a search makes some seconds' worth of moves
/// times this by the links of a route.
const LINKS_A_MOVE: u64 = 2;
/// Neighbours of a task that they are meant for.
const NEIGHBOURS: u64 = 8;
/// Demands of more pairs, or more links that all pairs load together, are placed by structure alone.
const MOST_PAIRS: u64 = 1 << 20;
const MOST_LINKS: u64 = 1 << 24;
/// Routes whose links are counted.
const SAMPLES: u64 = 16;
/// What looks at every pair of tasks, and the links that it loads.
const BY_PAIRS: [&str; 3] = ["greedy", "multilevel", "congestion-search"];

/// How often members are run.
struct Runs {
    /// Tasks up to which this counts, or as many pairs for [`NEIGHBOURS`] of them.
    most: u64,
    /// Of what makes random choices, and of what takes long.
    often: u32,
    once: u32,
    /// Of congestion-search: one long run finds more than several short ones. Each has this part of some seconds' worth of moves.
    searches: u32,
    part: u64,
}

const RUNS: [Runs; 4] = [
    Runs { most: 256, often: 3, once: 3, searches: 2, part: 2 },
    Runs { most: 1024, often: 2, once: 2, searches: 2, part: 12 },
    Runs { most: 16_384, often: 2, once: 1, searches: 2, part: 36 },
    Runs { most: u64::MAX, often: 1, once: 1, searches: 2, part: 48 },
];

/// With fewer than a move for so many tasks a search for congestion only shows where it began, which others show too; of
/// larger jobs than that it lowers what it can.
const TASKS_A_MOVE: u64 = 2;
const MOST_TASKS: u64 = 4096;

/// A spec as people are told it: without the moves that its search is given.
pub fn without_budget(spec: &str) -> String {
    let mut text = String::new();
    let mut rest = spec;
    while let Some(at) = rest.find("evaluations=") {
        let end = at + "evaluations=".len();
        let digits = rest[end..].bytes().take_while(u8::is_ascii_digit).count();
        text.push_str(rest[..at].trim_end_matches([',', ':']));
        rest = &rest[end + digits..];
    }
    text + rest
}

/// Everything that may fit a job: each strategy of the list that needs no key, in its order, curves, blocks of every
/// level, colourings with their parts rearranged. The searches are given so many moves that up to 4,096 tasks take some
/// five seconds of processor time in all.
///
/// # Errors
/// A strategy of the list cannot be read.
pub fn members(problem: &Problem<'_>) -> Result<Vec<Member>> {
    let (tasks, pairs) = (u64::from(problem.tasks()), problem.demand().pairs());
    let size = tasks.max(pairs / NEIGHBOURS);
    let [.., largest] = &RUNS;
    let runs = RUNS.iter().find(|runs| size <= runs.most).unwrap_or(largest);
    let links = links_of_a_route(problem);
    let moves = search::task_graph(problem, "portfolio").map_or(0, |graph| search::some_seconds(&graph));
    let congestion = match problem.routing().bundles() {
        Some(_) => moves / runs.part,
        None => (moves / runs.part).min(moves * LINKS_A_MOVE / links.max(1)),
    };
    let far = if problem.objective().lever() == Lever::Distance { NEAR } else { LESS };
    let near = tasks * far * NEIGHBOURS / (pairs / tasks.max(1)).max(NEIGHBOURS);
    let inner = if problem.routing().bundles().is_some() { INNER } else { INNER / LOOKED_UP };
    let inner = inner * NEIGHBOURS / (pairs / tasks.max(1)).max(NEIGHBOURS);
    let spec = |name: &str| match name {
        "congestion-search" => format!("{name}:evaluations={congestion}"),
        "multilevel" => format!("{name}:evaluations={near}"),
        "coloring" => format!("{name}:evaluations={COLOURS}"),
        _ => name.to_string(),
    };
    let entries = LIST.iter().map(|kind| kind.entry());
    let bare = entries.filter(|e| e.params.iter().all(|p| !p.default.is_empty()) && !MADE_OF_OTHERS.contains(&e.name));
    let few = pairs <= MOST_PAIRS && pairs.saturating_mul(links) <= MOST_LINKS;
    let bare = bare.filter(|e| few || !BY_PAIRS.contains(&e.name));
    let moves = congestion * TASKS_A_MOVE >= tasks.min(MOST_TASKS);
    let bare = bare.filter(|e| moves || e.name != "congestion-search");
    let levels = problem.fabric().levels().iter().map(|level| format!("blocks:level={}", level.name));
    let other = VARIANTS.iter().map(|spec| spec.to_string()).chain(levels);
    let rearranged = REARRANGED.iter().map(|of| format!("inner-search:of={of},evaluations={inner}"));
    let rearranged = rearranged.filter(|_| pairs <= MOST_PAIRS);
    let once = |spec: String| (spec, runs.once);
    let often = |spec: String| (spec, runs.often);
    let named = bare.map(|e| match e.name {
        "coloring" => once(spec(e.name)),
        "congestion-search" => (spec(e.name), runs.searches),
        name => often(spec(name)),
    });
    let member = |(spec, runs): (String, u32)| {
        let strategy = build(&Params::from_spec(&spec, &Place::new("portfolio", 0))?, &Memory::default())?;
        let runs = if strategy.is_random() { runs } else { 1 };
        Ok(Member { spec, strategy, runs })
    };
    named.chain(other.map(often)).chain(rearranged.map(once)).map(member).collect()
}

/// Seconds of processor time that evaluating the portfolio takes, roughly: for so many tasks, and as many pairs of them.
pub fn some_time(tasks: u32, pairs: u64) -> f64 {
    let partners = if pairs <= MOST_PAIRS { pairs as f64 / f64::from(tasks.max(1)) } else { 0.0 };
    5.0 * f64::from(tasks) / 4096.0 * (partners / 32.0).clamp(1.0, 2.0)
}

/// Links that all pairs of tasks load, each pair by itself, roughly: what it takes to look at every pair.
pub(crate) fn links_of_pairs(problem: &Problem<'_>) -> u64 {
    problem.demand().pairs().saturating_mul(links_of_a_route(problem))
}

/// Links of a route, over all its paths: the mean of some routes across the allocation.
fn links_of_a_route(problem: &Problem<'_>) -> u64 {
    let (hosts, slots) = (problem.fabric().hosts(), problem.slots());
    // Even steps through a grid would lead to neighbours.
    let spread = |i: u64| ((u128::from(i.wrapping_mul(GOLDEN_RATIO)) * slots.len() as u128) >> 64) as usize;
    let ends: Vec<_> = (0..SAMPLES).filter_map(|i| slots.get(spread(i))).map(|&s| hosts.endpoint_of(s)).collect();
    let mut route = Route::new();
    let pairs = ends.iter().zip(ends.iter().skip(1));
    let count = |(&a, &b)| problem.routing().route(a, b, &mut route).map_or(0, |()| route.len() as u64);
    pairs.map(count).sum::<u64>() / ends.len().saturating_sub(1).max(1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_not_told_of_budgets() {
        for (spec, said) in [
            ("greedy", "greedy"),
            ("congestion-search:evaluations=125000", "congestion-search"),
            (
                "inner-search:of=[coloring:block=4x8,bricks=true],evaluations=150000",
                "inner-search:of=[coloring:block=4x8,bricks=true]",
            ),
            ("portfolio:of=[multilevel:evaluations=10,greedy],runs=2", "portfolio:of=[multilevel,greedy],runs=2"),
        ] {
            assert_eq!(without_budget(spec), said);
        }
    }
}
