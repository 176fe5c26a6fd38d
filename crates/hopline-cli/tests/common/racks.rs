//! Hosts in racks with shaped links, as namespaces of this machine: the kernel removes
//! them all with the last process of the test.

use super::mpi::run;
use super::{Scratch, root};

/// A machine: racks, hosts in each, the trunk of a rack, the rates of hosts in turn.
pub(crate) struct Machine(pub(crate) u32, pub(crate) u32, pub(crate) &'static str, pub(crate) &'static str);

/// The worse placement of binomial trees by default: racks are contiguous ranks.
pub(crate) const RACKS: Machine = Machine(2, 4, "100mbit", "200mbit");

impl Machine {
    /// Runs a program of one rank a host, with these words for mpirun before it.
    pub(crate) fn run(&self, dir: &Scratch, layer: &str, program: &str) -> String {
        let Machine(racks, hosts, trunk, rates) = self;
        let script = root().join("crates/hopline-cli/tests/mpi/racks.sh");
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

/// Tests that take long, or whose ratio is of a second kind.
pub(crate) fn slow() -> bool {
    std::env::var_os("HOPLINE_SLOW").is_some()
}

/// The time that a program printed behind a word (ms).
pub(crate) fn median(text: &str, word: &str) -> f64 {
    let found = text.lines().find_map(|l| l.strip_prefix(word)?.trim().strip_suffix(" ms")?.parse().ok());
    found.unwrap_or_else(|| panic!("no {word} in {text}"))
}
