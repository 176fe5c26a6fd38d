//! What an answer says beside the suspects: what is assumed of rounds, what was covered, and what is to be measured next.

#[path = "common/simulated.rs"]
mod simulated;

use hopline::rng::Rng;
use hopline_blame::{BlameOutcome, blame, expect};
use simulated::{Bench, Broken, Rounds, measure, network_by, trial, way};
use std::fmt::Write as _;

const RACK: &str = "project:testdata/fabrics/rack64";

fn told(bench: &Bench, text: String) -> BlameOutcome {
    blame(&bench.network, &[("pairs.csv".to_string(), text)]).expect("an answer")
}

fn notes(answer: &BlameOutcome, words: &str) -> usize {
    answer.notes.iter().filter(|note| note.contains(words)).count()
}

/// Good pairs clear the other links of the slow ones, not those of the suspect.
#[test]
fn good_pairs_speak_against_the_others() {
    let bench = Bench::new(RACK, 4);
    let told = trial(&bench, Broken::Link(0.5), 0.02, 3, 0);
    let suspect = &told.answer.suspects[0];
    assert_eq!(suspect.cleared_by.len(), 3, "{:?}", suspect.cleared_by);
    let mut links: Vec<&str> = suspect.cleared_by.iter().map(|pair| &pair.link[..]).collect();
    links.sort_unstable();
    links.dedup();
    assert!(links.len() == 3 && !links.contains(&&suspect.name[..]), "{links:?}");
    for pair in &suspect.cleared_by {
        assert!((pair.measured / pair.usual - 1.0).abs() < 0.1, "{pair:?}");
        let way = way(&bench.network, &pair.from, &pair.to);
        assert!(way.iter().any(|(l, _)| bench.network.fabric.link_name(*l) == pair.link), "{pair:?}");
    }
}

/// Every host sends to twelve others at once.
#[test]
fn pairs_that_shared_links_unknown_to_us_blame_nobody() {
    let bench = Bench::new(RACK, 1);
    let host = |i: usize| format!("node{:03}", i % 64 + 1);
    let far = [1, 5, 9, 14, 18, 23, 27, 31, 36, 44, 49, 58];
    let pairs: String = (0..64).flat_map(|i| far.map(|d| format!("{} {}\n", host(i), host(i + d)))).collect();
    let shares = expect(&bench.network, "pairs", &pairs).expect("shares").pairs;
    let text = |round: &str| {
        let mut text = "src,dst,gbytes_per_s,round\n".to_string();
        let mut rng = Rng::new(1, "shares");
        for p in &shares {
            let value = p.expected_gb_s * (0.88 + 0.08 * rng.unit());
            let _ = writeln!(text, "{},{},{value:.4},{round}", p.from, p.to);
        }
        text
    };
    let unknown = told(&bench, text(""));
    assert_eq!(unknown.verdict.kind, "undetectable", "{}", unknown.verdict.sentence);
    assert!(unknown.suspects.is_empty() && unknown.next.is_empty(), "{:?}", unknown.suspects);
    assert!(unknown.verdict.sentence.contains("nobody says which pairs ran together"), "{}", unknown.verdict.sentence);
    assert_eq!((notes(&unknown, "without a round"), notes(&unknown, "did pairs run together?")), (1, 1));
    let known = told(&bench, text("0"));
    assert_eq!((&known.verdict.kind[..], notes(&known, "without a round")), ("nothing", 0), "{:?}", known.notes);
}

#[test]
fn what_is_slow_everywhere_is_no_full_rate() {
    let bench = Bench::new(RACK, 2);
    let slow = vec![0.25; bench.network.fabric.links()];
    let answer = told(&bench, measure(&bench.network, &bench.rounds, &slow, 0.02, &mut Rng::new(1, "slow")));
    assert_eq!(answer.verdict.kind, "nothing");
    assert!(answer.verdict.sentence.contains("seen at the usual rate"), "{}", answer.verdict.sentence);
    assert_eq!(notes(&answer, "only 23 % of the links' rates is usual"), 1, "{:?}", answer.notes);
}

