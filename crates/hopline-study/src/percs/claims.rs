//! What the paper says in words.

use super::equations::Shape;
use super::{cell, class, grid, machine};
use crate::sample::{Sample, seeds};
use crate::{Finding, Options, Published, Verdict};
use hopline::error::{Error, Result};
use hopline::id::SlotId;
use hopline::loads::Summary;
use rayon::prelude::*;

pub(super) fn findings(shapes: &[Shape], options: &Options) -> Result<Vec<Finding>> {
    let mut all = transpose_floor(shapes);
    all.extend(routings(shapes));
    all.extend(amounts(options)?);
    all.extend(blocking(options)?);
    all.extend(node_blocks(options)?);
    Ok(all)
}

/// Section IV-D: LR links allow 80 GB/s at least, LL links 134. Where D links
/// make rows and columns equal, those of the two that are better for LR links.
/// The paper considers systems with a whole number h of D ports per node.
fn transpose_floor(shapes: &[Shape]) -> Vec<Finding> {
    let chosen = |s: &Shape| {
        let best = s.hybrid(0).throughput_gb_s.unwrap_or(0.0);
        let equal = s.transpose[0].iter().filter(|t| super::same(cell(t).0, best));
        let better = equal.max_by(|a, b| class(a, "LR").total_cmp(&class(b, "LR")));
        better.map_or((0.0, 0.0), |t| (class(t, "LR"), class(t, "LL")))
    };
    let worst = |shapes: &mut dyn Iterator<Item = &Shape>| {
        shapes.map(chosen).fold((f64::INFINITY, f64::INFINITY), |w, c| (w.0.min(c.0), w.1.min(c.1)))
    };
    let inside = |s: &&Shape| s.p <= 128 && (s.ns * s.nd).is_multiple_of(32);
    let (held, all) = (worst(&mut shapes.iter().filter(inside)), worst(&mut shapes.iter()));
    let floor = |name: &str, least: f64, held: f64, all: f64| {
        let says =
            format!("{name} links, Transpose, direct, hybrid, GB/s: least of all systems with whole h, P <= 128");
        let holds = held >= least * (1.0 - 1e-9);
        let mut finding = Finding::claim("Section IV-D", &says, &format!(">= {least}"), held, holds);
        if all < least {
            let all = hopline::unit::short(all);
            finding.note = Some(format!("{all} is the least of all, with h = 1/2 or both sides of the grid above 128"));
        }
        finding
    };
    vec![floor("LR", 80.0, held.0, all.0), floor("LL", 134.0, held.1, all.1)]
}

/// Tasks that a supernode takes.
const TASKS_OF_A_SUPERNODE: u32 = 128;

const HALF_LINES: &str = "where whole lines of the grid fit into supernodes direct routing is never behind; a supernode of (512, 1) holds \
                          half a line of 256x256, and all that it sends to the other half goes over one D link";

/// Sections I, V-C and V-D: Halo better indirect, Transpose better direct.
fn routings(shapes: &[Shape]) -> [Finding; 2] {
    let throughput = |s: &Summary| s.throughput_gb_s.unwrap_or(f64::INFINITY);
    let best = |s: &Shape| {
        let [direct, indirect] = s.blocks.as_ref()?;
        let colored = s.colored.as_ref().map_or(0.0, throughput);
        Some((throughput(direct).max(colored), throughput(indirect)))
    };
    let halo: Vec<(&Shape, (f64, f64))> = shapes.iter().filter_map(|s| Some((s, best(s)?))).collect();
    let transpose: Vec<(&Shape, (f64, f64))> =
        shapes.iter().map(|s| (s, (throughput(s.hybrid_apart()), throughput(s.hybrid(0))))).collect();
    // How many hold, in percent, where the paper says all.
    let share = |cases: &[(&Shape, (f64, f64))], item: &str, says: &str| {
        let fails = |case: &&(&Shape, (f64, f64))| case.1.0 > case.1.1 * (1.0 + 1e-9);
        let wrong: Vec<String> = cases
            .iter()
            .filter(fails)
            .map(|(s, (other, claimed))| {
                let (n, d, p, q) = (s.ns, s.nd, s.p, s.q);
                format!(
                    "({n},{d}) {p}x{q}: {} against {}",
                    hopline::unit::short(*claimed),
                    hopline::unit::short(*other)
                )
            })
            .collect();
        let holds = 100.0 * (1.0 - wrong.len() as f64 / cases.len() as f64);
        let finding = Finding::claim(item, says, "all", holds, wrong.is_empty());
        if wrong.is_empty() { finding } else { finding.remark(format!("not for {}", wrong.join("; "))) }
    };
    let half_lines = shapes.iter().filter(|s| s.p.min(s.q) > TASKS_OF_A_SUPERNODE).count();
    let whole_lines = 100.0 * (1.0 - half_lines as f64 / shapes.len() as f64);
    let better_direct = share(
        &transpose,
        "Section V-D",
        "Transpose: percent of systems and grids where hybrid under direct routing reaches at least hybrid under indirect",
    );
    [
        share(
            &halo,
            "Section V-C",
            "Halo: percent of systems and grids where supernode blocks under indirect routing reach at least the best of supernode \
             blocks and mod-coloring under direct",
        ),
        // The short form has no system whose supernodes hold less than a line, so it cannot say what holds of all.
        if half_lines == 0 { better_direct.ours() } else { better_direct.deviates(whole_lines, 1e-9, HALF_LINES) },
    ]
}

