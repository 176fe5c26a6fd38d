//! What people see: the text of every command, compared with `snapshots/`.
//! After a change that is meant, `INSTA_UPDATE=always cargo test --test snapshots`
//! writes them anew.

mod common;

use common::{Scratch, hopline, without_way};
use serde_json::Value;

fn compare(name: &str, line: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(format!("hopline {line}"));
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// The command succeeds with nothing on stderr and prints the snapshot.
fn shows(name: &str, line: &str) {
    let ran = hopline(line);
    assert_eq!(ran.stderr, "", "{line}");
    let text = ran.done();
    // A snapshot would not show blanks at the ends of lines.
    let trailing = text.lines().find(|l| *l != l.trim_end());
    assert_eq!(trailing, None, "{line}");
    compare(name, line, &text);
}

#[test]
fn load() {
    shows(
        "load-percs",
        "load --topology percs:ns=32,nd=4 --routing direct --traffic halo:grid=64x64 --mapping mod-coloring",
    );
    shows("load-dragonfly", "load --topology dragonfly:p=2,a=4,h=2 --traffic bit-complement --hottest 3");
}

#[test]
fn map() {
    shows("map-my-job", "map examples/place-my-job.toml");
    shows("map-percs", "map examples/percs-halo.toml");
    shows(
        "map-routings",
        "map --topology percs:ns=16,nd=4 --routing direct,indirect --traffic halo:grid=32x64 --mapping \
         default,supernode-sequential,mod-coloring",
    );
    shows("map-one", "map --topology torus:dims=4x4 --traffic halo:grid=4x4");
    shows("map-linear", "map examples/linear-transpose.toml");
}

#[test]
fn power() {
    shows(
        "power-rack64",
        "power --fabric testdata/fabrics/rack64 --traffic halo:grid=4x4 --spare --list 3 --mapping default,random",
    );
    shows(
        "power-roots",
        "power --topology fat-tree:k=4,n=3,host=1 --traffic halo:grid=8x8 --routing d-mod-k,d-mod-k:roots=4,d-mod-k:roots=1",
    );
    shows(
        "power-policies",
        "power --topology percs:ns=2,nd=1,slots=1 --schedule milc:grid=4x4x2x2,steps=6,compute=2000000 --policy \
         static,learn,threshold:iterations=0,threshold,predict,scale",
    );
}

#[test]
fn fabric_show() {
    shows("show-tables", "fabric show --fabric testdata/fabrics/rack64");
    shows("show-assumed", "fabric show --topology file:path=testdata/fabrics/rack64,tables=none");
    shows("show-model", "fabric show --topology percs:ns=4,nd=2");
}

#[test]
fn fabric_whatif() {
    shows("whatif-cable", "fabric whatif --fabric testdata/fabrics/rack64 --without leaf01[36]");
    shows("whatif-leaf", "fabric whatif --fabric testdata/fabrics/rack64 --without leaf08");
    shows("whatif-model", "fabric whatif --topology torus:dims=4x4 --without t0-0 --traffic halo:grid=4x4");
    shows("whatif-each-link", "fabric whatif --fabric testdata/fabrics/rack64 --each link --list 3");
    shows("whatif-each-switch", "fabric whatif --fabric testdata/fabrics/rack64 --each switch");
    shows("whatif-each-leaf", "fabric whatif --topology fat-tree:k=2,n=3 --each leaf");
    let dir = Scratch::new("snapshots-whatif");
    dir.rack64_slow_host("slow");
    let ran = dir.hopline("fabric whatif --fabric DIR/slow --without spine02");
    compare("whatif-slow-host", "fabric whatif --fabric DIR/slow --without spine02", &ran.done());
    let ran = dir.hopline("fabric whatif --fabric DIR/slow --each switch --list 3");
    compare("whatif-each-slow-host", "fabric whatif --fabric DIR/slow --each switch --list 3", &ran.done());
}

#[test]
fn fabric_diff() {
    shows("diff-same", "fabric diff testdata/fabrics/rack64 testdata/fabrics/rack64");
    let dir = Scratch::new("snapshots-diff");
    dir.rack64_slow_host("slow");
    for (name, line) in [
        ("diff-slow-host", "fabric diff testdata/fabrics/rack64 DIR/slow"),
        ("diff-plan", "fabric diff testdata/fabrics/rack64-plan.csv testdata/fabrics/rack64"),
        ("diff-model", "fabric diff torus:dims=4x4,bandwidth=4 torus:dims=4x4,bandwidth=2 --list 2"),
    ] {
        let ran = dir.hopline(line);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(3), ""), "{line}");
        compare(name, line, &ran.stdout);
    }
}

