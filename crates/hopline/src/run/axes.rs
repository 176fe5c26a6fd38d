//! Where the axes of a training job are under a mapping: inside hosts, on rails, in pods.

use crate::demand::Axis;
use crate::fabric::{Fabric, Rails, adapter_of};
use crate::id::VertexId;
use crate::mapping::Mapping;
use crate::plan::Plan;
use rustc_hash::FxHashMap;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// Where the traffic of an axis of a parallel job goes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct AxisPlaces {
    /// The axis: `tp`, `cp`, `ep`, `dp` or `pp`.
    pub axis: String,
    /// Ranks of each of its groups.
    pub ranks: u32,
    /// What it sends.
    pub bytes: f64,
    /// Parts of that, from the inside of hosts to the whole network; they sum to 1.
    pub places: Vec<PlaceShare>,
    /// Of what leaves hosts the part that stays on one rail: the same adapter of both hosts. Null where nothing leaves, or hosts have one
    /// adapter or spread messages over all.
    pub on_one_rail: Option<f64>,
    /// The same in words.
    pub sentence: String,
}

/// A part of an axis's traffic.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct PlaceShare {
    /// `inside hosts`, `same leaf`, `same pod`, `across spines`, ...
    pub place: String,
    /// From 0 to 1.
    pub share: f64,
}

/// Every axis of the job, in the order of the ranks; empty for a job without axes. O(axes * pairs * levels).
pub(super) fn axes(plan: &Plan, chosen: &Mapping) -> Vec<AxisPlaces> {
    let axes = plan.demand.axes();
    if axes.is_empty() {
        return Vec::new();
    }
    let fabric = &plan.network.fabric;
    let seats = seats(fabric, &chosen.places(fabric.hosts()));
    let levels = levels(fabric, &seats);
    axes.iter().filter(|axis| axis.demand.total() > 0.0).map(|axis| of(axis, &seats, &levels)).collect()
}

/// Where a task is.
struct Seat {
    host: u32,
    /// Its adapter, as a vertex of the network between hosts, and that adapter's number in its host.
    adapter: Option<VertexId>,
    rail: Option<u32>,
}

fn seats(fabric: &Fabric, places: &[VertexId]) -> Vec<Seat> {
    let hosts = fabric.hosts();
    let mut known: FxHashMap<VertexId, (Option<VertexId>, Option<u32>)> = FxHashMap::default();
    let seat = |&at: &VertexId| {
        let host = hosts.owner(at);
        let own = host.map_or(&[][..], |host| hosts.endpoints(host));
        let number = own.iter().position(|&other| other == at).unwrap_or(0);
        let (adapter, rail) = *known.entry(at).or_insert_with(|| match (fabric.outside(), host) {
            (Some(outside), Some(host)) => {
                let adapters = outside.fabric().hosts().endpoints(host);
                let near = match outside.rails() {
                    Rails::Affine => adapter_of(fabric, outside, adapters, at, number as u32),
                    Rails::RoundRobin => Some(number % adapters.len().max(1)),
                    Rails::One(n) => Some(n as usize % adapters.len().max(1)),
                    Rails::Stripe => None,
                };
                let several = near.filter(|_| adapters.len() > 1).map(|n| n as u32);
                (adapters.get(near.unwrap_or(0)).copied(), several)
            }
            _ => {
                let striped = hosts.rails() == Rails::Stripe;
                (Some(at), (own.len() > 1 && !striped).then_some(number as u32))
            }
        });
        Seat { host: host.map_or(u32::MAX, |host| host.0), adapter, rail }
    };
    places.iter().map(seat).collect()
}

/// A level with the part of every task.
struct Level {
    name: String,
    part: Vec<u32>,
}

