//! Values of keys, and the types that they can be read as.

use crate::error::{Error, Result};
use crate::unit::{Bandwidth, Nanos};

/// A value of a key.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A number with a point or an exponent.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
    /// Anything else.
    Text(String),
    /// A TOML array.
    List(Vec<Value>),
}

impl Value {
    /// Reads a bare word of a spec string.
    pub fn from_word(word: &str) -> Value {
        if let Ok(n) = word.parse::<i64>() {
            return Value::Int(n);
        }
        // Words such as `inf` and `nan` parse as floats but are never meant so.
        if word.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.')
            && let Ok(x) = word.parse::<f64>()
        {
            return Value::Float(x);
        }
        match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => Value::Text(word.to_string()),
        }
    }

    /// As a spec string has it, without brackets around it.
    pub fn show(&self) -> String {
        match self {
            Value::Int(n) => n.to_string(),
            Value::Float(x) => x.to_string(),
            Value::Bool(b) => b.to_string(),
            Value::Text(t) => t.clone(),
            // Numbers are sizes, texts are specs: as a spec string would have them.
            Value::List(items) => {
                let joint = if items.iter().all(|i| matches!(i, Value::Int(_))) { "x" } else { ";" };
                items.iter().map(Value::show).collect::<Vec<_>>().join(joint)
            }
        }
    }
}

impl From<u32> for Value {
    fn from(n: u32) -> Value {
        Value::Int(i64::from(n))
    }
}

impl From<u64> for Value {
    /// Numbers beyond 2^63 - 1 become that.
    fn from(n: u64) -> Value {
        Value::Int(i64::try_from(n).unwrap_or(i64::MAX))
    }
}

impl From<i64> for Value {
    fn from(n: i64) -> Self {
        Value::Int(n)
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Value {
        Value::Float(x)
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Value {
        Value::Bool(b)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_string())
    }
}

impl From<&[u32]> for Value {
    fn from(sizes: &[u32]) -> Value {
        Value::List(sizes.iter().map(|&n| n.into()).collect())
    }
}

impl From<Bandwidth> for Value {
    /// As GB/s.
    fn from(bandwidth: Bandwidth) -> Value {
        Value::Float(bandwidth.as_gb_s())
    }
}

impl From<Nanos> for Value {
    fn from(Nanos(ns): Nanos) -> Value {
        ns.into()
    }
}

/// A type that a key can hold.
pub trait FromValue: Sized {
    /// What is expected, for the error.
    const EXPECTED: &'static str;
    /// `None` where the value does not fit.
    fn from_value(value: &Value) -> Option<Self>;
}

impl FromValue for u32 {
    const EXPECTED: &'static str = "a whole number";
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Int(n) = value { u32::try_from(*n).ok() } else { None }
    }
}

impl FromValue for u64 {
    const EXPECTED: &'static str = "a whole number";
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Int(n) = value { u64::try_from(*n).ok() } else { None }
    }
}

impl FromValue for i64 {
    const EXPECTED: &'static str = "a whole number";
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Int(n) = value { Some(*n) } else { None }
    }
}

impl FromValue for f64 {
    const EXPECTED: &'static str = "a number";
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Int(n) => Some(*n as f64),
            Value::Float(x) if x.is_finite() => Some(*x),
            _ => None,
        }
    }
}

impl FromValue for bool {
    const EXPECTED: &'static str = "true or false";
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Bool(b) = value { Some(*b) } else { None }
    }
}

impl FromValue for Value {
    const EXPECTED: &'static str = "anything";
    fn from_value(value: &Value) -> Option<Self> {
        Some(value.clone())
    }
}

impl FromValue for String {
    const EXPECTED: &'static str = "a word";
    fn from_value(value: &Value) -> Option<Self> {
        Some(value.show())
    }
}

impl FromValue for Nanos {
    const EXPECTED: &'static str = u64::EXPECTED;
    fn from_value(value: &Value) -> Option<Self> {
        u64::from_value(value).map(Nanos)
    }
}

impl FromValue for Bandwidth {
    const EXPECTED: &'static str = "a bandwidth such as 10, 10GB/s or 200Gb/s";
    fn from_value(value: &Value) -> Option<Self> {
        value.show().parse().ok()
    }
}

/// Bandwidths with `x` between them, `10x10x5`, or a TOML array of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bandwidths(pub Vec<Bandwidth>);

impl Bandwidths {
    /// Those of so many dimensions, from one for all or one for each, under the name of a key.
    ///
    /// # Errors
    /// One is 0, or their number is another.
    pub fn of_dimensions(key: &'static str, given: &[Bandwidth], dimensions: usize) -> Result<Vec<Bandwidth>> {
        if given.iter().any(|bandwidth| bandwidth.as_bytes_s() == 0) {
            return Err(Error::argument(key, format!("`{key}` is 0 GB/s, expected more")));
        }
        match given {
            [one] => Ok(vec![*one; dimensions]),
            _ if given.len() == dimensions => Ok(given.to_vec()),
            _ => Err(Error::argument(key, format!("`{key}` has {} values, expected 1 or {dimensions}", given.len()))),
        }
    }
}

impl FromValue for Bandwidths {
    const EXPECTED: &'static str = "a bandwidth such as 10, or one for each dimension such as 10x10x5";
    fn from_value(value: &Value) -> Option<Self> {
        let all: Option<Vec<Bandwidth>> = match value {
            Value::List(items) => items.iter().map(Bandwidth::from_value).collect(),
            other => other.show().split('x').map(|part| part.trim().parse().ok()).collect(),
        };
        Some(Bandwidths(all?))
    }
}

impl From<Bandwidths> for Value {
    /// In GB/s; one where all are alike.
    fn from(Bandwidths(each): Bandwidths) -> Value {
        match &each[..] {
            [first, others @ ..] if others.iter().all(|other| other == first) => (*first).into(),
            _ => Value::Text(each.iter().map(|each| each.as_gb_s().to_string()).collect::<Vec<_>>().join("x")),
        }
    }
}

/// Sizes such as `64x64`, `4x16x64` or `[64, 64]`; every size is at least 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes(pub Vec<u32>);

impl Sizes {
    /// Sizes that are given under the name of a key.
    ///
    /// # Errors
    /// There are none, or one is 0.
    pub fn new(key: &'static str, sizes: &[u32]) -> Result<Sizes> {
        if sizes.is_empty() || sizes.contains(&0) {
            return Err(Error::argument(key, format!("`{key}` is {sizes:?}, expected sizes of 1 or more")));
        }
        Ok(Sizes(sizes.to_vec()))
    }
}

impl FromValue for Sizes {
    const EXPECTED: &'static str = "sizes such as 64x64";
    fn from_value(value: &Value) -> Option<Self> {
        let sizes: Option<Vec<u32>> = match value {
            Value::List(items) => items.iter().map(u32::from_value).collect(),
            other => other.show().split('x').map(|part| part.trim().parse().ok()).collect(),
        };
        Sizes::new("sizes", &sizes?).ok()
    }
}

/// Specs with `;` between them, `halo:grid=4x4;uniform`, or a TOML array of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Specs(pub Vec<String>);

impl FromValue for Specs {
    const EXPECTED: &'static str = "specs such as [halo:grid=4x4;uniform]";
    fn from_value(value: &Value) -> Option<Self> {
        let specs: Vec<String> = match value {
            Value::List(items) => items.iter().map(Value::show).collect(),
            other => super::split_outside_brackets(&other.show(), ';')?.into_iter().map(String::from).collect(),
        };
        (!specs.is_empty()).then_some(Specs(specs))
    }
}
