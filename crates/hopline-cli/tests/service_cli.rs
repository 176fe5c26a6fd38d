//! The service's commands as an administrator meets them: signals, silent
//! servers, and every way to name a machine's files.

mod common;

use common::{Scratch, blocks, command, root};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// False also for one that has ended and that nobody has asked for.
fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// A collector whose tool for the tables runs and runs, and what it runs in turn.
fn collector(dir: &Scratch, words: &[&str]) -> (Child, [String; 2]) {
    let tool = "#!/bin/sh\ntrap '' HUP\n/bin/sleep 300 &\necho $! > DIR/inner.part\necho $$ > DIR/outer\n/bin/mv DIR/inner.part DIR/inner\nwait\n";
    let home = dir.path("").display().to_string();
    let path = dir.write("tool", tool.replace("DIR", home.trim_end_matches('/')));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let config = format!("[collect]\nout = \"{home}/store\"\ntables = \"{}\"\n", path.display());
    let config = dir.write("hopline.toml", config);
    let all = ["fabric", "collect", "--config"].into_iter().map(String::from);
    let all = all.chain([config.display().to_string()]).chain(words.iter().map(|w| w.to_string()));
    let child = command(all).stderr(Stdio::piped()).spawn().expect("hopline");
    until("the tool runs", || dir.path("inner").exists());
    (child, ["outer", "inner"].map(|name| dir.read(name)))
}

#[test]
fn a_collector_that_is_ended_ends_its_tool() {
    for (name, words, code) in [("watch", &["--watch"][..], 0), ("once", &[], 1)] {
        let dir = Scratch::new(&format!("ended-{name}"));
        let (mut child, tools) = collector(&dir, words);
        assert!(tools.iter().all(|pid| lives(pid)), "{tools:?}");
        let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill");
        assert!(sent.success());
        until("the collector ends", || child.try_wait().expect("a child").is_some());
        let mut said = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
        assert_eq!(child.wait().expect("ended").code(), Some(code), "{name}: {said}");
        until("the tool ends, and what it started", || !tools.iter().any(|pid| lives(pid)));
        assert!(said.contains("stopped"), "{name}: {said}");
    }
}

#[test]
fn a_server_that_is_silent_or_not_there_is_named() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = silent.local_addr().expect("an address").to_string();
    let ask = || common::hopline(&format!("fabric query --server {address} --timeout 0.3 node001:node002"));
    let ran = ask();
    let expected = format!("hopline: {address} does not answer: nothing came in 0.3 seconds\n");
    assert_eq!((ran.code, ran.stderr), (Some(1), expected));
    drop(silent);
    let ran = ask();
    let expected = format!("hopline: {address}: nobody listens there; is `hopline fabric serve` running there?\n");
    assert_eq!((ran.code, ran.stderr), (Some(1), expected));
}

#[test]
fn a_server_that_says_little_at_a_time_has_no_more_time() {
    let slow = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = slow.local_addr().expect("an address").to_string();
    let server = std::thread::spawn(move || {
        let mut stream = slow.accept().expect("a client").0;
        // Never so long without a byte that a single wait would end; much longer in all.
        (0..60)
            .map_while(|_| {
                std::thread::sleep(std::time::Duration::from_millis(100));
                stream.write_all(b"x").ok()
            })
            .count()
    });
    let ran = common::hopline(&format!("fabric query --server {address} --timeout 1 node001:node002"));
    let expected = format!("hopline: {address}: its answer is not whole after 1 seconds\n");
    assert_eq!((ran.code, ran.stderr), (Some(1), expected));
    server.join().expect("an end");
}

#[test]
fn an_address_in_use_is_wrong_like_any_other() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    for (address, said) in [(address.as_str(), "cannot listen on 127.0.0.1:"), ("nowhere", "no address to listen on")] {
        let ran = common::hopline(&format!("fabric serve testdata/fabrics/rack64 --listen {address}"));
        assert!(ran.code == Some(2) && ran.stderr.contains(said), "{address}: {:?} {}", ran.code, ran.stderr);
    }
}

