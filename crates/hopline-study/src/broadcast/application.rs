//! Figure 9: WindJammer as a skeleton, two large broadcasts in every iteration.

use super::claims::ALLOCATED;
use super::model::{broadcast, model, within_node};
use super::orders::{Leaders, Times};
use super::ranger::{Ranger, places};
use super::stated::CORES;
use super::{noise, stated};
use crate::sample::Sample;
use crate::{Finding, Options};
use hopline::error::Result;
use hopline::ordering::Delays;
use hopline::rng::Rng;
use hopline::schedule::{Builder, Schedule};
use rayon::prelude::*;

/// Bytes of each broadcast.
const BYTES: u64 = 1 << 20;

const ITEM: &str = "Figure 9: application skeleton, percent that the better traversal saves";

/// At 256 processes, the mean of 60 allocations and the standard deviation.
const MOST: f64 = 2.1;
const SPREAD: f64 = 3.9;

/// Iterations; all are alike.
const ITERATIONS: u32 = 4;

/// Parts of the default time that the application communicates, in percent.
const SHARES: [u32; 3] = [25, 50, 75];

/// `nanos` of computation on every leader, then two broadcasts, over and over.
fn skeleton(leaders: u32, nanos: u64) -> Result<Schedule> {
    let mut b = Builder::new(leaders);
    (0..leaders).for_each(|r| {
        b.compute(r, nanos);
    });
    b.finish()?.then(broadcast(BYTES, leaders)?.repeat(2)?)?.repeat(ITERATIONS)
}

/// Both job sizes of the figure with every share of communication.
pub(super) fn findings(ranger: &Ranger, options: &Options) -> Result<Vec<Finding>> {
    let (model, allocations) = (model()?, if options.quick { 20 } else { 60 });
    let mut found = Vec::new();
    for ranks in [128, 256] {
        let leaders = ranks / CORES;
        let one = |number: u64| -> Result<Vec<Times>> {
            let mut rng = Rng::new(options.seed, &format!("broadcast application {ranks} {number}"));
            let mut nodes = ranger.allocate(leaders as usize, &mut rng);
            rng.shuffle(&mut nodes);
            let places = places(&nodes);
            let delays = Delays::by_hops(&places, &*ranger.routing)?;
            let leaders_ = Leaders { routing: &*ranger.routing, model: &model, places, delays };
            let given: Vec<u32> = (0..leaders).collect();
            let bare = leaders_.time(&broadcast(BYTES, leaders)?, &given)? as f64 * 1e-6 + within_node(BYTES);
            let run = |&share: &u32| {
                let share = f64::from(share) / 100.0;
                // The copies within nodes take processor time too.
                let compute = 2.0 * (bare * (1.0 - share) / share + within_node(BYTES));
                leaders_.times(&skeleton(leaders, (compute * 1e3) as u64)?, 0, options.seed)
            };
            SHARES.iter().map(run).collect()
        };
        let all = (0..allocations).into_par_iter().map(one).collect::<Result<Vec<_>>>()?;
        let mut greatest: Option<Sample> = None;
        for (i, share) in SHARES.into_iter().enumerate() {
            let best = Sample::new(all.iter().map(|a| a[i].gain(a[i].dft.min(a[i].bft))).collect());
            let row = [("processes", ranks.into()), ("communication, %", share.into())];
            found.push(best.finding(ITEM, &row, "saves"));
            greatest = greatest.filter(|g| g.mean() > best.mean()).or(Some(best));
        }
        // What the paper says is of 256 processes.
        if let Some(greatest) = greatest.filter(|_| ranks == 256 && ranger.real) {
            let one = greatest.finding(ITEM, &[("processes", ranks.into())], "saves, most of the shares");
            let one = stated(one, "up to 8", greatest.mean().round() == 8.0);
            found.push(one.deviates(MOST, noise(SPREAD, greatest.len(), 60), ALLOCATED));
        }
    }
    Ok(found)
}
