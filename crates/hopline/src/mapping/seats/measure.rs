//! Which metric a fabric has, and where its places are in it.

use super::super::Problem;
use super::super::distance::{Code, Levels, ManyAxes, Metric, Table, Torus};
use super::{Shape, hierarchy};
use crate::error::{Error, Result};
use crate::fabric::{Fabric, Rails, metrics};
use crate::id::{SlotId, VertexId};
use rustc_hash::FxHashMap;

/// With more places than this a table of all distances would be too large:
/// levels then stand for hops, measured from some of the places.
pub(super) const TABLE_PLACES: usize = 4096;
const MEASURED: usize = 64;

/// All places of an allocation.
pub(super) struct Places {
    pub(super) code: Vec<Code>,
    /// An endpoint at each place.
    pub(super) end: Vec<VertexId>,
    pub(super) metric: Metric,
    pub(super) shape: Shape,
    /// What distances are multiplied by to be whole.
    pub(super) scale: u32,
    /// False where places are no hosts though hosts have several rails.
    pub(super) by_host: bool,
}

/// The place of every slot, and all places in an order that keeps parts together.
///
/// # Errors
/// Two places have no way between them.
pub(super) fn places(problem: &Problem<'_>, slots: &[SlotId]) -> Result<(Vec<u32>, Places)> {
    let (fabric, hosts) = (problem.fabric(), problem.fabric().hosts());
    let ends: Vec<VertexId> = slots.iter().map(|&s| hosts.endpoint_of(s)).collect();
    // Ranks on one host exchange nothing over the network, whatever their rails; unless its inside is part of it.
    let rails = !hosts.have_insides() && slots.iter().any(|&s| hosts.endpoints(hosts.host_of(s)).len() > 1);
    if fabric.has_distances() {
        let (own, ends) = number(ends.iter().map(|&e| (e.0, e)));
        return Ok((Places { by_host: !rails, ..by_distances(fabric, ends) }).sorted(own));
    }
    if let (Some(extents), Some(rings)) = (fabric.coordinates(), self::rings(fabric)) {
        let (own, ends) = number(ends.iter().map(|&e| (e.0, e)));
        return Ok((own, Places { by_host: !rails, ..on_torus(extents, rings, ends) }));
    }
    let keyed = |rails: bool| {
        let host = move |s: SlotId| if rails { hosts.host_of(s).0 } else { 0 };
        number(slots.iter().zip(&ends).map(|(&s, &e)| ((host(s), router(fabric, e)), e)))
    };
    let (mut own, mut ends) = keyed(rails);
    let by_host = rails && ends.len() <= TABLE_PLACES;
    if rails && !by_host {
        (own, ends) = keyed(false);
    }
    Ok((Places { by_host: by_host || !rails, ..by_hops(fabric, ends, by_host)? }).sorted(own))
}

/// Numbers things by their keys, in the order of the keys: the number of each,
/// and the first thing of each number.
fn number<K: Ord + std::hash::Hash + Copy, T: Copy>(things: impl Iterator<Item = (K, T)>) -> (Vec<u32>, Vec<T>) {
    let all: Vec<(K, T)> = things.collect();
    let mut sorted = all.clone();
    sorted.sort_by_key(|t| t.0);
    sorted.dedup_by_key(|t| t.0);
    let index: FxHashMap<K, u32> = sorted.iter().enumerate().map(|(i, t)| (t.0, i as u32)).collect();
    (all.iter().map(|(key, _)| index[key]).collect(), sorted.into_iter().map(|t| t.1).collect())
}

impl Places {
    /// Places in the order of their paths, and the place of every slot in it.
    fn sorted(self, own: Vec<u32>) -> (Vec<u32>, Places) {
        let Shape::Nested { path, shifts } = self.shape else { return (own, self) };
        let mut order: Vec<usize> = (0..path.len()).collect();
        order.sort_by_key(|&p| path[p]);
        let mut new = vec![0u32; path.len()];
        order.iter().enumerate().for_each(|(i, &p)| new[p] = i as u32);
        let places = Places {
            code: order.iter().map(|&p| self.code[p]).collect(),
            end: order.iter().map(|&p| self.end[p]).collect(),
            metric: self.metric,
            scale: self.scale,
            by_host: self.by_host,
            shape: Shape::Nested { path: order.iter().map(|&p| path[p]).collect(), shifts },
        };
        (own.iter().map(|&p| new[p as usize]).collect(), places)
    }
}

/// The vertex that routes for an endpoint: the switch behind it, or itself.
fn router(fabric: &Fabric, end: VertexId) -> u32 {
    fabric.adapter_link(end).map_or(end, |l| fabric.target(l)).0
}

/// The distances that the fabric's levels define.
fn by_distances(fabric: &Fabric, end: Vec<VertexId>) -> Places {
    let levels: Vec<u32> = fabric.levels().iter().map(|l| l.distance.unwrap_or(0).min(1 << 20) as u32).collect();
    nested(fabric, end, |inner| levels[inner])
}