#[test]
fn a_socket_is_asked_and_its_file_goes_with_the_server() {
    let dir = Scratch::new("socket");
    let socket = dir.path("routes");
    let address = format!("unix:{}", socket.display());
    let words = ["fabric", "serve", "testdata/fabrics/rack64", "--socket-mode", "0600", "--listen", &address];
    let mut server = command(words.map(String::from)).stderr(Stdio::piped()).spawn().expect("hopline");
    // The file is there, and takes its mode, before the server listens.
    until("it listens", || UnixStream::connect(&socket).is_ok());
    assert_eq!(std::fs::metadata(&socket).expect("a socket").permissions().mode() & 0o777, 0o600);
    let ran = common::hopline(&format!("fabric query --server {address} matrix hops node001 node036"));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "0 2\n2 0\n"), "{}", ran.stderr);
    let twice = common::hopline(&format!("fabric serve testdata/fabrics/rack64 --listen {address}"));
    assert!(twice.code == Some(2) && twice.stderr.contains("a server listens there already"), "{}", twice.stderr);
    let sent = Command::new("kill").args(["-TERM", &server.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    assert_eq!(server.wait().expect("ended").code(), Some(0));
    assert!(!socket.exists());
    let gone = common::hopline(&format!("fabric query --server {address} generation"));
    assert!(gone.code == Some(1) && gone.stderr.contains(&address), "{}", gone.stderr);
}

#[test]
fn a_token_is_read_from_a_file_and_shown() {
    let dir = Scratch::new("token");
    // `printf %s secret | sha256sum`
    let sums = dir.write("sums", "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b  -\n");
    let (token, log) = (dir.write("token", "secret\n"), dir.path("log"));
    for path in [&sums, &token] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("mine");
    }
    let sums = sums.display().to_string();
    let words = ["fabric", "serve", "testdata/fabrics/rack64", "--listen", "127.0.0.1:0", "--tokens", &sums];
    let log_file = std::fs::File::create(&log).expect("a log");
    let mut server = command(words.map(String::from)).stderr(log_file).spawn().expect("hopline");
    let mut address = String::new();
    until("it listens", || {
        let said = std::fs::read_to_string(&log).expect("a log");
        address = said.lines().find_map(|l| Some(l.split_once(" on ")?.1.to_string())).unwrap_or_default();
        !address.is_empty()
    });
    let ask = |words: &[&str], variable: Option<&Path>| {
        let all = [&["fabric", "query", "--server", &address], words, &["node001:node002"]].concat();
        let mut command = command(all.into_iter().map(String::from));
        command.envs(variable.map(|path| ("HOPLINE_TOKEN_FILE", path)));
        let output = command.output().expect("hopline");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let path = token.display().to_string();
    assert_eq!(ask(&["--token-file", &path], None), (true, String::new()));
    assert_eq!(ask(&[], Some(&token)), (true, String::new()));
    let (good, said) = ask(&[], None);
    assert!(!good && said.contains("a token is needed"), "{said}");
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o644)).expect("shown");
    let (good, said) = ask(&["--token-file", &path], None);
    assert!(!good && said.contains("chmod 600"), "{said}");
    server.kill().and_then(|()| server.wait()).expect("an end");
}

