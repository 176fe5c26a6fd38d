//! Loads of all links of a class, largest first, and how many links have which load.

use super::Part;
use super::html::{self, Cell};
use super::job::{Job, View};
use crate::chart::{Axis, Chart, Curve, Dot};
use crate::words::percent;
use hopline::id::{ClassId, LinkId};

/// Points of a curve: enough for every step that can be seen.
const POINTS: usize = 240;
/// Bars of the distribution.
const BINS: usize = 20;
/// Where fewer than one of so many links carry anything, curves are of those alone.
const FEW: usize = 10;
const USED: &str = "links that carry something, % of their class's";

pub(super) fn parts(job: &Job<'_>) -> Vec<Part> {
    let classes: Vec<ClassId> = (0..job.fabric.classes().len() as u32)
        .map(ClassId)
        .filter(|&c| job.fabric.class(c).bandwidth.is_some() && !of(job, &job.views[0], c).is_empty())
        .collect();
    if classes.is_empty() {
        return Vec::new();
    }
    let idle = idle(job, &classes);
    vec![sorted(job, &classes, idle.as_deref()), distribution(job, &classes, idle.as_deref())]
}

/// Busy times of a class, largest first.
fn of(job: &Job<'_>, view: &View, class: ClassId) -> Vec<f64> {
    let links = job.fabric.link_ids().filter(|&l: &LinkId| job.fabric.class_id(l) == class);
    let mut busy: Vec<f64> = links.map(|l| job.busy(view, l)).collect();
    busy.sort_by(|a, b| b.total_cmp(a));
    busy
}

fn each<'a>(job: &'a Job<'_>, classes: &'a [ClassId]) -> impl Iterator<Item = (String, Vec<f64>)> + 'a {
    let one = |view: &'a View, class: ClassId| {
        let name = &job.fabric.class(class).name;
        let name = if job.views.len() > 1 { format!("{name}, {}", view.name) } else { name.clone() };
        (name, of(job, view, class))
    };
    classes.iter().flat_map(move |&c| job.views.iter().map(move |v| one(v, c)))
}

/// Links that carry anything, of those of a class.
fn used(busy: &[f64]) -> usize {
    busy.iter().filter(|b| **b > 0.0).count()
}

/// How many links of all are idle, under every mapping by itself, where that is nearly all: curves of them would be one line.
fn idle(job: &Job<'_>, classes: &[ClassId]) -> Option<String> {
    let counts = each(job, classes).map(|(_, busy)| (used(&busy), busy.len()));
    let (used, all) = counts.fold((0, 0), |(used, all), (u, a)| (used + u, all + a));
    let views = job.views.len().max(1);
    let words = format!("{} of {} links carry nothing and are left out.", (all - used) / views, all / views);
    (used > 0 && used < all / FEW).then_some(words)
}

fn sorted(job: &Job<'_>, classes: &[ClassId], idle: Option<&str>) -> Part {
    let (name, show) = job.busy_word();
    let (mut curves, mut rows) = (Vec::new(), Vec::new());
    for (name, busy) in each(job, classes) {
        let count = busy.len();
        let used = used(&busy);
        let drawn = if idle.is_some() { used } else { count };
        let at = |k: usize| Dot::new(100.0 * k as f64 / (drawn - 1).max(1) as f64, busy[k]);
        let dots = (0..drawn).step_by(drawn.div_ceil(POINTS).max(1)).chain(drawn.checked_sub(1)).map(at).collect();
        // What is left out of the curves is left out of what is said of them.
        let told = drawn.max(1);
        let mean = busy.iter().sum::<f64>() / told as f64;
        let part = |share: f64| busy[((told - 1) as f64 * share) as usize];
        let cell = |v: f64| Cell::number(v, show(v));
        rows.push(vec![
            Cell::word(name.clone()),
            Cell::number(count as f64, count.to_string()),
            Cell::number(used as f64, percent(used as f64 / count as f64)),
            cell(busy[0]),
            cell(part(0.01)),
            cell(part(0.1)),
            cell(part(0.5)),
            cell(mean),
            Cell::maybe((mean > 0.0).then_some(busy[0] / mean), hopline::unit::times),
        ]);
        if drawn > 0 {
            curves.push(Curve { name, dots, joined: true });
        }
    }
    let limited =
        classes.iter().map(|&c| of(job, &job.views[job.views.len() - 1], c)).max_by(|a, b| a[0].total_cmp(&b[0]));
    let told = |busy: &[f64]| if idle.is_some() { used(busy) } else { busy.len() };
    let mean = limited.map(|busy| busy.iter().sum::<f64>() / told(&busy).max(1) as f64);
    let mut levels: Vec<(String, f64)> =
        mean.map(|m| ("mean of the class that limits".to_string(), m)).into_iter().collect();
    levels.extend(job.bound.map(|b| ("no mapping below".to_string(), b)));
    let chart = Chart {
        title: "Links of each class, the busiest first".into(),
        x: Axis::numbers(if idle.is_some() { USED } else { "links, % of their class" }, hopline::unit::short),
        y: Axis::numbers(name, show).measured(job.busy_unit()),
        curves,
        levels,
    };
    let heads =
        ["class", "links", "used", "busiest", "busiest 1 %", "busiest 10 %", "median", "mean", "busiest / mean"];
    let of = if idle.is_some() { "Loads by class, of links that carry something" } else { "Loads by class" };
    let table = html::table(of, &heads, rows);
    let caption = format!("A flat curve is a balanced class. {}", idle.unwrap_or("")).trim_end().to_string();
    Part::new("Loads of links, sorted", html::figure(&chart.svg(), &caption) + &table).shows(chart)
}

fn distribution(job: &Job<'_>, classes: &[ClassId], idle: Option<&str>) -> Part {
    let (name, show) = job.busy_word();
    let most = job.most();
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut curves = Vec::new();
    for (name, mut busy) in each(job, classes) {
        busy.truncate(if idle.is_some() { used(&busy) } else { busy.len() });
        if busy.is_empty() {
            continue;
        }
        let mut bins = [0usize; BINS];
        busy.iter().for_each(|b| bins[((b / most * BINS as f64) as usize).min(BINS - 1)] += 1);
        let share = |n: usize| 100.0 * n as f64 / busy.len() as f64;
        // Steps: a bin from its left to its right end.
        let ends = |(k, &n): (usize, &usize)| [k, k + 1].map(|e| Dot::new(e as f64 * most / BINS as f64, share(n)));
        curves.push(Curve { name: name.clone(), dots: bins.iter().enumerate().flat_map(ends).collect(), joined: true });
        for (k, &n) in bins.iter().enumerate().filter(|b| *b.1 > 0) {
            let edge = |e: usize| show(e as f64 * most / BINS as f64);
            rows.push(vec![
                Cell::word(name.clone()),
                Cell::number(k as f64, format!("{} to {}", edge(k), edge(k + 1))),
                Cell::number(n as f64, n.to_string()),
                Cell::number(share(n), percent(share(n) / 100.0)),
            ]);
        }
    }
    let chart = Chart {
        title: "How many links have which load".into(),
        x: Axis::numbers(name.clone(), show).measured(job.busy_unit()),
        y: Axis::numbers(if idle.is_some() { USED } else { "links of the class, %" }, hopline::unit::short),
        curves,
        levels: Vec::new(),
    };
    let of = if idle.is_some() { "of those used" } else { "of the class" };
    let table = html::table("Links by load", &["class", &name, "links", of], rows);
    let figure = html::figure(&chart.svg(), idle.unwrap_or(""));
    Part::new("Distribution of loads", figure + &html::details("As numbers", &table)).shows(chart)
}
