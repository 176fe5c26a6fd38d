//! A live subnet: ibsim stands in for switches and adapters, opensm computes the
//! routes. Neither hardware nor root is needed.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

const TOOLS: [&str; 6] = ["ibsim", "ibsim-run", "opensm", "ibnetdiscover", "dump_fts", "smpdump"];

/// The first tool that this machine lacks.
pub(crate) fn missing() -> Option<&'static str> {
    TOOLS.into_iter().find(|tool| find(tool).is_none())
}

/// Where a tool is; they stand in sbin, which users do not search.
fn find(tool: &str) -> Option<PathBuf> {
    std::env::split_paths(&search()).map(|dir| dir.join(tool)).find(|file| file.is_file())
}

fn search() -> String {
    std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin"
}

/// Processes in a folder of their own. Dropping it stops them, the last one
/// first, and removes the folder.
pub(crate) struct Subnet {
    pub(crate) dir: PathBuf,
    name: String,
    servers: Vec<Child>,
    console: Option<ChildStdin>,
}

impl Drop for Subnet {
    fn drop(&mut self) {
        for server in self.servers.iter_mut().rev() {
            // It may have ended by itself.
            let _ = server.kill();
            let _ = server.wait();
        }
        let _ = fs::remove_dir_all(&self.dir);
    }
}

impl Subnet {
    /// Brings a fabric up; `name` is one that no other test has. When this
    /// returns, routes are in the tables.
    pub(crate) fn start(name: &str, net: &Path) -> Subnet {
        let mut subnet = Subnet::simulate(name, net);
        // Empty, so that no configuration of this machine counts.
        fs::write(subnet.dir.join("opensm.conf"), "").expect("opensm.conf");
        let options = ["opensm", "-e", "-F", "opensm.conf", "-f", "opensm.log", "-d2", "-R", "minhop"];
        let mut opensm = subnet.command("ibsim-run", &options);
        subnet.serve(&mut opensm, "opensm.log", "SUBNET UP");
        subnet
    }

    /// A fabric without routes.
    pub(crate) fn simulate(name: &str, net: &Path) -> Subnet {
        let name = format!("hopline-{name}-{}", std::process::id());
        let dir = std::env::temp_dir().join(&name);
        fs::create_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
        let mut subnet = Subnet { dir, name, servers: Vec::new(), console: None };
        let mut ibsim = subnet.command("ibsim", &["-s", &net.to_string_lossy()]);
        let console = subnet.serve(ibsim.stdin(Stdio::piped()), "ibsim.stdout", "Network simulator ready");
        subnet.console = console;
        subnet
    }

    /// A command in the folder, with the simulator in its environment.
    pub(crate) fn command(&self, program: &str, args: &[&str]) -> Command {
        let program = find(program).unwrap_or_else(|| program.into());
        let name = program.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let name = if name == "ibsim-run" { args[0].to_string() } else { name };
        let file = |end: &str| File::create(self.dir.join(format!("{name}.{end}"))).expect("output");
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(&self.dir)
            .env("PATH", search())
            .env("LC_ALL", "C")
            .env("IBSIM_SOCKNAME", &self.name)
            .env("OSM_TMP_DIR", &self.dir)
            .env("OSM_CACHE_DIR", &self.dir)
            .env_remove("LD_PRELOAD")
            .stdin(Stdio::null())
            .stdout(file("stdout"))
            .stderr(file("stderr"));
        command
    }

    /// Starts a server and waits until `ready` stands in `log`.
    pub(crate) fn serve(&mut self, command: &mut Command, log: &str, ready: &str) -> Option<ChildStdin> {
        let mut started = command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
        let console = started.stdin.take();
        self.servers.push(started);
        let log = self.dir.join(log);
        until(&format!("`{ready}` in {}", log.display()), || text(&log).contains(ready));
        console
    }

    /// Says a line on the console of the simulator.
    pub(crate) fn say(&mut self, line: &str) {
        let console = self.console.as_mut().expect("a console");
        console.write_all(format!("{line}\n").as_bytes()).expect(line);
        console.flush().expect(line);
    }
}

/// A text that may not be there yet.
pub(crate) fn text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// Waits until something holds; a minute is too long.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
