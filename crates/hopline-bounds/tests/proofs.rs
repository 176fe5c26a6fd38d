//! What an answer tells of its proofs can be added up by whoever has nothing but that answer and the network's links.

use hopline::rng::Rng;
use hopline_bounds::{Asked, BoundOutcome, Network, Operation, Switches, compare_one_way};
use std::collections::{BTreeMap, BTreeSet};

/// Six ranks in a ring with chords, two of them behind each of two switches as well, all at different speeds.
fn network(seed: u64) -> Network {
    let mut rng = Rng::new(seed, "proofs");
    let mut links = Vec::new();
    let mut join = |a: u32, b: u32, rng: &mut Rng| {
        let gb_s = 1 + rng.below(9);
        links.extend([(a, b, gb_s * 1_000_000_000), (b, a, gb_s * 1_000_000_000)]);
    };
    (0..6).for_each(|r| join(r, (r + 1) % 6, &mut rng));
    [(0, 6), (2, 6), (3, 7), (5, 7), (6, 7)].into_iter().for_each(|(a, b)| join(a, b, &mut rng));
    let names = (0..8).map(|v| if v < 6 { format!("r{v}") } else { format!("s{v}") }).collect();
    Network::new(names, (0..6).collect(), links).expect("a network")
}

fn asked(network: &Network, operation: Operation) -> BoundOutcome {
    let question = Asked { operation, root: 0, sizes: &[], switches: Switches::default(), orders: None };
    compare_one_way("proofs", network, &question).expect("an answer")
}

/// Links by their ends' names, with GB/s.
fn links(network: &Network) -> Vec<(String, String, f64)> {
    let name = |v: u32| network.name(v).to_string();
    network.links().iter().map(|l| (name(l.from), name(l.to), l.bytes_s.expect("a bandwidth") as f64 / 1e9)).collect()
}

/// The cheapest ways between all vertices (Floyd, Warshall).
fn cheapest(links: &[(String, String, f64)], price: &BTreeMap<String, f64>) -> BTreeMap<(String, String), f64> {
    let names: BTreeSet<&String> = links.iter().map(|link| &link.0).collect();
    let mut ways = BTreeMap::new();
    for (from, to, _) in links {
        ways.insert((from.clone(), to.clone()), price.get(&format!("{from} -> {to}")).copied().unwrap_or(0.0));
    }
    for &by in &names {
        for &from in &names {
            for &to in &names {
                let two = [(from, by), (by, to)]
                    .map(|(a, b)| if a == b { Some(0.0) } else { ways.get(&(a.clone(), b.clone())).copied() });
                if let [Some(first), Some(second)] = two {
                    let least = ways.entry((from.clone(), to.clone())).or_insert(f64::INFINITY);
                    *least = least.min(first + second);
                }
            }
        }
    }
    ways
}

#[test]
fn flows_pay_what_is_said() {
    for seed in 0..20 {
        let network = network(seed);
        let found = asked(&network, Operation::Alltoall).program.expect("a flow");
        let all: f64 = found.limiting.iter().map(|link| link.part).sum();
        assert!((all - 1.0).abs() < 1e-4, "{all}");
        let price = found.limiting.iter().map(|l| (l.link.clone(), l.part / l.gb_s.expect("a bandwidth"))).collect();
        let ways = cheapest(&links(&network), &price);
        let ranks = |name: &String| name.starts_with('r');
        let pays: f64 = ways.iter().filter(|((a, b), _)| a != b && ranks(a) && ranks(b)).map(|(_, way)| way).sum();
        assert!((pays / found.seconds_per_gb - 1.0).abs() < 1e-4, "{pays} {}", found.seconds_per_gb);
    }
}

#[test]
fn sets_on_routes_weigh_what_is_said() {
    for seed in 0..20 {
        for operation in [Operation::Allgather, Operation::ReduceScatter] {
            let tables = asked(&network(seed), operation).tables.expect("routes");
            let sum: f64 = tables.sets.iter().map(|set| set.weight * set.ranks.len() as f64).sum();
            assert!(!tables.sets.is_empty() && sum <= tables.seconds_per_gb * (1.0 + 1e-9), "{sum}");
            // What holds on any routes may be more.
            let free = asked(&network(seed), operation).bound.seconds_per_gb;
            assert!(sum.max(free) >= tables.seconds_per_gb * (1.0 - 1e-6), "{sum} {}", tables.seconds_per_gb);
        }
    }
}

#[test]
fn trees_weigh_what_is_said() {
    for seed in 0..20 {
        let network = network(seed);
        let found = asked(&network, Operation::Allreduce).program.expect("trees");
        let mut weighs: BTreeMap<String, f64> = BTreeMap::new();
        let mut paid = 0.0;
        for (from, to, gb_s) in links(&network) {
            let of = |phase: &hopline_bounds::PhaseProof| {
                let (from, to) = (&from, &to);
                let has = |members: &[String], name: &String| members.contains(name);
                let passes = |members: &[String]| match phase.adds {
                    false => has(members, from) && !has(members, to),
                    true => has(members, to) && !has(members, from),
                };
                let potential = |name: &String| {
                    phase.potentials.iter().filter(|p| has(&p.members, name)).map(|p| p.value).sum::<f64>()
                };
                let sets: f64 = phase.sets.iter().filter(|set| passes(&set.members)).map(|set| set.weight).sum();
                sets - potential(from) + potential(to)
            };
            paid += gb_s * found.phases.iter().map(of).fold(0.0, f64::max);
        }
        for set in found.phases.iter().flat_map(|phase| &phase.sets) {
            set.members.iter().for_each(|name| *weighs.entry(name.clone()).or_default() += set.weight);
        }
        let least = (0..6).map(|r| weighs.get(&format!("r{r}")).copied().unwrap_or(0.0)).fold(f64::INFINITY, f64::min);
        assert!((least / paid / found.seconds_per_gb - 1.0).abs() < 1e-6, "{least} {paid} {}", found.seconds_per_gb);
    }
}
