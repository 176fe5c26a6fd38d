//! Results of long simulations, each beside the command that makes it, so that
//! a study that was stopped goes on.

use hopline::error::{Error, Place, Result};
use hopline::stats::Estimate;
use std::collections::BTreeMap;

/// Where a study finds and keeps what it has simulated.
pub trait Points: Send {
    /// The result of a command, if it is known.
    fn find(&self, command: &str) -> Option<Estimate>;

    /// Keeps a result, at once.
    ///
    /// # Errors
    /// It cannot be written.
    fn keep(&mut self, command: &str, value: Estimate) -> Result<()>;
}

/// Knows nothing and keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPoints;

impl Points for NoPoints {
    fn find(&self, _: &str) -> Option<Estimate> {
        None
    }

    fn keep(&mut self, _: &str, _: Estimate) -> Result<()> {
        Ok(())
    }
}

/// A result as a line: the value, half the width of its interval where it has one, the command. Reads
/// back to the same bits.
pub fn point_line(command: &str, Estimate { mean, half }: Estimate) -> String {
    if half.is_finite() { format!("{mean} {half} {command}\n") } else { format!("{mean} {command}\n") }
}

/// Reads lines of [`point_line`]; empty ones and those that begin with # say
/// nothing, and a last line without its end was not written whole.
///
/// # Errors
/// A line is not one or two numbers and a command.
pub fn read_points(text: &str, path: &str) -> Result<BTreeMap<String, Estimate>> {
    let whole = text.split_inclusive('\n').filter_map(|l| l.strip_suffix('\n'));
    let said = whole.enumerate().filter(|(_, l)| !l.is_empty() && !l.starts_with('#'));
    said.map(|(at, line)| {
        read_line(line).ok_or_else(|| {
            Error::input(format!(
                "`{line}` is no result, expected a value, half its interval or nothing, and a command"
            ))
            .at(&Place::new(path, at as u32 + 1))
        })
    })
    .collect()
}

/// No command begins with a number.
fn read_line(line: &str) -> Option<(String, Estimate)> {
    let (mean, rest) = line.split_once(' ')?;
    let mean = mean.parse().ok()?;
    let with_half = rest.split_once(' ').and_then(|(half, command)| Some((half.parse().ok()?, command)));
    let (half, command) = with_half.unwrap_or((f64::INFINITY, rest));
    Some((command.to_string(), Estimate { mean, half }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_read_back_and_broken_ends_are_dropped() {
        let known = Estimate { mean: 1.0 / 3.0, half: 0.1 / 3.0 };
        let alone = Estimate { mean: 0.25, half: f64::INFINITY };
        let text = format!("# head\n\n{}{}0.5 hopl", point_line("a b", known), point_line("c", alone));
        let read = read_points(&text, "points").expect("lines");
        assert_eq!(read, BTreeMap::from([("a b".to_string(), known), ("c".to_string(), alone)]));
        let wrong = read_points("0.5 a\nhalf b\n", "points").expect_err("no number");
        assert!(wrong.to_string().contains("points:2"), "{wrong}");
    }
}
