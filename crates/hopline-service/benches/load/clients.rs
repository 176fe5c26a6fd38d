//! Clients with a bounded number of questions under way.

use mio::{Events, Interest, Poll, Token};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Answers in a time.
pub(crate) struct Rate {
    pub(crate) answers: u64,
    pub(crate) seconds: f64,
}

/// Questions under way on a pipelined connection.
const WINDOW: usize = 512;

fn connect(server: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(server).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// Reads until so many lines have come.
fn lines(stream: &mut TcpStream, mut count: usize, chunk: &mut [u8]) {
    while count > 0 {
        let n = stream.read(chunk).unwrap();
        assert!(n > 0, "the server closed the connection");
        count -= chunk[..n].iter().filter(|b| **b == b'\n').count();
    }
}

/// Four connections from two threads, a window of questions on each.
pub(crate) fn pipelined(server: SocketAddr, questions: &[String], time: Duration) -> Rate {
    let batches: Vec<String> = questions.chunks(WINDOW).map(|c| c.concat()).collect();
    let run = || {
        let mut streams = [connect(server), connect(server)];
        let mut chunk = vec![0; 256 << 10];
        let start = Instant::now();
        let (mut count, mut next) = (0, 0);
        for stream in &mut streams {
            stream.write_all(batches[next % batches.len()].as_bytes()).unwrap();
            next += 1;
        }
        while start.elapsed() < time {
            for stream in &mut streams {
                lines(stream, WINDOW, &mut chunk);
                stream.write_all(batches[next % batches.len()].as_bytes()).unwrap();
                next += 1;
                count += WINDOW as u64;
            }
        }
        (count, start.elapsed().as_secs_f64())
    };
    sum(&run)
}

/// Many connections from two threads, one question under way on each.
pub(crate) fn many(server: SocketAddr, questions: &[String], connections: usize, time: Duration) -> Rate {
    let run = || {
        let mut streams: Vec<TcpStream> = (0..connections / 2).map(|_| connect(server)).collect();
        let mut chunk = vec![0; 4096];
        let start = Instant::now();
        let (mut count, mut next) = (0, 0);
        while start.elapsed() < time {
            for stream in &mut streams {
                stream.write_all(questions[next % questions.len()].as_bytes()).unwrap();
                next += 1;
            }
            for stream in &mut streams {
                lines(stream, 1, &mut chunk);
                count += 1;
            }
        }
        (count, start.elapsed().as_secs_f64())
    };
    sum(&run)
}

fn sum(run: &(impl Fn() -> (u64, f64) + Sync)) -> Rate {
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..2).map(|_| scope.spawn(run)).collect();
        let done: Vec<(u64, f64)> = runs.into_iter().map(|r| r.join().unwrap()).collect();
        let seconds = done.iter().map(|d| d.1).fold(0.0, f64::max);
        Rate { answers: done.iter().map(|d| d.0).sum(), seconds }
    })
}

/// Between looks of the client with fixed times.
const PAUSE: Duration = Duration::from_micros(100);

/// Questions at fixed times, in turn over many connections that are open; times count from when
/// a question was due, so a server that falls behind cannot hide it. Gives the
/// rate that was answered, and p50, p99 and the most, in milliseconds.
pub(crate) fn latency(
    server: SocketAddr,
    questions: &[String],
    connections: usize,
    rate: f64,
    time: Duration,
) -> (f64, [f64; 3]) {
    let mut poll = Poll::new().unwrap();
    let mut events = Events::with_capacity(1024);
    let mut streams = Vec::new();
    let mut chunk = vec![0; 4096];
    // A first question on each, so that the time begins when all are served.
    let mut connected: Vec<TcpStream> = (0..connections).map(|_| connect(server)).collect();
    connected.iter_mut().for_each(|s| s.write_all(questions[0].as_bytes()).unwrap());
    connected.iter_mut().for_each(|s| lines(s, 1, &mut chunk));
    for (i, stream) in connected.into_iter().enumerate() {
        stream.set_nonblocking(true).unwrap();
        let mut stream = mio::net::TcpStream::from_std(stream);
        poll.registry().register(&mut stream, Token(i), Interest::READABLE).unwrap();
        streams.push((stream, VecDeque::<Instant>::new()));
    }
    let (mut late, mut next) = (Vec::new(), 0usize);
    let start = Instant::now();
    let due = |i: usize| start + Duration::from_secs_f64(i as f64 / rate);
    while start.elapsed() < time {
        while due(next) <= Instant::now() {
            let (stream, asked) = &mut streams[next % connections];
            stream.write_all(questions[next % questions.len()].as_bytes()).unwrap();
            asked.push_back(due(next));
            next += 1;
        }
        poll.poll(&mut events, Some(Duration::ZERO)).unwrap();
        if events.is_empty() {
            // The server needs the cores; what is sent late for it counts as late.
            std::thread::sleep(PAUSE);
        }
        for event in &events {
            let (stream, asked) = &mut streams[event.token().0];
            while let Ok(n) = stream.read(&mut chunk) {
                let now = Instant::now();
                for _ in chunk[..n].iter().filter(|b| **b == b'\n') {
                    late.push((now - asked.pop_front().unwrap()).as_secs_f64() * 1e3);
                }
                if n < chunk.len() {
                    break;
                }
            }
        }
    }
    late.sort_by(f64::total_cmp);
    let at = |share: f64| late[((late.len() - 1) as f64 * share) as usize];
    (late.len() as f64 / time.as_secs_f64(), [at(0.5), at(0.99), at(1.0)])
}

/// So many clients that connect at once, each with one question: milliseconds from the first
/// packet to the answer at p50, p90, p99, and the most.
pub(crate) fn connects(server: SocketAddr, question: &str, clients: usize) -> [f64; 4] {
    let mut poll = Poll::new().unwrap();
    let mut events = Events::with_capacity(1024);
    let mut chunk = vec![0; 4096];
    let mut open: Vec<_> = (0..clients)
        .map(|i| {
            let begun = Instant::now();
            let mut stream = mio::net::TcpStream::connect(server).unwrap();
            poll.registry().register(&mut stream, Token(i), Interest::READABLE | Interest::WRITABLE).unwrap();
            Some((stream, begun, false))
        })
        .collect();
    let mut late = Vec::new();
    while late.len() < clients {
        poll.poll(&mut events, None).unwrap();
        for event in &events {
            let Some((stream, begun, asked)) = &mut open[event.token().0] else { continue };
            if !*asked && event.is_writable() {
                stream.write_all(question.as_bytes()).unwrap();
                *asked = true;
            }
            match stream.read(&mut chunk) {
                Ok(n) => {
                    assert!(n > 0, "the server closed the connection");
                    late.push(begun.elapsed().as_secs_f64() * 1e3);
                    open[event.token().0] = None;
                }
                Err(e) => assert_eq!(e.kind(), std::io::ErrorKind::WouldBlock),
            }
        }
    }
    late.sort_by(f64::total_cmp);
    [0.5, 0.9, 0.99, 1.0].map(|share| late[((late.len() - 1) as f64 * share) as usize])
}
