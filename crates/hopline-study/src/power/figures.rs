//! Figures 4 and 5: who sends to whom, and which links that uses.

use super::applications::{ALL, Application, torus};
use super::links::{NODES, Use, busy_under, mesh, nodes, of_size, percent, percs_of, saved, used};
use super::{DIRECT, claims, ours};
use crate::machine::Machine;
use crate::{Drawing, Finding, Key, Options};
use hopline::demand::Demand;
use hopline::error::Result;
use hopline::id::LinkId;
use hopline::power::is_cable;
use hopline::rng::Rng;
use hopline::routing::Path;

const FIGURE_5: &str = "Figure 5: percent of links used";
const TIES: &str = "of two equally long ways round dimension-order routing takes the positive one only; with ties split all links are used, see \
    `Torus by routing and mapping`";
const ORDER: &str = "every message takes its dimensions in the same order, and the paper names no mapping: with all shortest paths all links \
    are used, with a random mapping nearly all, see `Torus by routing and mapping`";
const MAPPING: &str = "the paper names no mapping: with a random one 95.2 % on 256 nodes and 99.7 % on 1,024, see `Torus by routing and mapping`";

/// What is computed for Figure 5 on 256 nodes (--quick) and on 1,024 where another percentage is printed, and why.
const KNOWN: [(&str, &str, [f64; 2], &str); 6] = [
    ("BT", "full mesh", [2.353, 0.5865], NODES),
    ("BT", "PERCS", [18.418, 17.595], NODES),
    ("BT", "3-D torus", [75.0, 70.833], ORDER),
    ("MILC", "3-D torus", [95.833, 95.833], TIES),
    ("jacobi4d", "3-D torus", [95.833, 95.833], TIES),
    ("CG", "3-D torus", [68.49, 72.266], MAPPING),
];

pub(super) fn study(options: &Options) -> Result<(Vec<Finding>, Vec<Drawing>)> {
    let nodes = nodes(options);
    let percs = Machine::new(&percs_of(nodes, 1))?;
    let torus = Machine::new(&torus(nodes))?;
    let (mut all, mut drawings) = (Vec::new(), Vec::new());
    for application in &ALL {
        let job = percs.schedule(&(application.spec)(nodes))?.demand()?;
        if ["NAMD", "MILC", "CG", "MG", "BT", "FT"].contains(&application.name) {
            drawings.push(dots(application.name, &job));
        }
        let on_percs = used(&percs, DIRECT, &job)?;
        let indirect = used(&percs, INDIRECT, &job)?;
        let on_torus = used(&torus, "dor", &job)?;
        let saved = saved(&percs, &job)?;
        all.push(Use { application, mesh: mesh(&job, nodes, 1), percs: on_percs, indirect, torus: on_torus, saved });
    }
    drawings.push(bars(nodes, &all));
    let mut findings = figure_5(&all, options);
    findings.extend(torus_by_routing(options)?);
    findings.extend(claims::findings(&percs, &all, options)?);
    findings.extend(one_intermediate(&percs, &all, options)?);
    Ok((findings, drawings))
}

/// Indirect routing that differs from [`DIRECT`] in the way between supernodes alone.
const INDIRECT: &str = "indirect:inside=single-hop";

/// Links that the named applications use where every pair of nodes keeps to one of its indirect paths.
fn one_intermediate(machine: &Machine, all: &[Use], options: &Options) -> Result<Vec<Finding>> {
    let routing = machine.routing(INDIRECT)?;
    let fabric = routing.fabric();
    let cables = (0..fabric.links() as u32).filter(|&l| is_cable(fabric, LinkId(l))).count();
    let mut findings = Vec::new();
    for u in all.iter().filter(|u| claims::NAMED.contains(&u.application.name)) {
        let job = machine.schedule(&(u.application.spec)(nodes(options)))?.demand()?;
        let places = machine.places(&*routing, &job, "default", 0)?;
        let mut rng = Rng::new(options.seed, u.application.name);
        let (mut on, mut path) = (vec![false; fabric.links()], Path::default());
        for &(from, to, _) in job.entries() {
            let (from, to) = (places[from as usize], places[to as usize]);
            let choice = rng.below(routing.choices(from, to)?);
            routing.path(from, to, choice, &mut path)?;
            path.links.iter().for_each(|l| on[l.index()] = is_cable(fabric, *l));
        }
        let used = 100.0 * on.iter().filter(|&&on| on).count() as f64 / cables.max(1) as f64;
        let row = [("application", Key::from(u.application.name))];
        findings.push(ours(ONE, &row, "percent of PERCS links used", used));
        findings.push(ours(ONE, &row, "over direct routing", used / u.percs));
    }
    Ok(findings)
}

