//! The worst of a few shifts: what tornado traffic is to a ring, and the next group to a Dragonfly.

use super::{Bench, job_of, saturation};
use crate::error::Result;
use crate::event::Observer;
use crate::fabric::Fabric;
use crate::flits::Options;
use crate::params::Params;
use crate::plan::Plan;
use crate::run::load;

/// Of the shifts to the next part and half the parts further, of every level, router and dimension, the one under which the
/// busiest link leaves the least throughput. Where flits are simulated it is the one of which they accept the least, and where neither
/// is known the shift by half of all.
pub(super) fn shift(bench: &mut Bench<'_>, observer: &mut dyn Observer) -> Result<Params> {
    let plan = bench.plan(&job_of("uniform")?)?;
    let (tasks, tries) = (plan.demand.tasks(), steps(&plan.network.fabric, plan.demand.tasks()));
    bench.done(plan);
    let mut found = match &bench.options.flits {
        Some(options) => simulated(bench, options, &tries, observer)?,
        None => Vec::new(),
    };
    if found.is_empty() {
        found = under(bench, &tries, |plan| load(plan, 0, observer).ok()?.summary.throughput_gb_s)?;
    }
    // Rounding must not decide between shifts that are equally bad.
    let least = |worst: (f64, u32), (throughput, by): (f64, u32)| match throughput < worst.0 * (1.0 - 1e-9) {
        true => (throughput, by),
        false => worst,
    };
    shift_by(found.into_iter().fold((f64::INFINITY, tasks / 2), least).1)
}

/// What flits accept: first in short runs, then as long as was asked under those shifts that come near the worst. Why one cannot be
/// simulated, the shift that is taken will say.
fn simulated(
    bench: &mut Bench<'_>,
    options: &Options,
    tries: &[u32],
    observer: &mut dyn Observer,
) -> Result<Vec<(f64, u32)>> {
    const SHORTER: u32 = 4;
    const NEAR: f64 = 1.1;
    let (warmup, cycles) = (options.warmup.div_ceil(SHORTER), options.cycles.div_ceil(SHORTER));
    let mut accepted = |bench: &mut Bench<'_>, options: &Options, tries: &[u32]| {
        under(bench, tries, |plan| saturation(plan, options, observer).ok().flatten())
    };
    let first = accepted(bench, &Options { warmup, cycles, ..options.clone() }, tries)?;
    let least = first.iter().map(|one| one.0).fold(f64::INFINITY, f64::min);
    let near: Vec<u32> = first.iter().filter(|one| one.0 <= NEAR * least).map(|one| one.1).collect();
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

/// Shifts by so many tasks, ascending, each once.
fn steps(fabric: &Fabric, tasks: u32) -> Vec<u32> {
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
    steps.sort_unstable();
    steps.dedup();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Dragonfly, Torus};

    #[test]
    fn tornado_and_the_next_group_are_among_them() {
        let torus = Torus::new(&[8, 4]).and_then(|t| t.build()).expect("torus");
        let tried = steps(&torus, 32);
        assert!([1, 3, 4, 8, 16].iter().all(|by| tried.contains(by)), "{tried:?}");
        let dragonfly = Dragonfly::new(2, 4, 2).and_then(|d| d.build()).expect("dragonfly");
        let tried = steps(&dragonfly, 72);
        assert!([2, 8, 32, 36].iter().all(|by| tried.contains(by)), "{tried:?}");
    }
}
