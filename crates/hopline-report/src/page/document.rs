//! What stands in a result's JSON document. Keys that are not there count as empty: documents may be older than this.

use hopline::demand::Unit;
use serde_json::Value;

/// The command that made it.
pub(super) fn command(d: &Value) -> &str {
    text(d, "command")
}

pub(super) fn text<'a>(of: &'a Value, key: &str) -> &'a str {
    of.get(key).and_then(Value::as_str).unwrap_or("")
}

pub(super) fn number(of: &Value, key: &str) -> Option<f64> {
    of.get(key).and_then(Value::as_f64)
}

pub(super) fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Texts of a list.
pub(super) fn texts<'a>(of: &'a Value, key: &str) -> Vec<&'a str> {
    list(of, key).iter().filter_map(Value::as_str).collect()
}

pub(super) fn unit(d: &Value) -> Unit {
    if text(d, "unit").eq_ignore_ascii_case("bytes") { Unit::Bytes } else { Unit::Units }
}

/// The scenario that it answers, as TOML: texts, numbers and lists of texts are written alike there and in JSON.
pub fn scenario_toml(document: &Value) -> Option<String> {
    let keys = document.get("scenario")?.as_object()?;
    Some(keys.iter().map(|(key, value)| format!("{key} = {value}\n")).collect())
}

/// A value as people read it: texts without quotes.
pub(super) fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

/// What it is about, in a line.
pub(super) fn title(d: &Value) -> String {
    let job = if text(d, "traffic").is_empty() { text(d, "study") } else { text(d, "traffic") };
    let words = [command(d), job, text(d, "fabric")];
    let words: Vec<&str> = words.into_iter().filter(|w| !w.is_empty()).collect();
    match words[..] {
        [command, job, fabric] => format!("{command}: {job} on {fabric}"),
        [] => "a result".to_string(),
        _ => words.join(": "),
    }
}