const ONE: &str = "Indirect routing with one intermediate supernode for each pair";

/// Routings and mappings of the torus, and what they are called.
const WAYS: [(&str, &str, &str); 4] = [
    ("dor, default", "dor", "default"),
    ("dor, ties split", "dor:tie=split", "default"),
    ("shortest, default", "shortest", "default"),
    ("dor, random", "dor", "random"),
];

/// What moves the share of a torus: routing and mapping, and how little the number of nodes does.
fn torus_by_routing(options: &Options) -> Result<Vec<Finding>> {
    let sizes: &[u32] = if options.quick { &[64, 256, 512] } else { &[64, 256, 512, 1024] };
    let mut findings = Vec::new();
    for &nodes in sizes {
        let machine = Machine::new(&torus(nodes))?;
        // Only CG takes as many ranks as are no square: with random mappings its share passes 96.9 there.
        let fits = |a: &&Application| nodes.isqrt().pow(2) == nodes || a.name == "CG";
        for application in ALL.iter().filter(|a| on_torus(a.name).is_some()).filter(fits) {
            let job = machine.schedule(&(application.spec)(nodes))?.demand()?;
            let row = [("application", Key::from(application.name)), ("nodes", nodes.into())];
            for (column, routing, mapping) in WAYS {
                let (busy, all) = busy_under(&machine, routing, mapping, &job)?;
                let share = 100.0 * busy as f64 / all.max(1) as f64;
                findings.push(ours("Torus by routing and mapping: percent of links used", &row, column, share));
            }
        }
    }
    Ok(findings)
}

/// What the text says of the torus: all links, but for CG. It names these applications only; Figure 5 has no numbers.
fn on_torus(application: &str) -> Option<f64> {
    match application {
        "NAMD" | "MILC" | "jacobi4d" | "BT" => Some(100.0),
        "CG" => Some(96.9),
        _ => None,
    }
}

fn figure_5(all: &[Use], options: &Options) -> Vec<Finding> {
    let mut findings = Vec::new();
    for u in all {
        let name = u.application.name;
        let row = [("application", Key::from(name))];
        let cell = |column: &str, published: Option<f64>, computed: f64| {
            let Some(published) = published else { return ours(FIGURE_5, &row, column, computed) };
            let finding = percent(FIGURE_5, &row, column, published, computed);
            match KNOWN.iter().find(|k| (k.0, k.1) == (name, column)) {
                Some(&(_, _, known, why)) => finding.deviates(of_size(known, options), 0.01, why),
                None => finding,
            }
        };
        findings.push(cell("full mesh", (name == "BT").then_some(7.7), u.mesh));
        findings.push(cell("PERCS", (name == "BT").then_some(14.2), u.percs));
        findings.push(cell("3-D torus", on_torus(name), u.torus));
        findings.push(ours(FIGURE_5, &row, "saved of the machine on PERCS", u.saved));
    }
    findings.extend(all.iter().map(|u| {
        let row = [("application", Key::from(u.application.name))];
        ours("Figure 5 under indirect routing: percent of PERCS links used", &row, "PERCS", u.indirect)
    }));
    findings
}

/// Figure 4: who sends to whom.
fn dots(name: &str, job: &Demand) -> Drawing {
    let mut dots = Vec::new();
    job.each_pair(|from, to, _| dots.push((from, to)));
    Drawing::Dots {
        name: format!("figure-4-{}", name.to_lowercase()),
        title: format!("Figure 4: {name}, {} nodes: who sends to whom", job.tasks()),
        size: job.tasks(),
        dots,
    }
}

fn bars(nodes: u32, all: &[Use]) -> Drawing {
    let bar = |of: fn(&Use) -> f64| all.iter().map(of).collect::<Vec<f64>>();
    Drawing::Bars {
        name: "figure-5".into(),
        title: format!("Figure 5: links used, {nodes} nodes"),
        y: "% of links".into(),
        groups: all.iter().map(|u| u.application.name.to_string()).collect(),
        bars: vec![
            ("full mesh".into(), bar(|u| u.mesh)),
            ("PERCS".into(), bar(|u| u.percs)),
            ("3-D torus".into(), bar(|u| u.torus)),
        ],
    }
}
