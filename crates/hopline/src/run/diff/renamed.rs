//! Switches of a plan that the machine has under another name: known by what hangs on them.

use super::cabling::{Cable, Cabling, End, Node};
use rustc_hash::{FxHashMap, FxHashSet};

/// Gives switches of a plan the names that the machine has for them, and says which: (planned, now). One is taken for another
/// where more than half of its cables lead to the same ports, and to no other unnamed switch so many do; those that hang on
/// such a switch follow. O(cables) for each step away from what both name alike.
pub(super) fn renamed(plan: &mut Cabling, now: &Cabling) -> Vec<(String, String)> {
    let mut all = Vec::new();
    loop {
        let found = once(plan, now);
        if found.is_empty() {
            all.sort();
            return all;
        }
        let names: FxHashMap<&str, &str> = found.iter().map(|(was, is)| (was.as_str(), is.as_str())).collect();
        let own = |end: &End| End {
            node: names.get(end.node.as_str()).unwrap_or(&end.node.as_str()).to_string(),
            port: end.port,
        };
        let cables = plan.cables.iter().map(|c| Cable::new([own(&c.ends[0]), own(&c.ends[1])], c.speed, None));
        plan.cables = cables.collect();
        for (was, is) in &found {
            plan.nodes.remove(was);
            plan.nodes.insert(is.clone(), Node::Switch);
        }
        all.extend(found);
    }
}

fn once(plan: &Cabling, now: &Cabling) -> Vec<(String, String)> {
    let (missing, unplanned) = (unknown(plan, now), unknown(now, plan));
    // Who hangs on which known port, of the switches that the plan does not name.
    let mut at: FxHashMap<&End, &str> = FxHashMap::default();
    for cable in &now.cables {
        for (own, far) in [(0, 1), (1, 0)].map(|(a, b)| (&cable.ends[a], &cable.ends[b])) {
            if unplanned.contains(own.node.as_str()) && !unplanned.contains(far.node.as_str()) {
                at.insert(far, &own.node);
            }
        }
    }
    // How many cables of a missing switch lead where those of an unplanned one do.
    let mut alike: FxHashMap<&str, FxHashMap<&str, usize>> = FxHashMap::default();
    let mut cables: FxHashMap<&str, usize> = FxHashMap::default();
    for cable in &plan.cables {
        for (own, far) in [(0, 1), (1, 0)].map(|(a, b)| (&cable.ends[a], &cable.ends[b])) {
            if missing.contains(own.node.as_str()) {
                *cables.entry(&own.node).or_default() += usize::from(!missing.contains(far.node.as_str()));
                if let Some(other) = at.get(far) {
                    *alike.entry(&own.node).or_default().entry(other).or_default() += 1;
                }
            }
        }
    }
    let mut taken: FxHashSet<&str> = FxHashSet::default();
    let mut found: Vec<(String, String)> = Vec::new();
    for (was, counts) in alike {
        let (is, most) = counts.iter().max_by_key(|(_, n)| **n).map_or(("", 0), |(is, n)| (*is, *n));
        // More than half: no two can be it, nor can it be two.
        if 2 * most > cables[was] && taken.insert(is) {
            found.push((was.to_string(), is.to_string()));
        }
    }
    found
}

/// Switches that the other does not name.
fn unknown<'a>(own: &'a Cabling, other: &Cabling) -> FxHashSet<&'a str> {
    let switches = own.nodes.iter().filter(|(name, node)| **node == Node::Switch && !other.nodes.contains_key(*name));
    switches.map(|(name, _)| name.as_str()).collect()
}