const SHARED: &str = "the equation supposes that no two adjacent blocks share a supernode; at random some do (see `no two adjacent blocks \
                      in one`)";

/// Equation (1) in section IV-C: 64, 24 and 12 units leave a supernode.
fn amounts(options: &Options) -> Result<Vec<Finding>> {
    let (ns, (p, q)) = (32, grid(32));
    let machine = machine(ns, 1)?;
    let (routing, job) = (machine.routing("direct")?, machine.job(&format!("halo:grid={p}x{q}"))?);
    let leaves = |summary: &Summary| super::equations::leaves_supernode(summary, ns);
    let mut found = Vec::new();
    for (level, a, b) in [("node", 2, 2), ("drawer", 4, 8), ("supernode", 8, 16)] {
        let mapping = format!("{level}-random");
        let seeds = seeds(options.seed, &format!("equation (1) {mapping}"), samples(options));
        let one = |seed| Ok(leaves(&machine.evaluate(&*routing, &job, &mapping, seed)?));
        let sample = Sample::new(seeds.into_par_iter().map(one).collect::<Result<_>>()?);
        let formula = 64.0 * f64::from(a + b) / f64::from(a * b);
        let says = format!("amount that leaves a supernode, {a}x{b} blocks at random, n_s = 32");
        let finding = Finding {
            published: Some(Published::Number(formula)),
            verdict: if super::same(sample.mean(), formula) { Verdict::Match } else { Verdict::Differs },
            ..sample.finding("Equation (1)", &[], says)
        };
        // Of 4 neighbours each lies in the own supernode with probability (f-1)/(f*n_s-1), f blocks a supernode.
        let f = 128.0 / f64::from(a * b);
        let expected = formula * (1.0 - (f - 1.0) / (f * f64::from(ns) - 1.0));
        found.push(finding.deviates(expected, FAR * AMOUNTS / (sample.len() as f64).sqrt(), SHARED));
        let apart = machine.summary(&*routing, &job, apart(a, b, (p, q)))?;
        let says = format!("the same with no two adjacent blocks in one, {a}x{b}");
        found.push(Finding { computed: Some(leaves(&apart)), ..Finding::new("Equation (1)", &[], says) });
    }
    Ok(found)
}

/// Standard deviation of one mapping's amount, for blocks of 2x2 as for those of 4x8.
const AMOUNTS: f64 = 0.242;

/// Blocks of a x b on 32 supernodes of 128 slots, along diagonals, so that neighbours are in different ones.
fn apart(a: u32, b: u32, (p, q): (u32, u32)) -> Vec<SlotId> {
    let columns = q / b;
    let step = if columns < 32 { columns } else { 1 };
    let mut filled = [0; 32];
    let blocks = (0..p / a).flat_map(|i| (0..columns).map(move |j| ((j + step * i) % 32) as usize));
    let first: Vec<u32> = blocks
        .map(|supernode| {
            filled[supernode] += a * b;
            128 * supernode as u32 + filled[supernode] - a * b
        })
        .collect();
    let slot = |y: u32, x: u32| SlotId(first[(y / a * columns + x / b) as usize] + y % a * b + x % b);
    (0..p).flat_map(|y| (0..q).map(move |x| (y, x))).map(|(y, x)| slot(y, x)).collect()
}

/// Mean and standard deviation, for n_s = 16, 32, ..., 512.
type Moments = [(f64, f64); 6];

