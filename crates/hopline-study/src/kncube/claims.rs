//! What section 4 says of Figures 2 to 6 in words, as numbers with bounds.
//!
//! The figures are drawn without numbers; what the text says of their curves is
//! all that is published.

use super::cases::{Case, Curve, LIGHT, NONE, RANDOM, ROOMY, UP};
use super::sweep::Effort;
use crate::{Finding, Published, Verdict};
use std::ops::Range;

/// Flits of a message: cycles that it takes at least.
const FLITS: f64 = 20.0;

const TIES_UP: &str = "ties always up, which makes Theorem 1 exact, put T = 2 messages on a link and reach its 50 % as little \
                       as others reach theirs; with a random choice 1 message is expected there: see `random`";
const SHORT: &str = "buffers of two flits, the least that this router can do with; with six it is more than 40: see `random, \
                     buffers of 6 flits`";
const FALLS: &str = "T is as before, but before the mapping only the last links to a common target carry it; after it all links \
                     of one ring do, and on such a ring worms that wait stop others: see `one ring alone`";

/// Sustained throughput in percent as it is with ties up, and how far other seeds and efforts lie from it.
const WITH_TIES_UP: (f64, f64) = (26.5, 4.0);
/// Uniform traffic with a random choice and buffers of two flits.
const WITH_SHORT_BUFFERS: (f64, f64) = (37.0, 3.0);

fn within(finding: Finding, words: String, bounds: Range<f64>) -> Finding {
    let holds = finding.computed.is_some_and(|x| bounds.contains(&x));
    let verdict = if holds { Verdict::Match } else { Verdict::Differs };
    Finding { published: Some(Published::Text(words)), verdict, ..finding }
}

/// The verdict on a sustained throughput, in percent.
pub(super) fn throughput(finding: Finding, case: &Case, curve: &Curve, before: &Curve, effort: Effort) -> Finding {
    let rule = curve.rule.name;
    let compared = rule == UP.name || rule == RANDOM.name;
    match (case.name, curve.mapping) {
        // "Can be more than 0.4", not more than half of a flit.
        ("Figure 6", "no mapping") if rule == RANDOM.name || rule == ROOMY.name => {
            let (value, noise) = WITH_SHORT_BUFFERS;
            let finding = within(finding, format!(">{}", case.stated), case.stated..50.0);
            if rule == RANDOM.name { finding.deviates(value, noise, SHORT) } else { finding }
        }
        // "About the same": within a step of the load, by whatever rule.
        ("Figure 6", "Map-G") => {
            let (x, step) = (before.sustained(), effort.ratio() * 1.01);
            within(finding, "as without".into(), x / step..x * step)
        }
        // "Always less than 1/T", and "in other words" nearly that: more than half of it.
        (_, "no mapping") if case.name != "Figure 6" && compared => {
            within(finding, format!("<{}, near it", case.stated), case.stated / 2.0..case.stated)
        }
        // "About 0.4 instead of 0.5".
        ("Figure 2" | "Figure 3", "Map-S" | "Map-G") if compared => {
            let (value, noise) = WITH_TIES_UP;
            let finding = within(finding, "about 40".into(), 35.0..45.0);
            if rule == UP.name { finding.deviates(value, noise, TIES_UP) } else { finding }
        }
        (_, "Map-S") if curve.sustained() < before.sustained() => finding.remark(FALLS),
        _ => finding,
    }
}

/// The verdict on a latency: mainly the length of the message where little is
/// sent, and lower after the paper's mappings.
pub(super) fn latency(finding: Finding, case: &Case, curve: &Curve, unmapped: f64) -> Finding {
    let light = finding.column == format!("load {LIGHT}");
    match curve.mapping {
        "no mapping" if light => within(finding, "mainly 20".into(), FLITS..2.0 * FLITS),
        "Map-S" | "Map-G" if case.name != "Figure 6" => within(finding, "lower".into(), FLITS..unmapped),
        _ => finding,
    }
}

/// "The maximum sustainable throughput is approximately inversely proportional to
/// T": twice as much where T is 4 instead of 8.
pub(super) fn proportional(figures: &[(&Case, Vec<Curve>)]) -> Vec<Finding> {
    let of = |name: &str, rule: &str| {
        let curves = figures.iter().filter(|(case, _)| case.name == name).flat_map(|(_, curves)| curves);
        curves.filter(|c| c.mapping == NONE.0 && c.rule.name == rule).map(Curve::sustained).next()
    };
    let ratio = |rule: &str| {
        let eight = ["Figure 2", "Figure 3", "Figure 4"].map(|name| of(name, rule));
        let eight: Vec<f64> = eight.into_iter().collect::<Option<_>>()?;
        let ratio = of("Figure 5", rule)? / (eight.iter().sum::<f64>() / eight.len() as f64);
        let item = "Section 4: sustained throughput without mapping, T = 4 (Figure 5) over T = 8 (Figures 2 to 4)";
        let finding = super::ours(item, &[("ties", rule.into())], "ratio", ratio);
        Some(within(finding, "about 2".into(), 1.5..2.5))
    };
    [UP.name, RANDOM.name].into_iter().filter_map(ratio).collect()
}

/// Throughputs that section 4 names in words, for the figure.
pub(super) fn lines(case: &Case) -> Vec<(&'static str, f64)> {
    match case.name {
        "Figure 6" => vec![("paper: more than", 0.4)],
        "Figure 2" | "Figure 3" => vec![("paper: 1/T, T = 8", 0.125), ("paper: mapped, about", 0.4)],
        "Figure 5" => vec![("paper: 1/T, T = 4", 0.25)],
        _ => vec![("paper: 1/T, T = 8", 0.125)],
    }
}
