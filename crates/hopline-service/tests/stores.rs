//! Whose a store is, and what is not followed in it.

mod common;

use common::{Scratch, dump, get, publish, start, until};
use hopline_service::blamed::{self, Blamed};
use hopline_service::heartbeat::{FILE, Heartbeat};
use hopline_service::limits::Limits;
use hopline_service::store::{self, MANIFEST, ROUTES, Source, TABLES};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

fn published(scratch: &Scratch) -> PathBuf {
    let dir = scratch.0.join("store");
    assert_eq!(publish(&dir, &dump("lmc1-8", "ibnetdiscover.txt"), &dump("lmc1-8", "dump_fts_n.txt")), 1);
    dir
}

fn refused(dir: &Path, number: u64) -> String {
    Source::Store(dir.into()).load(number).expect_err("refused").to_string()
}

/// Puts a link in the place of a file, to the same file elsewhere.
fn away(path: &Path, to: &Path) {
    fs::rename(path, to).and_then(|()| symlink(to, path)).expect("a link");
}

#[test]
fn a_store_is_for_its_owner_alone() {
    let scratch = Scratch::new("owner");
    let dir = published(&scratch);
    assert_eq!(fs::metadata(&dir).expect("a store").permissions().mode() & 0o777, 0o700);
    fs::set_permissions(&dir, Permissions::from_mode(0o777)).expect("open");
    let told = refused(&dir, 1);
    assert!(told.contains("everybody may write there") && told.contains("chmod o-w"), "{told}");
    let open = scratch.0.join("open");
    fs::create_dir(&open).and_then(|()| fs::set_permissions(&open, Permissions::from_mode(0o777))).expect("a folder");
    assert!(blamed::folder(&open).is_err() && !open.join("blame").exists());
    fs::set_permissions(&dir, Permissions::from_mode(0o755)).expect("as systemd makes it");
    Source::Store(dir.clone()).load(1).expect("trusted");
    // Root alone can give files away.
    if chown(store::path(&dir, 1).join(MANIFEST), Some(4242), None).is_ok() {
        let told = refused(&dir, 1);
        assert!(told.contains("belongs to user 4242, expected root or user 0"), "{told}");
        chown(store::path(&dir, 1).join(MANIFEST), Some(0), None).expect("given back");
        chown(&dir, Some(4242), None).expect("given away");
        assert!(refused(&dir, 1).contains("belongs to user 4242"));
    }
}

#[test]
fn no_link_is_followed_in_a_store() {
    let scratch = Scratch::new("links");
    let dir = published(&scratch);
    let home = store::path(&dir, 1);
    symlink(&home, store::path(&dir, 2)).expect("a link");
    let told = refused(&dir, 2);
    assert!(told.contains("no link is followed in a store"), "{told}");
    let (source, other) = (Source::Store(dir.clone()), scratch.0.join("other"));
    // The routes are made anew of the dumps; without these there is nothing.
    away(&home.join(ROUTES), &other);
    source.load(1).expect("from the dumps");
    away(&home.join(TABLES), &scratch.0.join("tables"));
    assert!(refused(&dir, 1).contains("dump_fts_n.txt: a link, and none is followed in a store"));
    away(&home.join(MANIFEST), &scratch.0.join("manifest"));
    assert!(refused(&dir, 1).contains("manifest.json: a link"));
    // The way to the store may be one.
    let (elsewhere, way) = (Scratch::new("links-other"), scratch.0.join("way"));
    symlink(published(&elsewhere), &way).expect("a link");
    Source::Store(way).load(1).expect("trusted");
}

#[test]
fn what_others_say_in_a_store_is_looked_at_before_it_is_believed() {
    let scratch = Scratch::new("said");
    let dir = published(&scratch);
    let beat = dir.join(FILE);
    for (text, good) in [
        ("{\"time\": 1.0, \"beat\": 5.0, \"failure\": \"a\\nb\"}", true),
        ("{\"time\": 1e999}", false),
        ("{\"time\": \"soon\"}", false),
        ("7", false),
        (&format!("{{\"failure\": \"{}\"}}", "x".repeat(1 << 17)), false),
    ] {
        fs::write(&beat, text).expect("a sign of life");
        assert_eq!(Heartbeat::read(&dir).is_some(), good, "{text:.80}");
    }
    fs::remove_file(&beat).expect("a file");
    let made = Command::new("mkfifo").arg(&beat).status().expect("mkfifo");
    assert!(made.success() && Heartbeat::read(&dir).is_none(), "and nobody waits for a writer");
    let answer = "{\"verdict\":{\"kind\":\"nothing\",\"sentence\":\"All is well.\"},\"suspects\":[]}";
    fs::write(scratch.0.join("answer"), answer).expect("an answer");
    blamed::folder(&dir).expect("a folder");
    symlink(scratch.0.join("answer"), dir.join("blame/2026-01-01T00:00:00Z-000.json")).expect("a link");
    assert_eq!(Blamed::last(&dir), None);
    // A server of that store says so of the collector, and answers all the same; what is no time at all changes nothing.
    fs::remove_file(&beat).expect("a pipe");
    fs::write(&beat, "{\"time\": -1e300, \"beat\": -5, \"failing_since\": 1e300, \"failure\": \"\\u0007\\n# EOF\\n\"}")
        .expect("odd");
    let server = start(&dir, Limits::default());
    until("warned", || get(&server, "/healthz").0.contains("503"));
    let metrics = get(&server, "/metrics").1;
    assert!(metrics.ends_with("# EOF\n") && metrics.matches("# EOF").count() == 1, "{metrics}");
    assert!(get(&server, "/groups").0.contains("200"));
}
