//! Values as they are written: lists, ranges (`0.1:0.9:0.1`), powers (`2^0:2^10`, `1:1024:*2`), or one alone.

use crate::decimal::Decimal;
use hopline::error::{Error, Result};
use hopline::params::Value;
use std::cmp::Ordering;

/// A value of the grid as JSON; lists as a spec string has them.
pub fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Int(n) => (*n).into(),
        Value::Float(x) => (*x).into(),
        Value::Bool(b) => (*b).into(),
        Value::Text(_) | Value::List(_) => value.show().into(),
    }
}

/// A value of a parameter as a person writes it.
pub fn written(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

/// More values than anybody means.
const MOST_VALUES: usize = 1_000_000;

/// What a value unfolds to. In a list each item unfolds by itself; a list in a list is one value.
///
/// # Errors
/// A range that has no value, or too many.
pub(crate) fn unfold(value: &Value) -> Result<Vec<Value>> {
    let all: Vec<Value> = match value {
        Value::List(items) => {
            let each = items
                .iter()
                .map(|item| if let Value::Text(text) = item { words(text) } else { Ok(vec![item.clone()]) });
            each.collect::<Result<Vec<_>>>()?.concat()
        }
        Value::Text(text) => words(text)?,
        one => vec![one.clone()],
    };
    if all.is_empty() { Err(Error::input("no value").hint("give one, or a list")) } else { Ok(all) }
}

/// Numbers and ranges with commas between them; any other text is one value.
fn words(text: &str) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    for word in text.split(',') {
        match range(word.trim()) {
            Some(values) => all.extend(values?),
            None => return Ok(vec![Value::Text(text.to_string())]),
        }
    }
    Ok(all)
}

/// The values of a number or range; `None` where it is neither.
fn range(word: &str) -> Option<Result<Vec<Value>>> {
    let parts: Vec<&str> = word.split(':').collect();
    match parts[..] {
        [one] => Decimal::parse(one)
            .or_else(|| power(one).and_then(|(base, n)| raised(base, n)))
            .map(|d| Ok(vec![d.value()])),
        [first, last, ref step @ ..] if step.len() < 2 => match (power(first), power(last)) {
            (Some((base, m)), Some((same, n))) if base == same => {
                let by = step.first().map_or(Some(1), |s| s.parse::<i32>().ok())?;
                Some(powers(word, base, (m, n), by))
            }
            _ => {
                let (first, last) = (Decimal::parse(first)?, Decimal::parse(last)?);
                let step = step.first().copied().unwrap_or("1");
                Some(match step.strip_prefix('*') {
                    Some(factor) => geometric(word, first, last, Decimal::parse(factor)?),
                    None => linear(word, first, last, Decimal::parse(step)?),
                })
            }
        },
        _ => None,
    }
}

/// `2^10` as base and exponent.
fn power(word: &str) -> Option<(Decimal, i32)> {
    let (base, exponent) = word.split_once('^')?;
    Some((Decimal::parse(base)?, exponent.parse().ok()?))
}

fn raised(base: Decimal, exponent: i32) -> Option<Decimal> {
    // 2^-3 is 0.5^3, which has as many places.
    let base = match exponent {
        0.. => base,
        _ => match base.value() {
            Value::Int(n @ (2 | 5 | 10)) => Decimal::parse(&(1.0 / n as f64).to_string())?,
            _ => return None,
        },
    };
    (0..exponent.unsigned_abs()).try_fold(Decimal::parse("1")?, |product, _| product.times(base))
}

fn none(word: &str, why: &str) -> Error {
    Error::input(format!("`{word}` {why}"))
        .hint("a range is first:last:step such as 0.1:0.9:0.1, 2^0:2^10 or 1:1024:*2")
}

fn powers(word: &str, base: Decimal, (first, last): (i32, i32), by: i32) -> Result<Vec<Value>> {
    if by < 1 || first > last || first.unsigned_abs().max(last.unsigned_abs()) > 120 {
        return Err(none(word, "is no range of powers"));
    }
    let exponents = (first..=last).step_by(by as usize);
    exponents
        .map(|n| raised(base, n).map(Decimal::value).ok_or_else(|| none(word, "has powers with too many digits")))
        .collect()
}

fn linear(word: &str, first: Decimal, last: Decimal, step: Decimal) -> Result<Vec<Value>> {
    if step.is_zero() {
        return Err(none(word, "has no step"));
    }
    let past = if step.is_positive() { Ordering::Greater } else { Ordering::Less };
    steps(word, first, last, past, |value| value.plus(step))
}

