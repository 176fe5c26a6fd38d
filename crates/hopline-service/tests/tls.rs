//! TLS: a server's certificate, and clients'. Certificates are made by `openssl`.
#![cfg(feature = "tls")]

mod common;

use common::{PATIENCE, Scratch, all, get, port, root, until};
use hopline_service::client::Client;
use hopline_service::config::Config;
use hopline_service::limits::Limits;
use hopline_service::metrics::Dropped;
use hopline_service::server::{Options, Server};
use hopline_service::store::Source;
use hopline_service::tls::Connector;
use std::io::Write;
use std::net::TcpStream;
use std::process::Command;
use std::sync::Arc;

/// An authority, and certificates of it for a server and a client, as NAME.pem and NAME.key; and of a stranger.
fn certificates(scratch: &Scratch) -> bool {
    let openssl = |words: &str| {
        let output = Command::new("openssl").args(words.split(' ')).current_dir(&scratch.0).output();
        output.map(|output| assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)))
    };
    let key = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
    for name in ["ca", "stranger"] {
        if openssl(&format!("{key} -keyout {name}.key -out {name}.pem -subj /CN={name}")).is_err() {
            common::skip::absent("openssl is not installed");
            return false;
        }
    }
    for name in ["server", "client"] {
        let more =
            "-addext basicConstraints=critical,CA:FALSE -addext subjectAltName=IP:127.0.0.1 -CA ca.pem -CAkey ca.key";
        openssl(&format!("{key} -keyout {name}.key -out {name}.pem -subj /CN={name} {more}")).expect("openssl");
    }
    true
}

fn start(scratch: &Scratch, more: &str) -> Server {
    let dir = scratch.0.display();
    let text = format!("[serve.tls]\ncertificate = \"{dir}/server.pem\"\nkey = \"{dir}/server.key\"\n{more}");
    let mut options = Config::parse("c", &text).and_then(|c| c.serve.options()).expect("options");
    options.listen = Options::loopback(0).listen;
    options.limits = Limits { stall_seconds: 0.5, ..Limits::default() };
    let source = Source::open(&root().join("testdata/fabrics/rack64")).expect("dumps");
    Server::start(source, options, Arc::new(|_: &str| ())).expect("a server")
}

fn connect(scratch: &Scratch, server: &Server, authority: &str, own: bool) -> Result<Client, String> {
    let file = |name: &str| scratch.0.join(name);
    let (certificate, key) = (file("client.pem"), file("client.key"));
    let own = own.then_some((certificate.as_path(), key.as_path()));
    let connector = Connector::read(&file(authority), own).expect("certificates");
    let mut client =
        Client::through(&port(server).to_string(), PATIENCE, Some(&connector)).map_err(|e| e.to_string())?;
    client.ask("generation").map_err(|e| e.to_string())?;
    Ok(client)
}

#[test]
fn the_same_is_answered_and_only_to_those_who_trust_the_server() {
    let scratch = Scratch::new("tls");
    if !certificates(&scratch) {
        return;
    }
    let server = start(&scratch, "");
    let mut client = connect(&scratch, &server, "ca.pem", false).expect("trusted");
    let plain = common::rack64(Limits::default());
    let mut other = Client::connect(&port(&plain).to_string(), PATIENCE).expect("a server");
    // More than a record, and more than a socket takes at once.
    let lines = [["matrix hops *"; 60].as_slice(), &["query node001:node036", "nonsense", "groups"]].concat();
    assert_eq!(client.ask_all(&lines).expect("answers"), other.ask_all(&lines).expect("answers"));
    let told = connect(&scratch, &server, "stranger.pem", false).err().expect("another authority");
    assert!(told.contains("certificate"), "{told}");
    // Who speaks no TLS gets no answer, and who does not go on is dropped.
    let mut bare = common::raw(&server);
    bare.write_all(b"query node001:node036\n").expect("sent");
    assert!(!all(bare).contains("0x"));
    let silent = TcpStream::connect(port(&server)).expect("connected");
    until("the silent one is dropped", || server.metrics().dropped(Dropped::Stalled) > 0);
    drop(silent);
    client.ask("generation").expect("others are served");
    assert!(get(&plain, "/livez").0.contains("200"));
}

#[test]
fn clients_need_a_certificate_where_one_is_asked_for() {
    let scratch = Scratch::new("tls-clients");
    if !certificates(&scratch) {
        return;
    }
    let server = start(&scratch, &format!("clients = \"{}/ca.pem\"\n", scratch.0.display()));
    assert!(connect(&scratch, &server, "ca.pem", true).is_ok());
    assert!(connect(&scratch, &server, "ca.pem", false).is_err());
    let missing = Connector::read(&scratch.0.join("none.pem"), None).expect_err("no file").to_string();
    assert!(missing.contains("none.pem"), "{missing}");
}
