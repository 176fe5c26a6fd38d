//! Seats near a given one, for moves that bring a task to those it talks to.

use super::measure::Places;
use super::{Seats, Shape};
use crate::fabric::Fabric;
use crate::id::VertexId;
use crate::mapping::distance::{Code, Metric};

/// Fewest places around each one, most of them, and how many vertices are looked at for them.
const FEWEST: usize = 4;
const MOST: usize = 24;
const LOOK: usize = 600;

/// How near seats are found.
pub(super) enum Near {
    /// Nested parts: where the part of each depth begins and ends, by place.
    Parts {
        /// Depth of the highest bit in which two paths differ, by number of bits.
        depth: [u8; 65],
        /// `ends[place * depths + d]`: seats of the part of depth d around the place.
        ends: Vec<(u32, u32)>,
        /// Depths, that of the place itself included.
        depths: usize,
    },
    /// `places[first[p]..first[p + 1]]` are around place p.
    Around {
        /// By place.
        first: Vec<u32>,
        /// The places.
        places: Vec<u32>,
    },
}

impl Near {
    pub(super) fn new(fabric: &Fabric, places: &Places, first: &[u32]) -> Near {
        match (&places.metric, &places.shape) {
            (Metric::Levels(_), Shape::Nested { path, shifts }) => parts(path, shifts, first),
            _ => around(fabric, places, first),
        }
    }

    /// For places that keep one seat of `each`.
    pub(super) fn one_per_place(&self, each: u32) -> Near {
        match self {
            Near::Parts { depth, ends, depths } => Near::Parts {
                depth: *depth,
                ends: ends.iter().map(|&(low, high)| (low / each, high / each)).collect(),
                depths: *depths,
            },
            Near::Around { first, places } => Near::Around { first: first.clone(), places: places.clone() },
        }
    }

    #[inline]
    pub(super) fn pick(&self, seats: &Seats, goal: u32, from: u32, word: u32) -> Option<u32> {
        // Two scalings of a random number: 8 bits choose the part, the others the seat.
        let scale = |bits: u32, range: u32, width: u32| ((u64::from(bits) * u64::from(range)) >> width) as u32;
        let place = seats.place(goal);
        let (low, high) = match self {
            Near::Parts { depth, ends, depths } => {
                let differ = seats.code(goal) ^ seats.code(from);
                if differ == 0 {
                    return None;
                }
                // Any part around the goal that leaves `from` outside.
                let outer = u32::from(depth[(64 - differ.leading_zeros()) as usize]);
                let inner = *depths as u32 - 1;
                let own = seats.seats_of(place);
                let single = u32::from(own.end - own.start == 1 && inner > outer);
                let d = outer + scale(word & 0xff, inner - outer + 1 - single, 8);
                ends[place as usize * depths + d as usize]
            }
            Near::Around { first, places } => {
                let own = &places[first[place as usize] as usize..first[place as usize + 1] as usize];
                let at = *own.get(scale(word & 0xff, own.len() as u32, 8) as usize)?;
                let seats = seats.seats_of(at);
                (seats.start, seats.end)
            }
        };
        Some(low + scale(word >> 8, high - low, 24))
    }
}

/// Places are in the order of their paths, so parts are ranges.
fn parts(path: &[Code], shifts: &[u32], first: &[u32]) -> Near {
    let depths = shifts.len().max(1);
    let mut depth = [0u8; 65];
    for (d, &shift) in shifts.iter().enumerate().rev() {
        depth[shift as usize + 1..].fill(d as u8);
    }
    let mut ends = vec![(0, 0); path.len() * depths];
    for (d, &shift) in shifts.iter().enumerate() {
        let mut at = 0;
        while at < path.len() {
            let until = path.partition_point(|&p| p >> shift <= path[at] >> shift);
            (at..until).for_each(|p| ends[p * depths + d] = (first[at], first[until]));
            at = until;
        }
    }
    Near::Parts { depth, ends, depths }
}

/// The places that a breadth-first search of the network meets first.
fn around(fabric: &Fabric, places: &Places, first: &[u32]) -> Near {
    let router = |v: VertexId| fabric.adapter_link(v).map_or(v, |l| fabric.target(l));
    // Places by router: several where hosts have rails.
    let mut at: Vec<(u32, u32)> = places.end.iter().enumerate().map(|(p, &e)| (router(e).0, p as u32)).collect();
    at.sort_unstable();
    let mut index = vec![u32::MAX; fabric.vertices() as usize];
    at.iter().enumerate().rev().for_each(|(i, a)| index[a.0 as usize] = i as u32);
    let mut near = (vec![0u32], Vec::new());
    let mut seen = vec![u32::MAX; fabric.vertices() as usize];
    let mut layer = Vec::new();
    for (p, &end) in places.end.iter().enumerate() {
        let start = near.1.len();
        let mut looked = 0;
        layer.clear();
        layer.push(router(end));
        seen[router(end).index()] = p as u32;
        while !layer.is_empty() && near.1.len() < start + FEWEST && looked < LOOK {
            let mut next = Vec::new();
            for &v in &layer {
                let here = &at[(index[v.index()] as usize).min(at.len())..];
                near.1.extend(here.iter().take_while(|a| a.0 == v.0).map(|a| a.1).filter(|&q| q != p as u32));
                for link in fabric.out_links(v).filter(|&l| !fabric.is_host_link(l)) {
                    let to = fabric.target(link);
                    looked += 1;
                    if seen[to.index()] != p as u32 {
                        seen[to.index()] = p as u32;
                        next.push(to);
                    }
                }
            }
            layer = next;
        }
        thin(&mut near.1, start);
        // Where several tasks share a place, every second move goes to the place itself.
        if first[p + 1] - first[p] > 1 {
            near.1.resize(start + 2 * (near.1.len() - start).max(1), p as u32);
        }
        // Nothing around: any other place is as good.
        if near.1.len() == start {
            near.1.push(((p + 1) % places.end.len()) as u32);
        }
        near.0.push(near.1.len() as u32);
    }
    Near::Around { first: near.0, places: near.1 }
}

/// Keeps at most `MOST` of the places from `own` on, evenly spaced.
fn thin(places: &mut Vec<u32>, own: usize) {
    let found = places.len() - own;
    if found > MOST {
        (0..MOST).for_each(|i| places[own + i] = places[own + i * found / MOST]);
        places.truncate(own + MOST);
    }
}
