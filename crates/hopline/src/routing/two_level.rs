//! What two-level direct networks (PERCS, Dragonfly) need to know of all flows
//! to load their links: sums by router and exit, by pair of groups, and inside
//! groups. No pair of routers in different groups is ever looked at.

use crate::demand::Flows;

/// Numbers of a network.
pub(super) struct Shape {
    pub(super) groups: u32,
    /// Routers of a group.
    pub(super) size: u32,
    /// By which a group is left.
    pub(super) exits: u32,
}

/// Sums of flows over routers in groups of equal size. A flow between groups
/// leaves its group at `exit(a, b)` and enters the other at `exit(b, a)`.
pub(super) struct Tally {
    pub(super) groups: usize,
    pub(super) size: usize,
    /// `[router * exits + exit]`: what a router sends to other groups, by exit.
    pub(super) first: Vec<f64>,
    /// `[router * exits + exit]`: what a router gets from other groups, by where it enters.
    pub(super) last: Vec<f64>,
    /// `[a * groups + b]`: from group a to another group b.
    pub(super) pair: Vec<f64>,
    /// `[(group * size + from) * size + to]`: between routers of one group.
    pub(super) inside: Vec<f64>,
}

impl Tally {
    /// Sums all flows. `router` gives the router of an endpoint, numbered group
    /// by group. O(entries + sum over blocks of (groups^2 + routers * exits)).
    pub(super) fn new(
        flows: &Flows,
        Shape { groups, size, exits }: Shape,
        router: impl Fn(u32) -> u32,
        exit: impl Fn(u32, u32) -> u32,
    ) -> Tally {
        let (g, s, e) = (groups as usize, size as usize, exits as usize);
        let mut t = Tally {
            groups: g,
            size: s,
            first: vec![0.0; g * s * e],
            last: vec![0.0; g * s * e],
            pair: vec![0.0; g * g],
            inside: vec![0.0; g * s * s],
        };
        for flow in &flows.entries {
            let (u, v) = (router(flow.source.0), router(flow.target.0));
            let (a, b) = (u / size, v / size);
            if a == b {
                t.inside[u as usize * s + (v % size) as usize] += flow.amount;
            } else {
                t.first[u as usize * e + exit(a, b) as usize] += flow.amount;
                t.last[v as usize * e + exit(b, a) as usize] += flow.amount;
                t.pair[a as usize * g + b as usize] += flow.amount;
            }
        }
        let mut by_exit = vec![0.0; e];
        for block in &flows.blocks {
            let sources = Side::new(block.sources.iter().map(|&(v, k)| (router(v.0), k)), size);
            let targets = Side::new(block.targets.iter().map(|&(v, k)| (router(v.0), k)), size);
            for Group { group: a, tasks: senders, routers: out } in sources.iter() {
                let row = &mut t.pair[a as usize * g..][..g];
                for &(b, total) in &targets.groups {
                    if a != b {
                        let amount = total * block.amount;
                        by_exit[exit(a, b) as usize] += amount;
                        row[b as usize] += senders * amount;
                    }
                }
                spread(&mut t.first, out, &mut by_exit);
            }
            for Group { group: b, routers: into, .. } in targets.iter() {
                for &(a, total) in &sources.groups {
                    if a != b {
                        by_exit[exit(b, a) as usize] += total * block.amount;
                    }
                }
                spread(&mut t.last, into, &mut by_exit);
            }
            t.add_inside(&sources, &targets, block.amount);
        }
        t
    }

    fn add_inside(&mut self, sources: &Side, targets: &Side, amount: f64) {
        let mut others = targets.iter().peekable();
        for Group { group: a, routers: from, .. } in sources.iter() {
            while others.next_if(|o| o.group < a).is_some() {}
            let Some(Group { routers: to, .. }) = others.peek().filter(|o| o.group == a) else { continue };
            for &(u, k) in from {
                let row = u as usize * self.size;
                for &(v, l) in to.iter().filter(|t| t.0 != u) {
                    self.inside[row + v as usize % self.size] += k * l * amount;
                }
            }
        }
    }
}

/// Adds count x `by_exit` to every router's row, and clears `by_exit`.
fn spread(rows: &mut [f64], routers: &[(u32, f64)], by_exit: &mut [f64]) {
    let exits = by_exit.len();
    for &(router, count) in routers {
        let row = &mut rows[router as usize * exits..][..exits];
        row.iter_mut().zip(&*by_exit).for_each(|(cell, amount)| *cell += count * amount);
    }
    by_exit.fill(0.0);
}

/// One side of a block: routers with their numbers of tasks, by group.
struct Side {
    /// Ascending, no router twice.
    routers: Vec<(u32, f64)>,
    /// Group and its number of tasks, ascending.
    groups: Vec<(u32, f64)>,
    /// `routers[first[i]..first[i + 1]]` are those of `groups[i]`.
    first: Vec<usize>,
}

impl Side {
    fn new(ends: impl Iterator<Item = (u32, u32)>, size: u32) -> Side {
        let mut side = Side { routers: Vec::new(), groups: Vec::new(), first: Vec::new() };
        for (router, count) in ends {
            let count = f64::from(count);
            match side.routers.last_mut() {
                // Endpoints of one router follow each other.
                Some(last) if last.0 == router => last.1 += count,
                _ => side.routers.push((router, count)),
            }
            match side.groups.last_mut() {
                Some(last) if last.0 == router / size => last.1 += count,
                _ => {
                    side.groups.push((router / size, count));
                    side.first.push(side.routers.len() - 1);
                }
            }
        }
        side.first.push(side.routers.len());
        side
    }

    fn iter(&self) -> impl Iterator<Item = Group<'_>> {
        let groups = self.groups.iter().zip(self.first.windows(2));
        groups.map(|(&(group, tasks), w)| Group { group, tasks, routers: &self.routers[w[0]..w[1]] })
    }
}

/// A group on one side of a block.
struct Group<'a> {
    group: u32,
    tasks: f64,
    /// With their numbers of tasks.
    routers: &'a [(u32, f64)],
}
