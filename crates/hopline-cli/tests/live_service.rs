//! The whole service with the real tools and no stand-in: ibsim, opensm,
//! `hopline fabric collect --watch`, `hopline fabric serve`, and a hundred clients.
#![allow(clippy::print_stderr)]

#[path = "../../hopline/tests/common/skip.rs"]
mod skip;
#[path = "common/subnet.rs"]
mod subnet;

use hopline_service::answer::{self, Desk};
use hopline_service::atlas::Column;
use hopline_service::client::Client;
use hopline_service::generation::Generation;
use hopline_service::limits::Limits;
use hopline_service::protocol;
use hopline_service::store::{self, Source};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use subnet::{Subnet, text, until};

const PATIENCE: Duration = Duration::from_secs(30);
const LEAF: &str = "S-0002c90200410010";

fn net() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/fabrics/rack64/rack64.net");
    std::fs::canonicalize(path).expect("rack64.net")
}

/// True where the tools are there; a machine that runs all tests must have them.
fn tools() -> bool {
    let Some(missing) = subnet::missing() else { return true };
    skip::absent(format!("{missing} is not installed (ibsim-utils, opensm, infiniband-diags)"));
    false
}

fn generation(dir: &Path, number: u64) -> Generation {
    Source::Store(dir.into()).load(number).unwrap_or_else(|e| panic!("{e}"))
}

fn ask(g: &Generation, line: &str) -> String {
    let (mut column, limits, mut out) = (Column::new(&g.atlas), Limits::default(), Vec::new());
    let mut desk = Desk { generation: g, limits: &limits, warning: "", column: &mut column };
    answer::line(&mut desk, &protocol::parse(line), &mut out);
    String::from_utf8(out).expect("text").trim_end().to_string()
}

fn log(subnet: &Subnet, name: &str) -> std::fs::File {
    std::fs::File::create(subnet.dir.join(name)).expect(name)
}

/// Ends the clients, however it goes.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// A net of 63 adapters on one switch: LIDs 1 to 64.
fn net_of_64(dir: &Path) -> PathBuf {
    let (mut switch, mut adapters) =
        (String::from("\nSwitch\t64 \"S-0000000000001000\"\t\t# \"leaf\" base port 0 lid 0 lmc 0\n"), String::new());
    for i in 1..=63 {
        let guid = 0x2000 + 16 * i;
        adapters += &format!(
            "Ca\t1 \"H-{guid:016x}\"\t\t# \"n{i:02} HCA-1\"\n[1]({:x}) \t\"S-0000000000001000\"[{i}]\t\t# lid 0 lmc 0 \"leaf\" lid 0 4xQDR\n\n",
            guid + 1
        );
        switch += &format!("[{i}]\t\"H-{guid:016x}\"[1]({:x}) \t\t# \"n{i:02} HCA-1\" lid 0 4xQDR\n", guid + 1);
    }
    let path = dir.join(format!("hopline-top64-{}.net", std::process::id()));
    std::fs::write(&path, adapters + &switch).expect("a net");
    path
}

/// What a client was told: by generation and question.
type Answers = BTreeMap<(u64, usize), String>;