/// Distances by the innermost level that joins; `by_level[levels]` is that of
/// two endpoints that no level joins.
fn nested(fabric: &Fabric, end: Vec<VertexId>, by_level: impl Fn(usize) -> u32) -> Places {
    let keys: Vec<Vec<u32>> = end
        .iter()
        .enumerate()
        .map(|(p, &e)| hierarchy::parts(fabric, e).into_iter().chain([p as u32]).collect())
        .collect();
    let (path, shifts) = hierarchy::pack(&keys);
    let mut by_bits = [0; 65];
    let levels = fabric.levels().len();
    for &(shift, depth) in shifts.iter().rev() {
        // What differs first at depth d lies in one part of the level before.
        let level = (levels - depth).min(levels - 1);
        by_bits[shift as usize + 1..].fill(by_level(level));
    }
    let shifts = shifts.into_iter().map(|s| s.0).collect();
    Places {
        code: path.clone(),
        end,
        metric: Metric::Levels(Levels { by_bits: Box::new(by_bits) }),
        shape: Shape::Nested { path, shifts },
        scale: 1,
        by_host: true,
    }
}

/// How long the ring of each axis is in a grid without holes, in which every endpoint has its links to its neighbours on each
/// axis, and no others. An axis whose ends are not joined is half of a ring that is twice as long: as far as its places go, both
/// have the same distances. O(links).
pub(in crate::mapping) fn rings(fabric: &Fabric) -> Option<Vec<u32>> {
    let extents = fabric.coordinates()?;
    let mut strides = vec![1u32; extents.len()];
    (1..extents.len()).for_each(|d| strides[d] = strides[d - 1] * extents[d - 1]);
    let at = |v: u32, d: usize| v / strides[d] % extents[d];
    let targets = |v: u32| fabric.out_links(VertexId(v)).map(|l| fabric.target(l));
    let joined = |d: usize| extents[d] < 3 || targets(0).any(|to| to.0 == strides[d] * (extents[d] - 1));
    let joined: Vec<bool> = (0..extents.len()).map(joined).collect();
    let neighbour = |a: u32, b: u32| {
        let moved = (0..extents.len()).filter(|&d| at(a, d) != at(b, d)).collect::<Vec<_>>();
        let step = |d: usize| at(a, d).abs_diff(at(b, d));
        matches!(moved[..], [d] if step(d) == 1 || (joined[d] && step(d) == extents[d] - 1))
    };
    let degree = |v: u32| -> u32 {
        let along = |d: usize| match joined[d] {
            true => extents[d].min(3) - 1,
            false => 2 - u32::from(at(v, d) == 0 || at(v, d) == extents[d] - 1),
        };
        (0..extents.len()).map(along).sum()
    };
    let whole = |v: u32| {
        targets(v).count() == degree(v) as usize && targets(v).all(|to| fabric.is_endpoint(to) && neighbour(v, to.0))
    };
    let rings = extents.iter().zip(&joined).map(|(&k, &joined)| if joined { k } else { 2 * k });
    (0..fabric.endpoints()).all(whole).then(|| rings.collect())
}

fn on_torus(grid: &[u32], extents: Vec<u32>, end: Vec<VertexId>) -> Places {
    let split = |e: &VertexId| {
        let mut rest = e.0;
        grid.iter().map(move |&k| {
            let x = rest % k;
            rest /= k;
            x
        })
    };
    let coordinates: Vec<u32> = end.iter().flat_map(split).collect();
    let (metric, code) = match Torus::new(&extents) {
        Some(torus) => {
            let code = coordinates.chunks(extents.len().max(1)).map(|row| Torus::pack(&extents, row)).collect();
            (Metric::Torus(torus), code)
        }
        None => {
            let many = ManyAxes { extents: extents.clone(), coordinates: coordinates.clone() };
            (Metric::ManyAxes(many), (0..end.len() as Code).collect())
        }
    };
    Places { code, end, metric, shape: Shape::Torus { extents, coordinates }, scale: 1, by_host: true }
}