/// D-link throughput over n_d of blocks at random: mean and standard deviation of 60 mappings, other seeds
/// than the study's.
const BLOCKING: [(&str, &str, Moments); 2] = [
    ("NODE RND", "node-random", [(5.21, 0.51), (7.33, 0.72), (9.71, 0.93), (12.6, 1.05), (14.9, 1.48), (17.3, 2.0)]),
    ("DRW RND", "drawer-random", [(6.66, 1.12), (7.29, 1.07), (8.13, 1.18), (8.99, 1.18), (9.04, 1.22), (9.62, 0.90)]),
];

/// So many standard errors off is another number: one of 10,000 means lies further out.
pub(super) const FAR: f64 = 4.0;
/// Mappings that the known means and spreads below are of.
const KNOWN: f64 = 60.0;

/// How far the mean of so many mappings may lie from that of others.
pub(super) fn tolerance(spread: f64, samples: usize, others: f64) -> f64 {
    FAR * spread * (1.0 / samples as f64 + 1.0 / others).sqrt()
}

const BELOW: &str = "the sentence and the paper's own tables differ: they have 8 n_d for DRW RND at n_s = 32 (Table I) and 7.25, 8.25, 9.25 and \
                     9.5 n_d at 16 to 128 (Table II), limited by D links, all below 10 n_d";

/// Section IV-C: blocking schemes reach 10 n_d to 20 n_d over D links, rising with n_s.
fn blocking(options: &Options) -> Result<Vec<Finding>> {
    let sizes = if options.quick { 3 } else { 6 };
    let mut found = Vec::new();
    for (head, mapping, known) in BLOCKING {
        let mut last: Option<(f64, f64)> = None;
        for (ns, (mean, spread)) in (4..).map(|s| 1u32 << s).zip(known).take(sizes) {
            let (machine, (p, q)) = (machine(ns, 1)?, grid(ns));
            let (routing, job) = (machine.routing("direct")?, machine.job(&format!("halo:grid={p}x{q}"))?);
            let one = |seed| Ok(class(&machine.evaluate(&*routing, &job, mapping, seed)?, "D"));
            let seeds = seeds(options.seed, &format!("section IV-C {mapping} {ns}"), samples(options));
            let sample = Sample::new(seeds.into_par_iter().map(one).collect::<Result<_>>()?);
            let error = FAR * spread / (sample.len() as f64).sqrt();
            let rises = last.is_none_or(|(mean, other)| sample.mean() >= mean - error.hypot(other));
            let holds = (10.0..=20.0).contains(&sample.mean()) && rises;
            let finding = Finding {
                published: Some(Published::Text("10-20, rising".into())),
                verdict: if holds { Verdict::Match } else { Verdict::Differs },
                ..sample.finding("Section IV-C: D links, Halo, direct, over n_d", &[("ns", ns.into())], head)
            };
            let within = tolerance(spread, sample.len(), KNOWN);
            last = Some((sample.mean(), error));
            found.push(if rises { finding.deviates(mean, within, BELOW) } else { finding.remark("does not rise") });
        }
    }
    Ok(found)
}

/// Mappings at random for one number.
fn samples(options: &Options) -> usize {
    if options.quick { 5 } else { 20 }
}

/// NODE RND on 32 supernodes, mean and standard deviation of 60 mappings, other seeds than the study's; NODE SEQ
/// where it is not what the paper says.
const NODES: [(&str, &str, u32, f64, f64); 20] = [
    ("NODE RND", "direct", 1, 7.33, 0.72),
    ("NODE RND", "direct", 2, 14.7, 1.43),
    ("NODE RND", "direct", 4, 27.5, 2.2),
    ("NODE RND", "direct", 8, 44.7, 2.23),
    ("NODE RND", "direct", 16, 70.5, 2.48),
    ("NODE RND", "indirect", 1, 10.0, 0.1),
    ("NODE RND", "indirect", 2, 20.0, 0.2),
    ("NODE RND", "indirect", 4, 40.0, 0.4),
    ("NODE RND", "indirect", 8, 80.0, 0.8),
    ("NODE RND", "indirect", 16, 68.1, 1.56),
    ("NODE SEQ", "direct", 1, 2.5, 1e-6),
    ("NODE SEQ", "direct", 2, 5.0, 1e-6),
    ("NODE SEQ", "direct", 4, 10.0, 1e-6),
    ("NODE SEQ", "direct", 8, 20.0, 1e-6),
    ("NODE SEQ", "direct", 16, 40.0, 1e-6),
    ("NODE SEQ", "indirect", 1, 20.0, 1e-6),
    ("NODE SEQ", "indirect", 2, 32.0, 1e-6),
    ("NODE SEQ", "indirect", 4, 80.0, 1e-6),
    ("NODE SEQ", "indirect", 8, 1344.0 / 13.0, 1e-6),
    ("NODE SEQ", "indirect", 16, 64.0, 1e-6),
];

