//! Ports: adapters of one host, errors that they count, and cables slower than their siblings.

use hopline::files::Memory;
use hopline::plan::Network;
use hopline::scenario::Scenario;
use hopline_blame::{BlameOutcome, blame};
use serde_json::json;
use std::fmt::Write as _;

fn network() -> Network {
    network_of(10)
}

/// Hosts on one switch: the first has two adapters, the last a cable of a quarter of the rate.
fn network_of(hosts: usize) -> Network {
    let adapter = |i: usize| if i < 2 { format!("n1 mlx5_{i}") } else { format!("n{i}") };
    let class =
        |name: &str, rate: u64| json!({ "name": name, "bandwidth_bytes_s": rate, "latency_ns": 0, "host": true });
    let cable = |i: usize| {
        let class = if i == hosts { "slow" } else { "host" };
        json!({ "a": adapter(i), "port_a": 1, "b": "leaf", "port_b": i + 1, "class": class })
    };
    let host = |i: usize| {
        let own = if i == 1 { vec![adapter(0), adapter(1)] } else { vec![adapter(i)] };
        json!({ "name": format!("n{i}"), "endpoints": own, "slots": 1 })
    };
    let text = json!({
        "hopline_fabric": 1,
        "name": "one switch",
        "classes": [class("host", 4_000_000_000), class("slow", 1_000_000_000)],
        "endpoints": (0..=hosts).map(|i| json!({ "name": adapter(i) })).collect::<Vec<_>>(),
        "switches": [{ "name": "leaf", "guid": "0x00000000000000a1" }],
        "cables": (0..=hosts).map(cable).collect::<Vec<_>>(),
        "hosts": (1..=hosts).map(host).collect::<Vec<_>>(),
    });
    let files = Memory([("fabric.json".to_string(), text.to_string().into_bytes())].into());
    let scenario = Scenario::default().topology("file:fabric.json").expect("a topology");
    Network::new(&scenario, &files).expect("a network")
}

/// Every pair of hosts 2 to 9 alone, and both adapters of host 1 with each of them; `rate` of a way's ends.
fn pairs(rate: impl Fn(&str, &str) -> f64) -> String {
    let mut text = "src,src_hca,dst,dst_hca,gbytes_per_s\n".to_string();
    let all: Vec<(&str, &str, String)> = [("n1", "mlx5_0"), ("n1", "mlx5_1")]
        .into_iter()
        .map(|(host, hca)| (host, hca, format!("{host} {hca}")))
        .chain(["n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"].map(|n| (n, "", n.to_string())))
        .collect();
    let mut wobble = 0;
    for (a, hca_a, from) in &all {
        for (b, hca_b, to) in all.iter().filter(|other| other.0 != *a) {
            wobble = (wobble * 7 + 3) % 11;
            let value = 0.92 * rate(from, to) * (1.0 + 0.004 * (f64::from(wobble) - 5.0));
            let _ = writeln!(text, "{a},{hca_a},{b},{hca_b},{value:.4}");
        }
    }
    text
}

fn answer(files: &[(&str, String)]) -> BlameOutcome {
    let files: Vec<(String, String)> = files.iter().map(|(path, text)| (path.to_string(), text.clone())).collect();
    blame(&network(), &files).expect("an answer")
}

#[test]
fn an_adapter_is_known_by_its_name() {
    let text = pairs(|from, _| if from == "n1 mlx5_1" { 2.0 } else { 4.0 });
    let answer = answer(&[("pairs.csv", text)]);
    assert_eq!(answer.verdict.kind, "blame", "{}", answer.verdict.sentence);
    let suspect = &answer.suspects[0];
    assert_eq!((&suspect.links[0].from[..], &suspect.links[0].to[..]), ("n1 mlx5_1", "leaf"));
    assert!(suspect.rate.is_some_and(|r| (0.47..0.53).contains(&r)), "{suspect:?}");
    let matrix = answer.matrix.expect("a matrix");
    let lacking = matrix.cells.iter().filter(|c| c.2 < 0.6).count();
    assert_eq!((matrix.hosts.len(), lacking), (10, 8), "{matrix:?}");
}

#[test]
fn a_cable_unlike_its_siblings_is_told() {
    let notes = answer(&[("pairs.csv", pairs(|_, _| 4.0))]).notes.join("\n");
    assert!(notes.contains("slower than those beside them") && notes.contains("n10"), "{notes}");
}

#[test]
fn three_siblings_are_enough_to_tell_one_that_is_slower() {
    let text = "src,src_hca,dst,dst_hca,gbytes_per_s\nn1,mlx5_0,n2,,3.6\nn2,,n1,mlx5_0,3.7\n";
    let notes = |hosts: usize| {
        let answer = blame(&network_of(hosts), &[("pairs.csv".to_string(), text.to_string())]).expect("an answer");
        answer.notes.join("\n")
    };
    assert!(
        notes(3).contains("slower than those beside them, already in the fabric as it was read: 1"),
        "{}",
        notes(3)
    );
    assert!(!notes(2).contains("slower than those beside them"), "{}", notes(2));
}

#[test]
fn a_host_of_two_adapters_named_without_one_is_told() {
    let bare = "src,dst,gbytes_per_s\nn1,n2,3.6\nn2,n1.cluster,3.7\nn3,n2,3.7\n";
    let said = "hosts of several adapters, named without one and taken to mean their first: n1";
    let notes = |text: &str| answer(&[("pairs.csv", text.to_string())]).notes;
    assert!(notes(bare).iter().any(|note| note == said), "{:?}", notes(bare));
    assert!(!notes(&pairs(|_, _| 4.0)).iter().any(|note| note.contains("several adapters")));
}

