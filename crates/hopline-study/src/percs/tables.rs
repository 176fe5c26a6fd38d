//! Tables I to IV, as printed.

use super::claims::{FAR, tolerance};
use super::{cell, grid, machine, printed};
use crate::sample::{Sample, seeds};
use crate::{Figure, Finding, Options, Point, Published, Series, Verdict};
use hopline::error::Result;
use rayon::prelude::*;

/// A cell as printed: throughput, and the class of links that limits it.
type Cell = (u32, &'static str);

const fn d(value: u32) -> Cell {
    (value, "D")
}

const fn lr(value: u32) -> Cell {
    (value, "LR")
}

const fn ll(value: u32) -> Cell {
    (value, "LL")
}

pub(super) struct Table {
    pub(super) item: &'static str,
    title: &'static str,
    pattern: &'static str,
    routing: &'static str,
    /// What changes from row to row.
    vary: Vary,
    /// Heads and mappings.
    pub(super) columns: &'static [(&'static str, &'static str)],
    pub(super) rows: &'static [(u32, &'static [Cell])],
    /// Cells that are known to differ.
    known: &'static [Known],
}

/// What is computed in a cell that is not as published.
struct Known {
    row: u32,
    column: &'static str,
    /// The throughput: its mean and standard deviation over 300 other mappings.
    value: (f64, f64),
    /// Of a random cell whose throughput agrees: the percent of those mappings that the published class limits.
    share: Option<f64>,
    why: &'static str,
}

/// Mappings that the means below are of.
const KNOWN: f64 = 300.0;

/// Of a mean of several mappings.
const ONE_CLASS: &str = "the published value is a mean, the published class that of some of its mappings";

#[derive(Clone, Copy, PartialEq)]
enum Vary {
    /// D links, with so many supernodes.
    Nd(u32),
    /// Supernodes, with so many D links.
    Ns(u32),
}

impl Table {
    /// Supernodes and D links of a row.
    fn system(&self, row: u32) -> (u32, u32) {
        match self.vary {
            Vary::Nd(ns) => (ns, row),
            Vary::Ns(nd) => (row, nd),
        }
    }

    pub(super) fn key(&self) -> &'static str {
        match self.vary {
            Vary::Nd(_) => "nd",
            Vary::Ns(_) => "ns",
        }
    }
}

const HALO: &[(&str, &str)] = &[
    ("DEF", "default"),
    ("DRW SEQ", "drawer-sequential"),
    ("DRW RND", "drawer-random"),
    ("SN SEQ", "supernode-sequential"),
    ("SN RND", "supernode-random"),
    ("MOD CLR", "mod-coloring"),
];

pub(super) const TABLES: [Table; 4] = [
    Table {
        item: "Table I",
        title: "Halo, 32 supernodes, direct routing",
        pattern: "halo",
        routing: "direct",
        vary: Vary::Nd(32),
        columns: HALO,
        rows: &[
            (1, &[d(2), d(5), d(8), d(10), d(10), d(20)]),
            (2, &[d(5), d(10), d(16), d(20), d(20), d(40)]),
            (4, &[d(10), d(20), d(33), d(40), d(40), lr(64)]),
            (8, &[d(20), d(40), d(66), d(80), d(80), lr(107)]),
            (16, &[d(40), d(80), lr(120), d(160), lr(128), lr(160)]),
        ],
        known: &[Known { row: 16, column: "DRW RND", value: (115.4, 13.6), share: Some(5.3), why: ONE_CLASS }],
    },
    Table {
        item: "Table II",
        title: "Halo, 4 D links, direct routing",
        pattern: "halo",
        routing: "direct",
        vary: Vary::Ns(4),
        columns: HALO,
        rows: &[
            (16, &[d(10), d(20), d(29), d(40), d(40), lr(64)]),
            (32, &[d(10), d(20), d(33), d(40), d(40), lr(64)]),
            (64, &[d(5), d(20), d(37), d(40), d(40), lr(64)]),
            (128, &[d(5), d(10), d(38), d(40), d(40), lr(64)]),
        ],
        known: &[Known {
            row: 128,
            column: "DRW SEQ",
            value: (20.0, 0.0),
            share: None,
            why: "a misprint: four blocks of 4x8 side by side make a strip of 4x32 in each supernode, which sends 8 units to \
                  the strip above and to that below whatever n_s is, over 4 D links: 4*10*4/8 = 20, as in the rows above",
        }],
    },
    Table {
        item: "Table III",
        title: "Halo, 32 supernodes, indirect routing",
        pattern: "halo",
        routing: "indirect",
        vary: Vary::Nd(32),
        columns: HALO.split_at(5).0,
        rows: &[
            (1, &[d(20), d(36), d(27), d(53), d(53)]),
            (2, &[lr(34), lr(58), d(53), lr(91), lr(96)]),
            (4, &[d(80), ll(128), d(107), ll(134), lr(174)]),
            (8, &[ll(103), ll(93), ll(127), lr(183), ll(167)]),
            (16, &[ll(64), ll(179), ll(103), ll(168), ll(148)]),
        ],
        known: &[Known { row: 4, column: "SN RND", value: (173.9, 6.2), share: Some(9.3), why: ONE_CLASS }],
    },
    Table {
        item: "Table IV",
        title: "Transpose, 32 supernodes, direct routing",
        pattern: "transpose",
        routing: "direct",
        vary: Vary::Nd(32),
        columns: &[("SN SEQ", "supernode-sequential"), ("Hybrid", "hybrid")],
        rows: &[
            (1, &[d(2), d(20)]),
            (2, &[d(5), d(40)]),
            (4, &[d(10), d(80)]),
            (8, &[d(20), lr(80)]),
            (16, &[d(40), lr(80)]),
        ],
        known: &[],
    },
];

