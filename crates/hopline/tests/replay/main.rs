//! Replay against closed forms and against itself; the flit engine and other simulators in files of their own.
#![allow(clippy::print_stdout, reason = "tables of the guide, with --nocapture")]

mod buffers;
#[path = "../common/mod.rs"]
mod common;
mod flits;
mod loggopsim;
mod rendezvous;
mod simgrid;
mod traversals;

use common::network;
use hopline::demand::Demand;
use hopline::error::Place;
use hopline::event::Silent;
use hopline::flits::{Process, ROUTER, Router, Simulation};
use hopline::forwarding::{self, Wiring};
use hopline::id::{HostId, SlotId, VertexId};
use hopline::mapping::Mapping;
use hopline::ordering::{self, Delays, Traversal};
use hopline::params::Params;
use hopline::plan::Network;
use hopline::replay::{Model, Places, Record, ReplayInput, Replayed, Watch, replay};
use hopline::rng::Rng;
use hopline::schedule::{Builder, Schedule, collective};
use proptest::prelude::*;
use std::sync::Arc;

const NS: u64 = 1000;

fn model(keys: &str) -> Model {
    Model::read(&Params::from_spec(&format!("replay:{keys}"), &Place::new("test", 0)).expect("keys")).expect("model")
}

/// Rank r on slot r.
fn places(network: &Network, ranks: u32) -> Places {
    let mapping = Mapping::new((0..ranks).map(SlotId).collect(), &network.fabric).expect("mapping");
    Places::new(&mapping, network.fabric.hosts()).expect("places")
}

fn run_with(network: &Network, schedule: &Schedule, model: &Model, record: &Record) -> Replayed {
    let places = places(network, schedule.ranks());
    let input = ReplayInput { schedule, routing: &*network.routing, places: &places, model };
    replay(input, record, &mut Silent).unwrap_or_else(|e| panic!("{e}"))
}

fn run(network: &Network, schedule: &Schedule, keys: &str) -> Replayed {
    run_with(network, schedule, &model(keys), &Record::default())
}

fn collective(name: &str, ranks: u32, bytes: u64) -> Schedule {
    let keys = collective::Keys { k: 2, ..collective::sized(bytes, 1) };
    collective::named(name).and_then(|a| a.schedule(&keys, ranks)).expect(name)
}

/// `from` sends messages to `to`, one after another without waiting.
fn stream(ranks: u32, flows: &[(u32, u32, u64)]) -> Schedule {
    let mut b = Builder::new(ranks);
    for &(from, to, bytes) in flows {
        b.send(from, to, bytes, 0);
        b.recv(to, from, bytes, 0);
    }
    b.finish().expect("schedule")
}

#[test]
fn logp_broadcast_takes_its_closed_form() {
    let net = network("full-mesh:n=64", None);
    // Karp et al., 1993: with g <= o and a binomial tree in which every rank sends on at
    // once, n = 2^d ranks take d * (L + 2o) where L + 2o is one step of the tree.
    for (l, o, d) in [(1000, 300, 6), (5, 0, 3), (700, 250, 1)] {
        let r = run(&net, &collective("knomial", 1 << d, 8), &format!("network=ideal,L={l},o={o}"));
        // The last leaf is d levels down; each of them waits for the sends before it.
        let expected = longest(1 << d, l, o);
        assert_eq!(r.makespan(), expected * NS, "L={l} o={o} n=2^{d}");
        assert_eq!(r.messages, (1 << d) - 1);
    }
}

/// Brute force on the tree itself: child i of a rank that is ready at t is ready at t + i*o + L + 2o.
fn longest(n: u32, l: u64, o: u64) -> u64 {
    let tree = collective::Tree::knomial(n, 2);
    let mut ready = vec![0; n as usize];
    let mut open = vec![0u32];
    while let Some(v) = open.pop() {
        for (i, &child) in tree.children[v as usize].iter().enumerate() {
            ready[child as usize] = ready[v as usize] + i as u64 * o + l + 2 * o;
            open.push(child);
        }
    }
    // A rank is done when its last send has left its processor.
    (0..n as usize).map(|v| ready[v] + tree.children[v].len() as u64 * o).max().unwrap_or(0)
}

#[test]
fn logp_alltoall_takes_its_closed_form() {
    let net = network("full-mesh:n=16", None);
    // Staggered, with g >= 2o: the last message leaves (n-2)*g after the first.
    for n in [2, 3, 16] {
        let r = run(&net, &collective("linear", n, 8), "network=ideal,L=900,o=100,g=250");
        assert_eq!(r.makespan(), (u64::from(n - 2) * 250 + 900 + 2 * 100) * NS, "n={n}");
    }
    // LogGP: one message of k bytes takes o + (k-1)G + L + o.
    let r = run(&net, &stream(2, &[(0, 1, 1001)]), "network=ideal,L=900,o=100,G=0.5");
    assert_eq!(r.makespan(), (100 + 500 + 900 + 100) * NS);
}

