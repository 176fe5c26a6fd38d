//! Pairs without a result: they loaded their links, somebody may list them, and a dead part has no other pairs.

#[path = "common/simulated.rs"]
mod simulated;

use hopline::id::{HostId, LinkId};
use hopline::rng::Rng;
use hopline_blame::{BlameOutcome, Expected, blame, expect};
use simulated::{Bench, measure, way};
use std::fmt::Write as _;

const RACK: &str = "project:testdata/fabrics/rack64";
/// Rounds of random pairs of all 64 hosts.
const ROUNDS: usize = 16;

fn told(bench: &Bench, files: &[(&str, &str)]) -> BlameOutcome {
    let files: Vec<(String, String)> = files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
    blame(&bench.network, &files).expect("an answer")
}

fn is_blamed(answer: &BlameOutcome) -> bool {
    matches!(&answer.verdict.kind[..], "blame" | "ambiguous")
}

fn notes(answer: &BlameOutcome, words: &str) -> usize {
    answer.notes.iter().filter(|note| note.contains(words)).count()
}

/// What random pairs get that share links, both directions of each.
fn contended(bench: &Bench, rng: &mut Rng) -> Vec<Expected> {
    let mut hosts: Vec<String> = (0..64).map(|h| bench.network.fabric.hosts().name(HostId(h)).to_string()).collect();
    let mut pairs = String::new();
    for round in 0..ROUNDS {
        (1..hosts.len()).rev().for_each(|at| hosts.swap(at, rng.below(at as u64 + 1) as usize));
        for pair in hosts.chunks(2) {
            let _ = writeln!(pairs, "{} {} {round}\n{} {} {round}", pair[0], pair[1], pair[1], pair[0]);
        }
    }
    expect(&bench.network, "pairs", &pairs).expect("shares").pairs
}

/// Numbers of a healthy machine, with the round or without, a part of them missing; and a list of all that ran, a line for each
/// direction.
fn healthy(bench: &Bench, seed: u64, with_round: bool, missing: f64) -> (String, String) {
    let mut rng = Rng::new(seed, "healthy");
    let (mut text, mut list) = ("src,dst,gbytes_per_s,round\n".to_string(), String::new());
    for p in contended(bench, &mut rng) {
        let host = |name: &str| name.split(' ').next().unwrap_or_default().to_string();
        let (from, to) = (host(&p.from), host(&p.to));
        let _ = writeln!(list, "{} {from} {to}", p.round);
        let value = p.expected_gb_s * (0.89 + 0.06 * rng.unit());
        if rng.unit() >= missing {
            let round = if with_round { p.round.to_string() } else { String::new() };
            let _ = writeln!(text, "{from},{to},{value:.4},{round}");
        }
    }
    (text, list)
}

#[test]
fn a_list_says_who_ran_beside_numbers_that_name_their_rounds() {
    let bench = Bench::new(RACK, 1);
    for seed in 0..6 {
        for with_round in [true, false] {
            let (text, list) = healthy(&bench, seed, with_round, 0.05);
            let answer = told(&bench, &[("m.csv", &text), ("rounds.txt", &list)]);
            assert!(!is_blamed(&answer), "{seed} {with_round}: {}", answer.verdict.sentence);
            assert_eq!(answer.checked.flows, ROUNDS as u32 * 64, "{seed} {with_round}: each ran once");
            let cells = answer.matrix.expect("a matrix").cells;
            // Of a pair that ran twice without a round a number that is left may be of either.
            let like_shares = cells.iter().all(|(.., part)| (part - 0.92).abs() < 0.04);
            assert!(like_shares || !with_round, "{seed}");
            assert_eq!(answer.notes.iter().filter(|n| n.contains("without a result")).count(), 1);
        }
    }
}

