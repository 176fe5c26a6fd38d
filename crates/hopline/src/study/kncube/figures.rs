//! Figures 2 to 6: latency against throughput by flits, without mapping, under
//! the paper's mappings and under ours, for rules about ways of equal length.

use super::ours;
use super::stated::MAP_G;
use super::sweep::{Bench, Run, Sweep};
use crate::error::Result;
use crate::id::VertexId;
use crate::loads;
use crate::study::machine::Machine;
use crate::study::{Figure, Finding, Key, Options, Point, Published, Series, Verdict};
use rayon::prelude::*;

/// One of the paper's figures.
pub(super) struct Case {
    pub(super) name: &'static str,
    words: &'static str,
    traffic: &'static str,
    k: u32,
    n: u32,
    /// Heads and specs; the first is no mapping.
    mappings: &'static [(&'static str, &'static str)],
    /// How many of the [`TIES`].
    ties: usize,
    /// What the paper says of the throughput without mapping: less than 1/T, or more than 40 %.
    stated: f64,
    /// Loads at which latencies are compared.
    loads: [f64; 2],
}

const NONE: (&str, &str) = ("no mapping", "default");
const MAP_S: (&str, &str) = ("Map-S", "linear:method=theorem3");
const OURS: (&str, &str) = ("T = 1", "linear");

/// Which way messages take where both ways round a ring are equally long:
/// always up, up or down at random, up from even coordinates.
const TIES: [(&str, &str); 3] = [("up", "dor:tie=plus"), ("random", "dor:tie=split"), ("parity", "dor:tie=parity")];

type Holds = fn(&Run) -> bool;

/// What is sustained: see [`Run`].
const DEFINITIONS: [(&str, Holds); 2] = [("strict", |run| run.strict), ("lenient", |run| run.lenient)];

const CASES: [Case; 5] = [
    Case {
        name: "Figure 2",
        words: "matrix transpose",
        traffic: "linear:transpose",
        k: 4,
        n: 4,
        mappings: &[NONE, MAP_S, ("Map-G", MAP_G), OURS],
        ties: 3,
        stated: 12.5,
        loads: [0.04, 0.08],
    },
    Case {
        name: "Figure 3",
        words: "digit reversal",
        traffic: "linear:digit-reverse",
        k: 4,
        n: 4,
        mappings: &[NONE, MAP_S, ("Map-G", MAP_G), OURS],
        ties: 2,
        stated: 12.5,
        loads: [0.04, 0.08],
    },
    Case {
        name: "Figure 4",
        words: "matrix transpose",
        traffic: "linear:transpose",
        k: 16,
        n: 2,
        mappings: &[NONE, MAP_S, OURS],
        ties: 2,
        stated: 12.5,
        loads: [0.02, 0.08],
    },
    Case {
        name: "Figure 5",
        words: "digit reversal",
        traffic: "linear:digit-reverse",
        k: 8,
        n: 3,
        mappings: &[NONE, MAP_S, OURS],
        ties: 2,
        stated: 25.0,
        loads: [0.02, 0.16],
    },
    Case {
        name: "Figure 6",
        words: "uniform random",
        traffic: "uniform",
        k: 4,
        n: 4,
        mappings: &[NONE, ("Map-G", MAP_G)],
        ties: 3,
        stated: 40.0,
        loads: [0.04, 0.2],
    },
];

/// The figures that are simulated: all but in a short study.
pub(super) fn cases(options: &Options) -> impl Iterator<Item = &'static Case> + use<> {
    let quick = options.quick;
    CASES.iter().filter(move |c| !quick || c.name == "Figure 2")
}

/// One curve.
pub(super) struct Curve {
    mapping: &'static str,
    tie: &'static str,
    /// Messages on the busiest link, expected ones where ways are random.
    t: f64,
    sweep: Sweep,
    /// At the loads of the case.
    latency: [f64; 2],
}

/// Head of the mapping, where tasks sit, the rule for ties.
type Setup<'a> = (&'static str, &'a Vec<VertexId>, &'a (&'static str, &'static str));

