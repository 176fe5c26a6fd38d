//! Slurm hostlists: many host names in one word, such as `n[001-004,7],login1`.
//!
//! A list has words with commas between them. Brackets hold numbers and ranges;
//! numbers are as wide as the lower end of their range is written, so `[08-11]`
//! is 08, 09, 10, 11. Of several brackets in a word the last runs fastest.
//! Source: Slurm's `scontrol show hostnames` and `scontrol show hostlist`.

use super::words::quote;
use crate::error::{Error, Result};
use std::fmt::Write as _;

/// The most names of a list: a mistyped range must not ask for all memory.
const MAX_NAMES: usize = 1 << 20;

/// As long as a DNS name may be, in bytes.
const MAX_NAME: usize = 255;

/// How many names a list stands for; all of it is looked at.
fn count(text: &str) -> Result<usize> {
    let mut depth = 0u32;
    for c in text.bytes() {
        match c {
            b'[' => depth += 1,
            b']' if depth == 0 => return Err(wrong(text, OPEN_AND_CLOSE)),
            b']' => depth -= 1,
            _ => {}
        }
    }
    if depth > 0 {
        return Err(wrong(text, OPEN_AND_CLOSE));
    }
    let mut all = 0;
    for word in words(text) {
        all += Word::count(word, MAX_NAMES - all)?;
    }
    if all == 0 { Err(wrong(text, "at least one host name")) } else { Ok(all) }
}

/// The names of a list, in its order; a name that stands there twice comes twice. They are made one by one, so that a list
/// takes no memory for those that nobody has asked for yet; how many they are is known. The caller adds the place to errors. O(text), and
/// O(1) for each name.
///
/// # Errors
/// Before the first name: a bracket that is not closed, a range that is none or runs backwards, an
/// empty list, more than 1,048,576 names, or a name of more than 255 bytes.
pub fn names(text: &str) -> Result<impl ExactSizeIterator<Item = String>> {
    Ok(Counted { left: count(text)?, names: words(text).flat_map(Word::new) })
}

/// Names of which so many are left.
struct Counted<I> {
    left: usize,
    names: I,
}

impl<I: Iterator<Item = String>> Iterator for Counted<I> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let name = self.names.next()?;
        self.left -= 1;
        Some(name)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<I: Iterator<Item = String>> ExactSizeIterator for Counted<I> {}

/// All names of a list, as [`names`] makes them.
///
/// # Errors
/// As [`names`].
pub fn expand(text: &str) -> Result<Vec<String>> {
    Ok(names(text)?.collect())
}

const OPEN_AND_CLOSE: &str = "brackets that open and close";

/// What stands between the commas that are in no brackets.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0u32;
    let outside = move |c: char| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    text.split(outside).map(str::trim).filter(|word| !word.is_empty())
}

/// The shortest list for these names in their order: neighbours that count up
/// share a range, neighbours with the same prefix share brackets. Of several
/// numbers in a name only the one at its end is folded, as every Slurm reads.
/// For names without brackets, commas and outer white space, [`expand`] gives
/// back the same names. O(names).
pub fn compress<S: AsRef<str>>(names: &[S]) -> String {
    let mut text = String::new();
    let mut names = names.iter().map(AsRef::as_ref).map(split_number).peekable();
    while let Some((prefix, number)) = names.next() {
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(prefix);
        let Some(mut range) = number.map(Run::new) else { continue };
        let mut ranges = Vec::new();
        while let Some((_, Some(next))) = names.next_if(|(other, number)| *other == prefix && number.is_some()) {
            if !range.extend(next) {
                ranges.push(std::mem::replace(&mut range, Run::new(next)).show());
            }
        }
        ranges.push(range.show());
        let list = ranges.join(",");
        text.push_str(&if list.contains(['-', ',']) { format!("[{list}]") } else { list });
    }
    text
}

fn wrong(found: &str, expected: &str) -> Error {
    Error::input(format!("found {}, expected {expected}", quote(found)))
        .hint("a hostlist looks like n[001-004,7],login1")
}

/// The names of one word; of its brackets the last runs fastest.
struct Word<'a> {
    brackets: Vec<Bracket<'a>>,
    tail: &'a str,
    done: bool,
}

/// A bracket, and where in it a name stands.
struct Bracket<'a> {
    before: &'a str,
    inside: &'a str,
    left: Ranges<'a>,
    now: Range,
}

