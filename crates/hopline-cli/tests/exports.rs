//! The files that `hopline map` writes, and outputs that cannot be written.

mod common;

use common::{Scratch, command, hopline};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn rankfile_hostfile_and_json_tell_one_mapping() {
    let dir = Scratch::new("exports-agree");
    let exports = "--export rankfile=DIR/ranks --export hostfile=DIR/hosts";
    let map = dir.hopline(&format!("map examples/place-my-job.toml --format json {exports}"));
    let told = map.stderr.clone();
    let outcome = json(&map.done());
    let best = &outcome["best"];
    // People are told the name without the number of moves.
    let name = best["mapping"].as_str().expect("a name").split(":evaluations=").next().expect("a name");
    assert_eq!(
        told,
        format!("wrote DIR/ranks: rankfile of mapping {name}\nwrote DIR/hosts: hostfile of mapping {name}\n")
    );
    assert_eq!((&outcome["verdict"]["use"], &outcome["verdict"]["kind"]), (&best["mapping"], &"use".into()));

    let text = dir.read("ranks");
    let ranks: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(ranks.len(), 64);
    let mut on_host: BTreeMap<&str, usize> = BTreeMap::new();
    for (rank, line) in ranks.iter().enumerate() {
        let place = line.strip_prefix(&format!("rank {rank}=")).expect(line);
        let (host, slot) = place.split_once(" slot=").expect(line);
        assert_eq!(slot, "0", "a host of rack64 has one slot: {line}");
        *on_host.entry(host).or_default() += 1;
    }
    let text = dir.read("hosts");
    let hosts: BTreeMap<&str, usize> = text
        .lines()
        .map(|line| line.split_once(" slots=").expect(line))
        .map(|(host, slots)| (host, slots.parse().expect(host)))
        .collect();
    assert_eq!(hosts.len(), text.lines().count(), "no host twice");
    assert_eq!(hosts, on_host);
    let allocation = fs::read_to_string(common::root().join("examples/pod-order.txt")).expect("the allocation");
    assert!(hosts.keys().all(|host| allocation.lines().any(|line| line == *host)));

    // Read back, the rankfile is the mapping that the outcome tells of.
    let load = dir.hopline("load examples/place-my-job.toml --format json --mapping file:DIR/ranks");
    let load = json(&load.done());
    for key in ["throughput_gb_s", "bottleneck", "seconds", "max_load", "hop_bytes", "classes"] {
        assert_eq!(load[key], best[key], "{key}");
    }
}

#[test]
fn slots_beyond_the_first_are_written_and_read_back() {
    let dir = Scratch::new("exports-slots");
    let job = "--topology percs:ns=4,nd=1 --traffic halo:grid=16x16 --hosts random:64 --format json";
    let exports = "--export rankfile=DIR/ranks --export hostfile=DIR/hosts";
    let map = json(&dir.hopline(&format!("map {job} --mapping random {exports}")).done());
    assert!(dir.read("hosts").lines().all(|line| line.ends_with(" slots=4")), "{}", dir.read("hosts"));
    assert_eq!(dir.read("hosts").lines().count(), 64);
    let load = json(&dir.hopline(&format!("load {job} --mapping file:DIR/ranks")).done());
    for key in ["throughput_gb_s", "max_load", "hop_bytes", "classes"] {
        assert_eq!(load[key], map["best"][key], "{key}");
    }
}

#[test]
fn forms_without_slots_are_read_back() {
    let dir = Scratch::new("exports-forms");
    let job = "--topology percs:ns=4,nd=1 --traffic halo:grid=16x16 --hosts random:64 --format json";
    let forms = ["sequential", "machinefile", "slurm-hostfile"];
    let exports: Vec<String> = forms.iter().map(|form| format!("--export {form}=DIR/{form}")).collect();
    let map = json(&dir.hopline(&format!("map {job} --mapping random {}", exports.join(" "))).done());
    for form in forms {
        let load = json(&dir.hopline(&format!("load {job} --mapping file:DIR/{form}")).done());
        assert_eq!(load["max_load"], map["best"]["max_load"], "{form}");
        assert_eq!(load["hop_bytes"], map["best"]["hop_bytes"], "{form}");
    }
}