#[test]
fn pairwise_on_a_full_mesh_takes_a_message_time_per_step() {
    // Every pair has its own link of 1 GB/s: n-1 steps of packets at 1 ns per byte.
    let net = network("full-mesh:n=8", None);
    let r = run(&net, &collective("pairwise", 8, 4096), "packet=4096,L=100,o=0");
    assert_eq!(r.makespan(), 7 * (4096 + 100) * NS);
    assert_eq!((r.messages, r.packet_hops), (56, 56));
}

#[test]
fn two_flows_on_one_link_halve() {
    // A torus of 5 in a row: 0 -> 2 and 1 -> 2 share the link 1 -> 2.
    let net = network("torus:dims=5", None);
    let bytes = 1 << 20;
    for keys in ["packet=1024", "packet=1024,forward=cut", "network=fluid"] {
        let alone = run(&net, &stream(5, &[(1, 2, bytes)]), keys).makespan();
        let both = run(&net, &stream(5, &[(0, 2, bytes), (1, 2, bytes)]), keys).makespan();
        let ratio = both as f64 / alone as f64;
        assert!((ratio - 2.0).abs() < 0.01, "{keys}: {ratio}");
    }
}

#[test]
fn store_and_forward_pays_a_packet_per_hop_and_cut_through_does_not() {
    let net = network("torus:dims=9", None);
    let four_hops = stream(9, &[(0, 4, 8192)]);
    assert_eq!(run(&net, &four_hops, "packet=1024").makespan(), (8 + 3) * 1024 * NS);
    assert_eq!(run(&net, &four_hops, "packet=1024,forward=cut").makespan(), (8 * 1024 + 3 * 32) * NS);
    assert_eq!(run(&net, &four_hops, "packet=1024,header=24").makespan(), (8 + 3) * 1048 * NS);
}

#[test]
fn large_messages_wait_for_their_receive() {
    let net = network("full-mesh:n=2", None);
    let late = |bytes: u64| {
        let mut b = Builder::new(2);
        b.send(0, 1, bytes, 0);
        let busy = b.compute(1, 50_000);
        let got = b.recv(1, 0, bytes, 0);
        b.requires(got, busy);
        b.finish().expect("schedule")
    };
    // Eager: it is there when the receive is posted. Else the grant goes back and the data come after it.
    assert_eq!(run(&net, &late(1000), "S=1000,L=500").makespan(), 50_000 * NS);
    let large = run(&net, &late(1001), "S=1000,L=500");
    assert_eq!(large.makespan(), (50_000 + 500 + 500 + 1001) * NS);
    assert_eq!(large.finish[0], large.finish[1], "the sender is done when its data have arrived");
}

#[test]
fn ranks_that_wait_for_large_messages_in_a_circle_are_named() {
    let net = network("full-mesh:n=2", None);
    let mut b = Builder::new(2);
    for r in 0..2 {
        b.send(r, 1 - r, 4096, 0);
        b.wait(r);
        b.recv(r, 1 - r, 4096, 0);
    }
    let circle = b.finish().expect("an eager network would do it");
    assert!(run(&net, &circle, "S=4096").makespan() > 0);
    let places = places(&net, 2);
    let model = model("S=4095");
    let input = ReplayInput { schedule: &circle, routing: &*net.routing, places: &places, model: &model };
    let error = replay(input, &Record::default(), &mut Silent).expect_err("stuck").to_string();
    assert!(error.contains("rank 0 cannot send 4096 bytes to rank 1"), "{error}");
}

#[test]
fn ranks_of_a_host_copy() {
    let net = network("full-mesh:n=2,slots=2", None);
    let r = run(&net, &stream(4, &[(0, 1, 10_000), (0, 1, 10_000)]), "memory=10,memory_latency=300");
    assert_eq!(r.makespan(), (2 * 1000 + 300) * NS);
    assert_eq!((r.messages, r.copies, r.packet_hops), (2, 2, 0));
}

