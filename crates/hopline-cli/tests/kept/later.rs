//! Forms that are still to come: what is kept, with a number that no version knows yet, is refused and never misread.

use super::common::{Scratch, hopline, root};
use super::{FLITS, OWN, copy, folder, refused};
use std::fs;
use std::io::Read as _;
use std::path::Path;

/// A text that may be packed.
pub(super) fn text(path: &Path) -> String {
    let bytes = fs::read(path).expect("kept");
    if path.extension().is_none_or(|ending| ending != "gz") {
        return String::from_utf8(bytes).expect("UTF-8");
    }
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).expect("gzip");
    text
}

/// The same text of a version that is still to come.
fn later(text: &str) -> String {
    let (before, rest) = text.split_once("\"schema\"").expect("a form");
    let (number, rest) = rest.split_once("/1\"").expect("form 1");
    let version = format!("\"{OWN}\"");
    assert!(rest.contains(&version), "it names its version");
    format!("{before}\"schema\"{number}/99\"{}", rest.replacen(&version, "\"99.0.0\"", 1))
}

/// Puts other bytes in the place of some, which are there.
fn change(path: &Path, from: &[u8], to: &[u8]) {
    let bytes = fs::read(path).expect("kept");
    let at = bytes.windows(from.len()).position(|window| window == from).expect("what is to be changed");
    fs::write(path, [&bytes[..at], to, &bytes[at + from.len()..]].concat()).expect("changed");
}

#[test]
fn results() {
    let desk = Scratch::new("kept-later-results");
    for path in super::results(OWN) {
        let written = desk.write("later.json", later(&text(&root().join(&path))));
        let line = format!("report {} -o DIR/page.html", written.display());
        let ran = desk.hopline(&line);
        refused(&path, &ran);
        assert!(ran.stderr.contains("99.0.0") && ran.stderr.contains("/99`"), "{path}: {}", ran.stderr);
        assert!(!desk.path("page.html").exists(), "{path}");
    }
}

#[test]
fn answers_of_blame() {
    let desk = Scratch::new("kept-later-answers");
    let kept = root().join(folder(OWN));
    let answer = desk.write("later.json", later(&text(&kept.join("results/blame.json"))));
    let line = format!("blame plan --fabric testdata/fabrics/rack64 --answer {}", answer.display());
    refused(&line, &hopline(&line));
    // In a store it is left out, and the others are told.
    let store = copy(&kept.join("store"), &desk.path("store"));
    copy(&answer, &store.join("blame/2099-01-01T00:00:00Z-000.json"));
    let told = hopline(&format!("blame history {}", store.display())).done();
    assert!(told.contains("2099-01-01T00:00:00Z-000.json: left out"), "{told}");
    assert!(hopline_service::blamed::Blamed::last(&store).is_some_and(|last| !last.name.starts_with("2099")));
}

/// A fabric, a recording, a state, a sweep: each by its own mark.
#[test]
fn files() {
    let refuses = |name: &str, inner: &str, [from, to]: [&str; 2], command: &str| {
        let desk = Scratch::new(&format!("kept-later-{name}"));
        let path = copy(&root().join(folder(OWN)).join(name), &desk.path(name));
        change(&if inner.is_empty() { path.clone() } else { path.join(inner) }, from.as_bytes(), to.as_bytes());
        let line = format!("{command} {}", path.display());
        refused(&line, &hopline(&line));
    };
    let fabric = ["\"hopline_fabric\": 1,", "\"hopline_fabric\": 99, \"more\": 1,"];
    refuses("model.json", "", fabric, "fabric show --fabric");
    refuses("recording", "rank-0.hop", ["HOPLINE1", "HOPLINE9"], "record merge");
    refuses("flits.state", "", ["hopline flits 9\n", "hopline flits 99\n"], &format!("{FLITS} --checkpoint"));
    let own = format!("sweep-points/1\",\"version\":\"{OWN}\",\"command\"");
    let sweep = [own.as_str(), "sweep-points/99\",\"version\":\"99.0.0\",\"runs\""];
    refuses("sweep", "sweep.json", sweep, "sweep show");
}

/// Of a store with a generation of a later form the one before is served; laid out routes of a later form are made anew.
#[test]
fn generations() {
    let desk = Scratch::new("kept-later-store");
    let store = copy(&root().join(folder(OWN)).join("store"), &desk.path("store"));
    let source = hopline_service::store::Source::open(&store).expect("a store");
    let expected = source.load(1).expect("a generation").atlas;
    let newer = copy(&store.join("00000001"), &store.join("00000002"));
    change(&newer.join("manifest.json"), b"\"format\": 1,", b"\"format\": 99, \"counts\": 7,");
    let (generation, warning) = source.load_newest().expect("a generation");
    assert_eq!(generation.number, 1);
    assert!(warning.contains("form 99, expected 1"), "{warning}");
    change(&store.join("00000001/routes.atlas"), b"HOPATLAS\x01", b"HOPATLAS\x63");
    let (generation, _) = source.load_newest().expect("a generation");
    assert!(generation.number == 1 && generation.atlas == expected);
}
