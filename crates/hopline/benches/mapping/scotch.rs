//! Scotch's mapping of the same job: files out, `scotch_gmap`, its map back.
//! It leaves some places over-full; surplus tasks then go, one by one, to the
//! free place where they cost least.

use hopline::demand::Demand;
use hopline::fabric::Fabric;
use hopline::id::{SlotId, VertexId};
use hopline::mapping::{Mapping, Problem};
use std::collections::{BTreeMap, BTreeSet};
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

/// The places of a problem: endpoints with their slots.
struct Places {
    ends: Vec<VertexId>,
    slots: Vec<Vec<SlotId>>,
    /// What Scotch calls them.
    labels: Vec<usize>,
    /// Hops between any two, row by row, where neither coordinates nor levels tell.
    hops: Vec<f64>,
}

/// Maps with one of Scotch's default strategies (`q`, `qb`, ...) on one thread.
/// `None` where it is not installed or cannot describe the machine.
pub(crate) fn map(problem: &Problem<'_>, strategy: &str) -> Option<Mapped> {
    let dir = std::env::temp_dir().join(format!("hopline-scotch-{}", std::process::id()));
    fs::create_dir_all(&dir).ok()?;
    let found = map_in(&dir, problem, strategy);
    fs::remove_dir_all(&dir).ok()?;
    found
}

fn map_in(dir: &Path, problem: &Problem<'_>, strategy: &str) -> Option<Mapped> {
    let fabric = problem.fabric();
    let mut slots: BTreeMap<VertexId, Vec<SlotId>> = BTreeMap::new();
    problem.slots().iter().for_each(|&s| slots.entry(fabric.hosts().endpoint_of(s)).or_default().push(s));
    let (ends, slots): (Vec<VertexId>, Vec<Vec<SlotId>>) = slots.into_iter().unzip();
    let whole = ends.len() == fabric.endpoints() as usize;
    let places = match target(fabric).filter(|_| whole) {
        Some(text) => {
            fs::write(dir.join("machine.tgt"), text).ok()?;
            Places { labels: (0..ends.len()).collect(), ends, slots, hops: Vec::new() }
        }
        // A decomposition of any graph costs too much where many places are wanted.
        None if ends.len() > 512 => return None,
        None => {
            decompose(dir, fabric, &ends)?;
            let hops = hops(problem, &ends);
            Places { labels: ends.iter().map(|e| e.index()).collect(), ends, slots, hops }
        }
    };
    let edges = neighbours(problem.demand());
    let (labels, seconds) = run(dir, &graph(&edges), strategy)?;
    let index: BTreeMap<usize, usize> = places.labels.iter().enumerate().map(|(i, &label)| (label, i)).collect();
    let place = labels.iter().map(|label| index.get(label).copied()).collect::<Option<Vec<_>>>()?;
    let (place, surplus) = strict(place, &edges, fabric, &places);
    let mut taken = vec![0; places.ends.len()];
    let seat = |&p: &usize| {
        taken[p] += 1;
        places.slots[p][taken[p] - 1]
    };
    let mapping = Mapping::new(place.iter().map(seat).collect(), fabric).expect("a strict mapping");
    Some(Mapped { mapping, seconds, surplus })
}

/// Lets Scotch cut the graph of the machine so that some vertices are places.
fn decompose(dir: &Path, fabric: &Fabric, ends: &[VertexId]) -> Option<()> {
    let vertices = fabric.vertices();
    let neighbours = |v: u32| {
        let all: BTreeSet<u32> = fabric.out_links(VertexId(v)).map(|l| fabric.target(l).0).collect();
        all.into_iter().filter(move |&to| to != v)
    };
    let arcs: usize = (0..vertices).map(|v| neighbours(v).count()).sum();
    let mut text = format!("0\n{vertices} {arcs}\n0 000\n");
    for v in 0..vertices {
        let _ = write!(text, "{}", neighbours(v).count());
        neighbours(v).for_each(|to| _ = write!(text, " {to}"));
        text.push('\n');
    }
    fs::write(dir.join("machine.grf"), text).ok()?;
    let list: Vec<String> =
        [ends.len()].into_iter().chain(ends.iter().map(|e| e.index())).map(|n| n.to_string()).collect();
    fs::write(dir.join("places"), list.join("\n")).ok()?;
    let mut command = Command::new("amk_grf");
    command
        .arg(format!("-l{}", dir.join("places").display()))
        .args(["machine.grf", "machine.tgt"].map(|f| dir.join(f)));
    command.output().ok().filter(|out| out.status.success()).map(|_| ())
}

/// Mean hops between routers from every place to every other.
fn hops(problem: &Problem<'_>, ends: &[VertexId]) -> Vec<f64> {
    let mut route = Vec::new();
    let mut between = |a: VertexId, b: VertexId| {
        problem.routing().route(a, b, &mut route).expect("a way");
        route.iter().filter(|h| !problem.fabric().is_host_link(h.0)).map(|h| h.1).sum::<f64>()
    };
    ends.iter()
        .flat_map(|&a| ends.iter().map(move |&b| (a, b)))
        .map(|(a, b)| if a == b { 0.0 } else { between(a, b) })
        .collect()
}

/// The label of every task's place and the CPU seconds that it took.
fn run(dir: &Path, graph: &str, strategy: &str) -> Option<(Vec<usize>, f64)> {
    let file = |name: &str| dir.join(name);
    fs::write(file("job.grf"), graph).ok()?;
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
    let mut edges: Vec<BTreeMap<usize, f64>> = vec![Default::default(); demand.tasks() as usize];
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

fn distance(fabric: &Fabric, places: &Places, a: usize, b: usize) -> f64 {
    if !places.hops.is_empty() {
        return places.hops[a * places.ends.len() + b];
    }
    let [x, y] = [a, b].map(|p| places.ends[p]);
    if let Some(far) = fabric.level_distance(x, y) {
        return far as f64;
    }
    let (mut x, mut y, mut sum) = (x.0, y.0, 0);
    for &k in fabric.coordinates().unwrap_or_default() {
        let apart = (x % k).abs_diff(y % k);
        sum += apart.min(k - apart);
        (x, y) = (x / k, y / k);
    }
    f64::from(sum)
}

/// At most as many tasks at a place as it has slots, and how many were moved for that.
fn strict(mut place: Vec<usize>, edges: &Edges, fabric: &Fabric, places: &Places) -> (Vec<usize>, usize) {
    let room = |p: usize| places.slots[p].len();
    let mut load = vec![0; places.ends.len()];
    place.iter().for_each(|&p| load[p] += 1);
    let mut moved = 0;
    for task in 0..place.len() {
        if load[place[task]] > room(place[task]) {
            let far = |p: usize, q: usize| distance(fabric, places, p, q);
            let cost = |p: usize| edges[task].iter().map(|&(to, w)| w * far(p, place[to])).sum::<f64>();
            let free = (0..load.len()).filter(|&p| load[p] < room(p));
            let best = free.min_by(|&a, &b| cost(a).total_cmp(&cost(b))).expect("a free place");
            load[place[task]] -= 1;
            load[best] += 1;
            place[task] = best;
            moved += 1;
        }
    }
    (place, moved)
}