/// Of numbers of one direction the list has one direction as well.
#[test]
fn what_is_listed_shares_the_links_of_a_single_number() {
    let bench = Bench::new("fat-tree:down=4x4,up=1x1,bandwidth=4,host=4", 1);
    let names: Vec<String> = (0..16).map(|v| bench.network.fabric.hosts().name(HostId(v)).to_string()).collect();
    let (a, b, c, d) = (&names[0], &names[4], &names[1], &names[8]);
    let text = format!("src,dst,gbytes_per_s,round\n{a},{b},1.84,7\n");
    let answer = told(&bench, &[("m.csv", &text), ("rounds.txt", &format!("7 {a} {b}\n7 {c} {d}\n"))]);
    let cells = answer.matrix.expect("a matrix").cells;
    assert!(cells.len() == 1 && (cells[0].2 - 0.92).abs() < 1e-3, "{cells:?}");
    assert_eq!(answer.checked.flows, 2);
}

#[test]
fn rounds_that_lack_hosts_blame_nobody_for_certain() {
    let bench = Bench::new(RACK, 1);
    for seed in 0..6 {
        let (text, _) = healthy(&bench, seed, true, 0.05);
        let answer = told(&bench, &[("m.csv", &text)]);
        assert!(!is_blamed(&answer), "{seed}: {}", answer.verdict.sentence);
        assert_eq!(notes(&answer, "hosts of other rounds are missing"), 1, "{:?}", answer.notes);
        assert!(answer.suspects.iter().all(|s| !s.certain), "{:?}", answer.suspects);
    }
    let (whole, _) = healthy(&bench, 1, true, 0.0);
    assert_eq!(notes(&told(&bench, &[("m.csv", &whole)]), "hosts of other rounds"), 0);
}

/// A list that lacks a pair which was measured may lack others that ran.
#[test]
fn a_list_that_lacks_pairs_blames_nobody_for_certain() {
    let bench = Bench::new(RACK, 1);
    for (seed, with_round, words) in
        [(0, true, "hosts of other rounds are missing"), (1, false, "no list of rounds has")]
    {
        let (text, list) = healthy(&bench, seed, with_round, 0.05);
        // Every seventh pair of the list, in both directions.
        let lines: Vec<&str> = list.lines().collect();
        let part: String = lines
            .chunks(2)
            .enumerate()
            .filter(|(n, _)| n % 7 > 0)
            .flat_map(|(_, two)| two.iter().map(|l| format!("{l}\n")))
            .collect();
        let answer = told(&bench, &[("m.csv", &text), ("rounds.txt", &part)]);
        assert!(!is_blamed(&answer), "{with_round}: {}", answer.verdict.sentence);
        assert_eq!(notes(&answer, words), 1, "{with_round}: {:?}", answer.notes);
        assert!(answer.suspects.iter().all(|s| !s.certain), "{:?}", answer.suspects);
    }
}

/// Planned pairs share no link: one that is missing slows nobody.
#[test]
fn planned_rounds_that_lack_hosts_are_to_be_trusted() {
    let bench = Bench::new(RACK, 4);
    let fabric = &bench.network.fabric;
    let mut factor = vec![1.0; fabric.links()];
    let link = *bench.used.iter().find(|l| !fabric.is_host_link(**l)).expect("a link");
    factor[link.index()] = 0.5;
    let text = measure(&bench.network, &bench.rounds, &factor, 0.02, &mut Rng::new(1, "planned"));
    let answer = told(&bench, &[("m.csv", &text)]);
    assert_eq!((&answer.verdict.kind[..], notes(&answer, "hosts of other rounds")), ("blame", 0), "{:?}", answer.notes);
}

/// Half of mpiGraph's table: the other pairs ran as well.
#[test]
fn a_cut_mpigraph_blames_nobody() {
    let bench = Bench::new(RACK, 1);
    let names: Vec<String> = (0..64).map(|h| bench.network.fabric.hosts().name(HostId(h)).to_string()).collect();
    let all = (0..64).flat_map(|i| (1..64).map(move |d| (i, (i + d) % 64, d)));
    let pairs: String = all.clone().map(|(i, j, d)| format!("{} {} {d}\n", names[i], names[j])).collect();
    let shares = expect(&bench.network, "pairs", &pairs).expect("shares").pairs;
    let mut table = vec![vec![0.0; 64]; 64];
    let mut rng = Rng::new(3, "graph");
    for ((i, j, _), p) in all.zip(&shares) {
        table[i][j] = p.expected_gb_s * (0.89 + 0.06 * rng.unit()) / 1048576e-9;
    }
    let header: String = names.iter().enumerate().map(|(n, name)| format!("\t{name}:{n}")).collect();
    for rows in [10, 20, 40, 50] {
        let mut text = format!("START mpiGraph v1.5\nSend{header}\t\n");
        for (n, row) in table.iter().enumerate().take(rows) {
            let cells: String = row.iter().map(|rate| format!("\t{rate:.3}")).collect();
            let _ = writeln!(text, "{}:{n} to{cells}\t", names[n]);
        }
        let answer = told(&bench, &[("mpigraph.out", &text)]);
        assert!(!is_blamed(&answer), "{rows}: {}", answer.verdict.sentence);
        assert_eq!((answer.checked.flows, notes(&answer, "END mpiGraph")), (64 * 63, 1), "{rows}");
    }
}

