//! Real launchers on pretended nodes: namespaces of this machine, each with its
//! own host name, in a network that ends at the machine.

use super::Scratch;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Stands in for ssh: `[options] HOST COMMAND...` runs the command here under that host's name.
const AGENT: &str = r#"#!/bin/bash
while [[ "$1" == -* ]]; do shift; done
host=$1; shift
exec unshare --uts bash -c "hostname $host; $*"
"#;

/// Says its rank and host; Slurm's nodes have no host names of their own.
const PROGRAM: &str = r#"#!/bin/sh
echo "rank ${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-$SLURM_PROCID}} on ${SLURMD_NODENAME:-$(hostname)}"
"#;

/// A process namespace of its own: when the launcher ends, the kernel ends all
/// that it left behind. And a network of its own, so that ports are free and
/// nobody outside can reach them.
const ISOLATED: [&str; 6] = ["--uts", "--pid", "--net", "--fork", "--kill-child", "--mount-proc"];

/// An address beside the loopback one: Open MPI 5 does not start without.
const NETWORK: &str = "ip link set lo up && ip link add eth0 type veth peer name eth1 && \
                       ip addr add 10.0.0.1/24 dev eth0 && ip link set eth0 up && ip link set eth1 up && exec \"$@\"";

/// `words` in namespaces of their own, for three minutes at most, five under HOPLINE_SLOW: what takes longer hangs.
/// What the shell has set (a Slurm job, OMPI_MCA_...) must not reach launchers.
fn namespaces(words: &[&str]) -> Command {
    let mut command = Command::new("unshare");
    let limit = if super::skip::is_slow() { "300" } else { "180" };
    command.args(ISOLATED).args(["timeout", "--kill-after=5", limit, "sh", "-c", NETWORK, "sh"]).args(words);
    command.env_clear().env("PATH", path());
    command
}

/// Where commands are; a user's path lacks those of servers.
fn path() -> String {
    format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default())
}

/// `words` in namespaces of their own, with `dir` to work in.
pub(crate) fn isolated(dir: &Scratch, words: &[&str]) -> Command {
    let mut command = namespaces(words);
    // What a run before left there would be taken for this one's: process numbers repeat.
    let temporary = dir.path("tmp");
    let _ = fs::remove_dir_all(&temporary);
    fs::create_dir_all(&temporary).expect("temporary directory");
    command.env("TMPDIR", temporary).env("HOME", dir.path("")).current_dir(dir.path(""));
    command
}

/// Why launchers that need these commands cannot be started here. Where CI is
/// set, a command that is missing fails the test.
pub(crate) fn obstacle(commands: &[&str]) -> Option<String> {
    let there = |name: &str| path().split(':').any(|dir| Path::new(dir).join(name).is_file());
    let missing: Vec<&str> = commands.iter().copied().filter(|name| !there(name)).collect();
    if !missing.is_empty() {
        let ci = std::env::var("CI").is_ok_and(|value| value == "true");
        assert!(!ci, "{missing:?} are not installed, and CI must run this test");
        return Some(format!("{missing:?} are not installed"));
    }
    let permitted = namespaces(&["hostname", "elsewhere"]).output().is_ok_and(|output| output.status.success());
    (!permitted).then(|| "namespaces are not permitted, or there is no ip: run as root".to_string())
}

/// Cores of this machine: Open MPI refuses slots beyond them.
pub(crate) fn cores() -> usize {
    let siblings = |cpu| fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"));
    (0..64).filter_map(|cpu| siblings(cpu).ok()).collect::<BTreeSet<_>>().len()
}

fn script(dir: &Scratch, name: &str, text: &str) -> PathBuf {
    let path = dir.write(name, text);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect(name);
    path
}

/// Runs a launcher; AGENT, PROGRAM and DIR in its words are what they say, as paths.
/// Answers what it printed.
pub(crate) fn launch(dir: &Scratch, words: &str, env: &[(&str, &str)]) -> String {
    let root = dir.path("").to_str().expect("a temporary directory of UTF-8").trim_end_matches('/').to_string();
    script(dir, "agent.sh", AGENT);
    script(dir, "program.sh", PROGRAM);
    let path = |word: &str| match word {
        "AGENT" => format!("{root}/agent.sh"),
        "PROGRAM" => format!("{root}/program.sh"),
        word => word.replace("DIR", &root),
    };
    let words: Vec<String> = words.split_whitespace().map(path).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let env = env.iter().map(|(key, value)| (key, value.replace("DIR", &root)));
    let output = isolated(dir, &words).envs(env).output().expect("unshare ran before");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {}\n{stdout}\n{stderr}", output.status);
    stdout
}

/// Host of each rank as the ranks themselves tell it.
pub(crate) fn told(stdout: &str) -> BTreeMap<usize, String> {
    let pair = |line: &str| {
        let (rank, host) = line.strip_prefix("rank ")?.split_once(" on ")?;
        Some((rank.parse().ok()?, host.to_string()))
    };
    stdout.lines().filter_map(pair).collect()
}
