//! Limits of one client: what one asks, connects or leaves unread takes nothing from another.

mod common;

use common::{PATIENCE, Scratch, all, get, port, rack64, raw, root, until};
use hopline_service::address::Address;
use hopline_service::client::Client;
use hopline_service::limits::Limits;
use hopline_service::metrics::{Denied, Refused};
use hopline_service::server::{Options, Server};
use hopline_service::store::Source;
use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;

/// A connection from another address of loopback.
fn neighbour(server: &Server) -> TcpStream {
    let stream = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
    bind(&stream, &SocketAddr::from(([127, 0, 0, 2], 0))).expect("an address");
    connect(&stream, &port(server)).expect("connected");
    let stream = TcpStream::from(stream);
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream
}

/// All that is answered to a text.
fn ask(mut stream: TcpStream, text: &str) -> String {
    stream.write_all(text.as_bytes()).expect("sent");
    stream.shutdown(Shutdown::Write).expect("half closed");
    all(stream)
}

#[test]
fn one_who_asks_too_much_is_told_to_wait_and_his_neighbour_is_answered() {
    let server = rack64(Limits { client_rate: 10, ..Limits::default() });
    // Sent at once, so that no time passes between them: eleven are a second ahead.
    let text = ask(raw(&server), &"query node001:node002\n".repeat(100));
    let good = text.lines().filter(|line| line.starts_with("node001 0x")).count();
    let told = "error address 127.0.0.1 asks more than 10 requests a second; wait a second and ask again";
    assert!(good >= 11 && text.lines().filter(|line| *line == told).count() == 100 - good, "{text}");
    assert!(server.metrics().denied(Denied::Rate) >= 1);
    // His other connections are his, too; a request that fails counts as one.
    let page = ask(raw(&server), &"GET /nothing HTTP/1.1\r\n\r\n".repeat(30));
    assert!(page.contains("HTTP/1.1 429 Too Many Requests\r\n") && page.contains("\r\nRetry-After: 1\r\n"), "{page}");
    assert!(ask(neighbour(&server), "generation\n").starts_with("generation 0 "));
}

#[test]
fn one_who_connects_too_often_is_told_so_and_his_neighbour_is_taken() {
    let server = rack64(Limits { client_connections: 2, ..Limits::default() });
    let mut taken: Vec<TcpStream> = (0..2).map(|_| raw(&server)).collect();
    for stream in &mut taken {
        stream.write_all(b"generation\n").expect("sent");
        stream.read_exact(&mut [0; 10]).expect("an answer");
    }
    let told = "address 127.0.0.1 has 2 connections, as many as it may; close one or use one for all";
    assert_eq!(ask(raw(&server), "generation\n"), format!("error {told}\n"));
    let page = ask(raw(&server), "GET /groups HTTP/1.1\r\n\r\n");
    assert!(page.starts_with("HTTP/1.1 429 ") && page.contains(told), "{page}");
    assert!(ask(neighbour(&server), "generation\n").starts_with("generation 0 "));
    assert_eq!((server.metrics().refused(Refused::Client), server.metrics().refused(Refused::Full)), (2, 0));
    drop(taken);
    until("a place is free", || ask(raw(&server), "generation\n").starts_with("generation 0 "));
    let metrics = get(&server, "/metrics").1;
    assert!(metrics.contains("\nhopline_connections_refused_total{reason=\"client\"} "), "{metrics}");
}

/// A server on a Unix socket, whose buffers hold little and do not grow, and on a port.
fn both(scratch: &Scratch, limits: Limits) -> (PathBuf, Server) {
    let path = scratch.0.join("routes");
    let listen = vec![Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 0))), Address::Unix(path.clone())];
    let source = Source::open(&root().join("testdata/fabrics/rack64")).expect("dumps");
    let server = Server::start(source, Options { listen, limits, ..Options::loopback(0) }, Arc::new(|_: &str| ()));
    (path, server.expect("a server"))
}

#[test]
fn one_who_does_not_read_is_refused_and_his_neighbour_is_answered() {
    let scratch = Scratch::new("deaf");
    let (path, server) = both(&scratch, Limits { client_bytes: 300_000, unread: 50_000, ..Limits::default() });
    let say = |text: &str| {
        let mut stream = UnixStream::connect(&path).expect("connected");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.write_all(text.as_bytes()).expect("sent");
        all(stream)
    };
    let get = "GET /groups HTTP/1.1\r\nConnection: close\r\n\r\n";
    let mut deaf = Vec::new();
    until("more is unread than allowed", || {
        let mut stream = UnixStream::connect(&path).expect("connected");
        stream.write_all(&b"matrix hops *\n".repeat(100)).expect("sent");
        deaf.push(stream);
        say(get).starts_with("HTTP/1.1 429 ")
    });
    let user = rustix::process::getuid().as_raw();
    let told =
        format!("error user {user} has left more than 300000 bytes of answers unread; read them and connect again\n");
    assert_eq!(say("generation\ngeneration\n"), told, "and no second word");
    assert!(server.metrics().denied(Denied::Bytes) >= 2);
    assert!(ask(raw(&server), "generation\n").starts_with("generation 0 "));
    drop(deaf);
    until("his connections are gone, and he is answered again", || say(get).starts_with("HTTP/1.1 200 "));
}

#[test]
fn users_of_a_socket_have_limits_of_their_own() {
    let scratch = Scratch::new("each");
    let (path, server) = both(&scratch, Limits { client_connections: 1, ..Limits::default() });
    let mut first = Client::connect(&server.addresses()[1].to_string(), PATIENCE).expect("a server");
    first.ask("generation").expect("an answer");
    let user = rustix::process::getuid().as_raw();
    let mut second = UnixStream::connect(&path).expect("connected");
    second.write_all(b"generation\n").expect("sent");
    assert!(all(second).starts_with(&format!("error user {user} has 1 connections")));
    // The same user over the network is an address.
    assert!(ask(raw(&server), "generation\n").starts_with("generation 0 "));
}
