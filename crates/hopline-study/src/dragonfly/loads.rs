//! What comes of an offered load below the full one, each point simulated until
//! it is known to 1 % at 99 % confidence.

use super::jobs::{Job, Length, Throughputs};
use super::{Pattern, SCHEMES, System, balanced, percent};
use crate::{Figure, Finding, Options, Point as Dot, Series};

/// Offered loads in percent of injection.
const LOADS: [u32; 6] = [10, 20, 30, 40, 50, 70];
/// The exchange has no load to choose.
const PATTERNS: [Pattern; 2] = [Pattern::Complement, Pattern::Shift];

fn systems(quick: bool) -> impl Iterator<Item = System> {
    (2..=if quick { 2 } else { 4 }).map(balanced)
}

fn loads(quick: bool) -> &'static [u32] {
    if quick { &LOADS[..3] } else { &LOADS }
}

fn job((pattern, system, scheme): (Pattern, System, usize), percent: u32, options: &Options) -> Job {
    Job::new(system, pattern, scheme, options.seed, Length::Until { percent })
}

fn curves(quick: bool) -> impl Iterator<Item = (Pattern, System, usize)> {
    let of =
        move |pattern| systems(quick).flat_map(move |s| (0..SCHEMES.len()).map(move |scheme| (pattern, s, scheme)));
    PATTERNS.into_iter().flat_map(of)
}

/// All that is to be simulated for it.
pub(super) fn jobs(options: &Options) -> impl Iterator<Item = Job> + use<'_> {
    let quick = options.quick;
    curves(quick).flat_map(move |curve| loads(quick).iter().map(move |&percent| job(curve, percent, options)))
}

/// The curves as numbers.
pub(super) fn findings(options: &Options, throughputs: &Throughputs) -> Vec<Finding> {
    let of = |(pattern, system, scheme): (Pattern, System, usize), load: u32| {
        let accepted = throughputs[&job((pattern, system, scheme), load, options).command()];
        let row = [("p", system.p.into()), ("load in %", load.into())];
        let item = format!("Figures 3, below full load: {}, throughput in %", pattern.name());
        percent(Finding::new(&item, &row, SCHEMES[scheme].head), accepted)
    };
    let mut found: Vec<Finding> = Vec::new();
    for pattern in PATTERNS {
        for system in systems(options.quick) {
            for &percent in loads(options.quick) {
                found.extend((0..SCHEMES.len()).map(|scheme| of((pattern, system, scheme), percent)));
            }
        }
    }
    found
}

/// The curves of a pattern on the largest system.
pub(super) fn figures(options: &Options, throughputs: &Throughputs) -> Vec<Figure> {
    let Some(system) = systems(options.quick).last() else { return Vec::new() };
    let loads = loads(options.quick);
    let figure = |pattern: Pattern| Figure {
        name: format!("throughput-against-load-{}", pattern.name().replace(' ', "-")),
        title: format!("{} below full load, {} endpoints", pattern.name(), system.endpoints()),
        x: "offered, % of injection".into(),
        y: "throughput, % of injection".into(),
        ticks: loads.iter().map(ToString::to_string).collect(),
        log: false,
        series: (0..SCHEMES.len())
            .map(|scheme| Series {
                name: SCHEMES[scheme].head.into(),
                points: loads
                    .iter()
                    .enumerate()
                    .map(|(tick, &percent)| Dot {
                        tick: tick as f64,
                        y: 100.0 * throughputs[&job((pattern, system, scheme), percent, options).command()].mean,
                        range: None,
                        published: None,
                    })
                    .collect(),
            })
            .collect(),
    };
    PATTERNS.into_iter().map(figure).collect()
}
