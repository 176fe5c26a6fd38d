//! Clients by the thousand that close half, stop in the middle, or send nonsense:
//! each gets its answer and its end, and none leaves a socket behind.

mod common;

use common::{all, rack64, raw, until};
use hopline_service::limits::Limits;
use hopline_service::server::Server;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// Sockets of the server that wait for it to close them, as the kernel lists them.
fn waiting_for_close(server: &Server) -> usize {
    let port = format!(":{:04X}", common::port(server).port());
    let table = std::fs::read_to_string("/proc/net/tcp").expect("Linux");
    let close_wait = |line: &&str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.get(1).is_some_and(|local| local.ends_with(&port)) && words.get(3) == Some(&"08")
    };
    table.lines().filter(close_wait).count()
}

/// What a client gets that sends all at once, shuts its writing side and reads on;
/// an error where the end does not come.
fn half_closed(server: &Server, text: &str, pause: Duration) -> std::io::Result<String> {
    let mut stream = raw(server);
    stream.set_read_timeout(Some(Duration::from_secs(4)))?;
    stream.write_all(text.as_bytes())?;
    stream.shutdown(Shutdown::Write)?;
    let (mut said, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        std::thread::sleep(pause);
        match stream.read(&mut chunk)? {
            0 => return Ok(String::from_utf8_lossy(&said).into_owned()),
            n => said.extend_from_slice(&chunk[..n]),
        }
    }
}

#[test]
fn half_closed_connections_get_their_end() {
    let server = rack64(Limits::default());
    let http = "GET /query?from=node001&to=node036 HTTP/1.1\r\nHost: x\r\n\r\n";
    let kinds = [
        ("query node001:node036\n".to_string(), 1),
        ("query node001:node036\n".repeat(40), 40),
        ("query node001:node036\n".repeat(4000), 4000),
        ("generation".to_string(), 1),
        ("query node001:node036\nquery node001:node002".to_string(), 2),
        (http.to_string(), 1),
        ("matrix hops *\n".to_string(), 65),
    ];
    let lost: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|thread| {
                let (server, kinds) = (&server, &kinds);
                scope.spawn(move || {
                    let mut lost = Vec::new();
                    for round in 0..400 {
                        let (text, lines) = &kinds[if round % 20 == 0 { (round / 20) % kinds.len() } else { 0 }];
                        let pause = Duration::from_millis(if round % 50 == thread { 20 } else { 0 });
                        match half_closed(server, text, pause) {
                            Ok(said) if said.starts_with("HTTP/1.1 200 OK") || said.lines().count() == *lines => {}
                            Ok(said) => lost.push(format!("{} lines of {lines}: {text:.40}", said.lines().count())),
                            Err(e) => lost.push(format!("{e}: {text:.40}")),
                        }
                    }
                    lost
                })
            })
            .collect();
        threads.into_iter().flat_map(|t| t.join().expect("a client")).collect()
    });
    assert!(lost.is_empty(), "{} of 3200 clients, first {:?}", lost.len(), &lost[..lost.len().min(3)]);
    until("all are closed", || server.metrics().open() == 0 && waiting_for_close(&server) == 0);
}

#[test]
fn hostile_clients_leave_no_socket_behind() {
    let server = rack64(Limits { stall_seconds: 1.0, ..Limits::default() });
    let huge = "x".repeat(300_000);
    let junk: [&[u8]; 9] = [
        b"query node0",
        b"\xff\xfe\0\n\n\n",
        b"GET /healthz HTTP/1.1\r\nHo",
        b"GET / HTTP/9\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
        b"",
        huge.as_bytes(),
        b"matrix hops *\nmatrix hops *\nmatrix hops *\n",
        b"@ json \"\nselect 99999999 *\n",
    ];
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let (server, junk) = (&server, &junk);
            scope.spawn(move || {
                for round in 0..200usize {
                    let mut stream = raw(server);
                    let _ = stream.write_all(junk[(round + thread) % junk.len()]);
                    match round % 4 {
                        0 => drop(stream.shutdown(Shutdown::Write)),
                        // Unread answers: the kernel resets the connection.
                        1 => drop(stream),
                        2 => drop(all(half(stream))),
                        _ => std::thread::sleep(Duration::from_millis(1)),
                    }
                }
            });
        }
    });
    let mut deaf = raw(&server);
    deaf.write_all(&b"matrix speed *\n".repeat(3000)).expect("sent");
    deaf.shutdown(Shutdown::Write).expect("half closed");
    until("all are closed", || server.metrics().open() == 0 && waiting_for_close(&server) == 0);
    drop(deaf);
}

fn half(stream: TcpStream) -> TcpStream {
    let _ = stream.shutdown(Shutdown::Write);
    stream
}

#[test]
fn a_head_is_limited_whatever_it_is_made_of() {
    let server = rack64(Limits::default());
    let pad = |n: usize| "x".repeat(n);
    let long = [
        format!("GET /{} HTTP/1.1\r\n\r\n", pad(70_000)),
        format!("GET /healthz HTTP/1.1\r\nA: {}\r\n\r\n", pad(2_900_000)),
        format!("GET /healthz HTTP/1.1\r\n{}\r\n", format!("A: {}\r\n", pad(45_000)).repeat(63)),
        format!("GET /healthz HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(10_000)),
    ];
    for head in &long {
        let mut stream = raw(&server);
        // The server may have said its word before all is sent.
        let _ = stream.write_all(head.as_bytes());
        let said = all(stream);
        assert!(said.starts_with("HTTP/1.1 431 "), "{} bytes: {said}", head.len());
    }
    let mut stream = raw(&server);
    let fine = format!("GET /healthz HTTP/1.1\r\nConnection: close\r\nCookie: {}\r\n\r\n", pad(8000));
    stream.write_all(fine.as_bytes()).expect("sent");
    assert!(all(stream).starts_with("HTTP/1.1 200 "));
}

#[test]
fn one_connection_too_many_is_told_so() {
    let server = rack64(Limits { connections: 2, ..Limits::default() });
    let mut taken: Vec<TcpStream> = (0..2).map(|_| raw(&server)).collect();
    for stream in &mut taken {
        stream.write_all(b"generation\n").expect("sent");
        stream.read_exact(&mut [0; 10]).expect("an answer");
    }
    let word = "error all 2 connections are taken, try again later\n";
    let mut asking = raw(&server);
    asking.write_all(b"query node001:node002\n").expect("sent");
    assert_eq!(all(asking), word);
    assert_eq!(all(raw(&server)), word, "one that says nothing");
    let mut browser = raw(&server);
    browser.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").expect("sent");
    let said = all(browser);
    assert!(
        said.starts_with("HTTP/1.1 503 ") && said.contains("Retry-After: ") && said.contains(word.trim()[6..].trim()),
        "{said}"
    );
    drop(taken);
    until("a place is free", || {
        all(half({
            let mut s = raw(&server);
            let _ = s.write_all(b"generation\n");
            s
        }))
        .starts_with("generation 0")
    });
}
