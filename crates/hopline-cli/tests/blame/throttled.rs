//! A throttled link among 24 hosts in namespaces, found from what a real MPI program measures.
#![allow(clippy::print_stdout, reason = "what was found is what this test is for")]

use crate::common::mpi::{compile, skipped};
use crate::common::racks::{Machine, OVER_TCP};
use crate::common::{Scratch, hopline, skip};
use hopline::rng::Rng;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Trunks are as fast as hosts, so that a lone pair fills them.
const MACHINE: Machine = Machine(4, 6, "16mbit", "16mbit");
const HOSTS: usize = 24;
/// A fifth of all pairs.
const MOST_PAIRS: usize = HOSTS * (HOSTS - 1) / 2 / 5;
/// Trials, and of how many the link must be found.
const TRIALS: usize = 20;
const LEAST: usize = 19;

fn host(i: usize) -> String {
    format!("node{:03}", i + 1)
}

/// The racks as a fabric of our own form.
fn fabric() -> String {
    let vertex = |name: String| json!({ "name": name });
    let down = (0..HOSTS).map(
        |i| json!({ "a": host(i), "port_a": 1, "b": format!("leaf{}", i / 6), "port_b": i % 6 + 1, "class": "host" }),
    );
    let up = (0..4)
        .map(|r| json!({ "a": format!("leaf{r}"), "port_a": 7, "b": "spine", "port_b": r + 1, "class": "trunk" }));
    let class =
        |name: &str| json!({ "name": name, "bandwidth_bytes_s": 2_000_000, "latency_ns": 0, "host": name == "host" });
    json!({
        "hopline_fabric": 1,
        "name": "racks",
        "classes": [class("host"), class("trunk")],
        "endpoints": (0..HOSTS).map(|i| vertex(host(i))).collect::<Vec<_>>(),
        "switches": (0..4).map(|r| format!("leaf{r}")).chain(["spine".to_string()]).map(vertex).collect::<Vec<_>>(),
        "cables": down.chain(up).collect::<Vec<_>>(),
        "hosts": (0..HOSTS).map(|i| json!({ "name": host(i), "endpoints": [host(i)], "slots": 1 })).collect::<Vec<_>>(),
    })
    .to_string()
}

/// One direction of a link that is slow: its device and both ends.
fn draw(rng: &mut Rng) -> (String, String, String) {
    let i = rng.below(HOSTS as u64) as usize;
    let rack = rng.below(4);
    let leaf = format!("leaf{}", i / 6);
    match rng.below(4) {
        0 => (format!("p{i}"), leaf, host(i)),
        1 => (format!("{}/eth0", host(i)), host(i), leaf),
        2 => (format!("up{rack}"), format!("leaf{rack}"), "spine".to_string()),
        _ => (format!("dn{rack}"), "spine".to_string(), format!("leaf{rack}")),
    }
}

fn pairs(rounds: &str) -> impl Iterator<Item = (String, String)> {
    rounds.lines().filter_map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        Some((words.get(1)?.min(words.get(2)?).to_string(), words[1].max(words[2]).to_string()))
    })
}

/// Whether the slow link is the first suspect of a verdict, and how many pairs were measured.
fn is_found(dir: &Scratch, rng: &mut Rng) -> (bool, usize) {
    let (device, from, to) = draw(rng);
    let slow = format!("{device} {}mbit", 8 + rng.below(3));
    let at = |name: &str| dir.path(name).display().to_string();
    let (racks, rounds) = (at("racks.json"), at("rounds.txt"));
    hopline(&format!("blame plan --fabric {racks} --crossings 2 --export clusterkit={rounds}")).done();
    let (mut seen, mut files) = (BTreeSet::new(), Vec::new());
    loop {
        seen.extend(pairs(&dir.read("rounds.txt")));
        let command = format!("mpirun.openmpi --hostfile DIR/hosts -n {HOSTS} {OVER_TCP} DIR/pairs DIR/rounds.txt 6");
        let said = MACHINE.throttled(dir, &slow, &command);
        let table = said.split_once("src,dst").map_or("", |(_, rest)| rest);
        let rows: String = table.lines().filter(|l| l.starts_with("node")).map(|l| format!("{l}\n")).collect();
        let name = format!("measured{}.csv", files.len());
        dir.write(&name, format!("src,dst,gbytes_per_s,round\n{rows}"));
        files.push(at(&name));
        let ran = hopline(&format!("blame --fabric {racks} --measured {} --format json", files.join(" ")));
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{e}: {}", ran.stderr));
        let asked = dir.write("answer.json", &ran.stdout).display().to_string();
        if files.len() < 4 && answer["next"].as_array().is_some_and(|next| !next.is_empty()) {
            hopline(&format!("blame plan --fabric {racks} --answer {asked} --export clusterkit={rounds}")).done();
            continue;
        }
        let link = &answer["suspects"][0]["links"][0];
        let found = answer["verdict"]["kind"] == "blame" && link["from"] == from.as_str() && link["to"] == to.as_str();
        println!(
            "{slow}: {}, {} pairs, noise {}: {}",
            if found { "found" } else { "NOT found" },
            seen.len(),
            answer["checked"]["noise"],
            answer["verdict"]["sentence"]
        );
        return (found, seen.len());
    }
}

#[test]
fn a_throttled_link_is_found_from_what_mpi_measures() {
    if !skip::slow("minutes") || skipped(&["mpirun.openmpi", "mpicc.openmpi", "tc"]) {
        return;
    }
    let dir = Scratch::new("blame-throttled");
    compile(&dir, "mpicc.openmpi", "pairs.c", &[], "pairs");
    dir.write("racks.json", fabric());
    let mut rng = Rng::new(3, "throttled");
    let told: Vec<(bool, usize)> = (0..TRIALS).map(|_| is_found(&dir, &mut rng)).collect();
    let found = told.iter().filter(|t| t.0).count();
    println!("{found} of {TRIALS} found");
    assert!(found >= LEAST, "{found} of {TRIALS}: {told:?}");
    assert!(told.iter().all(|t| t.1 <= MOST_PAIRS), "more than a fifth of all pairs: {told:?}");
}
