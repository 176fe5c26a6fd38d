//! Random networks with random cables dead: switches, routers that are endpoints, parallel cables, parts that nothing joins.

use super::*;
use hopline::fabric::{Builder, LinkClass};
use hopline::rng::Rng;
use hopline::unit::{Bandwidth, Nanos};

/// A network of up to eight routers, as a random number has it.
pub(crate) fn machine(number: u64) -> (Machine, Vec<LinkId>) {
    let mut rng = Rng::new(number, "dead cables");
    let below = |rng: &mut Rng, bound: u64| rng.below(bound) as u32;
    let switches = below(&mut rng, 7);
    // Without a switch all endpoints are routers.
    let routers = 2 + below(&mut rng, 3);
    let adapters = if switches == 0 { 0 } else { 2 + below(&mut rng, 6) };
    let endpoints = if switches == 0 { routers + 2 } else { adapters };
    let mut b = Builder::new(format!("random {number}"), endpoints, switches);
    let class = |name: &str, host: bool| LinkClass {
        name: name.into(),
        bandwidth: Some(Bandwidth::bytes_s(1_000_000_000)),
        latency: Nanos(100),
        host,
    };
    let (cables, host) = (b.class(class("cable", false)), b.class(class("host", true)));
    let all: Vec<VertexId> = match switches {
        0 => (0..endpoints).map(VertexId).collect(),
        _ => (0..switches).map(|s| b.switch(s)).collect(),
    };
    for endpoint in (0..adapters).map(VertexId) {
        b.cable(endpoint, all[below(&mut rng, u64::from(switches)) as usize], host);
    }
    // Most are joined: each to one before it, but one in ten, and then some more.
    for at in 1..all.len() {
        if rng.below(10) > 0 {
            b.cable(all[at], all[rng.below(at as u64) as usize], cables);
        }
    }
    for _ in 0..rng.below(2 * all.len() as u64 + 1) {
        let (x, y) = (rng.below(all.len() as u64) as usize, rng.below(all.len() as u64) as usize);
        if x != y {
            b.cable(all[x], all[y], cables);
        }
    }
    b.host_per_endpoint(1);
    let whole = b.finish().unwrap_or_else(|e| panic!("{number}: {e}"));
    let (topology, _) = common::fabric("full-mesh:n=2");
    let machine = Machine { spec: format!("random {number}"), topology, whole: Arc::new(whole) };
    let all = machine.cables();
    let count = rng.below(4).min(all.len() as u64) as usize;
    let dead = rng.sample(count, all.len()).into_iter().map(|at| all[at]).collect::<Vec<_>>();
    let dead = machine.links_of(&dead);
    (machine, dead)
}

#[test]
fn random_networks() {
    let count = 10_000;
    let mut tally = Tally::default();
    for number in 0..count {
        let (machine, dead) = machine(number);
        for rule in RULES {
            // What no whole machine may have is no matter here.
            if machine.routing(rule.0, &machine.whole).is_ok() {
                tally += check(&machine, rule, &dead);
            }
        }
    }
    assert!(tally.exact > 3 * count && tally.walked > count && tally.apart > count / 2, "{tally:?}");
}
