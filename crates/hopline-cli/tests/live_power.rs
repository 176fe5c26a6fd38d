//! The script of `hopline power --export ibportstate=FILE` against a live subnet: cable after cable goes off and on again,
//! and opensm routes around them.
//!
//! ibsim 0.10 leaves a port active that ibportstate has disabled, so a stand-in asks the test to unlink the cable at the
//! simulator instead; everything else it hands on to the real ibportstate.

#[path = "../../hopline/tests/common/skip.rs"]
mod skip;
#[path = "common/subnet.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod subnet;

use hopline_service::store;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use subnet::{Subnet, text, until};

const STAND_IN: &str = r#"#!/bin/sh
case "$4" in
disable) echo "Unlink \"S-${2#0x}\"[$3]" >> asked ;;
enable) echo "ReLink \"S-${2#0x}\"[$3]" >> asked ;;
*) exec ibsim-run ibportstate "$@" ;;
esac
"#;

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).expect("the repository")
}

/// Runs the script, and does at the simulator what it asks for; what that was.
fn switch(subnet: &mut Subnet, word: &str) -> Vec<String> {
    let asked = subnet.dir.join("asked");
    let _ = fs::remove_file(&asked);
    let mut script = subnet
        .command("sh", &["switch.sh", word])
        .env("IBPORTSTATE", "sh stand-in")
        .env("SMPQUERY", "ibsim-run smpquery")
        .spawn()
        .expect("sh");
    let mut done = Vec::new();
    let status = loop {
        let ended = script.try_wait().expect("a child");
        for line in text(&asked).lines().skip(done.len()).map(String::from).collect::<Vec<_>>() {
            subnet.say(&line);
            done.push(line);
        }
        if let Some(status) = ended {
            break status;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success(), "{word}: {}", text(&subnet.dir.join("sh.stderr")));
    done
}

/// Cables of the subnet, and whether every host reaches every other by its tables.
fn state(subnet: &Subnet, name: &str) -> (usize, bool) {
    let words = ["fabric", "collect", "--out", name, "--via", "ibsim-run"];
    let collected = subnet.command(env!("CARGO_BIN_EXE_hopline"), &words).status().expect("hopline");
    assert!(collected.success(), "{}", text(&subnet.dir.join("hopline.stderr")));
    let counts = store::manifest(&subnet.dir.join(name), 1).unwrap_or_else(|e| panic!("{e}")).counts;
    (counts["cables"] as usize, (counts["broken_pairs"], counts["pairs"]) == (0, 64 * 63))
}

/// A live subnet with the script that `hopline power` writes for it; `None` where tools are missing.
fn with_script(name: &str, words: &[&str]) -> Option<Subnet> {
    if let Some(missing) = subnet::missing() {
        skip::absent(format!("{missing} is not installed (ibsim-utils, opensm, infiniband-diags)"));
        return None;
    }
    let subnet = Subnet::start(name, &root().join("testdata/fabrics/rack64/rack64.net"));
    fs::write(subnet.dir.join("stand-in"), STAND_IN).expect("stand-in");
    let written = Command::new(env!("CARGO_BIN_EXE_hopline"))
        .args(["power", "--fabric", "testdata/fabrics/rack64", "--traffic", "halo:grid=4x4", "--connected"])
        .args(words)
        .arg("--export")
        .arg(format!("ibportstate={}", subnet.dir.join("switch.sh").display()))
        .current_dir(root())
        .output()
        .expect("hopline");
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    Some(subnet)
}

#[test]
fn cables_go_off_and_on_and_every_host_is_reached() {
    let Some(mut subnet) = with_script("power", &[]) else { return };
    // 8 leaves with 2 cables up: the job's 16 hosts use all four of 2 leaves, the other 6 need one of two.
    let before = state(&subnet, "before");
    assert_eq!(before, (80, true));
    let off = switch(&mut subnet, "off");
    assert!(off.len() == 6 && off.iter().all(|line| line.starts_with("Unlink")), "{off:?}");
    assert_eq!(state(&subnet, "off"), (80 - off.len(), true));
    let on = switch(&mut subnet, "on");
    let turned: Vec<String> = off.iter().rev().map(|line| line.replace("Unlink", "ReLink")).collect();
    assert_eq!(on, turned);
    assert_eq!(state(&subnet, "on"), before);
}

/// One lane instead of four, of cables that only keep the fabric together; the real ibportstate sets it.
#[test]
fn lanes_are_taken_out_and_put_back() {
    let Some(mut subnet) = with_script("lanes", &["--one-lane"]) else { return };
    let lanes: Vec<String> = text(&subnet.dir.join("switch.sh"))
        .lines()
        .filter(|l| l.starts_with("  lanes ") && l.contains(" 1 # "))
        .map(String::from)
        .collect();
    assert!(!lanes.is_empty(), "cables that stay on for the connection alone");
    let width = |subnet: &Subnet, line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let args = ["smpquery", "-G", "portinfo", words[1], words[2]];
        let _ = subnet.command("ibsim-run", &args).status();
        let said = text(&subnet.dir.join("smpquery.stdout"));
        said.lines().find_map(|l| l.strip_prefix("LinkWidthActive:")).unwrap_or_default().trim_matches('.').to_string()
    };
    assert_eq!(width(&subnet, &lanes[0]), "4X");
    switch(&mut subnet, "off");
    until("one lane", || lanes.iter().all(|line| width(&subnet, line) == "1X"));
    assert!(state(&subnet, "off").1);
    switch(&mut subnet, "on");
    assert_eq!(state(&subnet, "on"), (80, true));
    until("four lanes", || lanes.iter().all(|line| width(&subnet, line) == "4X"));
}
