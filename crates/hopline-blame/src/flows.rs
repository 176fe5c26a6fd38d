//! Samples on a fabric: every pair with its way, every round with all flows that ran.

use crate::listed::{ByPair, Incomplete, given_rounds, incomplete, listed_pairs, lists, unordered};
use crate::measured::{Batch, End, Quantity, RoundPair};
use crate::names::Names;
use crate::routes::{Assumed, Routes};
use crate::share::{Filling, Way};
use hopline::error::{Error, Place, Result};
use hopline::id::VertexId;
use hopline::plan::Network;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// So many hosts of a note are named.
const NAMED: usize = 3;
/// GB/s, or microseconds, that something may have measured.
const MEASURE: std::ops::Range<f64> = 1e-9..1e9;

/// A flow that ran.
pub(crate) struct Flow {
    pub(crate) source: VertexId,
    pub(crate) target: VertexId,
    way: (u32, u32),
    /// Its round; none where it ran alone.
    pub(crate) round: Option<u32>,
    /// The number that it has a part in; none where it only loaded its links.
    pub(crate) row: Option<u32>,
}

/// A number and the flows that it is about.
pub(crate) struct Row {
    pub(crate) flows: std::ops::Range<u32>,
    pub(crate) value: f64,
    pub(crate) kind: Quantity,
}

/// All that was measured, on a fabric.
pub(crate) struct Flows {
    pub(crate) flows: Vec<Flow>,
    pub(crate) rows: Vec<Row>,
    /// Flows of each round.
    pub(crate) rounds: Vec<Vec<u32>>,
    pub(crate) notes: Vec<String>,
    /// Whether it had to be assumed which LIDs were used.
    pub(crate) was_assumed: bool,
    /// Flows that ran and of which, as of their pair, no result came.
    pub(crate) silent: Vec<u32>,
    /// Files with rounds of which nothing lists who ran, where hosts of some rounds are not in others.
    pub(crate) incomplete: Vec<Incomplete>,
    ways: Vec<(u32, f32)>,
    capacity: Vec<f64>,
}

impl Flows {
    /// None yet, with room for so many.
    pub(crate) fn new(network: &Network, room: usize) -> Flows {
        Flows {
            flows: Vec::with_capacity(room),
            rows: vec![],
            rounds: vec![],
            notes: vec![],
            was_assumed: false,
            silent: vec![],
            incomplete: vec![],
            ways: vec![],
            capacity: capacities(network),
        }
    }

    pub(crate) fn way(&self, flow: u32) -> &Way {
        let (start, end) = self.flows[flow as usize].way;
        &self.ways[start as usize..end as usize]
    }

    /// GB/s of a link as the fabric says.
    pub(crate) fn capacity(&self, link: u32) -> f64 {
        self.capacity[link as usize]
    }

    pub(crate) fn links(&self) -> usize {
        self.capacity.len()
    }

    /// Whether the numbers are latencies; all are or none is.
    pub(crate) fn latency(&self) -> bool {
        self.rows.first().is_some_and(|row| row.kind == Quantity::Latency)
    }

    /// The rate of every flow where link l has `factor[l]` of its rate.
    pub(crate) fn rates(&self, factor: &[f32], filling: &mut Filling) -> Vec<f64> {
        let capacity = |l: u32| self.capacity[l as usize] * f64::from(factor[l as usize]);
        let mut rates: Vec<f64> =
            (0..self.flows.len() as u32).map(|f| crate::share::alone(self.way(f), capacity)).collect();
        for round in &self.rounds {
            let ways: Vec<&Way> = round.iter().map(|&f| self.way(f)).collect();
            for (&flow, rate) in round.iter().zip(filling.rates(&ways, capacity)) {
                rates[flow as usize] = rate;
            }
        }
        rates
    }

    /// The same measurements, every flow taken to have run alone.
    pub(crate) fn apart(&mut self) {
        self.rounds.clear();
        self.flows.iter_mut().for_each(|flow| flow.round = None);
    }
}

/// Capacity of every link in GB/s.
pub(crate) fn capacities(network: &Network) -> Vec<f64> {
    let fabric = &network.fabric;
    fabric.link_ids().map(|l| fabric.class_of(l).bandwidth.map_or(f64::INFINITY, |b| b.as_gb_s())).collect()
}

