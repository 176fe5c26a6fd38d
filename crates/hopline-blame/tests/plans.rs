//! Plans and expected values beside those of the notes, whose data were made by another program.
#![allow(clippy::print_stderr, reason = "rounds are printed")]

#[path = "common/simulated.rs"]
mod simulated;
#[path = "../../hopline/tests/common/skip.rs"]
mod skip;

use hopline::plan::Network;
use hopline_blame::{PlanOptions, expect, plan};
use simulated::{Rounds, capacity, network, way};

fn fabric(name: &str) -> Option<Network> {
    match name {
        "rack64" => Some(network("project:testdata/fabrics/rack64")),
        "avakas" => Some(network(&format!("file:{}", skip::data("fabrics/avakas")?))),
        name => Some(network(&format!("file:{}", skip::data(&format!("fabrics/simulated/{name}"))?))),
    }
}

/// How often every link is filled by lone pairs of a round; no host twice, no link above its rate.
fn crossed(network: &Network, rounds: &Rounds, name: &str) -> Vec<u32> {
    let f = &*network.fabric;
    let mut crossed = vec![0u32; f.links()];
    for round in rounds {
        let mut hosts: Vec<&String> = round.iter().flat_map(|(a, b)| [a, b]).collect();
        hosts.sort();
        let count = hosts.len();
        hosts.dedup();
        assert_eq!(hosts.len(), count, "{name}: a host twice in a round");
        let mut load = vec![0.0; f.links()];
        for (a, b) in round.iter().flat_map(|(a, b)| [(a, b), (b, a)]) {
            let route = way(network, a, b);
            let rate = route.iter().map(|(l, s)| capacity(f, *l) / s).fold(f64::INFINITY, f64::min);
            let limited = route.iter().filter(|(l, _)| rate.is_finite() && capacity(f, *l).is_finite());
            limited.for_each(|(l, s)| load[l.index()] += rate * s / capacity(f, *l));
        }
        assert!(load.iter().all(|l| *l < 1.01), "{name}: a link above its rate");
        load.iter().zip(&mut crossed).for_each(|(l, c)| *c += u32::from(*l > 0.94));
    }
    crossed
}

#[test]
fn plans_share_no_host_and_no_link() {
    for spec in ["project:testdata/fabrics/rack64", "fat-tree:k=4,n=2", "dragonfly:p=2,a=4,h=2"] {
        let network = network(spec);
        let options = PlanOptions { hosts: vec![], crossings: 1, stop: 1.0, rounds: 60, seed: 0 };
        let plan = plan(&network, &options).expect("a plan");
        let crossed = crossed(&network, &plan.rounds, spec);
        assert_eq!(crossed.iter().filter(|c| **c > 0).count() as u32, plan.covered, "{spec}");
        assert!(plan.covered * 10 >= plan.links * 8, "{spec}: {} of {}", plan.covered, plan.links);
    }
}

/// Reference plans cross every link twice, no link twice in a round: ours need no more rounds.
#[test]
fn plans_need_no_more_rounds_than_the_reference() {
    for name in ["rack64", "fat-tree-324", "avakas", "dragonfly-72", "glenn-1to8"] {
        let (Some(network), Some(path)) = (fabric(name), skip::data(&format!("blame/plans/{name}-k2-free.txt"))) else {
            continue;
        };
        let text = std::fs::read_to_string(path).expect("a plan");
        let theirs = text.lines().filter_map(|l| l.split(' ').next()?.parse::<usize>().ok()).max().expect("rounds") + 1;
        let options = PlanOptions { hosts: vec![], crossings: 2, stop: 1.0, rounds: 60, seed: 0 };
        let plan = plan(&network, &options).expect("a plan");
        let pairs = plan.rounds.iter().map(Vec::len).sum::<usize>();
        eprintln!(
            "{name}: {} rounds of {pairs} pairs for {} of {} links; reference {theirs} rounds of {} pairs",
            plan.rounds.len(),
            plan.covered,
            plan.links,
            text.lines().count()
        );
        crossed(&network, &plan.rounds, name);
        assert!(plan.rounds.len() <= theirs, "{name}: {} rounds, reference {theirs}", plan.rounds.len());
    }
}

/// Ranger has links that few of its 16 million routes take.
#[test]
fn ten_rounds_cover_nearly_all_of_a_large_machine() {
    if !skip::slow("half a minute") {
        return;
    }
    let Some(path) = skip::data("fabrics/ranger-2011") else { return };
    let options = PlanOptions { hosts: vec![], crossings: 1, stop: 0.98, rounds: 60, seed: 1 };
    let plan = plan(&network(&format!("file:{path}")), &options).expect("a plan");
    assert!(plan.rounds.len() <= 10, "{} rounds for {} of {}", plan.rounds.len(), plan.covered, plan.links);
}

#[test]
fn expected_shares_are_those_of_the_reference() {
    for name in ["rack64", "fat-tree-324", "avakas", "glenn-1to8"] {
        let (Some(network), Some(path)) = (fabric(name), skip::data(&format!("blame/expected/{name}-round.csv")))
        else {
            continue;
        };
        let text = std::fs::read_to_string(path).expect("a round");
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|l| l.split(',').collect()).collect();
        let pairs: String = rows.iter().map(|r| format!("{} {}\n", r[0], r[1])).collect();
        let ours = expect(&network, "pairs", &pairs).expect("an answer").pairs;
        assert_eq!(ours.len(), rows.len());
        for (ours, row) in ours.iter().zip(&rows) {
            let theirs = |column: usize| row[column].parse::<f64>().expect("a number");
            // Theirs have four decimals.
            assert!((ours.alone_gb_s - theirs(2)).abs() < 1e-4, "{name}: {row:?} {ours:?}");
            assert!((ours.expected_gb_s - theirs(3)).abs() < 1e-4, "{name}: {row:?} {ours:?}");
        }
    }
}
