//! Table III: what a topology-aware communicator costs, as printed and as it grows.

use super::model::model;
use super::near;
use super::orders::Leaders;
use super::ranger::{Ranger, places};
use super::service;
use crate::error::Result;
use crate::ordering::Delays;
use crate::rng::Rng;
use crate::study::{Finding, Published};

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
    for (nodes, printed) in PRINTED {
        let computed = fit.phases(nodes);
        for (i, phase) in PHASES.into_iter().enumerate() {
            let item = "Table III: cost model, ms, initial call";
            let one = near(item, &[("nodes", nodes.into())], phase, (printed[i], computed[i]), 0.15);
            found.push(if i == 1 {
                one.noted("a query for every pair: c*N^2")
            } else {
                one.noted("the three printed values follow no simple law: constant, a+b*log2 N or b*N fit them badly")
            });
        }
    }
    for nodes in BEYOND {
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

/// The phases of an initial call do not add up to the printed total.
fn sums() -> Vec<Finding> {
    let one = |(nodes, printed): (u32, [f64; 5])| {
        let sum = (printed[..4].iter().sum::<f64>() * 1e4).round() / 1e4;
        let item = "Table III: printed total beside the sum of its printed phases, ms";
        let one = near(item, &[("nodes", nodes.into())], "initial call", (printed[4], sum), 0.02);
        let less = crate::unit::short(((printed[4] - sum) * 100.0).round() / 100.0);
        one.noted(format!("the printed total is {less} off the sum of its phases"))
    };
    PRINTED.into_iter().map(one).collect()
}

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
    let printed = PRINTED.into_iter().flat_map(|(nodes, printed)| {
        [
            Finding {
                published: Some(Published::Number(0.0)),
                computed: Some(0.0),
                ..Finding::new(item, &row(nodes), "same root")
            }
            .noted("by definition: the communicator is kept"),
            near(item, &row(nodes), "different root", (printed[3], fit.phases(nodes)[3]), 0.15)
                .noted("creating the communicator alone; printed values grow faster than N at first, then slower"),
        ]
    });
    let beyond = BEYOND.into_iter().flat_map(|nodes| {
        [("same root", 0.0), ("different root", fit.phases(nodes)[3])]
            .map(|(column, ms)| Finding { computed: Some(ms), ..Finding::new(item, &row(nodes), column) })
    });
    printed.chain(beyond).collect()
}

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
        let ms = leaders.time(&super::model::broadcast(bytes, nodes)?, &order)? as f64 * 1e-9;
        let found_ = Finding {
            published: printed.map(Published::Number),
            computed: Some(ms),
            ..Finding::new(
                "Table III: broadcasting an N x N matrix of 4 bytes, ms, by replay",
                &[("nodes", nodes.into())],
                "ms",
            )
        };
        found.push(match printed {
            Some(_) => found_
                .noted("the network explains little of the printed time; the paper does not say what else is in it"),
            None => found_,
        });
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