/// Puts batches onto a fabric: what is a latency, or all else; where a port has several LIDs and none is told, these are assumed.
///
/// # Errors
/// Nothing is measured between two hosts of the fabric.
pub(crate) fn gather(
    network: &Network,
    names: &Names,
    batches: &[Batch],
    (latency, assumed): (bool, Assumed),
) -> Result<Flows> {
    let mut all = Flows::new(network, 0);
    let mut rounds: FxHashMap<(usize, u32), u32> = FxHashMap::default();
    let mut unknown_ends: BTreeSet<String> = BTreeSet::new();
    let mut bare: BTreeSet<String> = BTreeSet::new();
    // Of a pair that ran several times the first number is of the first round that has it, and so on.
    let mut times: FxHashMap<(VertexId, VertexId), usize> = FxHashMap::default();
    let mut left_out: u64 = batches.iter().map(|b| b.unknown).sum();
    let mut with_itself = 0;
    let given = given_rounds(names, batches);
    let mut unlisted = vec![0; batches.len()];
    let mut routes = Routes::new(network, names, assumed);
    for (file, batch) in batches.iter().enumerate() {
        let repeats = sums_rounds(network, names, batch, &given, &all.capacity);
        for sample in batch.samples.iter().filter(|s| (s.kind == Quantity::Latency) == latency) {
            let ends: Vec<(VertexId, VertexId)> = sample
                .pairs()
                .filter_map(|(a, b)| Some((names.end(a)?, names.end(b)?)))
                .filter(|(a, b)| a != b)
                .collect();
            if ends.len() < sample.pairs().len() {
                let unknown = sample.pairs().flat_map(|(a, b)| [a, b]).filter(|e| names.end(e).is_none());
                let unknown: Vec<String> = unknown.map(End::to_string).collect();
                match unknown.is_empty() {
                    true => with_itself += 1,
                    false => left_out += 1,
                }
                unknown_ends.extend(unknown);
                continue;
            }
            let named = sample.pairs().zip(&ends).flat_map(|((a, b), &(v, w))| [(a, v), (b, w)]);
            let without = named.filter_map(|(end, v)| names.without_adapter(end, v, &network.fabric));
            bare.extend(without.map(String::from));
            let both = matches!(sample.kind, Quantity::Both | Quantity::Latency);
            let own = match sample.rounds.is_empty() && ends.len() == 1 {
                true => given.get(&unordered(ends[0])).map_or_else(Vec::new, |rounds| {
                    let mut rounds = rounds.clone();
                    let time = times.entry(ends[0]).or_default();
                    if !repeats {
                        rounds.drain(..(*time).min(rounds.len().saturating_sub(1)));
                    }
                    *time += 1;
                    rounds
                }),
                false => sample.rounds.iter().map(|r| (file, *r)).collect(),
            };
            let is_alone = own.is_empty() && ends.len() == 1 && !latency;
            unlisted[file] += usize::from(is_alone && !given.is_empty() && sample.value.is_some());
            let start = all.flows.len() as u32;
            let mut runs: Vec<Option<(usize, u32)>> =
                if own.is_empty() { vec![None] } else { own.into_iter().map(Some).collect() };
            if !repeats || latency {
                runs.truncate(1);
            }
            for run in runs {
                let fresh = rounds.len() as u32;
                // What delays a message does not depend on the others of its round.
                let round = run.filter(|_| !latency).map(|key| *rounds.entry(key).or_insert(fresh));
                for (&(a, b), (from, to)) in ends.iter().zip(sample.pairs()) {
                    all.add(&mut routes, (a, b, Some(to)), round)?;
                    if both {
                        all.add(&mut routes, (b, a, Some(from)), round)?;
                    }
                }
            }
            let flows = start..all.flows.len() as u32;
            if let Some(value) = sample.value {
                let row = all.rows.len() as u32;
                all.flows[flows.start as usize..].iter_mut().for_each(|f| f.row = Some(row));
                all.rows.push(Row { flows, value, kind: sample.kind });
            } else if !batch.is_cut {
                all.silent.extend(flows);
            }
        }
    }
    let listed = match latency {
        true => FxHashSet::default(),
        false => all.fill_missing(&mut routes, names, batches, (&rounds, &given))?,
    };
    if !latency {
        all.tell_missing(network);
    }
    all.collect_rounds(rounds.len());
    let ends = |f: &u32| (all.flows[*f as usize].source, all.flows[*f as usize].target);
    let ran: Vec<Vec<_>> = all.rounds.iter().map(|round| round.iter().map(ends).collect()).collect();
    all.incomplete = incomplete(&ran, batches, &rounds, &listed);
    // What was measured ran in some round, which its list does not say.
    for (file, unlisted) in unlisted.into_iter().enumerate().filter(|(_, unlisted)| *unlisted > 0) {
        let (path, rounds) = (batches[file].path.clone(), rounds.values().copied().collect());
        all.incomplete.push(Incomplete { path, rounds, lacks: Vec::new(), unlisted });
    }
    all.drop_unlimited();
    if !bare.is_empty() {
        let text =
            format!("hosts of several adapters, named without one and taken to mean their first: {}", some(&bare));
        all.notes.push(text);
    }
    all.was_assumed = routes.was_assumed;
    let mut not_used = Vec::new();
    if with_itself > 0 {
        not_used.push(format!("measurements of a host with itself, which cross no link, left out: {with_itself}"));
    }
    if left_out > 0 {
        let text = format!("measurements left out, since the fabric knows no {}: {left_out}", some(&unknown_ends));
        not_used.push(text);
    }
    if all.rows.is_empty() && !not_used.is_empty() {
        let place = Place::new(batches.first().map_or("--measured", |b| b.path.as_str()), 0);
        return Err(Error::input(not_used.join("; "))
            .at(&place)
            .hint("is it the fabric that was measured? `hopline fabric show --hosts` lists its hosts"));
    }
    all.notes.extend(not_used);
    Ok(all)
}