#[test]
fn what_a_format_cannot_say_writes_nothing() {
    let dir = Scratch::new("exports-refused");
    let job = "map --topology percs:ns=4,nd=1 --traffic halo:grid=8x8";
    for (form, why) in [
        ("cray-rank-order", "leaves a slot before it empty, but MPICH_RANK_ORDER fills the first 64 slots"),
        ("torchrun", "are not consecutive, but torchrun numbers ranks host by host"),
    ] {
        let ran = dir.hopline(&format!(
            "{job} --mapping random --hosts first:100 --export hostfile=DIR/hosts --export {form}=DIR/file"
        ));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
        assert!(ran.stderr.starts_with(&format!("hopline: --export {form}: ")), "{}", ran.stderr);
        assert!(ran.stderr.contains(why) && ran.stderr.lines().count() == 1, "{}", ran.stderr);
        assert!(dir.names("").is_empty(), "{:?}", dir.names(""));
    }
    // The same job with full hosts, or in the order of the hosts.
    dir.hopline(&format!("{job} --mapping random --hosts first:16 --export cray-rank-order=DIR/order")).done();
    let ranks: Vec<u32> = dir.read("order").lines().skip(2).flat_map(|l| l.split(',')).flat_map(str::parse).collect();
    assert_eq!(ranks.iter().sum::<u32>(), 63 * 64 / 2, "every rank once: {ranks:?}");
    dir.hopline(&format!("{job} --mapping default --export torchrun=DIR/nodes")).done();
    assert_eq!(dir.read("nodes").lines().count(), 1 + 16);
}

#[test]
fn a_file_that_cannot_be_written_fails_the_run() {
    let dir = Scratch::new("exports-fail");
    dir.write("taken/file", "kept\n");
    let job = "map --topology torus:dims=4x4 --traffic halo";
    for (path, why) in [("DIR/none/ranks", "No such file or directory"), ("DIR/taken", "Is a directory")] {
        let ran = dir.hopline(&format!("{job} --export rankfile={path}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
        assert!(ran.stderr.starts_with(&format!("hopline: {path}: {why}")), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        assert_eq!((dir.names(""), dir.read("taken/file")), (vec!["taken".to_string()], "kept\n".to_string()));
    }
}

#[test]
fn an_export_replaces_the_file_of_an_earlier_run() {
    let dir = Scratch::new("exports-again");
    dir.write("ranks", "of an earlier run\n".repeat(100));
    dir.hopline("map --topology torus:dims=2x2 --traffic halo --export rankfile=DIR/ranks").done();
    let ranks = dir.read("ranks");
    assert_eq!(ranks.lines().filter(|line| line.starts_with("rank ")).count(), 4, "{ranks}");
    assert!(!ranks.contains("earlier"), "{ranks}");
    assert_eq!(dir.names(""), ["ranks"], "and no draft of it is left");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let dir = Scratch::new("exports-pipe");
    let ranks = format!("rankfile={}", dir.path("ranks").display());
    let job = ["--topology", "percs:ns=4,nd=1", "--traffic", "halo"];
    for (name, more) in [("load", vec![]), ("map", vec!["--export", &ranks]), ("list", vec![])] {
        let job = if name == "list" { &[] } else { &job[..] };
        let words = [&[name], job, &more].concat();
        // As `hopline ... | head -0`, with the reader gone before anything is printed.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let child = command(words.iter().map(|w| w.to_string())).stdout(writer).stderr(Stdio::piped()).spawn();
        let output = child.and_then(|child| child.wait_with_output()).expect("the binary was built");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name}: {stderr}");
        assert!(!stderr.contains("panicked"), "{name}: {stderr}");
    }
    assert!(dir.read("ranks").contains("rank 511="), "the export is whole");
}

#[test]
fn a_full_disk_fails_the_run() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has /dev/full");
    let output = command(["list".to_string()]).stdout(full).output().expect("the binary was built");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.starts_with("hopline: cannot print: ") && stderr.lines().count() == 1, "{stderr}");
    // The same words print where there is room.
    assert!(hopline("list").done().contains("mod-coloring"));
}

/// The order that `hopline collective` finds best is one that a launcher takes: read back as a mapping, a replay
/// takes the time that was promised.
#[test]
fn the_order_of_a_collective_is_written_for_launchers() {
    let dir = Scratch::new("exports-order");
    let about = "--topology tree:arity=4x4,bandwidth=1,host=1 --format json";
    let found = dir.hopline(&format!(
        "collective binomial {about} --mapping random --size 1K,64K --order default,dft,optimised --evaluations 40 --export rankfile=DIR/ranks"
    ));
    let said = found.stderr.clone();
    let found = json(&found.done());
    let best = &found["sizes"][1]["best"];
    assert_ne!(best["order"], "default");
    let order = best["order"].as_str().expect("an order");
    assert_eq!(said, format!("wrote DIR/ranks: order {order}, best of 65536 bytes with binomial\n"));
    let replay = |mapping: &str| {
        let line = format!("replay {about} --schedule collective:binomial:bytes=64K --mapping {mapping}");
        json(&dir.hopline(&line).done())["makespan_s"].as_f64().expect("a time")
    };
    assert_eq!(replay("file:DIR/ranks"), best["time_s"].as_f64().expect("a time"));
    assert!(replay("file:DIR/ranks") < replay("random"));
}
