//! The service under load, on loopback, beside an echo server of the same build:
//! how fast Ranger's fabric is loaded, routes answered, a matrix made.
//!
//! Server and echo run in processes of their own, so that their memory and time
//! are theirs. `cargo bench -p hopline-service`; `-- connects` for taking connections alone.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, reason = "a bench reports and may stop")]

mod clients;
mod echo;

use clients::{Rate, connects, latency, many, pipelined};
use hopline::files::{Disk, read_text};
use hopline_service::generation::Generation;
use hopline_service::limits::Limits;
use hopline_service::server::{Options, Server};
use hopline_service::store::{self, Draft, Source};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() {
    // What `cargo bench` adds.
    let args: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["load", dir] => load(Path::new(dir)),
        ["serve", dir] => serve(Path::new(dir)),
        ["echo"] => echo::serve(2),
        ["echo", "single"] => echo::single(),
        ["connects"] => {
            let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/fabrics/rack64");
            connects_of(&dir.to_string_lossy(), "query node001:node036\n");
        }
        _ => bench(),
    }
}

/// In a child: loads a directory and prints seconds and the most memory ever held.
fn load(dir: &Path) {
    let start = Instant::now();
    let (generation, _) = Source::open(dir).and_then(|s| s.load_newest()).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    println!("{seconds} {} {}", status("VmHWM:"), generation.atlas.endpoints());
}

/// In a child: serves a directory until its input ends.
fn serve(dir: &Path) {
    let limits = Limits { rate: u32::MAX, client_rate: u32::MAX, ..Limits::default() };
    let options = Options { limits, ..Options::loopback(0) };
    let server = Server::start(Source::open(dir).unwrap(), options, Arc::new(|_: &str| ())).unwrap();
    println!("{}", server.addresses()[0]);
    std::io::stdin().lines().for_each(drop);
}

