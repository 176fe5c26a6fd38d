//! The order of the modules: each imports only from those above it. And the
//! library prints nothing, opens no file outside `files`, reads no clock.

use std::fs;
use std::path::{Path, PathBuf};

/// From the top of the house down. A module may use those before it and itself.
const ORDER: [&str; 35] = [
    "error",
    "id",
    "unit",
    "rng",
    "sets",
    "varint",
    "parallel",
    "sync",
    "peers",
    "gf",
    "stats",
    "entry",
    "params",
    "event",
    "files",
    "fabric",
    "demand",
    "format",
    "training",
    "topology",
    "routing",
    "forwarding",
    "flits",
    "traffic",
    "schedule",
    "loads",
    "mapping",
    "replay",
    "power",
    "cost",
    "ordering",
    "lists",
    "scenario",
    "plan",
    "run",
];

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("src").flatten() {
        if entry.path().is_dir() {
            sources(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}

/// Files of a crate below its `src`, with their code.
fn sources_of(package: &str) -> Vec<(String, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(package).join("src");
    let mut found = Vec::new();
    sources(&src, &mut found);
    found
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&src).expect("below src").to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).expect("source");
            // Tests and comments may name what they like.
            let code = text.split("#[cfg(test)]").next().unwrap_or("");
            let code: Vec<&str> = code.lines().filter(|l| !l.trim_start().starts_with("//")).collect();
            (name, code.join("\n"))
        })
        .collect()
}

#[test]
fn modules_import_only_from_those_above() {
    let place = |module: &str| ORDER.iter().position(|m| *m == module);
    let mut checked = 0;
    for (name, code) in sources_of("hopline") {
        let module = name.split(['/', '.']).next().unwrap_or("");
        if module == "lib" {
            continue;
        }
        let own = place(module).unwrap_or_else(|| panic!("{name}: module `{module}` is not in the order of the house"));
        for used in code.split("crate::").skip(1) {
            let used: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let other = place(&used).unwrap_or_else(|| panic!("{name} uses crate::{used}, which is not in the order"));
            assert!(other <= own, "{name} imports from `{used}`, which stands below `{module}`");
            checked += 1;
        }
    }
    assert!(checked > 100, "the search for imports has gone blind");
}

#[test]
fn the_library_prints_nothing_opens_no_socket_and_reads_no_clock() {
    let libraries = ["hopline", "hopline-formats", "hopline-report", "hopline-study"];
    for (name, code) in libraries.into_iter().flat_map(sources_of) {
        for word in ["println!", "print!(", "std::net", "Instant::now", "SystemTime", "std::env", "std::process"] {
            assert!(!code.contains(word), "{name} has {word}");
        }
        assert!(!code.contains("std::fs") || name == "files.rs", "{name} opens files");
    }
}

/// The arguments of a call, from behind its opening parenthesis.
fn arguments(code: &str) -> &str {
    let mut depth = 1;
    let end = code.find(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    });
    &code[..end.unwrap_or(code.len())]
}

#[test]
fn errors_speak_of_no_options() {
    // Programs of others whose output is read.
    let foreign = ["rtr --interconnect", "lstopo --of xml"];
    let mut calls = 0;
    for (name, code) in sources_of("hopline") {
        for call in ["Error::input(", "Error::failed(", "Error::argument(", ".hint(", "Place::new("] {
            for text in code.split(call).skip(1).map(arguments) {
                let text = foreign.iter().fold(text.to_string(), |text, word| text.replace(word, ""));
                let option = text.split("--").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
                assert!(!option, "{name} tells of an option: {call}{text})");
                calls += 1;
            }
        }
    }
    assert!(calls > 500, "the search for errors has gone blind");
}

/// Unsafe code stands in four crates alone, each block of it with its reason; all others have the workspace's lints, which forbid it.
#[test]
fn unsafe_code_stands_in_four_crates_with_its_reasons() {
    const UNSAFE: [&str; 4] = ["hopline-c", "hopline-mpi", "hopline-py", "hopline-ranks"];
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: PathBuf| fs::read_to_string(path).expect("a file of this repository");
    let workspace = read(crates.join("../Cargo.toml"));
    assert!(workspace.contains("\nunsafe_code = \"forbid\"\n"));
    let mut blocks = 0;
    for entry in fs::read_dir(&crates).expect("crates").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let manifest = read(entry.path().join("Cargo.toml"));
        if !UNSAFE.contains(&name.as_str()) {
            assert!(manifest.contains("[lints]\nworkspace = true\n"), "{name} has lints of its own");
            continue;
        }
        for lint in ["undocumented_unsafe_blocks = \"warn\"", "unsafe_op_in_unsafe_fn = "] {
            assert!(manifest.contains(lint), "{name} lacks {lint}");
        }
        blocks += sources_of(&name).iter().map(|(_, code)| code.matches("unsafe {").count()).sum::<usize>();
    }
    assert!(blocks > 50, "the search for unsafe blocks has gone blind: {blocks}");
}
