//! Damages seeds for as long as one likes: `cargo run --release -p hopline-fuzz --example soak -- SECONDS [TARGET...]`.
//!
//! They are seconds of the processor, so that other work on the machine takes nothing away. Of each target it tells executions,
//! those seconds, how many were read, and the longest execution. What panics, or takes longer than a second, is written to
//! `target/found/TARGET/`; what ends the process is left as `/dev/shm/hopline-fuzz-last-TARGET`. Rounds begin where
//! `HOPLINE_FUZZ_FROM` says (0).

#![allow(clippy::print_stdout)]

use hopline_fuzz::{Random, Target, seeds, targets};
use std::fs;
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

fn main() {
    let mut words = std::env::args().skip(1);
    let seconds = words.next().and_then(|word| word.parse().ok()).unwrap_or(60);
    let chosen: Vec<String> = words.collect();
    let from = std::env::var("HOPLINE_FUZZ_FROM").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    for target in targets().filter(|target| chosen.is_empty() || chosen.iter().any(|name| name == target.name)) {
        soak(target, Duration::from_secs(seconds), from);
    }
}

fn soak(target: &Target, time: Duration, from: u64) {
    let home = format!("target/found/{}", target.name);
    let keep = |name: String, bytes: &[u8]| {
        let _ = fs::create_dir_all(&home).and_then(|()| fs::write(format!("{home}/{name}"), bytes));
    };
    let last = format!("/dev/shm/hopline-fuzz-last-{}", target.name);
    let seeds = seeds(target);
    std::panic::set_hook(Box::new(|_| ()));
    let (begin, cpu) = (Instant::now(), processor());
    let (mut round, mut read, mut panics, mut longest) = (from, 0u64, 0u64, Duration::ZERO);
    while begin.elapsed() < time || processor() - cpu < time.as_secs_f64() {
        let bytes = Random::new(round).damaged(&seeds);
        // Of what ends the process the input is left: a file in memory, since there are thousands a second.
        let _ = fs::write(&last, &bytes);
        let start = Instant::now();
        match catch_unwind(|| (target.run)(&bytes)) {
            Ok(taken) => read += u64::from(taken),
            Err(_) => {
                panics += 1;
                if panics <= 20 {
                    keep(format!("panic-{round}"), &bytes);
                }
            }
        }
        let mut took = start.elapsed();
        if took > longest.clamp(Duration::from_millis(100), Duration::from_secs(1)) {
            took = took.min(again(target, &bytes));
        }
        if took > Duration::from_secs(1) {
            keep(format!("slow-{round}"), &bytes);
        }
        longest = longest.max(took);
        round += 1;
    }
    let _ = fs::remove_file(&last);
    let _ = std::panic::take_hook();
    let spent = processor() - cpu;
    println!(
        "{}: {} executions, {spent:.0} CPU-seconds, {read} read, {panics} panics, longest {:.3} s",
        target.name,
        round - from,
        longest.as_secs_f64()
    );
}

/// What takes long is run once more, in seconds of the processor, which are told in hundredths: another program may have had it.
fn again(target: &Target, bytes: &[u8]) -> Duration {
    let before = processor();
    let _ = catch_unwind(|| (target.run)(bytes));
    Duration::from_secs_f64(processor() - before)
}

/// Seconds that this process has had of processors.
fn processor() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let words: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| words.get(at).and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
