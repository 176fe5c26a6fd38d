//! The part of YAML that configurations such as Slurm's are written in: block
//! sequences and mappings, plain and quoted words, texts over several lines, lists in brackets, comments.
//! Everything else (anchors, tags, mappings in braces) is refused with its line.

use hopline::error::{Error, Place, Result};
use hopline::files::check_room;
use hopline::format::quote;
use rustc_hash::FxHashSet;

/// A value with the line that it begins in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Yaml {
    pub(crate) line: u32,
    pub(crate) value: Shape,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// Nothing after a key.
    Null,
    /// A word, whatever type it would have.
    Word(String),
    List(Vec<Yaml>),
    /// In the order of the file.
    Map(Vec<(String, Yaml)>),
}

/// Bytes of memory of a value with its row, its key and its word.
const VALUE: usize = size_of::<Row<'_>>() + size_of::<(String, Yaml)>() + 64;

/// The most that lists and mappings may be nested.
const DEEPEST: usize = 32;

impl Yaml {
    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Yaml> {
        match &self.value {
            Shape::Map(pairs) => pairs.iter().find(|(own, _)| own == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// A word, if it is one.
    pub(crate) fn word(&self) -> Option<&str> {
        if let Shape::Word(word) = &self.value { Some(word) } else { None }
    }

    /// The items of a list; none where it is something else.
    pub(crate) fn items(&self) -> &[Yaml] {
        if let Shape::List(items) = &self.value { items } else { &[] }
    }
}

/// A line without its comment.
struct Row<'a> {
    indent: usize,
    text: &'a str,
    line: u32,
}

/// Reads one document. O(text).
///
/// # Errors
/// It is not of this part of YAML, with the line.
pub(crate) fn parse(path: &str, text: &str) -> Result<Yaml> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let fail = |line: u32, message: &str| Error::input(message).at(&Place::new(path, line));
    let values = text.bytes().filter(|byte| b"\n,".contains(byte)).count();
    check_room(path, text.len(), values, VALUE)?;
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let bare = strip_comment(line).trim_end();
        let text = bare.trim_start_matches(' ');
        if text.is_empty() || bare == "..." || bare.starts_with('%') {
            continue;
        }
        if bare == "---" {
            if !rows.is_empty() {
                return Err(fail(number, "a second document begins, expected one"));
            }
            continue;
        }
        if text.starts_with('\t') {
            return Err(fail(number, "a tab at the beginning, expected blanks").hint("YAML indents with blanks"));
        }
        rows.push(Row { indent: bare.len() - text.len(), text, line: number });
    }
    let mut reader = Reader { path, rows, at: 0 };
    let Some(first) = reader.rows.first() else { return Err(fail(0, "no data")) };
    let indent = first.indent;
    let value = reader.node(indent, 0)?;
    match reader.rows.get(reader.at) {
        None => Ok(value),
        Some(row) => Err(reader.error(row.line, "indented less or more than the lines it goes on from")),
    }
}

/// A `#` at the beginning or after a blank begins a comment, but not in quotes.
fn strip_comment(line: &str) -> &str {
    let (mut open, mut before) = (None, ' ');
    for (at, c) in line.char_indices() {
        match (open, c) {
            (None, '#') if before.is_whitespace() => return line.get(..at).unwrap_or_default(),
            // A quote inside of a word is a character like others.
            (None, '"' | '\'') if matches!(before, ' ' | '[' | ',') => open = Some(c),
            (Some(quote), c) if c == quote && before != '\\' => open = None,
            _ => {}
        }
        before = c;
    }
    line
}