/// Asks on and on; every answer must come, and one generation gives one answer.
fn client(server: &str, seed: usize, lines: &[String], stop: &AtomicBool) -> Answers {
    let mut client = Client::connect(server, PATIENCE).unwrap_or_else(|e| panic!("{e}"));
    let (mut answers, mut newest) = (Answers::new(), 0);
    for round in 0.. {
        if stop.load(Relaxed) {
            break;
        }
        let at: Vec<usize> = (0..8).map(|i| (seed * 31 + round * 8 + i) % lines.len()).collect();
        let batch: Vec<&str> = at.iter().map(|&i| lines[i].as_str()).collect();
        for (i, answer) in at.into_iter().zip(client.ask_all(&batch).unwrap_or_else(|e| panic!("{e}"))) {
            assert!(!answer.error, "{}: {:?}", lines[i], answer.lines);
            let number = answer.generation.expect("a generation");
            assert!(number >= newest, "generation {number} after {newest}");
            newest = number;
            let line = answer.lines.concat();
            let before = answers.entry((number, i)).or_insert_with(|| line.clone());
            assert_eq!(*before, line, "two answers of generation {number}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    answers
}

/// OpenSM's headers, which `./check` installs.
const HEADERS: [&str; 2] = ["/usr/include/infiniband/opensm/osm_event_plugin.h", "/usr/include/infiniband/umad.h"];

/// True where the plugin can be built, too.
fn plugin_tools() -> bool {
    let missing = HEADERS.iter().find(|h| !Path::new(h).exists());
    if let Some(missing) = missing {
        skip::absent(format!("{missing} is not installed (libopensm-dev, libibumad-dev)"));
    }
    missing.is_none() && tools()
}

/// OpenSM with our plugin and its options, until all routes are set.
fn with_plugin(subnet: &mut Subnet, options: &str) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/service/hopline_opensm.c");
    let library = subnet.dir.join("libhopline_opensm.so");
    let built = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-I/usr/include/infiniband", "-o"])
        .args([&library, &source])
        .status();
    assert!(built.is_ok_and(|status| status.success()), "the plugin compiles");
    let dir = subnet.dir.display();
    let options = options.replace("DIR", &dir.to_string());
    let events = format!("hopline_events={dir}/events");
    std::fs::write(
        subnet.dir.join("opensm.conf"),
        format!("event_plugin_name hopline_opensm\nevent_plugin_options {events},{options}\n"),
    )
    .expect("opensm.conf");
    // No -d2: the log goes through OpenSM's buffer.
    let words = ["opensm", "-e", "-F", "opensm.conf", "-f", "opensm.log", "-R", "minhop"];
    let mut opensm = subnet.command("ibsim-run", &words);
    subnet.serve(opensm.env("LD_LIBRARY_PATH", &subnet.dir), "events", "SUBNET UP");
}

#[test]
fn the_subnet_manager_hands_over_what_it_knows() {
    if !plugin_tools() {
        return;
    }
    let mut subnet = Subnet::simulate("handed", &net());
    with_plugin(&mut subnet, "hopline_subnet=DIR/subnet");
    let hopline = env!("CARGO_BIN_EXE_hopline");
    // The oracle: what the tools print is the same fabric.
    let words = ["fabric", "collect", "--out", "dumped", "--via", "ibsim-run"];
    assert!(subnet.command(hopline, &words).status().expect("hopline").success());
    let dir = subnet.dir.join("store");
    let words = ["fabric", "collect", "--out", "store", "--watch", "--from", "subnet", "--every", "3600"];
    let log_file = log(&subnet, "collect.log");
    // No tool can be found.
    let mut collector = subnet.command(hopline, &words);
    subnet.serve(collector.env("PATH", "").stderr(log_file), "collect.log", "published generation 1");
    let (handed, dumped) = (generation(&dir, 1), generation(&subnet.dir.join("dumped"), 1));
    assert!(handed.atlas == dumped.atlas, "the plugin and the tools tell of one fabric");
    assert_eq!(handed.atlas.endpoints(), 64);
    let manifest = text(&store::path(&dir, 1).join("manifest.json"));
    assert!(manifest.contains("OpenSM 3") && !manifest.contains("ibnetdiscover\":"), "{manifest}");

    let log_file = log(&subnet, "serve.log");
    let words = ["fabric", "serve", "store", "--listen", "127.0.0.1:0"];
    subnet.serve(subnet.command(hopline, &words).stderr(log_file), "serve.log", " on 127.0.0.1:");
    let server = text(&subnet.dir.join("serve.log")).trim().rsplit(' ').next().expect("an address").to_string();
    let mut client = Client::connect(&server, PATIENCE).unwrap_or_else(|e| panic!("{e}"));
    let over =
        |g: &Generation| (9..=64).map(|i| format!("route node001:node{i:03}")).find(|l| ask(g, l).contains("[35] "));
    let probe = over(&handed).expect("a way over port 35 of the first leaf");
    let original = ask(&handed, &probe);
    let log = subnet.dir.join("events");
    let events = || text(&log).matches("SUBNET UP").count();
    let (mut since_cut, mut since_set) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let sweeps = events();
        subnet.say(&format!("Unlink \"{LEAF}\"[35]"));
        let start = Instant::now();
        let mut set = None;
        until("another way", || {
            set = set.or_else(|| (events() > sweeps).then(Instant::now));
            !client.ask(&probe).unwrap_or_else(|e| panic!("{e}")).lines[0].contains("[35] ")
        });
        since_cut.push(start.elapsed().as_secs_f64());
        since_set.push(set.map_or(0.0, |set| set.elapsed().as_secs_f64()));
        subnet.say(&format!("ReLink \"{LEAF}\"[35]"));
        until("the old way", || client.ask(&probe).is_ok_and(|way| way.lines[0] == original));
    }
    eprintln!("a new way is served {since_cut:.3?} s after the cut, {since_set:.3?} s after OpenSM has set it");
    let best = since_set.into_iter().fold(f64::INFINITY, f64::min);
    assert!(best < 0.2, "{best:.2} s from OpenSM's tables to clients");
    // A host that is gone is believed at once: OpenSM has looked.
    subnet.say("Unlink \"H-0002c903001003f0\"[1]");
    until("63 hosts", || generation_count(&dir, 63));
}

/// True where the newest generation has so many endpoints.
fn generation_count(dir: &Path, endpoints: u32) -> bool {
    let newest = store::numbers(dir).expect("numbers").pop().expect("a generation");
    generation(dir, newest).atlas.endpoints() == endpoints
}

#[test]
fn a_plugin_tells_the_collector_what_the_log_keeps_to_itself() {
    if !plugin_tools() {
        return;
    }
    let mut subnet = Subnet::simulate("plugin", &net());
    with_plugin(&mut subnet, "");
    let words = ["fabric", "collect", "--out", "store", "--watch", "--log", "events"];
    let words = [&words[..], &["--via", "ibsim-run", "--every", "3600"]].concat();
    let log_file = log(&subnet, "collect.log");
    let hopline = env!("CARGO_BIN_EXE_hopline");
    subnet.serve(subnet.command(hopline, &words).stderr(log_file), "collect.log", "published generation 1");
    subnet.say(&format!("Unlink \"{LEAF}\"[35]"));
    let said = || text(&subnet.dir.join("collect.log"));
    until("generation 2", || said().contains("published generation 2"));
    assert!(!said().contains("force_log_flush"), "the end of the change was told: {}", said());
    let whole = generation(&subnet.dir.join("store"), 1).atlas.cables();
    assert_eq!(generation(&subnet.dir.join("store"), 2).atlas.cables() + 1, whole);
}

#[test]
fn a_cut_cable_is_routed_around_while_a_hundred_clients_ask() {
    if !tools() {
        return;
    }
    let mut subnet = Subnet::start("live", &net());
    let hopline = env!("CARGO_BIN_EXE_hopline");
    let dir = subnet.dir.join("store");
    let words = ["fabric", "collect", "--out", "store", "--watch", "--log", "opensm.log"];
    let words = [&words[..], &["--via", "ibsim-run", "--keep", "1000"]].concat();
    let log_file = log(&subnet, "collect.log");
    subnet.serve(subnet.command(hopline, &words).stderr(log_file), "collect.log", "published generation 1");
    let log_file = log(&subnet, "serve.log");
    let words = ["fabric", "serve", "store", "--listen", "127.0.0.1:0"];
    subnet.serve(subnet.command(hopline, &words).stderr(log_file), "serve.log", " on 127.0.0.1:");
    let server = text(&subnet.dir.join("serve.log")).trim().rsplit(' ').next().expect("an address").to_string();

    let lines: Vec<String> =
        (0..256).map(|i| format!("@ route node{:03}:node{:03}", i % 64 + 1, (i * 37 + 9) % 64 + 1)).collect();
    // A host of the first leaf whose way leads over the cable that is going to be cut.
    let first = generation(&dir, 1);
    let cut =
        |g: &Generation| (9..=64).map(|i| format!("route node001:node{i:03}")).find(|l| ask(g, l).contains("[35] "));
    let probe = cut(&first).expect("a way over port 35 of the first leaf");
    let original = ask(&first, &probe);
    let stop = AtomicBool::new(false);
    let (mut times, mut told) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..100)
            .map(|seed| {
                scope.spawn({
                    let (s, l, st) = (&server, &lines, &stop);
                    move || client(s, seed, l, st)
                })
            })
            .collect();
        // The clients stop also where an assertion fails.
        let guard = Stop(&stop);
        let mut watcher = Client::connect(&server, PATIENCE).unwrap_or_else(|e| panic!("{e}"));
        for _ in 0..3 {
            subnet.say(&format!("Unlink \"{LEAF}\"[35]"));
            let start = Instant::now();
            until("another way", || {
                let way = watcher.ask(&probe).unwrap_or_else(|e| panic!("{e}"));
                assert!(!way.error, "{way:?}");
                !way.lines[0].contains("[35] ")
            });
            times.push(start.elapsed().as_secs_f64());
            subnet.say(&format!("ReLink \"{LEAF}\"[35]"));
            until("the old way", || watcher.ask(&probe).is_ok_and(|way| way.lines[0] == original));
        }
        drop(guard);
        told = clients.into_iter().map(|c| c.join().expect("a client that was answered well")).collect();
    });
    // Every answer that anybody got is that of the generation it named.
    let newest = store::numbers(&dir).expect("numbers").pop().expect("a generation");
    let all: BTreeMap<u64, Generation> = (1..=newest).map(|n| (n, generation(&dir, n))).collect();
    let mut checked = 0;
    for ((number, i), line) in told.iter().flatten() {
        assert_eq!(format!("@{number} {line}"), ask(&all[number], &lines[*i]));
        checked += 1;
    }
    let named: std::collections::BTreeSet<u64> = told.iter().flatten().map(|t| t.0.0).collect();
    eprintln!("new routes after {times:.2?} s; {checked} different answers of generations {named:?} checked");
    // Three cuts and three repairs make seven generations; the clients may end before they ask the last.
    assert!(newest >= 7 && named.len() >= 6 && checked > 10_000, "{newest} generations, heard of {named:?}");
    let best = times.into_iter().fold(f64::INFINITY, f64::min);
    assert!(best < 2.0, "the service needs {best:.1} s to learn of a new route");
    for number in 1..=newest {
        let manifest = store::manifest(&dir, number).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((manifest.counts["broken_pairs"], manifest.counts["pairs"]), (0, 64 * 63));
    }
}

