//! Certificates in which one number was changed: the checker refuses them, or they still prove what they say.

use crate::border::Border;
use crate::bound::{Bound, Certificate, bound};
use crate::concurrent::concurrent;
use crate::operation::Switches;
use crate::prices::Best;
use crate::relayed::relayed;
use crate::tables::on_tables;
use crate::trees::trees;
use crate::{Network, Operation, Routes};
use hopline::error::Result;
use proptest::prelude::{ProptestConfig, any, prop, proptest};

/// What a whole number becomes.
const WHOLE: [fn(u64) -> u64; 4] = [|x| x + 1, |x| x.wrapping_sub(1), |x| 3 * x + 2, |_| 0];
/// What a weight, a price or a potential becomes.
const REAL: [fn(f64) -> f64; 5] = [|x| 3.0 * x + 0.1, |x| x / 2.0, |x| -1.0 - x, |_| f64::NAN, |_| f64::INFINITY];

/// Ranks first, then switches; links of both directions in a row of all vertices, and more of either direction.
fn network(ranks: u32, switches: u32, row: &[(u64, u64)], more: &[(u32, u32, u64)]) -> Network {
    let n = ranks + switches;
    // The switches stand between the ranks.
    let mut places: Vec<u32> = (0..n).collect();
    places.sort_by_key(|v| (v % ranks, *v));
    let links = (1..n as usize).flat_map(|k| {
        let ((there, back), (a, b)) = (row[k % row.len()], (places[k - 1], places[k]));
        [(a, b, there), (b, a, back)]
    });
    let more = more.iter().map(|&(a, b, bytes)| (a % n, b % n, bytes));
    let links = links.chain(more).map(|(a, b, bytes)| (a, b, bytes * 1_000_000_000));
    Network::new((0..n).map(|v| format!("v{v}")).collect(), (0..ranks).collect(), links).expect("a network")
}

/// Copies with one number changed in each way, `at` being the k-th number of a certificate, as far as it has so many.
fn each<T: Clone, N: Copy>(whole: &T, changes: &[fn(N) -> N], at: impl Fn(&mut T, usize) -> Option<&mut N>) -> Vec<T> {
    let numbers = (0..).take_while(|&k| at(&mut whole.clone(), k).is_some());
    let changed = numbers.flat_map(|k| changes.iter().map(move |change| (k, change)));
    changed
        .map(|(k, change)| {
            let mut copy = whole.clone();
            at(&mut copy, k).into_iter().for_each(|number| *number = change(*number));
            copy
        })
        .collect()
}

/// The border of a bound, where it has one.
fn border(bound: &mut Bound) -> Option<&mut Border> {
    match &mut bound.certificate {
        Certificate::Cut(cut) | Certificate::Pairs(cut) => Some(&mut cut.border),
        Certificate::Apart(apart) => Some(&mut apart.border),
        Certificate::Volume(_) => None,
    }
}

/// The k-th whole number of a bound.
fn number(bound: &mut Bound, k: usize) -> Option<&mut u64> {
    match (k, &mut bound.certificate) {
        (0, _) => Some(&mut bound.ranks),
        (1, Certificate::Cut(cut) | Certificate::Pairs(cut)) => Some(&mut cut.border.bytes_s),
        (1, Certificate::Apart(apart)) => Some(&mut apart.border.bytes_s),
        (1, Certificate::Volume(volume)) => Some(&mut volume.bytes_s),
        (2, Certificate::Cut(cut) | Certificate::Pairs(cut)) => Some(&mut cut.shards),
        _ => None,
    }
}

/// A certificate is refused, or proves what it did.
#[track_caller]
fn no_more(checked: Result<f64>, said: f64, what: &str) -> bool {
    match checked {
        Ok(proven) => {
            assert!((proven / said - 1.0).abs() < 1e-7, "{what}: proves {proven} where {said} is known");
            false
        }
        Err(error) => {
            assert!(error.message().contains("prove"), "{what}: {error}");
            true
        }
    }
}

/// Bounds by one set, or by what ranks send: a changed number is always refused.
fn spoil_sets(network: &Network, operation: Operation, root: usize) {
    let whole = bound(network, operation, root, Switches::default()).expect("a bound");
    let said = whole.seconds_per_gb();
    whole.check(network, operation, root).expect("a proof");
    for changed in each(&whole, &WHOLE, number).into_iter().filter(|changed| *changed != whole) {
        assert!(changed.check(network, operation, root).is_err(), "{operation:?}: {changed:?} for {whole:?}");
    }
    let flag = |bound: &mut Bound, k: usize| border(bound).and_then(|border| border.inside.get(k).copied());
    let flags = (0..).take_while(|&k| flag(&mut whole.clone(), k).is_some());
    for k in flags {
        let mut changed = whole.clone();
        border(&mut changed).into_iter().for_each(|border| border.inside[k] = !border.inside[k]);
        no_more(changed.check(network, operation, root).map(|()| changed.seconds_per_gb()), said, operation.name());
    }
}

