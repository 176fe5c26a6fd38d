//! The shift that is worst for a machine: what tornado traffic is to a ring, and the next group to a Dragonfly.

use super::{Bench, job_of, saturation};
use crate::error::Result;
use crate::event::Observer;
use crate::fabric::Fabric;
use crate::flits::Options;
use crate::params::Params;
use crate::plan::Plan;
use crate::run::load;

/// A shift, and among how many of all it is the worst.
pub(super) struct Worst {
    pub(super) shift: Params,
    pub(super) tried: u32,
    pub(super) all: u32,
}

/// Messages of all shifts together of which loads are looked at, and cycles of all senders together that are simulated in short runs:
/// seconds, as much as one of either takes on a large machine.
const MOST_MESSAGES: u64 = 4_000_000;
const MOST_CYCLES: u64 = 10_000_000;

/// The shift under which the busiest link leaves the least throughput. Where flits are simulated it is the one of which they accept the
/// least, and where neither is known the shift by half of all. All shifts are tried where these are few enough; otherwise those to
/// the next part and half the parts further, of every level, router and dimension, and some at even distances.
pub(super) fn shift(bench: &mut Bench<'_>, observer: &mut dyn Observer) -> Result<Worst> {
    let plan = bench.plan(&job_of("uniform")?)?;
    let tasks = plan.demand.tasks();
    let tries = |most: u64, each: u64| steps(&plan.network.fabric, tasks, (most / each.max(1)) as u32);
    let by_load = tries(MOST_MESSAGES, tasks.into());
    let by_flits = bench.options.flits.as_ref().map(|options| {
        let short = shorter(options);
        (options, tries(MOST_CYCLES, u64::from(tasks) * u64::from(short.warmup + short.cycles)))
    });
    bench.done(plan);
    let (mut found, mut tried) = (Vec::new(), Vec::new());
    if let Some((options, steps)) = by_flits {
        found = simulated(bench, options, &steps, observer)?;
        tried = steps;
    }
    if found.is_empty() {
        found = under(bench, &by_load, |plan| load(plan, 0, observer).ok()?.summary.throughput_gb_s)?;
        tried = by_load;
    }
    // Rounding must not decide between shifts that are equally bad.
    let least = |worst: (f64, u32), (throughput, by): (f64, u32)| match throughput < worst.0 * (1.0 - 1e-9) {
        true => (throughput, by),
        false => worst,
    };
    let by = found.into_iter().fold((f64::INFINITY, tasks / 2), least).1;
    Ok(Worst { shift: shift_by(by)?, tried: tried.len() as u32, all: tasks.saturating_sub(1) })
}

/// Runs in which shifts are told apart first.
fn shorter(options: &Options) -> Options {
    const SHORTER: u32 = 4;
    let (warmup, cycles) = (options.warmup.div_ceil(SHORTER), options.cycles.div_ceil(SHORTER));
    Options { warmup, cycles, ..options.clone() }
}

/// What flits accept: first in short runs, then as long as was asked under the few that come nearest to the worst. Why one cannot be
/// simulated, the shift that is taken will say.
fn simulated(
    bench: &mut Bench<'_>,
    options: &Options,
    tries: &[u32],
    observer: &mut dyn Observer,
) -> Result<Vec<(f64, u32)>> {
    const NEAR: f64 = 1.1;
    const MOST: usize = 8;
    let mut accepted = |bench: &mut Bench<'_>, options: &Options, tries: &[u32]| {
        under(bench, tries, |plan| saturation(plan, options, observer).ok().flatten())
    };
    let mut first = accepted(bench, &shorter(options), tries)?;
    first.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let least = first.first().map_or(0.0, |one| one.0);
    let mut near: Vec<u32> = first.iter().take(MOST).filter(|one| one.0 <= NEAR * least).map(|one| one.1).collect();
    near.sort_unstable();
    accepted(bench, options, &near)
}

/// What is measured under each shift, with the shift, where anything is.
fn under(
    bench: &mut Bench<'_>,
    tries: &[u32],
    mut measure: impl FnMut(&Plan) -> Option<f64>,
) -> Result<Vec<(f64, u32)>> {
    let mut found = Vec::new();
    for &by in tries {
        let plan = bench.plan(&shift_by(by)?)?;
        found.extend(measure(&plan).map(|measured| (measured, by)));
        bench.done(plan);
    }
    Ok(found)
}

fn shift_by(by: u32) -> Result<Params> {
    job_of(&format!("shift:by={by}"))
}

/// Shifts by so many tasks, ascending, each once: all, or about so many.
fn steps(fabric: &Fabric, tasks: u32, most: u32) -> Vec<u32> {
    if tasks.saturating_sub(1) <= most {
        return (1..tasks).collect();
    }
    let mut steps = known(fabric, tasks);
    let others = most.saturating_sub(steps.len() as u32);
    steps.extend((1..=others).map(|i| (u64::from(i) * u64::from(tasks) / u64::from(others + 1)) as u32));
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// Shifts that are bad for many machines.
fn known(fabric: &Fabric, tasks: u32) -> Vec<u32> {
    let mut steps = vec![tasks / 2];
    let mut ring = |size: u32, parts: u32| {
        if size > 0 && parts > 1 {
            // Half way round a ring: as far as one can go one way.
            steps.extend([size, size * ((parts - 1) / 2), size * (parts / 2)]);
        }
    };
    for level in fabric.levels() {
        ring(tasks / level.parts.max(1), level.parts);
    }
    let per_endpoint = tasks / fabric.endpoints().max(1);
    let router = |v: u32| {
        let v = crate::id::VertexId(v);
        fabric.adapter_link(v).map_or(v, |link| fabric.target(link))
    };
    let first = (0..fabric.endpoints()).take_while(|&v| router(v) == router(0)).count() as u32;
    ring(first * per_endpoint, fabric.endpoints() / first.max(1));
    let mut stride = per_endpoint;
    for &extent in fabric.coordinates().unwrap_or_default() {
        ring(stride, extent);
        stride *= extent;
    }
    steps.retain(|&by| by > 0 && by < tasks);
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Dragonfly, Torus};

    #[test]
    fn tornado_and_the_next_group_are_among_them() {
        let torus = Torus::new(&[8, 4]).and_then(|t| t.build()).expect("torus");
        let tried = steps(&torus, 32, 10);
        assert!([1, 3, 4, 8, 16].iter().all(|by| tried.contains(by)), "{tried:?}");
        let dragonfly = Dragonfly::new(2, 4, 2).and_then(|d| d.build()).expect("dragonfly");
        let tried = steps(&dragonfly, 72, 10);
        assert!([2, 8, 32, 36].iter().all(|by| tried.contains(by)), "{tried:?}");
    }

    #[test]
    fn all_are_tried_where_there_are_few() {
        let torus = Torus::new(&[8, 4]).and_then(|t| t.build()).expect("torus");
        assert_eq!(steps(&torus, 32, 31), (1..32).collect::<Vec<_>>());
        for (most, least) in [(0, 5), (20, 15), (30, 20)] {
            let tried = steps(&torus, 32, most);
            assert!(tried.len() >= least && tried.iter().all(|by| (1..32).contains(by)), "{most}: {tried:?}");
            assert!(tried.is_sorted_by(|a, b| a < b), "{tried:?}");
        }
    }
}
