//! What an administrator must hear of: a fabric that has lost hosts, a collector
//! that is dead or fails, and the alerts that are made of it.

mod common;

use common::skip::skip;
use common::{Scratch, dump, get, start, until};
use hopline_service::collect::{Collected, Options, collect};
use hopline_service::limits::Limits;
use hopline_service::server::{Listener, Server};
use hopline_service::store;
use hopline_service::watch::{Watch, watch};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A fabric whose tools are files: what they print can be changed.
struct Fabric {
    scratch: Scratch,
    said: Arc<Mutex<Vec<String>>>,
}

impl Fabric {
    fn new(name: &str) -> Fabric {
        let fabric = Fabric { scratch: Scratch::new(name), said: Arc::default() };
        fabric.cables(&dump("rack64", "ibnetdiscover.txt"));
        std::fs::write(fabric.path("tables"), dump("rack64", "dump_fts_n.txt")).expect("tables");
        fabric
    }

    fn path(&self, name: &str) -> PathBuf {
        self.scratch.0.join(name)
    }

    fn cables(&self, text: &str) {
        std::fs::write(self.path("cables"), text).expect("cables");
    }

    fn options(&self) -> Options {
        let cat = |name: &str| vec!["cat".to_string(), self.path(name).to_string_lossy().into_owned()];
        let confirm = Duration::from_millis(10);
        Options { cables: cat("cables"), tables: cat("tables"), confirm, ..Options::new(self.path("store")) }
    }

    fn listener(&self) -> Listener {
        let said = self.said.clone();
        Arc::new(move |line: &str| said.lock().expect("lines").push(line.to_string()))
    }

    fn collect(&self, options: &Options) -> Collected {
        collect(options, &self.listener(), &AtomicBool::new(false)).unwrap_or_else(|e| panic!("{e}"))
    }

    fn serve(&self) -> Server {
        start(&self.path("store"), Limits::default())
    }
}

/// The cabling of rack64 without these hosts.
fn without(hosts: impl Iterator<Item = u32>) -> String {
    let mut text = dump("rack64", "ibnetdiscover.txt");
    for host in hosts {
        let name = format!("\"node{host:03} HCA-1\"");
        let head = |block: &&str| !block.lines().any(|l| l.starts_with("Ca") && l.contains(&name));
        text = text.split("\n\n").filter(head).collect::<Vec<_>>().join("\n\n");
        text = text.lines().filter(|l| !l.contains(&name)).flat_map(|l| [l, "\n"]).collect();
    }
    text
}

fn metric(server: &Server, name: &str) -> Option<f64> {
    let page = get(server, "/metrics").1;
    page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
}

fn health(server: &Server) -> (String, String) {
    let (status, body) = get(server, "/healthz");
    (status["HTTP/1.1 ".len()..][..3].to_string(), body)
}