impl<'a> Bracket<'a> {
    fn new(before: &'a str, inside: &'a str) -> Option<Self> {
        let mut left = ranges(inside);
        let now = left.next()?.ok()?;
        Some(Bracket { before, inside, left, now })
    }

    /// Goes on to the next number; behind the last to the first, and says so.
    fn turns_over(&mut self) -> bool {
        if self.now.from < self.now.to {
            self.now.from += 1;
            return false;
        }
        if let Some(Ok(next)) = self.left.next() {
            self.now = next;
            return false;
        }
        Bracket::new(self.before, self.inside).into_iter().for_each(|first| *self = first);
        true
    }
}

impl<'a> Word<'a> {
    /// How many names a word stands for, at most `room`; all of it is looked at.
    fn count(word: &str, room: usize) -> Result<usize> {
        let (mut names, mut longest, mut rest) = (1usize, 0, word);
        while let Some((before, bracket)) = rest.split_once('[') {
            let (inside, tail) = bracket.split_once(']').ok_or_else(|| wrong(word, "a bracket that is closed"))?;
            let (mut numbers, mut widest) = (0usize, 0);
            for range in ranges(inside) {
                let Range { width, from, to } = range?;
                numbers = numbers.saturating_add((to - from) as usize).saturating_add(1);
                widest = widest.max(width).max(to.checked_ilog10().unwrap_or(0) as usize + 1);
            }
            names = names.saturating_mul(numbers);
            longest += before.len() + widest;
            rest = tail;
            if names > room {
                return Err(too_many());
            }
            if longest > MAX_NAME {
                return Err(too_long(word));
            }
        }
        if rest.contains(']') {
            return Err(wrong(word, "a bracket that opens before it closes"));
        }
        match (names > room, longest + rest.len() > MAX_NAME) {
            (true, _) => Err(too_many()),
            (_, true) => Err(too_long(word)),
            _ => Ok(names),
        }
    }

    /// A word that was counted.
    fn new(word: &'a str) -> Self {
        let (mut brackets, mut tail) = (Vec::new(), word);
        while let Some((before, (inside, behind))) =
            tail.split_once('[').and_then(|(b, t)| Some((b, t.split_once(']')?)))
        {
            brackets.extend(Bracket::new(before, inside));
            tail = behind;
        }
        Word { brackets, tail, done: false }
    }
}

impl Iterator for Word<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        if self.done {
            return None;
        }
        let mut name = String::new();
        for Bracket { before, now, .. } in &self.brackets {
            // Writing to a String cannot fail.
            let _ = write!(name, "{before}{:0width$}", now.from, width = now.width);
        }
        name.push_str(self.tail);
        self.done = self.brackets.iter_mut().rev().all(Bracket::turns_over);
        Some(name)
    }
}

/// Numbers that count up, as wide as the first is written.
#[derive(Clone, Copy)]
struct Range {
    width: usize,
    from: u64,
    to: u64,
}

fn too_many() -> Error {
    Error::input(format!("more than {MAX_NAMES} host names")).hint("is a digit too much in a range?")
}

fn too_long(word: &str) -> Error {
    wrong(word, &format!("host names of at most {MAX_NAME} bytes"))
}

/// The ranges of a bracket.
type Ranges<'a> = std::iter::Map<std::str::Split<'a, char>, fn(&str) -> Result<Range>>;

/// `1-4,007` as ranges of numbers.
fn ranges(inside: &str) -> Ranges<'_> {
    inside.split(',').map(|part| {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        let ends = number(low).zip(number(high)).filter(|(from, to)| from <= to);
        let (from, to) = ends.ok_or_else(|| wrong(part, "a number or a range such as 001-004"))?;
        Ok(Range { width: low.len(), from, to })
    })
}

/// Digits alone, few enough that nothing overflows.
fn number(digits: &str) -> Option<u64> {
    let plain = (1..=18).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}

/// A name and the digits at its end, if it has any.
fn split_number(name: &str) -> (&str, Option<&str>) {
    let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match name.get(prefix.len()..).filter(|digits| number(digits).is_some()) {
        Some(digits) => (prefix, Some(digits)),
        None => (name, None),
    }
}

/// Names that count up, as they are folded.
struct Run<'a> {
    first: &'a str,
    last: &'a str,
}

impl<'a> Run<'a> {
    fn new(first: &'a str) -> Self {
        Run { first, last: first }
    }

