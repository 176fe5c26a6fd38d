//! One table of an outcome as CSV (RFC 4180), made from its JSON: so columns are
//! called as there, with their units, and no outcome needs code of its own.

use hopline::error::{Error, Place, Result};
use hopline_sweep::ordered::{Object, line, list, object, word};
use serde_json::value::RawValue;

/// The lists that are tables, the first that an outcome has. A point leads to
/// lists in the rows of a list: each row has the columns of both. Lists with a bar between them are one table, whose first
/// column names the list; what stands outside of all lists is its first row.
const TABLES: [&str; 19] = [
    "candidates",
    "points",
    "sizes.tried",
    "machines.jobs",
    "paths.hops",
    "entries",
    "failures",
    "hottest",
    "problems",
    "classes",
    "suspects",
    "pairs",
    "hosts.adapters",
    "switches",
    "changes",
    "hottest_before|hottest_after",
    "links",
    "groups",
    "pages",
];

/// What says where an outcome comes from.
const ABOUT: [&str; 4] = ["schema", "command", "version", "scenario"];

/// Lists of words that are for people, and no values.
const REMARKS: [&str; 1] = ["notes"];

/// The names of these lists.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|path| path.split(['.', '|']).next().unwrap_or(path))
}

/// Cells with the names of their columns.
type Row = Vec<(String, String)>;

/// The table of an outcome: the first of its lists that is one; lists alone with
/// their names in front; else what stands outside of lists, as one row.
///
/// # Errors
/// There is nothing of that.
pub(crate) fn table(json: &str) -> Result<String> {
    let none = || Error::input("this has no table").hint("--format json prints all of it");
    let outcome: Object = serde_json::from_str(json).map_err(|_| none())?;
    if let Some(square) = square(&outcome) {
        return Ok(square);
    }
    let mut rows = Vec::new();
    if let Some((path, _)) = TABLES.iter().zip(names()).find(|(_, name)| outcome.get(name).and_then(list).is_some()) {
        if path.contains('|') {
            let mut first = Row::from([("list".to_string(), "outcome".to_string())]);
            let values = outcome.0.iter().filter(|(name, _)| !ABOUT.contains(&name.as_str()));
            first.extend(values.filter_map(|(name, value)| Some((name.clone(), word(value)?))));
            rows.push(first);
        }
        for part in path.split('|') {
            let named = path.contains('|').then(|| ("list".to_string(), part.to_string()));
            rows_of(&outcome, part, &Row::from_iter(named), &mut rows);
        }
        // Without a row nobody knows the columns: the list's own name stands in the head.
        return Ok(if rows.is_empty() { format!("{path}\r\n") } else { text(&rows) });
    }
    let lists: Option<Vec<_>> = outcome.0.iter().map(|(name, value)| Some((name, list(value)?))).collect();
    match lists.filter(|lists| !lists.is_empty()) {
        Some(lists) => {
            for (name, items) in lists {
                items.iter().for_each(|item| rows.push(row(item, "", &[("list".to_string(), name.clone())])));
            }
        }
        None => {
            let mut one = Row::new();
            cells(&outcome, "", &mut one);
            rows.push(one);
        }
    }
    if rows.iter().all(Vec::is_empty) { Err(none()) } else { Ok(text(&rows)) }
}

/// The table of that name, or of a path such as `best.classes`: a list of the outcome.
///
/// # Errors
/// There is none of that name; the hint has those that there are.
pub(crate) fn named(json: &str, name: &str) -> Result<String> {
    let outcome: Object = serde_json::from_str(json).unwrap_or_default();
    let mut all: Vec<(String, Vec<Box<RawValue>>)> = Vec::new();
    for (key, value) in &outcome.0 {
        let inside = object(value).unwrap_or_default();
        let of_inside = inside.0.iter().map(|(inner, value)| (format!("{key}.{inner}"), value));
        let tables = std::iter::once((key.clone(), value)).chain(of_inside);
        all.extend(
            tables.filter_map(|(name, value)| Some((name, list(value)?))).filter(|(_, items)| !items.is_empty()),
        );
    }
    let found = all.iter().find(|(own, _)| own == name).or_else(|| {
        // One that has no other of its name may be called without what it is in.
        let mut last = all.iter().filter(|(own, _)| own.rsplit('.').next() == Some(name));
        last.next().filter(|_| last.next().is_none())
    });
    let Some((own, items)) = found else {
        let names: Vec<&str> = all.iter().map(|(own, _)| &own[..]).collect();
        let error = Error::input(format!("this has no table `{name}`")).at(&Place::new("--table", 0));
        return Err(error.hint(format!("there are {}", names.join(", "))));
    };
    let last = own.rsplit('.').next().unwrap_or_default();
    Ok(text(&items.iter().map(|item| row(item, last, &[])).collect::<Vec<_>>()))
}

