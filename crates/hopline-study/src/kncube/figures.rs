//! Figures 2 to 6: latency against throughput by flits, without mapping, under
//! the paper's mappings and under ours, for rules about ways of equal length.

use super::cases::{Case, Curve, LIGHT, NONE, OURS, RANDOM, Rule, UP, effort, seeds};
use super::claims;
use super::examples::Q5;
use super::sweep::{Bench, Effort, ROUTER};
use super::{elements, ours};
use crate::machine::Machine;
use crate::{Figure, Finding, Key, Options, Point, Series};
use hopline::error::Result;
use hopline::gf::{Affine, Field};
use hopline::id::VertexId;
use hopline::loads;
use rayon::prelude::*;

/// Head of the mapping, where tasks sit, the rule for ties.
type Setup<'a> = (&'static str, &'a Vec<VertexId>, &'static Rule);

/// Simulates all curves of a figure, each on one thread.
pub(super) fn curves(case: &Case, options: &Options) -> Result<Vec<Curve>> {
    let machine = Machine::new(&format!("kncube:k={},n={}", case.k, case.n))?;
    let job = machine.job(case.traffic)?;
    let rules = &case.rules[..if options.quick { 2 } else { case.rules.len() }];
    let mut places = Vec::new();
    for &(head, mapping) in case.mappings {
        places.push(match head {
            "Map-G" => Affine::linear(elements(Q5)).table(&Field::new(case.k)?).into_iter().map(VertexId).collect(),
            _ => machine.places(&*machine.routing(UP.routing)?, &job, mapping, options.seed)?,
        });
    }
    // Under the last mapping no message has two ways.
    let of = |head: &str| if head == OURS.0 { &rules[..1] } else { rules };
    let seated = case.mappings.iter().zip(&places);
    let all: Vec<_> = seated.flat_map(|(&(head, _), at)| of(head).iter().map(move |&rule| (head, at, rule))).collect();
    let curve = |(mapping, places, rule): Setup<'_>| {
        let load = loads::evaluate(&job, places, &*machine.routing(rule.routing)?)?.load;
        let (hops, effort) = (machine.hops(rule.routing)?, effort(options));
        let bench = |messages: u32| Bench {
            hops: &hops,
            job: &job,
            places,
            router: rule.router,
            effort: Effort { messages, ..effort },
            seed: options.seed,
        };
        let (sweep, latency) = (bench(effort.messages).sweep()?, bench(effort.messages / 4));
        let mut highest = vec![sweep.highest()];
        for other in 1..seeds(case) {
            highest.push(Bench { seed: options.seed + other, ..bench(effort.messages) }.highest()?);
        }
        let long = case.name == "Figure 2" && !options.quick;
        Ok(Curve {
            mapping,
            rule,
            t: load.into_iter().fold(0.0, f64::max),
            lasts: if long { Some(sweep.lasts(&bench(4 * effort.messages))?) } else { None },
            sweep,
            highest,
            latency: [latency.run(LIGHT, false)?.latency, latency.run(case.heavy, false)?.latency],
        })
    };
    all.into_par_iter().map(curve).collect()
}

/// Sustained throughput and latency of every curve.
pub(super) fn findings(case: &Case, curves: &[Curve], options: &Options) -> Vec<Finding> {
    let about = format!("{}: {}, {}-ary {}-cube", case.name, case.words, case.k, case.n);
    let mut found = Vec::new();
    for curve in curves {
        let row = [("mapping", Key::from(curve.mapping)), ("ties", Key::from(curve.rule.name))];
        let same = |c: &&Curve| c.mapping == NONE.0 && c.rule.name == curve.rule.name;
        let before = curves.iter().find(same).unwrap_or(curve);
        let item = format!("{about}, sustained throughput, % of a flit per cycle");
        found.push(ours(&item, &row, "T", curve.t));
        let samples = Some(curve.highest.len() as u32).filter(|seeds| *seeds > 1);
        let sustained = Finding { samples, ..ours(&item, &row, "sustained", curve.sustained()) };
        found.push(claims::throughput(sustained, case, curve, before, effort(options)));
        let item = format!("{about}, latency in cycles");
        for (load, latency, unmapped) in
            [(LIGHT, curve.latency[0], before.latency[0]), (case.heavy, curve.latency[1], before.latency[1])]
        {
            let finding = ours(&item, &row, &format!("load {load}"), latency);
            found.push(claims::latency(finding, case, curve, unmapped));
        }
    }
    let lasting: Vec<bool> = curves.iter().filter_map(|c| c.lasts).collect();
    if !lasting.is_empty() {
        let says = format!(
            "curves, of {}, whose highest load but one step is sustained in runs four times as long too",
            lasting.len()
        );
        found.push(ours(&format!("{about}, longer runs"), &[], &says, lasting.iter().filter(|l| **l).count() as f64));
    }
    found
}

/// What the last links of Figures 4 and 5 under Map-S come to: a ring on which
/// every processor sends half way round, ties up, nothing else.
pub(super) fn one_ring(options: &Options) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    for k in [8, 16] {
        let machine = Machine::new(&format!("kncube:k={k},n=1"))?;
        let job = machine.job(&format!("shift:by={}", k / 2))?;
        let (hops, plus) = (machine.hops(UP.routing)?, machine.routing(UP.routing)?);
        let places = machine.places(&*plus, &job, NONE.1, options.seed)?;
        let (router, effort) = (ROUTER, effort(options));
        let bench = Bench { hops: &hops, job: &job, places: &places, router, effort, seed: options.seed };
        let item = "Figures 4, 5: one ring alone, every processor sends half way round, sustained %";
        let row = [("k", Key::Number(k))];
        found.push(ours(item, &row, "1/T", 200.0 / f64::from(k)));
        found.push(ours(item, &row, "sustained", 100.0 * bench.highest()?));
    }
    Ok(found)
}

/// Latency against throughput, ties up and random; upright lines where section 4
/// says what throughput is.
pub(super) fn figure(case: &Case, curves: &[Curve]) -> Figure {
    let tenth = 0.1;
    let shown = |c: &&Curve| [UP.name, RANDOM.name].contains(&c.rule.name);
    let series = curves.iter().filter(shown).map(|curve| Series {
        name: if curve.mapping == OURS.0 { OURS.0.into() } else { format!("{}, {}", curve.mapping, curve.rule.name) },
        points: curve.sweep.curve().map(|(x, y)| Point { tick: x / tenth, y, range: None, published: None }).collect(),
    });
    let mut series: Vec<Series> = series.collect();
    let ys = series.iter().flat_map(|s| &s.points).map(|p| p.y);
    let (low, high) = ys.fold((f64::INFINITY, 0.0), |(low, high), y| (y.min(low), y.max(high)));
    for (name, x) in claims::lines(case) {
        let points = [low, high].map(|y| Point { tick: x / tenth, y, range: None, published: None });
        series.push(Series { name: name.into(), points: points.into() });
    }
    let most = series.iter().flat_map(|s| &s.points).map(|p| p.tick).fold(1.0, f64::max).ceil() as u32;
    Figure {
        name: case.name.to_lowercase().replace(' ', "-"),
        title: format!("{}: {}, {}-ary {}-cube", case.name, case.words, case.k, case.n),
        x: "throughput, flits per cycle and processor".into(),
        y: "latency, cycles".into(),
        ticks: (0..=most).map(|t| hopline::unit::short(f64::from(t) * tenth)).collect(),
        log: true,
        series,
    }
}
