//! Simulated throughput of the four schemes, and the figures.

use super::System;
use super::model::{Model, between_groups, model};
use crate::demand::Demand;
use crate::error::{Error, Place, Result};
use crate::event::Silent;
use crate::files::Disk;
use crate::flits;
use crate::params::{Params, Value};
use crate::plan::Plan;
use crate::run;
use crate::scenario::Scenario;
use crate::study::{Figure, Finding, Options, Point as Dot, Published, Series, Verdict};
use crate::topology::Topology;
use rayon::prelude::*;

/// Head, routing, mapping.
pub(super) const SCHEMES: [(&str, &str, &str); 4] = [
    ("shortest path", "minimal", "default"),
    ("ValiantRestricted", "valiant-restricted", "default"),
    ("ValiantAny", "valiant-any", "default"),
    ("ValiantRestricted, random groups", "valiant-restricted", "group-random"),
];
pub(super) const RESTRICTED: usize = 1;
pub(super) const ANY: usize = 2;
pub(super) const RANDOM: usize = 3;

/// A traffic pattern of section IV-A.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pattern {
    Complement,
    Shift,
    Nearest,
}

impl Pattern {
    pub(super) const ALL: [Pattern; 3] = [Pattern::Complement, Pattern::Shift, Pattern::Nearest];

    pub(super) fn name(self) -> &'static str {
        match self {
            Pattern::Complement => "bit complement",
            Pattern::Shift => "shift",
            Pattern::Nearest => "nearest neighbour",
        }
    }

    pub(super) fn item(self) -> &'static str {
        match self {
            Pattern::Complement => "Figures 3a, 3b: bit complement, throughput in %",
            Pattern::Shift => "Figures 3c, 3d: shift, throughput in %",
            Pattern::Nearest => "Figures 3e, 3f: nearest neighbour, throughput in %",
        }
    }

    fn traffic(self, h: u32) -> String {
        match self {
            Pattern::Complement => "bit-complement".into(),
            Pattern::Shift => format!("shift:groups={}", 2 * h),
            Pattern::Nearest => "nearest3d:phase=x".into(),
        }
    }
}

/// Everything about one pattern on one system.
pub(super) struct Point {
    pub(super) system: System,
    /// Throughput by scheme, in flits per cycle and endpoint.
    pub(super) simulated: [f64; 4],
    pub(super) model: Model,
    /// Throughput at which the busiest link is full under ValiantRestricted, on average.
    pub(super) worst_link: f64,
}

/// Cycles before and during the measurement.
fn length(p: u32, options: &Options) -> (u32, u32) {
    match p {
        _ if options.quick => (3000, 3000),
        2..=4 => (20_000, 781_250),
        5 => (20_000, 60_000),
        _ => (8000, 8000),
    }
}

fn scenario((p, a, h): (u32, u32, u32), pattern: Pattern, routing: &str, mapping: &str, seed: u64) -> Result<Plan> {
    let scenario = Scenario::default()
        .topology(&format!("dragonfly:p={p},a={a},h={h}"))?
        .routing(routing)?
        .traffic(&pattern.traffic(h))?
        .mappings(mapping)?
        .seed(seed);
    Plan::new(&scenario, &Disk)
}

fn simulated(system: (u32, u32, u32), pattern: Pattern, scheme: usize, options: &Options) -> Result<f64> {
    let (_, routing, mapping) = SCHEMES[scheme];
    let orders = if scheme == RANDOM && !options.quick { 3 } else { 1 };
    let (warmup, cycles) = length(system.0, options);
    let place = Place::new("study", 0);
    let mut keys = Params::new("flits", place.clone());
    let mut add = |key: &str, value: Value| keys.push(key, value, place.clone());
    add("load", Value::Float(1.0))?;
    add("router", Value::Text("buffers=64,output=64,speedup=2".into()))?;
    if pattern == Pattern::Nearest {
        let bytes = if options.quick { 64 } else { 256 } * 1024;
        add("inject", Value::Text(format!("exchange:bytes={bytes}")))?;
        add("warmup", Value::Int(0))?;
        add("cycles", Value::Int(4_000_000))?;
    } else {
        add("warmup", Value::Int(warmup.into()))?;
        add("cycles", Value::Int(cycles.into()))?;
    }
    let settings = flits::Options::read(&keys)?;
    let mut sum = 0.0;
    for order in 0..orders {
        let plan = scenario(system, pattern, routing, mapping, options.seed + order)?;
        let outcome = run::flits(&plan, &settings, &mut run::Forget, &mut Silent)?;
        let point = outcome.points.first().ok_or_else(|| Error::failed("a simulation without a result"))?;
        sum += point.accepted;
    }
    Ok(sum / orders as f64)
}

