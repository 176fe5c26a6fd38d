//! A server under everything at once, for as long as one likes:
//! `cargo run --release -p hopline-service --example long_day -- SECONDS` (60).
//!
//! New generations each second, damaged ones, storms of 10,000 connects, clients that do not read, that send nonsense, that
//! are too many for one address, and a collector that is killed. All the while good clients, over TCP and a Unix socket,
//! compare every answer with the tables of its generation. Server and collector are processes of their own. It ends with 1
//! where an answer was wrong or lost, memory grew, or a metric did not tell of its fault.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::expect_used, reason = "it reports, and may stop")]

#[path = "../../tests/common/mod.rs"]
mod common;
mod faults;
mod good;
mod parts;

use common::{Scratch, dump, swapped};
use faults::{Storm, hostile};
use good::{Expected, Seen, ask};
use parts::{Collector, Metrics, Served};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Every fault has come so often before memory is noted: what is allocated at first belongs to the start.
const SETTLED: u32 = 3;

/// The memory of the server may end so many KiB above that.
const GROWTH: u64 = 8192;

/// Ends the clients, however it goes.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", store, socket] => parts::serve(store.as_ref(), socket),
        ["collect", store, from] => parts::collect(store.as_ref(), from.as_ref()),
        [] => soak(60.0),
        [seconds] => soak(seconds.parse().expect("seconds")),
        _ => panic!("expected SECONDS"),
    }
}

fn soak(seconds: f64) -> ExitCode {
    let scratch = Scratch::new("long-soak");
    let (store, from) = (scratch.0.join("store"), scratch.0.join("subnet"));
    let tables = dump("rack64", "dump_fts_n.txt");
    let (cables, states) = (dump("rack64", "ibnetdiscover.txt"), [swapped(&tables), tables]);
    parts::hand_over(&from, &cables, &states[0]);
    let mut collector = Collector::start(&store, &from);
    let server = Served::start(&store, &scratch.0.join("routes"));
    let expected = Expected::new(&store, &cables, &states);
    let (stop, seen, mut metrics) = (AtomicBool::new(false), Seen::default(), Metrics::of(&server));
    let begin = Instant::now();
    let (mut first, mut most, mut rounds) = (0, 0, 0u32);
    std::thread::scope(|scope| {
        for (seed, address) in [&server.tcp, &server.unix, &server.tcp, &server.unix].into_iter().enumerate() {
            let (expected, seen, stop) = (&expected, &seen, &stop);
            scope.spawn(move || ask(address, seed, expected, seen, stop));
        }
        scope.spawn(|| hostile(&server.tcp, &stop));
        scope.spawn(|| {
            for state in states.iter().cycle().skip(1) {
                if stop.load(Relaxed) {
                    break;
                }
                std::thread::sleep(Duration::from_secs(1));
                parts::hand_over(&from, &cables, state);
            }
        });
        let _stop = Stop(&stop);
        while begin.elapsed().as_secs_f64() < seconds || rounds <= SETTLED {
            let deaf = faults::deaf(&server.tcp);
            let storm = Storm::of(&server.tcp, 10_000);
            std::thread::sleep(Duration::from_millis(500));
            drop(storm);
            // While the storm is not over there is no room for a crowd, and a sound generation may come before anybody
            // has looked at a damaged one: then once more.
            metrics.provoke("hopline_connections_refused_total{reason=\"client\"}", || faults::crowd(&server.tcp));
            metrics.provoke("hopline_bad_generations_total", || faults::damage(&store));
            collector.kill();
            metrics.until("the collector is dead", "hopline_collector_up", 0.0);
            collector = Collector::start(&store, &from);
            metrics.until("the collector is back", "hopline_collector_up", 1.0);
            std::thread::sleep(Duration::from_secs(2));
            drop(deaf);
            (rounds, most) = (rounds + 1, most.max(server.resident()));
            if rounds == SETTLED {
                first = server.resident();
            }
        }
    });
    let last = server.resident();
    println!("{:.0} s, {rounds} rounds of faults", begin.elapsed().as_secs_f64());
    println!("{} right answers, {} wrong, {} lost", seen.right(), seen.wrong(), seen.lost());
    println!("{} answers not compared: their generation was gone from the store before it was looked at", seen.late());
    println!("{} times a good client was refused while a storm lasted, and came again", seen.refused());
    println!("server: {first} KiB after {SETTLED} rounds, {most} KiB at most after one, {last} KiB at the end");
    let told = metrics.told();
    let compared = seen.right() > 100 * seen.late();
    let good = seen.wrong() == 0 && seen.lost() == 0 && compared && last <= first + GROWTH && told;
    println!("{}", if good { "passed" } else { "FAILED" });
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
