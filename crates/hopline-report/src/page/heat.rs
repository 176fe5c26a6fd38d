//! Heat maps: a coarse one as SVG for those without scripts, and every cell for the canvas of those with them.

use super::Part;
use super::fabric::digits;
use super::job::{STEPS, step};
use hopline::demand::Unit;
use hopline::format::escape;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Cells of the SVG along each side.
const COARSE: u32 = 64;
/// A map of which less than one of so many rows and columns holds anything is drawn without the others.
const SPARSE: usize = 4;
/// Runs of equal cells in a page: more are merged first.
const MOST_RUNS: usize = 40_000;

/// A square of values, who to whom.
pub(super) struct Heat {
    pub(super) title: String,
    /// Cells along each side.
    pub(super) size: u32,
    /// How many things stand in one cell along each side.
    pub(super) merged: u32,
    pub(super) cells: BTreeMap<(u32, u32), f64>,
    /// What stands along the sides.
    pub(super) down: String,
    pub(super) across: String,
    /// Names along the sides; empty for numbers.
    pub(super) names: Vec<String>,
    pub(super) bytes: bool,
    /// True where small amounts must show beside large ones.
    pub(super) log: bool,
}

/// Cells that are alike.
struct Run {
    /// How many are empty before them.
    gap: u64,
    count: u64,
    value: Value,
}

impl Heat {
    fn most(&self) -> f64 {
        self.cells.values().copied().fold(0.0, f64::max)
    }

    /// The same with so many times fewer cells along each side: sums of amounts, the largest of shares.
    fn coarser(&self, times: u32) -> Heat {
        let mut cells = BTreeMap::new();
        for ((r, c), v) in &self.cells {
            let cell = cells.entry((r / times, c / times)).or_insert(0.0);
            *cell = if self.log { *cell + v } else { v.max(*cell) };
        }
        Heat {
            title: self.title.clone(),
            size: self.size.div_ceil(times),
            merged: self.merged * times,
            cells,
            down: self.down.clone(),
            across: self.across.clone(),
            names: if times == 1 { self.names.clone() } else { Vec::new() },
            ..*self
        }
    }

    /// The same with these rows and columns alone, in their order.
    fn kept(&self, kept: &BTreeSet<u32>) -> Heat {
        let number: BTreeMap<u32, u32> = kept.iter().copied().zip(0..).collect();
        let cells = self.cells.iter().filter_map(|((r, c), v)| Some(((*number.get(r)?, *number.get(c)?), *v)));
        Heat {
            title: self.title.clone(),
            size: kept.len() as u32,
            cells: cells.collect(),
            down: self.down.clone(),
            across: self.across.clone(),
            names: kept.iter().filter_map(|k| self.names.get(*k as usize).cloned()).collect(),
            ..*self
        }
    }