    /// Takes the next number in if it follows, in the width of the first.
    fn extend(&mut self, next: &'a str) -> bool {
        let expected = number(self.last).map(|n| format!("{:0width$}", n + 1, width = self.first.len()));
        let follows = expected.is_some_and(|digits| digits == next);
        if follows {
            self.last = next;
        }
        follows
    }

    fn show(&self) -> String {
        if self.first == self.last { self.first.to_string() } else { format!("{}-{}", self.first, self.last) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_expand_and_compress() {
        for (list, names) in [
            ("login1", "login1"),
            ("n[001-004,7],login1", "n001 n002 n003 n004 n7 login1"),
            ("n[8-11]", "n8 n9 n10 n11"),
            ("n[08-11,099-100]", "n08 n09 n10 n11 n099 n100"),
            ("a,b7,b[9-10],b", "a b7 b9 b10 b"),
            ("[1-2,02]", "1 2 02"),
        ] {
            let expanded = expand(list).expect(list);
            assert_eq!(expanded.join(" "), names);
            let back = compress(&expanded);
            assert_eq!(expand(&back).expect(&back), expanded);
            assert!(back.len() <= list.len(), "{list} became {back}");
        }
        assert_eq!(expand("r[1-2]n[0,3]-ib").expect("two brackets").join(" "), "r1n0-ib r1n3-ib r2n0-ib r2n3-ib");
        assert_eq!(compress(&["r1n0-ib", "n2", "n1", "n01"]), "r1n0-ib,n[2,1,01]");
        assert_eq!(compress::<&str>(&[]), "");
        let long = "9".repeat(40);
        assert_eq!(compress(&[&long, &long]), format!("{long},{long}"), "no number that is counted with");
    }

    #[test]
    fn wrong_lists_are_refused() {
        let hint = "a hostlist looks like n[001-004,7],login1";
        let many = "more than 1048576 host names; is a digit too much in a range?";
        let range = "expected a number or a range such as 001-004";
        for (list, error) in [
            ("", format!("found ``, expected at least one host name; {hint}")),
            (" , ,", format!("found ` , ,`, expected at least one host name; {hint}")),
            ("n[1-3", format!("found `n[1-3`, expected brackets that open and close; {hint}")),
            ("n]1[", format!("found `n]1[`, expected brackets that open and close; {hint}")),
            ("n[]", format!("found ``, {range}; {hint}")),
            ("n[4-1]", format!("found `4-1`, {range}; {hint}")),
            ("n[1-2-3]", format!("found `1-2-3`, {range}; {hint}")),
            ("n[-1]", format!("found `-1`, {range}; {hint}")),
            ("n[a-b]", format!("found `a-b`, {range}; {hint}")),
            ("n[[1-2]]", format!("found `[1-2`, {range}; {hint}")),
            ("n[1-1048577]", many.into()),
            ("n[1-1024][1-1025]", many.into()),
            ("a,n[1-1048576]", many.into()),
            ("n[0-999999999999999999]", many.into()),
            ("n[1-9999999999999999999]", format!("found `1-9999999999999999999`, {range}; {hint}")),
        ] {
            assert_eq!(expand(list).expect_err(list).to_string(), error);
        }
        let all = names("n[1-1048576]").expect("just fits");
        assert_eq!((all.len(), all.count()), (MAX_NAMES, MAX_NAMES));
        for long in ["x".repeat(256), format!("{}[1-9]", "x".repeat(256)), "[1]".repeat(2000)] {
            assert!(expand(&long).expect_err("long").to_string().contains("at most 255 bytes"));
        }
    }

    proptest! {
        #[test]
        fn compressing_loses_nothing(names in prop::collection::vec("[a-c]{0,1}[-_.]{0,1}[0-2]{0,4}[a]{0,1}[0-9]{1,3}", 1..40)) {
            prop_assert_eq!(expand(&compress(&names)), Ok(names));
        }

        #[test]
        fn runs_of_numbers_become_one_range(first in 0u64..2000, count in 2u64..500, width in 1usize..6) {
            let names: Vec<String> = (first..first + count).map(|n| format!("node{n:0width$}")).collect();
            let last = first + count - 1;
            prop_assert_eq!(compress(&names), format!("node[{first:0width$}-{last:0width$}]"));
        }

        #[test]
        fn no_text_panics(text in "[n0-9\\[\\],-]{0,24}") {
            if let Ok(names) = expand(&text) {
                prop_assert_eq!(expand(&compress(&names)), Ok(names));
            }
        }
    }
}
