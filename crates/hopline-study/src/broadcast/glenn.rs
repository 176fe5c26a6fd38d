//! Figures 7 and 8: Glenn, an SDR tree of 4-core nodes and a DDR tree of 8-core
//! nodes, joined at their spines.

use super::bytes;
use super::model::{RADIX, model, tree, within_node};
use super::orders::Leaders;
use super::ranger::LINK_NANOS;
use crate::sample::Sample;
use crate::{Figure, Finding, Key, Options, Point, Series};
use hopline::error::Result;
use hopline::fabric::{Builder, Fabric, LinkClass};
use hopline::id::{HostId, VertexId};
use hopline::ordering::{Delays, Traversal};
use hopline::replay::Places;
use hopline::rng::Rng;
use hopline::routing::{Routing, up_down};
use hopline::unit::{Bandwidth, Nanos};
use rayon::prelude::*;
use std::sync::Arc;

/// Nodes, leaf switches of 12 nodes and spine switches of the two trees.
pub(super) const SDR: (u32, u32) = (877, 74);
pub(super) const DDR: (u32, u32) = (650, 55);
pub(super) const SPINES: u32 = 12;

/// Cores of a node.
pub(super) const SDR_CORES: u32 = 4;
pub(super) const DDR_CORES: u32 = 8;

/// Largest messages that adapters send inline (section V-B2); beyond, they fetch them from memory first.
const SDR_INLINE: u64 = 64;
const DDR_INLINE: u64 = 128;

/// Time of that fetch in ns: about what a read over PCI Express takes.
const FETCH: u64 = 300;

/// Figures 7 and 8: (a) small and (b) medium messages. 96 bytes lie between the two inline sizes.
const SIZES: [u64; 12] = [1, 16, 64, 96, 128, 256, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 32 << 10, 128 << 10];

/// Part (a) of the figures goes so far.
const SMALL: u64 = 1 << 10;

/// From here on `large`: bandwidth decides, and the paper expects the mixed machine to fall behind.
pub(super) const MEDIUM: u64 = 8 << 10;

/// One job: microseconds over random orders of its nodes.
pub(super) struct Cell {
    pub(super) ranks: u32,
    pub(super) bytes: u64,
    pub(super) root: &'static str,
    /// The orders in which the nodes are listed.
    pub(super) naive: Sample,
    pub(super) dft: Sample,
    pub(super) bft: Sample,
    /// As many ranks on DDR nodes alone.
    pub(super) all_ddr: f64,
    /// Percent by which the naive order takes longer than the better traversal.
    pub(super) better: Sample,
}

/// SDR hosts first, then DDR hosts; so many spines of the two trees are joined.
pub(super) fn fabric(joints: u32) -> Result<Fabric> {
    let mut b = Builder::new("Glenn", SDR.0 + DDR.0, SDR.1 + DDR.1 + 2 * SPINES);
    let class = |name: &str, rate: f64, host: bool| LinkClass {
        name: name.to_string(),
        bandwidth: Some(Bandwidth::gb_s(rate)),
        latency: Nanos(if host { 0 } else { LINK_NANOS }),
        host,
    };
    let spine = |tree: u32, i: u32| SDR.1 + DDR.1 + tree * SPINES + i;
    let trees = [("SDR", 1.0, SDR, 0, 0), ("DDR", 2.0, DDR, SDR.0, SDR.1)];
    for (tree, (name, rate, (nodes, leaves), first, first_leaf)) in (0..).zip(trees) {
        let (host, up) = (b.class(class(&format!("host {name}"), rate, true)), b.class(class(name, rate, false)));
        for i in 0..nodes {
            b.cable(VertexId(first + i), b.switch(first_leaf + i / 12), host);
        }
        for leaf in 0..leaves {
            (0..SPINES).for_each(|s| b.cable(b.switch(first_leaf + leaf), b.switch(spine(tree, s)), up));
        }
    }
    let joint = b.class(class("joint", 1.0, false));
    (0..joints.min(SPINES)).for_each(|s| b.cable(b.switch(spine(0, s)), b.switch(spine(1, s)), joint));
    b.host_per_endpoint(1);
    b.finish()
}

pub(super) fn is_sdr(endpoint: VertexId) -> bool {
    endpoint.0 < SDR.0
}

/// ns that a node needs before each send.
pub(super) fn fetch(endpoint: VertexId, bytes: u64) -> u64 {
    let inline = if is_sdr(endpoint) { SDR_INLINE } else { DDR_INLINE };
    if bytes > inline { FETCH } else { 0 }
}

