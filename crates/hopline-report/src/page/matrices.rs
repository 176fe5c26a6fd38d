//! Heat maps of a job: what groups and switches send each other over links, and what tasks send where they sit.

use super::Part;
use super::heat::{self, Heat};
use super::job::{Job, View};
use super::layout::part as part_of;
use hopline::demand::{Demand, Unit};
use hopline::fabric::Level;
use hopline::id::VertexId;
use std::collections::BTreeMap;

/// Cells along each side of a map of tasks at most; more are merged, until there are no more than screens show.
const CELLS: u32 = 2048;
const MERGED_CELLS: u32 = 1024;
/// Pairs that are looked at one by one; of larger jobs blocks are spread evenly.
const MOST_PAIRS: u64 = 1 << 23;

pub(super) fn parts(job: &Job<'_>) -> Vec<Part> {
    let fabric = job.fabric;
    let groups = fabric.levels().iter().rev().find(|l| l.parts > 1 && l.parts < fabric.endpoints());
    let by_group = groups.and_then(|level| {
        let words = format!(
            "What the tasks of one {0} send those of another, by the mapping; what stays inside is on the diagonal.",
            level.name
        );
        let maps: Vec<Heat> = job.views.iter().map(|v| groups_of(job, v, level)).collect();
        heat::part(&format!("From {0} to {0}", level.name), &words, &maps)
    });
    let routers: Vec<VertexId> = (0..fabric.vertices()).map(VertexId).filter(|&v| !fabric.is_adapter(v)).collect();
    let mut number = vec![None; fabric.vertices() as usize];
    (0..).zip(&routers).for_each(|(n, v)| number[v.index()] = Some(n));
    let names: Vec<String> = routers.iter().map(|&v| fabric.vertex_name(v).to_string()).collect();
    let by_switch = (1..=2 * CELLS as usize).contains(&routers.len()).then(|| {
        let switch = |v: VertexId| number[v.index()];
        let maps: Vec<Heat> = job.views.iter().map(|v| links(job, v, &switch, &names)).collect();
        heat::part("From router to router", "Load of the links from one router or switch to another.", &maps)
    });
    let maps: Vec<Heat> = job.views.iter().map(|v| tasks(job, v)).collect();
    let words = "Who sends how much to whom, tasks in the order of the slots in which they sit.";
    [by_group, by_switch.flatten(), heat::part("Communication, as it is placed", words, &maps)]
        .into_iter()
        .flatten()
        .collect()
}

fn is_bytes(demand: &Demand) -> bool {
    demand.unit() == Unit::Bytes
}

/// Loads of links between routers, by their ends.
fn links(job: &Job<'_>, view: &View, router: &dyn Fn(VertexId) -> Option<u32>, names: &[String]) -> Heat {
    let fabric = job.fabric;
    let mut cells = BTreeMap::new();
    for link in fabric.link_ids().filter(|&l| !fabric.is_host_link(l) && view.loads.load[l.index()] > 0.0) {
        if let (Some(a), Some(b)) = (router(fabric.source(link)), router(fabric.target(link))) {
            *cells.entry((a, b)).or_insert(0.0) += view.loads.load[link.index()];
        }
    }
    Heat {
        title: view.name.clone(),
        size: names.len() as u32,
        merged: 1,
        cells,
        down: "source".to_string(),
        across: "target".to_string(),
        names: names.to_vec(),
        bytes: is_bytes(job.demand),
        log: false,
    }
}

/// What is sent between the parts of a level.
fn groups_of(job: &Job<'_>, view: &View, level: &Level) -> Heat {
    let places = view.places(job.fabric);
    let group: Vec<u32> = places.iter().map(|&v| part_of(job.fabric, level, v).unwrap_or(0)).collect();
    let names = (0..level.parts).map(|p| format!("{} {p}", level.name)).collect();
    between(job.demand, &group, level.parts, 1, sides(), names, &view.name)
}

/// What is sent from place to place: tasks in the order of their slots.
fn tasks(job: &Job<'_>, view: &View) -> Heat {
    let demand = job.demand;
    let mut order: Vec<u32> = (0..demand.tasks()).collect();
    order.sort_by_key(|&t| view.chosen.slot(t));
    let mut place = vec![0u32; order.len()];
    let merged = if demand.tasks() <= CELLS { 1 } else { demand.tasks().div_ceil(MERGED_CELLS) };
    (0..).zip(&order).for_each(|(at, &t): (u32, &u32)| place[t as usize] = at / merged);
    let names = if merged == 1 { order.iter().map(|t| format!("task {t}")).collect() } else { Vec::new() };
    between(demand, &place, demand.tasks().div_ceil(merged), merged, sides(), names, &view.name)
}

/// What stands down and across.
fn sides() -> (String, String) {
    ("sender".to_string(), "receiver".to_string())
}

/// What is sent from place to place, a place for each task.
fn between(
    demand: &Demand,
    place: &[u32],
    size: u32,
    merged: u32,
    (down, across): (String, String),
    names: Vec<String>,
    title: &str,
) -> Heat {
    let mut cells: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    let mut add = |from: u32, to: u32, amount: f64| {
        *cells.entry((place[from as usize], place[to as usize])).or_insert(0.0) += amount;
    };
    if demand.pairs() <= MOST_PAIRS {
        demand.each_pair(&mut add);
    } else {
        // Every so many senders and receivers of a block stand for those between them.
        demand.entries().iter().for_each(|&(from, to, amount)| add(from, to, amount));
        for block in demand.blocks() {
            let [from, to] = [&block.sources, &block.destinations].map(|side| side.len().div_ceil(MERGED_CELLS).max(1));
            for s in block.sources.iter().step_by(from as usize) {
                for t in block.destinations.iter().step_by(to as usize) {
                    add(s, t, block.amount * f64::from(from * to));
                }
            }
        }
    }
    Heat { title: title.to_string(), size, merged, cells, down, across, names, bytes: is_bytes(demand), log: true }
}