/// Error level of all random cells of the four tables together.
const LEVEL: f64 = 0.05;

/// That of one cell. Those of a column that D links limit scale with n_d from one draw, and are one test.
fn level() -> f64 {
    let tests = |table: &Table| -> usize {
        let random = (0..table.columns.len()).filter(|&c| is_random(table.columns[c].1));
        let column = |c: usize| {
            let d = table.rows.iter().filter(|(_, cells)| cells[c].1 == "D").count();
            let scaled = matches!(table.vary, Vary::Nd(_)) && d > 0;
            table.rows.len() - if scaled { d - 1 } else { 0 }
        };
        random.map(column).sum()
    };
    LEVEL / TABLES.iter().map(tests).sum::<usize>() as f64
}

fn is_random(mapping: &str) -> bool {
    mapping.ends_with("-random")
}

/// Throughput of one cell under a routing: one value, or one per seed.
pub(super) fn throughputs(
    table: &Table,
    routing: &str,
    row: u32,
    options: &Options,
) -> Result<Vec<Vec<(f64, String)>>> {
    let (ns, nd) = table.system(row);
    let machine = machine(ns, nd)?;
    let routing = machine.routing(routing)?;
    let (p, q) = grid(ns);
    let job = machine.job(&format!("{}:grid={p}x{q}", table.pattern))?;
    let one = |mapping: &str, seed: u64| {
        let summary = machine.evaluate(&*routing, &job, mapping, seed)?;
        let (throughput, class) = cell(&summary);
        Ok((throughput, class.to_string()))
    };
    let samples = if options.quick { 50 } else { 200 };
    let seeds = |mapping: &str| match is_random(mapping) {
        true => seeds(options.seed, &format!("{} {row} {mapping}", table.item), samples),
        false => vec![options.seed],
    };
    let columns = table.columns.iter();
    columns.map(|(_, m)| seeds(m).into_par_iter().map(|seed| one(m, seed)).collect()).collect()
}

/// What the paper calls the bottleneck, the most frequent of several.
pub(super) fn most_frequent(cells: &[(f64, String)]) -> String {
    let count = |class: &str| cells.iter().filter(|c| c.1 == class).count();
    ["D", "LR", "LL"].into_iter().max_by_key(|c| count(c)).unwrap_or("-").to_string()
}

/// The cells of a table under its own routing, beside the published ones.
pub(super) fn run(table: &Table, options: &Options) -> Result<Vec<Finding>> {
    let rows: Vec<Vec<Finding>> = table
        .rows
        .par_iter()
        .map(|(row, published)| {
            let cells = throughputs(table, table.routing, *row, options)?;
            let columns = table.columns.iter().zip(*published).zip(&cells);
            Ok(columns.map(|(((head, _), p), c)| compare(table, *row, head, *p, c)).collect())
        })
        .collect::<Result<_>>()?;
    Ok(rows.into_iter().flatten().collect())
}

