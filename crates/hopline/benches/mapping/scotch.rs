//! Scotch's mapping of the same job: files out, `scotch_gmap`, its map back.
//! It leaves some places over-full; surplus tasks then go, one by one, to the
//! free place where they cost least.

use hopline::demand::Demand;
use hopline::fabric::Fabric;
use hopline::id::{SlotId, VertexId};
use hopline::mapping::Mapping;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A mapping by Scotch.
pub(crate) struct Mapped {
    pub(crate) mapping: Mapping,
    /// CPU seconds of the process, in steps of 0.01.
    pub(crate) seconds: f64,
    /// Tasks that were moved to make it strict.
    pub(crate) surplus: usize,
}

type Edges = Vec<Vec<(usize, f64)>>;

/// Maps with one of Scotch's default strategies (`q`, `qb`, ...) on one thread.
/// `None` where it is not installed or cannot describe the machine.
pub(crate) fn map(demand: &Demand, fabric: &Fabric, strategy: &str) -> Option<Mapped> {
    let target = target(fabric)?;
    let edges = neighbours(demand);
    let dir = std::env::temp_dir().join(format!("hopline-scotch-{}", std::process::id()));
    fs::create_dir_all(&dir).ok()?;
    let found = run(&dir, &graph(&edges), &target, strategy);
    fs::remove_dir_all(&dir).ok()?;
    let (place, seconds) = found?;
    let (place, surplus) = strict(place, &edges, fabric);
    let mut taken = vec![0; fabric.endpoints() as usize];
    let seat = |&p: &usize| {
        taken[p] += 1;
        SlotId(p as u32 * slots(fabric) as u32 + taken[p] - 1)
    };
    let mapping = Mapping::new(place.iter().map(seat).collect(), fabric).expect("a strict mapping");
    Some(Mapped { mapping, seconds, surplus })
}

/// The place of every task and the CPU seconds that it took.
fn run(dir: &Path, graph: &str, target: &str, strategy: &str) -> Option<(Vec<usize>, f64)> {
    let file = |name: &str| dir.join(name);
    fs::write(file("job.grf"), graph).ok()?;
    fs::write(file("machine.tgt"), target).ok()?;
    let before = children_cpu();
    let mut command = Command::new("scotch_gmap");
    command.arg(format!("-c{strategy}")).args(["job.grf", "machine.tgt", "job.map"].map(file));
    command.env("SCOTCH_PTHREAD_NUMBER", "1").output().ok().filter(|out| out.status.success())?;
    let seconds = children_cpu() - before;
    let text = fs::read_to_string(file("job.map")).ok()?;
    let numbers: Vec<usize> = text.split_whitespace().filter_map(|w| w.parse().ok()).collect();
    let mut place = vec![0; *numbers.first()?];
    for pair in numbers[1..].chunks(2) {
        place[pair[0]] = pair[1];
    }
    Some((place, seconds))
}

/// User seconds of the processes that ended.
fn children_cpu() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit_once(')').map_or("", |t| t.1);
    after_name.split_whitespace().nth(13).and_then(|t| t.parse::<f64>().ok()).unwrap_or(0.0) / 100.0
}

fn slots(fabric: &Fabric) -> usize {
    (fabric.hosts().slots() / fabric.endpoints()) as usize
}

/// The machine in Scotch's words: a torus of two or three axes, or a tree with distances.
fn target(fabric: &Fabric) -> Option<String> {
    let show = |sizes: &[u32]| sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    match fabric.coordinates() {
        Some(sizes) if sizes.len() == 2 || sizes.len() == 3 => Some(format!("torus{}D {}\n", sizes.len(), show(sizes))),
        None if fabric.has_distances() => {
            let mut text = format!("tleaf {}", fabric.levels().len());
            let mut inner: Vec<u32> = fabric.levels().iter().map(|l| l.parts).collect();
            inner.insert(0, fabric.endpoints());
            for (i, level) in fabric.levels().iter().enumerate().rev() {
                let _ = write!(text, " {} {}", inner[i] / level.parts, level.distance?);
            }
            Some(text + "\n")
        }
        _ => None,
    }
}

/// Both ends of every edge, amounts both ways added up.
fn neighbours(demand: &Demand) -> Edges {
    let mut edges: Vec<std::collections::BTreeMap<usize, f64>> = vec![Default::default(); demand.tasks() as usize];
    demand.each_pair(|a, b, amount| {
        for (from, to) in [(a, b), (b, a)].into_iter().filter(|_| a != b) {
            *edges[from as usize].entry(to as usize).or_default() += amount;
        }
    });
    edges.into_iter().map(|row| row.into_iter().collect()).collect()
}

/// Scotch's graph format; weights are whole numbers there.
fn graph(edges: &Edges) -> String {
    let arcs: usize = edges.iter().map(Vec::len).sum();
    let mut text = format!("0\n{} {arcs}\n0 010\n", edges.len());
    for row in edges {
        let _ = write!(text, "{}", row.len());
        row.iter().for_each(|(to, weight)| {
            let _ = write!(text, " {} {to}", weight.round().max(1.0));
        });
        text.push('\n');
    }
    text
}

fn distance(fabric: &Fabric, a: usize, b: usize) -> f64 {
    if let Some(far) = fabric.level_distance(VertexId(a as u32), VertexId(b as u32)) {
        return far as f64;
    }
    let (mut a, mut b, mut sum) = (a as u32, b as u32, 0);
    for &k in fabric.coordinates().unwrap_or_default() {
        let apart = (a % k).abs_diff(b % k);
        sum += apart.min(k - apart);
        (a, b) = (a / k, b / k);
    }
    f64::from(sum)
}

/// At most as many tasks at a place as it has slots, and how many were moved for that.
fn strict(mut place: Vec<usize>, edges: &Edges, fabric: &Fabric) -> (Vec<usize>, usize) {
    let mut load = vec![0; fabric.endpoints() as usize];
    place.iter().for_each(|&p| load[p] += 1);
    let mut moved = 0;
    for task in 0..place.len() {
        if load[place[task]] > slots(fabric) {
            let cost = |p: usize| edges[task].iter().map(|&(to, w)| w * distance(fabric, p, place[to])).sum::<f64>();
            let free = (0..load.len()).filter(|&p| load[p] < slots(fabric));
            let best = free.min_by(|&a, &b| cost(a).total_cmp(&cost(b))).expect("a free place");
            load[place[task]] -= 1;
            load[best] += 1;
            place[task] = best;
            moved += 1;
        }
    }
    (place, moved)
}
