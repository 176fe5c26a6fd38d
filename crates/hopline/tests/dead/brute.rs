//! What a routing should do with what is left of a network, from its words in `hopline explain` and by nothing of the library's: searches over a
//! plain list of links.

use hopline::fabric::Fabric;
use hopline::id::LinkId;
use std::collections::{BTreeMap, VecDeque};

/// Farther than anything.
const FAR: u64 = u64::MAX;
/// What a global link of a Dragonfly counts where paths have as few of them as can be.
const GLOBAL: u64 = 1 << 20;

/// A link that lives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wire {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) port: u16,
    cost: u64,
    is_host: bool,
}

/// A network as its links that live.
pub(crate) struct Live {
    pub(crate) vertices: usize,
    pub(crate) endpoints: usize,
    /// Adapters pass nothing on.
    adapter: Vec<bool>,
    pub(crate) wires: Vec<Wire>,
    /// Numbers of the wires that leave a vertex, and of those that lead to it.
    out: Vec<Vec<usize>>,
    into: Vec<Vec<usize>>,
}

/// Which of two routers a link leads up to, under up*/down*.
type Ranks = Vec<usize>;

/// Which paths are taken.
#[derive(Clone, Copy)]
pub(crate) enum Ways<'a> {
    /// All; the shortest of them are.
    All,
    /// Those that go up and then down.
    UpDown(&'a Ranks),
}

/// A vertex, and whether the way has gone down.
type State = (usize, bool);

impl Live {
    /// The links of a whole network but the dead ones. Global links are avoided where that is asked for.
    pub(crate) fn new(whole: &Fabric, dead: &[LinkId], few_global: bool) -> Live {
        let (vertices, endpoints) = (whole.vertices() as usize, whole.endpoints() as usize);
        let mut live = Live {
            vertices,
            endpoints,
            adapter: vec![false; vertices],
            wires: Vec::new(),
            out: vec![Vec::new(); vertices],
            into: vec![Vec::new(); vertices],
        };
        for link in whole.link_ids() {
            let (from, to) = (whole.source(link).index(), whole.target(link).index());
            let is_host = whole.is_host_link(link);
            if is_host {
                live.adapter[from.min(to)] = true;
            }
            if !dead.contains(&link) {
                live.out[from].push(live.wires.len());
                live.into[to].push(live.wires.len());
                let is_global = few_global && whole.class_of(link).name == "global";
                let cost = if is_global { GLOBAL } else { 1 };
                live.wires.push(Wire { from, to, port: whole.port(link), cost, is_host });
            }
        }
        live
    }

    /// Whether a link may be on a way to a target: it does not pass through somebody else's adapter.
    fn leads_on(&self, wire: &Wire, target: usize) -> bool {
        wire.from != wire.to && (!self.adapter[wire.to] || wire.to == target)
    }

    /// Where a link leads from a state; none where the way may not take it.
    fn next(&self, wire: &Wire, has_gone_down: bool, ways: Ways) -> Option<State> {
        let Ways::UpDown(ranks) = ways else { return Some((wire.to, false)) };
        // The links of hosts are neither.
        if wire.is_host {
            return Some((wire.to, has_gone_down));
        }
        let is_up = (ranks[wire.to], wire.to) < (ranks[wire.from], wire.from);
        match (is_up, has_gone_down) {
            (true, true) => None,
            (true, false) => Some((wire.to, false)),
            (false, _) => Some((wire.to, true)),
        }
    }

    /// Lengths from every state to a target, by relaxing until nothing changes.
    fn lengths(&self, target: usize, ways: Ways) -> [Vec<u64>; 2] {
        let mut found = [vec![FAR; self.vertices], vec![FAR; self.vertices]];
        let mut open = VecDeque::from([target]);
        (found[0][target], found[1][target]) = (0, 0);
        while let Some(v) = open.pop_front() {
            for &at in &self.into[v] {
                let wire = &self.wires[at];
                if !self.leads_on(wire, target) {
                    continue;
                }
                let mut is_nearer = false;
                for down in [false, true] {
                    let Some((next, then)) = self.next(wire, down, ways) else { continue };
                    let through = found[usize::from(then)][next];
                    if through != FAR && through + wire.cost < found[usize::from(down)][wire.from] {
                        found[usize::from(down)][wire.from] = through + wire.cost;
                        is_nearer = true;
                    }
                }
                if is_nearer {
                    open.push_back(wire.from);
                }
            }
        }
        found
    }