fn compare(table: &Table, row: u32, head: &str, published: Cell, cells: &[(f64, String)]) -> Finding {
    let class = most_frequent(cells);
    let mut finding = Finding {
        published: Some(Published::Number(published.0.into())),
        published_bottleneck: Some(published.1.into()),
        bottleneck: Some(class.clone()),
        verdict: Verdict::Differs,
        ..Finding::new(table.item, &[(table.key(), row.into())], head)
    };
    let value = f64::from(published.0);
    let known = table.known.iter().find(|k| k.row == row && k.column == head);
    if let [(only, _)] = cells {
        finding.computed = Some(*only);
        if printed(*only) == value && class == published.1 {
            finding.verdict = Verdict::Match;
        }
        return match known {
            Some(known) => finding.deviates(known.value.0, known.value.1, known.why),
            None => finding,
        };
    }
    let sample = Sample::new(cells.iter().map(|c| c.0).collect());
    let as_printed = Sample::new(cells.iter().map(|c| printed(c.0)).collect());
    describe(&mut finding, &sample);
    finding.percentile = Some(as_printed.percentile(value));
    // What no mapping prints, such as 33, is a mean of several: of two at least.
    let draws = if cells.iter().any(|c| printed(c.0) == value) { 1 } else { 2 };
    if !sample.allows(value, 0.5, draws, level()) {
        return finding;
    }
    let share = 100.0 * cells.iter().filter(|c| c.1 == published.1).count() as f64 / cells.len() as f64;
    if class == published.1 {
        finding.verdict = Verdict::Match;
        return finding;
    }
    match known.and_then(|known| Some((known, known.share?))) {
        Some((known, usual)) if (share - usual).abs() <= FAR * deviation_of_share(usual, cells.len()) => {
            let why = format!("{} links limit {share:.0} % of the random mappings: {}", published.1, known.why);
            finding.deviates(known.value.0, tolerance(known.value.1, cells.len(), KNOWN), why)
        }
        _ => finding,
    }
}

/// Standard deviation of a percentage among so many.
fn deviation_of_share(percent: f64, of: usize) -> f64 {
    (percent * (100.0 - percent) / of as f64).sqrt()
}

/// Mean and spread of a random cell.
pub(super) fn describe(finding: &mut Finding, sample: &Sample) {
    finding.computed = Some(sample.mean());
    if sample.len() > 1 {
        finding.spread = Some(sample.spread());
        finding.range = Some(sample.range());
        finding.samples = Some(sample.len() as u32);
    }
}

/// The table as curves.
pub(super) fn figure(table: &Table, cells: &[Finding]) -> Figure {
    let at = |row: u32, head: &str| {
        let key = crate::Key::Number(row);
        cells.iter().find(|f| f.column == head && f.row == [(table.key(), key.clone())])
    };
    let point = |(tick, row): (usize, u32), head: &str| {
        let f = at(row, head)?;
        let published = if let Some(Published::Number(p)) = f.published { Some(p) } else { None };
        Some(Point { tick: tick as f64, y: f.computed?, range: f.range, published })
    };
    let rows: Vec<u32> = table.rows.iter().map(|r| r.0).collect();
    let series = table.columns.iter().map(|(head, _)| Series {
        name: head.to_string(),
        points: rows.iter().copied().enumerate().filter_map(|row| point(row, head)).collect(),
    });
    Figure {
        name: table.item.to_lowercase().replace(' ', "-"),
        title: format!("{}: {}", table.item, table.title),
        x: if table.key() == "nd" { "D links between two supernodes, n_d" } else { "supernodes, n_s" }.into(),
        y: "throughput, GB/s per node".into(),
        ticks: rows.iter().map(u32::to_string).collect(),
        log: true,
        series: series.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(published: Cell, cells: &[(f64, &str)]) -> Verdict {
        let cells: Vec<_> = cells.iter().map(|c| (c.0, c.1.to_string())).collect();
        compare(&TABLES[0], 1, "DEF", published, &cells).verdict
    }

    #[test]
    fn a_cell_matches_in_value_and_class_or_not_at_all() {
        assert_eq!(verdict(d(2), &[(2.5, "D")]), Verdict::Match);
        assert_eq!(verdict(d(3), &[(2.5, "D")]), Verdict::Differs);
        assert_eq!(verdict(lr(2), &[(2.5, "D")]), Verdict::Differs);
    }

    #[test]
    fn a_random_cell_must_lie_inside_its_samples() {
        let samples: Vec<(f64, &str)> = (0..100).map(|k| (f64::from(k), if k == 0 { "LR" } else { "D" })).collect();
        assert_eq!(verdict(d(50), &samples), Verdict::Match);
        assert_eq!(verdict(d(200), &samples), Verdict::Differs);
        assert_eq!(
            verdict(lr(50), &samples),
            Verdict::Differs,
            "the class limits few of them, and no cell of this name may"
        );
        assert_eq!(verdict(ll(50), &samples), Verdict::Differs, "the class limits none of them");
    }

    #[test]
    fn cells_that_scale_with_the_links_are_one_test() {
        // Table I has 2 draws of drawers and 2 of supernodes, Table II 4 and 4, Table III 3 and 5.
        assert!((LEVEL / level() - 20.0).abs() < 1e-9);
    }
}
