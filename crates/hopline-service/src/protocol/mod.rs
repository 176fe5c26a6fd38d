//! What a client may say: a line, or the head of an HTTP request. Pure functions
//! from text to [`Request`]; nothing here knows a socket or a fabric.
//!
//! ```text
//! line    = ["@"] ["json"] request
//! request = "query" pair | "route" pair | "select" COUNT hosts | "order" hosts
//!         | "matrix" ("hops" | "speed") hosts | "groups" | "generation" | "help"
//! pair    = name ":" name | name SPACE name
//! hosts   = "*" | name { SPACE name }
//! name    = BARE | '"' { CHARACTER | '\"' | '\\' } '"'
//! ```
//!
//! A bare name holds neither blanks nor quotes, and no colon in the first form of
//! a pair. Words are parted by blanks and tabs.

mod http;

pub use http::{Head, Page, head};

use std::borrow::Cow;

/// A request with how it wants to be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'a> {
    /// The answer begins with `@` and the number of the generation.
    pub tagged: bool,
    /// One line of JSON instead of text.
    pub json: bool,
    /// What is asked.
    pub request: Request<'a>,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request<'a> {
    /// The switches from one end to another.
    Query(Cow<'a, str>, Cow<'a, str>),
    /// The same with ports and speeds.
    Route(Cow<'a, str>, Cow<'a, str>),
    /// Which hosts of a list lie closest.
    Select(u32, Hosts<'a>),
    /// The hosts in an order in which neighbours are near.
    Order(Hosts<'a>),
    /// All pairs.
    Matrix(Measure, Hosts<'a>),
    /// Hosts under each leaf switch.
    Groups,
    /// What is served.
    Generation,
    /// The requests.
    Help,
}

/// What a matrix measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Links between switches on the route.
    Hops,
    /// GB/s of the slowest link on the route.
    Speed,
}

/// A list of hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hosts<'a> {
    /// Every host.
    All,
    /// These.
    Named(Vec<Cow<'a, str>>),
}

/// Names of requests, for counting them.
pub const COMMANDS: [&str; 8] = ["query", "route", "select", "order", "matrix", "groups", "generation", "help"];

impl Request<'_> {
    /// Index into [`COMMANDS`].
    pub fn command(&self) -> usize {
        match self {
            Request::Query(..) => 0,
            Request::Route(..) => 1,
            Request::Select(..) => 2,
            Request::Order(_) => 3,
            Request::Matrix(..) => 4,
            Request::Groups => 5,
            Request::Generation => 6,
            Request::Help => 7,
        }
    }
}

/// Reads a line without its end. O(line); nothing is copied but quoted names and lists.
///
/// # Errors
/// What was expected.
pub fn parse(line: &str) -> Result<Line<'_>, String> {
    let mut rest = line.trim_matches(blank);
    let tagged = rest.starts_with('@');
    if tagged {
        rest = rest[1..].trim_start_matches(blank);
    }
    let (mut word, mut tail) = split_word(rest);
    let json = word == "json";
    if json {
        (word, tail) = split_word(tail);
    }
    let request = match word {
        "query" => pair(tail).map(|(a, b)| Request::Query(a, b)),
        "route" => pair(tail).map(|(a, b)| Request::Route(a, b)),
        "select" => {
            let (count, tail) = split_word(tail);
            let count = count.parse().map_err(|_| "expected `select COUNT HOST...`".to_string())?;
            hosts(tail).map(|hosts| Request::Select(count, hosts))
        }
        "order" => hosts(tail).map(Request::Order),
        "matrix" => {
            let (measure, tail) = split_word(tail);
            let measure = measure_of(measure).ok_or("expected `matrix hops HOST...` or `matrix speed HOST...`")?;
            hosts(tail).map(|hosts| Request::Matrix(measure, hosts))
        }
        "groups" | "generation" | "help" if !tail.is_empty() => Err(format!("`{word}` takes no words")),
        "groups" => Ok(Request::Groups),
        "generation" => Ok(Request::Generation),
        "help" => Ok(Request::Help),
        "" => Err("an empty line; `help` lists the requests".to_string()),
        _ => Err("no such request; `help` lists them".to_string()),
    }?;
    Ok(Line { tagged, json, request })
}

/// A name as a line can hold it: in quotes where it must be.
pub fn quoted(name: &str) -> Cow<'_, str> {
    let bare = !name.is_empty() && !name.contains(|c: char| blank(c) || c == '"' || c.is_control());
    if bare {
        return Cow::Borrowed(name);
    }
    let mut text = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => text.push('\u{fffd}'),
            c => text.push(c),
        }
    }
    text.push('"');
    Cow::Owned(text)
}

fn blank(c: char) -> bool {
    c == ' ' || c == '\t'
}

fn measure_of(word: &str) -> Option<Measure> {
    match word {
        "hops" => Some(Measure::Hops),
        "speed" => Some(Measure::Speed),
        _ => None,
    }
}

fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_at(text.find(blank).unwrap_or(text.len()));
    (word, rest.trim_start_matches(blank))
}

const PAIR: &str = "expected two ends, `A:B` or `A B`";