    /// The length of the shortest way from each vertex to a target; none where there is none.
    pub(crate) fn lengths_to(&self, target: usize, ways: Ways) -> Vec<Option<u64>> {
        let [lengths, _] = self.lengths(target, ways);
        lengths.into_iter().map(|length| (length != FAR).then_some(length)).collect()
    }

    /// Adds what amounts that start at vertices load on their way to a target: at every state they split evenly over the links that lead
    /// nearer.
    pub(crate) fn spread(&self, amounts: &[f64], target: usize, ways: Ways, loads: &mut [f64]) {
        let lengths = self.lengths(target, ways);
        let mut left = [amounts.to_vec(), vec![0.0; self.vertices]];
        let mut order: Vec<(u64, State)> = Vec::new();
        for (down, lengths) in lengths.iter().enumerate() {
            order.extend(
                lengths
                    .iter()
                    .enumerate()
                    .filter(|l| *l.1 != FAR && *l.1 > 0)
                    .map(|(v, &length)| (length, (v, down > 0))),
            );
        }
        order.sort_unstable_by(|a, b| b.cmp(a));
        for (length, (v, down)) in order {
            let amount = std::mem::take(&mut left[usize::from(down)][v]);
            if amount == 0.0 {
                continue;
            }
            let nearer = |at: &&usize| {
                let wire = &self.wires[**at];
                let next = self.next(wire, down, ways).filter(|_| self.leads_on(wire, target));
                next.is_some_and(|(to, then)| {
                    let rest = lengths[usize::from(then)][to];
                    rest != FAR && rest + wire.cost == length
                })
            };
            let share = amount / self.out[v].iter().filter(nearer).count() as f64;
            for &at in self.out[v].iter().filter(nearer) {
                loads[at] += share;
                let (to, then) = self.next(&self.wires[at], down, ways).expect("it is nearer");
                left[usize::from(then)][to] += share;
            }
        }
    }

    /// The router at which an endpoint hangs; one that is a router, or hangs nowhere, is its own.
    fn home(&self, endpoint: usize) -> usize {
        let wire = self.out[endpoint].iter().map(|&at| self.wires[at]).find(|wire| wire.is_host);
        wire.map_or(endpoint, |wire| wire.to)
    }

    /// The same by way of every router with endpoints, with equal shares; `amounts[s][t]`. None where not all are joined.
    pub(crate) fn detours(&self, amounts: &[Vec<f64>], loads: &mut [f64]) -> Option<()> {
        let homes: Vec<usize> = (0..self.endpoints).map(|e| self.home(e)).collect();
        let mut middles = homes.clone();
        middles.sort_unstable();
        middles.dedup();
        for &middle in &middles {
            let lengths = self.lengths_to(middle, Ways::All);
            if middles.iter().any(|&other| lengths[other].is_none()) {
                return None;
            }
        }
        let share = 1.0 / middles.len() as f64;
        let mut sent = vec![0.0; self.vertices];
        let mut got: Vec<Vec<f64>> = vec![vec![0.0; self.vertices]; middles.len()];
        for (s, row) in amounts.iter().enumerate() {
            for (t, &amount) in row.iter().enumerate().filter(|(_, amount)| **amount > 0.0) {
                for end in [s, t].into_iter().filter(|&end| homes[end] != end) {
                    let is_own =
                        |wire: &Wire| (wire.from, wire.to) == if end == s { (s, homes[s]) } else { (homes[t], t) };
                    loads[self.wires.iter().position(is_own).expect("its link")] += amount;
                }
                if homes[s] != homes[t] {
                    sent[homes[s]] += amount * share;
                    got.iter_mut().zip(&middles).for_each(|(got, &m)| {
                        if homes[t] == m {
                            sum(got, &middles, amount * share)
                        }
                    });
                }
            }
        }
        for (&middle, got) in middles.iter().zip(&got) {
            self.spread(&sent, middle, Ways::All, loads);
            self.spread(got, middle, Ways::All, loads);
        }
        Some(())
    }