    /// Cells one after the other, a row after the other.
    fn runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let mut next = 0;
        for ((row, column), value) in self.cells.iter().filter(|c| *c.1 > 0.0) {
            let at = u64::from(*row) * u64::from(self.size) + u64::from(*column);
            let value = digits(*value);
            match runs.last_mut() {
                Some(last) if at == next && last.value == value => last.count += 1,
                _ => runs.push(Run { gap: at - next, count: 1, value }),
            }
            next = at + 1;
        }
        runs
    }

    /// What the script draws.
    fn data(&self, most: f64) -> Value {
        let runs = self.runs();
        let cells: Vec<Value> =
            runs.into_iter().flat_map(|run| [json!(run.gap), json!(run.count), run.value]).collect();
        json!({ "size": self.size, "merged": self.merged, "cells": cells, "names": self.names, "down": self.down,
            "across": self.across, "bytes": self.bytes, "log": self.log, "most": most, "title": self.title })
    }

    fn svg(&self, most: f64) -> String {
        let level = if self.log { level } else { step };
        let mut paths = vec![String::new(); STEPS];
        for ((row, column), value) in self.cells.iter().filter(|c| *c.1 > 0.0) {
            let _ = write!(paths[level(value / most)], "M{column} {row}h1v1h-1z");
        }
        let mut s = String::new();
        for (k, path) in paths.iter().enumerate().filter(|p| !p.1.is_empty()) {
            let _ = write!(s, "<path class=\"s{k}\" d=\"{path}\"/>");
        }
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"heat\" viewBox=\"0 0 {0} {0}\" role=\"img\" \
             shape-rendering=\"crispEdges\" aria-label=\"{1}\"><title>{1}</title>{s}</svg>",
            self.size.max(1),
            escape(&self.title)
        )
    }

    /// The largest cells in words.
    fn largest(&self) -> String {
        let mut cells: Vec<(&(u32, u32), &f64)> = self.cells.iter().collect();
        cells.sort_by(|a, b| b.1.total_cmp(a.1).then(a.0.cmp(b.0)));
        let name = |i: u32| {
            self.names.get(i as usize).cloned().unwrap_or_else(|| match self.merged {
                1 => i.to_string(),
                n => format!("{}-{}", i * n, (i + 1) * n - 1),
            })
        };
        let unit = if self.bytes { Unit::Bytes } else { Unit::Units };
        let one = |((r, c), v): &(&(u32, u32), &f64)| {
            format!("{} to {}: {}", name(*r), name(*c), crate::words::amount(unit, **v))
        };
        let most: Vec<String> = cells.iter().take(5).map(one).collect();
        if most.is_empty() { "nothing".to_string() } else { format!("most: {}", most.join("; ")) }
    }
}

/// The colour of a share of the largest: each step down is a third of what is above it, so that small amounts show.
fn level(share: f64) -> usize {
    if share > 0.0 { step(1.0 + share.log10() / 3.5).max(1) } else { 0 }
}

/// Every map with so many times fewer cells along each side.
fn coarser(maps: &[Heat], times: u32) -> Vec<Heat> {
    maps.iter().map(|m| m.coarser(times)).collect()
}

/// Every map with as many times fewer cells as all need to fit into a page.
fn fitting(maps: &[Heat]) -> Vec<Heat> {
    let mut times = 1;
    loop {
        let all = coarser(maps, times);
        if all.iter().all(|m| m.size <= COARSE || m.runs().len() <= MOST_RUNS) {
            return all;
        }
        times *= 2;
    }
}

/// Every map without the rows and columns that hold nothing in any of them, where these are most of all and have names.
fn filled(maps: &[Heat]) -> Option<Vec<Heat>> {
    let used: BTreeSet<u32> = maps.iter().flat_map(|m| m.cells.keys()).flat_map(|(r, c)| [*r, *c]).collect();
    let named =
        |m: &Heat| m.names.len() == m.size as usize && (2..m.names.len().div_ceil(SPARSE)).contains(&used.len());
    maps.iter().all(named).then(|| maps.iter().map(|m| m.kept(&used)).collect())
}

/// One scale for all, so that before and after can be compared.
fn most(maps: &[Heat]) -> f64 {
    maps.iter().map(Heat::most).fold(0.0, f64::max)
}

/// Maps side by side.
pub(super) fn part(title: &str, words: &str, maps: &[Heat]) -> Option<Part> {
    if most(maps) <= 0.0 {
        return None;
    }
    let mut s = super::html::paragraph(words);
    let kept = filled(maps);
    if let Some((kept, all)) = kept.as_ref().and_then(|kept| kept.first()).zip(maps.first()) {
        let (used, all) = (kept.size, all.size);
        s.push_str(&super::html::paragraph(&format!(
            "{used} of {all} send or receive anything; the others are left out."
        )));
    }
    let maps = kept.as_deref().unwrap_or(maps);
    let times = maps.iter().map(|m| m.size.div_ceil(COARSE)).max().unwrap_or(1).max(1);
    let (coarse, fine) = (coarser(maps, times), fitting(maps));
    s.push_str(&super::job::scale(&scale(&coarse)));
    s.push_str("<div class=\"side\">\n");
    for (k, (map, coarse_map)) in maps.iter().zip(&coarse).enumerate() {
        let _ = writeln!(
            s,
            "<figure class=\"map\" data-map=\"{k}\">{}<figcaption>{}: {} down, {} across, {} x {}; {}</figcaption></figure>",
            coarse_map.svg(most(&coarse)),
            escape(&map.title),
            escape(&map.down),
            escape(&map.across),
            map.size,
            map.size,
            escape(&map.largest())
        );
    }
    s.push_str("</div>\n");
    let maps: Vec<Value> = fine.iter().map(|m| m.data(most(&fine))).collect();
    Some(Part::new(title, s).with(json!({ "kind": "heat", "maps": maps, "scale": scale(&fine) })))
}

