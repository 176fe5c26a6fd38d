//! Section IV: which links applications use (Figures 4 and 5), and what that saves.

use super::applications::{ALL, Application, torus};
use super::{DIRECT, ours};
use crate::demand::Demand;
use crate::error::Result;
use crate::files::Disk;
use crate::id::LinkId;
use crate::power::{Keep, Model, Power, is_cable, light, no_params};
use crate::study::machine::Machine;
use crate::study::{Drawing, Finding, Key, Options, Published, Verdict};

const FIGURE_5: &str = "Figure 5: percent of links used";
const WHY: &str = "our pattern is a reconstruction, and the paper prints neither numbers of ranks nor ranks per node: \
    the share of a full mesh falls with the number of nodes, see `BT by number of nodes`";
const TORUS: &str = "a torus uses the directions in which the default mapping lays the neighbours of our pattern, and of two equally long \
    ways round only the positive one: the share moves with routing and mapping, and the paper names no mapping, see `Torus by routing \
    and mapping`";
const ENDS: &str = "an end of the range is that of one application at one size: our pattern is a reconstruction, and the paper prints \
    neither numbers of ranks nor ranks per node, which move it (the least, NAMD's, is 55.5 % of the links at 256 nodes and 34.3 % at 1,024)";

/// Percent of the links that an application uses on the three networks.
struct Use {
    application: &'static Application,
    mesh: f64,
    percs: f64,
    indirect: f64,
    torus: f64,
}

pub(super) fn study(options: &Options) -> Result<(Vec<Finding>, Vec<Drawing>)> {
    let nodes: u32 = if options.quick { 256 } else { 1024 };
    let percs = Machine::new(&percs_of(nodes, 1))?;
    let torus = Machine::new(&torus(nodes))?;
    let (mut all, mut drawings) = (Vec::new(), Vec::new());
    for application in &ALL {
        let job = percs.schedule(&(application.spec)(nodes))?.demand()?;
        if ["NAMD", "MILC", "CG", "MG", "BT", "FT"].contains(&application.name) {
            drawings.push(dots(application.name, &job));
        }
        let on_percs = used(&percs, DIRECT, &job)?;
        let indirect = used(&percs, "indirect", &job)?;
        let on_torus = used(&torus, "dor", &job)?;
        all.push(Use { application, mesh: mesh(&job, nodes, 1), percs: on_percs, indirect, torus: on_torus });
    }
    drawings.push(bars(nodes, &all));
    let mut findings = figure_5(&all);
    findings.extend(torus_by_routing(options)?);
    findings.extend(claims(&all, saved_by_silence(&percs)?));
    Ok((findings, drawings))
}

/// A machine of whole supernodes with that many ranks on a node.
pub(super) fn percs_of(nodes: u32, each: u32) -> String {
    format!("percs:ns={},nd=1,ll=24,lr=5,d=10,slots={each}", nodes.div_ceil(32))
}

/// Percent of the ordered pairs of `nodes` that talk, `each` consecutive ranks on one: the links of a full mesh.
pub(super) fn mesh(job: &Demand, nodes: u32, each: u32) -> f64 {
    let n = nodes as usize;
    let mut talk = vec![false; n * n];
    job.each_pair(|from, to, _| talk[(from / each) as usize * n + (to / each) as usize] = from / each != to / each);
    100.0 * talk.iter().filter(|&&t| t).count() as f64 / (n * (n - 1)).max(1) as f64
}

/// Percent of the cables' directions that carry anything.
pub(super) fn used(machine: &Machine, routing: &str, job: &Demand) -> Result<f64> {
    let (busy, count) = busy(machine, routing, job)?;
    Ok(100.0 * busy as f64 / count.max(1) as f64)
}

/// Directions of cables that carry anything, and how many there are.
pub(super) fn busy(machine: &Machine, routing: &str, job: &Demand) -> Result<(u64, u64)> {
    busy_under(machine, routing, "default", job)
}

fn busy_under(machine: &Machine, routing: &str, mapping: &str, job: &Demand) -> Result<(u64, u64)> {
    let routing = machine.routing(routing)?;
    let fabric = routing.fabric();
    let places = machine.places(&*routing, job, mapping, 0)?;
    let loads = crate::loads::evaluate(job, &places, &*routing)?;
    let links = (0..fabric.links() as u32).map(LinkId).filter(|&l| is_cable(fabric, l));
    let (count, busy) = links.fold((0u64, 0u64), |(n, b), l| (n + 1, b + u64::from(loads.load[l.index()] > 0.0)));
    Ok((busy, count))
}

/// Routings and mappings of the torus, and what they are called.
const WAYS: [(&str, &str, &str); 4] = [
    ("dor, default", "dor", "default"),
    ("dor, ties split", "dor:tie=split", "default"),
    ("shortest, default", "shortest", "default"),
    ("dor, random", "dor", "random"),
];

