//! Bearer tokens, for those who ask over the network. A server's file has their SHA-256 sums alone, so that who reads it
//! can ask nothing: a token is drawn, not chosen (`openssl rand -hex 32`), and cannot be found from its sum.

use crate::owner;
use hopline::error::{Error, Place, Result};
use sha2::{Digest, Sha256};
use std::path::Path;

/// Sums of the tokens that are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens(Vec<[u8; 32]>);

impl Tokens {
    /// Reads a server's file.
    ///
    /// # Errors
    /// Those of [`Tokens::parse`]; others may read the file, or it belongs to somebody else.
    pub fn read(path: &Path) -> Result<Tokens> {
        Tokens::parse(&path.to_string_lossy(), &owner::secret(path)?)
    }

    /// A sum a line, as `sha256sum` prints it: 64 hexadecimal digits and whose it is. `#` begins a comment.
    ///
    /// # Errors
    /// A line is none, or there is not one sum.
    pub fn parse(path: &str, text: &str) -> Result<Tokens> {
        let mut sums = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default();
            let Some(word) = line.split_whitespace().next() else { continue };
            sums.push(sum(word).ok_or_else(|| wrong(path, number, "no SHA-256 sum of a token"))?);
        }
        if sums.is_empty() { Err(wrong(path, 0, "no token is accepted")) } else { Ok(Tokens(sums)) }
    }

    /// True where a token is accepted. Takes as long whichever it is like: all sums are compared to their ends.
    pub fn accept(&self, token: &str) -> bool {
        let given: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        let differs = |sum: &[u8; 32]| sum.iter().zip(&given).fold(0, |bits, (a, b)| bits | (a ^ b));
        self.0.iter().fold(false, |found, sum| found | (std::hint::black_box(differs(sum)) == 0))
    }
}

/// The token of a client's file: its first line.
///
/// # Errors
/// Others may read the file, it belongs to somebody else, or is empty.
pub fn own(path: &Path) -> Result<String> {
    let text = owner::secret(path)?;
    let token = text.lines().next().unwrap_or_default().trim();
    let good = !token.is_empty() && !token.contains(|c: char| c.is_control() || c.is_whitespace());
    if good {
        Ok(token.to_string())
    } else {
        Err(Error::input(format!("{}: no token in its first line", path.display())))
    }
}

fn wrong(path: &str, line: u32, what: &str) -> Error {
    Error::input(what).at(&Place::new(path, line)).hint("`printf %s TOKEN | sha256sum` prints a line of this file")
}

fn sum(word: &str) -> Option<[u8; 32]> {
    let digits = Some(word).filter(|w| w.len() == 64 && w.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let mut sum = [0; 32];
    for (byte, at) in sum.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()?;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of `secret` and of nothing, as `sha256sum` prints them.
    const SUMS: &str = "# whose\n2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b  alice\n\
        E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855\n";

    #[test]
    fn tokens_are_known_by_their_sums() {
        let tokens = Tokens::parse("t", SUMS).expect("two sums");
        assert!(tokens.accept("secret") && tokens.accept("") && !tokens.accept("Secret") && !tokens.accept("alice"));
        for (text, told) in [("", "t: no token"), ("# a\nalice\n", "t:2: no SHA-256"), (&SUMS[..60], "t:2: no SHA-256")]
        {
            let error = Tokens::parse("t", text).expect_err(text).to_string();
            assert!(error.starts_with(told) && error.contains("sha256sum"), "{error}");
        }
    }
}