#[test]
fn a_fabric_is_named_in_every_way_that_a_file_is() {
    let dir = Scratch::new("named");
    dir.rack64("a,b=c", str::to_string);
    let cabling = "testdata/fabrics/rack64/ibnetdiscover.txt";
    let tables = "testdata/fabrics/rack64/dump_fts_n.txt";
    let saved = dir.hopline("fabric export json --fabric testdata/fabrics/rack64 -o DIR/rack.json");
    assert_eq!(saved.code, Some(0), "{}", saved.stderr);
    let with_tables = [
        "testdata/fabrics/rack64".to_string(),
        "file:testdata/fabrics/rack64".to_string(),
        "path=testdata/fabrics/rack64".to_string(),
        format!("cables={cabling},tables={tables}"),
        format!("file:cables={cabling},tables={tables}"),
        format!("path={cabling},tables={tables}"),
        format!("file:path=testdata/fabrics,cables={cabling},tables={tables}"),
        "DIR/a,b=c".to_string(),
        "file:[DIR/a,b=c]".to_string(),
    ];
    let way = "node001 0x0002c90200410010 0x0002c90200420020 0x0002c90200410050 node036\n";
    for fabric in &with_tables {
        let query = dir.hopline(&format!("fabric query --fabric {fabric} node001:node036"));
        assert_eq!((query.code, query.stdout.as_str()), (Some(0), way), "{fabric}: {}", query.stderr);
    }
    let others = [
        "DIR/rack.json",
        cabling,
        "testdata/fabrics/xc-mini.interconnect",
        "cables=testdata/fabrics/xc-mini.interconnect",
    ];
    for fabric in with_tables.iter().map(String::as_str).chain(others) {
        let ends = if fabric.contains("xc-mini") { "c0-0c0s0n0 c0-0c0s1n2" } else { "node001 node036" };
        for line in [
            "fabric show --fabric F".to_string(),
            "fabric check --fabric F".to_string(),
            format!("fabric route --fabric F {ends}"),
            "load --fabric F --traffic uniform".to_string(),
            "load --fabric F --slots 2 --traffic uniform".to_string(),
            "map --fabric F --traffic uniform".to_string(),
        ] {
            let ran = dir.hopline(&line.replace('F', fabric));
            assert_eq!(ran.code, Some(0), "{line} {fabric}: {}", ran.stderr);
        }
    }
    // What cannot be answered from is told as that, with what to do.
    for (fabric, why) in [
        (cabling, "no forwarding tables beside it"),
        ("DIR/rack.json", "`hopline fabric route --fabric DIR/rack.json A B` answers from it"),
        ("testdata/fabrics/xc-mini.interconnect", "no output of `ibnetdiscover`, from which the service answers"),
        ("DIR/none", "DIR/none: no such file or directory; `hopline fabric collect --out DIR` makes one"),
        ("percs:ns=4,nd=1", "`percs:ns=4,nd=1` is a topology and no file; give it with --topology"),
        ("cabels=x", "`file` has no key `cabels`; did you mean `cables`?"),
    ] {
        for line in ["fabric query --fabric F node001:node036", "fabric serve F --listen 127.0.0.1:0"] {
            let ran = dir.hopline(&line.replace('F', fabric));
            assert!(ran.code == Some(2) && ran.stderr.contains(why), "{line} {fabric}: {:?} {}", ran.code, ran.stderr);
        }
    }
    // The hint of an error is what to write.
    dir.write("bare/dump_fts_n.txt", std::fs::read(root().join(tables)).expect("tables"));
    let bare = dir.hopline("fabric show --fabric DIR/bare");
    assert!(bare.stderr.contains("name it: file:cables=PATH"), "{}", bare.stderr);
    let mended = dir.hopline(&format!("fabric check --fabric file:cables={cabling},path=DIR/bare"));
    assert_eq!(mended.code, Some(0), "{}", mended.stderr);
}

#[test]
fn the_guide_tells_every_key_of_the_health_page() {
    let page = std::fs::read_to_string(root().join("docs/src/service.md")).expect("service.md");
    assert!(!blocks(&page, "yaml").is_empty(), "how Prometheus is pointed at it");
    for word in
        ["/healthz", "/livez", "503", "--accept-losses", "hopline_lost_hosts", "hopline_collector_up", "alerts.yml"]
    {
        assert!(page.contains(word), "{word}");
    }
    assert!(Path::new(&root().join("examples/service/alerts.yml")).exists());
}
