//! Results of long simulations, each beside the command that makes it, so that
//! a study that was stopped goes on.

use crate::error::{Error, Place, Result};
use std::collections::BTreeMap;

/// Where a study finds and keeps what it has simulated.
pub trait Points: Send {
    /// The result of a command, if it is known.
    fn find(&self, command: &str) -> Option<f64>;

    /// Keeps a result, at once.
    ///
    /// # Errors
    /// It cannot be written.
    fn keep(&mut self, command: &str, value: f64) -> Result<()>;
}

/// Knows nothing and keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPoints;

impl Points for NoPoints {
    fn find(&self, _: &str) -> Option<f64> {
        None
    }

    fn keep(&mut self, _: &str, _: f64) -> Result<()> {
        Ok(())
    }
}

/// A result as a line: the value, a space, the command. Reads back to the same bits.
pub fn point_line(command: &str, value: f64) -> String {
    format!("{value} {command}\n")
}

/// Reads lines of [`point_line`]; empty ones and those that begin with # say
/// nothing, and a last line without its end was not written whole.
///
/// # Errors
/// A line is not a number and a command.
pub fn read_points(text: &str, path: &str) -> Result<BTreeMap<String, f64>> {
    let whole = text.split_inclusive('\n').filter_map(|l| l.strip_suffix('\n'));
    let said = whole.enumerate().filter(|(_, l)| !l.is_empty() && !l.starts_with('#'));
    said.map(|(at, line)| {
        let read = line.split_once(' ').and_then(|(value, command)| Some((command.to_string(), value.parse().ok()?)));
        read.ok_or_else(|| {
            Error::input(format!("`{line}` is no result, expected a number and a command"))
                .at(&Place::new(path, at as u32 + 1))
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_read_back_and_broken_ends_are_dropped() {
        let text = format!("# head\n\n{}{}0.5 hopl", point_line("a b", 1.0 / 3.0), point_line("c", 0.25));
        let read = read_points(&text, "points").expect("lines");
        assert_eq!(read, BTreeMap::from([("a b".to_string(), 1.0 / 3.0), ("c".to_string(), 0.25)]));
        let wrong = read_points("0.5 a\nhalf b\n", "points").expect_err("no number");
        assert!(wrong.to_string().contains("points:2"), "{wrong}");
    }
}
