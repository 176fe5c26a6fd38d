//! The guide's page on extending Hopline, applied to a copy of the source: what it adds must pass the tests that every entry
//! passes.

mod common;

use common::slow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Fenced blocks of one language, with the line before each that is not empty.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<(&'a str, &'a str)> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once(&format!("```{language}\n")) {
        let (block, next) = after.split_once("```\n").expect("a block ends");
        // Examples inside the comments of a file are fenced as well.
        let (mut block, mut next) = (block.to_string(), next);
        while block.lines().last().is_some_and(|line| line.starts_with("///")) {
            let (more, after) = next.split_once("```\n").expect("a block ends");
            block = format!("{block}```\n{more}");
            next = after;
        }
        let title = before.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("");
        found.push((title, &after[..block.len()]));
        rest = next;
    }
    found
}

/// Writes what is not there yet: what keeps its time is not built again.
fn write(to: &Path, content: &[u8]) {
    if fs::read(to).ok().as_deref() != Some(content) {
        fs::write(to, content).expect("a file is written");
    }
}

/// Copies a file, or all of a directory, but for what the page changes; of what was copied before nothing stays that is gone.
fn copy(from: &Path, to: &Path, changed: &BTreeMap<PathBuf, String>) {
    if from.is_dir() {
        fs::create_dir_all(to).expect("a directory");
        for old in fs::read_dir(to).expect("a directory").flatten().map(|entry| entry.path()) {
            let stays = changed.contains_key(&old) || from.join(old.file_name().expect("a name")).exists();
            match stays {
                true => {}
                false if old.is_dir() => fs::remove_dir_all(&old).expect("removed"),
                false => fs::remove_file(&old).expect("removed"),
            }
        }
        for entry in fs::read_dir(from).expect("a directory").flatten() {
            copy(&entry.path(), &to.join(entry.file_name()), changed);
        }
    } else if !changed.contains_key(to) {
        write(to, &fs::read(from).expect("a file"));
    }
}

/// Lines of a diff that stand in the old text, and in the new one.
fn sides(diff: &str) -> (String, String) {
    let side = |other: char| {
        let lines = diff.lines().filter(|line| !line.starts_with(other));
        lines.map(|line| format!("{}\n", &line[1..])).collect::<String>()
    };
    (side('+'), side('-'))
}

#[test]
fn the_page_adds_entries_that_pass_the_tests_of_all() {
    let (source, built) = (root(), Path::new(env!("CARGO_TARGET_TMPDIR")));
    let copied = built.join("extended");
    fs::create_dir_all(&copied).expect("a directory");
    let page = fs::read_to_string(source.join("docs/src/extend.md")).expect("the page");
    let mut changed = BTreeMap::new();
    for (title, code) in blocks(&page, "rust") {
        let path = title.split('`').nth(1).unwrap_or_else(|| panic!("no path in {title:?}"));
        assert!(!source.join(path).exists(), "{path} is there already");
        changed.insert(copied.join(path), code.to_string());
    }
    assert_eq!(changed.len(), 4);
    for (_, diff) in blocks(&page, "diff") {
        let (path, diff) = diff.strip_prefix("--- ").and_then(|d| d.split_once('\n')).expect("a path");
        let (old, new) = sides(diff);
        let original = || fs::read_to_string(source.join(path)).expect("a file to change");
        let text = changed.entry(copied.join(path)).or_insert_with(original);
        assert_eq!(text.matches(&old).count(), 1, "{path}: not found once:\n{old}");
        *text = text.replace(&old, &new);
    }
    for part in ["Cargo.toml", "Cargo.lock", "crates", "testdata", "examples", "docs", "README.md", "rustfmt.toml"] {
        copy(&source.join(part), &copied.join(part), &changed);
    }
    changed.iter().for_each(|(path, text)| write(path, text.as_bytes()));
    // Whoever starts from these files wants `cargo fmt` to leave them alone.
    for path in changed.keys().filter(|path| !path.ends_with("mod.rs")) {
        let formatted =
            Command::new("rustfmt").args(["--edition", "2024", "--check"]).arg(path).output().expect("rustfmt");
        let told = [formatted.stdout, formatted.stderr].concat();
        assert!(formatted.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&told));
    }

    if !slow("2 minutes: the library is built with what the page adds") {
        return;
    }
    let tests = ["--test", "lists", "--test", "routings", "--test", "typed"];
    let mut cargo = Command::new(env!("CARGO"));
    // These tests run for seconds: to optimise the library would take longer than it saves.
    cargo.args(["--config", "profile.dev.package.hopline.opt-level=0"]);
    // With the options of the build around this one, its crates would take the place of those, which all would be built again.
    cargo.args(["--config", "profile.dev.package.hopline-trees.opt-level=2"]);
    cargo.args(["test", "--quiet", "--locked", "--package", "hopline", "--all-features"]).args(tests);
    cargo.current_dir(&copied).env("CARGO_TARGET_DIR", built.parent().unwrap_or(built));
    let ran = cargo.output().expect("cargo");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && !told.contains("warning: "), "{}{told}", String::from_utf8_lossy(&ran.stdout));
}
