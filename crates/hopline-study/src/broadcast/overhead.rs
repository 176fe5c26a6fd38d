//! Table III: what a topology-aware communicator costs, as printed and as it grows.

use super::model::model;
use super::orders::Leaders;
use super::ranger::{Ranger, places};
use super::service;
use crate::{Finding, Published, Verdict};
use hopline::error::Result;
use hopline::ordering::Delays;
use hopline::rng::Rng;

/// Nodes; then discovery, delay matrix, its broadcast, communicator and the total
/// of an initial call, as printed, in ms.
const PRINTED: [(u32, [f64; 5]); 3] =
    [(8, [5.1, 5.7, 0.5, 0.13, 11.6]), (16, [4.2, 23.7, 4.8, 1.5, 30.8]), (32, [6.9, 103.1, 5.9, 2.4, 115.5])];

const PHASES: [&str; 4] = ["discover switches", "delay matrix", "broadcast matrix", "create communicator"];

/// Sizes past the paper.
const BEYOND: [u32; 4] = [64, 128, 256, 512];

/// Bytes of a cell of the delay matrix.
const CELL: u64 = 4;

/// Printed totals beside the sums of their phases; the cost model beside the phases; the model further on.
pub(super) fn findings(ranger: &Ranger) -> Result<Vec<Finding>> {
    let mut found = sums();
    let fit = Fit::new();
    // Laws through the printed values are no values of the paper.
    for nodes in PRINTED.map(|(nodes, _)| nodes).into_iter().chain(BEYOND) {
        for (phase, ms) in PHASES
            .into_iter()
            .chain(["total"])
            .zip(fit.phases(nodes).into_iter().chain([fit.phases(nodes).iter().sum()]))
        {
            let row = [("nodes", nodes.into())];
            found.push(Finding {
                computed: Some(ms),
                ..Finding::new("Table III: cost model, ms, initial call", &row, phase)
            });
        }
    }
    found.extend(service::findings(&PRINTED));
    found.extend(subsequent(&fit));
    found.extend(matrices(ranger)?);
    Ok(found)
}

/// Printed totals beside the sums of their printed phases. Both are the paper's: nothing of ours could match or differ.
fn sums() -> Vec<Finding> {
    let one = |(nodes, printed): (u32, [f64; 5])| {
        let sum = (printed[..4].iter().sum::<f64>() * 1e4).round() / 1e4;
        // Five printed numbers, four of a decimal and one of two, may each be off by a half of the last.
        let within = 4.0 * 0.05 + 0.005;
        let off = ((printed[4] - sum) * 100.0).round() / 100.0;
        let [total, off] = [printed[4], off].map(hopline::unit::short);
        let why = match (printed[4] - sum).abs() <= within {
            true => format!("the printed total is {total}, as rounding allows"),
            false => format!("the printed total is {total}, {off} off the sum; left out, no phase gives it"),
        };
        Finding {
            computed: Some(sum),
            ..Finding::new(SUMS, &[("nodes", nodes.into())], "sum of the printed phases").remark(why)
        }
    };
    PRINTED.into_iter().map(one).collect()
}

const SUMS: &str = "Table III: printed total beside the sum of its printed phases, ms";

/// Laws through the printed values.
struct Fit {
    discover: f64,
    pair: f64,
    broadcast: f64,
    create: f64,
}

impl Fit {
    /// Means of what each printed value gives for its law.
    fn new() -> Fit {
        let mean = |phase: usize, law: fn(f64) -> f64| {
            PRINTED.iter().map(|(nodes, ms)| ms[phase] / law(f64::from(*nodes))).sum::<f64>() / PRINTED.len() as f64
        };
        Fit {
            discover: mean(0, |_| 1.0),
            pair: mean(1, |n| n * n),
            broadcast: mean(2, f64::log2),
            create: mean(3, |n| n),
        }
    }

    /// Milliseconds of each phase of an initial call.
    fn phases(&self, nodes: u32) -> [f64; 4] {
        let n = f64::from(nodes);
        [self.discover, self.pair * n * n, self.broadcast * n.log2(), self.create * n]
    }
}

/// The same root again costs nothing, another root a new communicator.
fn subsequent(fit: &Fit) -> Vec<Finding> {
    let row = |nodes: u32| [("nodes", nodes.into())];
    let item = "Table III: total of later calls, ms";
    let nodes = PRINTED.map(|(nodes, _)| nodes).into_iter().chain(BEYOND);
    let each = nodes.flat_map(|nodes| {
        [("same root", 0.0), ("different root", fit.phases(nodes)[3])]
            .map(|(column, ms)| Finding { computed: Some(ms), ..Finding::new(item, &row(nodes), column) })
    });
    each.collect()
}

const MATRIX: &str = "Table III: broadcasting an N x N matrix of 4 bytes, ms, by replay";

/// Milliseconds that the network needs for the matrix of so many nodes.
const NETWORK: [(u32, f64); 3] = [(8, 0.0075), (16, 0.0123), (32, 0.0374)];

const OTHER_TIME: &str = "the network takes less than 2 % of the printed time, and with a hundred times the bytes (see `100 times the bytes`) \
                          less than the printed time still: what is printed is time of the software, of which the paper says nothing";

/// What the network alone needs to broadcast the matrix, beside what is printed.
fn matrices(ranger: &Ranger) -> Result<Vec<Finding>> {
    let model = model()?;
    let mut found = Vec::new();
    for (nodes, printed) in PRINTED.iter().map(|(n, ms)| (*n, Some(ms[2]))).chain(BEYOND.map(|n| (n, None))) {
        let places = places(&ranger.allocate(nodes as usize, &mut Rng::new(0, "broadcast matrix")));
        let delays = Delays::by_speed(&places, &*ranger.routing)?;
        let leaders = Leaders { routing: &*ranger.routing, model: &model, places, delays };
        let bytes = u64::from(nodes) * u64::from(nodes) * CELL;
        let order: Vec<u32> = (0..nodes).collect();
        let time = |bytes| Ok(leaders.time(&super::model::broadcast(bytes, nodes)?, &order)? as f64 * 1e-9);
        let ms = time(bytes)?;
        let found_ = Finding {
            published: printed.map(Published::Number),
            computed: Some(ms),
            verdict: if printed.is_some() { Verdict::Differs } else { Verdict::Ours },
            ..Finding::new(MATRIX, &[("nodes", nodes.into())], "ms")
        };
        if printed.is_some() {
            let more = Finding::new(MATRIX, &[("nodes", nodes.into())], "100 times the bytes");
            found.push(Finding { computed: Some(time(100 * bytes)?), ..more });
        }
        let known = NETWORK.iter().find(|n| n.0 == nodes).map_or(f64::NAN, |n| n.1);
        found.push(found_.deviates(known, 0.1 * known, OTHER_TIME));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_matrix_grows_with_the_square() {
        let fit = Fit::new();
        assert!((fit.phases(512)[1] / fit.phases(32)[1] - 256.0).abs() < 1e-9);
        let worst = PRINTED.iter().map(|(n, ms)| (fit.phases(*n)[1] / ms[1] - 1.0).abs()).fold(0.0, f64::max);
        assert!(worst < 0.1, "{worst}");
    }
}
