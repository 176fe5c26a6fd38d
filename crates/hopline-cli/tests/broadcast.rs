//! Topology-aware broadcasts of unmodified programs, measured: hosts are namespaces
//! of this machine in racks with shaped links, and the kernel removes them all with
//! the last process of the test.

mod common;

use common::Scratch;
use common::mpi::{compile, run, skipped};
use std::fs;

/// A machine: racks, hosts in each, the trunk of a rack, the rates of hosts in turn.
struct Machine(u32, u32, &'static str, &'static str);

/// The worse placement of binomial trees by default: racks are contiguous ranks.
const RACKS: Machine = Machine(2, 4, "100mbit", "200mbit");

impl Machine {
    /// Runs a program of one rank a host, with these words for mpirun before it.
    fn run(&self, dir: &Scratch, layer: &str, program: &str) -> String {
        let Machine(racks, hosts, trunk, rates) = self;
        let script = common::root().join("crates/hopline-cli/tests/mpi/racks.sh");
        let words = format!(
            "bash {} {racks} {hosts} {trunk} {rates} -- mpirun.openmpi --hostfile DIR/hosts -n {} --mca plm rsh \
             --mca plm_rsh_agent AGENT --mca plm_rsh_no_tree_spawn 1 --mca oob_tcp_if_include eth0 --mca btl self,tcp \
             --mca btl_tcp_if_include eth0 --mca mpi_yield_when_idle 1 --bind-to none {layer} DIR/{program}",
            script.display(),
            racks * hosts
        );
        let ran = run(dir, &words);
        assert!(ran.success, "{}{}", ran.stdout, ran.stderr);
        ran.stdout + &ran.stderr
    }
}

const PLAIN: &str = "-x LD_PRELOAD=DIR/yield.so";
const OURS: &str = "-x LD_PRELOAD=LAYER:DIR/yield.so -x HOPLINE_COLLECTIVES=bcast -x HOPLINE_VERBOSE=1";

fn prepare(name: &str) -> Option<Scratch> {
    if skipped(&["mpirun.openmpi", "mpicc.openmpi", "tc"]) {
        return None;
    }
    let dir = Scratch::new(name);
    compile(&dir, "mpicc.openmpi", "many.c", &[], "many");
    compile(&dir, "mpicc.openmpi", "bcast.c", &[], "bcast");
    compile(&dir, "gcc", "yield.c", &["-shared", "-fPIC"], "yield.so");
    Some(dir)
}

/// The median time of an order of ranks (ms).
fn median(text: &str, order: &str) -> f64 {
    let found = text.lines().find_map(|l| l.strip_prefix(order)?.trim().strip_suffix(" ms")?.parse().ok());
    found.unwrap_or_else(|| panic!("no {order} in {text}"))
}

/// Tests that take long, or whose ratio is of a second kind.
fn slow() -> bool {
    std::env::var_os("HOPLINE_SLOW").is_some()
}

#[test]
fn broadcasts_along_our_trees_give_what_the_library_gives() {
    let Some(dir) = prepare("bcast-right") else { return };
    let always = format!("{OURS} -x HOPLINE_TRIALS=0 -x HOPLINE_MIN_BYTES=1");
    let text = Machine(2, 3, "100mbit", "200mbit").run(&dir, &always, "many bcast");
    assert!(text.contains("wrong: 0"), "{text}");
    let used = text.lines().find(|l| l.contains("went along trees")).expect("what was done");
    assert!(!used.contains("hopline: 0 of"), "{used}");
}

#[test]
fn two_racks_with_a_thin_trunk_are_crossed_once() {
    let Some(dir) = prepare("bcast-racks") else { return };
    for bytes in if slow() { &[262_144, 1_048_576][..] } else { &[262_144] } {
        let job = format!("bcast {bytes} 7 c r");
        let plain = RACKS.run(&dir, PLAIN, &job);
        let ours = RACKS.run(&dir, OURS, &job);
        assert!(plain.contains("wrong bytes: 0") && ours.contains("wrong bytes: 0"), "{plain}{ours}");
        let worse = median(&plain, "c").max(median(&plain, "r"));
        assert!(worse >= 1.4 * median(&ours, "c").max(median(&ours, "r")), "{bytes} bytes: {plain}{ours}");
    }
    let left = fs::read_dir("/run/netns").map_or(0, |names| names.flatten().count());
    let own = (0..8).filter(|i| fs::exists(format!("/run/netns/h{i}")).unwrap_or(true)).count();
    assert_eq!(own, 0, "{left} namespaces are left");
}

#[test]
fn slow_hosts_do_not_hold_up_fast_ones() {
    if !slow() {
        return;
    }
    let Some(dir) = prepare("bcast-mixed") else { return };
    let (mixed, fast) = (Machine(1, 8, "none", "200mbit 100mbit"), Machine(1, 8, "none", "200mbit"));
    let job = "bcast 524288 9 c";
    let [plain, ours, best] =
        [(&mixed, PLAIN), (&mixed, OURS), (&fast, PLAIN)].map(|(m, layer)| m.run(&dir, layer, job));
    let [plain, ours, best] = [plain, ours, best].map(|text| median(&text, "c"));
    assert!(plain >= 1.3 * ours, "{plain} ms as it is, {ours} ms with the layer");
    assert!(ours <= 1.1 * best, "{ours} ms with slow hosts, {best} ms without any, as it is");
}
