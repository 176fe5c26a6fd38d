//! Tables of a machine stay as they are when cables die: who sends over a dead one is told, and all others load what they did.

use super::*;
use hopline::plan::{Network, Plan};
use hopline::run;
use hopline::scenario::Scenario;
use std::collections::{BTreeMap, BTreeSet};

const MACHINES: [&str; 3] = ["testdata/fabrics/rack64", "testdata/fabrics/lmc1-8", "testdata/fabrics/ring5-lash"];

fn scenario(machine: &str, routing: &str, dead: Option<&str>) -> Scenario {
    let place = format!("file:{}/{machine}", root());
    let scenario = Scenario::default().topology(&place).and_then(|s| s.routing(routing)?.traffic("alltoall"));
    let scenario = scenario.unwrap_or_else(|e| panic!("{machine}: {e}"));
    dead.into_iter().fold(scenario, |scenario, cable| scenario.without(cable))
}

/// The links that the tables lead over from one adapter to each LID of another, as vertices and ports.
fn walks(whole: &Network, s: VertexId, t: VertexId) -> Vec<Vec<(usize, u16)>> {
    let Topology::File(file) = &whole.topology else { panic!("a file") };
    let (lids, tables) = file.tables().expect("tables");
    let f = &whole.fabric;
    let leave = |v: VertexId, port: Option<u16>| {
        f.out_links(v)
            .find(|&link| port.is_none_or(|port| f.port(link) == port))
            .unwrap_or_else(|| panic!("{v} {port:?}"))
    };
    let walk = |lid: u16| {
        let (mut at, mut links) = (s, Vec::new());
        while at != t {
            let port = f
                .guid(at)
                .and_then(|guid| tables.tables.get(&guid))
                .map(|table| u16::from(table.out[usize::from(lid)]));
            let link = leave(at, port);
            links.push((at.index(), f.port(link)));
            assert!(links.len() < 20, "the tables of the machine are whole");
            at = f.target(link);
        }
        links
    };
    lids.of(t).map(walk).collect()
}

#[test]
fn every_single_cable_under_old_tables() {
    for machine in MACHINES {
        let whole = Network::new(&scenario(machine, "table", None), &Disk).expect("a machine");
        let f = &whole.fabric;
        let ends: Vec<VertexId> = (0..f.endpoints()).map(VertexId).filter(|&v| f.hosts().owner(v).is_some()).collect();
        let pairs: Vec<(VertexId, VertexId)> =
            ends.iter().flat_map(|&s| ends.iter().map(move |&t| (s, t))).filter(|(s, t)| s != t).collect();
        let walks: Vec<_> = pairs.iter().map(|&(s, t)| walks(&whole, s, t)).collect();
        for cable in f.link_ids().filter(|&link| link < f.reverse(link)) {
            let dead: BTreeSet<(usize, u16)> =
                [cable, f.reverse(cable)].iter().map(|&link| (f.source(link).index(), f.port(link))).collect();
            let port = format!("{}[{}]", f.vertex_name(f.source(cable)), f.port(cable));
            for (routing, all) in [("table:lid=base", false), ("table:lid=spread", true)] {
                let what = format!("{machine} {routing} without {port}");
                let left = Network::new(&scenario(machine, routing, Some(&port)), &Disk)
                    .unwrap_or_else(|e| panic!("{what}: {e}"));
                let mut expected: BTreeMap<(usize, u16), f64> = BTreeMap::new();
                let mut flows = Flows::default();
                for (&(s, t), walks) in pairs.iter().zip(&walks) {
                    let taken = if all { &walks[..] } else { &walks[..1] };
                    let is_broken = taken.iter().flatten().any(|link| dead.contains(link));
                    let amount = amount(s.index(), t.index());
                    let flow = Flow { source: s, target: t, amount };
                    let alone = Flows { entries: vec![flow], ..Flows::default() };
                    if is_broken {
                        let error = left
                            .routing
                            .load(&alone, &mut vec![0.0; left.fabric.links()])
                            .expect_err(&what)
                            .to_string();
                        let named = [s, t].iter().all(|&v| error.contains(f.vertex_name(v)));
                        assert!(named && error.contains("no way"), "{what}: {error}");
                        continue;
                    }
                    flows.entries.push(flow);
                    let share = amount / taken.len() as f64;
                    taken.iter().flatten().for_each(|&link| *expected.entry(link).or_default() += share);
                }
                let mut loads = vec![0.0; left.fabric.links()];
                left.routing.load(&flows, &mut loads).unwrap_or_else(|e| panic!("{what}: {e}"));
                for link in left.fabric.link_ids() {
                    let own = (left.fabric.source(link).index(), left.fabric.port(link));
                    let (is, should) = (loads[link.index()], expected.get(&own).copied().unwrap_or(0.0));
                    assert!(
                        (is - should).abs() < 1e-9 * (1.0 + should),
                        "{what}: {} carries {is}, not {should}",
                        left.fabric.link_name(link)
                    );
                }
            }
        }
    }
}

/// What `fabric whatif` says of pairs without a way.
#[test]
fn pairs_that_are_apart_are_counted_and_named() {
    let mut cut = 0;
    for spec in ["fat-tree:k=2,n=2", "mesh:dims=3x2", "mesh:dims=4", "tree:arity=2x3", "dragonfly:p=1,a=2,h=1"] {
        let job = |dead: Option<&str>| {
            let scenario = Scenario::default()
                .topology(spec)
                .and_then(|s| s.routing("shortest")?.traffic("alltoall"))
                .expect("specs");
            Plan::new(&dead.into_iter().fold(scenario, |s, cable| s.without(cable)), &Disk)
                .unwrap_or_else(|e| panic!("{spec}: {e}"))
        };
        let (whole, machine) = (job(None), Machine::new(spec));
        let f = &machine.whole;
        for cable in machine.cables() {
            let port = format!("{}[{}]", f.vertex_name(f.source(cable)), f.port(cable));
            let told = run::whatif(&whole, None, &job(Some(&port)), 1, &mut hopline::event::Silent)
                .unwrap_or_else(|e| panic!("{spec} {port}: {e}"));
            let live = Live::new(f, &machine.links_of(&[cable]), false);
            let host = |v: usize| f.hosts().name(f.hosts().owner(VertexId(v as u32)).expect("a host")).to_string();
            let mut apart = BTreeSet::new();
            for t in 0..live.endpoints {
                let lengths = live.lengths_to(t, Ways::All);
                apart.extend((0..live.endpoints).filter(|&s| lengths[s].is_none()).map(|s| (host(s), host(t))));
            }
            assert_eq!(told.unreachable, apart.len() as u64, "{spec} {port}");
            assert!(told.pairs_apart.iter().all(|pair| apart.contains(pair)), "{spec} {port}: {:?}", told.pairs_apart);
            // Each pair is told one way, and ten at most.
            assert_eq!(told.pairs_apart.len(), (apart.len() / 2).min(10), "{spec} {port}");
            let sent = live.endpoints * (live.endpoints - 1);
            let arrives = 1.0 - apart.len() as f64 / sent as f64;
            assert!(
                told.traffic_left.is_some_and(|left| (left - arrives).abs() < 1e-9),
                "{spec} {port}: {:?}",
                told.traffic_left
            );
            cut += usize::from(!apart.is_empty());
        }
    }
    assert!(cut > 10, "{cut}");
}
