//! The header, written by hand, agrees with the Rust side: functions by their
//! types, structures by their layouts, constants by their values.

#[path = "../../hopline/tests/common/skip.rs"]
mod skip;

use hopline_c::{error, links::Links, machine, map, tasks::Tasks};
use std::fmt::Write as _;
use std::mem::offset_of;
use std::path::Path;
use std::process::Command;

const HEADER: &str = include_str!("../include/hopline.h");
const SOURCES: [&str; 4] = [
    include_str!("../src/error.rs"),
    include_str!("../src/lib.rs"),
    include_str!("../src/machine.rs"),
    include_str!("../src/map.rs"),
];

/// The header without its comments.
fn code() -> String {
    let parts = HEADER.split("/*").map(|part| part.split_once("*/").map_or(part, |p| p.1));
    parts.collect::<Vec<_>>().join(" ")
}

/// Words and signs with one blank between any two.
fn plain(text: &str) -> String {
    let apart: String =
        text.chars().map(|c| if "*(),".contains(c) { format!(" {c} ") } else { c.to_string() }).collect();
    apart.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the header declares as functions.
fn declared() -> Vec<String> {
    let mut found: Vec<String> = code()
        .split([';', '{', '}'])
        .map(|part| part.lines().filter(|l| !l.starts_with('#')).collect::<Vec<_>>().join(" "))
        .map(|part| plain(&part))
        .filter(|part| part.contains(" hopline_") && part.ends_with(')') && !part.contains("( * "))
        .collect();
    found.sort();
    found
}

fn c_type(rust: &str) -> String {
    match rust {
        "u32" => "uint32_t".into(),
        "usize" => "size_t".into(),
        "c_int" => "int".into(),
        "c_char" => "char".into(),
        "Machine" => "hopline_machine".into(),
        "Links" => "hopline_links".into(),
        "Tasks" => "hopline_tasks".into(),
        "Options" => "hopline_options".into(),
        "Outcome" => "hopline_result".into(),
        pointer => match (pointer.strip_prefix("*const "), pointer.strip_prefix("*mut ")) {
            (Some(to), _) => format!("const {} *", c_type(to)),
            (_, Some(to)) => format!("{} *", c_type(to)),
            _ => panic!("no C type for {rust}"),
        },
    }
}

/// What the Rust side exports, in the words of C.
fn exported() -> Vec<String> {
    let mut found = Vec::new();
    for function in SOURCES.iter().flat_map(|text| text.split("extern \"C\" fn ").skip(1)) {
        let Some((head, _)) = function.split_once(" {\n") else { continue };
        if !head.starts_with("hopline_") {
            continue;
        }
        let (name, rest) = head.split_once('(').expect("parameters");
        let (parameters, result) = rest.rsplit_once(')').expect("parameters");
        let parameters: Vec<String> = parameters
            .split(',')
            .filter_map(|p| p.trim().split_once(": "))
            .map(|(name, rust)| format!("{} {name}", c_type(rust)))
            .collect();
        let parameters = if parameters.is_empty() { "void".to_string() } else { parameters.join(", ") };
        let result = result.trim().strip_prefix("-> ").map_or("void".into(), c_type);
        found.push(plain(&format!("{result} {name}({parameters})")));
    }
    found.sort();
    found
}

#[test]
fn functions_have_the_same_types() {
    assert_eq!(declared(), exported());
    assert!(exported().len() > 10, "the search for functions has gone blind");
}

/// `offset_of!` of every field as a line of C.
macro_rules! layout {
    ($text:ident, $rust:ty as $c:literal: $($field:ident)*) => {
        let _ = writeln!($text, "_Static_assert(sizeof({0}) == {1}, \"size of {0}\");", $c, size_of::<$rust>());
        $(let _ = writeln!($text, "_Static_assert(offsetof({0}, {1}) == {2}, \"{0}.{1}\");", $c, stringify!($field), offset_of!($rust, $field));)*
    };
}

#[test]
fn structures_and_constants_are_the_same() {
    let mut text = "#include <hopline.h>\n".to_string();
    layout!(text, Links as "hopline_links": vertices xadj adjncy gb_s hosts host slots);
    layout!(text, Tasks as "hopline_tasks": count xadj adjncy bytes);
    layout!(text, map::Options as "hopline_options": strategy evaluations seed threads slots slot pin go_on user objective forbidden forbid);
    layout!(text, map::Outcome as "hopline_result": hop_bytes max_load seconds bound gb_s evaluations hop_bound);
    let codes = [("OK", error::OK), ("FAILED", error::FAILED), ("BAD_INPUT", error::BAD_INPUT), ("BUG", error::BUG)];
    for (name, code) in codes {
        let _ = writeln!(text, "_Static_assert(HOPLINE_{name} == {code}, \"{name}\");");
    }
    let _ = writeln!(text, "_Static_assert(HOPLINE_NONE == {}u, \"none\");", machine::NONE);
    let _ = writeln!(text, "_Static_assert(HOPLINE_UNTIL_STOPPED == {}u, \"stop\");", map::UNTIL_STOPPED);
    let path = std::env::temp_dir().join(format!("hopline-layout-{}.c", std::process::id()));
    std::fs::write(&path, &text).expect("write");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let ran = Command::new("cc").args(["-std=c11", "-fsyntax-only", "-I"]).arg(include).arg(&path).output();
    let _ = std::fs::remove_file(&path);
    let Ok(output) = ran else {
        return skip::absent("no cc");
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Every function of C does its work inside `guard`, which keeps panics, but for two that do next to nothing.
#[test]
fn no_function_lets_a_panic_pass() {
    let mut guarded = 0;
    for source in SOURCES {
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        for function in code.split("extern \"C\" fn hopline_").skip(1) {
            let (name, body) = function.split_once('(').expect("arguments");
            let body = body.split("\n}\n").next().expect("an end");
            if ["version", "error"].contains(&name) {
                continue;
            }
            assert!(body.contains("guard(") || body.contains("ask("), "hopline_{name} is not guarded");
            guarded += 1;
        }
    }
    assert_eq!(guarded + 2, declared().len(), "every function of the header was seen");
}