/// The name that a text begins with, and what follows it.
fn name(text: &str) -> Result<(Cow<'_, str>, &str), String> {
    let Some(inside) = text.strip_prefix('"') else {
        let end = text.find(|c: char| blank(c) || c == '"').unwrap_or(text.len());
        let (bare, rest) = text.split_at(end);
        return if bare.is_empty() { Err("expected a name".into()) } else { Ok((Cow::Borrowed(bare), rest)) };
    };
    let plain = inside.find(['"', '\\']).filter(|&at| inside.as_bytes()[at] == b'"');
    if let Some(end) = plain {
        return Ok((Cow::Borrowed(&inside[..end]), &inside[end + 1..]));
    }
    let (mut text, mut chars) = (String::new(), inside.char_indices());
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((Cow::Owned(text), &inside[at + 1..])),
            '\\' => text.push(chars.next().ok_or("a name in quotes does not end")?.1),
            c => text.push(c),
        }
    }
    Err("a name in quotes does not end".into())
}

fn pair(text: &str) -> Result<(Cow<'_, str>, Cow<'_, str>), String> {
    // What clients send by the million: two bare names and one colon.
    if let Some((a, b)) = text.split_once(':')
        && !a.is_empty()
        && !b.is_empty()
        && !text.contains(|c: char| blank(c) || c == '"')
    {
        let several = b.contains(':');
        let hint = "several colons: part the two ends by a blank";
        return if several { Err(hint.into()) } else { Ok((Cow::Borrowed(a), Cow::Borrowed(b))) };
    }
    let (first, rest) = name(text).map_err(|_| PAIR)?;
    let (first, rest) = match (rest.strip_prefix(':'), first) {
        (Some(rest), first) => (first, rest),
        (None, Cow::Borrowed(a)) if rest.starts_with('"') => (Cow::Borrowed(a.strip_suffix(':').ok_or(PAIR)?), rest),
        (None, first) => (first, rest.trim_start_matches(blank)),
    };
    let (second, rest) = name(rest).map_err(|_| PAIR)?;
    if rest.is_empty() && !first.is_empty() { Ok((first, second)) } else { Err(PAIR.into()) }
}

fn hosts(text: &str) -> Result<Hosts<'_>, String> {
    if text == "*" {
        return Ok(Hosts::All);
    }
    let (mut names, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let (one, tail) = name(rest)?;
        if !tail.is_empty() && !tail.starts_with(blank) {
            return Err("expected a blank between two names".into());
        }
        names.push(one);
        rest = tail.trim_start_matches(blank);
    }
    if names.is_empty() { Err("expected hosts, or `*` for all".into()) } else { Ok(Hosts::Named(names)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(line: &str) -> (String, String) {
        match parse(line).unwrap_or_else(|e| panic!("{line}: {e}")).request {
            Request::Query(a, b) => (a.into_owned(), b.into_owned()),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn ends_are_written_in_many_ways() {
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
        assert_eq!(ends("query i101-101:i102-201"), pair("i101-101", "i102-201"));
        assert_eq!(ends("  query\ta b "), pair("a", "b"));
        assert_eq!(ends("query a:1 b:2"), pair("a:1", "b:2"));
        assert_eq!(ends(r#"query "node 1 HCA-1":b"#), pair("node 1 HCA-1", "b"));
        assert_eq!(ends(r#"query a:"b c""#), pair("a", "b c"));
        assert_eq!(ends(r#"query "a:1":"b:2""#), pair("a:1", "b:2"));
        assert_eq!(ends(r#"query "it\"s \\" b"#), pair("it\"s \\", "b"));
        for line in
            ["query", "query a", "query a:", "query :b", "query a:b:c", "query a b c", r#"query "a b"#, r#"query a"b""#]
        {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn every_request_is_read() {
        let named = |names: &[&str]| Hosts::Named(names.iter().map(|n| Cow::Owned(n.to_string())).collect());
        let request = |line| parse(line).map(|l| l.request);
        assert_eq!(request("select 3 a b"), Ok(Request::Select(3, named(&["a", "b"]))));
        assert_eq!(request("order *"), Ok(Request::Order(Hosts::All)));
        assert_eq!(request(r#"matrix speed a "b c""#), Ok(Request::Matrix(Measure::Speed, named(&["a", "b c"]))));
        let all = [("groups", Request::Groups), ("generation", Request::Generation), ("help", Request::Help)];
        for (word, expected) in all {
            assert_eq!(request(word), Ok(expected));
            assert!(parse(&format!("{word} x")).is_err());
        }
        for line in ["", "@", "json", "quit", "select a b", "select 3", "order", "matrix a b", "order a\"b\""] {
            assert!(parse(line).is_err(), "{line}");
        }
        let line = parse("@ json query a:b").expect("both prefixes");
        assert!(line.tagged && line.json && line.request.command() == 0);
    }

    #[test]
    fn quoted_names_are_read_back() {
        for name in ["a", "a b", "a\"b", "\\", "it's #1", "", "ü:1"] {
            let line = format!("query x {}", quoted(name));
            match parse(&line).map(|l| l.request) {
                Ok(Request::Query(_, b)) => assert_eq!(b, name),
                other => assert!(name.is_empty(), "{line}: {other:?}"),
            }
        }
    }
}