#[test]
fn training() {
    let machine = "load --topology fat-tree:pods=1,servers=16,bandwidth=50,host=50,slots=8";
    let job = "workload:model=gpt-13b,tp=8,pp=2,dp=8,global=128";
    shows("load-training", &format!("{machine} --traffic {job}"));
    shows("load-training-aicb", &format!("{machine} --traffic {job},rules=aicb"));
}

#[test]
fn fabric_parts() {
    shows("show-switches", "fabric show --fabric testdata/fabrics/rack64 --switches");
    let text = hopline("fabric show --fabric testdata/fabrics/rack64 --hosts").done();
    let first: Vec<&str> = text.lines().take(5).collect();
    compare("show-hosts", "fabric show --fabric testdata/fabrics/rack64 --hosts | head -5", &first.join("\n"));
}

#[test]
fn fabric_route() {
    shows("route-tables", "fabric route --fabric testdata/fabrics/rack64 node001 node064");
    shows("route-shares", "fabric route --topology percs:ns=4,nd=2 --routing direct s0n0 s1n9");
    shows("route-more", "fabric route --topology percs:ns=4,nd=4 --routing direct --paths 1 s0n0 s1n9");
}

#[test]
fn fabric_check() {
    shows("check-good", "fabric check --fabric testdata/fabrics/rack64");
    let dir = Scratch::new("snapshots-check");
    // LID 5 is node064, which the hosts of leaf01 then cannot reach.
    dir.rack64("broken", |tables| without_way(tables, "leaf01/U1", "0x0005"));
    let ran = dir.hopline("fabric check --fabric DIR/broken");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(3), ""), "a check that finds something");
    compare("check-broken", "fabric check --fabric DIR/broken", &ran.stdout);
}

#[test]
fn lists_and_help() {
    shows("list", "list");
    shows("explain-mod-coloring", "explain mod-coloring");
    shows("explain-coloring", "explain coloring");
    // The parser of the command line leaves blanks at the ends of lines.
    let help = hopline("--help").done();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    compare("help", "--help", &lines.join("\n"));
}

/// A study without the progress of its stages: what it tells people, other programs, and what it writes. The one whose simulations
/// are kept; what the others compute is in tests of theirs.
#[test]
fn reproduce() {
    let scratch = Scratch::new("reproduce");
    let ran = scratch.hopline("reproduce dragonfly --out DIR/human");
    compare("reproduce-dragonfly", "reproduce dragonfly", &ran.done());
    let ran = scratch.hopline("reproduce dragonfly --out DIR/json --report DIR/page.html --format json");
    let outcome: Value = serde_json::from_str(&ran.done()).expect("JSON");
    assert_eq!((&outcome["study"], &outcome["differing"]), (&"dragonfly".into(), &0.into()));
    let entries = outcome["entries"].as_array().expect("entries");
    let row = |e: &&Value| {
        e["item"].as_str().is_some_and(|item| item.starts_with("Figures 3a, 3b")) && e["row"]["endpoints"] == 1056
    };
    let cells: Vec<_> = entries.iter().filter(row).collect();
    let columns: Vec<_> = cells.iter().map(|e| e["column"].as_str().unwrap_or_default()).collect();
    assert_eq!(columns, ["shortest path", "ValiantRestricted", "ValiantAny", "ValiantRestricted, random groups"]);
    assert_eq!((&cells[2]["published"], &cells[2]["verdict"]), (&"33-43".into(), &"match".into()));
    for cell in cells {
        assert!(["spread", "percentile", "note"].iter().all(|key| cell.get(key).is_some()), "{cell}");
    }
    assert_eq!(scratch.read("page.html"), scratch.read("json/index.html"));
    for file in ["index.html", "figures-3a-3b-bit-complement.svg", "throughput-against-load-shift.svg"] {
        let text = scratch.read(&format!("human/{file}"));
        assert!(text.contains("<svg") && text.contains("published"), "{file}");
        let text = text.replace("href=\"data:,\"", "");
        assert!(!text.contains("src=") && !text.contains("href="), "{file} loads something from elsewhere");
    }
}
