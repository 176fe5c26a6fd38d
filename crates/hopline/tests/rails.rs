//! Hosts with several adapters.

mod common;

use common::data;
use hopline::demand::{Block, Demand, Flows, TaskSet, Unit};
use hopline::fabric::{Builder, Fabric, LinkClass, Rails};
use hopline::files::Disk;
use hopline::id::{HostId, SlotId, VertexId};
use hopline::loads::{Summary, evaluate};
use hopline::plan::Network;
use hopline::routing::Shortest;
use hopline::scenario::Scenario;
use hopline::unit::Bandwidth;
use std::sync::Arc;

/// Three hosts with two adapters and four slots each; rail r hangs on switch r,
/// and a thin cable joins the two switches.
fn two_rails(rails: Rails) -> Fabric {
    let mut b = Builder::new("two rails", 6, 2);
    let host = b.class(LinkClass::host(Some(Bandwidth::gb_s(10.0))));
    let trunk = b.class(LinkClass::network("trunk", Bandwidth::gb_s(1.0)));
    for h in 0..3 {
        for r in 0..2 {
            b.cable(VertexId(2 * h + r), b.switch(r), host);
        }
        b.host(format!("h{h}"), vec![VertexId(2 * h), VertexId(2 * h + 1)], 4);
    }
    b.cable(b.switch(0), b.switch(1), trunk);
    b.finish().and_then(|fabric| fabric.with_rails(rails)).expect("fabric")
}

fn alltoall(tasks: u32) -> Demand {
    let all = TaskSet::all(tasks);
    let block = Block { sources: all.clone(), destinations: all, amount: 1.0, to_self: true };
    Demand::new(tasks, Unit::Units, Vec::new(), vec![block]).expect("demand")
}

#[test]
fn slots_use_the_adapter_that_was_asked_for() {
    let of = |rails| {
        let f = two_rails(rails);
        (0..4).map(|s| f.hosts().endpoint_of(SlotId(s)).0).collect::<Vec<_>>()
    };
    assert_eq!(of(Rails::RoundRobin), [0, 1, 0, 1]);
    assert_eq!(of(Rails::Affine), [0, 0, 1, 1]);
    assert_eq!(of(Rails::One(1)), [1, 1, 1, 1]);
}

#[test]
fn only_traffic_between_rails_crosses_the_trunk() {
    let trunk = |rails| {
        let f = Arc::new(two_rails(rails));
        let place: Vec<VertexId> = (0..12).map(|s| f.hosts().endpoint_of(SlotId(s))).collect();
        let demand = alltoall(12);
        let routing = Shortest::new(f.clone());
        let loads = evaluate(&demand, &place, &routing).expect("loads");
        assert_eq!((loads.local, loads.remote), (3.0 * 16.0, 144.0 - 48.0), "{rails:?}: within a host is free");
        let summary = Summary::new(&demand, &loads, &f);
        (summary.classes[1].max_load, summary.classes[0].total_load)
    };
    // 6 tasks on each rail send to the 4 on the other rail of other hosts.
    assert_eq!(trunk(Rails::Affine), (24.0, 2.0 * 96.0));
    assert_eq!(trunk(Rails::RoundRobin), (24.0, 2.0 * 96.0));
    assert_eq!(trunk(Rails::Stripe), (0.0, 2.0 * 96.0));
    assert_eq!(trunk(Rails::One(0)), (0.0, 2.0 * 96.0));
}

#[test]
fn stripes_keep_what_they_split() {
    let f = two_rails(Rails::Stripe);
    let place: Vec<VertexId> = (0..12).map(|s| f.hosts().endpoint_of(SlotId(s))).collect();
    let flows = Flows::new(&alltoall(12), &place, &f);
    let mut total: f64 = flows.entries.iter().map(|e| e.amount).sum();
    flows.blocks.iter().for_each(|block| block.each_pair(|flow| total += flow.amount));
    assert!((total - flows.remote).abs() < 1e-9);
}

#[test]
fn the_dgx_fabric_has_rails_and_leaves_out_what_runs_nothing() {
    let Some(path) = data("fabrics/dgx-ndr/ibnetdiscover.txt") else { return };
    let net = |keys: &str| {
        let scenario = Scenario::default().topology(&format!("file:path={path}{keys}")).expect("spec");
        Network::new(&scenario, &Disk)
    };
    let affine = net(",slots=8,rails=affine").expect("machine");
    let hosts = affine.fabric.hosts();
    let four = (0..hosts.len()).map(HostId).filter(|&h| hosts.endpoints(h).len() == 4).count();
    assert_eq!(four, 109, "hosts with four named adapters");
    assert!(
        affine.notes.iter().any(|n| n.contains("40 `Mellanox Technologies Aggregation Node`")),
        "{:?}",
        affine.notes
    );
    let error = net(",rails=7").err().expect("too many").to_string();
    assert!(error.ends_with("`rails` is 7, but no host has more than 4 adapters (counted from 0)"), "{error}");
    assert!(net(",rails=zigzag").is_err());
}

#[test]
fn whole_hosts_are_reordered_without_splitting_their_ranks() {
    let spec = format!("file:{}/testdata/fabrics/rack64,slots=4", common::root());
    let scenario = Scenario::default().topology(&spec).and_then(|s| s.traffic("halo:grid=8x8x4")).expect("specs");
    let scenario = scenario.mappings("greedy:unit=host").expect("mapping").hosts("random:64");
    let plan = hopline::plan::Plan::new(&scenario, &Disk).expect("plan");
    let outcome = hopline::run::map(&plan, &mut hopline::event::Silent).expect("outcome");
    for (block, ranks) in outcome.placement.chunks(4).enumerate() {
        assert!(ranks.iter().all(|r| r.0 == ranks[0].0), "block {block} is split: {ranks:?}");
        assert_eq!(ranks.iter().map(|r| r.1).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }
    let uneven = scenario.traffic("halo:grid=6x7").expect("spec");
    let plan = hopline::plan::Plan::new(&uneven, &Disk).expect("plan");
    let error = hopline::run::map(&plan, &mut hopline::event::Silent).expect_err("42 ranks").to_string();
    assert!(error.contains("42 tasks do not fill hosts of equal size"), "{error}");
}
