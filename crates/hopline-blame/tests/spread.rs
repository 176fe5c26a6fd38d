//! Faults where every flow spreads over all spines, and where pairs of a round share links: what is certain is true.
#![allow(clippy::print_stderr, reason = "what is told of each trial is printed")]

#[path = "common/simulated.rs"]
mod simulated;

use hopline::id::VertexId;
use hopline::plan::Network;
use hopline::rng::Rng;
use hopline_blame::{BlameOutcome, blame};
use simulated::{Broken, break_one, gauss, measure, network_by, rounds, together};

const FABRIC: &str = "fat-tree:down=8x6,up=1x4,host=12.5,bandwidth=";

/// Rounds in which every host sends to one other and back.
fn matchings(network: &Network, rounds: usize, back: bool, rng: &mut Rng) -> Vec<Vec<(String, String)>> {
    let mut hosts: Vec<String> = (0..network.fabric.endpoints()).map(|host| format!("e{host}")).collect();
    let mut one = || {
        rng.shuffle(&mut hosts);
        let pairs = hosts.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone()));
        pairs.flat_map(|(a, b)| [Some((a.clone(), b.clone())), back.then_some((b, a))]).flatten().collect()
    };
    (0..rounds).map(|_| one()).collect()
}

/// The answer to rounds under a fault, and whether all that is certain of it is true.
fn trial(network: &Network, broken: Broken, back: bool, seed: u64) -> (BlameOutcome, bool, bool) {
    let fabric = &network.fabric;
    let mut rng = Rng::new(seed, "spread");
    let mut factor = vec![1.0; fabric.links()];
    let all: Vec<_> = fabric.link_ids().collect();
    let truth = break_one(fabric, &all, broken, &mut factor, &mut rng).concat();
    let mut text = "src,dst,gbytes_per_s,round\n".to_string();
    for (n, round) in matchings(network, 6, back, &mut rng).iter().enumerate() {
        for ((a, b), rate) in round.iter().zip(together(network, round, &factor)) {
            text += &format!("{a},{b},{:.4},{n}\n", 0.92 * rate * (0.02 * gauss(&mut rng)).exp());
        }
    }
    let answer = blame(network, &[("pairs.csv".to_string(), text)]).expect("an answer");
    // Where shares are uneven the sentence gives that reason, and not that numbers are few.
    let (uneven, sentence) =
        (answer.notes.iter().any(|n| n.contains("pairs that share links")), &answer.verdict.sentence);
    let doubted = uneven && answer.verdict.kind == "suspect";
    assert_eq!(doubted, sentence.contains("less than fair shares"), "{sentence}");
    let is_true = |fault: u32| {
        let own = answer.suspects.iter().filter(|s| s.fault == fault).flat_map(|s| &s.links);
        own.into_iter().any(|end| {
            truth.iter().any(|l| fabric.vertex_name(fabric.source(*l)) == end.from && fabric.port(*l) == end.from_port)
        })
    };
    let mut certain: Vec<u32> = answer.suspects.iter().filter(|s| s.certain).map(|s| s.fault).collect();
    certain.dedup();
    let (all_true, found) = (certain.iter().all(|f| is_true(*f)), certain.iter().any(|f| is_true(*f)));
    (answer, all_true, found)
}

#[test]
fn what_is_certain_of_shared_links_is_true() {
    let mut wrong = Vec::new();
    for bandwidth in [12.5, 25.0] {
        let network = network_by(&format!("{FABRIC}{bandwidth}"), "shortest");
        for broken in [Broken::Nothing, Broken::Switch(0.7), Broken::Host(0.7), Broken::Link(0.3)] {
            for back in [false, true] {
                let mut found_all = 0;
                for seed in 0..8 {
                    let (answer, all_true, found) = trial(&network, broken, back, seed);
                    found_all += usize::from(found);
                    if !all_true {
                        let told: Vec<String> =
                            answer.suspects.iter().map(|s| format!("{} {:?} {}", s.name, s.rate, s.certain)).collect();
                        wrong.push(format!("{bandwidth} {broken:?} {back} {seed}: {told:?}"));
                    }
                }
                eprintln!("{bandwidth} {broken:?} back {back}: {found_all} of 8 found");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What is slow in a switch holds up what goes out of it as well as what comes in, which differs where trunks are wider than the hosts'
/// cables: the switch alone is blamed, and none of its links beside it.
#[test]
fn a_switch_is_blamed_without_its_links() {
    for routing in ["d-mod-k", "shortest"] {
        let network = network_by("fat-tree:down=8x8,up=1x4,host=10,bandwidth=20", routing);
        let (fabric, rounds) = (&network.fabric, rounds(&network, 3));
        for (seed, left) in [(0, 0.6), (1, 0.6), (2, 0.85), (3, 0.85)] {
            let leaf = VertexId(fabric.endpoints() + seed);
            let mut factor = vec![1.0; fabric.links()];
            fabric.out_links(leaf).for_each(|l| {
                factor[l.index()] = left;
                factor[fabric.reverse(l).index()] = left;
            });
            let mut rng = Rng::new(u64::from(seed), "switch");
            let text = measure(&network, &rounds, &factor, 0.02, &mut rng);
            // Each pair by itself.
            let alone: String =
                text.lines().map(|line| format!("{}\n", line.rsplit_once(',').expect("a round").0)).collect();
            let answer = blame(&network, &[("pairs.csv".to_string(), alone)]).expect("an answer");
            let told: Vec<_> = answer.suspects.iter().map(|s| (&s.name[..], s.certain)).collect();
            assert_eq!(told, [(fabric.vertex_name(leaf), true)], "{routing} {seed}: {}", answer.verdict.sentence);
            let found = answer.suspects[0].rate.expect("a rate");
            assert!((found - left).abs() < 0.03, "{found}");
        }
    }
}
