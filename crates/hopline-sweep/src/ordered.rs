//! JSON objects whose keys stay in the order of the text, and CSV (RFC 4180) of their cells.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Keys and values in the order of the text.
#[derive(Debug, Default)]
pub struct Object(pub Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Object;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Object, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Object(pairs))
            }
        }
        from.deserialize_map(Pairs)
    }
}

impl Object {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&RawValue> {
        self.0.iter().find(|(own, _)| own == key).map(|(_, value)| &**value)
    }
}

/// A value as an object, if it is one.
pub fn object(raw: &RawValue) -> Option<Object> {
    serde_json::from_str(raw.get()).ok()
}

/// A value as a list, if it is one.
pub fn list(raw: &RawValue) -> Option<Vec<Box<RawValue>>> {
    serde_json::from_str(raw.get()).ok()
}

/// A word, number or truth value as it is printed; empty for null; `None` for a list or an object.
pub fn word(value: &RawValue) -> Option<String> {
    match value.get() {
        "null" => Some(String::new()),
        text if text.starts_with('"') => serde_json::from_str(text).ok(),
        text if text.starts_with(['[', '{']) => None,
        text => Some(text.to_string()),
    }
}

/// A line of CSV.
pub fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    cells.map(quoted).collect::<Vec<_>>().join(",") + "\r\n"
}

/// A cell in quotes where it needs them.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_string() }
}
