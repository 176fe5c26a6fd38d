//! Figure 6: broadcasts on Ranger by message size and by job size, over many
//! allocations.

use super::model::{broadcast, model, within_node};
use super::orders::{Leaders, Times};
use super::ranger::{Ranger, places};
use super::stated::CORES;
use crate::sample::Sample;
use crate::{Figure, Finding, Key, Options, Point, Series};
use hopline::error::Result;
use hopline::ordering::Delays;
use hopline::rng::Rng;
use rayon::prelude::*;

/// How the batch system hands a job its hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listed {
    /// In the order of their names.
    ByName,
    /// In any order.
    AtRandom,
}

impl Listed {
    pub(super) fn word(self) -> &'static str {
        match self {
            Listed::ByName => "by name",
            Listed::AtRandom => "at random",
        }
    }
}

/// One job: times of its allocations.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub(super) bytes: u64,
    pub(super) ranks: u32,
    pub(super) listed: Listed,
    pub(super) times: Vec<Times>,
}

/// Sizes of Figure 6 (a), in bytes; the small ones first.
const SIZES: [u64; 8] = [4, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];
pub(super) const SMALL: usize = 3;

/// Jobs of Figure 6 (b), in ranks.
const JOBS: [u32; 5] = [256, 512, 1024, 2048, 4096];

/// What is spent on one job size: allocations, and exchanges that `optimised` tries.
fn effort(ranks: u32, options: &Options) -> (u64, u64) {
    match (ranks, options.quick) {
        (..=1024, true) => (16, 3),
        (2048, true) => (8, 1),
        (_, true) => (4, 1),
        (..=1024, false) => (96, 6),
        (2048, false) => (64, 3),
        (_, false) => (32, 1),
    }
}

/// Every size at 1,024 ranks.
pub(super) fn by_size(ranger: &Ranger, options: &Options) -> Result<Vec<Cell>> {
    let jobs =
        [Listed::ByName, Listed::AtRandom].into_iter().map(|listed| cells(ranger, 1024, &SIZES, listed, options));
    Ok(jobs.collect::<Result<Vec<_>>>()?.concat())
}

/// The small sizes at 1,024 ranks.
pub(super) fn small(ranger: &Ranger, options: &Options) -> Result<Vec<Cell>> {
    let sizes = &SIZES[..SMALL];
    let jobs = [Listed::ByName, Listed::AtRandom].into_iter().map(|listed| cells(ranger, 1024, sizes, listed, options));
    Ok(jobs.collect::<Result<Vec<_>>>()?.concat())
}

/// 1 MB at every job size.
pub(super) fn by_job(ranger: &Ranger, options: &Options) -> Result<Vec<Cell>> {
    let jobs = [Listed::ByName, Listed::AtRandom].into_iter().flat_map(|listed| JOBS.map(|ranks| (listed, ranks)));
    let jobs = jobs.map(|(listed, ranks)| cells(ranger, ranks, &[1 << 20], listed, options));
    Ok(jobs.collect::<Result<Vec<_>>>()?.concat())
}

/// The same allocations for all sizes.
pub(super) fn cells(
    ranger: &Ranger,
    ranks: u32,
    sizes: &[u64],
    listed: Listed,
    options: &Options,
) -> Result<Vec<Cell>> {
    let (allocations, evaluations) = effort(ranks, options);
    let (model, leaders) = (model()?, ranks / CORES);
    let schedules = sizes.iter().map(|&bytes| broadcast(bytes, leaders)).collect::<Result<Vec<_>>>()?;
    let one = |number: u64| -> Result<Vec<Times>> {
        let mut rng = Rng::new(options.seed, &format!("broadcast {ranks} {number}"));
        let mut nodes = ranger.allocate(leaders as usize, &mut rng);
        if listed == Listed::AtRandom {
            rng.shuffle(&mut nodes);
        }
        let places = places(&nodes);
        let delays = Delays::by_hops(&places, &*ranger.routing)?;
        let leaders = Leaders { routing: &*ranger.routing, model: &model, places, delays };
        let timed = schedules.iter().zip(sizes).map(|(schedule, &bytes)| {
            Ok(leaders.times(schedule, evaluations, options.seed + number)?.plus(within_node(bytes)))
        });
        timed.collect()
    };
    let all = (0..allocations).into_par_iter().map(one).collect::<Result<Vec<_>>>()?;
    let cell = |(i, &bytes): (usize, &u64)| {
        let times = all.iter().map(|a| a[i]).collect();
        Cell { bytes, ranks, listed, times }
    };
    Ok(sizes.iter().enumerate().map(cell).collect())
}

/// Percent that an order saves, over the allocations.
pub(super) fn gains(cell: &Cell, order: fn(&Times) -> f64) -> Sample {
    Sample::new(cell.times.iter().map(|t| t.gain(order(t))).collect())
}

/// The default time, and what each order saves.
pub(super) fn findings(item: &str, cells: &[Cell]) -> Vec<Finding> {
    let one = |cell: &Cell| {
        let row: [(&'static str, Key); 2] =
            [("ranks", cell.ranks.into()), ("bytes", super::bytes(cell.bytes).as_str().into())];
        let shown = |column: &str, sample: &Sample| Finding {
            computed: Some(sample.mean()),
            spread: Some(sample.spread()),
            range: Some(sample.range()),
            samples: Some(sample.len() as u32),
            ..Finding::new(format!("{item}, hosts listed {}", cell.listed.word()), &row, column)
        };
        let default = Sample::new(cell.times.iter().map(|t| t.default).collect());
        let mut found = vec![shown("default, us", &default)];
        for (name, order) in ORDERS {
            found.push(shown(&format!("{name} saves, %"), &gains(cell, order)));
        }
        found
    };
    cells.iter().flat_map(one).collect()
}

/// An order and its time.
type Order = (&'static str, fn(&Times) -> f64);

/// The orders beside the given one.
const ORDERS: [Order; 3] = [("dft", |t| t.dft), ("bft", |t| t.bft), ("optimised", |t| t.optimised)];

/// What orders save of the default's time, of the jobs that are listed at random: the times themselves lie on each other.
pub(super) fn figure(name: &str, title: &str, x: &str, cells: &[Cell], tick: impl Fn(&Cell) -> String) -> Figure {
    let cells: Vec<&Cell> = cells.iter().filter(|c| c.listed == Listed::AtRandom).collect();
    let series = ORDERS.map(|(name, order)| {
        let point = |(i, cell): (usize, &&Cell)| {
            let sample = gains(cell, order);
            Point { tick: i as f64, y: sample.mean(), range: Some(sample.range()), published: None }
        };
        Series { name: name.to_string(), points: cells.iter().enumerate().map(point).collect() }
    });
    Figure {
        name: name.to_string(),
        title: title.to_string(),
        x: x.to_string(),
        y: "saved of the default's time, %".to_string(),
        ticks: cells.iter().map(|c| tick(c)).collect(),
        log: false,
        series: series.into(),
    }
}
