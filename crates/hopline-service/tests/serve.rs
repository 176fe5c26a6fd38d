//! A server on loopback: both protocols, limits, new generations.

mod common;

use common::{Asker, PATIENCE, Scratch, all, dump, publish, rack64, raw, root, swapped, until};
use hopline_service::client::Client;
use hopline_service::limits::{Access, Limits, Network};
use hopline_service::metrics::Dropped;
use hopline_service::server::{Options, Server};
use hopline_service::store::{self, Source};
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn client(server: &Server) -> Client {
    Client::connect(&server.addresses()[0].to_string(), PATIENCE).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_client_asks_one_by_one_and_many_at_once() {
    let server = rack64(Limits::default());
    let g = common::own("rack64");
    let mut asker = Asker::new(&g);
    let mut client = client(&server);
    let route = client.query("node001", "node036").expect("a route");
    assert_eq!(format!("node001 {} node036\n", route.join(" ")), asker.ask("query node001:node036"));
    assert_eq!(client.hops(&["node001", "node002", "node036"]).expect("hops")[0], [Some(0), Some(0), Some(2)]);
    let lines: Vec<String> = (1..=64).map(|i| format!("@ route node001:node{i:03}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).chain(["groups", "nonsense", "help"]).collect();
    let answers = client.ask_all(&lines).expect("answers");
    for (line, answer) in lines.iter().zip(&answers).take(64) {
        assert_eq!(answer.generation, Some(0));
        assert_eq!(format!("@0 {}\n", answer.lines[0]), asker.ask(line));
    }
    assert_eq!((answers[64].lines.len(), answers[65].error), (8, true));
    let json = client.ask("json query node001:node999").expect("an answer");
    assert!(json.error && json.lines[0].contains("nothing is called node999"), "{json:?}");
    assert!(client.ask("a\nb").is_err());
}

#[test]
fn requests_come_in_pieces_and_the_last_needs_no_reader() {
    let server = rack64(Limits::default());
    let mut stream = raw(&server);
    for piece in ["query node0", "01:node036\r\nque", "ry node001 node002\ngener"] {
        stream.write_all(piece.as_bytes()).expect("sent");
        std::thread::sleep(Duration::from_millis(20));
    }
    stream.shutdown(std::net::Shutdown::Write).expect("half closed");
    let text = all(stream);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[..2].iter().all(|l| l.starts_with("node001 0x")), "{text}");
    assert_eq!(lines[2], "error no such request; `help` lists them", "half a request is answered as what it is");
}

#[test]
fn the_same_over_http() {
    let server = rack64(Limits::default());
    let ask = |head: &str| {
        let mut stream = raw(&server);
        stream.write_all(head.as_bytes()).expect("sent");
        all(stream)
    };
    let get = |path: &str| common::get(&server, path);
    let json = |path: &str| {
        let (status, body) = get(path);
        assert_eq!(status, "HTTP/1.1 200 OK", "{body}");
        serde_json::from_str::<serde_json::Value>(&body).unwrap_or_else(|e| panic!("{path}: {e}: {body}"))
    };
    let query = json("/query?from=node001&to=node036");
    assert_eq!((&query["generation"], query["switches"].as_array().map(Vec::len)), (&0.into(), Some(3)));
    let link = &json("/route?from=node001&to=node036")["links"][0];
    assert_eq!((&link["speed"], &link["from"]), (&"4xQDR".into(), &"node001".into()));
    assert_eq!(json("/matrix?of=hops&hosts=node001,node036")["matrix"], serde_json::json!([[0, 2], [2, 0]]));
    assert_eq!(json("/matrix?of=speed&hosts=node001,node036")["matrix"][0][1], 4);
    assert_eq!(json("/select?count=8&hosts=*")["leaves"].as_array().map(Vec::len), Some(1));
    assert_eq!(json("/order?hosts=node036,node001,node035")["hosts"][0], "node036");
    assert_eq!(json("/groups")["groups"].as_array().map(Vec::len), Some(8));
    assert_eq!(json("/generation")["switches"], 10);
    assert_eq!(json("/healthz")["status"], "ok");
    assert!(json("/help")["pages"].as_array().is_some_and(|p| p.len() == 9));
    assert_eq!(get("/query?from=node001&to=nowhere").0, "HTTP/1.1 404 Not Found");
    assert_eq!(get("/../../etc/passwd").0, "HTTP/1.1 404 Not Found");
    let metrics = get("/metrics").1;
    assert!(
        metrics.contains("hopline_requests_total{command=\"query\"} 2\n") && metrics.ends_with("# EOF\n"),
        "{metrics}"
    );
    assert!(ask("POST /query HTTP/1.1\r\nContent-Length: 1\r\n\r\nx").starts_with("HTTP/1.1 413 "));
    let two = ask("HEAD /groups HTTP/1.1\r\n\r\nGET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_eq!(two.matches("HTTP/1.1 200 OK").count(), 2, "kept alive: {two}");
}

#[test]
fn clients_that_ask_too_much_are_dropped_and_the_others_are_not() {
    let limits = Limits { line: 200, connections: 3, stall_seconds: 0.2, idle_seconds: 0.6, ..Limits::default() };
    let server = rack64(limits);
    let mut long = raw(&server);
    long.write_all(&[b'x'; 500]).expect("sent");
    assert_eq!(all(long), "error a line of more than 200 bytes\n");
    let mut head = raw(&server);
    head.write_all(format!("GET /{} HTTP/1.1\r\n", "x".repeat(300)).as_bytes()).expect("sent");
    assert!(all(head).starts_with("HTTP/1.1 431 "));
    let mut odd = raw(&server);
    odd.write_all(b"query \xff:\xfe\nquery node001:node002\n").expect("sent");
    odd.shutdown(std::net::Shutdown::Write).expect("half closed");
    let text = all(odd);
    assert!(text.starts_with("error a line that is no UTF-8\nnode001 0x"), "{text}");
    // A client that is silent, one that does not finish; a third asks all the while.
    until("closed", || server.metrics().open() == 0);
    let (silent, mut slow) = (raw(&server), raw(&server));
    slow.write_all(b"query node0").expect("sent");
    let mut busy = client(&server);
    busy.ask("generation").expect("the third connection");
    let fourth = all(raw(&server));
    assert_eq!(
        fourth, "error all 3 connections are taken, try again later\n",
        "the fourth is told why it is not taken"
    );
    until("both are dropped", || {
        busy.ask("query node001:node002").expect("an answer");
        server.metrics().dropped(Dropped::Idle) == 1 && server.metrics().dropped(Dropped::Stalled) == 1
    });
    assert_eq!((all(silent), all(slow)), (String::new(), String::new()));
    assert_eq!(server.metrics().dropped(Dropped::Malformed), 2);
}

#[test]
fn a_client_that_does_not_read_holds_no_memory_and_is_dropped() {
    let limits = Limits { unread: 10_000, stall_seconds: 0.3, ..Limits::default() };
    let server = rack64(limits);
    let mut deaf = raw(&server);
    deaf.set_write_timeout(Some(Duration::from_millis(200))).expect("a timeout");
    // 64 x 64 answers of some 8 KiB for 13 bytes each: far more than the sockets hold.
    let lines = "matrix hops *\n".repeat(1000);
    let mut sent = 0;
    while let Ok(n) = deaf.write(lines.as_bytes()) {
        sent += n;
        assert!(sent < 200 << 20, "the server reads on although nobody reads its answers");
    }
    until("dropped", || server.metrics().dropped(Dropped::Stalled) == 1);
    client(&server).ask("generation").expect("others are served");
}

#[test]
fn a_rate_slows_a_client_and_loses_nothing() {
    let server = rack64(Limits { rate: 500, ..Limits::default() });
    let mut client = client(&server);
    let lines = vec!["query node001:node002"; 1000];
    let start = Instant::now();
    assert!(client.ask_all(&lines).expect("answers").iter().all(|a| !a.error));
    // 500 at once, 500 more at 500 a second.
    assert!(start.elapsed() > Duration::from_millis(700), "{:?}", start.elapsed());
    let error = client.ask(&format!("matrix hops {}", "node001 ".repeat(1025))).expect("an answer");
    assert!(error.error && error.lines[0].contains("at most 1024"), "{error:?}");
}

#[test]
fn clients_from_elsewhere_are_refused() {
    let networks = vec![Network::parse("192.0.2.0/24").expect("a network")];
    let access = Access { networks, ..Access::default() };
    let options = Options { access, ..Options::loopback(0) };
    let source = Source::open(&root().join("testdata/fabrics/rack64")).expect("dumps");
    let server = Server::start(source, options, Arc::new(|_: &str| ())).expect("a server");
    let told = "error address 127.0.0.1 may not ask here; the administrator says who may\n";
    assert_eq!(all(raw(&server)), told);
}

#[test]
fn a_bad_generation_is_not_served_and_the_old_one_is() {
    let scratch = Scratch::new("bad");
    let dir = scratch.0.join("store");
    let (cables, tables) = (dump("rack64", "ibnetdiscover.txt"), dump("rack64", "dump_fts_n.txt"));
    assert_eq!(publish(&dir, &cables, &tables), 1);
    // The cache alone damaged: the dumps are read.
    let routes = store::path(&dir, 1).join(store::ROUTES);
    let sound = std::fs::read(&routes).expect("routes");
    std::fs::write(&routes, &sound[..sound.len() / 2]).expect("damaged");
    let said = Arc::new(Mutex::new(Vec::new()));
    let listener = said.clone();
    let options = Options { look: Duration::from_millis(10), ..Options::loopback(0) };
    let tell = Arc::new(move |line: &str| listener.lock().expect("lines").push(line.to_string()));
    let server = Server::start(Source::open(&dir).expect("a store"), options, tell).expect("from the dumps");
    let mut client = client(&server);
    let before = client.ask("@ query node001:node036").expect("a route");
    // The dumps damaged as well.
    publish(&scratch.0.join("other"), &cables, &swapped(&tables));
    let bad = scratch.0.join("other/00000001");
    for file in [store::ROUTES, store::TABLES] {
        std::fs::write(bad.join(file), b"damaged").expect("damaged");
    }
    let manifest = std::fs::read_to_string(bad.join(store::MANIFEST)).expect("manifest");
    std::fs::write(bad.join(store::MANIFEST), manifest.replace("\"generation\": 1", "\"generation\": 2"))
        .expect("renamed");
    std::fs::rename(&bad, store::path(&dir, 2)).expect("published");
    until("told", || said.lock().expect("lines").iter().any(|l| l.starts_with("generation 2 is refused: ")));
    assert_eq!(client.ask("@ query node001:node036").expect("a route"), before);
    until("warned", || client.ask("generation").expect("words").lines[0].contains("warning"));
    // A sound one takes over on the same connection.
    assert_eq!(publish(&dir, &cables, &swapped(&tables)), 3);
    until("served", || server.generation() == 3);
    let after = client.ask("@ query node001:node036").expect("a route");
    assert_eq!(after.generation, Some(3));
    assert_ne!(after.lines, before.lines);
    assert!(!client.ask("generation").expect("words").lines[0].contains("warning"));
}

#[test]
fn a_store_keeps_the_newest_and_is_read_by_other_commands() {
    let scratch = Scratch::new("keep");
    let (cables, tables) = (dump("lmc1-8", "ibnetdiscover.txt"), dump("lmc1-8", "dump_fts_n.txt"));
    for number in 1..=11 {
        assert_eq!(publish(&scratch.0, &cables, &tables), number);
    }
    assert_eq!(store::numbers(&scratch.0).expect("numbers"), (4..=11).collect::<Vec<u64>>());
    let source = Source::open(&scratch.0).expect("a store");
    let cached = source.load(11).expect("sound");
    let home = store::path(&scratch.0, 11);
    assert_eq!(Source::open(&home).expect("dumps").load(0).expect("dumps").atlas, cached.atlas);
    let manifest = store::manifest(&scratch.0, 11).expect("a manifest");
    let size = |name: &str| manifest.files.iter().find(|f| f.name == name).map(|f| f.bytes);
    assert_eq!(size(store::TABLES), Some(tables.len() as u64));
}