#[test]
fn the_last_verdict_of_blame_is_a_page_and_a_metric() {
    let fabric = Fabric::new("blamed");
    assert_eq!(fabric.collect(&fabric.options()), Collected::Published(1));
    let keep = |name: &str, text: &str| {
        let folder = fabric.path("store").join("blame");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(name), text).expect("an answer");
    };
    let said = |kind: &str, suspects: &str| {
        format!(r#"{{"verdict": {{"kind": "{kind}", "sentence": "so it is"}}, "suspects": [{suspects}]}}"#)
    };
    let server = fabric.serve();
    assert!(get(&server, "/blame").0.contains(" 404 "));
    assert_eq!(metric(&server, "hopline_blame_suspects"), None);
    keep("2026-11-24T12:00:00Z-000.json", &said("nothing", ""));
    keep("2026-11-25T12:00:00Z-000.json", &said("blame", r#"{"name": "leaf01[3] -> spine01[1]"}"#));
    // Half an answer is no news.
    keep("2026-11-26T12:00:00Z-000.json", "{");
    until("told", || metric(&server, "hopline_blame_suspects") == Some(1.0));
    assert_eq!(metric(&server, "hopline_blame_verdict{kind=\"blame\"}"), Some(1.0));
    assert_eq!(metric(&server, "hopline_blame_verdict{kind=\"nothing\"}"), Some(0.0));
    assert_eq!(metric(&server, "hopline_blame_timestamp_seconds"), Some(1_795_608_000.0));
    let (status, body) = get(&server, "/blame");
    assert!(status.contains(" 200 ") && body.contains("leaf01[3]"), "{status} {body}");
}

#[test]
fn lost_hosts_are_confirmed_published_and_told_until_they_are_accepted() {
    let fabric = Fabric::new("lost");
    assert_eq!(fabric.collect(&fabric.options()), Collected::Published(1));
    let server = fabric.serve();
    assert_eq!((health(&server).0.as_str(), metric(&server, "hopline_lost_hosts")), ("200", Some(0.0)));

    // One look that misses a leaf's hosts, as of a tool that came too early.
    std::fs::write(fabric.path("part"), without(1..=8)).expect("a part");
    let [part, cables, once] = ["part", "cables", "once"].map(|n| fabric.path(n).display().to_string());
    let script = format!("if [ -e {once} ]; then cat {cables}; else touch {once}; cat {part}; fi");
    let blip = Options { cables: ["sh", "-c", &script].map(String::from).to_vec(), ..fabric.options() };
    assert_eq!(fabric.collect(&blip), Collected::Unchanged(1));
    let said = fabric.said.lock().expect("lines").join("\n");
    assert_eq!(said, "8 hosts (node001, node002, node003, ...) are gone: collecting again before that is published");

    fabric.cables(&without(1..=8));
    assert_eq!(fabric.collect(&fabric.options()), Collected::Published(2));
    until("served", || server.generation() == 2);
    let (status, body) = health(&server);
    let why = "the fabric has lost 8 hosts (node001, node002, node003, ...); 56 hosts and 10 switches are left";
    assert!(status == "503" && body.contains(why), "{body}");
    assert!(get(&server, "/livez").0.contains(" 200 "));
    let lost = ["hosts", "switches", "cables"].map(|kind| metric(&server, &format!("hopline_lost_{kind}")));
    assert_eq!(lost, [Some(8.0), Some(0.0), Some(8.0)]);
    assert!(get(&server, "/generation").1.contains("\"node008\""), "all are named");

    // Another change does not make them forgotten.
    fabric.cables(&without(1..=9));
    assert_eq!(fabric.collect(&fabric.options()), Collected::Published(3));
    fabric.cables(&without(8..=9));
    assert_eq!(fabric.collect(&fabric.options()), Collected::Published(4));
    until("some are back", || metric(&server, "hopline_lost_hosts") == Some(2.0));
    assert_eq!(health(&server).0, "200", "2 of 64 are the daily repair");
    assert_eq!(store::manifest(&fabric.path("store"), 4).expect("a manifest").counts["lost_hosts"], 2);
    let accept = Options { accept_losses: true, ..fabric.options() };
    assert_eq!(fabric.collect(&accept), Collected::Published(5));
    until("forgotten", || metric(&server, "hopline_lost_hosts") == Some(0.0));
    assert_eq!(fabric.collect(&accept), Collected::Unchanged(5));
}

#[test]
fn a_dead_collector_is_noticed_and_a_living_one_is_not() {
    let fabric = Fabric::new("dead");
    let (options, stop) = (fabric.options(), AtomicBool::new(false));
    let watched = Watch { log: None, every: Duration::from_millis(50), beat: Duration::from_millis(200) };
    let listener = fabric.listener();
    std::thread::scope(|scope| {
        scope.spawn(|| watch(&options, &watched, &listener, &stop).unwrap_or_else(|e| panic!("{e}")));
        until("published", || store::path(&options.out, 1).is_dir());
        let server = fabric.serve();
        until("it beats", || metric(&server, "hopline_collector_up") == Some(1.0));
        assert_eq!(health(&server).0, "200");
        assert!(metric(&server, "hopline_generation_age_seconds").is_some_and(|age| (0.0..60.0).contains(&age)));
        // Its tools fail; it lives.
        std::fs::remove_file(fabric.path("tables")).expect("removed");
        until("it fails", || metric(&server, "hopline_collector_failing_seconds").is_some_and(|s| s > 0.0));
        assert!(metric(&server, "hopline_collector_last_failure_timestamp_seconds").is_some_and(|t| t > 1e9));
        assert_eq!(metric(&server, "hopline_collector_up"), Some(1.0));
        stop.store(true, Ordering::Relaxed);
        until("it is dead", || metric(&server, "hopline_collector_up") == Some(0.0));
        until("it is told", || health(&server).0 == "503");
        assert!(health(&server).1.contains("the collector is dead"), "{}", health(&server).1);
        assert_eq!(metric(&server, "hopline_warning"), Some(1.0));
    });
}

/// The names of metrics in a text.
fn names(text: &str) -> std::collections::BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|w| w.starts_with("hopline_")).map(String::from).collect()
}

#[test]
fn the_alerts_are_made_of_metrics_that_there_are() {
    let fabric = Fabric::new("alerts");
    fabric.collect(&fabric.options());
    let fails = Options { cables: vec!["false".into()], attempts: 1, ..fabric.options() };
    collect(&fails, &fabric.listener(), &AtomicBool::new(false)).expect_err("a tool that fails");
    let server = fabric.serve();
    let file = common::root().join("examples/service/alerts.yml");
    let alerts = std::fs::read_to_string(&file).expect("alerts.yml");
    let (used, page) = (names(&alerts), get(&server, "/metrics").1);
    let there: std::collections::BTreeSet<String> = page
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| l.split([' ', '{']).next())
        .map(String::from)
        .collect();
    assert!(used.len() >= 8 && used.is_subset(&there), "not there: {:?}", used.difference(&there).collect::<Vec<_>>());
    promtool(&["check", "rules", &file.to_string_lossy()]);
    let test = common::root().join("examples/service/alerts_test.yml");
    promtool(&["test", "rules", &test.to_string_lossy()]);
    std::fs::write(fabric.path("metrics"), page).expect("metrics");
}

/// Runs Prometheus's own checker where it is installed.
fn promtool(words: &[&str]) {
    match Command::new("promtool").args(words).output() {
        Ok(output) => {
            let said = [output.stdout, output.stderr].concat();
            assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&said));
        }
        Err(e) => skip(format!("promtool {}: {e} (Debian's package prometheus)", words[0])),
    }
}

#[test]
fn drafts_of_the_dead_are_swept_and_those_of_the_living_are_not() {
    let fabric = Fabric::new("drafts");
    let store = fabric.path("store");
    let mut child = Command::new("true").spawn().expect("true");
    child.wait().expect("ended");
    let draft = |pid: u32| store.join(format!(".draft-{pid}"));
    // Process 1 lives.
    for pid in [child.id(), 1] {
        std::fs::create_dir_all(draft(pid)).expect("a draft");
        std::fs::write(draft(pid).join(store::ROUTES), b"half").expect("half a file");
    }
    fabric.collect(&fabric.options());
    assert_eq!((draft(child.id()).exists(), draft(1).exists()), (false, true));
    std::fs::create_dir(draft(child.id())).expect("a draft");
    assert_eq!(fabric.collect(&fabric.options()), Collected::Unchanged(1), "also where nothing is published");
    assert!(!draft(child.id()).exists());
    assert!(Path::new(&draft(1)).exists());
}