/// The first few of a list.
fn some(all: &BTreeSet<String>) -> String {
    let some: Vec<&str> = all.iter().take(NAMED).map(String::as_str).collect();
    some.join(", ") + if all.len() > NAMED { ", ..." } else { "" }
}

/// Whether a matrix adds up what pairs got in several rounds: some have more than both directions can carry.
fn sums_rounds(network: &Network, names: &Names, batch: &Batch, given: &ByPair, capacity: &[f64]) -> bool {
    let fabric = &network.fabric;
    batch.samples.iter().filter(|s| s.rounds.is_empty() && s.kind == Quantity::Both).any(|sample| {
        let Some((a, b)) = sample.pairs().next().and_then(|(a, b)| Some((names.end(a)?, names.end(b)?))) else {
            return false;
        };
        let Some(link) = fabric.adapter_link(a) else { return false };
        let several = given.get(&unordered((a, b))).is_some_and(|rounds| rounds.len() > 1);
        several && sample.value.is_some_and(|v| v > 2.2 * capacity[link.index()])
    })
}

impl Flows {
    /// Numbers of pairs whose links have no rate, or out of all measure, tell nothing; their flows stay.
    fn drop_unlimited(&mut self) {
        let tells = |row: &Row| {
            let known = |f: u32| crate::share::alone(self.way(f), |l| self.capacity(l)).is_finite();
            MEASURE.contains(&row.value) && (row.kind == Quantity::Latency || row.flows.clone().all(known))
        };
        let keep: Vec<bool> = self.rows.iter().map(tells).collect();
        let dropped = keep.iter().filter(|k| !**k).count();
        if dropped == 0 {
            return;
        }
        let mut fresh = 0;
        let place: Vec<Option<u32>> = keep.iter().map(|k| k.then(|| (fresh, fresh += 1).0)).collect();
        self.flows.iter_mut().for_each(|f| f.row = f.row.and_then(|r| place[r as usize]));
        let mut keep = keep.into_iter();
        self.rows.retain(|_| keep.next().unwrap_or(false));
        self.notes
            .push(format!("numbers left out, out of all measure or of pairs whose links have no rate: {dropped}"));
    }

    /// Flows without a result, by the names of some.
    fn tell_missing(&mut self, network: &Network) {
        let missing = self.flows.iter().filter(|f| f.row.is_none());
        let name = |v: VertexId| network.fabric.vertex_name(v);
        let pairs: BTreeSet<String> =
            missing.clone().map(|f| format!("{}:{}", name(f.source), name(f.target))).take(NAMED + 1).collect();
        if !pairs.is_empty() {
            self.notes.push(format!(
                "flows that ran without a result, taken to have loaded their links: {} ({})",
                missing.count(),
                some(&pairs)
            ));
        }
    }

