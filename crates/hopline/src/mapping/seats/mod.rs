//! [`Seats`]: the slots of an allocation, renumbered so that those at one place
//! are neighbours, with the distance between any two.
//!
//! A *place* is what slots share that are at distance 0: an endpoint where
//! distances are those of levels or of a torus, else the switch behind it.

mod halves;
mod hierarchy;
mod measure;
mod near;

pub(super) use measure::rings;

use super::distance::{Code, Distance, Metric, with_metric};
use super::graph::Graph;
use super::{Mapping, Problem};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::SlotId;
use near::Near;

/// The slots that tasks, or units of several ranks, may take.
pub(super) struct Seats {
    /// The slot of each seat; with units of several ranks their first slot.
    slot: Vec<SlotId>,
    /// Per seat: its place, and where that is.
    place: Vec<u32>,
    code: Vec<Code>,
    /// `first[p]..first[p + 1]` are the seats of place p.
    first: Vec<u32>,
    /// The seat of every slot in launcher order.
    launch: Vec<u32>,
    metric: Metric,
    /// Distances are so many times the hops.
    scale: u32,
    /// Whether slots of one host share a place.
    by_host: bool,
    /// Where to cut the machine in two.
    shape: Shape,
    near: Near,
    /// Kind of every seat, where they differ.
    kind: Vec<u32>,
}

/// How the machine is cut.
#[derive(Debug, Clone)]
pub(super) enum Shape {
    /// Along the axes of a torus of these extents, or of a part of one such as a mesh; a row of coordinates per place.
    Torus {
        /// Extent of each axis.
        extents: Vec<u32>,
        /// Place by place.
        coordinates: Vec<u32>,
    },
    /// Along nested parts.
    Nested {
        /// Per place: its path from the root, as in [`super::distance::Levels`].
        path: Vec<Code>,
        /// Lowest bit of each depth in a path, outermost first; falls strictly.
        shifts: Vec<u32>,
    },
}

impl Seats {
    /// The seats of a problem's allocation for units of `unit` ranks.
    /// O(slots log slots), and for each switch in use a search of the network
    /// where neither levels nor coordinates tell distances.
    ///
    /// # Errors
    /// Two hosts have no way between them, or the allocation has no whole hosts.
    pub(super) fn new(problem: &Problem<'_>, unit: u32) -> Result<Seats> {
        let hosts = problem.fabric().hosts();
        // Whole hosts: their first slots stand for them.
        let whole = |s: &SlotId| unit == 1 || hosts.rank_in_host(*s).is_multiple_of(unit);
        let slots: Vec<SlotId> = problem.slots().iter().copied().filter(whole).collect();
        let units = problem.tasks().div_ceil(unit);
        if slots.len() < units as usize {
            let text =
                format!("{units} blocks of {unit} ranks do not fit onto {} whole hosts of the allocation", slots.len());
            return Err(Error::input(text).hint("give whole hosts, or place single ranks"));
        }
        let (own, places) = measure::places(problem, &slots)?;
        let mut order: Vec<u32> = (0..slots.len() as u32).collect();
        order.sort_by_key(|&i| own[i as usize]);
        let mut launch = vec![0u32; slots.len()];
        order.iter().enumerate().for_each(|(seat, &i)| launch[i as usize] = seat as u32);
        let place: Vec<u32> = order.iter().map(|&i| own[i as usize]).collect();
        let mut first = vec![0u32; places.code.len() + 1];
        place.iter().for_each(|&p| first[p as usize + 1] += 1);
        (1..first.len()).for_each(|p| first[p] += first[p - 1]);
        let near = Near::new(problem.fabric(), &places, &first);
        let kinds = problem.kinds().map(|kinds| kinds.of_places());
        Ok(Seats {
            slot: order.iter().map(|&i| slots[i as usize]).collect(),
            code: place.iter().map(|&p| places.code[p as usize]).collect(),
            place,
            first,
            launch,
            metric: places.metric,
            scale: places.scale,
            by_host: places.by_host,
            shape: places.shape,
            near,
            kind: kinds.map_or(Vec::new(), |kind| order.iter().map(|&i| kind[i as usize]).collect()),
        })
    }