fn geometric(word: &str, first: Decimal, last: Decimal, factor: Decimal) -> Result<Vec<Value>> {
    let grows = Decimal::parse("1").and_then(|one| factor.compare(one)) == Some(Ordering::Greater);
    if !grows || !first.is_positive() {
        return Err(none(word, "does not grow: the factor is more than 1, and what it starts from more than 0"));
    }
    steps(word, first, last, Ordering::Greater, |value| value.times(factor))
}

/// From the first value to the last one that is not past the end.
fn steps(
    word: &str,
    first: Decimal,
    last: Decimal,
    past: Ordering,
    next: impl Fn(Decimal) -> Option<Decimal>,
) -> Result<Vec<Value>> {
    let (mut value, mut all) = (first, Vec::new());
    // A range of 0.5 to 2 by 0.5 has 1.0 in it, not 1.
    let has_point = next(first).map(Decimal::value).is_some_and(|v| matches!(v, Value::Float(_)));
    loop {
        match value.compare(last) {
            None => return Err(none(word, "has values with too many digits")),
            Some(order) if order == past => break,
            Some(_) if all.len() == MOST_VALUES => return Err(none(word, "has more than a million values")),
            Some(_) => all.push(match value.value() {
                Value::Int(n) if has_point => Value::Float(n as f64),
                value => value,
            }),
        }
        value = next(value).ok_or_else(|| none(word, "has values with too many digits"))?;
    }
    if all.is_empty() { Err(none(word, "has no value: its end lies before its start")) } else { Ok(all) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Value> {
        unfold(&Value::Text(text.into())).expect(text)
    }

    fn ints(text: &str) -> Vec<i64> {
        of(text).iter().map(|v| if let Value::Int(n) = v { *n } else { panic!("{text} has {v:?}") }).collect()
    }

    #[test]
    fn ranges_are_what_a_person_would_write_out() {
        let written: Vec<Value> =
            ["0.1", "0.15", "0.2", "0.25", "0.3"].map(|t| Value::Float(t.parse().expect(t))).into();
        assert_eq!(of("0.1:0.3:0.05"), written);
        assert_eq!(of("0.1:0.9:0.05").len(), 17);
        assert_eq!(of("0.5:2:0.5"), [0.5, 1.0, 1.5, 2.0].map(Value::Float));
        assert_eq!(ints("1:4"), [1, 2, 3, 4]);
        assert_eq!(ints("10:1:-3"), [10, 7, 4, 1]);
        assert_eq!(ints("1:64:*4"), [1, 4, 16, 64]);
        assert_eq!(ints("2^0:2^4"), [1, 2, 4, 8, 16]);
        assert_eq!(ints("2^3:2^9:3"), [8, 64, 512]);
        assert_eq!(ints("1:2,10,3^2"), [1, 2, 10, 9]);
        assert_eq!(of("2^-2:2^0"), [Value::Float(0.25), Value::Float(0.5), Value::Int(1)]);
        assert_eq!(of("0.001:1:*10"), [0.001, 0.01, 0.1, 1.0].map(Value::Float));
    }

    /// Every sum of steps that floats would miss.
    #[test]
    fn no_step_drifts() {
        for (k, value) in of("0:1:0.001").into_iter().enumerate() {
            assert_eq!(value, Value::Float(k as f64 / 1000.0));
        }
    }

    #[test]
    fn what_is_no_number_stays_as_it_is() {
        for text in ["percs:ns=32,nd=4", "minimal,valiant-any", "4x4", "1K", "a:b", "random:64", "2:x", "1,two"] {
            assert_eq!(of(text), [Value::Text(text.into())], "{text}");
        }
        let lists = Value::List(vec![
            Value::Text("1:3".into()),
            Value::Int(9),
            Value::List(vec![Value::Int(4), Value::Int(4)]),
        ]);
        assert_eq!(unfold(&lists).expect("list").len(), 5);
    }

    #[test]
    fn ranges_without_an_end_are_refused() {
        for text in ["1:0", "0:1:0", "0:1:-0.1", "1:8:*1", "0:8:*2", "0:1:0.0000001", "2^5:2^3", "2^0:2^500"] {
            assert!(unfold(&Value::Text(text.into())).expect_err(text).is_input());
        }
        assert!(unfold(&Value::List(Vec::new())).is_err());
    }
}
