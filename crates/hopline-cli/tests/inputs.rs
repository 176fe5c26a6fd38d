//! What is read: files within a limit, and standard input.

mod common;

use common::Scratch;
use serde_json::Value;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Inputs that have no end, or whose end is far behind their beginning, are refused before they fill the memory.
#[test]
fn inputs_have_a_ceiling() {
    let dir = Scratch::new("ceiling");
    let mut zeros = Command::new("sh");
    zeros.args(["-c", "head -c 50000000 /dev/zero | tr '\\0' 0 | gzip -9 > bomb.csv.gz; mkfifo pipe"]);
    assert!(zeros.current_dir(dir.path("")).status().expect("sh").success());
    let load = "load --topology full-mesh:n=2 --traffic matrix:file=";
    let ran = dir.hopline(&format!("{load}DIR/bomb.csv.gz --max-input 1MB"));
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("too large: inputs may have 1000000 bytes"), "{}", ran.stderr);
    assert!(ran.stderr.contains("raise the limit with --max-input"), "{}", ran.stderr);
    // The points of a sweep have the same ceiling.
    let bomb = dir.path("bomb.csv.gz");
    dir.write(
        "s.toml",
        format!(
            "topology = \"full-mesh:n=2\"\ntraffic = \"matrix:file={}\"\n[sweep]\ncommand = \"load\"\nseed = [1]\n",
            bomb.display()
        ),
    );
    let ran = dir.hopline("sweep DIR/s.toml --out DIR/out --max-input 1MB");
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stderr.contains("too large"), "{}", ran.stderr);
    for device in ["DIR/pipe", "/dev/zero"] {
        let ran = dir.hopline(&format!("{load}{device}"));
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains("a device or a pipe, expected a regular file"), "{}", ran.stderr);
    }
    // What comes by standard input is asked for more often than it can be read.
    let mut child = Command::new(env!("CARGO_BIN_EXE_hopline"))
        .args(format!("{load}- --format json").split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("hopline");
    child.stdin.take().expect("its input").write_all(b"0,5\n1,0\n").expect("written");
    let done = child.wait_with_output().expect("ended");
    assert!(done.status.success());
    let told: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!(told["tasks"], 2);
}
