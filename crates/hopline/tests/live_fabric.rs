//! A live subnet: ibsim stands in for the switches and adapters, opensm computes
//! the routes, and the commands that an administrator would run dump and trace
//! them. What Hopline reads from the dumps must be what ibtracert walks.
//!
//! Needs ibsim, opensm and infiniband-diags, but neither hardware nor root.
#![allow(clippy::print_stderr)]

mod common;

use common::trace::{by_tables, compare_with_ibtracert, lids};
use common::{absent, root};
use hopline::id::VertexId;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const TOOLS: [&str; 6] = ["ibsim", "ibsim-run", "opensm", "ibnetdiscover", "dump_fts", "ibtracert"];

/// Where a tool is; they stand in sbin, which users do not search.
fn find(tool: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let sbin = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    std::env::split_paths(&path).chain(sbin).map(|dir| dir.join(tool)).find(|file| file.is_file())
}

/// Simulator and subnet manager in a folder of their own. Dropping it stops
/// both and removes the folder, whatever has happened before.
struct Subnet {
    dir: PathBuf,
    servers: Vec<Child>,
    deadline: Instant,
}

impl Drop for Subnet {
    fn drop(&mut self) {
        // The subnet manager first: it must not see the fabric vanish.
        for server in self.servers.iter_mut().rev() {
            let stopped = server.kill().and_then(|()| server.wait());
            if let Err(e) = stopped {
                eprintln!("process {} could not be stopped: {e}", server.id());
            }
        }
        if let Err(e) = fs::remove_dir_all(&self.dir) {
            eprintln!("{}: {e}", self.dir.display());
        }
    }
}

impl Subnet {
    /// Brings a fabric up: when this returns, routes are in the tables.
    fn start(net: &str) -> Subnet {
        let dir = std::env::temp_dir().join(format!("hopline-live-{}", std::process::id()));
        fs::create_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut subnet = Subnet { dir, servers: Vec::new(), deadline };
        let ibsim = subnet.command("ibsim", &["-s", "-n", net], "ibsim");
        subnet.serve(ibsim, "ibsim.stdout", "Network simulator ready");
        // Empty, so that no configuration of this machine counts.
        fs::write(subnet.dir.join("opensm.conf"), "").expect("opensm.conf");
        // -d2 writes the log line by line; without it the line that we wait for may stay in a buffer.
        let options = ["opensm", "-e", "-F", "opensm.conf", "-f", "opensm.log", "-d2", "-R", "minhop"];
        let opensm = subnet.command("ibsim-run", &options, "opensm");
        subnet.serve(opensm, "opensm.log", "SUBNET UP");
        subnet
    }

    /// A command in the folder; its output goes to files there.
    fn command(&self, tool: &str, args: &[&str], output: &str) -> Command {
        let file = |end: &str| File::create(self.dir.join(format!("{output}.{end}"))).expect("output");
        let mut command = Command::new(find(tool).expect("looked for before"));
        let search = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
        command
            .args(args)
            .current_dir(&self.dir)
            .env("PATH", search)
            .env("LC_ALL", "C")
            // Other simulators may run on this machine.
            .env("IBSIM_SOCKNAME", format!("hopline-{}", std::process::id()))
            .env("OSM_TMP_DIR", &self.dir)
            .env("OSM_CACHE_DIR", &self.dir)
            // ibsim-run mishandles one that is already set.
            .env_remove("LD_PRELOAD")
            .stdin(Stdio::null())
            .stdout(file("stdout"))
            .stderr(file("stderr"));
        command
    }

    /// Starts a server and waits until `ready` stands in `log`.
    fn serve(&mut self, mut command: Command, log: &str, ready: &str) {
        let started = command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
        self.servers.push(started);
        let server = self.servers.last_mut().expect("just started");
        loop {
            let said = fs::read(self.dir.join(log)).unwrap_or_default();
            let said = String::from_utf8_lossy(&said);
            if said.contains(ready) {
                return;
            }
            let ended = server.try_wait().expect("a child");
            let late = Instant::now() > self.deadline;
            assert!(ended.is_none() && !late, "no `{ready}` from {command:?} ({ended:?}):\n{said}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Runs a command against the subnet; gives what it prints.
    fn run(&self, tool: &str, args: &[&str]) -> String {
        let all: Vec<&str> = [tool].iter().chain(args).copied().collect();
        let mut child = self.command("ibsim-run", &all, tool).spawn().unwrap_or_else(|e| panic!("{tool}: {e}"));
        let status = loop {
            if let Some(status) = child.try_wait().expect("a child") {
                break status;
            }
            if Instant::now() > self.deadline {
                child.kill().and_then(|()| child.wait()).expect("stopped");
                panic!("{tool} {args:?} did not end in time");
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let read = |end: &str| fs::read_to_string(self.dir.join(format!("{tool}.{end}"))).expect("output");
        let said = read("stderr");
        // dump_fts prints stale entries with status 0 when a block is lost; only stderr tells.
        let complaint = said.lines().find(|l| !l.trim().is_empty() && !l.contains("sim_connect: attached"));
        assert!(status.success() && complaint.is_none(), "{tool} {args:?} ({status}): {said}");
        read("stdout")
    }
}

/// The dumps of a machine in a folder of their own, as `file:DIR` wants them.
fn collect(subnet: &Subnet) -> String {
    let dir = subnet.dir.join("dumps");
    fs::create_dir(&dir).expect("dumps");
    let save = |name: &str, text: String| fs::write(dir.join(name), text).expect(name);
    save("ibnetdiscover.txt", subnet.run("ibnetdiscover", &[]));
    save("dump_fts_n.txt", subnet.run("dump_fts", &["-n"]));
    dir.to_string_lossy().into_owned()
}

#[test]
fn dumps_of_a_live_subnet_are_routed_as_ibtracert_walks() {
    if let Some(missing) = TOOLS.into_iter().find(|tool| find(tool).is_none()) {
        return absent(format!("{missing} is not installed (ibsim-utils, opensm, infiniband-diags)"));
    }
    let net = fs::canonicalize(Path::new(&root()).join("testdata/fabrics/rack64/rack64.net")).expect("rack64.net");
    let subnet = Subnet::start(&net.to_string_lossy());
    let dir = collect(&subnet);
    let network = by_tables(&dir, "base");
    assert_eq!((network.fabric.endpoints(), network.fabric.switches(), network.fabric.links()), (64, 10, 160));

    let lids = lids(&format!("{dir}/ibnetdiscover.txt"));
    let lid = |v: u32| lids.of(VertexId(v)).start;
    // Every host to three others, on its leaf and across the spines; every switch to a host.
    let hosts = (0..64).flat_map(|h| [1, 11, 36].map(|step| (lid(h), lid((h + step) % 64))));
    let pairs: Vec<(u16, u16)> = hosts.chain((0..10).map(|s| (lid(64 + s), lid(s * 6)))).collect();
    let lines: Vec<String> = pairs.iter().map(|(from, to)| format!("{from} {to}\n")).collect();
    fs::write(subnet.dir.join("pairs.txt"), lines.concat()).expect("pairs.txt");
    let printed = subnet.run("ibtracert", &["--ports-file", "pairs.txt"]);
    assert_eq!(pairs.len(), 202);
    compare_with_ibtracert(&dir, &pairs, &printed);
}