/// What the darkest step stands for, and how the others follow.
fn scale(maps: &[Heat]) -> String {
    let unit = if maps.iter().any(|m| m.bytes) { Unit::Bytes } else { Unit::Units };
    let steps = if maps.iter().any(|m| m.log) { "; each step is about a third of the next" } else { "" };
    format!("{}{steps}", crate::words::amount(unit, most(maps)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(size: u32, log: bool, cells: impl IntoIterator<Item = ((u32, u32), f64)>) -> Heat {
        Heat {
            title: "t".into(),
            size,
            merged: 1,
            cells: cells.into_iter().collect(),
            down: "from".into(),
            across: "to".into(),
            names: Vec::new(),
            bytes: false,
            log,
        }
    }

    #[test]
    fn merged_cells_have_the_largest_share_or_the_sum_of_amounts() {
        let cells = [((0, 0), 0.25), ((0, 1), 0.75), ((1, 1), 0.5), ((2, 2), 0.125)];
        let merged = |log: bool| {
            let coarse = map(3, log, cells).coarser(2);
            assert_eq!((coarse.size, coarse.merged), (2, 2));
            coarse.cells.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(merged(false), [((0, 0), 0.75), ((1, 1), 0.125)]);
        assert_eq!(merged(true), [((0, 0), 1.5), ((1, 1), 0.125)]);
    }

    #[test]
    fn rows_without_anything_are_left_out_where_most_are() {
        let names = |count: usize| (0..count).map(|i| format!("n{i}")).collect::<Vec<_>>();
        let cells = [((3, 90), 2.0), ((90, 3), 1.0)];
        let sparse = filled(&[
            Heat { names: names(100), ..map(100, true, cells) },
            Heat { names: names(100), ..map(100, true, []) },
        ]);
        let sparse = sparse.expect("2 of 100");
        assert_eq!((sparse[0].size, &sparse[0].names), (2, &vec!["n3".to_string(), "n90".into()]));
        assert_eq!(sparse[0].cells.iter().map(|c| (*c.0, *c.1)).collect::<Vec<_>>(), [((0, 1), 2.0), ((1, 0), 1.0)]);
        assert_eq!(sparse[1].size, 2);
        assert!(filled(&[Heat { names: names(8), ..map(8, true, [((0, 1), 1.0)]) }]).is_none());
    }

    /// However many cells are merged, for the picture and for the script.
    #[test]
    fn maps_side_by_side_have_one_scale_and_one_size() {
        let full = |of: f64| {
            let at = |i: u32| ((i / 256, i % 256), of * f64::from(1 + i % 7));
            map(256, true, (0..256 * 256).map(at))
        };
        let sparse = map(256, true, [((0, 0), 1.0), ((255, 255), 5.0)]);
        let part = part("t", "", &[full(1.0), sparse]).expect("maps");
        let data = part.data.expect("data");
        let [a, b] = &data["maps"].as_array().expect("maps")[..] else { panic!("two maps") };
        assert_eq!((&a["size"], &a["merged"], &a["most"]), (&b["size"], &b["merged"], &b["most"]));
        assert!(a["size"].as_u64() < Some(256), "{}", a["size"]);
        // The same amount has the same colour in both pictures: 16 cells of the first are darker than one of the second.
        let pictures: Vec<&str> = part.html.split("<svg ").skip(1).collect();
        assert!(pictures[0].contains("class=\"s7\"") && !pictures[1].contains("class=\"s7\""), "{}", part.html);
    }
}
