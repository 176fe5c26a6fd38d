//! Kind and keys of a topology, routing, traffic or mapping, from a spec string
//! (`percs:ns=32,nd=4`) or a TOML table; two spellings of one thing.
//!
//! Every value remembers its line, and every key must be taken: what a
//! consumer did not ask for is an error that suggests the nearest known key.

mod bytes;
mod reader;
mod value;

pub use bytes::Bytes;
pub use reader::Reader;
pub use value::{Bandwidths, FromValue, Sizes, Specs, Value};

use crate::entry::{Entry, Listed};
use crate::error::{Error, Place, Result, suggest};
use std::fmt;
use std::str::FromStr;

/// One key with its value and line.
#[derive(Debug, Clone, PartialEq)]
struct Pair {
    /// Empty for a value of a spec string that is given without its key.
    key: String,
    value: Value,
    place: Place,
}

/// A kind with its keys, not yet understood.
///
/// ```
/// use hopline::params::Params;
///
/// let params: Params = "percs:32,nd=4".parse()?;
/// assert_eq!((params.kind(), params.to_string().as_str()), ("percs", "percs:32,nd=4"));
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    kind: String,
    place: Place,
    pairs: Vec<Pair>,
}

impl Params {
    /// Reads a spec string `kind`, `kind:key=value,...` or `kind:value,...`;
    /// `origin` names where it stood, such as `--topology`. A value that holds
    /// a comma is written in brackets: `file:[a,b.txt]`.
    ///
    /// # Errors
    /// The kind is empty, a bracket is not closed, or a key is given twice.
    pub fn from_spec(spec: &str, origin: &Place) -> Result<Params> {
        let (kind, rest) = spec.split_once(':').unwrap_or((spec, ""));
        let wrong = |message: String| Error::input(message).at(origin).hint("a spec looks like percs:ns=32,nd=4");
        if kind.trim().is_empty() {
            return Err(wrong(format!("`{spec}` names no kind")));
        }
        let mut params = Params::new(kind.trim(), origin.clone());
        for word in split_outside_brackets(rest, ',')
            .ok_or_else(|| wrong(format!("`{spec}` has a bracket that is not closed")))?
        {
            // A path may hold `=`, so a key must look like one.
            let (key, text) = match word.split_once('=') {
                Some((key, text))
                    if !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') =>
                {
                    (key, text)
                }
                _ => ("", word),
            };
            let value = match text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
                Some(quoted) => Value::Text(quoted.to_string()),
                None => Value::from_word(text),
            };
            params.push(key, value, origin.clone())?;
        }
        Ok(params)
    }

    /// A kind without keys yet.
    pub fn new(kind: &str, place: Place) -> Params {
        Params { kind: kind.to_string(), place, pairs: Vec::new() }
    }

    /// A kind without keys that no user wrote: errors name the kind as their place.
    pub fn named(kind: &str) -> Params {
        Params::new(kind, Place::new(kind, 0))
    }

    /// Adds a key.
    ///
    /// # Errors
    /// The key is there already.
    pub fn push(&mut self, key: &str, value: Value, place: Place) -> Result<()> {
        if !key.is_empty() && self.pairs.iter().any(|p| p.key == key) {
            return Err(Error::input(format!("`{key}` is given twice")).at(&place));
        }
        self.pairs.push(Pair { key: key.to_string(), value, place });
        Ok(())
    }

    /// Puts a value in place of a key's, or adds the key.
    ///
    /// # Errors
    /// A value is given without its key, which might be this one.
    pub fn replace(&mut self, key: &str, value: Value, place: Place) -> Result<()> {
        if let Some(bare) = self.pairs.iter().find(|p| p.key.is_empty()) {
            let text = format!("`{}` is given to `{}` without its key", bare.value.show(), self.kind);
            return Err(Error::input(text)
                .at(&bare.place)
                .hint(format!("write key=value, so that `{key}` can be set")));
        }
        match self.pairs.iter_mut().find(|p| p.key == key) {
            Some(pair) => *pair = Pair { key: key.to_string(), value, place },
            None => self.pairs.push(Pair { key: key.to_string(), value, place }),
        }
        Ok(())
    }

    /// Keys with their values and places, in the order in which they are written.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value, &Place)> {
        self.pairs.iter().map(|p| (p.key.as_str(), &p.value, &p.place))
    }

    /// The same with a value of a typed thing: how it is written down again. The key must not be there yet.
    #[must_use]
    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Params {
        let place = self.place.clone();
        self.pairs.push(Pair { key: key.to_string(), value: value.into(), place });
        self
    }

    /// The same with a value that may be left out where it is the default.
    #[must_use]
    pub(crate) fn unless<T: Into<Value> + PartialEq>(self, key: &str, value: T, default: T) -> Params {
        if value == default { self } else { self.with(key, value) }
    }

    /// The same with a value, where there is one.
    #[must_use]
    pub(crate) fn maybe<T: Into<Value>>(self, key: &str, value: Option<T>) -> Params {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// The kind.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Where the kind stood.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Where a key stands, if it is there.
    pub fn place_of(&self, key: &str) -> Option<&Place> {
        self.pairs.iter().find(|p| p.key == key).map(|p| &p.place)
    }

    /// The spec string that says the same.
    pub fn spec(&self) -> String {
        if self.pairs.is_empty() { self.kind.clone() } else { format!("{}:{}", self.kind, self.given()) }
    }

    /// What stands behind the kind in [`Params::spec`]; empty where nothing was given.
    pub fn given(&self) -> String {
        let words: Vec<String> = self
            .pairs
            .iter()
            .map(|p| {
                let value = p.value.show();
                let quoted = value.contains([',', '=']) || value.trim() != value;
                let value = if quoted { format!("[{value}]") } else { value };
                if p.key.is_empty() { value } else { format!("{}={}", p.key, value) }
            })
            .collect();
        words.join(",")
    }

    /// Gives the values without keys the keys of `entry`, in its order, and
    /// refuses keys that it does not know.
    ///
    /// # Errors
    /// An unknown key (the hint suggests the nearest) or too many values.
    pub fn check(&self, entry: &Entry) -> Result<Reader> {
        let mut pairs = self.pairs.clone();
        let taken: Vec<String> = pairs.iter().map(|p| p.key.clone()).collect();
        let mut free = entry.params.iter().filter(|p| !taken.iter().any(|t| t == p.name));
        for pair in &mut pairs {
            if pair.key.is_empty() {
                let next = free.next().ok_or_else(|| {
                    Error::input(format!("`{}` is one value too many for `{}`", pair.value.show(), entry.name))
                        .at(&pair.place)
                        .hint(format!("example: {}", entry.example))
                })?;
                pair.key = next.name.to_string();
            } else if !entry.params.iter().any(|p| p.name == pair.key) {
                let known: Vec<&str> = entry.params.iter().map(|p| p.name).collect();
                let hint = if known.is_empty() {
                    "it takes no keys".to_string()
                } else {
                    suggest(&pair.key, known.iter().copied())
                };
                return Err(Error::input(format!("`{}` has no key `{}`", entry.name, pair.key))
                    .at(&pair.place)
                    .hint(hint));
            }
        }
        Ok(Reader { kind: self.kind.clone(), place: self.place.clone(), pairs, example: entry.example })
    }

    /// Removes a key that is common to all kinds, such as `slots`.
    ///
    /// # Errors
    /// The value does not fit.
    pub fn take<T: FromValue>(&mut self, key: &str) -> Result<Option<T>> {
        match self.pairs.iter().position(|p| p.key == key) {
            Some(at) => reader::read(&self.pairs.remove(at)).map(Some),
            None => Ok(None),
        }
    }
}