/// Random nodes: half of the ranks on each tree, or all on DDR; `first` is the root's tree.
fn job(ranks: u32, mixed: bool, root: &str, rng: &mut Rng) -> Places {
    let mut draw = |count: u32, of: u32, first: u32| -> Vec<u32> {
        rng.sample(count as usize, of as usize).into_iter().map(|i| first + i as u32).collect()
    };
    let (slow, fast) = if mixed { (ranks / 2 / SDR_CORES, ranks / 2 / DDR_CORES) } else { (0, ranks / DDR_CORES) };
    let mut nodes = draw(slow, SDR.0, 0);
    nodes.extend(draw(fast, DDR.0, SDR.0));
    rng.shuffle(&mut nodes);
    let want = root == "SDR";
    if let Some(at) = nodes.iter().position(|&n| is_sdr(VertexId(n)) == want) {
        nodes.swap(0, at);
    }
    places(&nodes)
}

/// One rank on each of these nodes.
pub(super) fn places(nodes: &[u32]) -> Places {
    Places::on(nodes.iter().map(|&n| HostId(n)).collect(), nodes.iter().map(|&n| VertexId(n)).collect())
}

/// Up and down from the spines of both trees.
pub(super) fn routing(joints: u32) -> Result<impl Routing> {
    let fabric = Arc::new(fabric(joints)?);
    let first = fabric.endpoints() + SDR.1 + DDR.1;
    let roots: Vec<VertexId> = (first..first + 2 * SPINES).map(VertexId).collect();
    Ok(up_down(fabric, &roots))
}

/// Both job sizes, both kinds of root, all sizes.
pub(super) fn cells(options: &Options) -> Result<Vec<Cell>> {
    let routing = routing(SPINES)?;
    let mut all = Vec::new();
    for (ranks, root) in [(128, "DDR"), (128, "SDR"), (256, "DDR"), (256, "SDR")] {
        for bytes in SIZES {
            all.push(cell(&routing, ranks, root, bytes, options)?);
        }
    }
    Ok(all)
}

fn cell(routing: &dyn Routing, ranks: u32, root: &'static str, bytes: u64, options: &Options) -> Result<Cell> {
    let model = model()?;
    let more = within_node(bytes);
    let leaders = |mixed: bool, rng: &mut Rng| -> Result<Leaders<'_>> {
        let places = job(ranks, mixed, root, rng);
        let delays = Delays::by_speed(&places, routing)?;
        Ok(Leaders { routing, model: &model, places, delays })
    };
    let time = |l: &Leaders<'_>, order: &[u32]| -> Result<f64> {
        let before = |r: u32| fetch(l.places.endpoint[order[r as usize] as usize], bytes);
        Ok(l.time(&tree(bytes, RADIX, order.len() as u32, before, |_| 0)?, order)? as f64 * 1e-6 + more)
    };
    let one = |number: u64| -> Result<[f64; 4]> {
        // The same nodes for every size.
        let mut rng = Rng::new(options.seed, &format!("broadcast Glenn {ranks} {root} {number}"));
        let (mixed, fast) = (leaders(true, &mut rng)?, leaders(false, &mut rng)?);
        let n = mixed.places.host.len() as u32;
        let shape = tree(bytes, RADIX, n, |_| 0, |_| 0)?;
        let given: Vec<u32> = (0..n).collect();
        let all: Vec<u32> = (0..fast.places.host.len() as u32).collect();
        Ok([
            time(&mixed, &given)?,
            time(&mixed, &mixed.order(&shape, Traversal::Depth))?,
            time(&mixed, &mixed.order(&shape, Traversal::Breadth))?,
            time(&fast, &all)?,
        ])
    };
    let jobs = if options.quick { 20 } else { 60 };
    let times = (0..jobs).into_par_iter().map(one).collect::<Result<Vec<_>>>()?;
    let sample = |i: usize| Sample::new(times.iter().map(|t| t[i]).collect());
    Ok(Cell {
        ranks,
        bytes,
        root,
        naive: sample(0),
        dft: sample(1),
        bft: sample(2),
        all_ddr: sample(3).mean(),
        better: Sample::new(times.iter().map(|t| 100.0 * (t[0] / t[1].min(t[2]) - 1.0)).collect()),
    })
}

