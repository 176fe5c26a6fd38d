//! Chakra traces whose nodes are sends and receives: nothing but their dependencies holds them back.

mod common;

use common::{network, varint};
use hopline::error::Place;
use hopline::event::Silent;
use hopline::files::Memory;
use hopline::id::SlotId;
use hopline::mapping::Mapping;
use hopline::params::Params;
use hopline::replay::{Model, Places, Record, ReplayInput, replay};
use hopline::schedule;
use hopline::traffic::Context;

const COMPUTE: u64 = 4;
const SEND: u64 = 5;
const RECV: u64 = 6;

/// A node of a trace: its kind, the nodes that it waits for, its peer, and bytes or microseconds.
struct Node(u64, Vec<u64>, u64, u64);

fn number(out: &mut Vec<u8>, field: u64, n: u64) {
    varint(out, field << 3);
    varint(out, n);
}

fn block(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    varint(out, field << 3 | 2);
    varint(out, bytes.len() as u64);
    out.extend(bytes);
}

/// The file of a rank.
fn file(nodes: &[Node]) -> Vec<u8> {
    let mut out = vec![0];
    for (id, Node(kind, deps, peer, size)) in (0u64..).zip(nodes) {
        let mut m = Vec::new();
        number(&mut m, 1, id);
        number(&mut m, 3, *kind);
        let mut packed = Vec::new();
        deps.iter().for_each(|&d| varint(&mut packed, d));
        block(&mut m, 5, &packed);
        if *kind == COMPUTE {
            number(&mut m, 7, *size);
        } else {
            for (name, n) in [("comm_size", *size), (if *kind == SEND { "comm_dst" } else { "comm_src" }, *peer)] {
                let mut a = Vec::new();
                block(&mut a, 1, name.as_bytes());
                number(&mut a, 9, n);
                block(&mut m, 10, &a);
            }
        }
        varint(&mut out, m.len() as u64);
        out.extend(m);
    }
    out
}

/// Nanoseconds until all ranks are done, on links of 1 GB/s between any two of them.
fn time(traces: &[Vec<Node>], keys: &str) -> u64 {
    let place = Place::new("test", 0);
    let files = Memory((0..).zip(traces).map(|(rank, t): (u32, _)| (format!("d/t.{rank}.et"), file(t))).collect());
    let ranks = traces.len() as u32;
    let net = network(&format!("full-mesh:n={ranks},bandwidth=1"), None);
    let context = Context { fabric: &net.fabric, slots: ranks, files: &files };
    let made = schedule::build(&Params::from_spec("chakra:file=d/t", &place).expect("spec"), &context);
    let schedule = made.unwrap_or_else(|e| panic!("{e}")).schedule;
    let mapping = Mapping::new((0..ranks).map(SlotId).collect(), &net.fabric).expect("mapping");
    let places = Places::new(&mapping, net.fabric.hosts()).expect("places");
    let model = Model::read(&Params::from_spec(&format!("replay:{keys}"), &place).expect("keys")).expect("model");
    let input = ReplayInput { schedule: &schedule, routing: &*net.routing, places: &places, model: &model };
    replay(input, &Record::default(), &mut Silent).unwrap_or_else(|e| panic!("{keys}: {e}")).makespan() / 1000
}

/// A ring all-reduce as converters of MSCCL programs write it: in every step a rank sends, then receives, and adds up
/// in the first half; each node waits for the one before it.
fn ring(ranks: u64, bytes: u64, micros: u64) -> Vec<Vec<Node>> {
    let rank = |r: u64| {
        let mut nodes: Vec<Node> = Vec::new();
        for step in 0..2 * (ranks - 1) {
            for (kind, peer) in [(SEND, (r + 1) % ranks), (RECV, (r + ranks - 1) % ranks), (COMPUTE, 0)] {
                if kind != COMPUTE || step < ranks - 1 {
                    let before = (nodes.len() as u64).checked_sub(1).into_iter().collect();
                    nodes.push(Node(kind, before, peer, if kind == COMPUTE { micros } else { bytes }));
                }
            }
        }
        nodes
    };
    (0..ranks).map(rank).collect()
}

#[test]
fn a_custom_allreduce_ends_whatever_is_eager() {
    for (ranks, bytes) in [(2, 1 << 20), (5, 70_000), (8, 131_072)] {
        // Sends and receives of one step overlap on all ranks.
        let expected = 2 * (ranks - 1) * bytes + (ranks - 1) * 7_000;
        for keys in ["packet=1024", "packet=64K", "S=0", "S=1G", "network=fluid", "network=fluid,S=0"] {
            assert_eq!(time(&ring(ranks, bytes, 7), keys), expected, "{ranks} ranks, {bytes} bytes, {keys}");
        }
    }
}

#[test]
fn nodes_wait_for_their_dependencies_alone() {
    // Rank 0 posts a receive that comes late, and sends and computes meanwhile; rank 1 computes before it answers.
    let traces = || {
        let first = vec![
            Node(RECV, vec![], 1, 100_000),
            Node(SEND, vec![], 1, 200_000),
            Node(COMPUTE, vec![1], 0, 150),
            Node(COMPUTE, vec![0], 0, 10),
        ];
        let second =
            vec![Node(COMPUTE, vec![], 0, 500), Node(SEND, vec![0], 0, 100_000), Node(RECV, vec![], 0, 200_000)];
        vec![first, second]
    };
    for keys in ["S=0", "S=1G"] {
        assert_eq!(time(&traces(), keys), 500_000 + 100_000 + 10_000, "{keys}");
    }
    // A send whose receive comes last holds back nobody, and is itself the end.
    let late = || {
        let first = vec![Node(SEND, vec![], 1, 200_000), Node(COMPUTE, vec![0], 0, 100)];
        vec![first, vec![Node(COMPUTE, vec![], 0, 300), Node(RECV, vec![0], 0, 200_000)]]
    };
    assert_eq!(time(&late(), "S=0"), 500_000);
    assert_eq!(time(&late(), "S=1G"), 300_000);
}
