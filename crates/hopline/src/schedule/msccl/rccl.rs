//! What RCCL's own reader of XML does not take, although it is XML (github.com/ROCm/rccl, src/misc/msccl/msccl_parser.cc).

use super::Program;

/// Its collectives, as it spells them.
const COLLECTIVES: [&str; 11] = [
    "allgather",
    "allreduce",
    "alltoall",
    "alltoallv",
    "broadcast",
    "gather",
    "recv",
    "reduce",
    "reducescatter",
    "scatter",
    "send",
];

/// What it does not take, with its first line; O(text).
pub(super) fn refusals(text: &str, program: &Program) -> Vec<String> {
    let plain = without_comments(text);
    let line = |at: usize| 1 + plain[..at].matches('\n').count();
    let mut found = Vec::new();
    if plain.starts_with('\u{feff}') {
        found.push("a byte order mark before it".to_string());
    }
    if let Some(at) = plain.find("<?") {
        found.push(format!("`<?xml ... ?>` in line {}", line(at)));
    }
    if let Some(at) = plain.find('\t') {
        found.push(format!("a tab in line {}", line(at)));
    }
    if let Some(at) = plain.find("='") {
        found.push(format!("single quotes in line {}", line(at)));
    }
    if let Some(at) = broken(&plain) {
        found.push(format!("an element over several lines in line {}", line(at)));
    }
    if !COLLECTIVES.contains(&&*program.coll) {
        found.push(format!("the collective `{}`", program.coll));
    }
    found.extend(program.absent.iter().map(|name| format!("no `{name}`")));
    found
}

/// The text without its comments, but with the ends of their lines.
fn without_comments(text: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find("<!--") {
        let end = rest[start..].find("-->").map_or(rest.len(), |end| start + end + 3);
        plain.push_str(&rest[..start]);
        plain.extend(rest[start..end].chars().filter(|c| *c == '\n'));
        rest = &rest[end..];
    }
    plain + rest
}

/// Where an element starts that goes on in another line.
fn broken(text: &str) -> Option<usize> {
    let mut starts = text.match_indices('<').map(|(at, _)| at);
    starts.find(|&at| text[at..].find(['\n', '>']).is_some_and(|end| text.as_bytes()[at + end] == b'\n'))
}
