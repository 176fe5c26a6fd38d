//! Words and amounts in lines of text, as all readers take them.

use super::lines::Lines;
use crate::error::Result;

/// Larger amounts are refused, so that no sum of them is infinite.
pub(super) const MAX_AMOUNT: f64 = 1e30;

/// True for an empty line and for a `#` comment.
pub fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

/// The words of a line, with commas or white space between them.
pub(super) fn numbers(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c == ',' || c.is_ascii_whitespace()).filter(|word| !word.is_empty())
}

/// An amount: finite and not negative.
pub(super) fn amount(lines: &Lines<'_>, word: &str) -> Result<f64> {
    word.parse().ok().filter(|x| (0.0..=MAX_AMOUNT).contains(x)).ok_or_else(|| {
        lines
            .error(format!("found {}, expected an amount from 0 to 1e30", quote(word)))
            .hint("amounts are bytes, whole or decimal, without a unit")
    })
}

/// A word for an error, cut where it is no word any more.
pub fn quote(word: &str) -> String {
    match word.char_indices().nth(40) {
        Some((end, _)) => format!("`{}...`", word.get(..end).unwrap_or_default()),
        None => format!("`{word}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_cut_between_characters() {
        assert_eq!(quote(&"é".repeat(41)), format!("`{}...`", "é".repeat(40)));
    }
}