/// Blocks of tables get lost: `dump_fts` prints others in their place and ends
/// with status 0. What is published is right, or nothing is.
#[test]
fn lost_packets_never_make_a_generation() {
    if !tools() {
        return;
    }
    let mut subnet = Subnet::start("lost", &net());
    let collect = |subnet: &Subnet, out: &str| {
        // Lost packets are waited for, so not for long.
        let tools = "[collect]\nvia = \"ibsim-run\"\ntables = \"dump_fts -n -t 20\"\nattempts = 4\n";
        std::fs::write(subnet.dir.join("hopline.toml"), tools).expect("hopline.toml");
        let words = ["fabric", "collect", "--out", out, "--config", "hopline.toml"];
        let status = subnet.command(env!("CARGO_BIN_EXE_hopline"), &words).status().expect("hopline");
        (status.success(), text(&subnet.dir.join("hopline.stderr")))
    };
    assert_eq!(collect(&subnet, "sound"), (true, String::new()));
    let sound = generation(&subnet.dir.join("sound"), 1).atlas;
    let mut refused = 0;
    for percent in [70, 90, 50] {
        // Attribute 25 is the linear forwarding table.
        subnet.say(&format!("Error \"{LEAF}\" {percent} 25"));
        std::thread::sleep(Duration::from_millis(50));
        let (done, said) = collect(&subnet, "lost");
        refused += said.matches("not published").count() + usize::from(!done);
        let out = subnet.dir.join("lost");
        for number in if out.is_dir() { store::numbers(&out).expect("numbers") } else { Vec::new() } {
            assert_eq!(generation(&out, number).atlas, sound, "{percent} %: {said}");
        }
    }
    assert!(refused > 0, "no packet was lost, so nothing was tested");
    subnet.say(&format!("Error \"{LEAF}\" 0 25"));
    std::thread::sleep(Duration::from_millis(50));
    assert!(collect(&subnet, "after").0);
    assert_eq!(generation(&subnet.dir.join("after"), 1).atlas, sound);
    eprintln!("{refused} dumps with lost blocks were refused");
}

/// `dump_fts` loses the top LID where it is a multiple of 64; the collector does not.
#[test]
fn the_top_lid_is_collected() {
    if !tools() {
        return;
    }
    let net = net_of_64(&std::env::temp_dir());
    let subnet = Subnet::start("top64", &net);
    std::fs::remove_file(&net).expect("read by now");
    let words = ["fabric", "collect", "--out", "store", "--via", "ibsim-run"];
    let status = subnet.command(env!("CARGO_BIN_EXE_hopline"), &words).status().expect("hopline");
    assert!(status.success(), "{}", text(&subnet.dir.join("hopline.stderr")));
    let dir = subnet.dir.join("store");
    let g = generation(&dir, 1);
    assert_eq!((g.atlas.owner(64).is_some(), g.atlas.owner(65)), (true, None), "the fabric has LIDs 1 to 64");
    assert_eq!(g.atlas.verify().broken, 0);
    let notes = store::manifest(&dir, 1).expect("a manifest").notes;
    assert!(notes.iter().any(|n| n.starts_with("LID 64, which the tool had lost")), "{notes:?}");
}
