//! What every list of the library shares: a named entry with its
//! documentation, an example and its parameters. One list feeds parsing,
//! `hopline list`, `hopline explain` and the conformance tests.

use serde::Serialize;

/// The words of one entry of a list.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Entry {
    /// The kind, as a scenario spells it.
    pub name: &'static str,
    /// One line for `hopline list`.
    pub summary: &'static str,
    /// Formula, conventions and source, for `hopline explain` and the reference.
    pub doc: &'static str,
    /// A spec that works as it stands.
    pub example: &'static str,
    /// The keys it takes, in the order in which a spec may leave out their names.
    pub params: &'static [Param],
}

/// One key of an entry.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Param {
    /// The key.
    pub name: &'static str,
    /// What it holds: `count`, `GB/s`, `direct | indirect`, ...
    pub value: &'static str,
    /// The default, or empty where the key must be given.
    pub default: &'static str,
    /// One line.
    pub summary: &'static str,
}

/// Shorthand for tables of parameters.
pub const fn param(name: &'static str, value: &'static str, default: &'static str, summary: &'static str) -> Param {
    Param { name, value, default, summary }
}

/// Something that stands in a list.
pub trait Listed {
    /// Its words.
    fn entry(&self) -> &Entry;
}
