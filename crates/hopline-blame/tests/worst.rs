//! The worst faults, of which next to nothing is left or which delay messages for very long: they are told as well.

#[path = "common/simulated.rs"]
mod simulated;

use hopline::id::LinkId;
use hopline::rng::Rng;
use hopline_blame::{BlameOutcome, blame};
use simulated::{Bench, is_it, measure, way};

const RACK: &str = "project:testdata/fabrics/rack64";

fn told(bench: &Bench, files: &[(String, String)]) -> BlameOutcome {
    blame(&bench.network, files).expect("an answer")
}

/// A link between switches that every plan crosses.
fn inner(bench: &Bench, at: usize) -> LinkId {
    let fabric = &bench.network.fabric;
    let inner: Vec<LinkId> = bench.used.iter().copied().filter(|l| !fabric.is_host_link(*l)).collect();
    inner[at % inner.len()]
}

#[test]
fn parts_with_next_to_nothing_left_are_told() {
    for (crossings, kinds) in [(2, &["blame", "ambiguous", "suspect"][..]), (4, &["blame"])] {
        let bench = Bench::new(RACK, crossings);
        let fabric = &bench.network.fabric;
        for (at, rate) in [(3, 0.04), (8, 0.03), (13, 0.02), (21, 0.01), (30, 0.001)] {
            let mut factor = vec![1.0; fabric.links()];
            let link = inner(&bench, at);
            factor[link.index()] = rate;
            let text = measure(&bench.network, &bench.rounds, &factor, 0.02, &mut Rng::new(at as u64, "worst"));
            let answer = told(&bench, &[("pairs.csv".to_string(), text)]);
            assert!(kinds.contains(&&answer.verdict.kind[..]), "{crossings} {rate}: {:?}", answer.verdict);
            let it = answer.suspects.iter().find(|s| is_it(s, fabric, &[link]));
            let left = it.and_then(|s| s.rate).unwrap_or_else(|| panic!("{rate}: {:?}", answer.verdict));
            assert!((left / rate - 1.0).abs() < 0.2, "{rate}: {left}");
        }
    }
}

/// Half a round trip, where a cable adds `extra` microseconds in both directions.
fn latency(bench: &Bench, (a, b): (&str, &str), (link, extra): (LinkId, f64), rng: &mut Rng) -> f64 {
    let slow = [link, bench.network.fabric.reverse(link)];
    let one = |from: &str, to: &str| {
        let way = way(&bench.network, from, to);
        let late = way.iter().any(|(l, _)| slow.contains(l));
        0.9 + 0.15 * way.len() as f64 + if late { extra } else { 0.0 }
    };
    (one(a, b) + one(b, a)) / 2.0 * (0.96 + 0.08 * rng.unit())
}

#[test]
fn delays_of_many_times_the_usual_latency_are_told() {
    let bench = Bench::new(RACK, 4);
    let fabric = &bench.network.fabric;
    let link = inner(&bench, 5);
    for extra in [0.0, 3.0, 9.0, 10.0, 30.0, 1000.0] {
        let mut rng = Rng::new(1, "delays");
        let mut text = "src,dst,latency_us\n".to_string();
        for (a, b) in bench.rounds.iter().flatten() {
            text += &format!("{a},{b},{:.3}\n", latency(&bench, (a, b), (link, extra), &mut rng));
        }
        let answer = told(&bench, &[("pairs.csv".to_string(), text)]);
        if extra == 0.0 {
            assert_eq!(answer.verdict.kind, "nothing");
            continue;
        }
        assert_eq!(answer.verdict.kind, "blame", "{extra}: {}", answer.verdict.sentence);
        assert!(is_it(&answer.suspects[0], fabric, &[link]), "{extra}: {}", answer.verdict.sentence);
        assert!(answer.suspects[0].extra_us.is_some_and(|us| (us / extra - 1.0).abs() < 0.2), "{:?}", answer.suspects);
    }
}

/// A number of osu_multi_lat is the mean of its pairs: of a delay of one of them it shows a part.
#[test]
fn delays_behind_means_of_several_pairs_are_told() {
    let bench = Bench::new(RACK, 4);
    let link = inner(&bench, 5);
    for (pairs, extra) in [(2, 20.0), (4, 0.0), (4, 10.0), (4, 20.0)] {
        let mut rng = Rng::new(1, "means");
        let mut files = Vec::new();
        for (round, group) in
            bench.rounds.iter().enumerate().flat_map(|(n, r)| r.chunks_exact(pairs).map(move |g| (n, g)))
        {
            let hosts: Vec<&str> = group.iter().map(|p| &p.0[..]).chain(group.iter().map(|p| &p.1[..])).collect();
            let sum: f64 = group.iter().map(|(a, b)| latency(&bench, (a, b), (link, extra), &mut rng)).sum();
            let text = format!(
                "+ mpirun -np {} --host {} osu_multi_lat\n# OSU MPI Multi Latency Test v7.3\n# Size          Latency (us)\n8  {:.2}\n",
                2 * pairs,
                hosts.join(","),
                sum / pairs as f64
            );
            files.push((format!("{round}.{}.log", files.len()), text));
        }
        let answer = told(&bench, &files);
        let it = answer.suspects.iter().find(|s| is_it(s, &bench.network.fabric, &[link]));
        let found = it.is_some();
        // As much in each direction, not twice as much in one.
        let told = it.and_then(|s| s.extra_us).unwrap_or(extra);
        assert!((told - extra).abs() <= 0.2 * extra, "{pairs} {extra}: {told}");
        assert_eq!(
            (answer.suspects.is_empty(), found),
            (extra == 0.0, extra > 0.0),
            "{pairs} {extra}: {:?}",
            answer.verdict
        );
    }
}
