//! Figures 3a to 3f: throughput of the four schemes, beside what section IV-B says of it.

use super::model::Point;
use super::{ANY, Pattern, RESTRICTED, SCHEMES, System, percent};
use crate::{Figure, Finding, Point as Dot, Published, Series, Verdict};
use hopline::stats::Estimate;

/// What section IV-B says of a scheme, in percent: least, what all are below, words.
fn stated(pattern: Pattern, scheme: usize, system: &System) -> Option<(f64, f64, &'static str)> {
    // More than 512 switches: p >= 6.
    match (scheme, pattern) {
        // Whole percents.
        (ANY, _) => Some((32.5, 43.5, "33-43")),
        (RESTRICTED, Pattern::Nearest) if system.p >= 6 => Some((0.0, 20.0, "<20")),
        (RESTRICTED, _) if system.p >= 6 => Some((0.0, 15.0, "<15")),
        _ => None,
    }
}

const UNBALANCED: &str = "a = 3 routers are fewer than 2h, so local links carry 3.2 times what an endpoint sends and are full at \
                          31.3 %; in the balanced system, with a = 4, the value is inside";
const END: &str = "counted until the last message has arrived, when most endpoints have long been silent; the same pattern without \
                   an end is not below (see `with one cause removed`)";
const BOTH_SIDES: &str = "each group sends to two others, one on either side, and packets that arrive at a router go on over twice as \
                          many local links; sent to one side alone they stay below (see `with one cause removed`)";

/// What is computed where that is not as stated: pattern, scheme, p, a, percent, give or take how much, why.
const KNOWN: [(Pattern, usize, u32, u32, f64, f64, &str); 5] = [
    (Pattern::Shift, ANY, 2, 3, 31.6, 2.4, UNBALANCED),
    (Pattern::Nearest, ANY, 2, 3, 25.7, 2.4, UNBALANCED),
    (Pattern::Nearest, ANY, 6, 12, 29.9, 0.5, END),
    (Pattern::Nearest, RESTRICTED, 6, 12, 24.3, 0.5, BOTH_SIDES),
    (Pattern::Nearest, RESTRICTED, 7, 14, 20.5, 0.5, BOTH_SIDES),
];

/// The curves of Figure 3 as numbers.
pub(super) fn findings(pattern: Pattern, point: &Point) -> Vec<Finding> {
    let cell = |(s, throughput): (usize, Estimate)| {
        let finding = percent(Finding::new(pattern.item(), &point.system.row(), SCHEMES[s].head), throughput);
        let Some((least, below, words)) = stated(pattern, s, &point.system) else { return finding };
        let holds = finding.computed.is_some_and(|x| (least..below).contains(&x));
        let finding = Finding {
            published: Some(Published::Text(words.into())),
            verdict: if holds { Verdict::Match } else { Verdict::Differs },
            ..finding
        };
        let here = |k: &&(Pattern, usize, u32, u32, f64, f64, &str)| {
            (k.0, k.1, k.2, k.3) == (pattern, s, point.system.p, point.system.a)
        };
        match KNOWN.iter().find(here) {
            Some(&(.., value, within, why)) => finding.deviates(value, within, why),
            None => finding,
        }
    };
    (0..).zip(point.simulated).map(cell).collect()
}

/// Figures 3a to 3f, two in one.
pub(super) fn figure(pattern: Pattern, points: &[Point]) -> Figure {
    let series = |name: &str, y: &dyn Fn(&Point) -> f64, half: &dyn Fn(&Point) -> Option<f64>| Series {
        name: name.into(),
        points: points
            .iter()
            .enumerate()
            .map(|(tick, p)| {
                let (y, half) = (100.0 * y(p), half(p).map(|half| 100.0 * half));
                Dot { tick: tick as f64, y, range: half.map(|half| (y - half, y + half)), published: None }
            })
            .collect(),
    };
    let mut all: Vec<Series> = Vec::new();
    for (s, scheme) in SCHEMES.iter().enumerate() {
        let name = scheme.head.replace("ValiantRestricted, random groups", "random groups");
        let half = |p: &Point| Some(p.simulated[s].half).filter(|half| half.is_finite());
        all.push(series(&name, &|p| p.simulated[s].mean, &half));
    }
    all.push(series("3/(4p)", &|p| p.model.estimate, &|_| None));
    all.push(series("busiest link", &|p| p.worst_link, &|_| None));
    all.push(series("uniform limit", &|_| 0.5, &|_| None));
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
        ticks: points.iter().map(|p| p.system.endpoints().to_string()).collect(),
        log: false,
        series: all,
    }
}
