//! The page of papers: each row names commands that run, tests that exist or items of a study. That studies have these
//! items is seen where the studies run (`crates/hopline-study/tests/*.rs`).

mod common;

use common::{Scratch, root};
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Rows of the page's tables: the paper's heading and the cells.
fn rows() -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(root().join("docs/src/papers.md")).expect("docs/src/papers.md");
    let mut paper = String::new();
    let mut rows = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            paper = heading.to_string();
        } else if line.starts_with("| ") && !line.starts_with("| place ") && !line.starts_with("| ---") {
            let cells = line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_string()).collect();
            rows.push((paper.clone(), cells));
        }
    }
    rows
}

/// What stands between backticks in a row's last cell.
fn quoted(cells: &[String]) -> Vec<&str> {
    cells.last().map(|cell| cell.split('`').skip(1).step_by(2).collect()).unwrap_or_default()
}

/// Whether a file has a test of that name, and not one that only runs where it is asked for by name.
fn is_run(text: &str, function: &str) -> bool {
    let Some(at) = text.find(&format!("fn {function}(")) else { return false };
    let line = text[..at].rfind('\n').unwrap_or(0);
    let above = text[..line].lines().rev().map(str::trim);
    let attributes: Vec<&str> = above.take_while(|line| line.starts_with("#[") || line.starts_with("//")).collect();
    attributes.contains(&"#[test]") && !attributes.iter().any(|line| line.starts_with("#[ignore"))
}

#[test]
fn ignored_tests_and_helpers_stand_for_nothing() {
    let text =
        "fn helper() {}\n\n/// Words.\n#[test]\nfn runs() {}\n\n#[test]\n#[ignore = \"measures\"]\nfn rests() {}\n";
    assert_eq!(["runs", "rests", "helper", "absent"].map(|f| is_run(text, f)), [true, false, false, false]);
}

#[test]
fn every_row_names_what_stands_for_it() {
    let rows = rows();
    assert!(rows.len() > 150, "{} rows", rows.len());
    for (paper, cells) in &rows {
        assert_eq!(cells.len(), 3, "{paper}: {cells:?}");
        let last = &cells[2];
        let named = last.contains('`') || last.split('*').count() > 2 || last.starts_with("not built: ");
        assert!(named, "{paper}: {cells:?}");
        for test in quoted(cells).into_iter().filter(|word| word.contains(".rs")) {
            let (file, function) = test.split_once("::").unwrap_or((test, ""));
            let text = fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{paper}: {test}: {e}"));
            let there = function.is_empty() || is_run(&text, function);
            assert!(there, "{paper}: {file} has no test {function} that runs");
        }
    }
}

#[test]
fn the_commands_of_the_page_run() {
    let rows = rows();
    let mut lines: Vec<&str> =
        rows.iter().flat_map(|(_, cells)| quoted(cells)).filter(|w| w.starts_with("hopline ")).collect();
    lines.sort_unstable();
    lines.dedup();
    assert!(lines.len() > 40, "{lines:#?}");
    let dir = Scratch::new("papers");
    for shared in ["testdata", "examples", "docs"] {
        std::os::unix::fs::symlink(root().join(shared), dir.path(shared)).expect("a link");
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(line) = lines.get(next.fetch_add(1, Relaxed)) {
                    // Studies are run by their own tests; a program of the user's is not here.
                    let asked = match line.split_whitespace().nth(1) {
                        Some("reproduce") => format!("{} --help", line.split(" --").next().unwrap_or(line)),
                        Some("record") => "hopline record run --help".to_string(),
                        _ => line.to_string(),
                    };
                    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_hopline")).parent().expect("target");
                    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
                    let ran =
                        Command::new("bash").args(["-c", &asked]).current_dir(dir.path("")).env("PATH", path).output();
                    let ran = ran.expect("bash");
                    assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
                }
            });
        }
    });
}
