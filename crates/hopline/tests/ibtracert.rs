//! Routes by forwarding tables against ibtracert, the judge that asks the
//! switches themselves: the same switches, ports in and ports out, on every pair
//! that was traced. Then real machines, where every table leads to its end.

mod common;

use common::trace::{by_tables, compare_with_ibtracert, lid_pairs, lids, traces, walk};
use common::{data, root};
use hopline::fabric::Guid;
use hopline::files::{Disk, read_text};
use hopline::id::{HostId, VertexId};
use hopline::plan::Network;
use hopline::run;
use std::collections::BTreeMap;

fn own(name: &str) -> String {
    format!("{}/testdata/fabrics/{name}", root())
}

fn text(path: &str) -> String {
    read_text(&Disk, path).unwrap_or_else(|e| panic!("{e}"))
}

/// Compares all routes of a directory; gives the number of pairs.
fn compare(dir: &str, traced: &str) -> usize {
    let pairs = lid_pairs(&text(&format!("{dir}/ibtracert_pairs.txt")));
    compare_with_ibtracert(dir, &pairs, &text(&format!("{dir}/{traced}")));
    pairs.len()
}

/// The first endpoint of every host.
fn ends(network: &Network) -> Vec<VertexId> {
    let hosts = network.fabric.hosts();
    (0..hosts.len()).map(|h| hosts.endpoints(HostId(h))[0]).collect()
}

#[test]
fn rack64_is_routed_as_ibtracert_says() {
    assert_eq!(compare(&own("rack64"), "ibtracert.txt.gz"), 384);
}

#[test]
fn every_lid_of_lmc1_8_is_routed_as_ibtracert_says() {
    assert_eq!(compare(&own("lmc1-8"), "ibtracert.txt.gz"), 112);
}

#[test]
fn the_two_lids_of_a_host_lead_over_two_spines_and_spread_is_both() {
    let dir = own("lmc1-8");
    let [spread, first, second, third] = ["spread", "0", "1", "2"].map(|lid| by_tables(&dir, lid));
    let mut apart = 0;
    for &from in &ends(&first) {
        for &to in ends(&first).iter().filter(|&&to| to != from) {
            let way = |network, choice| walk(network, from, to, choice).unwrap_or_else(|e| panic!("{e}"));
            let ways = [way(&first, 0), way(&second, 0)];
            assert_eq!(spread.routing.choices(from, to), Ok(2));
            assert_eq!([way(&spread, 0), way(&spread, 1)], ways);
            assert_eq!(way(&third, 0), ways[0], "the number is counted modulo two");
            apart += usize::from(ways[0] != ways[1]);
        }
    }
    // 4 hosts on each of 2 leaves: only between leaves is there a choice.
    assert_eq!(apart, 2 * 4 * 4);
}

/// What `hopline fabric route` prints are the switches with both ports, adapters left out.
#[test]
fn the_route_outcome_shows_the_hops_of_ibtracert() {
    let dir = own("rack64");
    let network = by_tables(&dir, "base");
    let lids = lids(&format!("{dir}/ibnetdiscover.txt"));
    let traces = traces(&text(&format!("{dir}/ibtracert.txt.gz")));
    for trace in &traces {
        let [from, to] =
            [trace.ends.0, trace.ends.1].map(|lid| network.fabric.vertex_name(lids.owner(lid).expect("host")));
        let outcome = run::route(&network, from, to, 9).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((outcome.choices, outcome.paths.len(), outcome.paths[0].share), (1, 1, 1.0));
        let hops = outcome.paths[0].hops.iter().map(|h| (h.in_port, h.guid.clone(), h.out_port));
        // A step ends at a switch; the next one says by which port it goes on.
        let traced = trace.steps.windows(2).map(|w| (Some(w[0].2), Some(w[0].1.to_string()), Some(w[1].0)));
        assert_eq!(hops.collect::<Vec<_>>(), traced.collect::<Vec<_>>(), "{from} -> {to}");
    }
    assert_eq!(traces.len(), 384);
}

#[test]
fn simulated_fabrics_are_routed_as_ibtracert_says() {
    let Some(dir) = data("fabrics/simulated") else { return };
    // All adapters and switches of fat-tree-16 are ends. The way of a switch to
    // itself is empty in both, as is that of an adapter to itself.
    assert_eq!(compare(&format!("{dir}/fat-tree-16"), "ibtracert.txt"), 484);
    let empty =
        traces(&text(&format!("{dir}/fat-tree-16/ibtracert.txt"))).iter().filter(|t| t.steps.is_empty()).count();
    assert_eq!(empty, 16 + 6);
    assert_eq!(compare(&format!("{dir}/fat-tree-324"), "ibtracert.txt.gz"), 2000);
    assert_eq!(compare(&format!("{dir}/dragonfly-72"), "ibtracert.txt.gz"), 72 * 72);
    assert_eq!(compare(&format!("{dir}/glenn-1to8"), "ibtracert.txt.gz"), 2000);
}

