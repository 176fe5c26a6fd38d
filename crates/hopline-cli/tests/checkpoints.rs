//! `--checkpoint`: what is no file of its own is refused, and what cannot be written ends the run.
#![cfg(unix)]

mod common;

use common::{Ran, Scratch, root};
use std::fs::File;
use std::process::{Command, Stdio};

const RUN: &str = "flits --topology torus:dims=4x4 --traffic uniform --load 0.2 --cycles 500 --checkpoint";

/// Runs a line of the shell in which `$H` is hopline, with 4 GB of memory at most.
fn shell(line: &str) -> Ran {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -v 4000000; {line}")]).current_dir(root()).stdin(Stdio::null());
    let output = shell.env("H", env!("CARGO_BIN_EXE_hopline")).output().expect("a shell");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran { stdout: text(output.stdout), stderr: text(output.stderr), code: output.status.code() }
}

/// Devices and pipes never end, or never begin.
#[test]
fn only_regular_files_keep_a_state() {
    let dir = Scratch::new("checkpoint-devices");
    let link = dir.path("link");
    std::os::unix::fs::symlink("/dev/full", &link).expect("a link");
    let pipe = dir.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    for path in ["/dev/full", "/dev/zero", link.to_str().expect("a path"), pipe.to_str().expect("a path"), "/dev"] {
        let ran = shell(&format!("$H {RUN} {path}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{path}: {}", ran.stderr);
        assert!(ran.stderr.contains("no regular file"), "{path}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        assert!(!std::path::Path::new(&format!("{path}.part")).exists(), "{path}.part");
    }
}

/// Of a file that is no checkpoint, or of another run, only the beginning is read.
#[test]
fn files_of_any_size_are_refused_at_once() {
    let dir = Scratch::new("checkpoint-sizes");
    for (name, begins, word) in [
        ("zeros", "", "no state that a run has kept"),
        ("cut", "hopline flits ", "damaged"),
        ("old", "hopline flits 5\n", "another version"),
        ("other", "hopline flits 9\n\u{4}walk", "another run"),
    ] {
        let path = dir.write(name, begins);
        File::options().write(true).open(&path).and_then(|f| f.set_len(1 << 40)).expect("a sparse file");
        let ran = shell(&format!("$H {RUN} {}", path.display()));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(word), "{name}: {}", ran.stderr);
        assert!(ran.stderr.starts_with(&format!("hopline: {}: ", path.display())), "{name}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{name}: {}", ran.stderr);
        assert_eq!(std::fs::metadata(&path).expect("still there").len(), 1 << 40, "{name}");
    }
}

#[test]
fn what_cannot_be_written_is_known_before_the_run() {
    let dir = Scratch::new("checkpoint-nowhere");
    let ran = dir.hopline(&format!("{RUN} DIR/none/state"));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("hopline: DIR/none/state: "), "{}", ran.stderr);
}

/// A state has no intervals, so that a run that records them could never go on from one.
#[test]
fn intervals_and_states_do_not_go_together() {
    let dir = Scratch::new("checkpoint-intervals");
    for (records, told) in [("--interval 100", "keep no state"), ("--series DIR/over-time.csv", "cannot be used with")]
    {
        let ran = dir.hopline(&format!("{RUN} DIR/state {records}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
        assert_eq!(dir.names(""), Vec::<String>::new());
    }
    let ran = shell(&format!("$H {RUN} ''"));
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
}

/// A disk that fills up while it runs: half a minute until the first state is kept, so only with HOPLINE_SLOW.
#[test]
fn a_full_disk_ends_the_run_and_leaves_nothing() {
    if !common::skip::slow("half a minute") {
        return;
    }
    let dir = Scratch::new("checkpoint-full");
    let path = dir.path("state");
    let line = RUN.replace("--cycles 500", "--cycles 1000000000");
    // Files of at most 512 bytes.
    let ran = shell(&format!("ulimit -f 1; trap '' XFSZ; $H {line} {}", path.display()));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("state: "), "{}", ran.stderr);
    assert_eq!(dir.names(""), Vec::<String>::new());
}

/// Each run has a draft of its own; drafts of killed runs go once nobody can be writing them.
#[test]
fn runs_with_one_state_have_drafts_of_their_own() {
    let dir = Scratch::new("checkpoint-drafts");
    let hour = std::time::Duration::from_secs(2 * 3600);
    let old = std::time::SystemTime::now() - hour;
    for name in ["state.part", "state.0-7-0.part", "state.0-8-0.part", "states.0-7-0.part"] {
        let path = dir.write(name, "half a state");
        if name != "state.0-8-0.part" {
            File::options().write(true).open(path).and_then(|file| file.set_modified(old)).expect("a time");
        }
    }
    let state = dir.path("state");
    let run = format!("{RUN} {} --checkpoint-every 0s", state.display()).replace("--cycles 500", "--cycles 60000");
    // Both write all the time.
    let ran = shell(&format!("$H {run} >{0}.1 & $H {run} >{0}.2 && wait $!", dir.path("out").display()));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert_eq!(dir.read("out.1"), dir.read("out.2"));
    assert_eq!(dir.names(""), ["out.1", "out.2", "state", "state.0-8-0.part", "states.0-7-0.part"]);
}

/// A limit on the size of files is like a full disk: a line, and no draft.
#[test]
fn a_limit_on_the_size_of_files_is_told() {
    let dir = Scratch::new("checkpoint-limit");
    let machine = "fabric export json --topology torus:dims=8x8";
    let ran = shell(&format!("ulimit -f 1; $H {machine} -o {}", dir.path("f.json").display()));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("f.json: File too large"), "{}", ran.stderr);
    assert_eq!(dir.names(""), Vec::<String>::new());
}