/// Reads a spec that stands for itself: errors name the spec as their place.
impl FromStr for Params {
    type Err = Error;

    fn from_str(spec: &str) -> Result<Params> {
        Params::from_spec(spec, &Place::new(spec, 0))
    }
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spec())
    }
}

/// The entry of `list` that `params` names.
///
/// # Errors
/// No entry has that name; the hint suggests the nearest.
pub fn find<'a, T: Listed>(what: &str, list: &'a [T], params: &Params) -> Result<&'a T> {
    list.iter().find(|item| item.entry().name == params.kind()).ok_or_else(|| {
        let names: Vec<&str> = list.iter().map(|item| item.entry().name).collect();
        Error::input(format!("no {what} is called `{}`", params.kind()))
            .at(params.place())
            .hint(suggest(params.kind(), names.into_iter()))
    })
}

/// Splits where `at` stands outside brackets, without blanks around the words; `None` where a bracket stays open.
pub(crate) fn split_outside_brackets(text: &str, at: char) -> Option<Vec<&str>> {
    let (mut words, mut depth, mut start) = (Vec::new(), 0u32, 0);
    for (i, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.checked_sub(1)?,
            _ if c == at && depth == 0 => {
                words.push(&text[start..i]);
                start = i + c.len_utf8();
            }
            _ => {}
        }
    }
    words.push(&text[start..]);
    let words = words.into_iter().map(str::trim).filter(|word| !word.is_empty()).collect();
    (depth == 0).then_some(words)
}

