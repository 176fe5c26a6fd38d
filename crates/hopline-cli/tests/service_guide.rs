//! The session of the guide's page about the service, followed to the letter.

mod common;

use common::{Scratch, blocks, root};
use std::process::{Command, Stdio};

#[test]
fn the_session_answers_what_the_guide_prints() {
    let page = std::fs::read_to_string(root().join("docs/src/service.md")).expect("service.md");
    let session = blocks(&page, "sh session");
    let (_, after) = page.split_once("```sh session").expect("a session");
    let expected = blocks(after, "text").remove(0);
    assert_eq!(session.len(), 1);
    // The port of the page may be taken on this machine.
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port();
    let script = session[0].replace("7476", &free.to_string());
    let script = script.replace("fabric query ", &format!("fabric query --server 127.0.0.1:{free} "));
    let scratch = Scratch::new("session");
    std::os::unix::fs::symlink(root().join("testdata").canonicalize().expect("testdata"), scratch.path("testdata"))
        .expect("a link");
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_hopline")).parent().expect("target");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("timeout")
        .args(["60", "bash", "-m", "-c", &script])
        .current_dir(scratch.path(""))
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .expect("bash");
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(said, expected, "{errors}");
}
