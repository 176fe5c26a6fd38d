//! METIS graphs: a header `n m [fmt [ncon]]`, then one line per vertex with its
//! neighbours from 1, each followed by the weight of the edge where `fmt` ends
//! in 1. `%` begins a comment; an empty line is a vertex without neighbours.
//!
//! An undirected edge of weight w becomes two demands of w, one each way.

use super::contents::{Read, tasks};
use crate::demand::{Demand, Unit};
use crate::error::{Error, Place, Result};
use crate::format::lines::Lines;
use crate::format::words::{amount, quote};

/// True where a line may be the header.
pub(super) fn begins(first: &str) -> bool {
    let words = || first.split_ascii_whitespace();
    (2..=4).contains(&words().count()) && words().all(|word| word.bytes().all(|b| b.is_ascii_digit()))
}

struct Header {
    vertices: u32,
    edges: u64,
    /// Numbers at the front of each vertex line: its size and weights.
    skip: u64,
    weighted: bool,
    place: Place,
}

/// Reads a graph: O(text + edges log degree).
///
/// # Errors
/// A header or number out of range, a wrong number of vertices or edges, a
/// self-loop, a neighbour listed twice, or an edge that its two ends tell differently.
pub(super) fn parse(path: &str, text: &str) -> Result<Read> {
    let mut lines = Lines::new(path, text);
    let header = read_header(&mut lines)?;
    let (entries, rows) = read_rows(&mut lines, &header)?;
    check_symmetry(path, &entries, &rows)?;
    let edges = entries.len() as u64 / 2;
    if edges != header.edges {
        let message = format!("{} edges in the header, {edges} in the lines below", header.edges);
        return Err(Error::input(message).at(&header.place).hint("an edge counts once, though both its ends list it"));
    }
    let mut notes = Vec::new();
    if header.skip > 0 {
        notes.push("vertex weights are ignored: every task weighs the same".to_string());
    }
    if !header.weighted {
        notes.push("the edges have no weights: each counts 1 byte each way".to_string());
    }
    let demand = Demand::new(header.vertices, Unit::Bytes, entries, Vec::new()).map_err(|e| e.at(&header.place))?;
    Ok(Read { demand, notes })
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('%')
}

fn read_header(lines: &mut Lines<'_>) -> Result<Header> {
    const HINT: &str = "a METIS graph begins with its numbers of vertices and edges, \
                        fmt (0, 1, 10, 11, 100, ...) and the number of weights of a vertex";
    let line = lines.by_ref().find(|line| !line.trim().is_empty() && !is_comment(line)).unwrap_or_default();
    let mut words = line.split_ascii_whitespace();
    let vertices = tasks(lines, words.next().unwrap_or_default()).map_err(|e| e.hint(HINT))?;
    let wrong = |what: &str, word: &str| lines.error(format!("found {}, expected {what}", quote(word))).hint(HINT);
    let edges = words.next().unwrap_or_default();
    let edges = edges.parse().map_err(|_| wrong("a number of edges", edges))?;
    let fmt = words.next().unwrap_or("0");
    if fmt.len() > 3 || fmt.bytes().any(|b| b != b'0' && b != b'1') {
        return Err(wrong("fmt, up to three digits 0 or 1", fmt));
    }
    let weights = words.next().unwrap_or("1");
    let weights: u64 = weights.parse().map_err(|_| wrong("a number of weights", weights))?;
    // From the right: edge weights, vertex weights, vertex sizes.
    let flag = |digit: usize| fmt.bytes().rev().nth(digit) == Some(b'1');
    let skip = u64::from(flag(2)).saturating_add(if flag(1) { weights } else { 0 });
    Ok(Header { vertices, edges, skip, weighted: flag(0), place: lines.place() })
}

type Entries = Vec<(u32, u32, f64)>;

/// Where the entries of a vertex begin, and its line.
type Rows = Vec<(usize, u32)>;

fn read_rows(lines: &mut Lines<'_>, header: &Header) -> Result<(Entries, Rows)> {
    let (mut entries, mut rows) = (Entries::new(), Rows::new());
    while let Some(line) = lines.next() {
        if is_comment(line) {
            continue;
        }
        if rows.len() as u64 == u64::from(header.vertices) {
            if line.trim().is_empty() {
                continue;
            }
            return Err(lines.error(format!("a line after those of all {} vertices", header.vertices)));
        }
        let start = entries.len();
        read_row(lines, line, header, rows.len() as u32, &mut entries)?;
        let row = entries.get_mut(start..).unwrap_or_default();
        row.sort_unstable_by_key(|e| e.1);
        if let Some(twice) = row.iter().zip(row.iter().skip(1)).find(|(a, b)| a.1 == b.1) {
            return Err(lines.error(format!("vertex {} lists {} twice", twice.0.0 + 1, twice.0.1 + 1)));
        }
        rows.push((start, lines.number()));
    }
    if rows.len() as u64 != u64::from(header.vertices) {
        let message = format!("{} vertex lines, expected {}", rows.len(), header.vertices);
        return Err(lines.error(message).hint("a vertex without neighbours has an empty line"));
    }
    Ok((entries, rows))
}