#[test]
fn plays_of_a_body_are_as_if_written_out() {
    let net = network("torus:dims=4x4", None);
    let ring = |steps: u32| {
        let mut b = Builder::new(16);
        for _ in 0..steps {
            for r in 0..16 {
                b.send(r, (r * 5 + 3) % 16, 3000 + u64::from(r), 0);
                b.compute(r, 700 * u64::from(r % 3));
            }
            for r in 0..16 {
                b.recv((r * 5 + 3) % 16, r, 3000 + u64::from(r), 0);
            }
            (0..16).for_each(|r| b.wait(r));
        }
        b.finish().expect("schedule")
    };
    let keys = "L=400,o=50,g=20,packet=512";
    let played = run(&net, &ring(1).repeat(5).expect("repeat"), keys);
    let written = run(&net, &ring(5), keys);
    assert_eq!(played.finish, written.finish);
    assert_eq!(played.busy, written.busy);
}

#[test]
fn packets_follow_the_shares_of_the_routing() {
    // Four paths of equal shares between leaves; load is what the links were busy.
    for (topology, routing) in
        [("fat-tree:k=4,n=2", "shortest"), ("percs:ns=3,nd=4", "indirect"), ("torus:dims=4x4", "dor:tie=split")]
    {
        let net = network(topology, Some(routing));
        let (from, to) = (0, net.fabric.hosts().slots() - 1);
        let bytes = 4 << 20;
        let r = run(&net, &stream(to + 1, &[(from, to, bytes)]), "packet=1024");
        let hosts = net.fabric.hosts();
        let mut route = Vec::new();
        let at = |slot: u32| hosts.endpoint_of(SlotId(slot));
        net.routing.route(at(from), at(to), &mut route).expect("route");
        let mut expected = vec![0.0; net.fabric.links()];
        route.iter().for_each(|&(l, share)| expected[l.index()] += share * bytes as f64);
        for (l, &busy) in r.busy.iter().enumerate() {
            let class = net.fabric.class_of(hopline::id::LinkId(l as u32));
            let Some(bandwidth) = class.bandwidth else { continue };
            let sent = busy as f64 * 1e-3 * bandwidth.as_gb_s();
            assert!(
                (sent - expected[l]).abs() <= 2.0 * 1024.0 + 0.002 * bytes as f64,
                "{topology}: {sent} {}",
                expected[l]
            );
        }
    }
}

#[test]
fn the_timeline_adds_up_to_what_links_were_busy() {
    let net = network("dragonfly:p=2,a=4,h=2", None);
    let watched = hopline::id::LinkId(20);
    let record = Record { watch: Some(Watch { bin: 700, links: vec![watched] }), critical: false };
    let r = run_with(&net, &collective("linear", 16, 5000), &model("packet=512,o=30"), &record);
    let classes = net.fabric.classes().len();
    for c in 0..classes {
        let of = |l: &usize| net.fabric.class_id(hopline::id::LinkId(*l as u32)).index() == c;
        let busy: u64 = (0..r.busy.len()).filter(of).map(|l| r.busy[l]).sum();
        assert_eq!(r.timeline[c].iter().sum::<u64>(), busy);
    }
    assert_eq!(r.timeline[classes].iter().sum::<u64>(), r.busy[watched.index()]);
    // Every message takes the processors of both ranks for 30 ns.
    assert_eq!(r.processors.len(), 16);
    assert_eq!(r.processors.iter().flatten().sum::<u64>(), 2 * r.messages * 30 * NS);
}

#[test]
fn the_critical_path_is_a_chain_from_the_beginning_to_the_end() {
    let net = network("torus:dims=4x4", None);
    let record = Record { watch: None, critical: true };
    let schedule = collective("binomial", 16, 20_000);
    for keys in ["L=100,o=20", "L=100,o=20,S=1000"] {
        let r = run_with(&net, &schedule, &model(keys), &record);
        let path = &r.critical;
        assert_eq!(path.last().map(|c| c.done), Some(r.makespan()));
        assert_eq!(path[0].rank, 0, "the root sends first");
        for pair in path.windows(2) {
            assert!(pair[0].done <= pair[1].done);
            match pair[1].sent {
                Some(sent) => assert_eq!(sent, pair[0].done),
                None => assert_eq!(pair[0].rank, pair[1].rank),
            }
        }
    }
}

#[test]
fn fluid_and_packets_agree_where_flows_are_long() {
    for (topology, name, ranks) in
        [("dragonfly:p=2,a=4,h=2", "linear", 24), ("torus:dims=4x4", "linear", 16), ("full-mesh:n=6", "pairwise", 6)]
    {
        let net = network(topology, None);
        let schedule = collective(name, ranks, 1 << 18);
        let packets = run(&net, &schedule, "packet=512,S=100M").makespan() as f64;
        let fluid = run(&net, &schedule, "network=fluid,S=100M").makespan() as f64;
        assert!((packets / fluid - 1.0).abs() < 0.10, "{topology} {name}: packets {packets}, fluid {fluid}");
    }
}

