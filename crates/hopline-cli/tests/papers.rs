//! The page of papers: each row names commands that run, tests that exist or items of a study. That studies have these
//! items is seen where the studies run (`crates/hopline-study/tests/*.rs`).

mod common;

use common::{Scratch, root};
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Rows of the papers' tables: the paper's heading and the cells.
fn rows() -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(root().join("docs/src/papers.md")).expect("docs/src/papers.md");
    let mut paper = String::new();
    let mut rows = Vec::new();
    // Before the first paper stand counts of values.
    for line in text.lines().skip_while(|line| !line.starts_with("## percs: ")) {
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

/// When a test runs that a file has.
#[derive(Debug, PartialEq)]
enum Runs {
    Always,
    /// In a run of `./check --full` alone.
    Slow,
    /// Where the data of `HOPLINE_DATA` are at hand.
    Data,
    /// Never, unless asked for by name; or there is no such test.
    Never,
}

impl Runs {
    /// How the page marks it.
    fn mark(&self) -> &'static str {
        match self {
            Runs::Slow => " (slow)",
            Runs::Data => " (data)",
            Runs::Always | Runs::Never => "",
        }
    }
}

/// When the test of that name runs.
fn runs(text: &str, function: &str) -> Runs {
    let Some(at) = text.find(&format!("fn {function}(")) else { return Runs::Never };
    let line = text[..at].rfind('\n').unwrap_or(0);
    let above = text[..line].lines().rev().map(str::trim);
    let attributes: Vec<&str> = above.take_while(|line| line.starts_with("#[") || line.starts_with("//")).collect();
    if !attributes.contains(&"#[test]") || attributes.iter().any(|line| line.starts_with("#[ignore")) {
        return Runs::Never;
    }
    let indent = text[line..at].trim_start_matches('\n');
    let end = text[at..].find(&format!("\n{indent}}}")).map_or(text.len(), |end| at + end);
    let asks = |begin: &str, what: &str| {
        text[at..end].lines().any(|line| line.trim().starts_with(begin) && line.contains(what))
    };
    match (asks("if !", "slow("), asks("let Some(", "data(\"")) {
        (true, _) => Runs::Slow,
        (_, true) => Runs::Data,
        _ => Runs::Always,
    }
}

#[test]
fn tests_that_rest_stand_for_nothing_unmarked() {
    let text = "fn helper() {}\n\n/// Words.\n#[test]\nfn runs() {\n    let n = if slow() { 9 } else { 1 };\n}\n\n\
                #[test]\n#[ignore = \"measures\"]\nfn rests() {}\n\n\
                #[test]\nfn waits() {\n    if !skip::slow(\"minutes\") {\n        return;\n    }\n}\n\n\
                mod tests {\n    #[test]\n    fn reads() {\n        let Some(dir) = data(\"fabrics\") else { return };\n    }\n}\n";
    let found = ["runs", "rests", "helper", "absent", "waits", "reads"].map(|f| runs(text, f));
    assert_eq!(found, [Runs::Always, Runs::Never, Runs::Never, Runs::Never, Runs::Slow, Runs::Data]);
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
            let runs = if function.is_empty() { Runs::Always } else { runs(&text, function) };
            assert_ne!(runs, Runs::Never, "{paper}: {file} has no test {function} that runs");
            let behind = last.split(&format!("`{test}`")).nth(1).unwrap_or_default();
            let marked = [Runs::Slow, Runs::Data].into_iter().find(|r| behind.starts_with(r.mark()));
            assert_eq!(marked.unwrap_or(Runs::Always), runs, "{paper}: the mark of {test}");
        }
    }
}

/// The last row of the table of counts has the sums of the others, where all are counted.
#[test]
fn the_papers_values_are_added_up() {
    let text = fs::read_to_string(root().join("docs/src/papers.md")).expect("docs/src/papers.md");
    let numbers = |line: &str| -> Vec<Option<u32>> {
        let cells = line.trim_end_matches('|').split('|').skip(1);
        cells.map(|cell| cell.trim().parse().ok()).collect()
    };
    let table = text.lines().skip_while(|l| !l.starts_with("| study |")).skip(2);
    let counts: Vec<Vec<Option<u32>>> = table.map_while(|l| l.strip_prefix("| ")).map(numbers).collect();
    let (all, studies) = counts.split_last().expect("a table of counts");
    assert_eq!((studies.len(), all.len()), (5, 11), "{counts:?}");
    for (column, sum) in all.iter().enumerate() {
        let added: Option<u32> = studies.iter().map(|s| s[column]).sum();
        assert_eq!(added, *sum, "column {column}: {counts:?}");
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
