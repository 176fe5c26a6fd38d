//! What the paper says in words.

use super::equations::Shape;
use super::{cell, class, grid, machine};
use crate::error::Result;
use crate::loads::Summary;
use crate::study::sample::Sample;
use crate::study::{Finding, Options, Published, Verdict};
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
            let all = crate::unit::short(all);
            finding.note = Some(format!("{all} is the least of all, with h = 1/2 or both sides of the grid above 128"));
        }
        finding
    };
    vec![floor("LR", 80.0, held.0, all.0), floor("LL", 134.0, held.1, all.1)]
}

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
        shapes.iter().map(|s| (s, (throughput(s.hybrid(1)), throughput(s.hybrid(0))))).collect();
    let count = |cases: &[(&Shape, (f64, f64))], item: &str, says: &str| {
        let fails = |case: &&(&Shape, (f64, f64))| case.1.0 > case.1.1 * (1.0 + 1e-9);
        let wrong: Vec<String> = cases
            .iter()
            .filter(fails)
            .map(|(s, (other, claimed))| {
                let (n, d, p, q) = (s.ns, s.nd, s.p, s.q);
                format!("({n},{d}) {p}x{q}: {} against {}", crate::unit::short(*claimed), crate::unit::short(*other))
            })
            .collect();
        let holds = cases.len() - wrong.len();
        let finding = Finding::claim(item, says, &format!("all {}", cases.len()), holds as f64, wrong.is_empty());
        if wrong.is_empty() { finding } else { finding.noted(format!("not for {}", wrong.join("; "))) }
    };
    [
        count(
            &halo,
            "Section V-C",
            "Halo: systems and grids where supernode blocks under indirect routing reach at least the best of supernode \
             blocks and mod-coloring under direct",
        ),
        count(
            &transpose,
            "Section V-D",
            "Transpose: systems and grids where hybrid under direct routing reaches at least hybrid under indirect",
        ),
    ]
}

/// Equation (1) in section IV-C: 64, 24 and 12 units leave a supernode.
fn amounts(options: &Options) -> Result<Vec<Finding>> {
    let (ns, (p, q)) = (32, grid(32));
    let machine = machine(ns, 1)?;
    let (routing, job) = (machine.routing("direct")?, machine.job(&format!("halo:grid={p}x{q}"))?);
    [("node", 2, 2), ("drawer", 4, 8), ("supernode", 8, 16)]
        .into_iter()
        .map(|(level, a, b)| {
            let summary = machine.evaluate(&*routing, &job, &format!("{level}-random"), options.seed)?;
            let leaves = summary.classes.iter().find(|c| c.name == "D").map_or(0.0, |c| c.total_load / f64::from(ns));
            let formula = 64.0 * f64::from(a + b) / f64::from(a * b);
            let says = format!("amount that leaves a supernode, {a}x{b} blocks at random, n_s = 32");
            let finding = Finding {
                published: Some(Published::Number(formula)),
                computed: Some(leaves),
                verdict: if super::same(leaves, formula) { Verdict::Match } else { Verdict::Differs },
                ..Finding::new("Equation (1)", &[], says)
            };
            // Of 4 neighbours each lies in the own supernode with probability (f-1)/(f*n_s-1), f blocks a supernode.
            let f = 128.0 / f64::from(a * b);
            let expected = formula * (1.0 - (f - 1.0) / (f * f64::from(ns) - 1.0));
            Ok(if leaves < formula && (leaves - expected).abs() < 0.02 * formula {
                finding.noted(format!(
                    "the equation supposes that no two adjacent blocks share a supernode; at random some do, {} is expected",
                    crate::unit::short(expected)
                ))
            } else {
                finding
            })
        })
        .collect()
}

/// Section IV-C: blocking schemes reach 10 n_d to 20 n_d over D links, rising with n_s.
fn blocking(options: &Options) -> Result<Vec<Finding>> {
    let largest = if options.quick { 6 } else { 9 };
    let seeds = if options.quick { 5 } else { 20 };
    let mut found = Vec::new();
    for (head, mapping) in [("NODE RND", "node-random"), ("DRW RND", "drawer-random")] {
        let mut last = 0.0;
        for ns in (4..=largest).map(|s| 1u32 << s) {
            let (machine, (p, q)) = (machine(ns, 1)?, grid(ns));
            let (routing, job) = (machine.routing("direct")?, machine.job(&format!("halo:grid={p}x{q}"))?);
            let one = |k: u64| Ok(class(&machine.evaluate(&*routing, &job, mapping, options.seed + k)?, "D"));
            let sample = Sample::new((0..seeds).into_par_iter().map(one).collect::<Result<_>>()?);
            let mean = sample.mean();
            let rises = mean >= last - sample.spread();
            last = mean;
            let finding = Finding {
                published: Some(Published::Text("10-20, rising".into())),
                computed: Some(mean),
                spread: Some(sample.spread()),
                range: Some(sample.range()),
                samples: Some(sample.len() as u32),
                verdict: if (10.0..=20.0).contains(&mean) && rises { Verdict::Match } else { Verdict::Differs },
                ..Finding::new("Section IV-C: D links, Halo, direct, over n_d", &[("ns", ns.into())], head)
            };
            found.push(if rises && mean < 10.0 {
                finding.noted("rises with n_s, but starts below 10 n_d; the paper's own Table I has 8 n_d for DRW RND at n_s = 32")
            } else {
                finding
            });
        }
    }
    Ok(found)
}

/// Section VI-A: NODE SEQ and NODE RND are better than DEF, and perform poorly beside the other schemes.
fn node_blocks(options: &Options) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    for (nd, routing) in [1, 2, 4, 8, 16].into_iter().flat_map(|nd| [(nd, "direct"), (nd, "indirect")]) {
        let (machine, (p, q)) = (machine(32, nd)?, grid(32));
        let (way, job) = (machine.routing(routing)?, machine.job(&format!("halo:grid={p}x{q}"))?);
        let of = |mapping: &str| machine.evaluate(&*way, &job, mapping, options.seed);
        let default = cell(&of("default")?).0;
        let others = ["drawer-sequential", "drawer-random", "supernode-sequential", "supernode-random"];
        let others = others.into_iter().map(|m| Ok(cell(&of(m)?).0)).collect::<Result<Vec<f64>>>()?;
        let least = others.into_iter().fold(f64::INFINITY, f64::min);
        for (head, mapping) in [("NODE SEQ", "node-sequential"), ("NODE RND", "node-random")] {
            let summary = of(mapping)?;
            let (value, class) = cell(&summary);
            let between = default * (1.0 - 1e-9) <= value && value <= least * (1.0 + 1e-9);
            let numbers = [default, least].map(|x| crate::unit::short((x * 10.0).round() / 10.0));
            let finding = Finding {
                published: Some(Published::Text(format!("{}-{}", numbers[0], numbers[1]))),
                computed: Some(value),
                bottleneck: Some(class.to_string()),
                verdict: if between { Verdict::Match } else { Verdict::Differs },
                ..Finding::new(
                    "Section VI-A: NODE schemes between DEF and the least of the drawer and supernode schemes",
                    &[("nd", nd.into())],
                    format!("{head} {routing}"),
                )
            };
            found.push(if value > least {
                finding.noted("above the least of the others, DRW SEQ, which distributes its load worse")
            } else if value < default {
                finding.noted(
                    "below DEF: indirect routing spreads any load, and small blocks send more out of a supernode",
                )
            } else {
                finding
            });
        }
    }
    Ok(found)
}