struct Reader<'a> {
    path: &'a str,
    rows: Vec<Row<'a>>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn error(&self, line: u32, message: &str) -> Error {
        Error::input(message).at(&Place::new(self.path, line))
    }

    /// The row that comes next, if it stands at this indent.
    fn next(&self, indent: usize) -> Option<(&'a str, u32)> {
        self.rows.get(self.at).filter(|row| row.indent == indent).map(|row| (row.text, row.line))
    }

    fn node(&mut self, indent: usize, depth: usize) -> Result<Yaml> {
        let Some((text, line)) = self.next(indent) else {
            let line = self.rows.get(self.at).map_or(0, |row| row.line);
            return Err(self.error(line, "a value is missing"));
        };
        if depth > DEEPEST {
            return Err(self.error(line, "nested too deeply"));
        }
        let value = if is_item(text) {
            self.list(indent, depth)?
        } else if split_key(text).is_some() {
            self.map(indent, depth)?
        } else {
            self.at += 1;
            self.scalar(text, line)?
        };
        Ok(Yaml { line, value })
    }

    fn list(&mut self, indent: usize, depth: usize) -> Result<Shape> {
        let mut items = Vec::new();
        while let Some((text, line)) = self.next(indent).filter(|(text, _)| is_item(text)) {
            let rest = text.get(1..).unwrap_or_default().trim_start();
            if rest.is_empty() {
                self.at += 1;
                items.push(self.below(indent, line, depth)?);
            } else {
                // What follows the dash stands as if in a line of its own.
                let inner = indent + text.len() - rest.len();
                if let Some(row) = self.rows.get_mut(self.at) {
                    (row.indent, row.text) = (inner, rest);
                }
                items.push(self.node(inner, depth + 1)?);
            }
        }
        Ok(Shape::List(items))
    }

    fn map(&mut self, indent: usize, depth: usize) -> Result<Shape> {
        let mut pairs: Vec<(String, Yaml)> = Vec::new();
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        while let Some((text, line)) = self.next(indent) {
            let Some((key, rest)) = split_key(text) else {
                return Err(self.error(line, &format!("found {}, expected `key: value`", quote(text))));
            };
            let key = key.trim_matches(['"', '\'']);
            if !seen.insert(key) {
                return Err(self.error(line, &format!("{} is given twice", quote(key))));
            }
            self.at += 1;
            let value = match rest.is_empty() {
                // A list may stand as far left as its key.
                true => match self.next(indent).filter(|(text, _)| is_item(text)) {
                    Some((_, line)) => Yaml { line, value: self.list(indent, depth + 1)? },
                    None => self.below(indent, line, depth)?,
                },
                false => Yaml { line, value: self.text(rest, line, indent)? },
            };
            pairs.push((key.to_string(), value));
        }
        Ok(Shape::Map(pairs))
    }

    /// What is indented further than this, or nothing.
    fn below(&mut self, indent: usize, line: u32, depth: usize) -> Result<Yaml> {
        match self.rows.get(self.at).map(|row| row.indent).filter(|&inner| inner > indent) {
            Some(inner) => self.node(inner, depth + 1),
            None => Ok(Yaml { line, value: Shape::Null }),
        }
    }

    /// A scalar with the lines below that go on with it: those of a block (`|`, `>`), or of a long word; line breaks become blanks.
    fn text(&mut self, text: &str, line: u32, indent: usize) -> Result<Shape> {
        let block = text.starts_with(['|', '>']) && text.len() <= 3;
        let mut whole = if block { String::new() } else { text.to_string() };
        let open = |text: &str| {
            ['"', '\''].iter().any(|&mark| text.starts_with(mark) && (text.len() < 2 || !text.ends_with(mark)))
        };
        while let Some(row) = self.rows.get(self.at).filter(|row| row.indent > indent) {
            let plain = !text.starts_with('[') && !is_item(row.text) && split_key(row.text).is_none();
            if !block && !plain && !open(&whole) {
                break;
            }
            if !whole.is_empty() {
                whole.push(' ');
            }
            whole.push_str(row.text);
            self.at += 1;
        }
        if block { Ok(Shape::Word(whole)) } else { self.scalar(&whole, line) }
    }

    fn scalar(&self, text: &str, line: u32) -> Result<Shape> {
        if text == "{}" {
            return Ok(Shape::Map(Vec::new()));
        }
        if let Some(inside) = text.strip_prefix('[') {
            let parts = inside.strip_suffix(']').and_then(split_list);
            let parts =
                parts.ok_or_else(|| self.error(line, "a list in brackets must be plain and end in its line"))?;
            let words = parts.into_iter().map(str::trim).filter(|word| !word.is_empty());
            let words = words.map(|word| Ok(Yaml { line, value: Shape::Word(self.word(word, line)?) }));
            return words.collect::<Result<_>>().map(Shape::List);
        }
        self.word(text, line).map(Shape::Word)
    }

    fn word(&self, text: &str, line: u32) -> Result<String> {
        for mark in ['"', '\''] {
            if let Some(inside) = text.strip_prefix(mark) {
                let inside = inside.strip_suffix(mark).ok_or_else(|| self.error(line, "a quote that is not closed"))?;
                return Ok(match mark {
                    '"' => inside.replace("\\\"", "\"").replace("\\\\", "\\"),
                    _ => inside.replace("''", "'"),
                });
            }
        }
        if text.starts_with(['&', '*', '!', '|', '>', '{', '}', '@', '`', '?']) {
            let error = self.error(line, &format!("found {}, expected a plain word", quote(text)));
            return Err(error.hint("anchors, tags and mappings in braces are not read"));
        }
        Ok(text.to_string())
    }
}

