//! Equations (1) to (6) beside the evaluator, on every system of 16 to 512
//! supernodes with at most 16 D ports on a node, and every grid P <= Q of its
//! tasks whose sides are powers of two.

use super::{class, machine, same};
use crate::{Finding, Options, Published, Verdict};
use hopline::error::Result;
use hopline::loads::Summary;
use hopline::mapping::is_perfect;
use rayon::prelude::*;
use std::sync::OnceLock;

/// What the evaluator gives for one grid on one system.
pub(super) struct Shape {
    pub(super) ns: u32,
    pub(super) nd: u32,
    pub(super) p: u32,
    pub(super) q: u32,
    /// Transpose by rows and by columns, under direct and under indirect routing.
    pub(super) transpose: [[Summary; 2]; 2],
    /// The same under indirect routing over other supernodes than the two ends, as section V words it.
    pub(super) apart: [Summary; 2],
    /// Halo in supernode blocks of 8x16, direct and indirect; none where the
    /// blocks do not divide the grid.
    pub(super) blocks: Option<[Summary; 2]>,
    /// Halo under mod-coloring, direct; none where Lemma 4.1 does not apply.
    pub(super) colored: Option<Summary>,
}

impl Shape {
    /// The better of rows and columns; routing 0 is direct, 1 indirect.
    pub(super) fn hybrid(&self, routing: usize) -> &Summary {
        better(&self.transpose[routing])
    }

    /// The better of rows and columns under indirect routing as section V words it.
    pub(super) fn hybrid_apart(&self) -> &Summary {
        better(&self.apart)
    }

    /// The lines of the grid that fit into a supernode: rows (0), columns (1).
    fn whole(&self) -> impl Iterator<Item = usize> + use<> {
        [(0, self.q), (1, self.p)].into_iter().filter(|(_, line)| *line <= 128).map(|(way, _)| way)
    }

    /// The D-port utility factor, n_s*n_d/32.
    fn h(&self) -> f64 {
        f64::from(self.ns * self.nd) / 32.0
    }
}

fn better([row, column]: &[Summary; 2]) -> &Summary {
    if column.throughput_gb_s > row.throughput_gb_s { column } else { row }
}

/// Every system and grid. They know no seed: who runs several evaluates them once.
pub(super) fn evaluated(options: &Options) -> Result<&'static [Shape]> {
    static SHAPES: [OnceLock<Vec<Shape>>; 2] = [OnceLock::new(), OnceLock::new()];
    let shapes = &SHAPES[usize::from(options.quick)];
    match shapes.get() {
        Some(known) => Ok(known),
        None => {
            let new = evaluate(options)?;
            Ok(shapes.get_or_init(|| new))
        }
    }
}

fn evaluate(options: &Options) -> Result<Vec<Shape>> {
    let largest = if options.quick { 6 } else { 9 };
    let systems = (4..=largest).flat_map(|s| (0..=4).map(move |d| (1u32 << s, 1u32 << d)));
    let systems: Vec<(u32, u32)> = systems.filter(|(ns, nd)| ns * nd <= 512).collect();
    // The largest first: they take longest.
    let shapes: Result<Vec<Vec<Shape>>> = systems.par_iter().rev().map(|&(ns, nd)| system(ns, nd)).collect();
    Ok(shapes?.into_iter().rev().flatten().collect())
}

fn system(ns: u32, nd: u32) -> Result<Vec<Shape>> {
    let machine = machine(ns, nd)?;
    let routings = ["direct", "indirect", "indirect:intermediates=other"].map(|spec| machine.routing(spec));
    let routings = routings.into_iter().collect::<Result<Vec<_>>>()?;
    let sides = (0..).map(|k| 1u32 << k).take_while(|p| p * p <= 128 * ns);
    sides
        .map(|p| {
            let q = 128 * ns / p;
            let (transpose, halo) =
                (machine.job(&format!("transpose:grid={p}x{q}"))?, machine.job(&format!("halo:grid={p}x{q}"))?);
            let of = |r: usize, job, mapping| machine.evaluate(&*routings[r], job, mapping, 0);
            let both = |r| Ok([of(r, &transpose, "row")?, of(r, &transpose, "column")?]);
            let blocked = |r| of(r, &halo, "supernode-sequential");
            let (fits, lemma) = (p >= 8 && q >= 16, p >= 32 && q >= 64);
            Ok(Shape {
                ns,
                nd,
                p,
                q,
                transpose: [both(0)?, both(1)?],
                apart: both(2)?,
                blocks: if fits { Some([blocked(0)?, blocked(1)?]) } else { None },
                colored: if lemma { Some(of(0, &halo, "mod-coloring")?) } else { None },
            })
        })
        .collect()
}

