//! Running one tool.

use super::complaint;
use hopline::error::{Error, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The most that a tool may print: four times the largest dump that was seen.
const MOST: u64 = 1 << 30;

/// A tool that is told to end has so long before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// A command with a time limit, which ends with the collector.
pub(super) struct Tool<'a> {
    words: Vec<String>,
    timeout: Duration,
    stop: &'a AtomicBool,
}

impl Tool<'_> {
    pub(super) fn new<'a>(via: &[String], words: &[String], timeout: Duration, stop: &'a AtomicBool) -> Tool<'a> {
        Tool { words: via.iter().chain(words).cloned().collect(), timeout, stop }
    }

    /// What it prints, if it ended well, in time and without a complaint.
    pub(super) fn run(&self) -> Result<String> {
        let Output { failed, stdout, stderr } = self.output(&[])?;
        if let Some(line) = complaint(&stdout, &stderr) {
            return Err(self.failed(line));
        }
        if let Some(status) = failed { Err(self.failed(&status)) } else { Ok(stdout) }
    }

    /// The first line about its version; the tools print it on either stream.
    pub(super) fn version(&self) -> String {
        let Output { stdout, stderr, .. } = self.output(&["-V"]).unwrap_or_default();
        let line = stdout.lines().chain(stderr.lines()).find(|line| line.to_lowercase().contains("version"));
        line.map_or("unknown", |l| l.rsplit("VERSION: ").next().unwrap_or(l)).trim().to_string()
    }

    fn output(&self, more: &[&str]) -> Result<Output> {
        let Some((program, args)) = self.words.split_first() else {
            return Err(Error::input("no tool is named"));
        };
        let mut child = Command::new(program)
            .args(args)
            .args(more)
            .env("LC_ALL", "C")
            .env("PATH", search_path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Of its own, so that what it starts can be ended with it.
            .process_group(0)
            .spawn()
            .map_err(|e| self.failed(&e.to_string()).hint("the tools are in the package infiniband-diags"))?;
        // Read by threads, so that neither stream can block the tool.
        let stdout = child.stdout.take().map(drain);
        let stderr = child.stderr.take().map(drain);
        let deadline = Instant::now() + self.timeout;
        let status = loop {
            match child.try_wait().map_err(|e| self.failed(&e.to_string()))? {
                Some(status) => break status,
                None if Instant::now() > deadline => {
                    end(&mut child);
                    return Err(self.failed(&format!("not done after {:?}", self.timeout)));
                }
                None if self.stop.load(Ordering::Relaxed) => {
                    end(&mut child);
                    return Err(self.failed("stopped"));
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        // A grandchild may keep a stream open for longer than the tool itself lives.
        let text = |stream: Option<Receiver<Vec<u8>>>| {
            let bytes = stream.and_then(|s| s.recv_timeout(Duration::from_secs(10)).ok()).unwrap_or_default();
            if bytes.len() as u64 >= MOST {
                return Err(self.failed("prints more than 1 GiB"));
            }
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        let failed = if status.success() { None } else { Some(status.to_string()) };
        Ok(Output { failed, stdout: text(stdout)?, stderr: text(stderr)? })
    }

    fn failed(&self, why: &str) -> Error {
        Error::failed(format!("{}: {why}", self.words.join(" ")))
    }
}

/// What a tool came to.
#[derive(Default)]
struct Output {
    /// Its status unless it is 0.
    failed: Option<String>,
    stdout: String,
    stderr: String,
}

/// Ends a tool and all that it started, such as what `sudo` or a script runs.
fn end(child: &mut Child) {
    let group = Pid::from_child(child);
    // Who has ended already cannot be told.
    let _ = kill_process_group(group, Signal::TERM);
    let deadline = Instant::now() + GRACE;
    while matches!(child.try_wait(), Ok(None)) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.wait();
}

/// The tools stand in sbin, which users do not search.
fn search_path() -> String {
    std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin"
}

fn drain(stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What cannot be read is missed by the checks that follow.
        let _ = stream.take(MOST).read_to_end(&mut bytes);
        let _ = send.send(bytes);
    });
    receive
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str, timeout: f64) -> Result<String> {
        let words = ["sh", "-c", script].map(String::from);
        Tool::new(&[], &words, Duration::from_secs_f64(timeout), &AtomicBool::new(false)).run()
    }

    #[test]
    fn a_tool_ends_well_or_is_an_error() {
        assert_eq!(run("echo a; echo b", 10.0).as_deref(), Ok("a\nb\n"));
        let failed = |script, timeout| run(script, timeout).expect_err(script).to_string();
        assert!(failed("echo a; exit 3", 10.0).ends_with("exit status: 3"));
        assert!(failed("echo a; echo 'SubnGet(LFT) failed on switch' >&2", 10.0).contains("SubnGet(LFT) failed"));
        assert!(failed("sleep 30", 0.05).contains("not done after 50ms"));
        let (never, words) = (AtomicBool::new(false), ["no-such-tool".to_string()]);
        let missing = Tool::new(&[], &words, Duration::from_secs(1), &never).run().expect_err("missing");
        assert!(missing.to_string().contains("infiniband-diags"), "{missing}");
        // More than a pipe holds.
        assert_eq!(run("yes x | head -c 300000", 10.0).map(|t| t.len()), Ok(300_000));
    }
}
