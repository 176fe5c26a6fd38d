//! The one error of the library.
//!
//! An [`Error`] is one readable line: where (`path:line` when an input is to
//! blame), what was found and expected, and what to do about it. Its insides
//! are private, so new causes never break a caller; [`Error::is_input`] tells
//! a wrong input (exit code 2) from a failed run (exit code 1), and
//! [`source`](std::error::Error::source) is the error of another library that lies beneath, if one does.
//!
//! ```
//! use hopline::topology::{Dragonfly, Topology};
//! use std::error::Error as _;
//!
//! let refused = Dragonfly::new(2, 0, 2).unwrap_err();
//! assert_eq!(refused.to_string(), "`a` is 0, expected 1 to 4096");
//! assert!(refused.is_input());
//!
//! let missing = "file:no/such.json".parse::<Topology>().unwrap_err();
//! assert!(missing.source().is_some_and(|cause| cause.is::<std::io::Error>()));
//! ```

use std::fmt;
use std::sync::Arc;

/// A result with the library's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, where, and what to do. Built with [`Error::input`], [`Error::argument`] or
/// [`Error::failed`], refined with [`Error::at`], [`Error::hint`] and [`Error::caused_by`]. Two are equal that tell a
/// person the same.
#[derive(Debug, Clone)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    blame: Blame,
    argument: Option<&'static str>,
    place: Option<Place>,
    message: String,
    hint: Option<String>,
    /// Shared, since an error can be cloned and most causes cannot.
    cause: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        let told = |e: &Error| (e.0.blame, e.0.place.clone(), e.0.message.clone(), e.0.hint.clone());
        told(self) == told(other)
    }
}

impl Eq for Error {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blame {
    Input,
    Run,
    Stopped,
}

/// A place in an input: a file or a command-line option, and a line in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file's path as it was given, or an option such as `--topology`.
    pub path: String,
    /// The line, counted from 1; 0 where the whole input is meant.
    pub line: u32,
}

impl Place {
    /// A place; `line` counts from 1, and 0 means the whole input.
    pub fn new(path: impl Into<String>, line: u32) -> Self {
        Place { path: path.into(), line }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.path),
            line => write!(f, "{}:{}", self.path, line),
        }
    }
}

impl Error {
    /// An input (a file, an option) is wrong.
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(Blame::Input, message.into())
    }

    /// The inputs were fine, the run could not be done.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Blame::Run, message.into())
    }

    /// The observer said stop before there was anything to answer.
    pub fn stopped(message: impl Into<String>) -> Self {
        Self::new(Blame::Stopped, message.into())
    }

    /// A constructor refuses an argument, by the name of its key in a spec: what reads specs says at which line it
    /// stands.
    pub fn argument(name: &'static str, message: impl Into<String>) -> Self {
        let mut error = Self::input(message);
        error.0.argument = Some(name);
        error
    }

    /// Says which argument is to blame, in place of the one that was.
    pub(crate) fn refusing(mut self, name: &'static str) -> Self {
        self.0.argument = Some(name);
        self
    }

    fn new(blame: Blame, message: String) -> Self {
        Error(Box::new(Inner { blame, argument: None, place: None, message, hint: None, cause: None }))
    }

    /// Keeps the error that lies beneath; the message says what it says.
    #[must_use]
    pub fn caused_by(mut self, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.cause.get_or_insert_with(|| Arc::new(cause));
        self
    }

    /// Says where; a place that is already known is kept.
    #[must_use]
    pub fn at(mut self, place: &Place) -> Self {
        self.0.place.get_or_insert_with(|| place.clone());
        self
    }

    /// Says what to do; a hint that is already there is kept.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint.get_or_insert_with(|| hint.into());
        self
    }

    /// True where an input is to blame: exit code 2.
    pub fn is_input(&self) -> bool {
        self.0.blame == Blame::Input
    }

    /// True where the observer said stop: what was done before may be answered.
    pub fn is_stopped(&self) -> bool {
        self.0.blame == Blame::Stopped
    }

    /// The place that is to blame, if one is.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// The argument that a constructor refused, by the name of its key in a spec.
    pub fn refused(&self) -> Option<&'static str> {
        self.0.argument
    }

    /// What to do, if it is said.
    pub fn advice(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// The message alone, without place and hint.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.0.place {
            write!(f, "{place}: ")?;
        }
        // What a damaged file holds must not command the terminal.
        let clean = |text: &str| text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect::<String>();
        f.write_str(&clean(&self.0.message))?;
        match &self.0.hint {
            Some(hint) => write!(f, "; {}", clean(hint)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_deref().map(|cause| cause as &(dyn std::error::Error + 'static))
    }
}

/// "did you mean `x`?" for a word that is nearly one of many, else `otherwise`:
/// thousands of names are no help.
pub fn suggest_near<'a>(word: &str, known: impl Iterator<Item = &'a str>, otherwise: &str) -> String {
    nearest(word, known).unwrap_or_else(|| otherwise.to_string())
}

/// "did you mean `x`?" for a word that is not in the list, or the whole list
/// where nothing is near.
pub fn suggest<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    nearest(word, known.clone()).unwrap_or_else(|| format!("known are: {}", known.collect::<Vec<_>>().join(", ")))
}

/// Longer words are nobody's mistyped names, and take long to compare.
const LONGEST: usize = 256;

fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let (_, name) = known
        .filter(|name| name.len().max(word.len()) <= LONGEST)
        .map(|name| (strsim::jaro_winkler(word, name), name))
        .filter(|(score, _)| *score > 0.78)
        .max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(format!("did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_with_place_and_hint() {
        let e = Error::input("7 columns, expected 8")
            .at(&Place::new("a.csv", 3))
            .hint("every row has as many columns as there are tasks");
        assert_eq!(e.to_string(), "a.csv:3: 7 columns, expected 8; every row has as many columns as there are tasks");
        assert!(e.is_input());
        let moved = e.at(&Place::new("b.csv", 9));
        assert_eq!(moved.place().map(|p| p.line), Some(3), "the first place is the nearest to the cause");
    }

    #[test]
    fn near_words_are_suggested() {
        let known = ["percs", "dragonfly", "torus"];
        assert_eq!(suggest("dragonfyl", known.into_iter()), "did you mean `dragonfly`?");
        assert!(suggest("zzz", known.into_iter()).starts_with("known are: percs"));
        assert!(suggest(&"dragonfly".repeat(100), known.into_iter()).starts_with("known are: percs"), "no name");
    }
}