    /// Number of seats.
    pub(super) fn len(&self) -> usize {
        self.slot.len()
    }

    /// Number of places.
    pub(super) fn places(&self) -> usize {
        self.first.len() - 1
    }

    /// Where a seat is.
    #[inline]
    pub(super) fn code(&self, seat: u32) -> Code {
        self.code[seat as usize]
    }

    /// The metric of the codes.
    pub(super) fn metric(&self) -> &Metric {
        &self.metric
    }

    /// Whether distances are those of the fabric, and not means of many places.
    pub(super) fn exact(&self, fabric: &Fabric) -> bool {
        let told = fabric.has_distances() || !matches!(self.metric, Metric::Levels(_) | Metric::Table(_));
        self.by_host && (told || self.places() <= measure::TABLE_PLACES) && self.one_router_each(fabric)
    }

    /// Whether every endpoint sends to the router that it hears from: distances are hops from one to the other.
    fn one_router_each(&self, fabric: &Fabric) -> bool {
        let one = |slot: &SlotId| {
            let links = || fabric.out_links(fabric.hosts().endpoint_of(*slot));
            let routers = || links().filter(|&l| fabric.class_of(l).host).map(|l| fabric.target(l));
            routers().all(|router| Some(router) == routers().next())
        };
        self.slot.iter().all(one)
    }

    /// Distances are so many times those of the fabric: means over rails are made whole.
    pub(super) fn scale(&self) -> f64 {
        f64::from(self.scale)
    }

    /// How the machine is cut.
    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Distance between two seats.
    pub(super) fn distance(&self, a: u32, b: u32) -> u32 {
        self.metric.between(self.code(a), self.code(b))
    }

    /// Number of parts at a depth of a hierarchy; the paths of places differ in
    /// the bits from `shift` on where their parts do. `None` without a depth.
    pub(super) fn parts(&self, shift: Option<u32>) -> Option<usize> {
        let Shape::Nested { path, .. } = &self.shape else { return None };
        let shift = shift?;
        Some(1 + path.windows(2).filter(|p| p[0] >> shift != p[1] >> shift).count())
    }

    /// The same places with one seat each, and how many they have, where all have
    /// equally many and more than one.
    pub(super) fn one_per_place(&self) -> Option<(Seats, u32)> {
        let each = (self.len() / self.places().max(1)) as u32;
        if each < 2 || (0..self.places() as u32).any(|p| self.seats_of(p).len() != each as usize) {
            return None;
        }
        let places = self.places() as u32;
        let seats = Seats {
            slot: self.slot.iter().copied().step_by(each as usize).collect(),
            place: (0..places).collect(),
            code: self.code.iter().copied().step_by(each as usize).collect(),
            first: (0..=places).collect(),
            launch: (0..places).collect(),
            metric: self.metric.clone(),
            scale: self.scale,
            by_host: self.by_host,
            shape: self.shape.clone(),
            near: self.near.one_per_place(each),
            kind: Vec::new(),
        };
        Some((seats, each))
    }

    /// The place of a seat.
    pub(super) fn place(&self, seat: u32) -> u32 {
        self.place[seat as usize]
    }

    /// The seats of a place.
    pub(super) fn seats_of(&self, place: u32) -> std::ops::Range<u32> {
        self.first[place as usize]..self.first[place as usize + 1]
    }

    /// The seats of the first tasks in the launcher's order.
    pub(super) fn in_order(&self, tasks: usize) -> Vec<u32> {
        self.launch[..tasks].to_vec()
    }

    /// The seat of every task of a mapping, with seats for single slots.
    ///
    /// # Errors
    /// A task sits outside the allocation.
    pub(super) fn of_mapping(&self, problem: &Problem<'_>, mapping: &Mapping) -> Result<Vec<u32>> {
        let mut seat = vec![u32::MAX; problem.fabric().hosts().slots() as usize];
        self.slot.iter().zip(0..).for_each(|(s, i)| seat[s.index()] = i);
        let of = |task| match seat[mapping.slot(task).index()] {
            u32::MAX => Err(Error::input(format!("task {task} sits outside the allocation"))),
            seat => Ok(seat),
        };
        (0..mapping.tasks()).map(of).collect()
    }