/// Messages of a processor in a run, and steps of the load in a sweep.
fn effort(options: &Options) -> (u32, u32) {
    if options.quick { (40, 24) } else { (160, 48) }
}

/// Simulates all curves of a figure, each on one thread.
pub(super) fn curves(case: &Case, options: &Options) -> Result<Vec<Curve>> {
    let machine = Machine::new(&format!("kncube:k={},n={}", case.k, case.n))?;
    let job = machine.job(case.traffic)?;
    let (messages, steps) = effort(options);
    let ties = &TIES[..if options.quick { 2 } else { case.ties }];
    let mut places = Vec::new();
    for (_, mapping) in case.mappings {
        places.push(machine.places(&*machine.routing(TIES[0].1)?, &job, mapping, options.seed)?);
    }
    // Under the last mapping no message has two ways.
    let rules = |head: &str| if head == OURS.0 { &ties[..1] } else { ties };
    let seated = case.mappings.iter().zip(&places);
    let all: Vec<_> = seated.flat_map(|(&(head, _), at)| rules(head).iter().map(move |tie| (head, at, tie))).collect();
    let curve = |(mapping, places, &(tie, routing)): Setup<'_>| {
        let load = loads::evaluate(&job, places, &*machine.routing(routing)?)?.load;
        let hops = machine.hops(routing)?;
        let bench = Bench { hops: &hops, job: &job, places, messages, steps, seed: options.seed };
        let [light, heavy] = case.loads;
        Ok(Curve {
            mapping,
            tie,
            t: load.into_iter().fold(0.0, f64::max),
            sweep: bench.sweep()?,
            latency: [bench.run(light)?.latency, bench.run(heavy)?.latency],
        })
    };
    all.into_par_iter().map(curve).collect()
}

const UP: &str = "with ties always up, which makes Theorem 1 exact, T = 2 holds; the paper's curves need the random choice, \
                  under which 1 message is expected on the busiest link";
const PARITY: &str = "ties by parity spread messages evenly both ways: T = 1";
const LENIENT: &str = "the mean over all processors hides those whose messages pile up";
const FALLS: &str = "T is as before, but before the mapping only the last links to a common target carry it; after it all links \
                     of one ring do, and on such a ring worms that wait stop others: see `one ring alone`";
const RISES: &str =
    "higher near saturation, which one ring reaches at less load than without mapping: see `one ring alone`";
const WORST: &str = "the one processor at which most messages wait decides";
const TIED: &str = "ties always up load some links by 3/4 of a message, other rules all by 1/2";

/// What the paper says of a throughput in percent, beside that without mapping:
/// its words, whether it holds, why not.
fn stated(case: &Case, curve: &Curve, column: &str, [x, before]: [f64; 2]) -> Option<(String, bool, &'static str)> {
    // The limit lies between x and the next step of the load.
    let next = x * curve.sweep.ratio;
    Some(match (case.name, curve.mapping) {
        ("Figure 6", "no mapping") => {
            (format!(">{}", case.stated), next > case.stated, if curve.tie == "up" { TIED } else { WORST })
        }
        ("Figure 6", _) => (
            "as without".into(),
            x <= before * curve.sweep.ratio * 1.03 && before <= next * 1.03,
            "steps of the load are 7 %",
        ),
        (_, "no mapping") => (format!("<{}", case.stated), x < case.stated, LENIENT),
        (_, "Map-S" | "Map-G") if case.k == 4 => {
            let why = match (curve.tie, column) {
                ("up", "strict") => UP,
                ("parity", _) => PARITY,
                _ => LENIENT,
            };
            ("about 40".into(), (30.0..=50.0).contains(&x), why)
        }
        _ => return None,
    })
}

