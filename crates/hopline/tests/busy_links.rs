//! What `congestion-search` promises beside laws that hold for all strategies: it
//! leaves the valley in which it starts.

mod common;

use common::network;
use hopline::demand::{Demand, Unit};
use hopline::error::Place;
use hopline::event::Silent;
use hopline::files::Disk;
use hopline::id::SlotId;
use hopline::loads::{Summary, evaluate};
use hopline::mapping::{self, Context, Problem};
use hopline::params::Params;

/// Conjugate gradients on 8 x 8 ranks as in NAS CG: one unit to the three others of a sum within the row, and to the
/// transposed rank. Rank r is task `task(r)`.
fn conjugate_gradients(task: impl Fn(u32) -> u32) -> Demand {
    let transposed = |r: u32| r % 8 * 8 + r / 8;
    let peers = |r: u32| [r ^ 1, r ^ 2, r ^ 4, transposed(r)].into_iter().filter(move |&peer| peer != r);
    let entries = (0..64).flat_map(|r| peers(r).map(move |peer| (r, peer)));
    let entries = entries.map(|(r, peer)| (task(r), task(peer), 1.0)).collect();
    Demand::new(64, Unit::Bytes, entries, Vec::new()).expect("demand")
}

/// Units over the busiest link of a 4x4x4 torus.
fn busiest(spec: &str, demand: &Demand, seed: u64) -> f64 {
    let net = network("torus:dims=4x4x4", None);
    let slots: Vec<SlotId> = (0..64).map(SlotId).collect();
    let problem = Problem::new(demand, &*net.routing, &slots).expect("problem");
    let params = Params::from_spec(spec, &Place::new("test", 0)).expect("spec");
    let strategy = mapping::build(&params, &Disk).expect("mapping");
    let mut silent = Silent;
    let mut context = Context::new(seed, "test", &mut silent);
    let mapping = strategy.map(&problem, &mut context).expect("mapping");
    let loads = evaluate(demand, &mapping.places(net.fabric.hosts()), &*net.routing).expect("loads");
    Summary::new(demand, &loads, &net.fabric).max_load
}

#[test]
fn it_is_no_worse_than_orders_along_curves() {
    let demand = conjugate_gradients(|r| r);
    assert_eq!(busiest("curve:of=morton", &demand, 0), 1.0);
    for seed in 0..3 {
        assert_eq!(busiest("congestion-search:evaluations=20000", &demand, seed), 1.0, "seed {seed}");
    }
}

#[test]
fn small_jobs_leave_the_valley_of_their_start() {
    // Renumbered, so that no order of the ranks is any good. Descents from random places alone came to 2 to 3 units.
    let demand = conjugate_gradients(|r| (r * 29 + 5) % 64);
    for seed in 0..3 {
        assert!(busiest("congestion-search:evaluations=300000", &demand, seed) <= 2.0, "seed {seed}");
    }
}
