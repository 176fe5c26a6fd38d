//! The document of one run as rows of a table: its numbers and words, a row for each point, candidate or algorithm
//! where the run itself is a list of them.

use crate::ordered::{Object, list, object, word};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A cell: the name of its column, and its value as JSON.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The column.
    pub name: String,
    /// A number, word, truth value or null.
    pub value: Box<RawValue>,
}

/// Cells, each with a name of its own.
#[derive(Debug, Clone, Default)]
pub struct Row(pub Vec<Cell>);

/// What a document says of itself.
const ABOUT: [&str; 4] = ["schema", "command", "version", "scenario"];

/// Lists that are the rows of a run, the first that it has. A point leads to lists in the rows of a list.
const TABLES: [&str; 4] = ["points", "sizes.tried", "candidates", "failures"];

impl Row {
    /// Adds a cell where none has its name.
    pub fn add(&mut self, name: &str, value: Box<RawValue>) {
        if self.get(name).is_none() {
            self.0.push(Cell { name: name.to_string(), value });
        }
    }

    /// The value of a column.
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().find(|cell| cell.name == name).map(|cell| &*cell.value)
    }

    /// The value of a column as a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.get().parse().ok()
    }

    /// The value of a column as it is printed; empty where there is none.
    pub fn word(&self, name: &str) -> String {
        self.get(name).and_then(word).unwrap_or_default()
    }

    /// Adds the values of an object, those of objects in it as `outer.inner`, those of its classes of links as
    /// `CLASS.inner`.
    fn add_all(&mut self, of: &Object, prefix: &str) {
        for (key, value) in &of.0 {
            if prefix.is_empty() && ABOUT.contains(&key.as_str()) {
                continue;
            }
            let name = format!("{prefix}{key}");
            match (object(value), key.as_str()) {
                (Some(inner), _) => self.add_all(&inner, &format!("{name}.")),
                (None, "classes") => self.add_classes(value, prefix),
                (None, _) if word(value).is_some() => self.add(&name, value.clone()),
                (None, _) => {}
            }
        }
    }

    fn add_classes(&mut self, classes: &RawValue, prefix: &str) {
        for class in list(classes).unwrap_or_default().iter().filter_map(|class| object(class)) {
            if let Some(name) = class.get("name").and_then(word) {
                let rest = Object(class.0.into_iter().filter(|(key, _)| key != "name").collect());
                self.add_all(&rest, &format!("{prefix}{name}."));
            }
        }
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|cell| map.serialize_entry(&cell.name, &cell.value))?;
        map.end()
    }
}

/// The rows of a document, each with what the run says once.
pub fn rows(document: &RawValue) -> Vec<Row> {
    let outcome = object(document).unwrap_or_default();
    let mut rows = Vec::new();
    let table =
        if outcome.get("best").is_some() { None } else { TABLES.iter().find(|t| outcome.get(first(t)).is_some()) };
    if let Some(table) = table {
        rows_of(&outcome, table, &Row::default(), &mut rows);
    }
    let mut shared = Row::default();
    // A comparison's best stands for all of it.
    shared.add_all(&outcome.get("best").and_then(object).unwrap_or_default(), "");
    let rest = outcome.0.into_iter().filter(|(key, _)| key != "best");
    shared.add_all(&Object(rest.collect()), "");
    if rows.is_empty() {
        return vec![shared];
    }
    rows.into_iter().map(|own| joined(&shared, own)).collect()
}

fn first(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

/// What the run says once comes first, unless a row says it, too.
fn joined(shared: &Row, own: Row) -> Row {
    let mut row = Row(shared.0.iter().filter(|cell| own.get(&cell.name).is_none()).cloned().collect());
    row.0.extend(own.0);
    row
}

/// The rows of a list, or of the lists in its rows.
fn rows_of(outcome: &Object, path: &str, before: &Row, rows: &mut Vec<Row>) {
    let inner = path.split_once('.').map(|(_, inner)| inner);
    for item in outcome.get(first(path)).and_then(list).unwrap_or_default().iter().filter_map(|item| object(item)) {
        let mut row = before.clone();
        row.add_all(&item, "");
        match inner {
            Some(inner) => rows_of(&item, inner, &row, rows),
            None => rows.push(row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> Vec<String> {
        let raw: Box<RawValue> = serde_json::from_str(json).expect(json);
        rows(&raw).iter().map(|row| serde_json::to_string(row).expect("row")).collect()
    }

    #[test]
    fn a_run_with_one_answer_is_one_row() {
        let json = r#"{"schema": "x", "scenario": {"seed": 1}, "tasks": 16, "notes": ["a"], "throughput_gb_s": 2.50,
            "verdict": {"kind": "links"}, "classes": [{"name": "LR", "links": 4, "max_load": null}], "hottest": [{"name": "a"}]}"#;
        let row = r#"{"tasks":16,"throughput_gb_s":2.50,"verdict.kind":"links","LR.links":4,"LR.max_load":null}"#;
        assert_eq!(of(json), [row]);
    }

    #[test]
    fn points_and_algorithms_are_rows_with_what_is_said_once() {
        let points = r#"{"seed": 3, "cycles": 1, "points": [{"load": 0.1, "cycles": 9, "classes": [{"name": "D", "max_load": 1}]}, {"load": 0.2}]}"#;
        assert_eq!(
            of(points),
            [r#"{"seed":3,"load":0.1,"cycles":9,"D.max_load":1}"#, r#"{"seed":3,"cycles":1,"load":0.2}"#]
        );
        let tried = r#"{"name": "broadcast", "sizes": [{"bytes": 8, "tried": [{"algorithm": "ring"}, {"algorithm": "tree"}]}]}"#;
        assert_eq!(
            of(tried),
            [
                r#"{"name":"broadcast","bytes":8,"algorithm":"ring"}"#,
                r#"{"name":"broadcast","bytes":8,"algorithm":"tree"}"#
            ]
        );
        assert_eq!(of(r#"{"seed": 3, "points": []}"#), [r#"{"seed":3}"#]);
    }

    #[test]
    fn the_best_mapping_stands_for_the_comparison() {
        let json = r#"{"candidates": [{"mapping": "a"}, {"mapping": "b"}], "best": {"mapping": "b", "max_load": 1}}"#;
        assert_eq!(of(json), [r#"{"mapping":"b","max_load":1}"#]);
    }
}