/// Splits a list of specs such as `default,blocks:level=drawer,order=random,greedy`:
/// a word with `=` but no kind of its own goes on with the spec before it.
///
/// # Errors
/// A bracket is not closed.
pub fn split_specs(text: &str, origin: &Place) -> Result<Vec<String>> {
    let words = split_outside_brackets(text, ',')
        .ok_or_else(|| Error::input(format!("`{text}` has a bracket that is not closed")).at(origin))?;
    let mut specs: Vec<String> = Vec::new();
    for word in words {
        let own_kind = word.find(':').is_some_and(|colon| word.find('=').is_none_or(|eq| colon < eq));
        match specs.last_mut() {
            Some(last) if word.contains('=') && !own_kind => {
                last.push(',');
                last.push_str(word);
            }
            _ => specs.push(word.to_string()),
        }
    }
    Ok(specs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::param;

    const ENTRY: Entry = Entry {
        name: "percs",
        summary: "",
        doc: "",
        example: "percs:ns=4,nd=1",
        params: &[param("ns", "count", "", ""), param("nd", "count", "", ""), param("grid", "sizes", "", "")],
    };

    fn place() -> Place {
        Place::new("--topology", 0)
    }

    #[test]
    fn specs_read_with_and_without_keys() {
        for spec in ["percs:ns=32,nd=4", "percs:32,4", "percs:nd=4,32", "percs: ns=32, nd=4 ,"] {
            let reader = Params::from_spec(spec, &place()).and_then(|p| p.check(&ENTRY)).expect(spec);
            assert_eq!(reader.need::<u32>("ns"), Ok(32), "{spec}");
            assert_eq!(reader.need::<u32>("nd"), Ok(4), "{spec}");
        }
        let reader = Params::from_spec("percs:grid=64x32", &place()).and_then(|p| p.check(&ENTRY)).expect("grid");
        assert_eq!(reader.need::<Sizes>("grid"), Ok(Sizes(vec![64, 32])));
    }

    #[test]
    fn brackets_quote_commas_and_paths_may_hold_anything() {
        let params = Params::from_spec("file:[a,b=c.txt]", &place()).expect("spec");
        assert_eq!(params.spec(), "file:[a,b=c.txt]");
        assert!(Params::from_spec("file:[a", &place()).is_err());
    }

    #[test]
    fn unknown_and_repeated_keys_are_refused() {
        let e = Params::from_spec("percs:nss=3", &place()).and_then(|p| p.check(&ENTRY)).expect_err("unknown");
        assert_eq!(e.to_string(), "--topology: `percs` has no key `nss`; did you mean `ns`?");
        assert!(Params::from_spec("percs:ns=3,ns=4", &place()).is_err());
        let e = Params::from_spec("percs:ns=four", &place())
            .and_then(|p| p.check(&ENTRY))
            .and_then(|r| r.need::<u32>("ns"));
        assert_eq!(e.expect_err("type").to_string(), "--topology: `ns` is `four`, expected a whole number");
    }

    #[test]
    fn lists_of_specs_split_where_a_new_kind_starts() {
        let specs = split_specs("default,blocks:level=drawer,order=random,greedy", &place()).expect("list");
        assert_eq!(specs, ["default", "blocks:level=drawer,order=random", "greedy"]);
    }
}