const SAME: &str = "on this grid DEF and NODE SEQ put the same two rows of 64 tasks into a supernode; on one of 16x256, where they do not, it is \
                    between (see there)";
const INSIDE: &str = "LL links limit, and what they carry depends on places inside a supernode; over D links alone it is between on a grid of \
                      16x256";
const WORSE: &str = "above DRW SEQ alone, whose strips of four blocks send all to two supernodes";
const SPREADS: &str = "below DEF: indirect routing spreads any load, and small blocks send more out of a supernode; under direct routing it is above";

/// What the schemes come to under one routing.
struct Schemes {
    default: f64,
    /// The least of the drawer and supernode schemes.
    least: f64,
    /// NODE SEQ and NODE RND.
    node: [Sample; 2],
}

fn schemes(nd: u32, routing: &str, (p, q): (u32, u32), options: &Options) -> Result<Schemes> {
    let machine = machine(32, nd)?;
    let (way, job) = (machine.routing(routing)?, machine.job(&format!("halo:grid={p}x{q}"))?);
    let of = |mapping: &str| {
        let count = if mapping.ends_with("-random") { samples(options) } else { 1 };
        let seeds = seeds(options.seed, &format!("section VI-A {nd} {routing} {mapping}"), count);
        let one = |seed| Ok(cell(&machine.evaluate(&*way, &job, mapping, seed)?).0);
        Ok::<Sample, Error>(Sample::new(seeds.into_par_iter().map(one).collect::<Result<_>>()?))
    };
    let others = ["drawer-sequential", "drawer-random", "supernode-sequential", "supernode-random"];
    let others = others.map(|m| Ok(of(m)?.mean())).into_iter().collect::<Result<Vec<f64>>>()?;
    Ok(Schemes {
        default: of("default")?.mean(),
        least: others.into_iter().fold(f64::INFINITY, f64::min),
        node: [of("node-sequential")?, of("node-random")?],
    })
}

/// Section VI-A: NODE SEQ and NODE RND are better than DEF, and perform poorly beside the other schemes.
fn node_blocks(options: &Options) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    let ways = || [1, 2, 4, 8, 16].into_iter().flat_map(|nd| [(nd, "direct"), (nd, "indirect")]);
    for (nd, routing) in ways() {
        let Schemes { default, least, node } = schemes(nd, routing, grid(32), options)?;
        for (head, sample) in ["NODE SEQ", "NODE RND"].into_iter().zip(node) {
            let value = sample.mean();
            let between = default < value && !super::same(value, default) && value <= least * (1.0 + 1e-9);
            let finding = Finding {
                published: Some(Published::Text("above DEF, below the others".into())),
                verdict: if between { Verdict::Match } else { Verdict::Differs },
                ..sample.finding(
                    "Section VI-A: NODE schemes between DEF and the least of the drawer and supernode schemes",
                    &[("nd", nd.into())],
                    format!("{head} {routing}"),
                )
            };
            let why = match head {
                "NODE SEQ" if routing == "indirect" && nd >= 8 => INSIDE,
                "NODE SEQ" => SAME,
                _ if value > least => WORSE,
                _ => SPREADS,
            };
            let numbers = [default, least].map(|x| hopline::unit::short((x * 10.0).round() / 10.0));
            let why = format!("{why}; DEF has {}, the least of the others {}", numbers[0], numbers[1]);
            let known = NODES.iter().find(|k| (k.0, k.1, k.2) == (head, routing, nd));
            found.push(match known {
                Some(&(_, _, _, mean, spread)) => finding.deviates(mean, tolerance(spread, sample.len(), KNOWN), why),
                None => finding,
            });
        }
    }
    for (nd, routing) in ways() {
        let Schemes { default, least, node } = schemes(nd, routing, (16, 256), options)?;
        for (head, value) in [("DEF", default), ("NODE SEQ", node[0].mean()), ("least of the others", least)] {
            let item = "Section VI-A: NODE SEQ on a grid of 16x256";
            let column = format!("{head} {routing}");
            found.push(Finding { computed: Some(value), ..Finding::new(item, &[("nd", nd.into())], column) });
        }
    }
    Ok(found)
}