/// How a formula is meant.
#[derive(Clone, Copy, PartialEq)]
enum Claim {
    Equal,
    AtLeast,
}

/// One formula at one shape.
struct Check<'a> {
    item: &'a str,
    says: String,
    formula: f64,
    computed: f64,
    claim: Claim,
    /// Where an assumption of its derivation does not hold: what follows there, and why.
    outside: Option<Outside<'a>>,
}

/// Where a formula is not what follows.
#[derive(Clone, Copy)]
enum Outside<'a> {
    /// The paper prints it without saying so: a deviation.
    Printed(f64, &'a str),
    /// A condition that the paper states with it fails there: it prints nothing for this shape.
    Excluded(f64, &'a str),
}
use Outside::{Excluded, Printed};

/// All equations at all shapes.
pub(super) fn findings(shapes: &[Shape]) -> Vec<Finding> {
    let checks: [fn(&Shape) -> Option<Check<'static>>; 9] =
        [one, two, two_blocks, rows, columns, four, five, half, six];
    checks.iter().flat_map(|check| shapes.iter().filter_map(|s| Some(judge(s, &check(s)?)))).collect()
}

fn judge(s: &Shape, c: &Check<'_>) -> Finding {
    let row = [("ns", s.ns.into()), ("grid", format!("{}x{}", s.p, s.q).as_str().into())];
    let mut finding = Finding {
        published: Some(if c.claim == Claim::Equal {
            Published::Number(c.formula)
        } else {
            Published::Text(format!(">= {}", hopline::unit::short(c.formula)))
        }),
        computed: Some(c.computed),
        verdict: Verdict::Differs,
        ..Finding::new(format!("{}: {}", c.item, c.says), &row, format!("nd={}", s.nd))
    };
    if same(c.computed, c.formula) || (c.claim == Claim::AtLeast && c.computed > c.formula) {
        finding.verdict = Verdict::Match;
    }
    match c.outside {
        Some(Printed(value, why)) => finding.deviates(value, 1e-9 * value, why),
        Some(Excluded(value, why)) => {
            let verdict = if same(c.computed, value) { Verdict::Ours } else { Verdict::Differs };
            Finding { published: None, verdict, ..finding }.remark(why)
        }
        None => finding,
    }
}

/// What crosses the D links of one supernode, on average.
pub(super) fn leaves_supernode(summary: &Summary, ns: u32) -> f64 {
    summary.classes.iter().find(|c| c.name == "D").map_or(0.0, |c| c.total_load / f64::from(ns))
}

const ONE_ROW: &str = "one row of blocks: a block's northern and southern neighbour is the block itself, while the equation is for \
                       neighbours in other supernodes";

fn one(s: &Shape) -> Option<Check<'static>> {
    let [direct, _] = s.blocks.as_ref()?;
    Some(Check {
        item: "Equation (1)",
        says: "amount that leaves a supernode, blocks of 8x16".into(),
        formula: 64.0 * 24.0 / 128.0,
        computed: leaves_supernode(direct, s.ns),
        claim: Claim::Equal,
        // Only the sides of 8 tasks towards east and west leave the supernode.
        outside: (s.p == 8).then_some(Excluded(64.0 * 8.0 / 128.0, ONE_ROW)),
    })
}

fn two(s: &Shape) -> Option<Check<'static>> {
    let summary = s.colored.as_ref()?;
    Some(Check {
        item: "Equation (2)",
        says: "D links, Halo, direct, perfect colouring of 8x8 blocks".into(),
        formula: 20.0 * f64::from(s.nd),
        computed: class(summary, "D"),
        claim: Claim::Equal,
        outside: None,
    })
}

fn two_blocks(s: &Shape) -> Option<Check<'static>> {
    let [direct, _] = s.blocks.as_ref()?;
    let (rows, columns) = (s.p / 8, s.q / 16);
    let own: Vec<u32> = (0..rows * columns).collect();
    Some(Check {
        item: "Equation (2)",
        says: "D links, Halo, direct, a supernode for each 8x16 block".into(),
        formula: 10.0 * f64::from(s.nd),
        computed: class(direct, "D"),
        claim: Claim::Equal,
        outside: (!is_perfect(&own, rows, columns)).then_some(match rows {
            1 => Excluded(20.0 * f64::from(s.nd), ONE_ROW),
            _ => Excluded(5.0 * f64::from(s.nd), TWO_ROWS),
        }),
    })
}

const TWO_ROWS: &str = "two rows of blocks: both neighbours are one block, which gets twice as much, while the equation is for four \
                        distinct supernodes";

const WIDE: &str = "neither side of the grid fits into the 128 processors of a supernode, as the derivation assumes";

