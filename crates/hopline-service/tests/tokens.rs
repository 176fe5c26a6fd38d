//! A server that wants tokens of those who ask over the network.

mod common;

use common::{PATIENCE, Scratch, all, port, raw, root};
use hopline_service::address::Address;
use hopline_service::client::Client;
use hopline_service::config::Config;
use hopline_service::metrics::Denied;
use hopline_service::server::{Options, Server};
use hopline_service::store::Source;
use hopline_service::tokens::own;
use std::fs::{self, Permissions};
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `sha256sum` of `secret`.
const SUM: &str = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b  -\n";

fn file(scratch: &Scratch, name: &str, text: &str, mode: u32) -> PathBuf {
    let path = scratch.0.join(name);
    fs::write(&path, text).and_then(|()| fs::set_permissions(&path, Permissions::from_mode(mode))).expect("a file");
    path
}

fn options(tokens: &Path) -> Result<Options, String> {
    let text = format!("[serve]\ntokens = \"{}\"\n", tokens.display());
    Config::parse("c", &text).and_then(|config| config.serve.options()).map_err(|e| e.to_string())
}

fn say(server: &Server, text: &str) -> String {
    let mut stream = raw(server);
    stream.write_all(text.as_bytes()).expect("sent");
    stream.shutdown(std::net::Shutdown::Write).expect("half closed");
    all(stream)
}

#[test]
fn only_who_shows_a_token_is_answered() {
    let scratch = Scratch::new("tokens");
    let unix = Address::Unix(scratch.0.join("routes"));
    let listen = vec![Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 0))), unix.clone()];
    let options = Options { listen, ..options(&file(&scratch, "tokens", SUM, 0o640)).expect("good") };
    let source = Source::open(&root().join("testdata/fabrics/rack64")).expect("dumps");
    let server = Server::start(source, options, Arc::new(|_: &str| ())).expect("a server");
    let needed = "a token is needed that this server knows: `token SECRET` before all else";
    for text in
        ["generation\ngeneration\n", "token Secret\ngeneration\n", "token \n", "help\n", "nonsense\n", "token secre"]
    {
        let said = say(&server, text);
        assert!(said.starts_with(&format!("error {needed}")) && said.lines().count() == 1, "{text}: {said}");
    }
    assert_eq!(say(&server, "token secret\nquery node001:node002\n").lines().next(), Some("token accepted"));
    let mut client = Client::connect(&port(&server).to_string(), PATIENCE).expect("a server");
    client.show("secret").expect("known");
    assert_eq!(client.query("node001", "node036").expect("a route").len(), 3);
    assert!(client.show("secrets").is_err(), "a wrong one ends what a right one began");
    let get = |path: &str, token: &str| say(&server, &format!("GET {path} HTTP/1.1\r\nAuthorization: {token}\r\n\r\n"));
    assert!(get("/groups", "Bearer secret").starts_with("HTTP/1.1 200 OK"));
    assert!(get("/livez", "").starts_with("HTTP/1.1 200 OK"));
    for (path, token) in [("/groups", ""), ("/metrics", "Bearer x"), ("/healthz", "Basic secret"), ("/blame", "secret")]
    {
        let said = get(path, token);
        let good = said.starts_with("HTTP/1.1 401 ") && said.contains("\r\nWWW-Authenticate: Bearer\r\n");
        assert!(good && said.contains(needed), "{path} {token}: {said}");
    }
    assert_eq!(server.metrics().denied(Denied::Token), 11);
    // Who comes by the socket is known by the kernel, and needs none.
    let mut local = Client::connect(&unix.to_string(), PATIENCE).expect("a server");
    assert_eq!(local.query("node001", "node036").expect("a route").len(), 3);
    local.show("whatever").expect("not looked at");
}

#[test]
fn files_with_secrets_are_for_their_owners_alone() {
    let scratch = Scratch::new("secrets");
    for mode in [0o604, 0o602, 0o660, 0o644] {
        let refused = options(&file(&scratch, "open", SUM, mode)).expect_err("others may read or write it");
        assert!(refused.contains(&format!("has mode {mode:04o}")) && refused.contains("chmod 600"), "{refused}");
    }
    assert!(options(&file(&scratch, "empty", "# nobody\n", 0o600)).is_err_and(|e| e.contains("no token is accepted")));
    assert!(options(&scratch.0).is_err() && options(&scratch.0.join("none")).is_err());
    assert_eq!(own(&file(&scratch, "token", " secret\nmore\n", 0o600)).expect("a token"), "secret");
    for text in ["", "\nsecret\n", "a b\n"] {
        assert!(own(&file(&scratch, "bad", text, 0o600)).is_err(), "{text:?}");
    }
    assert!(own(&file(&scratch, "shown", "secret\n", 0o644)).is_err());
}