/// What people should know of an outcome, for which its table has no place.
pub(crate) fn notes(json: &str) -> Vec<String> {
    let outcome: Object = serde_json::from_str(json).unwrap_or_default();
    let notes = outcome.get("notes").and_then(list).unwrap_or_default();
    notes.iter().filter_map(|note| word(note)).collect()
}

/// A matrix, with the names of its ends on both sides.
fn square(outcome: &Object) -> Option<String> {
    let ends: Vec<String> = list(outcome.get("ends")?)?.iter().filter_map(|end| word(end)).collect();
    let rows = list(outcome.get("matrix")?)?;
    let mut text = line(["from"].into_iter().chain(ends.iter().map(String::as_str)));
    for (end, row) in ends.iter().zip(rows) {
        let cells: Vec<String> = list(&row)?.iter().map(|cell| word(cell).unwrap_or_default()).collect();
        text += &line([end].into_iter().chain(&cells).map(String::as_str));
    }
    Some(text)
}

/// The rows of a list, or of the lists in its rows.
fn rows_of(outcome: &Object, path: &str, before: &[(String, String)], rows: &mut Vec<Row>) {
    let (name, inner) = path.split_once('.').map_or((path, None), |(name, inner)| (name, Some(inner)));
    for item in outcome.get(name).and_then(list).unwrap_or_default() {
        // Hosts that are words have no adapters.
        match inner.filter(|_| object(&item).is_some()) {
            Some(inner) => rows_of(&object(&item).unwrap_or_default(), inner, &row(&item, "", before), rows),
            None => rows.push(row(&item, name, before)),
        }
    }
}

/// An item as a row: an object's values, or the item itself.
fn row(item: &RawValue, name: &str, before: &[(String, String)]) -> Row {
    let mut row = before.to_vec();
    match object(item) {
        Some(object) => cells(&object, "", &mut row),
        None => row.push((name.to_string(), word(item).unwrap_or_default())),
    }
    row
}

/// Values of an object, those of objects in it as `outer.inner`; lists of words with blanks between them, others have no place in
/// a row.
fn cells(of: &Object, prefix: &str, row: &mut Row) {
    for (key, value) in &of.0 {
        // A row inside of another may have a column of that name.
        let taken = row.iter().any(|(own, _)| *own == format!("{prefix}{key}"));
        let name = format!("{prefix}{key}{}", if taken { "_2" } else { "" });
        match (object(value), word(value)) {
            (Some(inner), _) => cells(&inner, &format!("{name}."), row),
            (None, Some(word)) => row.push((name, word)),
            (None, None) if !REMARKS.contains(&key.as_str()) => row.extend(words(value).map(|words| (name, words))),
            (None, None) => {}
        }
    }
}

/// A list of words as one.
fn words(value: &RawValue) -> Option<String> {
    let is_text = |item: &&RawValue| item.get().starts_with('"');
    let items = list(value).filter(|items| !items.is_empty())?;
    let all: Option<Vec<String>> = items.iter().map(|item| Some(&**item).filter(is_text).and_then(word)).collect();
    all.map(|words| words.join(" "))
}