#[test]
fn four_lids_a_port_are_routed_as_ibtracert_says() {
    let Some(dir) = data("fabrics/simulated/fat-tree-16-lmc2") else { return };
    let printed = text(&format!("{dir}/ibtracert_head.txt"));
    // The head names the first LID of each end; the four LIDs of a target were traced in their order.
    let mut pairs: Vec<(u16, u16)> = Vec::new();
    for trace in traces(&printed) {
        let same = pairs.iter().filter(|p| (p.0, p.1 & !3) == trace.ends).count() as u16;
        pairs.push((trace.ends.0, trace.ends.1 + same));
    }
    assert_eq!(pairs.len(), 15);
    assert_eq!(pairs[4..8], [(4, 12), (4, 13), (4, 14), (4, 15)]);
    compare_with_ibtracert(&dir, &pairs, &printed);
}

#[test]
fn ranger_arrives_on_every_traced_pair() {
    let Some(dir) = data("fabrics/ranger-2011") else { return };
    let network = by_tables(&dir, "base");
    let lids = lids(&format!("{dir}/ibnetdiscover.txt.gz"));
    // Number of switches on the way, as ibtracert counted them for the same pairs.
    let mut switches: BTreeMap<usize, u32> = BTreeMap::new();
    for (slid, dlid) in lid_pairs(&text(&format!("{dir}/pairs.txt"))) {
        let [from, to] = [slid, dlid].map(|lid| lids.owner(lid).unwrap_or_else(|| panic!("nobody has LID {lid}")));
        let steps = walk(&network, from, to, 0).unwrap_or_else(|e| panic!("{e}"));
        *switches.entry(steps.len() - 1).or_default() += 1;
    }
    assert_eq!(switches, BTreeMap::from([(7, 1652), (6, 94), (5, 218), (3, 25), (1, 8), (4, 3)]));

    // The example of the paper about this machine: five switches; both hosts hang on port 10.
    let example = run::route(&network, "i101-101", "i102-201", 1).unwrap_or_else(|e| panic!("{e}"));
    let hops = &example.paths[0].hops;
    let (first, last) = (&hops[0], &hops[hops.len() - 1]);
    assert_eq!(hops.len(), 5);
    assert_eq!((first.guid.as_deref(), first.in_port), (Some("0x00144fa50f240050"), Some(10)));
    assert_eq!((last.guid.as_deref(), last.out_port), (Some("0x00144fa43db80050"), Some(10)));
}

#[test]
fn avakas_arrives_from_every_host_at_every_other() {
    let Some(dir) = data("fabrics/avakas") else { return };
    let network = by_tables(&dir, "base");
    let ends = ends(&network);
    let leaf = &network.fabric.level("leaf").expect("leaves").part;
    let mut arrived = 0u64;
    for &from in &ends {
        for &to in ends.iter().filter(|&&to| to != from) {
            let steps = walk(&network, from, to, 0).unwrap_or_else(|e| panic!("{e}"));
            // Two levels of switches: one leaf, or leaf, spine and leaf.
            let same = leaf[from.index()] == leaf[to.index()];
            assert_eq!(steps.len() - 1, if same { 1 } else { 3 }, "{from} -> {to}");
            arrived += 1;
        }
    }
    assert_eq!(arrived, 281 * 280);
    let check = run::check(&network);
    assert_eq!((check.pairs, check.broken, check.problems.len()), (arrived, 0, 1));
    // Every file of ibroute ends in an error of the tool.
    assert!(check.problems[0].contains("iberror") && check.problems[0].contains("and 24 more such"));
}

/// A top LID that is a multiple of 64 is lost by dump_fts: its host, and only
/// that one, cannot be reached; it can still send.
#[test]
fn a_lost_top_lid_makes_one_host_unreachable() {
    let Some(dir) = data("fabrics/simulated/top-lid-64") else { return };
    let network = by_tables(&dir, "base");
    let f = &*network.fabric;
    let lost = lids(&format!("{dir}/top64_ibnetdiscover.txt")).owner(64).expect("the host with LID 64");
    let ends = ends(&network);
    let mut broken = 0;
    for &from in &ends {
        for &to in ends.iter().filter(|&&to| to != from) {
            match walk(&network, from, to, 0) {
                Ok(_) => assert_ne!(to, lost, "LID 64 is in no table"),
                Err(e) => {
                    assert_eq!(to, lost, "{e}");
                    let both = format!("no way from {} to {}: ", f.vertex_name(from), f.vertex_name(to));
                    assert!(e.message().contains(&both), "{e}");
                    broken += 1;
                }
            }
        }
    }
    assert_eq!((broken, f.guid(lost)), (ends.len() as u64 - 1, Some(Guid(0x0002_c903_0000_02f1))));
    let check = run::check(&network);
    assert_eq!((check.pairs, check.broken), ((ends.len() * (ends.len() - 1)) as u64, broken));
    let name = f.vertex_name(lost);
    assert!(check.problems.iter().skip(1).all(|p| p.contains(name)), "{:?}", check.problems);
    assert!(check.problems.len() > 1 && check.problems[0].contains(&broken.to_string()), "{:?}", check.problems);
    assert!(check.notes.iter().any(|n| n.contains("LID 64")), "{:?}", check.notes);
}