fn rows(s: &Shape) -> Option<Check<'static>> {
    s.whole().find(|&way| way == 0).map(|way| Check {
        item: "Equation (3)",
        says: "D links, Transpose, direct, whole rows in a supernode".into(),
        formula: 20.0 * s.h(),
        computed: class(&s.transpose[0][way], "D"),
        claim: Claim::Equal,
        outside: None,
    })
}

/// "A similar calculation" of section IV-D. P <= Q, so that columns are the shorter lines.
fn columns(s: &Shape) -> Option<Check<'static>> {
    Some(Check {
        item: "Equation (3)",
        says: "D links, Transpose, direct, whole columns in a supernode".into(),
        formula: 20.0 * s.h(),
        computed: class(&s.transpose[0][1], "D"),
        claim: Claim::Equal,
        outside: wide(s),
    })
}

/// Section V-D's D-link throughput, with bounce points as section V words them.
fn half(s: &Shape) -> Option<Check<'static>> {
    s.whole().last().map(|way| Check {
        item: "Section V-D",
        says: "D links, Transpose, indirect, whole lines in a supernode, 10h".into(),
        formula: 10.0 * s.h(),
        computed: class(&s.apart[way], "D"),
        claim: Claim::Equal,
        outside: None,
    })
}

/// A line of the grid fills two supernodes: half of what its tasks send along it goes from one to the other.
fn wide(s: &Shape) -> Option<Outside<'static>> {
    let between = 128.0 * 128.0 / (2.0 * f64::from(s.q));
    (s.p > 128 && s.q == 256).then_some(Printed(40.0 * f64::from(s.nd) / between, WIDE))
}

/// Where equation (4) is a lower bound: the boundary cases that section IV-D leaves
/// to the full version. `None` where D links or the 80 GB/s of LR links limit.
///
/// Lines of L tasks are whole in a supernode. What leaves it puts 1/8 on every LR and LL link: 1/16 for its source,
/// as much for its target. On LR links comes 1/8 of what a drawer sends to a node: along the line (64, 128), or
/// across lines. On LL links come both hops of what goes along a line inside a drawer, which is most for L = 32.
fn boundary(s: &Shape) -> Option<Outside<'static>> {
    let ns = f64::from(s.ns);
    let of = |line: u32| {
        let lr = match line {
            64 => 1.0 / 8.0,
            128 => 1.0 / 16.0,
            _ => 1.0 / (16.0 * ns),
        };
        let ll = if line == 32 { 84.0 / (1.0 / 8.0 + 7.0 / 16.0 + 3.0 / (16.0 * ns)) } else { f64::INFINITY };
        (20.0 / (1.0 / 8.0 + lr)).min(ll).min(20.0 * s.h())
    };
    let best = [s.p, s.q].into_iter().filter(|&line| line <= 128).map(of).fold(0.0, f64::max);
    (best > 80.0).then_some(Printed(best, BOUNDARY))
}

const BOUNDARY: &str = "a lower bound here, as section IV-D says of the L links (\"at least 80 GB/s\"): lines of this length \
                        load LR and LL links less, and the boundary cases that it leaves out give the value computed";

fn four(s: &Shape) -> Option<Check<'static>> {
    Some(Check {
        item: "Equation (4)",
        says: "Transpose, direct, hybrid".into(),
        formula: (20.0 * s.h()).min(80.0),
        computed: s.hybrid(0).throughput_gb_s?,
        claim: Claim::Equal,
        outside: wide(s).or_else(|| boundary(s)),
    })
}

fn five(s: &Shape) -> Option<Check<'static>> {
    let [_, indirect] = s.blocks.as_ref()?;
    Some(Check {
        item: "Equation (5)",
        says: "D links, Halo, indirect, supernode blocks".into(),
        formula: 5.0 * f64::from(s.ns * s.nd) / 3.0,
        computed: class(indirect, "D"),
        claim: Claim::Equal,
        // 4 units instead of 12 leave a supernode.
        outside: (s.p == 8).then_some(Excluded(5.0 * f64::from(s.ns * s.nd), ONE_ROW)),
    })
}

fn six(s: &Shape) -> Option<Check<'static>> {
    Some(Check {
        item: "Equation (6)",
        says: "Transpose, indirect, hybrid".into(),
        formula: (10.0 * s.h()).min(320.0 / (4.0 + f64::from(s.nd))),
        computed: s.hybrid(1).throughput_gb_s?,
        claim: Claim::AtLeast,
        // (512,1), the only system with such a grid: LR links carry 703/2048 for the two halves of a line.
        outside: (s.p > 128).then_some(Printed(20.0 * 2048.0 / 703.0, WIDE)),
    })
}
