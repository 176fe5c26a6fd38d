//! Which vertices a person means: whole names, GUIDs, short names that one vertex has, patterns.

use super::{Fabric, Guid};
use crate::error::{Error, Result, suggest_near};
use crate::id::{HostId, VertexId};

/// Candidates that an error lists.
const LISTED: usize = 6;

/// The vertices that a word means, ascending: the one of that name, GUID (`0x...`, `S-...`) or host; else all that
/// a pattern fits (`*`, `?`, `[1-4]`, `[ab]`); else the only one whose name begins with the word or, where none does,
/// contains it. O(vertices * length of names).
///
/// # Errors
/// None, or several where one is meant; the hint lists them, or suggests the nearest name.
pub(super) fn vertices(fabric: &Fabric, word: &str) -> Result<Vec<VertexId>> {
    let word = word.trim();
    if let Some(v) = fabric.find(word).or_else(|| by_guid(fabric, word)) {
        return Ok(vec![v]);
    }
    if word.is_empty() {
        let text = format!("{} has no switch, host or GUID with an empty name", fabric.name());
        return Err(Error::input(text).hint(FORMS));
    }
    if word.contains(['*', '?', '[']) {
        let fits: Vec<VertexId> = all(fabric).filter(|&v| names(fabric, v).any(|name| matches(word, name))).collect();
        return if fits.is_empty() { Err(unknown(fabric, word)) } else { Ok(fits) };
    }
    // `spine1` means `spine1/U1`, not `spine12/U1`: whole words come first, then beginnings, then parts.
    let begins_word =
        |name: &str| name.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
    let begins = |name: &str| name.starts_with(word);
    let contains = |name: &str| name.contains(word);
    for test in [&begins_word as &dyn Fn(&str) -> bool, &begins, &contains] {
        let fits: Vec<VertexId> = all(fabric).filter(|&v| names(fabric, v).any(test)).collect();
        match &fits[..] {
            [] => {}
            [_] => return Ok(fits),
            // The adapters of one host are one thing.
            [first, rest @ ..]
                if fabric.hosts().owner(*first).is_some()
                    && rest.iter().all(|v| fabric.hosts().owner(*v) == fabric.hosts().owner(*first)) =>
            {
                return Ok(fits);
            }
            several => return Err(ambiguous(fabric, word, several)),
        }
    }
    Err(unknown(fabric, word))
}

const FORMS: &str = "write SWITCH[PORT], `A -- B`, the name of a switch or host, or a pattern such as spine*";

fn all(fabric: &Fabric) -> impl Iterator<Item = VertexId> {
    (0..fabric.vertices()).map(VertexId)
}

/// A vertex's name, and its host's.
fn names(fabric: &Fabric, v: VertexId) -> impl Iterator<Item = &str> {
    let host = fabric.hosts().owner(v).map(|h| fabric.hosts().name(h));
    std::iter::once(fabric.vertex_name(v)).chain(host)
}

/// `S-0002c90200420020`, as dumps write it (H- and R- for adapters and routers).
fn by_guid(fabric: &Fabric, word: &str) -> Option<VertexId> {
    let digits = ["S-", "H-", "R-", "s-", "h-", "r-", "0x", "0X"].iter().find_map(|p| word.strip_prefix(p))?;
    let guid = Guid(u64::from_str_radix(digits, 16).ok()?);
    all(fabric).find(|&v| fabric.guid(v) == Some(guid))
}

fn ambiguous(fabric: &Fabric, word: &str, several: &[VertexId]) -> Error {
    let shown: Vec<&str> = several.iter().take(LISTED).map(|&v| fabric.vertex_name(v)).collect();
    let more = if several.len() > LISTED { format!(" and {} more", several.len() - LISTED) } else { String::new() };
    Error::input(format!("`{word}` may be {} parts of {}", several.len(), fabric.name()))
        .hint(format!("write more of the name, or `*{word}*` for all: {}{more}", shown.join(", ")))
}

fn unknown(fabric: &Fabric, word: &str) -> Error {
    let hosts = fabric.hosts();
    let known = (0..fabric.vertices())
        .map(|v| fabric.vertex_name(VertexId(v)))
        .chain((0..hosts.len()).map(|h| hosts.name(HostId(h))));
    Error::input(format!("{} has no switch, host or GUID `{word}`", fabric.name()))
        .hint(suggest_near(word, known, FORMS))
}

/// Whether a pattern fits a whole name, or its beginning up to what is no letter or digit, so that
/// `leaf0[1-4]` fits `leaf01/U1`. `*` is anything, `?` one character, `[1-4]` a number of the range (leading zeros as
/// written) or `[abc]` one of the characters.
fn matches(pattern: &str, name: &str) -> bool {
    let Some(first) = pattern.chars().next() else {
        return name.is_empty() || name.starts_with(|c: char| !c.is_ascii_alphanumeric());
    };
    let rest = &pattern[first.len_utf8()..];
    match first {
        '*' => (0..=name.len()).filter(|&at| name.is_char_boundary(at)).any(|at| matches(rest, &name[at..])),
        '?' => name.chars().next().is_some_and(|c| matches(rest, &name[c.len_utf8()..])),
        '[' => match rest.split_once(']') {
            Some((set, rest)) => members(set, name).into_iter().any(|used| matches(rest, &name[used..])),
            None => name.strip_prefix('[').is_some_and(|name| matches(rest, name)),
        },
        c => name.strip_prefix(c).is_some_and(|name| matches(rest, name)),
    }
}

/// How many bytes of a name's beginning may stand for a set such as `1-4,7` or `abc`.
fn members(set: &str, name: &str) -> Vec<usize> {
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    let mut used = Vec::new();
    let numeric =
        set.split(',').all(|part| part.split('-').all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())));
    if !numeric {
        let first = name.chars().next().filter(|c| set.contains(*c));
        return first.map(char::len_utf8).into_iter().collect();
    }
    for part in set.split(',') {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        let (Ok(least), Ok(most)) = (low.parse::<u64>(), high.parse::<u64>()) else { continue };
        // 01-16 has two digits each; 1-16 as many as the number needs.
        let fits = |n: &usize| {
            let text = &name[..*n];
            let as_written = if low.starts_with('0') { *n == low.len() } else { *n == 1 || !text.starts_with('0') };
            as_written && text.parse::<u64>().is_ok_and(|value| (least..=most).contains(&value))
        };
        used.extend((1..=digits.min(18)).filter(fits));
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_whole_words() {
        for (pattern, name, fits) in [
            ("spine*", "spine01/U1", true),
            ("spine0?", "spine01/U1", true),
            ("leaf0[1-4]", "leaf04/U1", true),
            ("leaf0[1-4]", "leaf05/U1", false),
            ("leaf[01-04]", "leaf04/U1", true),
            ("leaf[1-4]", "leaf04/U1", false),
            ("n[1-16]", "n16", true),
            ("n[1-16]", "n17", false),
            ("n[1-16]", "n160", false),
            ("leaf0[ab]", "leaf0b", true),
            ("*/U2", "spine01/U1", false),
            ("leaf01", "leaf012", false),
            ("[", "[x", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
