//! Hosts in racks with shaped links, as namespaces of this machine: the kernel removes
//! them all with the last process of the test.

use super::mpi::run;
use super::{Scratch, root};

/// A machine: racks, hosts in each, the trunk of a rack, the rates of hosts in turn.
pub(crate) struct Machine(pub(crate) u32, pub(crate) u32, pub(crate) &'static str, pub(crate) &'static str);

/// The worse placement of binomial trees by default: racks are contiguous ranks.
pub(crate) const RACKS: Machine = Machine(2, 4, "100mbit", "200mbit");

/// The same with a trunk that stands out against what else slows a job down.
pub(crate) const THIN: Machine = Machine(2, 4, "50mbit", "200mbit");

impl Machine {
    /// Runs a program of the directory, one rank a host, with these words for mpirun before it.
    pub(crate) fn run(&self, dir: &Scratch, layer: &str, program: &str) -> String {
        let ranks = self.0 * self.1;
        self.on_hosts(dir, &format!("mpirun.openmpi --hostfile DIR/hosts -n {ranks} {OVER_TCP} {layer} DIR/{program}"))
    }

    /// Runs a command on the first host.
    pub(crate) fn on_hosts(&self, dir: &Scratch, command: &str) -> String {
        self.throttled(dir, "", command)
    }

    /// The same where one direction of a link is slower: a device and its rate, such as `up1 10mbit`.
    pub(crate) fn throttled(&self, dir: &Scratch, slow: &str, command: &str) -> String {
        let Machine(racks, hosts, trunk, rates) = self;
        let script = root().join("crates/hopline-cli/tests/mpi/racks.sh");
        let slow = slow.replace(' ', ":");
        let ran = run(
            dir,
            &format!("env THROTTLE={slow} bash {} {racks} {hosts} {trunk} {rates} -- {command}", script.display()),
        );
        assert!(ran.success, "{}{}", ran.stdout, ran.stderr);
        ran.stdout + &ran.stderr
    }
}

/// Runs of each way, in turn: under HOPLINE_SLOW enough for a median.
pub(crate) fn rounds() -> usize {
    if slow() { 3 } else { 1 }
}

/// The times in the middle of several runs in turn (ms).
pub(crate) fn medians<const N: usize>(rounds: usize, mut run: impl FnMut(usize) -> f64) -> ([f64; N], String) {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..rounds {
        times.iter_mut().enumerate().for_each(|(way, times)| times.push(run(way)));
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    (times.each_ref().map(|times| times[rounds / 2]), format!("{times:?} ms"))
}

/// Has mpirun start daemons on the hosts, and ranks of different hosts speak over their links.
pub(crate) const OVER_TCP: &str = "--mca plm rsh --mca plm_rsh_agent AGENT --mca plm_rsh_no_tree_spawn 1 \
    --mca oob_tcp_if_include eth0 --mca btl self,vader,tcp --mca btl_tcp_if_include eth0 --mca mpi_yield_when_idle 1 \
    --bind-to none";

/// Tests that take long, or whose ratio is of a second kind.
pub(crate) use super::skip::is_slow as slow;

/// The time that a program printed behind a word (ms).
pub(crate) fn median(text: &str, word: &str) -> f64 {
    let found = text.lines().find_map(|l| l.strip_prefix(word)?.trim().strip_suffix(" ms")?.parse().ok());
    found.unwrap_or_else(|| panic!("no {word} in {text}"))
}
