//! What is wrong with a file, and where: serde knows the line of what it cannot
//! read; for what it can read but makes no sense, the line is looked up here.

use crate::error::{Error, Place};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Something in the file that makes no sense.
#[derive(Debug)]
pub(super) struct Fault {
    key: &'static str,
    item: Option<usize>,
    message: String,
    hint: Option<String>,
}

impl Fault {
    /// At an item of a list.
    pub(super) fn at(key: &'static str, item: usize, message: impl Into<String>) -> Fault {
        Fault { key, item: Some(item), message: message.into(), hint: None }
    }

    /// At a key of the outermost object.
    pub(super) fn of(key: &'static str, message: impl Into<String>) -> Fault {
        Fault { key, item: None, message: message.into(), hint: None }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Fault {
        self.hint = Some(hint.into());
        self
    }

    /// The error with path, line and place in the JSON.
    pub(super) fn locate(self, path: &str, text: &str) -> Error {
        let item = self.item.map_or(String::new(), |i| format!("[{i}]"));
        let line = line_of(text, self.key, self.item).unwrap_or(0);
        let message = format!("{}{item}: {}", self.key, self.message);
        let error = Error::input(message).at(&Place::new(path, line));
        match self.hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

/// The line of what serde cannot read.
pub(super) fn unreadable(path: &str, e: serde_json::Error) -> Error {
    let text = e.to_string();
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    let error = Error::input(message).at(&Place::new(path, u32::try_from(e.line()).unwrap_or(0)));
    let hint = match e.classify() {
        serde_json::error::Category::Eof => "the file is cut short",
        serde_json::error::Category::Data => "`hopline schema fabric` prints what is expected",
        _ => "this is no JSON here",
    };
    error.hint(hint).caused_by(e)
}

/// The values of lists are found by where their text stands in the whole.
fn line_of(text: &str, key: &str, item: Option<usize>) -> Option<u32> {
    let keys: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    let mut value = *keys.get(key)?;
    if let Some(item) = item {
        let items: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
        value = items.get(item)?;
    }
    let before = value.get().as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    Some(text.get(..before)?.bytes().filter(|b| *b == b'\n').count() as u32 + 1)
}