/// No pair across a dead link has a number: either nothing stands in the file, or the list alone knows it.
#[test]
fn a_part_that_lets_nothing_through_is_told() {
    let bench = Bench::new(RACK, 4);
    let fabric = &bench.network.fabric;
    let crossed = |text: &str, link: LinkId| {
        let cells: Vec<&str> = text.split(',').collect();
        way(&bench.network, cells[0], cells[1]).iter().any(|(l, _)| *l == link)
    };
    let whole = vec![1.0; fabric.links()];
    for (seed, at) in [(1, 4), (2, 9), (3, 17)] {
        let link = *bench.used.iter().filter(|l| !fabric.is_host_link(**l)).nth(at).expect("a link");
        let text = measure(&bench.network, &bench.rounds, &whole, 0.02, &mut Rng::new(seed, "dead"));
        let (header, rows) = text.split_once('\n').expect("a header");
        let (mut empty, mut gone, mut list) = (format!("{header}\n"), format!("{header}\n"), String::new());
        for row in rows.lines() {
            let cells: Vec<&str> = row.split(',').collect();
            let _ = writeln!(list, "{} {} {}", cells[3], cells[0], cells[1]);
            if crossed(row, link) {
                let _ = writeln!(empty, "{},{},,{}", cells[0], cells[1], cells[3]);
            } else {
                let _ = writeln!(empty, "{row}");
                let _ = writeln!(gone, "{row}");
            }
        }
        for files in [&[("m.csv", &empty[..])][..], &[("m.csv", &gone[..]), ("rounds.txt", &list[..])]] {
            let answer = told(&bench, files);
            assert_eq!(answer.verdict.kind, "suspect", "{}", answer.verdict.sentence);
            assert!(answer.suspects.iter().any(|s| s.name == fabric.link_name(link)), "{:?}", answer.verdict);
            assert_eq!(notes(&answer, "is it dead?"), 1, "{:?}", answer.notes);
            assert!(answer.verdict.sentence.contains("no pair that crosses"), "{}", answer.verdict.sentence);
        }
    }
}

/// Where nothing came through, some tools print a rate of zero; of several dead hosts each is told.
#[test]
fn several_dead_hosts_are_told_each() {
    let bench = Bench::new(RACK, 2);
    let whole = vec![1.0; bench.network.fabric.links()];
    let text = measure(&bench.network, &bench.rounds, &whole, 0.02, &mut Rng::new(4, "several"));
    let dead = ["node003", "node020", "node045"];
    for nothing in ["", "0", "0.000"] {
        let without = |row: &str| {
            let cells: Vec<&str> = row.split(',').collect();
            match dead.iter().any(|host| cells[..2].contains(host)) {
                true => format!("{},{},{nothing},{}\n", cells[0], cells[1], cells[3]),
                false => format!("{row}\n"),
            }
        };
        let answer = told(&bench, &[("m.csv", &text.lines().map(without).collect::<String>())]);
        let mut told: Vec<&str> = answer.suspects.iter().map(|s| &s.name[..]).collect();
        told.sort_unstable();
        assert_eq!((&answer.verdict.kind[..], &told[..]), ("suspect", &dead[..]), "{:?}", answer.verdict);
        assert_eq!(notes(&answer, "is it dead?"), dead.len(), "{:?}", answer.notes);
    }
}
