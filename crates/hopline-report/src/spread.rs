//! Loads in the terminal: how many links of a class have which load, and which leaf or group is hot.

use super::page::{Job, View};
use super::shades::{ShadedRow, shades};
use super::text::Text;
use hopline::fabric::Level;
use hopline::id::{ClassId, LinkId};

/// Columns of a histogram.
const BINS: usize = 20;
/// Heights of a column; nothing is a dot.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// A strip and its name fit the narrowest terminals.
const LINE: usize = 74;
/// Narrower levels are no strip.
const PARTS: u32 = 4;

/// A histogram for each class of links between routers, under each mapping; and the busiest link of every part of the
/// innermost level.
pub fn spread(job: &Job<'_>) -> Text {
    let mut text = Text::new();
    let most = job.most();
    let classes: Vec<ClassId> = (0..job.fabric.classes().len() as u32)
        .map(ClassId)
        .filter(|&c| !job.fabric.class(c).host && job.fabric.class(c).bandwidth.is_some())
        .collect();
    let mut rows: Vec<(String, String)> = Vec::new();
    for &class in &classes {
        for view in job.views {
            if let Some(bars) = histogram(job, view, class, most) {
                rows.push((called(job, view, &job.fabric.class(class).name), bars));
            }
        }
    }
    if rows.is_empty() {
        return text;
    }
    let width = rows.iter().map(|r| r.0.chars().count()).max().unwrap_or(0);
    text.line(format!("links between routers by load, from 0 to 100 % of the busiest link {}:", in_words(job, most)));
    rows.iter().for_each(|(name, bars)| text.line(format!("  {name:width$}  {bars}")));
    if let Some(level) = job.fabric.levels().iter().find(|l| (PARTS..job.fabric.endpoints()).contains(&l.parts)) {
        let names: Vec<String> = job.views.iter().map(|view| called(job, view, "")).collect();
        let room = LINE - names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(LINE / 2);
        // Of neighbours that share a place the busiest is shown.
        let step = (level.parts as usize).div_ceil(room);
        let merged =
            |view: &View| strip(job, view, level).chunks(step).map(|c| c.iter().copied().fold(0.0, f64::max)).collect();
        let strips: Vec<(String, Vec<f64>)> = names.into_iter().zip(job.views.iter().map(merged)).collect();
        let each = if step > 1 { format!("{step} parts of level {}", level.name) } else { level.name.clone() };
        text.line(format!("busiest link of each {each}, from . (nothing) to # (80 to 100 %):"));
        let mut shaded = Text::new();
        shades(&mut shaded, strips.iter().map(|(name, values)| ShadedRow { name, values, most }));
        text.indented(shaded);
    }
    text
}

/// A row's name: what it is, and under which mapping where there are two.
fn called(job: &Job<'_>, view: &View, what: &str) -> String {
    match (job.views.len() > 1, what) {
        (true, "") => view.name.clone(),
        (true, what) => format!("{what}, {}", view.name),
        (false, what) => what.to_string(),
    }
}

fn in_words(job: &Job<'_>, most: f64) -> String {
    let (name, show) = job.busy_word();
    format!("({name} {})", show(most))
}

/// Columns as high as the part of the links that have such a load; none where nothing loads the class.
fn histogram(job: &Job<'_>, view: &View, class: ClassId, most: f64) -> Option<String> {
    let mut bins = [0usize; BINS];
    let of_class = |l: &LinkId| job.fabric.class_id(*l) == class;
    for link in job.fabric.link_ids().filter(of_class) {
        bins[((job.busy(view, link) / most * BINS as f64 - 1e-9).max(0.0) as usize).min(BINS - 1)] += 1;
    }
    let highest = bins.iter().copied().max().filter(|n| *n > 0)?;
    let bar = |&n: &usize| match n {
        0 => '.',
        n => BARS[(n * BARS.len()).div_ceil(highest) - 1],
    };
    Some(bins.iter().map(bar).collect())
}

/// The busiest link between routers that leaves or enters each part.
fn strip(job: &Job<'_>, view: &View, level: &Level) -> Vec<f64> {
    let mut hottest = vec![0.0f64; level.parts as usize];
    for link in job.fabric.link_ids().filter(|&l| !job.fabric.is_host_link(l)) {
        for end in [job.fabric.source(link), job.fabric.target(link)] {
            let part = super::page::part_of(job.fabric, level, end);
            if let Some(hot) = part.and_then(|p| hottest.get_mut(p as usize)) {
                *hot = hot.max(job.busy(view, link));
            }
        }
    }
    hottest
}
