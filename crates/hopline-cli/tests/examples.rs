//! Every scenario of `examples/` says what it is for and how it is run, and runs so.

mod common;

use common::{Scratch, root};
use std::fs;

/// The scenarios, as a user types them: `examples/NAME.toml`.
fn scenarios() -> Vec<String> {
    let entries = fs::read_dir(root().join("examples")).expect("examples");
    let names = entries.map(|e| e.expect("entry").file_name().to_string_lossy().into_owned());
    let mut paths: Vec<String> = names.filter(|n| n.ends_with(".toml")).map(|n| format!("examples/{n}")).collect();
    paths.sort();
    assert!(!paths.is_empty(), "the search for examples has gone blind");
    paths
}

/// The `hopline ...` line of a scenario's comment, without `hopline`.
fn command_line<'a>(path: &str, text: &'a str) -> &'a str {
    let comment: Vec<&str> =
        text.lines().take_while(|l| l.starts_with('#')).map(|l| l.trim_start_matches('#').trim()).collect();
    let question = comment.first().unwrap_or_else(|| panic!("{path}: the first line is no comment"));
    assert!(
        question.ends_with('?') && !question.starts_with("hopline"),
        "{path}:1: `{question}` is not the question that the scenario answers"
    );
    let command = comment.iter().find_map(|line| line.strip_prefix("hopline "));
    let command = command.unwrap_or_else(|| panic!("{path}: no line of its comment is a `hopline` command"));
    assert!(command.contains(path), "{path}: `{command}` runs something else");
    command
}

#[test]
fn every_example_runs_as_its_comment_says() {
    let dir = Scratch::new("examples");
    for path in scenarios() {
        let text = fs::read_to_string(root().join(&path)).expect(&path);
        // What it exports goes elsewhere than into the checkout.
        let words = command_line(&path, &text).split_whitespace().map(|word| match word.split_once('=') {
            Some((format @ ("rankfile" | "hostfile"), file)) => format!("{format}=DIR/{file}"),
            _ => word.to_string(),
        });
        let line = words.collect::<Vec<_>>().join(" ").replace(" --out ", " --out DIR/");
        let ran = dir.hopline(&line);
        assert_eq!(ran.code, Some(0), "hopline {line}\n{}", ran.stderr);
        let answer = if line.starts_with("sweep ") { ", 0 failed" } else { " tasks on " };
        assert!(ran.stdout.contains(answer), "hopline {line}\n{}", ran.stdout);
        for file in line.split_whitespace().filter_map(|word| word.split_once("=DIR/")) {
            assert_ne!(dir.read(file.1), "", "hopline {line} wrote an empty {}", file.0);
        }
    }
}
