//! The words of DOT.

use hopline::error::{Error, Place, Result};

/// A word of DOT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, number, or text in quotes; `plain` where it may be a keyword.
    Id { text: String, plain: bool },
    /// `{ } [ ] ; , = :`
    Sign(char),
    /// `--`
    Line,
    /// `->`
    Arrow,
}

/// Reads words one by one, with the lines that they begin in.
pub(super) struct Tokens<'a> {
    path: &'a str,
    text: &'a str,
    at: usize,
    line: u32,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(path: &'a str, text: &'a str) -> Self {
        Tokens { path, text, at: 0, line: 1 }
    }

    pub(super) fn error(&self, message: impl Into<String>) -> Error {
        Error::input(message).at(&Place::new(self.path, self.line))
    }

    pub(super) fn line(&self) -> u32 {
        self.line
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, bytes: usize) {
        let over = self.text.as_bytes().get(self.at..self.at + bytes).unwrap_or_default();
        self.line += over.iter().filter(|b| **b == b'\n').count() as u32;
        self.at = (self.at + bytes).min(self.text.len());
    }

    /// Passes over white space, comments, and lines that a preprocessor left.
    fn blank(&mut self) -> Result<()> {
        loop {
            let rest = self.rest();
            let white = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
            self.skip(white);
            let rest = self.rest();
            let to_end = |text: &str| text.find('\n').unwrap_or(text.len());
            let at_start = self.at == 0 || self.text.as_bytes().get(self.at - 1) == Some(&b'\n');
            if rest.starts_with("//") || rest.starts_with('#') && at_start {
                self.skip(to_end(rest));
            } else if let Some(inside) = rest.strip_prefix("/*") {
                let end = inside.find("*/").ok_or_else(|| self.error("a comment that is not closed"))?;
                self.skip(end + 4);
            } else if white == 0 {
                return Ok(());
            }
        }
    }

    /// The next word, or `None` at the end.
    ///
    /// # Errors
    /// A comment or quote that is not closed, or a character that is none of DOT's.
    pub(super) fn next(&mut self) -> Result<Option<Token>> {
        self.blank()?;
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return Ok(None) };
        let token = match c {
            '{' | '}' | '[' | ']' | ';' | ',' | '=' | ':' => {
                self.skip(1);
                Token::Sign(c)
            }
            '"' => Token::Id { text: self.quoted()?, plain: false },
            '<' => Token::Id { text: self.html()?, plain: false },
            '-' if rest.starts_with("--") || rest.starts_with("->") => {
                self.skip(2);
                if rest.starts_with("--") { Token::Line } else { Token::Arrow }
            }
            c if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') || !c.is_ascii() && !c.is_control() => {
                let word = |(at, c): &(usize, char)| {
                    // A minus only begins a number; a point belongs to it.
                    !(c.is_alphanumeric() || matches!(c, '_' | '.') || !c.is_ascii() && !c.is_control() || *at == 0)
                };
                let end = rest.char_indices().find(word).map_or(rest.len(), |(at, _)| at);
                let text = rest.get(..end).unwrap_or_default().to_string();
                self.skip(end);
                Token::Id { text, plain: true }
            }
            other => return Err(self.error(format!("found `{}`, expected a word of DOT", other.escape_debug()))),
        };
        Ok(Some(token))
    }

    /// A text in quotes, and those that `+` adds to it.
    fn quoted(&mut self) -> Result<String> {
        let mut text = String::new();
        loop {
            let inside = self.rest().strip_prefix('"').unwrap_or_default();
            let (mut end, mut escaped) = (None, false);
            for (at, c) in inside.char_indices() {
                match c {
                    '"' if !escaped => {
                        end = Some(at);
                        break;
                    }
                    // A backslash before a line break joins the lines.
                    '\n' if escaped => {
                        text.pop();
                    }
                    // Quotes and backslashes lose theirs, other escapes are Graphviz' own.
                    '"' | '\\' if escaped => {
                        text.pop();
                        text.push(c);
                    }
                    c => text.push(c),
                }
                escaped = c == '\\' && !escaped;
            }
            let end = end.ok_or_else(|| self.error("a quote that is not closed"))?;
            self.skip(end + 2);
            let (at, line) = (self.at, self.line);
            self.blank()?;
            if self.rest().starts_with('+') {
                self.skip(1);
                self.blank()?;
                if self.rest().starts_with('"') {
                    continue;
                }
                return Err(self.error("`+` without a text in quotes after it"));
            }
            (self.at, self.line) = (at, line);
            return Ok(text);
        }
    }

    /// An HTML label, as it stands.
    fn html(&mut self) -> Result<String> {
        let rest = self.rest();
        let mut depth = 0u32;
        for (at, c) in rest.char_indices() {
            match c {
                '<' => depth += 1,
                '>' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                let text = rest.get(1..at).unwrap_or_default().to_string();
                self.skip(at + 1);
                return Ok(text);
            }
        }
        Err(self.error("an HTML label that is not closed"))
    }
}