    /// Which flows ran in each of so many rounds.
    pub(crate) fn collect_rounds(&mut self, rounds: usize) {
        self.rounds = vec![Vec::new(); rounds];
        for (at, flow) in (0..).zip(&self.flows) {
            if let Some(round) = flow.round {
                self.rounds[round as usize].push(at);
            }
        }
    }

    /// Adds a flow to a port that the measurement calls `end`.
    pub(crate) fn add(
        &mut self,
        routes: &mut Routes<'_>,
        (source, target, end): (VertexId, VertexId, Option<&End>),
        round: Option<u32>,
    ) -> Result<()> {
        let start = self.ways.len() as u32;
        let route = routes.route(source, target, end)?;
        self.ways.extend(route.into_iter().map(|(link, share)| (link.0, share as f32)));
        let way = (start, self.ways.len() as u32);
        self.flows.push(Flow { source, target, way, round, row: None });
        Ok(())
    }

    /// Flows that the rounds name and no number tells: they loaded their links as well. The rounds of which something lists who ran.
    fn fill_missing(
        &mut self,
        routes: &mut Routes<'_>,
        names: &Names,
        batches: &[Batch],
        (rounds, given): (&FxHashMap<(usize, u32), u32>, &ByPair),
    ) -> Result<FxHashSet<u32>> {
        let hosts: Vec<&String> = batches.iter().flat_map(|b| &b.hosts).collect();
        let indices: FxHashSet<RoundPair<u32>> = batches.iter().flat_map(|b| b.indices.iter().copied()).collect();
        let mut in_order: Vec<RoundPair<u32>> = indices.iter().copied().collect();
        in_order.sort_unstable();
        let key = |round: u32| batches.iter().position(|b| b.format == "superbench").map(|file| (file, round));
        let mut ran: FxHashSet<(u32, VertexId, VertexId)> =
            self.flows.iter().filter_map(|f| Some((f.round?, f.source, f.target))).collect();
        let mut listed = FxHashSet::default();
        for RoundPair { round, server, client } in in_order {
            let end = |at: u32| names.host(hosts.get(at as usize)?);
            let (Some(a), Some(b), Some(&id)) = (end(client), end(server), key(round).and_then(|k| rounds.get(&k)))
            else {
                continue;
            };
            listed.insert(id);
            // A read flows the other way, unless that is a pair of its own.
            let back = RoundPair { round, server: client, client: server };
            let turned = !indices.contains(&back) && ran.contains(&(id, b, a));
            if a != b && !turned && ran.insert((id, a, b)) {
                self.silent.push(self.flows.len() as u32);
                self.add(routes, (a, b, None), Some(id))?;
            }
        }
        let (pairs, lists) = (listed_pairs(names, batches), lists(names, batches, given));
        let of = |(own, &id): (&(usize, u32), &u32)| {
            let list = lists.get(own);
            let is_whole = list.is_none_or(|(_, is_whole)| *is_whole);
            pairs.get(list.map_or(own, |(list, _)| list)).map(|pairs| (id, list.is_some(), is_whole, pairs))
        };
        let mut to_fill: Vec<_> = rounds.iter().filter_map(of).collect();
        to_fill.sort_unstable_by_key(|(id, ..)| *id);
        for (id, names_rounds, is_whole, pairs) in to_fill {
            if is_whole {
                listed.insert(id);
            }
            // Numbers that name their rounds may be of one direction each: then so is what the list has.
            let both = |(a, b): &(VertexId, VertexId)| {
                pairs.contains(&(*b, *a)) || ran.contains(&(id, *a, *b)) && ran.contains(&(id, *b, *a))
            };
            let seen_both = pairs.iter().any(both);
            let back = seen_both || !names_rounds;
            for &(a, b) in pairs {
                let [there, turned] = [(a, b), (b, a)].map(|(a, b)| ran.contains(&(id, a, b)));
                for (a, b, runs, is_silent) in
                    [(a, b, back || !turned, seen_both || !turned), (b, a, back, seen_both || !there)]
                {
                    if runs && ran.insert((id, a, b)) {
                        if is_silent {
                            self.silent.push(self.flows.len() as u32);
                        }
                        self.add(routes, (a, b, None), Some(id))?;
                    }
                }
            }
        }
        Ok(listed)
    }
}
