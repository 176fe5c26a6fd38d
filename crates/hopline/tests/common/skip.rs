//! Tests that this machine cannot run: they say so, and `./check` lists them by name.
#![allow(clippy::print_stderr, dead_code, unreachable_pub, reason = "skipped tests say why; each crate uses a part")]

use std::io::Write;

/// Says why the test that calls is skipped: to people, and in the file `$HOPLINE_SKIPPED`, a line each.
pub fn skip(why: impl std::fmt::Display) {
    let binary = std::env::current_exe().unwrap_or_default();
    let file = binary.file_name().unwrap_or_default().to_string_lossy();
    let file = file.rsplit_once('-').map_or(&*file, |(name, _)| name);
    let thread = std::thread::current();
    let line = format!("{file} {}: {why}\n", thread.name().unwrap_or("?"));
    eprint!("skipped: {line}");
    if let Some(path) = std::env::var_os("HOPLINE_SKIPPED") {
        let open = std::fs::OpenOptions::new().create(true).append(true).open(&path);
        open.and_then(|mut file| file.write_all(line.as_bytes())).unwrap_or_else(|e| panic!("HOPLINE_SKIPPED: {e}"));
    }
}

/// A file or folder of real data, below `$HOPLINE_DATA` or in `../shared/data` beside the checkout; the test is
/// skipped where there is none.
///
/// # Panics
/// `HOPLINE_DATA` is set, and the file is missing.
pub fn data(name: &str) -> Option<String> {
    let given = std::env::var("HOPLINE_DATA").ok().filter(|dir| !dir.is_empty());
    let dir = given.clone().unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into());
    let path = format!("{dir}/{name}");
    if std::path::Path::new(&path).exists() {
        return Some(path);
    }
    assert!(given.is_none(), "HOPLINE_DATA is set, but {path} is missing");
    skip(format!("{path} is not on this machine, nor is HOPLINE_DATA set"));
    None
}

/// As [`skip`], for what `./check` installs: on a machine that runs all tests it must be there.
pub fn absent(what: impl std::fmt::Display) {
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{what}: ./check installs it");
    skip(what);
}

/// Whether tests that take long are wanted.
pub fn is_slow() -> bool {
    std::env::var_os("HOPLINE_SLOW").is_some()
}

/// The same; the test is skipped where they are not.
pub fn slow(takes: &str) -> bool {
    if !is_slow() {
        skip(format!("takes {takes}; HOPLINE_SLOW or ./check --full runs it"));
    }
    is_slow()
}