fn status(key: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|l| l.starts_with(key)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A child of this program that listens.
struct Process {
    child: Child,
    address: SocketAddr,
}

impl Process {
    fn start(args: &[&str]) -> Process {
        let exe = std::env::current_exe().unwrap();
        let mut child = Command::new(exe).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Process { child, address: line.trim().parse().unwrap() }
    }

    /// Seconds of processor time so far.
    fn cpu(&self) -> f64 {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = text.rsplit_once(") ").unwrap().1.split(' ').collect();
        // User and system time in hundredths of a second.
        (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn child_loads(what: &str, dir: &Path) {
    let mut times = Vec::new();
    let mut memory = 0;
    for _ in 0..3 {
        let output = Command::new(std::env::current_exe().unwrap()).args(["load".as_ref(), dir]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let words: Vec<f64> = text.split_whitespace().map(|w| w.parse().unwrap()).collect();
        times.push(words[0]);
        memory = memory.max(words[1] as u64 / 1024);
    }
    times.sort_by(f64::total_cmp);
    println!(
        "load from {what}: {:.0} ms (best of 3; worst {:.0}), at most {memory} MiB",
        times[0] * 1e3,
        times[2] * 1e3
    );
}

/// Half of 100,000 questions a second over 1,000 connections.
const PACE: f64 = 50_000.0;

/// How late answers are, of both in turn.
fn delays(processes: &[(&str, &Process)], lines: &[String], time: Duration) {
    let mut late = vec![Vec::new(); processes.len()];
    for _ in 0..5 {
        for (all, (_, process)) in late.iter_mut().zip(processes) {
            all.push(latency(process.address, lines, 1000, PACE, time));
        }
    }
    for (mut all, (what, _)) in late.into_iter().zip(processes) {
        all.sort_by(|a, b| a.1[1].total_cmp(&b.1[1]));
        let (sent, [p50, p99, most]) = all[2];
        let best = all[0].1[1];
        println!(
            "1,000 connections at {sent:.0}/s, {what}: p50 {p50:.2} ms, p99 {p99:.2} ms, most {most:.2} ms (median of 5 by p99; \
             best p99 {best:.2} ms)"
        );
    }
}

/// Clients that connect at once; more need more descriptors than most machines give.
const CONNECTS: usize = 4000;

/// Connections taken with their first answers, of a server and of an echo on one thread, in turn.
fn connects_of(dir: &str, question: &str) {
    let mut limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    limit.current = limit.maximum;
    rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
    let (echo, server) = (Process::start(&["echo", "single"]), Process::start(&["serve", dir]));
    let mut late = [Vec::new(), Vec::new()];
    for _ in 0..7 {
        late[0].push(connects(echo.address, question, CONNECTS));
        late[1].push(connects(server.address, question, CONNECTS));
    }
    for (what, mut all) in ["echo on one thread", "routes"].into_iter().zip(late) {
        all.sort_by(|a, b| a[1].total_cmp(&b[1]));
        let [p50, p90, p99, most] = all[3];
        println!(
            "{CONNECTS} connects at once with a question each, {what}: p50 {p50:.0} ms, p90 {p90:.0} ms, p99 {p99:.0} ms, most {most:.0} \
             ms (median of 7 by p90)"
        );
    }
}

fn bench() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ranger = root.join("../shared/data/fabrics/ranger-2011");
    let (cables, tables) = if ranger.exists() {
        (ranger.join("ibnetdiscover.txt.gz"), ranger.join("minhop-dump_fts_n.txt.xz"))
    } else {
        println!("Ranger's dumps are not on this machine: rack64 stands in");
        let rack = root.join("testdata/fabrics/rack64");
        (rack.join("ibnetdiscover.txt"), rack.join("dump_fts_n.txt"))
    };
    let [cables, tables] = [cables, tables].map(|p| read_text(&Disk, &p.to_string_lossy()).unwrap());
    let scratch = Scratch(std::env::temp_dir().join(format!("hopline-bench-{}", std::process::id())));
    let (dumps, dir) = (scratch.0.join("dumps"), scratch.0.join("store"));
    std::fs::create_dir_all(&dumps).unwrap();
    std::fs::write(dumps.join(store::CABLES), &cables).unwrap();
    std::fs::write(dumps.join(store::TABLES), &tables).unwrap();
    println!("tables: {} MB of text", tables.len() / 1_000_000);
    let atlas = store::parse(&cables, &tables).unwrap();
    let generation = Generation::new(1, String::new(), atlas.clone());
    let draft = Draft {
        collected: String::new(),
        cables,
        tables,
        atlas,
        counts: Default::default(),
        tools: Default::default(),
        notes: Vec::new(),
        lost: Default::default(),
    };
    store::publish(&dir, &draft, 1).unwrap();
    drop(draft);
    child_loads("text", &dumps);
    child_loads("the cache", &dir);

    let hosts: Vec<&str> = generation.atlas.hosts().iter().map(|h| h.name.as_str()).collect();
    let pair = |i: usize| (hosts[i * 7919 % hosts.len()], hosts[(i * 104_729 + 31) % hosts.len()]);
    let lines: Vec<String> = (0..8192).map(pair).map(|(a, b)| format!("query {a}:{b}\n")).collect();
    let time = Duration::from_secs(3);
    let echo = Process::start(&["echo"]);
    let server = Process::start(&["serve", &dir.to_string_lossy()]);
    // In turn, so that what else the machine does meets both.
    let compare = |what: &str, run: &dyn Fn(SocketAddr) -> Rate| {
        let mut rates = [Vec::new(), Vec::new()];
        let mut cores = [0.0, 0.0];
        for _ in 0..3 {
            for (i, process) in [&echo, &server].into_iter().enumerate() {
                let before = process.cpu();
                let rate = run(process.address);
                cores[i] = (process.cpu() - before) / rate.seconds;
                rates[i].push(rate.answers as f64 / rate.seconds);
            }
        }
        let [echoed, answered] = rates.map(|mut r| {
            r.sort_by(f64::total_cmp);
            r[1]
        });
        println!(
            "{what}: {answered:.0} routes/s on {:.2} cores, echo {echoed:.0}/s on {:.2}: {:.0} % (medians of 3)",
            cores[1],
            cores[0],
            100.0 * answered / echoed
        );
        answered
    };
    compare("pipelined", &|a| pipelined(a, &lines, time));
    compare("1,000 connections", &|a| many(a, &lines, 1000, time));
    delays(&[("echo", &echo), ("routes", &server)], &lines, time);
    drop(echo);
    connects_of(&dir.to_string_lossy(), &lines[0]);
    let count = hosts.len().min(512);
    let job: Vec<&str> = (0..count).map(|i| hosts[i * 4793 % hosts.len()]).collect();
    for measure in ["hops", "speed"] {
        let mut client = hopline_service::client::Client::connect(&server.address.to_string(), time).unwrap();
        let line = format!("matrix {measure} {}", job.join(" "));
        let mut times: Vec<f64> = (0..21)
            .map(|_| {
                let start = Instant::now();
                assert_eq!(client.ask(&line).unwrap().lines.len(), count);
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("matrix {measure} of {count} hosts: median {:.1} ms, worst {:.1} ms of 21", times[10], times[20]);
    }
}
