//! What was assumed, and how to repeat it.

use super::document::{list, scenario_toml, text, texts};
use super::{Part, Source, html};
use hopline::format::escape;
use serde_json::Value;

const TITLE: &str = "What was assumed, and how to repeat it";

pub(super) fn part(source: &Source<'_>) -> Part {
    let d = source.document;
    let mut notes: Vec<String> = texts(d, "notes").into_iter().map(String::from).collect();
    for one in ["before", "after", "best"] {
        notes.extend(d.get(one).map_or_else(Vec::new, |o| texts(o, "notes")).into_iter().map(String::from));
    }
    notes.extend(list(d, "candidates").iter().flat_map(|c| texts(c, "notes")).map(String::from));
    let what = if source.fabric.is_some() { "its loads are" } else { "the fabric is" };
    notes.extend(source.missing.iter().map(|why| format!("{what} not drawn: {why}")));
    let mut seen = std::collections::BTreeSet::new();
    notes.retain(|note| seen.insert(note.clone()));
    let more = scenario_toml(d).map_or(String::new(), |toml| {
        html::details("The same as a scenario", &format!("<pre>{}</pre>\n", escape(&toml)))
    });
    let seed = d.get("seed").or_else(|| d.pointer("/scenario/seed")).map_or(String::new(), Value::to_string);
    let facts = [
        ("version", format!("Hopline {}", text(d, "version"))),
        ("form", text(d, "schema").to_string()),
        ("seed", seed),
    ];
    Part::new(TITLE, listed(&notes, &source.command) + &more + &html::facts(&facts))
}

/// The same of a page of one's own: a section with notes, the command, and facts.
pub fn assumed(notes: &[String], command: &str, facts: &[(&str, String)]) -> String {
    format!("<section><h2>{TITLE}</h2>\n{}{}</section>\n", listed(notes, command), html::facts(facts))
}

fn listed(notes: &[String], command: &str) -> String {
    let lines: String = notes.iter().map(|note| format!("<li>{}</li>\n", escape(note))).collect();
    let mut s = if lines.is_empty() { String::new() } else { format!("<ul>\n{lines}</ul>\n") };
    if !command.is_empty() {
        s.push_str(&format!("<p>To repeat it:</p>\n<pre>{}</pre>\n", escape(command)));
    }
    s
}
