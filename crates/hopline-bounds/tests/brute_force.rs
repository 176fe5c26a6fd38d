//! The cut bound against all sets of vertices, and certificates that are spoiled.

use hopline_bounds::{Link, Network, Operation, Switches, allgather, bound, reduce_scatter, separation, weakest};
use proptest::prelude::{ProptestConfig, any, prop, prop_assert, prop_assert_eq, proptest};

fn named(n: u32) -> Vec<String> {
    (0..n).map(|v| format!("v{v}")).collect()
}

/// Most shards per byte/s over all sets that lack a rank: as a fraction, `None` where something cannot be reached.
fn by_all_sets(network: &Network) -> Option<(u64, u64)> {
    let n = network.vertices() as u32;
    let mut best = (0u64, 1u64);
    for set in 1u32..1 << n {
        let has = |v: u32| set >> v & 1 == 1;
        let ranks = network.ranks().iter().filter(|&&rank| has(rank)).count() as u64;
        if ranks == 0 || ranks == network.size() as u64 {
            continue;
        }
        let leaving = network.links().iter().filter(|l| has(l.from) && !has(l.to));
        // Unlimited links prove nothing.
        let Some(bytes) = leaving.map(|l| l.bytes_s).sum::<Option<u64>>() else { continue };
        if bytes == 0 {
            return None;
        }
        if ranks * best.1 > best.0 * bytes {
            best = (ranks, bytes);
        }
    }
    Some(best)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_cut_bound_is_the_worst_of_all_sets(
        ranks in 2u32..6,
        switches in 0u32..4,
        links in prop::collection::vec((any::<u16>(), any::<u16>(), 0u64..9), 4..40),
    ) {
        let n = ranks + switches;
        // Of bandwidth 0 stands for unlimited links both ways.
        let links = links.iter().flat_map(|&(a, b, c)| {
            let there = Link { from: u32::from(a) % n, to: u32::from(b) % n, bytes_s: (c > 0).then_some(c * 1000) };
            let back = Link { from: there.to, to: there.from, bytes_s: None };
            [Some(there), (c == 0).then_some(back)].into_iter().flatten()
        });
        let network = Network::of_links(named(n), (0..ranks).collect(), links).expect("a network");
        for (network, cut) in [
            (network.clone(), allgather(&network)),
            (network.reversed(), reduce_scatter(&network)),
        ] {
            match by_all_sets(&network) {
                // Something cannot be reached, or nothing limits the ranks.
                None | Some((0, _)) => prop_assert!(cut.is_err()),
                Some((shards, bytes)) => {
                    let cut = cut.expect("a bound");
                    prop_assert_eq!(cut.shards() * bytes, shards * cut.border().bytes_s());
                }
            }
        }
        if let Ok(cut) = reduce_scatter(&network) {
            cut.check(&network).expect("a certificate");
        }
        if let Ok(cut) = allgather(&network) {
            cut.check(&network).expect("a certificate");
            // Of a network with one link less it proves nothing, if that link leaves the set.
            let gone = cut.border().crossing(&network).next().expect("a link");
            let less = network.links().iter().copied().filter(|&l| l != gone);
            let less = Network::of_links(named(n), (0..ranks).collect(), less).expect("a network");
            prop_assert!(cut.check(&less).is_err());
            let weak = weakest(&network).expect("flows").expect("a limit");
            weak.check(&network).expect("a certificate");
            let of = |&root: &u32| separation(&network, root, false).expect("flows").map(|cut| cut.border().bytes_s());
            let all = network.ranks().iter().map(of);
            prop_assert_eq!(all.flatten().min(), Some(weak.border().bytes_s()));
        }
    }
}

#[test]
fn networks_without_a_bound_are_refused_in_words() {
    let apart = Network::new(named(3), vec![0, 1, 2], [(0, 1, 5), (1, 0, 5)]).expect("a network");
    assert!(allgather(&apart).expect_err("apart").message().contains("`v2` cannot be reached"));
    assert!(Network::new(named(3), vec![0], []).is_err() && Network::new(named(3), vec![0, 0], []).is_err());
    assert!(Network::new(named(2), vec![0, 1], [(0, 7, 1)]).is_err());
    let huge = Network::new(named(2), vec![0, 1], [(0, 1, u64::MAX), (1, 0, u64::MAX - 1)]).expect("a network");
    assert!(allgather(&huge).expect_err("huge").message().contains("common measure"));
}

/// A certificate of one operation proves nothing of others, nor with another root.
#[test]
fn certificates_are_of_their_operation_and_root() {
    let both = |a: u32, b: u32, c: u64| [(a, b, c), (b, a, c)];
    let links = [both(0, 1, 4), both(1, 2, 2), both(2, 3, 5)].concat();
    let network = Network::new(named(4), vec![0, 1, 2, 3], links).expect("a network");
    for operation in Operation::ALL {
        let least = bound(&network, operation, 1, Switches::default()).expect("a bound");
        for other in Operation::ALL {
            let holds = least.check(&network, other, 1).is_ok();
            // A cut that data leave from without the root is one of gather as well, and so on.
            let akin = [(Operation::Gather, Operation::Allgather), (Operation::Scatter, Operation::ReduceScatter)];
            let is_akin = akin.contains(&(operation, other)) || akin.contains(&(other, operation));
            let is_apart =
                matches!(operation, Operation::Broadcast | Operation::Reduce) && other == Operation::Allreduce;
            assert!(holds || operation != other, "{}", operation.name());
            let may = is_akin || is_apart || (operation == Operation::Allreduce);
            assert!(!holds || operation == other || may, "{} for {}", operation.name(), other.name());
        }
        let is_rooted = matches!(operation, Operation::Broadcast | Operation::Reduce);
        assert!(!is_rooted || least.check(&network, operation, 2).is_err(), "{}", operation.name());
    }
}
