//! Minutes of everything at once: a new generation each second, clients that ask
//! well, clients that ask nonsense, half-open connections and one that never
//! reads. Every answer is compared with its generation's tables, none is lost,
//! and memory stays flat. Four seconds; five minutes with HOPLINE_SLOW.

mod common;

use common::{Asker, Scratch, dump, publish, swapped};
use hopline_service::client::Client;
use hopline_service::limits::Limits;
use hopline_service::server::{Options, Server};
use hopline_service::store::Source;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

/// KiB that this process holds in memory.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).expect("VmRSS");
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number")
}

/// Asks in batches until the end and checks every answer; returns how many.
fn ask(server: SocketAddr, seed: u64, expected: &[Vec<String>; 2], lines: &[String], stop: &AtomicBool) -> u64 {
    let (mut count, mut at, mut newest) = (0, seed as usize, 0);
    let mut client = Client::connect(&server.to_string(), PATIENCE).unwrap_or_else(|e| panic!("{e}"));
    while !stop.load(Relaxed) {
        let batch: Vec<usize> = (0..50).map(|i| (at + i * 37) % lines.len()).collect();
        at += 1;
        let requests: Vec<&str> = batch.iter().map(|&i| lines[i].as_str()).collect();
        for (&i, answer) in batch.iter().zip(client.ask_all(&requests).unwrap_or_else(|e| panic!("{e}"))) {
            let number = answer.generation.expect("a generation");
            assert!(number >= newest, "generation {number} after {newest}");
            newest = number;
            assert_eq!(answer.lines.join("\n"), expected[(number % 2) as usize][i], "{} of {number}", lines[i]);
            count += 1;
        }
        if at % 64 == 0 {
            client = Client::connect(&server.to_string(), PATIENCE).unwrap_or_else(|e| panic!("{e}"));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    count
}

/// Nonsense, half-open connections, and answers that nobody reads.
fn disturb(server: SocketAddr, stop: &AtomicBool) {
    let junk: [&[u8]; 6] = [
        b"\xff\xfe\n",
        b"query\nselect\nmatrix hops\n",
        b"query a:b:c\n@@@\n\"\n",
        b"GET / HTTP/9\r\n\r\n",
        b"GET /matrix?of=hops&hosts=* HTTP/1.1\r\n\r\n",
        b"matrix speed *\nselect 9999999 *\norder \"\n",
    ];
    let mut open = Vec::new();
    let mut round = 0;
    while !stop.load(Relaxed) {
        round += 1;
        // The server may have closed the door already; then there is nothing to disturb.
        if let Ok(mut stream) = TcpStream::connect(server) {
            let _ = stream.set_nonblocking(true);
            let _ = stream.write_all(junk[round % junk.len()]);
            if round % 7 == 0 {
                let _ = stream.write_all(&b"matrix hops *\n".repeat(5000));
            }
            open.push(stream);
        }
        if open.len() > 60 {
            open.drain(..20);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_busy_server_stays_right_and_small() {
    let slow = std::env::var_os("HOPLINE_SLOW").is_some();
    let (length, pace) = if slow { (300.0, 1000) } else { (4.0, 200) };
    let scratch = Scratch::new("soak");
    let cables = dump("rack64", "ibnetdiscover.txt");
    let states = [swapped(&dump("rack64", "dump_fts_n.txt")), dump("rack64", "dump_fts_n.txt")];
    // Odd generations have the first tables, even ones the swapped.
    assert_eq!(publish(&scratch.0, &cables, &states[1]), 1);
    let mut lines: Vec<String> =
        (0..400).map(|i| format!("@ route node{:03}:node{:03}", i % 64 + 1, (i * 29 + 5) % 64 + 1)).collect();
    lines.extend(["@ matrix hops *", "@ order *", "@ select 20 *", "@ query node001:nowhere"].map(String::from));
    let expected = states.clone().map(|tables| {
        let atlas = hopline_service::store::parse(&cables, &tables).unwrap_or_else(|e| panic!("{e}"));
        let g = hopline_service::generation::Generation::new(1, String::new(), atlas);
        let mut asker = Asker::new(&g);
        let mut answer = |line: &String| {
            let text = asker.ask(line).replace("@1 ", "");
            let body =
                text.split_once('\n').filter(|(head, _)| head.starts_with("lines ")).map_or(text.as_str(), |p| p.1);
            body.trim_end().trim_start_matches("error ").to_string()
        };
        lines.iter().map(&mut answer).collect::<Vec<String>>()
    });
    assert!(expected[0].iter().zip(&expected[1]).filter(|(a, b)| a != b).count() > 200, "the states differ");
    let limits = Limits { idle_seconds: 2.0, stall_seconds: 1.0, unread: 100_000, ..Limits::default() };
    let options = Options { limits, look: Duration::from_millis(20), ..Options::loopback(0) };
    let source = Source::open(&scratch.0).expect("a store");
    let server = Server::start(source, options, Arc::new(|_: &str| ())).expect("a server");
    let (address, stop) = (common::port(&server), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let asking: Vec<_> = (0..4)
            .map(|seed| {
                scope.spawn({
                    let (e, l, s) = (&expected, &lines, &stop);
                    move || ask(address, seed, e, l, s)
                })
            })
            .collect();
        scope.spawn(|| disturb(address, &stop));
        let start = Instant::now();
        let (mut early, mut number) = (0, 1);
        while start.elapsed().as_secs_f64() < length {
            std::thread::sleep(Duration::from_millis(pace));
            number += 1;
            assert_eq!(publish(&scratch.0, &cables, &states[(number % 2) as usize]), number);
            // What is allocated at first belongs to the start.
            if early == 0 && start.elapsed().as_secs_f64() > length / 4.0 {
                early = resident();
            }
        }
        let late = resident();
        stop.store(true, Relaxed);
        let count: u64 = asking.into_iter().map(|a| a.join().expect("every answer was right")).sum();
        let told =
            format!("{count} answers of {number} generations; {early} KiB after a quarter, {late} KiB at the end");
        assert!(count > 1000 && late < early + 8192, "{told}");
        #[allow(clippy::print_stderr, reason = "the numbers of a soak are to be noted")]
        if slow {
            eprintln!("{told}");
        }
    });
}