/// The head has every column that a row has, in the order in which they first come.
fn text(rows: &[Row]) -> String {
    let mut head: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flatten() {
        if !head.contains(&name.as_str()) {
            head.push(name);
        }
    }
    let cell = |row: &Row, name: &str| row.iter().position(|(own, _)| own == name);
    let mut text = line(head.iter().copied());
    for row in rows {
        text += &line(head.iter().map(|name| cell(row, name).and_then(|at| row.get(at)).map_or("", |(_, c)| c)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_becomes_a_table() {
        let json = r#"{"fabric": "x", "classes": [{"name": "D"}], "hottest": [
            {"name": "a, \"b\"", "load": 1.50, "who": {"from": 1, "to": null}, "pairs": [1, 2]}, {"name": "c", "extra": true}]}"#;
        let expected = "name,load,who.from,who.to,extra\r\n\"a, \"\"b\"\"\",1.50,1,,\r\nc,,,,true\r\n";
        assert_eq!(table(json).expect("table"), expected);
    }

    #[test]
    fn lists_in_rows_have_the_columns_of_both() {
        let json = r#"{"sizes": [{"bytes": 8, "tried": [{"name": "ring", "bytes": 9}, {"name": "tree"}]}, {"bytes": 16, "tried": []}]}"#;
        assert_eq!(table(json).expect("table"), "bytes,name,bytes_2\r\n8,ring,9\r\n8,tree,\r\n");
        assert_eq!(table(r#"{"problems": ["a\nb"]}"#).expect("words"), "problems\r\n\"a\nb\"\r\n");
        assert_eq!(table(r#"{"problems": []}"#).expect("no rows"), "problems\r\n");
    }

    #[test]
    fn a_table_is_asked_for_by_its_name() {
        let json =
            r#"{"hottest": [{"a": 1}], "best": {"classes": [{"name": "D"}], "hottest": [{"a": 2}]}, "left": 0.5}"#;
        assert_eq!(named(json, "classes").expect("inside"), "name\r\nD\r\n");
        assert_eq!(named(json, "hottest").expect("outside"), "a\r\n1\r\n");
        assert_eq!(named(json, "best.hottest").expect("by its path"), "a\r\n2\r\n");
        let error = named(json, "left").expect_err("a number").to_string();
        assert!(error.contains("no table `left`") && error.contains("hottest, best.classes, best.hottest"), "{error}");
    }

    #[test]
    fn without_a_list_there_is_one_row() {
        assert_eq!(
            table(r#"{"left": 0.5, "notes": [], "before": {"load": 2}}"#).expect("row"),
            "left,before.load\r\n0.5,2\r\n"
        );
        let lists = r#"{"topology": [{"name": "torus"}], "export": [{"name": "json", "more": 1}]}"#;
        assert_eq!(table(lists).expect("lists"), "list,name,more\r\ntopology,torus,\r\nexport,json,1\r\n");
        let both = r#"{"schema": "x/1", "left": 0.5, "hottest_before": [{"link": "a"}], "hottest_after": [{"link": "b", "via": ["x", "y"], "notes": ["n"]}]}"#;
        let expected = "list,left,link,via\r\noutcome,0.5,,\r\nhottest_before,,a,\r\nhottest_after,,b,x y\r\n";
        assert_eq!(table(both).expect("two lists"), expected);
        // A number called as a list is no table.
        assert_eq!(table(r#"{"hosts": 2, "left": 0.5}"#).expect("row"), "hosts,left\r\n2,0.5\r\n");
        let hosts = r#"{"hosts": [{"name": "n1", "adapters": [{"port": 1}, {"port": 2}]}]}"#;
        assert_eq!(table(hosts).expect("hosts"), "name,port\r\nn1,1\r\nn1,2\r\n");
        let words = r#"{"hosts": ["n1", "n2"], "leaves": [{"switch": "s"}]}"#;
        assert_eq!(table(words).expect("words"), "hosts\r\nn1\r\nn2\r\n");
        let square = r#"{"of": "hops", "ends": ["a", "b,c"], "matrix": [[0, 2], [2, null]]}"#;
        assert_eq!(table(square).expect("square"), "from,a,\"b,c\"\r\na,0,2\r\n\"b,c\",2,\r\n");
        for none in ["[]", "{}", "3", r#"{"notes": {"a": []}}"#] {
            assert!(table(none).expect_err(none).is_input());
        }
    }
}