#[test]
fn a_suspect_is_not_among_the_links_at_the_usual_rate() {
    let bench = Bench::new(RACK, 3);
    let told = trial(&bench, Broken::Link(0.5), 0.02, 3, 0);
    let (checked, suspect) = (&told.answer.checked, &told.answer.suspects[0]);
    assert_eq!((&told.answer.verdict.kind[..], suspect.links.len()), ("blame", 1));
    assert_eq!(checked.links_at_usual_rate + checked.links_not_shown, checked.links_crossed);
    assert_eq!(checked.carried.len() as u32, checked.links_not_shown);
    let slow = checked.carried.iter().find(|l| l.link == suspect.name).expect("the suspect among what was not shown");
    assert!((0.42..0.5).contains(&slow.part), "{slow:?}");
}

#[test]
fn lone_pairs_show_half_of_a_trunk_of_twice_their_rate() {
    let bench = Bench::new("fat-tree:down=4x4,up=1x2,bandwidth=8,host=4", 1);
    let lone: Rounds = bench.rounds.iter().flatten().map(|pair| vec![pair.clone()]).collect();
    let whole = vec![1.0; bench.network.fabric.links()];
    let answer = told(&bench, measure(&bench.network, &lone, &whole, 0.02, &mut Rng::new(1, "lone")));
    let trunks: Vec<f64> = answer.checked.carried.iter().map(|l| l.part).collect();
    assert!(!trunks.is_empty() && trunks.iter().all(|part| (0.4..0.6).contains(part)), "{trunks:?}");
}

/// A second fault that may be chance, or another part, is measured again, and the sentence says that it may be another.
#[test]
fn what_is_not_certain_beside_a_blamed_part_is_asked_for() {
    let bench = Bench::new(RACK, 2);
    let (mut uncertain, mut tied) = (0, 0);
    for seed in 0..30 {
        let answer = trial(&bench, Broken::Two(0.5, 0.6), 0.05, seed, 0).answer;
        let alike = |fault| answer.suspects.iter().filter(|s| s.fault == fault).count() > 1;
        let [doubted, alike] =
            [answer.suspects.iter().any(|s| !s.certain), answer.suspects.iter().any(|s| alike(s.fault))];
        if answer.verdict.kind == "blame" && (doubted || alike) {
            assert!(!answer.next.is_empty(), "{seed}: {}", answer.verdict.sentence);
            let says = answer.verdict.sentence.contains("other part");
            assert_eq!(says, alike, "{seed}: {}", answer.verdict.sentence);
            uncertain += u32::from(doubted);
            tied += u32::from(alike);
        }
    }
    assert!(uncertain > 0 && tied > 0, "{uncertain} {tied}");
}

fn osu(gb_s: f64) -> String {
    format!("# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1048576  {:.2}\n", gb_s * 1000.0)
}

/// Logs of pairs whose rounds stand in a file: those of one round share a trunk, and each run of a pair has a round of its own.
#[test]
fn each_run_of_a_pair_is_of_its_own_round() {
    let bench = Bench::new("fat-tree:down=4x4,up=1x1,bandwidth=4,host=4", 1);
    let names: Vec<String> =
        (0..16).map(|v| bench.network.fabric.hosts().name(hopline::id::HostId(v)).to_string()).collect();
    let (a, b, c, d) = (&names[0], &names[4], &names[1], &names[8]);
    let file = |name: String, text: String| (name, text);
    let files = [
        file(format!("osu_bw,{a},{b},0.log"), osu(1.84)),
        file(format!("osu_bw,{a},{b},1.log"), osu(3.68)),
        file(format!("osu_bw,{c},{d},0.log"), osu(1.84)),
        file("rounds.0.txt".to_string(), format!("0 {a} {b}\n0 {c} {d}\n")),
        file("rounds.1.txt".to_string(), format!("0 {a} {b}\n")),
    ];
    let answer = blame(&bench.network, &files).expect("an answer");
    let cells = answer.matrix.expect("a matrix").cells;
    assert!(cells.len() == 2 && cells.iter().all(|cell| (cell.2 - 0.92).abs() < 1e-3), "{cells:?}");
    assert_eq!(answer.notes.iter().filter(|n| n.contains("without a round")).count(), 0);
}

