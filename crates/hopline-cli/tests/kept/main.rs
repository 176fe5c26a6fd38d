//! What versions of Hopline wrote (`testdata/kept`, a folder for each) is read, or refused in one line that says so.

#[path = "../common/mod.rs"]
mod common;
mod keys;
mod later;

use common::{Ran, Scratch, hopline, root};
use std::fs;
use std::path::{Path, PathBuf};

const OWN: &str = env!("CARGO_PKG_VERSION");
/// What `testdata/kept/make` says to keep the state of a simulation.
const FLITS: &str = "flits --topology torus:dims=2x2 --traffic uniform --load 0.1,0.2 --cycles 200";

/// The folder of a version, as the command line names it.
fn folder(version: &str) -> String {
    format!("testdata/kept/{version}")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut names: Vec<String> = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into()).collect();
    names.sort();
    names
}

fn versions() -> Vec<String> {
    let kept = root().join("testdata/kept");
    let found: Vec<String> = names(&kept).into_iter().filter(|name| kept.join(name).is_dir()).collect();
    assert!(found.iter().any(|version| version == OWN), "{OWN} keeps nothing yet: testdata/kept/README.md says how");
    found
}

/// Paths of the results that a version printed.
fn results(version: &str) -> Vec<String> {
    let folder = folder(version) + "/results";
    names(&root().join(&folder)).iter().map(|name| format!("{folder}/{name}")).collect()
}

/// A copy of a file or a folder, that may be changed.
fn copy(from: &Path, to: &Path) -> PathBuf {
    if from.is_dir() {
        fs::create_dir_all(to).expect("a folder");
        names(from).iter().for_each(|name| drop(copy(&from.join(name), &to.join(name))));
    } else {
        fs::copy(from, to).expect("a file");
    }
    to.to_path_buf()
}

/// What this version wrote is read; of what another one wrote it may be said that it is another's.
#[track_caller]
fn read_or_refused(version: &str, line: &str, ran: &Ran) {
    if version != OWN && ran.code == Some(2) {
        return refused(line, ran);
    }
    assert!(matches!(ran.code, Some(0 | 3)), "{line}: {}", ran.stderr);
}

/// One line names the form, and what to do.
#[track_caller]
fn refused(line: &str, ran: &Ran) {
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{line}: {}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{line}: {}", ran.stderr);
    assert!(["form", "version"].iter().any(|word| ran.stderr.contains(word)), "{line}: {}", ran.stderr);
    assert!(ran.stderr.contains("; "), "{line} does not say what to do: {}", ran.stderr);
}

#[test]
fn every_form_of_results_is_kept() {
    let kept = results(OWN);
    // That of a fabric is a file of its own.
    for name in hopline_cli::embed::schemas().iter().filter(|name| **name != "fabric") {
        let is_that = |path: &String| path.contains(&format!("/{name}.json"));
        assert!(kept.iter().any(is_that), "testdata/kept/make writes no result of the form `{name}`");
    }
}

#[test]
fn results_are_read() {
    let desk = Scratch::new("kept-results");
    for version in versions() {
        for path in results(&version) {
            let line = format!("report {path} -o DIR/page.html");
            read_or_refused(&version, &line, &desk.hopline(&line));
        }
    }
}

#[test]
fn files_are_read() {
    let torus = "--topology torus:dims=2x2 --traffic halo:grid=2x2";
    for version in versions() {
        let kept = folder(&version);
        for line in [
            format!("fabric check --fabric {kept}/model.json"),
            format!("fabric show --fabric {kept}/insides.json"),
            format!("fabric route --fabric {kept}/machine.json node001 node008"),
            format!("fabric route --fabric {kept}/store/00000001 node001 node008"),
            format!("load {torus} --mapping file:{kept}/rankfile"),
            format!("record merge {kept}/recording"),
            format!("sweep show {kept}/sweep"),
            format!("blame history {kept}/store"),
        ] {
            read_or_refused(&version, &line, &hopline(&line));
        }
        let points = fs::read_to_string(root().join(&kept).join("points.txt")).expect("points");
        let points = hopline_study::read_points(&points, "points.txt").expect("points of a study");
        assert_eq!(points.len(), 3, "{version}");
    }
}

/// Forms of a fabric say the same of it.
#[test]
fn a_kept_machine_has_the_routes_of_its_dumps() {
    let route = |machine: &str| hopline(&format!("fabric route --fabric {machine} node001 node008")).done();
    let hops = |text: String| text.lines().filter(|line| line.contains("0x")).map(String::from).collect::<Vec<_>>();
    let expected = hops(route("testdata/fabrics/lmc1-8"));
    assert!(!expected.is_empty());
    let kept = folder(OWN);
    for machine in ["machine.json", "store/00000001"] {
        assert_eq!(hops(route(&format!("{kept}/{machine}"))), expected, "{machine}");
    }
}

#[test]
fn a_simulation_goes_on_from_its_state() {
    let desk = Scratch::new("kept-state");
    let whole = hopline(FLITS).done();
    for version in versions() {
        let state = copy(&root().join(folder(&version)).join("flits.state"), &desk.path("state"));
        let line = format!("{FLITS} --checkpoint {}", state.display());
        let ran = hopline(&line);
        read_or_refused(&version, &line, &ran);
        assert!(ran.code != Some(0) || ran.stdout == whole, "{version}: {}", ran.stdout);
    }
}

#[test]
fn a_sweep_goes_on_from_its_points() {
    let desk = Scratch::new("kept-sweep");
    copy(&root().join(folder(OWN)).join("sweep"), &desk.path("sweep"));
    let before = desk.read("sweep/results.jsonl");
    let logs = desk.names("sweep/points");
    desk.hopline("sweep testdata/kept/sweep.toml --out DIR/sweep").done();
    assert_eq!(
        (desk.read("sweep/results.jsonl"), desk.names("sweep/points")),
        (before, logs),
        "nothing is computed again"
    );
}

#[test]
fn a_generation_is_served() {
    for version in versions() {
        let store = root().join(folder(&version)).join("store");
        let source = hopline_service::store::Source::open(&store).expect("a store");
        let (generation, warning) = source.load_newest().expect("a generation");
        assert_eq!((generation.number, warning.as_str()), (1, ""), "{version}");
        let routes = fs::read(store.join("00000001/routes.atlas")).expect("routes");
        let laid_out = hopline_service::atlas::Atlas::from_bytes(&routes);
        assert!(version != OWN || laid_out.is_ok(), "the dumps alone are read");
    }
}
