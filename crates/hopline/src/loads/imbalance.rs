//! Whether a job is one that a network of groups treats badly: the two criteria
//! of Prisacari et al., "Performance optimization of load imbalanced workloads in
//! large scale Dragonfly systems", sections III and IV-A.

use crate::demand::{FlowBlock, Flows};
use crate::routing::Groups;

/// What a job sends between groups; both are parts of 1.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Imbalance {
    /// Of all that leaves a group, what goes to the one other group to which this group sends most: more
    /// than half of it is adversarial for minimal routing.
    pub to_one: f64,
    /// Of that, what is sent by groups whose next one sends most to a group next to theirs, further
    /// away than one router leads: more than half of it leaves the local links of
    /// intermediate groups unevenly loaded.
    pub consecutive: f64,
}

/// Both criteria; `None` where nothing leaves a group. O(entries + blocks * (sides + groups^2)).
pub fn imbalance(groups: &Groups, flows: &Flows) -> Option<Imbalance> {
    let g = groups.count as usize;
    let between = between(groups, flows);
    let leaves: f64 = between.iter().sum();
    if leaves <= 0.0 {
        return None;
    }
    let most = |i: usize| {
        let row = &between[i * g..(i + 1) * g];
        let best = (0..g).fold(0, |best, j| if row[j] > row[best] { j } else { best });
        (row[best] > 0.0).then_some((best, row[best]))
    };
    let main: Vec<Option<(usize, f64)>> = (0..g).map(most).collect();
    let to_one: f64 = main.iter().flatten().map(|m| m.1).sum();
    let far = |i: usize, j: usize| i.abs_diff(j).min(g - i.abs_diff(j)) > groups.together as usize;
    let follows = |i: usize| match (main[i], main[(i + 1) % g]) {
        (Some((j, amount)), Some((next, _))) if far(i, j) && [(j + 1) % g, (j + g - 1) % g].contains(&next) => amount,
        _ => 0.0,
    };
    let consecutive: f64 = (0..g).map(follows).sum();
    Some(Imbalance { to_one: to_one / leaves, consecutive: consecutive / to_one })
}

/// What groups send to other groups, row-major.
fn between(groups: &Groups, flows: &Flows) -> Vec<f64> {
    let g = groups.count as usize;
    let mut amounts = vec![0.0; g * g];
    let group = |endpoint: u32| (endpoint / groups.endpoints) as usize;
    for flow in &flows.entries {
        amounts[group(flow.source.0) * g + group(flow.target.0)] += flow.amount;
    }
    for FlowBlock { sources, targets, amount, .. } in &flows.blocks {
        let count = |side: &[(crate::id::VertexId, u32)]| {
            let mut tasks = vec![0.0; g];
            side.iter().for_each(|&(v, k)| tasks[group(v.0)] += f64::from(k));
            tasks
        };
        let (from, to) = (count(sources), count(targets));
        for (i, k) in from.iter().enumerate().filter(|(_, k)| **k > 0.0) {
            to.iter().enumerate().for_each(|(j, l)| amounts[i * g + j] += k * l * amount);
        }
    }
    (0..g).for_each(|i| amounts[i * g + i] = 0.0);
    amounts
}
