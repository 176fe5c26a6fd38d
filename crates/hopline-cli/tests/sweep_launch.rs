//! Sweeps on a real Slurm of several nodes and a real HyperQueue, with nodes, workers and programs killed on the way: the
//! bytes are those of one process that was left alone.

mod common;

use common::Scratch;
use common::launch::{launch, obstacle};
use common::skip::{absent, skip};
use common::slurm::slurm;
use std::fs;
use std::path::{Path, PathBuf};

/// 72 points of flits, long enough to be killed in between.
const SWEEP: &str = r#"
topology = "dragonfly:p=2,a=4,h=2"
traffic = "uniform"
[sweep]
command = "flits"
load = "0.1:0.9:0.1"
routing = ["minimal", "valiant-any"]
seed = "1:4"
cycles = 4000
"#;

/// What all drivers begin with.
const HEAD: &str = "set -e\nexport PATH=BIN:$PATH\nlines() { cat out/points/*.log 2>/dev/null | wc -l; }\n";

/// A node is cut off with all that runs on it, and one part's program is killed by itself. A requeued job waits for as
/// long as a credential of the node that is gone would be good.
const SLURM: &str = r#"
hopline sweep s.toml --out out --launch slurm --parts 5
until [ "$(lines)" -ge 10 ]; do sleep 0.05; done
kill -9 "$(cat slurmd.node002.pid)"
killed=0
for process in /proc/[0-9]*; do
    if tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -qx SLURMD_NODENAME=node002; then
        parent=$(awk '/^PPid:/ {print $2}' "$process/status" 2>/dev/null || true)
        kill -9 $parent "${process#/proc/}" 2>/dev/null || true
        killed=$((killed + 1))
    fi
done
echo "killed $killed processes of node002"
scontrol update nodename=node002 state=down reason=killed
until [ "$(lines)" -ge 30 ]; do sleep 0.05; done
pkill -9 -o -x hopline && echo "killed a part"
until [ -e out/results.csv ] && [ -z "$(squeue -h)" ]; do sleep 0.2; done
"#;

/// One part's program is killed by itself, then the server with its workers and their tasks; another one takes the rest.
const HYPERQUEUE: &str = r#"
export HQ_SERVER_DIR=$PWD/server PATH=PYTHON/bin:TOOLS:$PATH
trap 'tail -n 5 cluster.err out/hyperqueue/*; exit 1' TERM
start() {
    rm -f ready
    python3 TOOLS/cluster.py "$HQ_SERVER_DIR" >ready 2>cluster.err &
    cluster=$!
    until grep -q ready ready; do kill -0 $cluster; sleep 0.1; done
}
start
hopline sweep s.toml --out out --launch hyperqueue --parts 5
until [ "$(lines)" -ge 10 ]; do sleep 0.05; done
pkill -9 -o -x hopline && echo "killed a part"
until [ "$(lines)" -ge 30 ]; do sleep 0.05; done
kill -9 $cluster
pkill -9 -f 'hopline sweep .*--shard' || true
[ ! -e out/results.csv ] && echo "killed the server with $(lines) points"
start
hopline sweep s.toml --out out --launch hyperqueue --parts 5
until [ -e out/results.csv ] && [ -s out/hyperqueue/merge.out ]; do sleep 0.1; done
kill $cluster
"#;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Writes what a driver needs, and answers what it printed.
fn drive(dir: &Scratch, start: &str, script: &str) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_hopline")).parent().expect("target");
    dir.write("drive.sh", (HEAD.to_string() + script).replace("BIN", &bin.to_string_lossy()));
    dir.write("s.toml", SWEEP);
    launch(dir, &format!("{start} bash DIR/drive.sh"), &[])
}

fn has_the_bytes_of_one_process(dir: &Scratch) {
    dir.hopline("sweep DIR/s.toml --out DIR/alone").done();
    for table in ["results.jsonl", "results.csv"] {
        let (own, alone) = (dir.read(&format!("out/{table}")), dir.read(&format!("alone/{table}")));
        assert!(own == alone, "{table} differs");
        assert!(own.lines().count() >= 72);
    }
}

/// Three nodes, all of them this machine.
const MACHINE: &str = "SlurmctldHost=localhost(127.0.0.1)\n\
                       NodeName=node[001-003] NodeHostname=localhost NodeAddr=127.0.0.1 Port=17001-17003 CPUs=1\n";

#[test]
fn slurm_loses_a_node_and_a_program_and_no_point() {
    if let Some(why) = obstacle(&["munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "pkill"]) {
        return skip(why);
    }
    let dir = Scratch::new("sweep-slurm");
    let start = slurm(&dir, MACHINE, 3);
    let conf = dir.read("slurm.conf");
    let quick = conf.replace("AuthInfo=socket=", "AuthInfo=cred_expire=5,socket=");
    assert_ne!(conf, quick);
    dir.write("slurm.conf", quick);
    let said = drive(&dir, &start, SLURM);
    assert!(said.contains("submitted job 1 of 5 parts, and job 2 to merge them: 72 points"), "{said}");
    assert!(!said.contains("killed 0 processes") && said.contains("killed a part"), "{said}");
    let merged = dir.read("out/slurm/merge.out");
    assert!(merged.starts_with("72 points in ") && merged.contains("0 failed"), "{merged}");
    has_the_bytes_of_one_process(&dir);
}

#[test]
fn hyperqueue_loses_its_server_and_a_program_and_no_point() {
    let Some(place) = std::env::var("HOPLINE_HYPERQUEUE").ok().filter(|place| Path::new(place).is_dir()) else {
        return absent("HyperQueue (HOPLINE_HYPERQUEUE)");
    };
    if let Some(why) = obstacle(&["python3", "pkill"]) {
        return skip(why);
    }
    let dir = Scratch::new("sweep-hyperqueue");
    let tools = tests().join("hyperqueue");
    let script = HYPERQUEUE.replace("PYTHON", &place).replace("TOOLS", &tools.to_string_lossy());
    let said = drive(&dir, "", &script);
    assert!(said.contains("of 5 parts, and a task to merge them: 72 points to compute"), "{said}");
    assert!(said.contains("killed a part") && said.contains("killed the server with "), "{said}");
    let logs = fs::read_dir(dir.path("out/points")).expect("logs").count();
    assert!(logs > 5, "{logs} logs: nothing was begun again");
    has_the_bytes_of_one_process(&dir);
}
