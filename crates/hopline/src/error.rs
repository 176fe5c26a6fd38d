//! The one error of the library.
//!
//! An [`Error`] is one readable line: where (`path:line` when an input is to
//! blame), what was found and expected, and what to do about it. Its insides
//! are private, so new causes never break a caller; [`Error::is_input`] tells
//! a wrong input (exit code 2) from a failed run (exit code 1).

use std::fmt;

/// A result with the library's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, where, and what to do. Built with [`Error::input`] or
/// [`Error::failed`], refined with [`Error::at`] and [`Error::hint`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    blame: Blame,
    place: Option<Place>,
    message: String,
    hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blame {
    Input,
    Run,
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

    fn new(blame: Blame, message: String) -> Self {
        Error(Box::new(Inner { blame, place: None, message, hint: None }))
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

    /// The place that is to blame, if one is.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
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

impl std::error::Error for Error {}

/// "did you mean `x`?" for a word that is nearly one of many, else `otherwise`:
/// thousands of names are no help.
pub fn suggest_near<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone, otherwise: &str) -> String {
    match suggest(word, known) {
        near if near.starts_with("did") => near,
        _ => otherwise.to_string(),
    }
}

/// "did you mean `x`?" for a word that is not in the list, or the whole list
/// where nothing is near.
pub fn suggest<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let near = known
        .clone()
        .map(|k| (strsim::jaro_winkler(word, k), k))
        .filter(|(score, _)| *score > 0.78)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match near {
        Some((_, name)) => format!("did you mean `{name}`?"),
        None => format!("known are: {}", known.collect::<Vec<_>>().join(", ")),
    }
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
    }
}