    /// A seat near that of `goal`, for a task at `from` that talks to the one there;
    /// `None` where both are at one place, or of different kinds. `word` is 32 random bits.
    #[inline]
    pub(super) fn near(&self, goal: u32, from: u32, word: u32) -> Option<u32> {
        let seat = self.near.pick(self, goal, from, word)?;
        (self.kind.is_empty() || self.kind[seat as usize] == self.kind[from as usize]).then_some(seat)
    }

    /// Puts every task of the problem into a seat of its kind.
    ///
    /// # Errors
    /// A kind has more tasks than seats.
    pub(super) fn obey(&self, problem: &Problem<'_>, seat: &mut [u32]) -> Result<()> {
        let Some(kinds) = problem.kinds() else { return Ok(()) };
        let mut launch = vec![0u32; self.len()];
        self.launch.iter().zip(0..).for_each(|(&s, at)| launch[s as usize] = at);
        seat.iter_mut().for_each(|s| *s = launch[*s as usize]);
        kinds.repair(seat)?;
        seat.iter_mut().for_each(|s| *s = self.launch[*s as usize]);
        Ok(())
    }

    /// As many seats as tasks, close together: all, or the ball around one of a
    /// few centres whose seats are nearest to each other. O(centres * seats log seats).
    pub(super) fn compact(&self, tasks: usize) -> Vec<u32> {
        const CENTRES: usize = 8;
        let all: Vec<u32> = (0..self.len() as u32).collect();
        if tasks == all.len() || tasks == 0 {
            return all[..tasks].to_vec();
        }
        let ball = |centre: u32| {
            let mut seats = all.clone();
            seats.sort_by_key(|&s| self.distance(centre, s));
            seats.truncate(tasks);
            seats.sort_unstable();
            seats
        };
        let balls = (0..CENTRES.min(all.len())).map(|c| ball((c * all.len() / CENTRES.min(all.len())) as u32));
        let first = std::iter::once(all[..tasks].to_vec());
        first.chain(balls).min_by_key(|seats| self.spread(seats, seats)).unwrap_or_default()
    }

    /// Sum of the distances between evenly spaced samples of two sets of seats:
    /// [`SAMPLES`]^2 times their mean distance.
    pub(super) fn spread(&self, a: &[u32], b: &[u32]) -> u64 {
        let pick = |set: &[u32], i: usize| self.code(set[(2 * i + 1) * set.len() / (2 * SAMPLES)]);
        let codes: [Code; SAMPLES] = std::array::from_fn(|i| pick(b, i));
        let from = |i: usize| codes.iter().map(|&c| u64::from(self.metric.between(pick(a, i), c))).sum::<u64>();
        (0..SAMPLES).map(from).sum()
    }

    /// Weight x distance over all edges, each counted twice. O(edges).
    pub(super) fn cost(&self, graph: &Graph, seat: &[u32]) -> i64 {
        let code: Vec<Code> = seat.iter().map(|&s| self.code(s)).collect();
        with_metric!(&self.metric, metric => (0..graph.len() as u32).map(|v| {
            let far = |to: u32| i64::from(metric.between(code[v as usize], code[to as usize]));
            graph.of(v).iter().map(|e| i64::from(e.weight) * far(e.to)).sum::<i64>()
        }).sum())
    }

    /// The mapping that puts unit u on seat `seat[u]`.
    ///
    /// # Errors
    /// A seat is taken twice.
    pub(super) fn mapping(&self, problem: &Problem<'_>, seat: &[u32], unit: u32) -> Result<Mapping> {
        let slot = |rank: u32| SlotId(self.slot[seat[(rank / unit) as usize] as usize].0 + rank % unit);
        Mapping::new((0..problem.tasks()).map(slot).collect(), problem.fabric())
    }
}

/// Samples of a set of seats.
pub(super) const SAMPLES: usize = 4;
