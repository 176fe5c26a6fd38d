//! Flits over time as CSV: a line for all packets of an interval, for each class of links, and for each link.

use hopline::fabric::Fabric;
use hopline::run::{FlitsOutcome, FlitsPoint, LinkInterval};
use hopline_sweep::ordered::line;

const HEAD: [&str; 11] = [
    "load",
    "from_cycle",
    "cycles",
    "class",
    "link",
    "accepted",
    "latency_cycles",
    "flits_per_cycle",
    "queue",
    "wait_cycles",
    "flit_hop_nj",
];

/// All points, interval by interval.
pub(super) fn csv(outcome: &FlitsOutcome, fabric: &Fabric) -> String {
    let mut text = line(HEAD.into_iter());
    for (point, links) in outcome.points.iter().zip(&outcome.links) {
        one(&mut text, point, links, fabric);
    }
    text
}

fn one(text: &mut String, point: &FlitsPoint, links: &[LinkInterval], fabric: &Fabric) {
    let number = |value: Option<f64>| value.map_or(String::new(), |v| v.to_string());
    let load = number(point.load);
    let mut links = links.chunk_by(|a, b| a.from_cycle == b.from_cycle);
    for interval in point.series.iter().flatten() {
        let (from, cycles) = (interval.from_cycle.to_string(), interval.cycles.to_string());
        let mut row = |class: &str, link: &str, figures: [Option<f64>; 6]| {
            let words = [load.as_str(), &from, &cycles, class, link].map(String::from);
            let cells = words.into_iter().chain(figures.map(number)).collect::<Vec<_>>();
            text.push_str(&line(cells.iter().map(String::as_str)));
        };
        row("", "", [Some(interval.accepted), interval.latency_cycles, None, None, None, None]);
        for c in &interval.classes {
            row(&c.name, "", [None, None, Some(c.mean_load), Some(c.mean_queue), c.wait_cycles, c.flit_hop_nj]);
        }
        for l in links.next().unwrap_or_default() {
            let (class, name) = (&fabric.class_of(l.link).name, fabric.link_name(l.link));
            let wait = (l.load > 0.0).then(|| l.queue / l.load);
            row(class, &name, [None, None, Some(l.load), Some(l.queue), wait, None]);
        }
    }
}