/// Where the two differ it is because of what ranks do next. First come, first served lets one of two messages on a
/// link go first, so its rank begins its next step and may stand in line before others that are behind; fair shares
/// keep ranks together. Who gains differs, but one step at a time there is no next, and they agree.
#[test]
fn fluid_and_packets_part_where_steps_follow_each_other() {
    for (topology, n) in [("dragonfly:p=2,a=4,h=2", 24), ("dragonfly:p=2,a=4,h=2,host=1", 64)] {
        let net = network(topology, None);
        let bytes = 1 << 16;
        let both = |schedule: &Schedule| {
            let packets = run(&net, schedule, "packet=512,forward=cut,S=1G").makespan() as f64;
            (packets, run(&net, schedule, "network=fluid,S=1G").makespan() as f64)
        };
        let (packets, fluid) = both(&collective("pairwise", n, bytes));
        let step = |by: u32| both(&stream(n, &(0..n).map(|r| (r, (r + by) % n, bytes)).collect::<Vec<_>>()));
        let apart = (1..n).map(step).fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        println!("{topology} {n}: together {:.3}, apart {:.3}", fluid / packets, apart.1 / apart.0);
        assert!((fluid / packets - 1.0).abs() > 0.1, "{topology}: {packets} {fluid}");
        assert!((apart.1 / apart.0 - 1.0).abs() < 0.005, "{topology}: {apart:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whatever is sent: the same twice, no rank before its own messages could be there, every
    /// byte on the links that its path takes.
    #[test]
    fn laws(flows in prop::collection::vec((0u32..12, 1u32..12, 0u64..9000), 1..40), packet in 64u64..4000) {
        let net = network("torus:dims=3x4", None);
        let flows: Vec<_> = flows.into_iter().map(|(from, by, bytes)| (from, (from + by) % 12, bytes)).collect();
        let schedule = stream(12, &flows);
        let keys = format!("packet={packet},L=10,o=5,g=3,S=4000");
        let one = run(&net, &schedule, &keys);
        prop_assert_eq!(&one, &run(&net, &schedule, &keys));
        let mut least = vec![0u64; net.fabric.links()];
        let mut links = hopline::routing::Path::default();
        for &(from, to, bytes) in &flows {
            net.routing.path(VertexId(from), VertexId(to), 0, &mut links).expect("path");
            links.links.iter().for_each(|l| least[l.index()] += bytes * NS);
        }
        prop_assert_eq!(&one.busy, &least);
        prop_assert!(one.makespan() >= least.iter().copied().max().unwrap_or(0));
    }
}

#[test]
fn places_must_fit() {
    let net = network("full-mesh:n=2", None);
    let schedule = stream(2, &[(0, 1, 1)]);
    let places = Places::on(vec![HostId(0)], vec![VertexId(0)]);
    let model = model("");
    let input = ReplayInput { schedule: &schedule, routing: &*net.routing, places: &places, model: &model };
    assert!(replay(input, &Record::default(), &mut Silent).is_err());
}

/// When the data of each receive of a rank was there, in its order, in nanoseconds.
fn arrivals(r: &Replayed, schedule: &Schedule, rank: u32) -> Vec<u64> {
    let time = |recv: u32| r.done.arrived.iter().find(|a| a.0 == recv).expect("arrived").1 / NS;
    schedule.of(0, rank).map(time).collect()
}

#[test]
fn messages_between_two_ranks_leave_one_after_the_other() {
    // One link of 1 GB/s leaves rank 0. The first messages to 1 and 2 share it; the second ones wait for them, not
    // for each other; what goes to 3 alone has its third of the link from the beginning.
    let net = network("tree:arity=4,bandwidth=1,host=1", None);
    let to = [(0, 1, 30_000), (0, 2, 30_000), (0, 1, 30_000), (0, 2, 30_000), (0, 3, 30_000)];
    let schedule = stream(4, &to);
    let record = Record { watch: None, critical: true };
    for (keys, slack) in [("packet=100,forward=cut,S=1G", 400), ("network=fluid,S=1G", 2), ("network=fluid,S=0", 2)] {
        let r = run_with(&net, &schedule, &model(keys), &record);
        for (rank, expected) in [(1, vec![90_000, 150_000]), (2, vec![90_000, 150_000]), (3, vec![90_000])] {
            let found = arrivals(&r, &schedule, rank);
            let near = found.iter().zip(&expected).all(|(&f, &e): (&u64, &u64)| f.abs_diff(e) <= slack);
            assert!(near && found.len() == expected.len(), "{keys} {rank}: {found:?}, not {expected:?}");
        }
    }
}
