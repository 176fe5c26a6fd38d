//! Runs beside those of the figures: shifts by other distances, and patterns
//! from which one cause of a deviation is removed.

use super::equations::by_bounds;
use super::jobs::{Job, Length, Throughputs};
use super::model::distance;
use super::{ANY, Pattern, RANDOM, RESTRICTED, System, balanced, percent, systems};
use crate::{Finding, Options};

/// A run of which one thing is not as in the figures.
struct Control {
    column: &'static str,
    job: Job,
}

const SILENT: &str = "complement, middle group silent";
const SILENT_RANDOM: &str = "complement, middle group silent, random groups";
const OLDEST: &str = "shift, oldest first";
const BEST: &str = "shift by 5h/2 groups";
const ONE_SIDE: &str = "nearest, to one side";
const ONE_SIDE_OLDEST: &str = "nearest, to one side, oldest first";
const ONE_SIDE_RANDOM: &str = "nearest, to one side, random groups";
const ENDLESS: &str = "nearest, without an end";
const ENDLESS_ANY: &str = "nearest, without an end, ValiantAny";

/// All but the middle group.
fn others(System { p, a, h }: System) -> String {
    let middle = a * h / 2;
    format!("g[0-{},{}-{}]r[0-{}]n[0-{}]", middle - 1, middle + 1, 2 * middle, a - 1, p - 1)
}

/// On small systems, in --quick too.
fn small(system: System, seed: u64) -> Vec<Control> {
    let mut all = Vec::new();
    let mut add = |column, job| all.push(Control { column, job });
    let job = |pattern, scheme| Job::new(system, pattern, scheme, seed, Length::SHORT);
    let oldest = |job| Job { arbitration: Some("oldest"), ..job };
    if !system.is_balanced() {
        add(OLDEST, oldest(job(Pattern::Shift, RESTRICTED)));
        add(ENDLESS, job(Pattern::Nearest, RESTRICTED));
        return all;
    }
    let silent = |scheme| Job { hosts: Some(others(system)), ..job(Pattern::Complement, scheme) };
    add(SILENT, silent(RESTRICTED));
    add(SILENT_RANDOM, silent(RANDOM));
    if system.p == 4 {
        add(OLDEST, oldest(job(Pattern::Shift, RESTRICTED)));
    }
    add(ONE_SIDE, one_side(job(Pattern::Nearest, RESTRICTED)));
    add(ONE_SIDE_RANDOM, one_side(job(Pattern::Nearest, RANDOM)));
    if system.p == 2 {
        add(ENDLESS_ANY, job(Pattern::Nearest, ANY));
    } else {
        add(ONE_SIDE_OLDEST, oldest(one_side(job(Pattern::Nearest, RESTRICTED))));
    }
    all
}

/// On larger ones, where a bound is at stake.
fn large(seed: u64) -> Vec<Control> {
    let job = |p, pattern, scheme, (warmup, cycles)| {
        Job::new(balanced(p), pattern, scheme, seed, Length::Cycles { warmup, cycles })
    };
    let best = |p| {
        let traffic = format!("shift:groups={}", 5 * p / 2);
        Job { traffic, ..job(p, Pattern::Shift, RESTRICTED, (20_000, 5000)) }
    };
    let oldest = Job { arbitration: Some("oldest"), ..job(5, Pattern::Shift, RESTRICTED, (20_000, 5000)) };
    vec![
        Control { column: OLDEST, job: oldest },
        Control { column: BEST, job: best(5) },
        Control { column: BEST, job: best(6) },
        Control { column: ONE_SIDE, job: one_side(job(6, Pattern::Nearest, RESTRICTED, (20_000, 5000))) },
        Control { column: ENDLESS_ANY, job: job(6, Pattern::Nearest, ANY, (3000, 2000)) },
    ]
}

fn controls(options: &Options) -> Vec<Control> {
    let few = systems(options).filter(|system| system.p <= 4).flat_map(|system| small(system, options.seed));
    let more = if options.quick { Vec::new() } else { large(options.seed) };
    few.chain(more).collect()
}

