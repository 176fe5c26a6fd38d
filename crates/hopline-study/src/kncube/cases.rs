//! What is simulated for Figures 2 to 6, and what comes of it.

use super::sweep::{Effort, ROUTER, Sweep};
use crate::Options;
use hopline::flits::Router;

/// The load at which latency is mainly the length of the message.
pub(super) const LIGHT: f64 = 0.02;

/// One of the paper's figures.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) words: &'static str,
    pub(super) traffic: &'static str,
    pub(super) k: u32,
    pub(super) n: u32,
    /// Heads and specs; the first is no mapping.
    pub(super) mappings: &'static [(&'static str, &'static str)],
    pub(super) rules: &'static [&'static Rule],
    /// What the paper says of the throughput without mapping, in percent: less than 1/T, or more than 40.
    pub(super) stated: f64,
    /// A load that is sustained with and without mapping, at which latencies are compared.
    pub(super) heavy: f64,
}

pub(super) const NONE: (&str, &str) = ("no mapping", "default");
pub(super) const MAP_S: (&str, &str) = ("Map-S", "linear:method=theorem3");
/// The mapping that Example 5 prints for matrix transpose and digit reversal.
pub(super) const MAP_G: (&str, &str) = ("Map-G", "Q of Example 5");
pub(super) const OURS: (&str, &str) = ("T = 1", "linear");

/// Which way messages take where both ways round a ring are equally long, on
/// which router.
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) routing: &'static str,
    pub(super) router: Router,
}

/// Always up, up or down at random, up from even coordinates; and at random with longer buffers.
pub(super) const UP: Rule = Rule { name: "up", routing: "dor:tie=plus", router: ROUTER };
pub(super) const RANDOM: Rule = Rule { name: "random", routing: "dor:tie=split", router: ROUTER };
pub(super) const PARITY: Rule = Rule { name: "parity", routing: "dor:tie=parity", router: ROUTER };
pub(super) const ROOMY: Rule =
    Rule { name: "random, buffers of 6 flits", routing: "dor:tie=split", router: Router { buffers: 6, ..ROUTER } };

const CASES: [Case; 5] = [
    Case {
        name: "Figure 2",
        words: "matrix transpose",
        traffic: "linear:transpose",
        k: 4,
        n: 4,
        mappings: &[NONE, MAP_S, MAP_G, OURS],
        rules: &[&UP, &RANDOM, &PARITY, &ROOMY],
        stated: 12.5,
        heavy: 0.08,
    },
    Case {
        name: "Figure 3",
        words: "digit reversal",
        traffic: "linear:digit-reverse",
        k: 4,
        n: 4,
        mappings: &[NONE, MAP_S, MAP_G, OURS],
        rules: &[&UP, &RANDOM, &ROOMY],
        stated: 12.5,
        heavy: 0.08,
    },
    Case {
        name: "Figure 4",
        words: "matrix transpose",
        traffic: "linear:transpose",
        k: 16,
        n: 2,
        mappings: &[NONE, MAP_S, OURS],
        rules: &[&UP, &RANDOM],
        stated: 12.5,
        heavy: 0.04,
    },
    Case {
        name: "Figure 5",
        words: "digit reversal",
        traffic: "linear:digit-reverse",
        k: 8,
        n: 3,
        mappings: &[NONE, MAP_S, OURS],
        rules: &[&UP, &RANDOM],
        stated: 25.0,
        heavy: 0.08,
    },
    Case {
        name: "Figure 6",
        words: "uniform random",
        traffic: "uniform",
        k: 4,
        n: 4,
        mappings: &[NONE, MAP_G],
        rules: &[&UP, &RANDOM, &PARITY, &ROOMY],
        stated: 40.0,
        heavy: 0.2,
    },
];

/// Seeds of a figure: two runs of one uniform traffic differ by chance, by up to two steps of the load.
pub(super) fn seeds(case: &Case) -> u64 {
    if case.name == "Figure 6" { 4 } else { 1 }
}

/// The figures that are simulated: all but in a short study.
pub(super) fn cases(options: &Options) -> impl Iterator<Item = &'static Case> + use<> {
    let quick = options.quick;
    CASES.iter().filter(move |c| !quick || c.name == "Figure 2")
}

/// One curve.
pub(super) struct Curve {
    pub(super) mapping: &'static str,
    pub(super) rule: &'static Rule,
    /// Messages on the busiest link, expected ones where ways are random.
    pub(super) t: f64,
    pub(super) sweep: Sweep,
    /// The highest throughput that is sustained with each seed, the first that of the sweep.
    pub(super) highest: Vec<f64>,
    /// At [`LIGHT`] and at the case's heavy load.
    pub(super) latency: [f64; 2],
    /// See [`Sweep::lasts`]; in the whole study of Figure 2.
    pub(super) lasts: Option<bool>,
}

impl Curve {
    /// The highest throughput that is sustained, in percent of a flit per cycle, the mean of all seeds.
    pub(super) fn sustained(&self) -> f64 {
        100.0 * self.highest.iter().sum::<f64>() / self.highest.len() as f64
    }
}

/// How long and how fine.
pub(super) fn effort(options: &Options) -> Effort {
    if options.quick { Effort { messages: 100, steps: 48 } } else { Effort { messages: 400, steps: 144 } }
}