/// Delays of two links of one switch pair: the first guess, made before the other was known, fits worse than the truth.
#[test]
fn a_second_fault_gives_way_to_a_part_that_fits_better() {
    let text = include_str!("../../../testdata/blame/rack64-two-slow-links-latency.csv");
    let answer = told(&Bench::new(RACK, 1), text.to_string());
    let names: Vec<&str> = answer.suspects.iter().map(|s| &s.name[..]).collect();
    assert!(names.iter().any(|name| name.starts_with("spine02/U1[2] -> leaf02")), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with("leaf06/U1[36] -> spine02")), "{names:?}");
    assert!(!answer.verdict.sentence.contains("rate"), "{}", answer.verdict.sentence);
}

/// Numbers of a network whose ports have two LIDs, measured by the first or by both, with a fault or without.
#[test]
fn the_lids_that_were_used_are_those_that_fit() {
    const LMC: &str = "project:testdata/fabrics/lmc1-8";
    let bench = Bench::new(LMC, 2);
    let links = bench.network.fabric.links();
    for (used, seed) in
        ["table:lid=base", "table:lid=spread"].iter().flat_map(|used| (0..8).map(move |seed| (used, seed)))
    {
        let measured = network_by(LMC, used);
        let mut rng = Rng::new(seed, "lids");
        let healthy = told(&bench, measure(&measured, &bench.rounds, &vec![1.0; links], 0.02, &mut rng));
        assert!(
            healthy.verdict.kind != "blame" && healthy.verdict.kind != "ambiguous",
            "{used} {seed}: {:?}",
            healthy.verdict
        );
        assert_eq!(notes(&healthy, "hosts have several LIDs"), 1, "{:?}", healthy.notes);
        // Everything at once, which shows which ways were shared.
        let crowd: String =
            (0..8).flat_map(|a| (1..8).map(move |d| (a, (a + d) % 8))).fold(String::new(), |text, (a, b)| {
                let name = |v: u32| bench.network.fabric.hosts().name(hopline::id::HostId(v)).to_string();
                text + &format!("{} {}\n", name(a), name(b))
            });
        let shares = expect(&measured, "pairs", &crowd).expect("shares").pairs;
        let mut text = "src,dst,gbytes_per_s,round\n".to_string();
        for p in &shares {
            let _ = writeln!(text, "{},{},{:.4},0", p.from, p.to, p.expected_gb_s * (0.9 + 0.04 * rng.unit()));
        }
        let crowded = told(&bench, text);
        assert!(!matches!(&crowded.verdict.kind[..], "blame" | "ambiguous"), "{used} {seed}: {:?}", crowded.verdict);
    }
}

/// What cannot have been measured is left out.
#[test]
fn a_number_out_of_all_measure_is_left_out() {
    let bench = Bench::new(RACK, 2);
    let whole = vec![1.0; bench.network.fabric.links()];
    let text = measure(&bench.network, &bench.rounds, &whole, 0.02, &mut Rng::new(1, "huge"));
    let answer = told(&bench, text + "node001,node002,1e300,90\n");
    assert_eq!(notes(&answer, "out of all measure"), 1, "{:?}", answer.notes);
    assert!(answer.checked.usual < 1.0, "{}", answer.checked.usual);
}

/// Rates that no link can carry are of another unit, or of another fabric; a host reaches itself without a link; one number tells of
/// nothing what is usual.
#[test]
fn numbers_that_cannot_be_are_told() {
    let bench = Bench::new(RACK, 2);
    let eight = vec![8.0; bench.network.fabric.links()];
    let text = measure(&bench.network, &bench.rounds, &eight, 0.02, &mut Rng::new(1, "bits"));
    let answer = told(&bench, text + "node001,node001,40,90\n");
    assert_eq!(answer.verdict.kind, "nothing");
    assert_eq!(notes(&answer, "times what the links can carry"), 1, "{:?}", answer.notes);
    assert_eq!((notes(&answer, "a host with itself"), notes(&answer, "knows no")), (1, 0), "{:?}", answer.notes);
    let alone = told(&bench, "src,dst,gbytes_per_s\nnode001,node002,3.6\n".to_string());
    assert_eq!(alone.verdict.kind, "undetectable", "{}", alone.verdict.sentence);
    let itself = [("m.csv".to_string(), "src,dst,gbytes_per_s\nnode001,node001,3.6\n".to_string())];
    let refused = blame(&bench.network, &itself).expect_err("no pair");
    assert!(refused.to_string().contains("a host with itself"), "{refused}");
}
