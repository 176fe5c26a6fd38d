//! Results that have no part of their own: their numbers and lists, as they stand in the document.

use super::Part;
use super::html::{self, Cell};
use hopline::unit::short;
use serde_json::{Value, json};

/// Rows of a list.
const LISTED: usize = 2000;
/// Said elsewhere.
const SAID: [&str; 16] = [
    "asked",
    "inputs",
    "schema",
    "command",
    "version",
    "scenario",
    "verdict",
    "notes",
    "seed",
    "spreading",
    "fabric",
    "routing",
    "traffic",
    "mapping",
    "tasks",
    "hosts",
];

/// Keys that say too little by themselves.
const NAMES: [(&str, &str); 2] =
    [("broken", "pairs that do not reach each other"), ("unreachable", "pairs that no cables join")];

pub(super) fn parts(d: &Value) -> Vec<Part> {
    let Some(object) = d.as_object() else { return Vec::new() };
    let mut facts = Vec::new();
    let mut parts = Vec::new();
    // Counts are said above; lists of the same name are not.
    let is_new =
        |(key, value): &(&String, &Value)| value.is_array() && *key == "hosts" || !SAID.contains(&key.as_str());
    for (key, value) in object.iter().filter(is_new) {
        let known = NAMES.iter().find(|name| name.0 == key);
        let name = known.map_or_else(|| heading(key), |name| name.1.to_string());
        match value {
            Value::Array(items) if !items.is_empty() => parts.push(listed(&name, items)),
            Value::Array(_) | Value::Null | Value::Object(_) => {}
            one => facts.push((name, word(one))),
        }
    }
    let facts: Vec<(&str, String)> = facts.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    if !facts.is_empty() {
        parts.insert(0, Part::new("In numbers", html::facts(&facts)));
    }
    parts
}

/// The words of a key, with its unit as people write it.
pub(super) fn heading(key: &str) -> String {
    match key.strip_suffix("_gb_s") {
        Some(name) => format!("{}, GB/s", name.replace('_', " ")),
        None => key.replace('_', " "),
    }
}

fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(items) => {
            let nested = items.iter().any(Value::is_array);
            items.iter().map(word).collect::<Vec<_>>().join(if nested { "; " } else { ", " })
        }
        Value::Object(object) => object.iter().map(|(k, v)| format!("{k} {}", word(v))).collect::<Vec<_>>().join(", "),
        other => other.as_f64().map_or_else(|| other.to_string(), short),
    }
}

/// A list as a table: a column for every key that an item has.
pub(super) fn listed(name: &str, items: &[Value]) -> Part {
    let mut keys: Vec<&str> = Vec::new();
    for key in items.iter().filter_map(Value::as_object).flat_map(|o| o.keys()) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let cell = |value: &Value| match value.as_f64() {
        Some(v) => Cell::number(v, word(value)),
        None => Cell::word(word(value)),
    };
    let rows = items.iter().take(LISTED).map(|item| match item.as_object() {
        Some(object) => keys.iter().map(|key| object.get(*key).map_or_else(|| Cell::word(""), cell)).collect(),
        None => vec![cell(item)],
    });
    let heads: Vec<String> = keys.iter().map(|key| heading(key)).collect();
    let heads: Vec<&str> = if heads.is_empty() { vec![name] } else { heads.iter().map(String::as_str).collect() };
    let caption = match items.len() {
        n if n > LISTED => format!("{name}: the first {LISTED} of {n}"),
        n => format!("{name}: {n}"),
    };
    let mut title = name.to_string();
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Part::new(title, html::table(&caption, &heads, rows))
        .with(json!({ "kind": "table", "name": name.replace(' ', "-") }))
}