impl Cell {
    /// Mean time of the better traversal.
    pub(super) fn aware(&self) -> f64 {
        self.dft.mean().min(self.bft.mean())
    }

    /// Number of leaders on the mixed machine and on DDR nodes alone.
    fn leaders(&self) -> (u32, u32) {
        (self.ranks / 2 / SDR_CORES + self.ranks / 2 / DDR_CORES, self.ranks / DDR_CORES)
    }
}

/// Every time, in microseconds.
pub(super) fn findings(cells: &[Cell]) -> Vec<Finding> {
    let one = |cell: &Cell| {
        let (mixed, fast) = cell.leaders();
        let part = if cell.bytes <= SMALL { "(a), small messages" } else { "(b), medium messages" };
        let (figure, slow, ddr) =
            (if cell.ranks == 128 { 7 } else { 8 }, cell.ranks / 2 / SDR_CORES, cell.ranks / 2 / DDR_CORES);
        let item = format!(
            "Figure {figure} {part}: Glenn, {} ranks, {mixed} leaders ({slow} SDR, {ddr} DDR), all-DDR {fast}, root on {}; us",
            cell.ranks, cell.root
        );
        let row: [(&'static str, Key); 1] = [("bytes", bytes(cell.bytes).as_str().into())];
        let random =
            [("naive", &cell.naive), ("dft-speed", &cell.dft), ("bft-speed", &cell.bft)].map(|(name, s)| Finding {
                computed: Some(s.mean()),
                spread: Some(s.spread()),
                range: Some(s.range()),
                samples: Some(s.len() as u32),
                ..Finding::new(item.as_str(), &row, name)
            });
        let fast = Finding { computed: Some(cell.all_ddr), ..Finding::new(item.as_str(), &row, "all DDR") };
        random.into_iter().chain([fast]).collect::<Vec<_>>()
    };
    cells.iter().flat_map(one).collect()
}

/// A value, and its least and greatest sample.
type Reach = (f64, Option<(f64, f64)>);

/// A figure for each job size, the root on a DDR node.
pub(super) fn figures(cells: &[Cell]) -> Vec<Figure> {
    [(128, "figure-7"), (256, "figure-8")].into_iter().map(|(ranks, name)| figure(cells, ranks, name)).collect()
}

fn figure(cells: &[Cell], ranks: u32, name: &str) -> Figure {
    let cells: Vec<&Cell> = cells.iter().filter(|c| c.ranks == ranks && c.root == "DDR").collect();
    let curve = |name: &str, y: fn(&Cell) -> Reach| {
        let point = |(i, cell): (usize, &&Cell)| {
            let (y, range) = y(cell);
            Point { tick: i as f64, y, range, published: None }
        };
        Series { name: name.to_string(), points: cells.iter().enumerate().map(point).collect() }
    };
    Figure {
        name: name.to_string(),
        title: format!("Glenn, {ranks} ranks, root on a DDR node"),
        x: "bytes".to_string(),
        y: "us".to_string(),
        ticks: cells.iter().map(|c| bytes(c.bytes)).collect(),
        log: true,
        series: vec![
            curve("naive", |c| (c.naive.mean(), Some(c.naive.range()))),
            curve("dft-speed", |c| (c.dft.mean(), Some(c.dft.range()))),
            curve("bft-speed", |c| (c.bft.mean(), Some(c.bft.range()))),
            curve("all DDR", |c| (c.all_ddr, None)),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_trees_are_there_and_jobs_are_half_and_half() {
        let f = fabric(SPINES).expect("a fabric");
        // Hosts, leaves to spines, spines to spines.
        assert_eq!(f.links() as u32, 2 * (877 + 650 + (74 + 55) * 12 + 12));
        for (root, sdr) in [("SDR", true), ("DDR", false)] {
            let places = job(256, true, root, &mut Rng::new(1, "job"));
            let slow = places.endpoint.iter().filter(|e| is_sdr(**e)).count();
            assert_eq!((slow, places.endpoint.len() - slow, is_sdr(places.endpoint[0])), (32, 16, sdr));
        }
    }

    #[test]
    fn only_sdr_adapters_fetch_between_the_inline_sizes() {
        let (sdr, ddr) = (VertexId(0), VertexId(SDR.0));
        assert_eq!(
            [64, 96, 128, 129].map(|n| (fetch(sdr, n), fetch(ddr, n))),
            [(0, 0), (FETCH, 0), (FETCH, 0), (FETCH, FETCH)]
        );
    }
}