/// What moves the share of a torus: routing and mapping, and how little the number of nodes does.
fn torus_by_routing(options: &Options) -> Result<Vec<Finding>> {
    let sizes: &[u32] = if options.quick { &[64, 256] } else { &[64, 256, 1024] };
    let mut findings = Vec::new();
    for &nodes in sizes {
        let machine = Machine::new(&torus(nodes))?;
        for application in ALL.iter().filter(|a| on_torus(a.name).is_some()) {
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

/// A percentage beside a printed one: within one point.
pub(super) fn percent(item: &str, row: &[(&'static str, Key)], column: &str, published: f64, computed: f64) -> Finding {
    let close = (published - computed).abs() <= 1.0;
    Finding {
        published: Some(Published::Number(published)),
        verdict: if close { Verdict::Match } else { Verdict::Noted },
        note: (!close).then(|| WHY.to_string()),
        ..ours(item, row, column, computed)
    }
}

fn figure_5(all: &[Use]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for u in all {
        let name = u.application.name;
        let row = [("application", Key::from(name))];
        let cell = |column: &str, published: Option<f64>, computed: f64| match published {
            Some(published) => percent(FIGURE_5, &row, column, published, computed),
            None => ours(FIGURE_5, &row, column, computed),
        };
        findings.push(cell("full mesh", (name == "BT").then_some(7.7), u.mesh));
        findings.push(cell("PERCS", (name == "BT").then_some(14.2), u.percs));
        let torus = cell("3-D torus", on_torus(name), u.torus);
        findings.push(Finding { note: torus.note.as_ref().map(|_| TORUS.to_string()), ..torus });
        findings.push(ours(FIGURE_5, &row, "saved of the machine on PERCS", 26.0 * (1.0 - u.percs / 100.0)));
    }
    findings.extend(all.iter().map(|u| {
        let row = [("application", Key::from(u.application.name))];
        ours("Figure 5 under indirect routing: percent of PERCS links used", &row, "PERCS", u.indirect)
    }));
    findings
}

/// Percent of the machine's power that is saved where no link carries anything.
fn saved_by_silence(machine: &Machine) -> Result<f64> {
    let routing = machine.routing(DIRECT)?;
    let fabric = routing.fabric();
    let nothing = vec![0.0; fabric.links()];
    let lit = light(fabric, &nothing, Keep::default());
    Ok(100.0 * Power::new(fabric, &Model::read(&no_params(), &Disk)?, &nothing, &lit).machine_saving)
}

/// What section IV says of all applications.
fn claims(all: &[Use], silence: f64) -> Vec<Finding> {
    // An all-to-all uses every link, so the paper cannot have had FT among those that leave half of them.
    let talking: Vec<&Use> = all.iter().filter(|u| !u.application.silent && u.application.name != "FT").collect();
    let unused: Vec<f64> = talking.iter().map(|u| 100.0 - u.percs).collect();
    let least = unused.iter().copied().fold(f64::INFINITY, f64::min);
    let most = unused.iter().copied().fold(0.0, f64::max);
    let more = talking.iter().filter(|u| u.percs > u.mesh).count();
    let mut findings = vec![
        end("percent of PERCS links never used, least (without FT)", 52.4, least, 1.0),
        end("percent of PERCS links never used, most (without FT)", 85.8, most, 1.0),
        end("percent of the machine saved, least (without FT)", 13.6, 0.26 * least, 0.26),
        end("percent of the machine saved, most (without FT)", 22.3, 0.26 * most, 0.26),
        claim(
            "applications that use a larger share of PERCS than of a full mesh (without FT)",
            "most",
            more as f64,
            2 * more > talking.len(),
            WHY,
        ),
    ];
    if let Some(cg) = all.iter().find(|u| u.application.name == "CG") {
        let text = "PERCS share over full-mesh share of CG";
        findings.push(claim(text, "below 1", cg.percs / cg.mesh, cg.percs < cg.mesh, super::sizes::WHY));
    }
    if let Some(isam) = all.iter().find(|u| u.application.silent) {
        let text = "percent of the machine saved by a data-parallel job while it computes";
        let holds = (silence - 26.0).abs() <= 0.5;
        findings.push(claim(text, "26", silence, holds, WHY).noted(format!(
            "no link carries anything between start and end; with its broadcast and reduction kept on as well {} uses {:.1} % of \
             the links",
            isam.application.name, isam.percs
        )));
    }
    findings
}

/// One end of a printed range, beside its own value.
fn end(says: &str, published: f64, computed: f64, tolerance: f64) -> Finding {
    let holds = (published - computed).abs() <= tolerance;
    claim(says, &crate::unit::short(published), computed, holds, ENDS)
}

/// A sentence of section IV, with the reason where it does not hold here.
fn claim(says: &str, published: &str, computed: f64, holds: bool, why: &str) -> Finding {
    let claim = Finding::claim("Section IV: claims", says, published, computed, holds);
    if holds { claim } else { claim.noted(why) }
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