/// From hosts outwards, in words that people know; the last one is everything.
fn levels(fabric: &Fabric, seats: &[Seat]) -> Vec<Level> {
    let network = fabric.between_hosts();
    let by =
        |name: &str, part: &dyn Fn(&Seat) -> u32| Level { name: name.into(), part: seats.iter().map(part).collect() };
    let leaf = |seat: &Seat| {
        let up = seat.adapter.and_then(|v| network.out_links(v).next()).map(|l| network.target(l).0);
        up.unwrap_or(u32::MAX)
    };
    // Networks whose every switch has hosts have no spines.
    let has_hosts = |v: u32| network.out_links(VertexId(v)).any(|l| network.is_endpoint(network.target(l)));
    let spines = (network.endpoints()..network.vertices()).any(|v| !has_hosts(v));
    let mut all = vec![by("inside hosts", &|seat| seat.host)];
    all.push(by(if spines { "same leaf" } else { "same switch" }, &leaf));
    let named: Vec<&crate::fabric::Level> = network.levels().iter().filter(|level| level.name != "host").collect();
    for level in named.iter().filter(|level| level.parts > 1) {
        let part = |seat: &Seat| seat.adapter.and_then(|v| level.part.get(v.index()).copied()).unwrap_or(u32::MAX);
        let numbered = ["level", "tier"].iter().find_map(|word| level.name.strip_prefix(word)?.parse::<u32>().ok());
        let name = match (numbered, level.name.as_str()) {
            (Some(2), _) => "same pod".to_string(),
            (Some(n), _) => format!("same tier {n}"),
            (None, "leaf" | "router") => continue,
            (None, name) => format!("same {name}"),
        };
        // The first level of a tree is its leaves.
        if numbered != Some(1) {
            all.push(by(&name, &part));
        }
    }
    let last = match all.last().map(|level| level.name.as_str()) {
        Some("same leaf") if spines => "across spines".to_string(),
        Some("same switch") | None => "across switches".to_string(),
        Some(name) => format!("across {}s", name.trim_start_matches("same ")),
    };
    all.push(by(&last, &|_| 0));
    all
}

fn of(axis: &Axis, seats: &[Seat], levels: &[Level]) -> AxisPlaces {
    // By the innermost level that joins a pair: a pair of one host may have adapters on several leaves.
    let (mut joined, mut outside, mut on_a_rail) = (vec![0.0; levels.len()], 0.0, 0.0);
    axis.demand.each_pair(|from, to, amount| {
        let (a, b) = (from as usize, to as usize);
        if a == b {
            return;
        }
        if let Some(level) = levels.iter().position(|level| level.part[a] == level.part[b]) {
            joined[level] += amount;
        }
        if seats[a].host != seats[b].host {
            outside += amount;
            on_a_rail += if seats[a].rail == seats[b].rail { amount } else { 0.0 };
        }
    });
    let total = joined.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let share = |(level, sum): (&Level, &f64)| PlaceShare { place: level.name.clone(), share: sum / total };
    let places: Vec<PlaceShare> = levels.iter().zip(&joined).map(share).collect();
    let railed = outside > 0.0 && seats.iter().all(|seat| seat.rail.is_some());
    let on_one_rail = railed.then(|| on_a_rail / outside);
    let sentence = sentence(&axis.name, &places, on_one_rail);
    AxisPlaces { axis: axis.name.clone(), ranks: axis.ranks, bytes: axis.demand.total(), places, on_one_rail, sentence }
}

/// `tp is inside hosts`; `dp is 25 % same leaf, 75 % across spines, on one rail`.
fn sentence(axis: &str, places: &[PlaceShare], on_one_rail: Option<f64>) -> String {
    let there: Vec<&PlaceShare> = places.iter().filter(|place| place.share > 5e-4).collect();
    let whole = |share: f64| share > 1.0 - 5e-4;
    let parts: Vec<String> = match there[..] {
        [only] if whole(only.share) => vec![only.place.clone()],
        _ => there.iter().map(|place| format!("{:.1} % {}", 100.0 * place.share, place.place)).collect(),
    };
    let rail = match on_one_rail {
        Some(share) if whole(share) => ", on rails".to_string(),
        Some(share) if share > 5e-4 => format!(", {:.1} % of what leaves hosts on rails", 100.0 * share),
        Some(_) => ", from rail to rail".to_string(),
        None => String::new(),
    };
    format!("{axis} is {}{rail}", parts.join(", "))
}
