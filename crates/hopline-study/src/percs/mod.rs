//! "Mapping strategies for the PERCS architecture" (Chakaravarthy et al., HiPC
//! 2012, arXiv 1208.2849): Tables I to IV, equations (1) to (6), the claims in
//! words, Lemma 4.1 with Figure 2, and what lies beyond the paper.

mod beyond;
mod claims;
mod coloring;
mod equations;
mod order;
mod shapes;
mod tables;
mod variants;

use super::machine::Machine;
use super::{Options, Reproduction};
use crate::tell;
use hopline::entry::Entry;
use hopline::error::Result;
use hopline::event::{Event, Observer};
use hopline::loads::Summary;

pub(super) const ENTRY: Entry = Entry {
    name: "percs",
    summary: "Mapping Strategies for the PERCS Architecture (Chakaravarthy et al.)",
    doc: "Tables I to IV cell by cell, with bottlenecks; random cells over 200 seeds (--quick: 50) with the percentile of \
          the published value. The check of section VI-A. Equations (1) to (6) on every system of 16 to 512 supernodes \
          (--quick: to 64) and every grid whose sides are powers of two. The claims in words. Lemma 4.1 by brute force, \
          and Figure 2.\nSource: the PERCS mapping paper.",
    example: "percs",
    params: &[],
};

const NOTES: [&str; 8] = [
    "throughput is 4 x bandwidth / max load in GB/s per node; tables print it as whole numbers, halves to the even one \
     (2.5 as 2, 106.67 as 107)",
    "a deterministic cell matches when its printed value and the class of links that limits it are the published ones",
    "a random cell matches when the published value can be that of a random mapping (Student's t against our sample), or where \
     no mapping of ours prints it the mean of two, and the class of links that limits most of them is the published one. The \
     error level is 5 % for all random cells of the four tables together; every cell has draws of its own, and the cells \
     of a column that D links limit, which scale with n_d from one draw of the paper's, count as one test",
    "the halo wraps around; the tasks of a node talk for free; an L hop from a node to itself is skipped, not charged",
    "in indirect routing every supernode serves as intermediate, source and destination included, as the tables \
     and equation (5) count them; section V speaks of one different from both, and so do the items of section V-D (the item \
     `Table III as section V words it` shows the difference)",
    "blocks: 2x2 in a node, 4x8 in a drawer, 8x16 in a supernode, in row-major order; Transpose counts the message of a \
     task to itself, which costs nothing",
    "an equation stands for shapes where the condition holds that the paper states with it: (1), (2) and (5) for blocks whose four \
     neighbours are in other supernodes, (2) in four distinct ones; what is computed elsewhere is ours, and must be as derived",
    "hybrid takes the better of row and column by evaluation; the paper says by grid size",
];

/// The study whole.
pub(super) fn run(options: &Options, observer: &mut dyn Observer) -> Result<Reproduction> {
    let mut findings = Vec::new();
    let mut figures = Vec::new();
    let mut step = |what: &str| tell(observer, Event::Stage { what: what.into(), steps: 0 });
    for table in &tables::TABLES {
        step(table.item)?;
        let cells = tables::run(table, options)?;
        figures.push(tables::figure(table, &cells));
        findings.extend(cells);
    }
    step("section VI")?;
    findings.extend(order::findings(&findings));
    findings.extend(variants::without_middle_hop(&findings, options)?);
    findings.extend(variants::other_intermediates(options)?);
    step("equations")?;
    let systems = equations::evaluated(options)?;
    findings.extend(equations::findings(systems));
    step("claims")?;
    findings.extend(claims::findings(systems, options)?);
    step("colourings")?;
    findings.extend(coloring::findings());
    step("beyond the paper")?;
    findings.extend(beyond::findings(options)?);
    findings.extend(shapes::findings(options)?);
    let notes = NOTES.iter().map(ToString::to_string).collect();
    Ok(Reproduction::new(&ENTRY, options, notes, findings, figures))
}

/// The task grid of a system: P x Q with P <= Q, as square as powers of two allow.
fn grid(ns: u32) -> (u32, u32) {
    let p = 1 << ((128 * ns).ilog2() / 2);
    (p, 128 * ns / p)
}

fn machine(ns: u32, nd: u32) -> Result<Machine> {
    Machine::new(&format!("percs:ns={ns},nd={nd}"))
}

/// Throughput as the tables print it. Sums of binary fractions may miss a half
/// by a last bit, which must not decide.
fn printed(throughput: f64) -> f64 {
    ((throughput * 1e9).round() / 1e9).round_ties_even()
}

/// Throughput and bottleneck; 0 where no link carries anything.
fn cell(summary: &Summary) -> (f64, &str) {
    (summary.throughput_gb_s.unwrap_or(0.0), summary.bottleneck.as_deref().unwrap_or("-"))
}

/// The throughput that a class of links alone would allow.
fn class(summary: &Summary, name: &str) -> f64 {
    let class = summary.classes.iter().find(|c| c.name == name);
    class.and_then(|c| c.throughput_gb_s).unwrap_or(f64::INFINITY)
}

/// Equal but for rounding.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}