/// Sustained throughput and latency of every curve.
pub(super) fn findings(case: &Case, curves: &[Curve]) -> Vec<Finding> {
    let about = format!("{}: {}, {}-ary {}-cube", case.name, case.words, case.k, case.n);
    let mut found = Vec::new();
    for curve in curves {
        let row = [("mapping", Key::from(curve.mapping)), ("ties", Key::from(curve.tie))];
        let before = curves.iter().find(|c| c.mapping == NONE.0 && c.tie == curve.tie).unwrap_or(curve);
        let item = format!("{about}, sustained throughput, % of a flit per cycle");
        found.push(ours(&item, &row, "T", curve.t));
        for (column, holds) in DEFINITIONS {
            let [x, unmapped] = [curve, before].map(|c| 100.0 * c.sweep.highest(holds));
            let mut finding = ours(&item, &row, column, x);
            if let Some((words, holds, why)) = stated(case, curve, column, [x, unmapped]) {
                finding = compared(finding, words, holds, why);
            } else if curve.mapping == MAP_S.0 && x < unmapped {
                finding = finding.noted(FALLS);
            }
            found.push(finding);
        }
        let item = format!("{about}, latency in cycles");
        for (k, load) in case.loads.iter().enumerate() {
            let finding = ours(&item, &row, &format!("load {load}"), curve.latency[k]);
            let mapped = curve.mapping.starts_with("Map") && case.name != "Figure 6";
            found.push(match mapped {
                true => compared(finding, "lower".into(), curve.latency[k] < before.latency[k], RISES),
                false => finding,
            });
        }
    }
    found
}

fn compared(finding: Finding, words: String, holds: bool, why: &str) -> Finding {
    let published = Some(Published::Text(words));
    match holds {
        true => Finding { published, verdict: Verdict::Match, ..finding },
        false => Finding { published, verdict: Verdict::Differs, ..finding }.noted(why),
    }
}

/// What the last links of Figures 4 and 5 under Map-S come to: a ring on which
/// every processor sends half way round, ties up, nothing else.
pub(super) fn one_ring(options: &Options) -> Result<Vec<Finding>> {
    let (messages, steps) = effort(options);
    let mut found = Vec::new();
    for k in [8, 16] {
        let machine = Machine::new(&format!("kncube:k={k},n=1"))?;
        let job = machine.job(&format!("shift:by={}", k / 2))?;
        let (hops, plus) = (machine.hops(TIES[0].1)?, machine.routing(TIES[0].1)?);
        let places = machine.places(&*plus, &job, NONE.1, options.seed)?;
        let sweep = Bench { hops: &hops, job: &job, places: &places, messages, steps, seed: options.seed }.sweep()?;
        let item = "Figures 4, 5: one ring alone, every processor sends half way round, sustained %";
        let row = [("k", Key::Number(k))];
        found.push(ours(item, &row, "1/T", 200.0 / f64::from(k)));
        found.extend(DEFINITIONS.map(|(column, holds)| ours(item, &row, column, 100.0 * sweep.highest(holds))));
    }
    Ok(found)
}

/// Latency against throughput, ties up and random.
pub(super) fn figure(case: &Case, curves: &[Curve]) -> Figure {
    let tenth = 0.1;
    let series = curves.iter().filter(|c| c.tie != TIES[2].0).map(|curve| Series {
        name: if curve.mapping == OURS.0 { OURS.0.into() } else { format!("{}, {}", curve.mapping, curve.tie) },
        points: curve.sweep.curve().map(|(x, y)| Point { tick: x / tenth, y, range: None, published: None }).collect(),
    });
    let series: Vec<Series> = series.collect();
    let most = series.iter().flat_map(|s| &s.points).map(|p| p.tick).fold(1.0, f64::max).ceil() as u32;
    Figure {
        name: case.name.to_lowercase().replace(' ', "-"),
        title: format!("{}: {}, {}-ary {}-cube", case.name, case.words, case.k, case.n),
        x: "throughput, flits per cycle and processor".into(),
        y: "latency, cycles".into(),
        ticks: (0..=most).map(|t| crate::unit::short(f64::from(t) * tenth)).collect(),
        log: true,
        series,
    }
}
