//! A matrix over a finite field: n rows of n whole numbers below k, with commas
//! or white space between them; empty lines and `#` comments anywhere.

use super::lines::Lines;
use super::words::{is_comment, numbers, quote};
use crate::error::Result;
use crate::gf::Matrix;

/// Reads a matrix of n rows and n columns of elements below k. O(text).
///
/// # Errors
/// A word that is no element, or another number of rows or columns; with the line.
pub(crate) fn parse(path: &str, text: &str, k: u32, n: usize) -> Result<Matrix> {
    let hint = format!("expected {n} rows of {n} numbers from 0 to {}, one row for each dimension", k - 1);
    let mut lines = Lines::new(path, text);
    let mut cells = Vec::with_capacity(n * n);
    while let Some(line) = lines.next() {
        if is_comment(line) {
            continue;
        }
        let before = cells.len();
        for word in numbers(line).take(n + 1) {
            let element = word.parse::<u8>().ok().filter(|&x| u32::from(x) < k);
            cells.push(element.ok_or_else(|| lines.error(format!("found {}", quote(word))).hint(&hint))?);
        }
        if cells.len() - before != n || cells.len() > n * n {
            return Err(lines.error("a row too many or of the wrong length").hint(&hint));
        }
    }
    if cells.len() < n * n {
        return Err(lines.error(format!("the matrix ends after {} rows", cells.len() / n.max(1))).hint(&hint));
    }
    Ok(Matrix::from_fn(n, |i, j| cells[i * n + j]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_errors_name_the_line() {
        let m = parse("a", "# swap\n0 1\n\n3,0\n", 4, 2).expect("matrix");
        assert_eq!((m.row(0), m.row(1)), (&[0, 1][..], &[3, 0][..]));
        let hint = "expected 2 rows of 2 numbers from 0 to 3, one row for each dimension";
        for (text, error) in [
            ("0 1\n4 0\n", "a:2: found `4`"),
            ("0 1\nx 0\n", "a:2: found `x`"),
            ("0 1 2\n", "a:1: a row too many or of the wrong length"),
            ("0 1\n2 0\n1 1\n", "a:3: a row too many or of the wrong length"),
            ("0 1\n", "a:1: the matrix ends after 1 rows"),
            ("", "a: the matrix ends after 0 rows"),
        ] {
            assert_eq!(parse("a", text, 4, 2).expect_err(text).to_string(), format!("{error}; {hint}"));
        }
    }
}