fn read_row(lines: &Lines<'_>, line: &str, header: &Header, from: u32, entries: &mut Entries) -> Result<()> {
    let mut words = line.split_ascii_whitespace();
    for _ in 0..header.skip {
        let none = || lines.error(format!("vertex {} has too few weights, expected {}", from + 1, header.skip));
        amount(lines, words.next().ok_or_else(none)?)?;
    }
    while let Some(word) = words.next() {
        let to: u32 = word.parse().ok().filter(|v| (1..=header.vertices).contains(v)).ok_or_else(|| {
            lines.error(format!("found {}, expected a vertex from 1 to {}", quote(word), header.vertices))
        })?;
        if to == from + 1 {
            return Err(lines.error(format!("vertex {to} lists itself")).hint("METIS graphs have no self-loops"));
        }
        let none = || lines.error(format!("no weight after neighbour {to}")).hint("fmt says that edges have weights");
        let weight = if header.weighted { amount(lines, words.next().ok_or_else(none)?)? } else { 1.0 };
        entries.push((from, to - 1, weight));
    }
    Ok(())
}

fn check_symmetry(path: &str, entries: &[(u32, u32, f64)], rows: &[(usize, u32)]) -> Result<()> {
    let row = |v: u32| {
        let (start, line) = rows.get(v as usize).copied().unwrap_or_default();
        let end = rows.get(v as usize + 1).map_or(entries.len(), |next| next.0);
        (entries.get(start..end).unwrap_or_default(), line)
    };
    for &(from, to, weight) in entries {
        let (back, line) = row(to);
        let found = back.binary_search_by_key(&from, |e| e.1).ok().and_then(|i| back.get(i)).map(|e| e.2);
        let (a, b) = (from + 1, to + 1);
        let message = match found {
            None => format!("vertex {a} lists {b}, but vertex {b} (line {line}) does not list {a}"),
            Some(other) if other != weight => format!("edge {a}-{b} weighs {weight} here and {other} on line {line}"),
            Some(_) => continue,
        };
        let place = Place::new(path, row(from).1);
        return Err(Error::input(message).at(&place).hint("both ends of an edge list it, with the same weight"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_two_demands() {
        let read = parse("g", "% mesh\n3 2 11\n1 2 5 3 0.5\n 9 1 5\n% between\n4 1 0.5\n\n").expect("graph");
        assert_eq!(read.demand.entries(), [(0, 1, 5.0), (0, 2, 0.5), (1, 0, 5.0), (2, 0, 0.5)]);
        assert_eq!(read.notes, ["vertex weights are ignored: every task weighs the same"]);
        let plain = parse("g", "4 1\n\n4\n\n2\n").expect("empty lines are vertices");
        assert_eq!(plain.demand.entries(), [(1, 3, 1.0), (3, 1, 1.0)]);
        assert_eq!(plain.notes, ["the edges have no weights: each counts 1 byte each way"]);
        let sized = parse("g", "2 1 111 2\n7 1 1 2 5\n7 1 1 1 5\n").expect("a size and two weights");
        assert_eq!(sized.demand.entries(), [(0, 1, 5.0), (1, 0, 5.0)]);
    }

    #[test]
    fn errors_name_the_line() {
        let header = "a METIS graph begins with its numbers of vertices and edges, \
                      fmt (0, 1, 10, 11, 100, ...) and the number of weights of a vertex";
        let ends = "both ends of an edge list it, with the same weight";
        for (text, error) in [
            ("0 0\n", format!("g:1: found `0`, expected a number of tasks from 1 to 4194304; {header}")),
            ("%\n2 -1\n", format!("g:2: found `-1`, expected a number of edges; {header}")),
            ("2 1 2\n", format!("g:1: found `2`, expected fmt, up to three digits 0 or 1; {header}")),
            ("2 1 10 x\n", format!("g:1: found `x`, expected a number of weights; {header}")),
            ("2 1\n3\n1\n", "g:2: found `3`, expected a vertex from 1 to 2".into()),
            ("2 1\n1\n1\n", "g:2: vertex 1 lists itself; METIS graphs have no self-loops".into()),
            ("2 1\n2 2\n1\n", "g:2: vertex 1 lists 2 twice".into()),
            ("2 1\n2\n\n", format!("g:2: vertex 1 lists 2, but vertex 2 (line 3) does not list 1; {ends}")),
            ("2 1 1\n2 5\n%\n1 4\n", format!("g:2: edge 1-2 weighs 5 here and 4 on line 4; {ends}")),
            ("2 1 1\n2\n1 4\n", "g:2: no weight after neighbour 2; fmt says that edges have weights".into()),
            ("2 1 10 2\n1 2\n1\n", "g:3: vertex 2 has too few weights, expected 2".into()),
            ("2 1\n2\n", "g:2: 1 vertex lines, expected 2; a vertex without neighbours has an empty line".into()),
            ("2 1\n2\n1\n\n1\n", "g:5: a line after those of all 2 vertices".into()),
            (
                "%\n2 2\n2\n1\n",
                "g:2: 2 edges in the header, 1 in the lines below; \
                 an edge counts once, though both its ends list it"
                    .into(),
            ),
        ] {
            assert_eq!(parse("g", text).expect_err(text).to_string(), error);
        }
    }
}