/// Hops between the routers of endpoints. Where the innermost common level tells
/// them they need no table; nor on very large machines, where the mean does.
fn by_hops(fabric: &Fabric, end: Vec<VertexId>, rails: bool) -> Result<Places> {
    let large = end.len() > TABLE_PLACES;
    let sources = if large { MEASURED } else { end.len() };
    let routers: Vec<Vec<VertexId>> = end.iter().map(|&e| routers(fabric, e, rails)).collect();
    let scale = if rails { scale(&routers) } else { 1 };
    let mut hops = Vec::with_capacity(sources * end.len());
    for i in 0..sources {
        let source = i * end.len() / sources;
        let rows: Vec<Vec<u16>> = routers[source].iter().map(|&r| metrics::hops_to(fabric, r)).collect();
        for (p, there) in routers.iter().enumerate() {
            let own = rails && fabric.hosts().owner(end[source]) == fabric.hosts().owner(end[p]);
            let far = if own { Some(0) } else { mean_hops(&rows, there, scale) };
            let far = far.ok_or_else(|| {
                let names = [end[source], end[p]].map(|e| fabric.vertex_name(e));
                Error::input(format!("{}: no way from {} to {}", fabric.name(), names[0], names[1]))
            })?;
            hops.push(far.min(255) as u8);
        }
    }
    if !rails
        && !fabric.levels().is_empty()
        && let Some(mean) = level_hops(fabric, &end, &hops, large)
    {
        return Ok(nested(fabric, end, |level| mean[level]));
    }
    let rows = end.len();
    if large {
        let text =
            format!("{}: hosts at {rows} switches without levels, at most {TABLE_PLACES} are possible", fabric.name());
        return Err(Error::input(text).hint("use greedy, or an allocation of fewer hosts"));
    }
    let keys = if fabric.levels().len() > 1 {
        let key = |(p, &e): (usize, &VertexId)| hierarchy::parts(fabric, e).into_iter().chain([p as u32]).collect();
        end.iter().enumerate().map(key).collect()
    } else {
        hierarchy::clusters(rows, |a, b| u32::from(hops[a * rows + b]))
    };
    let (path, shifts) = hierarchy::pack(&keys);
    let shifts = shifts.into_iter().map(|s| s.0).collect();
    let metric = Metric::Table(Table { rows, hops });
    let shape = Shape::Nested { path, shifts };
    Ok(Places { code: (0..rows as Code).collect(), end, metric, shape, scale, by_host: true })
}

/// The routers of the rails that a message of an endpoint's host takes: of all
/// where they are striped, else of that endpoint.
fn routers(fabric: &Fabric, end: VertexId, rails: bool) -> Vec<VertexId> {
    let hosts = fabric.hosts();
    let ends = match hosts.owner(end).filter(|_| rails && hosts.rails() == Rails::Stripe) {
        Some(host) => hosts.endpoints(host),
        None => &[end],
    };
    ends.iter().map(|&e| VertexId(router(fabric, e))).collect()
}

/// What makes means over rails whole: the least common multiple of their
/// numbers. Where that is large they are rounded down.
fn scale(routers: &[Vec<VertexId>]) -> u32 {
    const LARGE: u32 = 12;
    let divides = |scale: u32| routers.iter().all(|own| scale.is_multiple_of(own.len() as u32));
    (1..=LARGE).find(|&scale| divides(scale)).unwrap_or(LARGE)
}

/// Mean hops of a message that is striped from rail to rail, times `scale`;
/// `rows` are the hops from each rail of its source. `None` without a way.
fn mean_hops(rows: &[Vec<u16>], there: &[VertexId], scale: u32) -> Option<u32> {
    let rails = rows.len().max(there.len());
    let hops = |r: usize| rows[r % rows.len()][there[r % there.len()].index()];
    let known = |far: u16| (far < u16::MAX).then_some(u32::from(far));
    let sum = (0..rails).map(|r| known(hops(r))).sum::<Option<u32>>()?;
    Some(sum * scale / rails as u32)
}

/// Hops by the innermost level that joins two endpoints: `None` where that does
/// not tell them, unless their rounded mean is good enough.
fn level_hops(fabric: &Fabric, end: &[VertexId], hops: &[u8], mean: bool) -> Option<Vec<u32>> {
    let levels = fabric.levels();
    let sources = hops.len() / end.len();
    let mut seen = vec![(0u64, 0u64, u8::MAX, 0u8); levels.len() + 1];
    for (i, row) in hops.chunks(end.len()).enumerate() {
        let own = end[i * end.len() / sources];
        for (&other, &far) in end.iter().zip(row).filter(|(e, _)| **e != own) {
            let joins = levels.iter().position(|l| l.part[own.index()] == l.part[other.index()]);
            let cell = &mut seen[joins.unwrap_or(levels.len())];
            *cell = (cell.0 + 1, cell.1 + u64::from(far), cell.2.min(far), cell.3.max(far));
        }
    }
    // Endpoints that no level joins are farther than the outermost one knows.
    let told = mean || seen.iter().all(|s| s.0 == 0 || s.2 == s.3);
    let outermost = seen.pop()?;
    if !told || (outermost.0 > 0 && seen.last().is_some_and(|s| s.0 > 0)) {
        return None;
    }
    if let (Some(last), true) = (seen.last_mut(), outermost.0 > 0) {
        *last = outermost;
    }
    Some(seen.iter().map(|s| (s.1 + s.0 / 2).checked_div(s.0).unwrap_or(0) as u32).collect())
}