/// The items of a list in brackets: commas and brackets in quotes are part of a word, other brackets are none here.
fn split_list(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut open) = (Vec::new(), 0, None);
    for (at, c) in text.char_indices() {
        match (open, c) {
            (Some(quote), c) if c == quote => open = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => open = Some(c),
            (None, ',') => {
                parts.push(text.get(start..at)?);
                start = at + 1;
            }
            (None, '[' | ']' | '{') => return None,
            (None, _) => {}
        }
    }
    parts.push(text.get(start..)?);
    Some(parts)
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// `key: value` as both, where a text is that.
fn split_key(text: &str) -> Option<(&str, &str)> {
    if text.starts_with(['"', '\'']) {
        let mark = text.chars().next()?;
        let end = text.get(1..)?.find(mark)? + 2;
        return text.get(end..)?.strip_prefix(':').map(|rest| (text.get(..end).unwrap_or_default(), rest.trim()));
    }
    match text.strip_suffix(':') {
        Some(key) if !key.contains(": ") => Some((key, "")),
        _ => text.split_once(": ").map(|(key, rest)| (key, rest.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(yaml: &Yaml) -> String {
        match &yaml.value {
            Shape::Null => "~".into(),
            Shape::Word(word) => word.clone(),
            Shape::List(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(" ")),
            Shape::Map(pairs) => {
                format!("{{{}}}", pairs.iter().map(|(k, v)| format!("{k}={}", show(v))).collect::<Vec<_>>().join(" "))
            }
        }
    }

    #[test]
    fn lists_mappings_and_words_are_read() {
        for (text, expected) in [
            ("- a: 1\n  b: [4, \"x\"]\n- c\n-\n  d: 'it''s'\n", "[{a=1 b=[4 x]} c {d=it's}]"),
            ("---\nkey: # why\n- n[1-2],x\nnext:\n  deep: \"a # b\"\n...\n", "{key=[n[1-2],x] next={deep=a # b}}"),
            ("\u{feff}a:\r\n    b: c#d\r\ne:\r\n", "{a={b=c#d} e=~}"),
            ("- - 1\n  - 2\n- 3\n", "[[1 2] 3]"),
            (
                "a: a long\n  word\nb: |-\n  - x: 1\n    y\nc: 'it is\n  b: c'\nd: {}\n",
                "{a=a long word b=- x: 1 y c=it is b: c d={}}",
            ),
            ("a: [\"I[21-22]\", 'b,c', d]\n", "{a=[I[21-22] b,c d]}"),
            ("- a: >\n    one\n    two\n  b: 2\n", "[{a=one two b=2}]"),
        ] {
            assert_eq!(show(&parse("t", text).expect(text)), expected);
        }
    }

    #[test]
    fn many_values_in_few_bytes_are_too_large() {
        let e = parse("t", &"- a\n".repeat(1 << 20)).expect_err("a million").to_string();
        assert!(e.starts_with("t: too large: 1048576 things in 4194304 bytes"), "{e}");
        let plain = "- name: node-1234.cluster.example\n".repeat(1 << 17);
        assert_eq!(parse("t", &plain).expect("a long list").items().len(), 1 << 17);
    }

    #[test]
    fn the_rest_of_yaml_is_refused_with_its_line() {
        for (text, error) in [
            ("", "t: no data"),
            ("a: 1\na: 2\n", "t:2: `a` is given twice"),
            ("a: 1\n---\nb: 2\n", "t:2: a second document"),
            ("a:\n\t- 1\n", "t:2: a tab"),
            ("a: &x 1\n", "t:1: found `&x 1`, expected a plain word"),
            ("a: {b: 1}\n", "t:1: found `{b: 1}`"),
            ("a: [1, [2]]\n", "t:1: a list in brackets must"),
            ("a: \"1\n", "t:1: a quote that is not closed"),
            ("a: 1\n  b: 2\n", "t:2: indented"),
            ("a: 1\nb\n", "t:2: found `b`, expected `key: value`"),
        ] {
            let found = parse("t", text).expect_err(text).to_string();
            assert!(found.starts_with(error), "{found}");
        }
        assert!(parse("t", &"- ".repeat(100)).is_err(), "too deep");
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[-a:#'\"\\[\\],&\\n é]{0,60}") {
            let _ = parse("t", &text);
        }
    }
}
