//! Keys of results with their types, as each version had them (`keys.txt`): under the number of a form none goes away,
//! becomes another type, or may be left out where it was always there. New ones may come.

use super::{OWN, common::root, folder, results, versions};
use hopline_cli::embed;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

/// What is known of a key.
#[derive(Debug, Default, Clone, PartialEq)]
struct Key {
    types: BTreeSet<String>,
    /// It may be left out.
    optional: bool,
}

/// Keys of a form by path: `classes[].max_load`.
type Keys = BTreeMap<String, Key>;

/// Those of a JSON schema.
struct Walk<'a> {
    definitions: &'a Value,
    keys: Keys,
    /// Definitions that it is in.
    inside: Vec<&'a str>,
}

fn keys_of(schema: &Value) -> Keys {
    let mut walk = Walk { definitions: &schema["$defs"], keys: Keys::new(), inside: Vec::new() };
    walk.walk(schema, "", false);
    for key in walk.keys.values_mut().filter(|key| key.types.is_empty()) {
        key.types.insert("any".to_string());
    }
    walk.keys
}

impl<'a> Walk<'a> {
    fn walk(&mut self, schema: &'a Value, path: &str, optional: bool) {
        let key = self.keys.entry(path.to_string()).or_default();
        key.optional |= optional;
        if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
            if self.inside.contains(&name) {
                // Within itself: its keys are known.
                key.types.insert(name.to_string());
                return;
            }
            self.inside.push(name);
            self.walk(&self.definitions[name], path, optional);
            self.inside.pop();
        }
        match &schema["type"] {
            Value::String(one) => self.note(path, one),
            Value::Array(several) => several.iter().filter_map(Value::as_str).for_each(|one| self.note(path, one)),
            _ if schema["properties"].is_object() => self.note(path, "object"),
            _ => {}
        }
        for choice in ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|word| schema[word].as_array()).flatten() {
            self.walk(choice, path, optional);
        }
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            self.walk(inner, &path, !required.contains(&name.as_str()));
        }
        let items = schema.get("items").into_iter().chain(schema["prefixItems"].as_array().into_iter().flatten());
        items.for_each(|item| self.walk(item, &format!("{path}[]"), false));
        match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => {}
            Some(values) => self.walk(values, &format!("{path}.*"), false),
            // Whatever it has.
            None if schema["type"] == "object" && schema["properties"].is_null() => {
                self.walk(&Value::Bool(true), &format!("{path}.*"), false);
            }
            None => {}
        }
    }

    fn note(&mut self, path: &str, name: &str) {
        self.keys.entry(path.to_string()).or_default().types.insert(name.to_string());
    }
}

/// The forms of this version, each with its number.
fn forms() -> BTreeMap<String, Keys> {
    let form = |name: &&str| {
        let schema: Value = serde_json::from_str(&embed::schema(name).expect("a schema")).expect("JSON");
        let fabric = || format!("hopline/fabric/{}", hopline::format::fabric_json::VERSION);
        (embed::form(name).map_or_else(fabric, String::from), keys_of(&schema))
    };
    embed::schemas().iter().map(form).collect()
}

/// A line for each key: form, path with `?` where it may be left out, types.
fn write(forms: &BTreeMap<String, Keys>) -> String {
    let mut text = String::new();
    for (form, keys) in forms {
        let _ = writeln!(text, "{form}");
        for (path, key) in keys.iter().filter(|(path, _)| !path.is_empty()) {
            let types: Vec<&str> = key.types.iter().map(String::as_str).collect();
            let _ = writeln!(text, "  {path}{} {}", if key.optional { "?" } else { "" }, types.join("|"));
        }
    }
    text
}

fn read(text: &str) -> BTreeMap<String, Keys> {
    let mut forms = BTreeMap::new();
    let mut own: &mut Keys = &mut Keys::new();
    for line in text.lines() {
        match line.strip_prefix("  ") {
            None => own = forms.entry(line.to_string()).or_default(),
            Some(key) => {
                let (path, types) = key.split_once(' ').expect("a path and types");
                let (path, optional) = path.strip_suffix('?').map_or((path, false), |path| (path, true));
                own.insert(path.into(), Key { types: types.split('|').map(String::from).collect(), optional });
            }
        }
    }
    forms
}

