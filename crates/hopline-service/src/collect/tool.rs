//! Running one tool.

use super::complaint;
use hopline::error::{Error, Result};
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The most that a tool may print: four times the largest dump that was seen.
const MOST: u64 = 1 << 30;

/// A command with a time limit.
pub(super) struct Tool {
    words: Vec<String>,
    timeout: Duration,
}

impl Tool {
    pub(super) fn new(via: &[String], words: &[String], timeout: Duration) -> Tool {
        Tool { words: via.iter().chain(words).cloned().collect(), timeout }
    }

    /// What it prints, if it ended well, in time and without a complaint.
    pub(super) fn run(&self) -> Result<String> {
        let (status, stdout, stderr) = self.output(&[])?;
        if let Some(line) = complaint(&stdout, &stderr) {
            return Err(self.failed(line));
        }
        if let Some(status) = status { Err(self.failed(&status)) } else { Ok(stdout) }
    }

    /// The first line about its version; the tools print it on either stream.
    pub(super) fn version(&self) -> String {
        let (_, stdout, stderr) = self.output(&["-V"]).unwrap_or_default();
        let line = stdout.lines().chain(stderr.lines()).find(|line| line.to_lowercase().contains("version"));
        line.map_or("unknown", |l| l.rsplit("VERSION: ").next().unwrap_or(l)).trim().to_string()
    }

    /// Its status unless it is 0, and both streams.
    fn output(&self, more: &[&str]) -> Result<(Option<String>, String, String)> {
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
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(self.failed(&format!("not done after {:?}", self.timeout)));
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
        let status = if status.success() { None } else { Some(status.to_string()) };
        Ok((status, text(stdout)?, text(stderr)?))
    }

    fn failed(&self, why: &str) -> Error {
        Error::failed(format!("{}: {why}", self.words.join(" ")))
    }
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
        Tool::new(&[], &words, Duration::from_secs_f64(timeout)).run()
    }

    #[test]
    fn a_tool_ends_well_or_is_an_error() {
        assert_eq!(run("echo a; echo b", 10.0).as_deref(), Ok("a\nb\n"));
        let failed = |script, timeout| run(script, timeout).expect_err(script).to_string();
        assert!(failed("echo a; exit 3", 10.0).ends_with("exit status: 3"));
        assert!(failed("echo a; echo 'SubnGet(LFT) failed on switch' >&2", 10.0).contains("SubnGet(LFT) failed"));
        assert!(failed("sleep 30", 0.05).contains("not done after 50ms"));
        let missing = Tool::new(&[], &["no-such-tool".into()], Duration::from_secs(1)).run().expect_err("missing");
        assert!(missing.to_string().contains("infiniband-diags"), "{missing}");
        // More than a pipe holds.
        assert_eq!(run("yes x | head -c 300000", 10.0).map(|t| t.len()), Ok(300_000));
    }
}
