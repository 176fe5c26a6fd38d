//! A lower bound on hop-bytes over all mappings of a problem.
//!
//! The first two arguments of the [module above](super), with distances as prices
//! and without links: peers of a task sit in different slots, so that they are
//! at least as far as the nearest slots are; and parts of a hierarchy hold few
//! tasks, so that something must go between them. Of small jobs every task is
//! besides assigned a slot of its own, at the cost that it has there at least
//! (Gilmore 1962, Lawler 1963).

use super::assignment::least_assignment;
use super::{Boundary, MOST_PAIRS, distance, most_slots};
use crate::mapping::Problem;
use crate::mapping::distance::Metric;
use crate::mapping::search::TaskGraph;
use crate::mapping::seats::{Seats, Shape};

/// With more places not every one is looked from.
const MOST_PLACES: usize = 4096;

/// No mapping has less hop-bytes (the demand's unit x hops, or x the distance
/// of the fabric's levels). `None` where nothing is known: more than 2^20 pairs
/// of tasks, or switches without exact distances. O(places^2 + pairs of tasks).
pub fn hop_bound(problem: &Problem<'_>) -> Option<f64> {
    let graph = TaskGraph::new(problem.demand(), MOST_PAIRS)?;
    let seats = Seats::new(problem, 1).ok().filter(|seats| seats.exact(problem.fabric()))?;
    let near = nearest(&seats, graph.most_peers()).map_or(0.0, |cheapest| distance(&graph, &cheapest));
    let assigned = if seats.len() <= MOST_ASSIGNED { assigned(&seats, &graph) } else { 0.0 };
    Some(near.max(between_parts(problem, &seats, &graph)).max(assigned) / seats.scale())
}

/// With more slots no assignment is looked for.
const MOST_ASSIGNED: usize = 256;

/// Half the least cost of assigning tasks to seats, where a task at a seat costs
/// what it exchanges, the largest amounts with the nearest seats. O(seats^3).
fn assigned(seats: &Seats, graph: &TaskGraph) -> f64 {
    let sorted = |seat: u32| {
        let others = (0..seats.len() as u32).filter(|&other| other != seat);
        let mut far: Vec<u32> = others.map(|other| seats.distance(seat, other)).collect();
        far.sort_unstable();
        far
    };
    let far: Vec<Vec<u32>> = (0..seats.len() as u32).map(sorted).collect();
    let exchanged = |task: u32| {
        let mut amounts: Vec<f64> = graph.of(task).iter().map(|p| p.out + p.back).collect();
        amounts.sort_by(|a, b| f64::total_cmp(b, a));
        amounts
    };
    let amounts: Vec<Vec<f64>> = (0..graph.tasks()).map(exchanged).collect();
    let cost = |task: usize, seat: usize| -> f64 {
        amounts[task].iter().zip(&far[seat]).map(|(amount, &d)| amount * f64::from(d)).sum()
    };
    let costs: Vec<f64> =
        (0..amounts.len()).flat_map(|t| (0..far.len()).map(move |s| (t, s))).map(|(t, s)| cost(t, s)).collect();
    let least = least_assignment(amounts.len(), far.len(), |t, s| costs[t * far.len() + s]);
    least / 2.0 * (1.0 - 1e-9)
}

/// `cheapest[k]`: the least sum of the k smallest distances from any seat to
/// others. `None` with too many places that are no whole torus.
fn nearest(seats: &Seats, peers: usize) -> Option<Vec<f64>> {
    let places = seats.places();
    let whole = match seats.shape() {
        Shape::Torus { extents, .. } => extents.iter().map(|&k| k as usize).product::<usize>() == places,
        Shape::Nested { .. } => false,
    };
    if places > MOST_PLACES && !whole {
        return None;
    }
    let own = |place: u32| seats.seats_of(place).len();
    let most = (0..places as u32).map(own).max().unwrap_or(0);
    let mut least = vec![f64::INFINITY; peers + 1];
    least[0] = 0.0;
    let mut far: Vec<(u32, usize)> = Vec::new();
    // All places of a whole torus see the same, if they have as many seats.
    for from in 0..if whole { 1 } else { places as u32 } {
        far.clear();
        far.extend((0..places as u32).map(|to| {
            let there = if whole { most } else { own(to) };
            // A task does not sit with itself.
            let free = there - usize::from(to == from);
            (seats.distance(seats.seats_of(from).start, seats.seats_of(to).start), free)
        }));
        // Each place but this one has a seat at least.
        if peers + 1 < far.len() {
            far.select_nth_unstable(peers + 1);
            far.truncate(peers + 1);
        }
        far.sort_unstable();
        let distances = far.iter().flat_map(|&(d, free)| std::iter::repeat_n(d, free));
        let mut sum = 0.0;
        for (d, least) in distances.zip(&mut least[1..]) {
            sum += f64::from(d);
            *least = least.min(sum);
        }
    }
    Some(least)
}

/// What must go between the parts of each depth, times how much farther that is.
fn between_parts(problem: &Problem<'_>, seats: &Seats, graph: &TaskGraph) -> f64 {
    let boundary = Boundary::new(problem.demand().grid(), graph);
    let all = 0..seats.len() as u32;
    let (Metric::Levels(levels), Shape::Nested { shifts, .. }) = (seats.metric(), seats.shape()) else {
        // Elsewhere the only parts are the places.
        return boundary.crossing(most_slots(all.map(|s| seats.place(s)))) * nearest_places(seats);
    };
    // Innermost first: seats of one place, then what differs above each depth.
    let (mut sum, mut paid) = (0.0, 0);
    for &shift in shifts.iter().rev() {
        let far = levels.by_bits[shift as usize + 1..].iter().copied().min().unwrap_or(0);
        let path = |seat: u32| seats.code(seat) >> shift;
        let crossing = boundary.crossing(most_slots(all.clone().map(|s| path(s) as u32)));
        sum += crossing * f64::from(far.saturating_sub(paid));
        paid = paid.max(far);
    }
    sum
}

/// The least distance between two places.
fn nearest_places(seats: &Seats) -> f64 {
    match seats.metric() {
        Metric::Table(table) => {
            let others = (0..table.rows).flat_map(|a| (0..a).map(move |b| table.hops[a * table.rows + b]));
            others.min().map_or(0.0, f64::from)
        }
        // Distinct places of a torus have distinct coordinates.
        _ => 1.0,
    }
}
