//! What large inputs take of memory: `cargo run --release -p hopline-fuzz --example inflate -- MEGABYTES [TARGET...]`.
//!
//! Each seed of a target is inflated to so many megabytes in several ways: a line of it repeated, or some bytes of it. Each is read by a
//! process of its own. Of each target it tells the most that one took, the input itself included, and by what, and whether 64 MB and
//! 8 bytes for each byte of the input are enough.

#![allow(clippy::print_stdout)]

use hopline_fuzz::{FILE_WAS_READ, Target, seeds, target, targets};
use std::fs;
use std::io::Read as _;
use std::ops::Range;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::Ordering::Relaxed;

const BASE: u64 = 64_000_000;
const EACH: u64 = 8;
/// Lines and places of a seed that are tried.
const PLACES: usize = 5;
/// Lengths of what is repeated at a place, in bytes.
const LENGTHS: [usize; 2] = [1, 8];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [one, name, seed, from, to, size] = &words[..]
        && one == "--one"
    {
        let number = |word: &String| word.parse::<usize>().expect("a number");
        let target = target(name).expect("a target");
        return read(target, &seeds(target)[number(seed)], number(from)..number(to), number(size));
    }
    let megabytes: usize = words.first().and_then(|word| word.parse().ok()).unwrap_or(8);
    let all = targets().filter(|target| words.len() < 2 || words[1..].iter().any(|name| name == target.name));
    let over = all.filter(|target| !inflate(target, megabytes * 1_000_000)).count();
    println!("{over} targets take more than 64 MB and {EACH} bytes for each byte");
    ExitCode::from(u8::from(over > 0))
}

/// Tries all ways to inflate the seeds of a target, and tells the worst. True where the memory was enough.
fn inflate(target: &Target, size: usize) -> bool {
    let me = std::env::current_exe().expect("this program");
    let (mut inputs, mut accepted, mut worst) = (0, 0, (0, String::new()));
    for (number, seed) in seeds(target).iter().enumerate() {
        for range in ranges(seed) {
            let mut child = Command::new("timeout")
                .arg("60")
                .arg(&me)
                .args(["--one", target.name, &number.to_string(), &range.start.to_string(), &range.end.to_string()])
                .arg(size.to_string())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .expect("timeout");
            let mut told = String::new();
            let _ = child.stdout.take().expect("its output").read_to_string(&mut told);
            let ended = child.wait().expect("ended");
            let what = || {
                let text = String::from_utf8_lossy(&seed[range.clone()]).replace(char::is_control, "?");
                format!("seed {number}, bytes {range:?} repeated: `{}`", text.chars().take(50).collect::<String>())
            };
            inputs += 1;
            let Some((took, read)) = told.trim().split_once(' ').filter(|_| ended.success()) else {
                println!("{}: {ended} at {}", target.name, what());
                continue;
            };
            accepted += usize::from(read == "true");
            let took: u64 = took.parse().expect("bytes");
            if took > worst.0 {
                worst = (took, format!("{}, {}", what(), if read == "true" { "read" } else { "refused" }));
            }
        }
    }
    let most = BASE + EACH * size as u64;
    let enough = worst.0 <= most;
    println!(
        "{}{}: {:.1} bytes for each, {:.0} MB of {:.0} ({inputs} inputs, {accepted} read): {}",
        if enough { "" } else { "OVER " },
        target.name,
        worst.0 as f64 / size as f64,
        worst.0 as f64 / 1e6,
        most as f64 / 1e6,
        worst.1
    );
    enough
}

/// What of a seed is repeated: lines of it, evenly chosen, the whole, and bytes at places evenly chosen.
fn ranges(seed: &[u8]) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut from = 0;
    for line in seed.split_inclusive(|&byte| byte == b'\n') {
        lines.push(from..from + line.len());
        from += line.len();
    }
    let mut ranges = Vec::new();
    ranges.push(0..seed.len());
    ranges.extend(evenly(lines.len()).map(|i| lines[i].clone()));
    for place in evenly(seed.len()) {
        ranges.extend(LENGTHS.iter().map(|&length| place..seed.len().min(place + length)));
    }
    ranges.dedup();
    ranges
}

fn evenly(of: usize) -> impl Iterator<Item = usize> {
    let chosen = of.min(PLACES);
    (0..chosen).map(move |i| i * of / chosen)
}

/// Reads an inflated seed and tells the memory that it took.
fn read(target: &Target, seed: &[u8], range: Range<usize>, size: usize) -> ExitCode {
    let mut bytes = Vec::with_capacity(size + seed.len());
    bytes.extend_from_slice(&seed[..range.start]);
    let copies = size.saturating_sub(seed.len()) / range.len().max(1);
    (0..=copies).for_each(|_| bytes.extend_from_slice(&seed[range.clone()]));
    bytes.extend_from_slice(&seed[range.end..]);
    std::panic::set_hook(Box::new(|_| ()));
    let before = memory("VmRSS:");
    let taken = (target.run)(&bytes);
    // The input counts once: as the file that a reader had, or as what was given to it here.
    let given = if FILE_WAS_READ.load(Relaxed) { 0 } else { bytes.len() as u64 };
    println!("{} {taken}", memory("VmHWM:").saturating_sub(before) + given);
    ExitCode::SUCCESS
}

/// Bytes of memory by a line of the system's.
fn memory(line: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix(line)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) * 1024
}