/// Prices of links, with what they sum up to.
fn spoil_prices(whole: &Best, said: f64, what: &str, check: impl FnMut(&Best) -> Result<f64>) {
    let prices = each(whole, &WHOLE, |best, k| best.prices.get_mut(k));
    let sums: [fn(u128) -> u128; 3] = [|x| x + 1, |x| 2 * x + 1, |_| 0];
    let sums = each(whole, &sums, |best, k| match k {
        0 => Some(&mut best.cheapest),
        1 => Some(&mut best.paid),
        _ => None,
    });
    // Prices are at most some 2^40: what wraps around would not be added up.
    let small = |best: &Best| best.prices.iter().all(|price| *price < 1 << 50);
    let all: Vec<Best> = prices.into_iter().chain(sums).filter(|changed| changed != whole && small(changed)).collect();
    let refused = all.iter().map(check).filter(|checked| no_more_of(checked, said, what)).count();
    assert!(refused == all.len(), "{what}: {refused} of {} are refused", all.len());
}

fn no_more_of(checked: &Result<f64>, said: f64, what: &str) -> bool {
    match checked {
        Ok(proven) => no_more(Ok(*proven), said, what),
        Err(_) => true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_changed_number_is_refused_or_proves_the_same(
        ranks in 2u32..6,
        switches in 0u32..4,
        row in prop::collection::vec((1u64..9, 1u64..9), 8),
        more in prop::collection::vec((any::<u32>(), any::<u32>(), 1u64..9), 0..8),
        root in any::<prop::sample::Index>(),
    ) {
        let network = network(ranks, switches, &row, &more);
        Operation::ALL.into_iter().for_each(|operation| spoil_sets(&network, operation, root.index(ranks as usize)));

        let flow = concurrent(&network).expect("solved").expect("limited");
        let said = flow.check(&network).expect("a proof");
        spoil_prices(&flow.best, said, "flow", |best| {
            let mut changed = flow.clone();
            changed.best = best.clone();
            changed.check(&network)
        });

        let mut routes = Routes::shortest(&network);
        let passed_on = relayed(&mut routes, ranks).expect("solved").expect("limited");
        let said = passed_on.check(&mut routes, ranks).expect("a proof");
        spoil_prices(&passed_on.best, said, "relayed", |best| {
            let mut changed = passed_on.clone();
            changed.best = best.clone();
            changed.check(&mut routes, ranks)
        });

        for is_turned in [false, true] {
            let whole = on_tables(&mut routes, ranks, is_turned).expect("solved").expect("limited");
            let said = whole.check(&mut routes, ranks, is_turned).expect("a proof");
            let reached = whole.reached_seconds_per_gb();
            assert!((said / reached - 1.0).abs() < 1e-6, "{said} is proven, {reached} reached");
            let numbers = each(&whole, &REAL, |tables, k| match k.checked_sub(tables.prices.len()) {
                None => tables.prices.get_mut(k),
                Some(k) => tables.sets.get_mut(k).map(|set| &mut set.1),
            });
            let claims = each(&whole, &[|said| said * 1.01], |tables, k| Some(&mut tables.seconds_per_gb).filter(|_| k == 0));
            let mut refused = 0;
            for changed in numbers.iter().chain(&claims) {
                refused += usize::from(no_more(changed.check(&mut routes, ranks, is_turned), said, "tables"));
            }
            // At least what is no price, and a claim that is too large.
            assert!(refused > 3 * (whole.prices.len() + whole.sets.len()), "{refused} of {}", numbers.len());
            for changed in each(&whole, &[|inside: bool| !inside], |tables, k| {
                let n = ranks as usize;
                tables.sets.get_mut(k / n).map(|set| &mut set.0[k % n])
            }) {
                no_more(changed.check(&mut routes, ranks, is_turned), said, "a set of tables");
            }
        }

        for operation in [Operation::Allgather, Operation::ReduceScatter, Operation::Allreduce] {
            let plain = Switches::default();
            let whole = trees(&network, operation, plain).expect("solved").expect("small");
            let said = whole.check(&network, operation, plain).expect("a proof");
            let weights = each(&whole, &REAL, |trees, k| {
                trees.sets.iter_mut().flatten().map(|set| &mut set.1).nth(k)
            });
            let potentials = each(&whole, &REAL, |trees, k| trees.potentials.iter_mut().flatten().nth(k));
            let claims = each(&whole, &[|said| said * 1.01], |trees, k| Some(&mut trees.seconds_per_gb).filter(|_| k == 0));
            let mut refused = 0;
            for changed in weights.iter().chain(&claims) {
                refused += usize::from(no_more(changed.check(&network, operation, plain), said, operation.name()));
            }
            assert!(refused > 2 * whole.sets.iter().flatten().count(), "{refused} of {}", weights.len());
            for changed in &potentials {
                no_more(changed.check(&network, operation, plain), said, operation.name());
            }
            for changed in each(&whole, &[|inside: bool| !inside], |trees, k| {
                trees.sets.iter_mut().flatten().flat_map(|set| &mut set.0).nth(k)
            }) {
                no_more(changed.check(&network, operation, plain), said, "a set of trees");
            }
        }
    }
}
