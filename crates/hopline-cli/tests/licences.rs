//! Everything that the workspace builds is under a licence of `deny.toml`, as `cargo deny check licenses` tells where it is installed.

mod common;

use common::root;
use serde_json::Value;
use std::fs;
use std::process::Command;

/// The licences that are allowed.
fn allowed() -> Vec<String> {
    let text = fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    let (_, list) = text.split_once("\nallow = [").expect("a list");
    let (list, _) = list.split_once(']').expect("its end");
    list.split('"').skip(1).step_by(2).map(String::from).collect()
}

/// Whether an SPDX expression is one of these: AND before OR, with parentheses. Older crates write `/` for OR.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    /// Splits where the word stands outside parentheses.
    fn split<'a>(words: &'a [&'a str], by: &str) -> Vec<&'a [&'a str]> {
        let mut depth = 0;
        let is_here = |word: &&str| {
            depth += i32::from(*word == "(") - i32::from(*word == ")");
            depth == 0 && *word == by
        };
        words.split(is_here).collect()
    }
    fn holds(words: &[&str], allowed: &[String]) -> bool {
        let [first, .., last] = words else {
            return words.first().is_some_and(|word| allowed.iter().any(|a| a == word));
        };
        let (any, all) = (split(words, "OR"), split(words, "AND"));
        match (any.len(), all.len()) {
            (1, 1) if (*first, *last) == ("(", ")") => holds(&words[1..words.len() - 1], allowed),
            // `Apache-2.0 WITH LLVM-exception` is one licence.
            (1, 1) => allowed.contains(&words.join(" ")),
            (1, _) => all.iter().all(|part| holds(part, allowed)),
            _ => any.iter().any(|part| holds(part, allowed)),
        }
    }
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    holds(&spaced.split_whitespace().collect::<Vec<_>>(), allowed)
}

#[test]
fn all_dependencies_are_under_known_licences() {
    let allowed = allowed();
    assert!(allowed.len() > 5, "{allowed:?}");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // What other systems need was perhaps never fetched.
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let words = ["metadata", "--locked", "--format-version", "1", "--filter-platform", &platform];
    let output = Command::new(cargo).args(words).current_dir(root()).output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 50);
    for package in packages {
        let licence = package["license"].as_str().unwrap_or("none that it names");
        assert!(
            is_allowed(licence, &allowed),
            "{} {}: {licence} is not in deny.toml; leave the crate out, or allow a licence that asks for no more than those there",
            package["name"],
            package["version"]
        );
    }
}

#[test]
fn expressions_are_read() {
    let allowed: Vec<String> = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(String::from).into();
    for yes in [
        "MIT",
        "MIT/GPL-3.0",
        "GPL-3.0 OR MIT",
        "(MIT OR GPL-3.0) AND Zlib",
        "Apache-2.0 WITH LLVM-exception OR X",
        "MIT AND (X OR (Zlib))",
    ] {
        assert!(is_allowed(yes, &allowed), "{yes}");
    }
    for no in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR X) AND Y", "Apache-2.0", "MIT WITH X", "X OR MIT AND Y"] {
        assert!(!is_allowed(no, &allowed), "{no}");
    }
}