    /// Ranks under up*/down* without named roots; none where several roots leave endpoints apart and are joined by a rule of their own.
    pub(crate) fn ranks(&self) -> Option<Ranks> {
        let is_endpoint = |v: &usize| *v < self.endpoints;
        let away = self.hops((0..self.vertices).filter(is_endpoint), |_| true);
        let most = away.iter().flatten().copied().max().filter(|&most| most > 0);
        let mut roots: Vec<usize> = (0..self.vertices).filter(|&v| most.is_some() && away[v] == most).collect();
        let touch = |wire: &Wire| roots.contains(&wire.from) && roots.contains(&wire.to) && wire.from != wire.to;
        if self.wires.iter().any(touch) {
            roots.truncate(1);
        }
        if roots.is_empty() {
            roots.push(0);
        }
        let mut ranks: Ranks = vec![usize::MAX; self.vertices];
        let all: Vec<usize> = roots.iter().copied().chain(0..self.vertices).filter(|&v| !self.adapter[v]).collect();
        for first in all {
            if ranks[first] != usize::MAX {
                continue;
            }
            let part = self.hops([first], |v| !self.adapter[v]);
            let own: Vec<usize> = roots.iter().copied().filter(|&root| part[root].is_some()).collect();
            let starts = if own.is_empty() { vec![first] } else { own.clone() };
            let hops = self.hops(starts.iter().copied(), |v| !self.adapter[v]);
            (0..self.vertices).filter(|&v| part[v].is_some()).for_each(|v| ranks[v] = hops[v].unwrap_or(usize::MAX));
            let ends = |from: usize, down: bool| {
                let goes =
                    |wire: &Wire| !down || wire.is_host || (ranks[wire.from], wire.from) < (ranks[wire.to], wire.to);
                self.reached(from, goes).iter().filter(|v| is_endpoint(v)).count()
            };
            if own.len() > 1 && own.iter().all(|&root| ends(root, true) < ends(root, false)) {
                return None;
            }
        }
        Some(ranks)
    }

    /// What is reached over links, not through adapters.
    fn reached(&self, from: usize, goes: impl Fn(&Wire) -> bool) -> Vec<usize> {
        let mut seen = vec![from];
        let mut at = 0;
        while at < seen.len() {
            let v = seen[at];
            for wire in self.out[v].iter().map(|&at| self.wires[at]).filter(|_| !self.adapter[v]) {
                if goes(&wire) && !seen.contains(&wire.to) {
                    seen.push(wire.to);
                }
            }
            at += 1;
        }
        seen
    }

    /// Hops from the nearest start, through vertices that pass on.
    fn hops(&self, starts: impl IntoIterator<Item = usize>, passes: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
        let mut hops = vec![None; self.vertices];
        let mut open: VecDeque<usize> = starts.into_iter().collect();
        open.iter().for_each(|&v| hops[v] = Some(0));
        while let Some(v) = open.pop_front() {
            for wire in self.out[v].iter().map(|&at| self.wires[at]) {
                if hops[wire.to].is_none() && passes(wire.to) {
                    hops[wire.to] = hops[v].map(|n: usize| n + 1);
                    open.push_back(wire.to);
                }
            }
        }
        hops
    }

    /// Loads by vertex and port, which the library's numbers of links are held against.
    pub(crate) fn by_port(&self, loads: &[f64]) -> BTreeMap<(usize, u16), f64> {
        self.wires.iter().zip(loads).map(|(wire, &load)| ((wire.from, wire.port), load)).collect()
    }
}

fn sum(got: &mut [f64], middles: &[usize], amount: f64) {
    middles.iter().for_each(|&m| got[m] += amount);
}