/// What a program that relies on the keys of before would trip over.
fn broken(before: &Keys, now: &Keys) -> Vec<String> {
    let mut found = Vec::new();
    for (path, old) in before {
        match now.get(path) {
            None => found.push(format!("{path} is gone")),
            Some(new) if !new.types.is_subset(&old.types) => {
                found.push(format!("{path} is {:?}, and was {:?}", new.types, old.types));
            }
            Some(new) if new.optional && !old.optional => {
                found.push(format!("{path} may be left out, and was always there"))
            }
            Some(_) => {}
        }
    }
    found
}

/// `HOPLINE_BLESS=1` writes those of the version under way anew.
#[test]
fn a_form_keeps_its_keys() {
    let now = forms();
    if std::env::var_os("HOPLINE_BLESS").is_some() {
        fs::write(root().join(folder(OWN)).join("keys.txt"), write(&now)).expect("written");
    }
    for version in versions() {
        let kept = read(&fs::read_to_string(root().join(folder(&version)).join("keys.txt")).expect("keys.txt"));
        assert!(version != OWN || kept.keys().eq(now.keys()), "{version}: HOPLINE_BLESS=1 writes keys.txt anew");
        for (form, before) in &kept {
            // Under another number all may be another.
            let Some(now) = now.get(form) else { continue };
            let broken = broken(before, now);
            assert!(
                broken.is_empty(),
                "{form} is no longer that of {version}: {broken:#?}\nkeep what was there, or give the form a new number (documents.rs)"
            );
        }
    }
}

/// Every key of a value is one of the form, and of its type.
fn fits(value: &Value, path: &str, keys: &Keys, wrong: &mut Vec<String>) {
    let Some(key) = keys.get(path) else { return wrong.push(format!("{path} is unknown")) };
    let of = |types: &[&str]| types.iter().any(|name| key.types.contains(*name));
    // It may be anything, or is within itself.
    if of(&["any"]) || key.types.iter().any(|name| name.starts_with(char::is_uppercase)) {
        return;
    }
    let right = match value {
        Value::Null => of(&["null"]),
        Value::Bool(_) => of(&["boolean"]),
        Value::Number(number) if number.is_f64() => of(&["number"]),
        Value::Number(_) => of(&["number", "integer"]),
        Value::String(_) => of(&["string"]),
        Value::Array(items) => {
            items.iter().for_each(|item| fits(item, &format!("{path}[]"), keys, wrong));
            of(&["array"])
        }
        Value::Object(members) => {
            for (name, inner) in members {
                let own = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let any = format!("{path}.*");
                fits(
                    inner,
                    if keys.contains_key(&own) {
                        &own
                    } else if keys.contains_key(&any) {
                        &any
                    } else {
                        &own
                    },
                    keys,
                    wrong,
                );
            }
            of(&["object"])
        }
    };
    if !right {
        wrong.push(format!("{path} is {value}, expected {:?}", key.types));
    }
}

/// What was printed is what the schema of its number says.
#[test]
fn kept_results_fit_the_forms() {
    let now = forms();
    let mut looked_at = 0;
    for version in versions() {
        for path in results(&version) {
            let text = super::later::text(&root().join(&path));
            let document: Value = serde_json::from_str(&text).expect("JSON");
            let form = document["schema"].as_str().expect("a form");
            let Some(keys) = now.get(form) else { continue };
            let mut wrong = Vec::new();
            fits(&document, "", keys, &mut wrong);
            assert!(wrong.is_empty(), "{path}: {wrong:#?}");
            looked_at += 1;
        }
    }
    assert!(looked_at >= embed::schemas().len() - 1, "{looked_at}");
}

/// The comparison itself.
#[test]
fn what_breaks_programs_is_found() {
    let before = read("load/1\n  a number\n  b? string\n  c[].d integer|null\n").remove("load/1").expect("a form");
    let changed = |text: &str| broken(&before, &read(&format!("load/1\n{text}"))["load/1"]);
    assert!(changed("  a number\n  b? string\n  c[].d integer\n  new? object\n").is_empty());
    for (text, why) in [
        ("  a number\n  c[].d integer|null\n", "b is gone"),
        ("  a number|null\n  b? string\n  c[].d integer|null\n", "a is "),
        ("  a? number\n  b? string\n  c[].d integer|null\n", "a may be left out"),
    ] {
        assert!(changed(text).iter().any(|found| found.starts_with(why)), "{text}: {:?}", changed(text));
    }
    assert_eq!(read(&write(&BTreeMap::from([("load/1".to_string(), before.clone())])))["load/1"], before);
}
