//! The coordinates of a row in JSON: an object, whose keys stay in the order in which people read them.

use crate::Key;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Writes them in their order.
pub(crate) fn serialize<S: Serializer>(row: &[(&'static str, Key)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(row.iter().map(|(name, key)| (name, key)))
}

/// The coordinates of a row as they stand in a document. The names of parameters are few, and are kept for as long as the
/// process lives.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(&'static str, Key)>, D::Error> {
    struct Row;
    impl<'de> Visitor<'de> for Row {
        type Value = Vec<(&'static str, Key)>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the coordinates of a row")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut row = Vec::new();
            while let Some((name, key)) = map.next_entry::<String, Key>()? {
                row.push((kept(name), key));
            }
            Ok(row)
        }
    }
    deserializer.deserialize_map(Row)
}

/// A name for as long as the process lives, the same for the same letters.
fn kept(name: String) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name.as_str()) {
        return known;
    }
    let name: &'static str = Box::leak(name.into_boxed_str());
    names.insert(name);
    name
}
