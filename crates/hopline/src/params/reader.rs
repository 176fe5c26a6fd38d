//! Reading checked keys one by one.

use super::{FromValue, Pair, Params};
use crate::error::{Error, Place, Result};

/// Keys that were checked against an entry, to be read one by one.
#[derive(Debug, Clone)]
pub struct Reader {
    pub(super) kind: String,
    pub(super) place: Place,
    pub(super) pairs: Vec<Pair>,
    pub(super) example: &'static str,
}

impl Reader {
    /// The value of `key`, if it is given.
    ///
    /// # Errors
    /// The value does not fit the type.
    pub fn get<T: FromValue>(&self, key: &str) -> Result<Option<T>> {
        self.pairs.iter().find(|p| p.key == key).map(read).transpose()
    }

    /// Whether `key` is given.
    pub fn is_given(&self, key: &str) -> bool {
        self.pairs.iter().any(|p| p.key == key)
    }

    /// The value of `key`, or `default`.
    ///
    /// # Errors
    /// The value does not fit the type.
    pub fn or<T: FromValue>(&self, key: &str, default: T) -> Result<T> {
        Ok(self.get(key)?.unwrap_or(default))
    }

    /// The value of `key`, which must be given.
    ///
    /// # Errors
    /// It is not given, or does not fit the type.
    pub fn need<T: FromValue>(&self, key: &str) -> Result<T> {
        self.get(key)?.ok_or_else(|| {
            Error::input(format!("`{}` needs `{key}`", self.kind))
                .at(&self.place)
                .hint(format!("example: {}", self.example))
        })
    }

    /// One of the given words, by its index; the first is the default.
    ///
    /// # Errors
    /// Another word stands there.
    pub fn choice(&self, key: &str, words: &[&str]) -> Result<usize> {
        let Some(word) = self.get::<String>(key)? else { return Ok(0) };
        words
            .iter()
            .position(|w| *w == word)
            .ok_or_else(|| self.wrong(key, format!("`{key}` is `{word}`, expected one of {}", words.join(", "))))
    }

    /// `made` with the value of `key` set, where it is given.
    ///
    /// # Errors
    /// The value does not fit the type, or `set` refuses it.
    pub fn set<T, V: FromValue>(&self, made: T, key: &str, set: impl FnOnce(T, V) -> Result<T>) -> Result<T> {
        match self.get(key)? {
            Some(value) => set(made, value).map_err(|e| e.at(self.place_of(key))),
            None => Ok(made),
        }
    }

    /// What a constructor made of the values. Where it refuses one of its arguments, the error is at the line of that
    /// key, or at the kind where the key is not given.
    ///
    /// # Errors
    /// Those of the constructor.
    pub fn made<T>(&self, made: Result<T>) -> Result<T> {
        made.map_err(|e| match e.refused() {
            Some(argument) => e.at(self.place_of(argument)),
            None => e,
        })
    }

    /// An error at the line of `key`, or at the kind where it is not given.
    pub fn wrong(&self, key: &str, message: impl Into<String>) -> Error {
        Error::input(message).at(self.place_of(key))
    }

    /// Where `key` stood, or the kind where it is not given.
    pub fn place_of(&self, key: &str) -> &Place {
        self.pairs.iter().find(|p| p.key == key).map_or(&self.place, |p| &p.place)
    }

    /// Kind and keys as they are read here.
    pub(crate) fn params(&self) -> Params {
        Params { kind: self.kind.clone(), place: self.place.clone(), pairs: self.pairs.clone() }
    }

    /// Where the kind stood.
    pub fn place(&self) -> &Place {
        &self.place
    }
}

pub(super) fn read<T: FromValue>(pair: &Pair) -> Result<T> {
    T::from_value(&pair.value).ok_or_else(|| {
        Error::input(format!("`{}` is `{}`, expected {}", pair.key, pair.value.show(), T::EXPECTED)).at(&pair.place)
    })
}