/// Simulates all schemes of one pattern on one system, and evaluates the models.
pub(super) fn point(pattern: Pattern, system: (u32, u32, u32), options: &Options) -> Result<Point> {
    let all: Vec<f64> =
        (0..SCHEMES.len()).into_par_iter().map(|s| simulated(system, pattern, s, options)).collect::<Result<_>>()?;
    let plan = scenario(system, pattern, "valiant-restricted", "default", 0)?;
    let Topology::Dragonfly(dragonfly) = &plan.network.topology else {
        return Err(Error::failed("the study is about Dragonflies"));
    };
    let demand: &Demand = &plan.demand;
    let summary = run::load(&plan, 0, &mut Silent)?.summary;
    // Links of 1 GB/s and tasks that send one unit: busy time is load over injection.
    let worst_link = if summary.busy.1 > 0.0 { (1.0 / summary.busy.1).min(1.0) } else { 1.0 };
    Ok(Point {
        system: System::new(system),
        simulated: [all[0], all[1], all[2], all[3]],
        model: model(dragonfly, &between_groups(demand, dragonfly)),
        worst_link,
    })
}

/// What section IV-B says of a scheme, in percent: least, most, words.
fn stated(pattern: Pattern, scheme: usize, system: &System) -> Option<(f64, f64, &'static str)> {
    // More than 512 switches: p >= 6.
    match (scheme, pattern) {
        (ANY, _) => Some((33.0, 43.0, "33-43")),
        (RESTRICTED, Pattern::Nearest) if system.p >= 6 => Some((0.0, 20.0, "<20")),
        (RESTRICTED, _) if system.p >= 6 => Some((0.0, 15.0, "<15")),
        _ => None,
    }
}

/// The curves of Figure 3 as numbers.
pub(super) fn findings(pattern: Pattern, point: &Point) -> Vec<Finding> {
    let row = [("p", point.system.p.into()), ("endpoints", point.system.endpoints.into())];
    let cells = SCHEMES.iter().enumerate().map(|(s, (head, ..))| {
        let percent = 100.0 * point.simulated[s];
        let mut finding = Finding { computed: Some(percent), ..Finding::new(pattern.item(), &row, *head) };
        if let Some((least, most, words)) = stated(pattern, s, &point.system) {
            finding.published = Some(Published::Text(words.into()));
            finding.verdict = Verdict::Differs;
            // Read off a figure: whole percents.
            if (least..=most).contains(&percent.round()) {
                finding.verdict = Verdict::Match;
            } else if s == ANY && percent > most {
                finding = finding.noted(
                    "above the range: of the paper's router only the buffers are known; ours has speed-up 2, and with speed-up 1 \
                     ValiantAny loses a quarter",
                );
            } else if s == ANY {
                finding = finding.noted("below the range; the paper's router and run differ in what it does not say");
            }
        }
        finding
    });
    cells.collect()
}

/// Figures 3a to 3f, two in one.
pub(super) fn figure(pattern: Pattern, points: &[Point]) -> Figure {
    let series = |name: &str, y: &dyn Fn(&Point) -> f64| Series {
        name: name.into(),
        points: points
            .iter()
            .enumerate()
            .map(|(tick, p)| Dot { tick, y: 100.0 * y(p), range: None, published: None })
            .collect(),
    };
    let mut all: Vec<Series> = Vec::new();
    for (s, (head, ..)) in SCHEMES.iter().enumerate() {
        all.push(series(&head.replace("ValiantRestricted, random groups", "random groups"), &|p| p.simulated[s]));
    }
    all.push(series("3/(4p)", &|p| p.model.estimate));
    all.push(series("busiest link", &|p| p.worst_link));
    all.push(series("uniform limit", &|_| 0.5));
    Figure {
        name: pattern
            .item()
            .split(", throughput")
            .next()
            .unwrap_or("")
            .to_lowercase()
            .replace([',', ':'], "")
            .replace(' ', "-"),
        title: format!("Figure 3: {}", pattern.name()),
        x: "endpoints".into(),
        y: "throughput, % of injection".into(),
        ticks: points.iter().map(|p| p.system.endpoints.to_string()).collect(),
        log: false,
        series: all,
    }
}