#[test]
fn of_two_counts_only_the_difference_is_told() {
    let slow = pairs(|from, _| if from == "n3" { 2.0 } else { 4.0 });
    let count = |n: u32| {
        format!("Errors for 0xa1 \"leaf\"\n   GUID 0xa1 port 4: [SymbolErrorCounter == {n}] [PortXmitWait == 7]\n")
    };
    let once = answer(&[("pairs.csv", slow.clone()), ("now.txt", count(90))]);
    assert!(once.notes.iter().any(|n| n.contains("how old the counts are is not known")), "{:?}", once.notes);
    assert!(once.suspects[0].errors[0].contains("SymbolErrorCounter 90"), "{:?}", once.suspects[0].errors);
    let twice = answer(&[("pairs.csv", slow.clone()), ("a.txt", count(80)), ("b.txt", count(90))]);
    assert!(twice.suspects[0].errors[0].contains("SymbolErrorCounter 10"), "{:?}", twice.suspects[0].errors);
    let old = answer(&[("pairs.csv", slow.clone()), ("a.txt", count(90)), ("b.txt", count(90))]);
    assert!(old.suspects[0].errors.is_empty(), "{:?}", old.suspects[0].errors);
    // A counter of 16 bits that is full tells nothing of the time since.
    let full = answer(&[("pairs.csv", slow.clone()), ("a.txt", count(65535)), ("b.txt", count(65535))]);
    assert!(full.suspects[0].errors[0].contains("SymbolErrorCounter (full)"), "{:?}", full.suspects[0].errors);
    // What fell was cleared in between.
    let cleared = answer(&[("pairs.csv", slow), ("a.txt", count(90)), ("b.txt", count(30))]);
    assert!(cleared.suspects[0].errors[0].contains("SymbolErrorCounter 30"), "{:?}", cleared.suspects[0].errors);
}

#[test]
fn errors_that_all_ports_count_speak_against_none() {
    let slow = pairs(|from, _| if from == "n3" { 2.0 } else { 4.0 });
    let line = |port: u32, n: u32| format!("   GUID 0xa1 port {port}: [SymbolErrorCounter == {n}]\n");
    let counts = |of: fn(u32) -> u32| {
        let ports: String = (1..=11).map(|port| line(port, of(port))).collect();
        answer(&[("pairs.csv", slow.clone()), ("now.txt", format!("Errors for 0xa1 \"leaf\"\n{ports}"))])
    };
    let all = counts(|port| 80 + port);
    assert!(all.suspects[0].errors[0].ends_with("as its siblings do"), "{:?}", all.suspects[0].errors);
    let one = counts(|port| if port == 4 { 900 } else { 80 });
    assert!(one.suspects[0].errors[0].ends_with("SymbolErrorCounter 900"), "{:?}", one.suspects[0].errors);
    let pm = "START_PM_INFO\nNodeGUID,PortNumber,SymbolErrorCounterExt\n0xa1,4,900\nEND_PM_INFO\n";
    let told = answer(&[("pairs.csv", slow.clone()), ("now.txt", pm.to_string())]);
    assert!(told.suspects[0].errors[0].ends_with("SymbolErrorCounterExt 900"), "{:?}", told.suspects[0].errors);
}

#[test]
fn a_hostfile_says_where_ranks_ran() {
    let osu = "# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1048576  3700.00\n".to_string();
    let files = |hosts: &str| vec![("osu_bw.log".to_string(), osu.clone()), ("hosts".to_string(), hosts.to_string())];
    let told = blame(&network(), &files("n3 slots=1\nn4 slots=1\n")).expect("an answer");
    assert_eq!((told.checked.flows, told.checked.links_crossed), (1, 2));
    let error = blame(&network(), &files("n3\n")).expect_err("one line for two ranks").to_string();
    assert!(error.contains("osu_bw.log:3") && error.contains("rank 1"), "{error}");
}

/// What 24 pretended hosts of a busy machine really measured, with nothing slow, and with one link throttled to 56 and 62 %.
#[test]
fn a_busy_machine_makes_nobody_a_suspect() {
    let at = |name: &str| format!("{}/../../testdata/blame/racks24/{name}", env!("CARGO_MANIFEST_DIR"));
    let scenario = Scenario::default().topology(&format!("file:{}", at("fabric.json"))).expect("a topology");
    let network = Network::new(&scenario, &hopline::files::Disk).expect("a network");
    let told = |name: &str| {
        let text = std::fs::read_to_string(at(name)).expect("measurements");
        let answer = blame(&network, &[(name.to_string(), text)]).expect("an answer");
        let parts: Vec<(String, bool)> = answer.suspects.into_iter().map(|s| (s.name, s.certain)).collect();
        (answer.verdict.kind, parts)
    };
    assert_eq!(told("healthy.csv"), ("nothing".to_string(), vec![]));
    assert_eq!(told("node020-sends.csv"), ("blame".to_string(), vec![("node020".to_string(), true)]));
    assert_eq!(told("leaf1-up.csv"), ("blame".to_string(), vec![("leaf1[7] -> spine[2]".to_string(), true)]));
}
