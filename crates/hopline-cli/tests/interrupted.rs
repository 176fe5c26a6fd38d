//! Ctrl-C ends what takes long, not what it has found.

mod common;

use common::{Scratch, command};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs `hopline`, sends it a signal once it is at work, and gives exit code, output and messages.
fn interrupted(words: &str, signals: &[&str]) -> (Option<i32>, String, String) {
    let mut child = command(words.split_whitespace().map(String::from));
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("hopline");
    // It listens before it compares: a moment after it has said what it is about to do.
    let mut messages = BufReader::new(child.stderr.take().expect("messages"));
    let mut told = String::new();
    messages.read_line(&mut told).expect("a line");
    assert!(told.contains("takes about") || told.contains(": about "), "{told}");
    let begun = Instant::now();
    for (k, signal) in signals.iter().enumerate() {
        std::thread::sleep(Duration::from_millis(if k == 0 { 1500 } else { 20 }));
        let sent = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "{words} ended before the signal");
    }
    messages.read_to_string(&mut told).expect("messages");
    let mut shown = String::new();
    child.stdout.take().expect("output").read_to_string(&mut shown).expect("text");
    let code = child.wait().expect("an end").code();
    assert!(begun.elapsed() < Duration::from_secs(60), "{words} went on for {:?}", begun.elapsed());
    (code, shown, told)
}

#[test]
fn the_first_signal_keeps_the_best_and_the_second_ends_the_program() {
    let dir = Scratch::new("interrupted");
    let ranks = dir.path("ranks");
    let job = format!(
        "map --topology torus:dims=8x16x40 --traffic halo:grid=64x80 --search 10m --export rankfile={}",
        ranks.display()
    );
    for signal in ["INT", "TERM"] {
        let (code, shown, told) = interrupted(&job, &[signal]);
        assert_eq!(code, Some(0), "{signal}: {told}");
        assert!(told.contains("interrupted after ") && told.contains("wrote "), "{told}");
        assert!(shown.contains("verdict ") && shown.contains("default"), "{shown}");
        assert_eq!(dir.read("ranks").lines().filter(|line| line.starts_with("rank ")).count(), 5120);
        std::fs::remove_file(&ranks).expect("written");
    }
    let (code, shown, told) = interrupted(&job, &["INT", "INT"]);
    assert_eq!((code, shown.as_str()), (Some(130), ""), "{told}");
    assert!(!ranks.exists());
}

#[test]
fn what_was_done_is_told_at_the_first_signal() {
    let flits = "flits --topology torus:dims=4x4 --traffic uniform --load 0.01,0.02 --warmup 100 --cycles 2000000000";
    for (signal, expected) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let (code, shown, told) = interrupted(flits, &[signal]);
        assert_eq!((code, shown.as_str()), (Some(expected), ""), "{told}");
        assert!(told.ends_with("hopline: stopped before the first load was done\n"), "{told}");
    }
    let dir = Scratch::new("interrupted-state");
    let state = dir.path("state");
    let (code, _, told) = interrupted(&format!("{flits} --checkpoint {}", state.display()), &["INT"]);
    let kept = format!("; its state is kept in {}: the same command goes on from there\n", state.display());
    assert!(code == Some(130) && told.ends_with(&kept), "{code:?} {told}");
    assert_eq!(dir.names(""), ["state"]);
    // The first load is soon known to be too much, the second one never so well.
    let some = "flits --topology torus:dims=16 --traffic uniform --load 1,0.01 --warmup 100 --cycles 2000000000 --until 0.0001%@99%";
    let (code, shown, told) = interrupted(some, &["TERM"]);
    assert!(code == Some(143) && told.contains("the loads that were done"), "{code:?} {told}");
    assert!(shown.contains("stopped: 1 of 2 loads were not simulated"), "{shown}");
    let sizes = "collective allreduce --algorithm allreduce-ring --topology torus:dims=8x8 --size 1KB,16GB --model packet=64,L=100";
    let (code, shown, told) = interrupted(sizes, &["INT"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("interrupted after ") && told.contains("the sizes that were done"), "{told}");
    assert!(shown.contains("stopped: 1 of 2 sizes were not looked at to their end"), "{shown}");
}

/// The first thing that a long run says.
fn foretold(words: &str) -> String {
    let mut child = command(words.split_whitespace().map(String::from));
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("hopline");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("messages")).read_line(&mut line).expect("a line");
    child.kill().and_then(|()| child.wait()).expect("an end");
    line
}

#[test]
fn long_simulations_say_first_how_long_they_take() {
    for (words, unit) in [
        ("flits --topology torus:dims=8x8 --traffic uniform --load 0.1,0.2 --cycles 100000000", "billion flit-hops, "),
        (
            "replay --topology torus:dims=8x8 --schedule allreduce-ring:bytes=1GB --iterations 100 --model packet=64",
            "billion packet-hops, ",
        ),
        (
            "collective allreduce --topology torus:dims=8x8 --size 1GB,2GB --model packet=64,L=100",
            "billion packet-hops, ",
        ),
    ] {
        let line = foretold(words);
        assert!(line.starts_with("to simulate: about ") && line.contains(unit), "{words}: {line}");
        assert!(line.ends_with(" of processor time on this machine\n"), "{words}: {line}");
    }
}