/// The same with all that an endpoint sends to its neighbour on one side.
pub(super) fn one_side(job: Job) -> Job {
    Job { traffic: format!("shift:by={}", distance(job.system)), ..job }
}

/// Shifts by 1 to 2h groups.
fn shifts(options: &Options) -> impl Iterator<Item = (System, u32)> + use<> {
    let systems = (2..=if options.quick { 2 } else { 4 }).map(balanced);
    systems.flat_map(|system| (1..=2 * system.h).map(move |m| (system, m)))
}

fn shift((system, m): (System, u32), arbitration: Option<&'static str>, options: &Options) -> Job {
    let job = Job::new(system, Pattern::Shift, RESTRICTED, options.seed, Length::SHORT);
    Job { traffic: format!("shift:groups={m}"), arbitration, ..job }
}

/// Systems whose shifts are simulated both ways of serving packets.
fn both_ways(system: System) -> bool {
    system.p <= 3
}

/// All that is to be simulated for it.
pub(super) fn jobs(options: &Options) -> impl Iterator<Item = Job> + use<'_> {
    let in_turn = shifts(options).map(|s| shift(s, None, options));
    let oldest = shifts(options).filter(|s| both_ways(s.0)).map(|s| shift(s, Some("oldest"), options));
    controls(options).into_iter().map(|control| control.job).chain(in_turn).chain(oldest)
}

const IN_TURN: &str = "routers serve inputs in turn, however many sources stand behind each, and the paper does not say how its own do; \
                       where the oldest packet goes first it is inside";

/// What is computed where equation (1) says otherwise: p, m, percent, give or take how much.
const KNOWN: [(u32, u32, f64, f64); 2] = [(2, 3, 24.2, 0.8), (2, 4, 24.1, 0.8)];

/// Every control, and shifts by every m under equation (1).
pub(super) fn findings(options: &Options, throughputs: &Throughputs) -> Vec<Finding> {
    let item = "Section III with one cause removed, throughput in %";
    let of = |c: Control| percent(Finding::new(item, &c.job.system.row(), c.column), throughputs[&c.job.command()]);
    let mut found: Vec<Finding> = controls(options).into_iter().map(of).collect();
    let item = "Section III, equation (1): ValiantRestricted, shift by m groups, throughput in %";
    for (system, m) in shifts(options) {
        let row = [("p", system.p.into()), ("m", m.into())];
        let throughput = |arbitration| throughputs[&shift((system, m), arbitration, options).command()];
        let finding = percent(Finding::new(item, &row, "in turn"), throughput(None));
        found.push(match KNOWN.iter().find(|k| (k.0, k.1) == (system.p, m)) {
            // Section IV-A: m > h, else packets leave a group where they came in.
            _ if m <= system.h => finding,
            None => by_bounds(finding, system),
            Some(&(_, _, value, within)) => by_bounds(finding, system).deviates(value, within, IN_TURN),
        });
        if both_ways(system) {
            found.push(percent(Finding::new(item, &row, "oldest first"), throughput(Some("oldest"))));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_as_far_apart_as_in_the_pattern() {
        for p in 2..=8 {
            let job = Job::new(balanced(p), Pattern::Nearest, RESTRICTED, 0, Length::SHORT);
            let plan = job.plan().expect("a plan");
            let grid = plan.demand.grid().expect("a grid");
            assert_eq!(grid.sizes[1] * grid.sizes[2], distance(balanced(p)), "p = {p}");
        }
    }

    #[test]
    fn the_middle_group_is_left_out() {
        let job = Job::new(balanced(2), Pattern::Complement, RESTRICTED, 0, Length::SHORT);
        let plan = Job { hosts: Some(others(balanced(2))), ..job }.plan().expect("a plan");
        assert_eq!(plan.demand.tasks(), 72 - 8);
    }
}
