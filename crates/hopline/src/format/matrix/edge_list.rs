//! Edge lists with a head: a line for each pair that sends, and a head that
//! names the columns: `src,dst,bytes`, `source target weight`, with commas, tabs,
//! semicolons or white space between them, in any order, among other columns. The
//! head `,,0` of a stacked Series of pandas is one, too.
//!
//! Ends are ranks from 0, or names of hosts or ranks: then tasks are numbered in
//! their natural order. Pairs that stand there several times are added up.

use super::cells::{Separator, few, natural_order, rank};
use super::contents::{MAX_TASKS, Read};
use crate::demand::{Demand, Unit};
use crate::error::Result;
use crate::format::lines::Lines;
use crate::format::words::{amount, is_comment, quote};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// What ends are called, as pairs where one word alone could be a task's name.
const SOURCES: [&str; 10] =
    ["src", "source", "from", "sender", "src_rank", "source_rank", "sender_rank", "from_rank", "rank_from", "origin"];
const TARGETS: [&str; 12] = [
    "dst",
    "dest",
    "destination",
    "target",
    "to",
    "receiver",
    "dst_rank",
    "dest_rank",
    "target_rank",
    "receiver_rank",
    "to_rank",
    "rank_to",
];
const SHORT: [[&str; 2]; 6] =
    [["rank", "peer"], ["u", "v"], ["i", "j"], ["row", "col"], ["node1", "node2"], ["rank1", "rank2"]];
/// Words of an amount's column, and bytes that it counts in. The first column that is called so is it, else one that has such a word.
const AMOUNTS: [(&str, f64); 25] = [
    ("bytes", 1.0),
    ("total_bytes", 1.0),
    ("size", 1.0),
    ("volume", 1.0),
    ("amount", 1.0),
    ("weight", 1.0),
    ("value", 1.0),
    ("nbytes", 1.0),
    ("traffic", 1.0),
    ("data", 1.0),
    ("val", 1.0),
    ("w", 1.0),
    ("b", 1.0),
    ("kb", 1e3),
    ("kbytes", 1e3),
    ("kib", 1024.0),
    ("mb", 1e6),
    ("mbytes", 1e6),
    ("mib", 1048576.0),
    ("megabytes", 1e6),
    ("gb", 1e9),
    ("gbytes", 1e9),
    ("gib", 1073741824.0),
    ("gigabytes", 1e9),
    ("kilobytes", 1e3),
];

/// The most names of an edge list.
const MAX_NAMES: usize = 1 << 20;

const HINT: &str = "an edge list has a head such as `src,dst,bytes` and a line for each pair";

/// Which column holds what.
struct Head {
    separator: Separator,
    source: usize,
    target: usize,
    /// With the bytes that it counts in.
    amount: Option<(usize, f64)>,
    /// Where none is called so: what else there is.
    unnamed: Vec<(usize, String)>,
    width: usize,
}

/// True where a text with this first line is an edge list.
pub(super) fn begins(first: &str) -> bool {
    head(first).is_some()
}

fn head(line: &str) -> Option<Head> {
    let separator = Separator::of(line);
    let plain = |cell: &Cow<'_, str>| cell.to_ascii_lowercase().replace([' ', '-'], "_");
    let cells: Vec<String> = separator.split(line).iter().map(plain).collect();
    // A Series of pandas with two levels of an index, whose names are empty.
    if cells.len() == 3 && cells[..2].iter().all(String::is_empty) {
        return Some(Head { separator, source: 0, target: 1, amount: Some((2, 1.0)), unnamed: Vec::new(), width: 3 });
    }
    let at = |name: &str| cells.iter().position(|cell| cell == name);
    let find = |names: &[&str]| names.iter().find_map(|name| at(name));
    let ends = find(&SOURCES).zip(find(&TARGETS));
    let short = || SHORT.iter().find_map(|[source, target]| at(source).zip(at(target)));
    let (source, target) = ends.or_else(short)?;
    let others: Vec<usize> =
        (0..cells.len()).filter(|c| *c != source && *c != target && !cells[*c].is_empty()).collect();
    let called = |c: &usize| AMOUNTS.iter().find(|(word, _)| *word == cells[*c]).map(|(_, bytes)| (*c, *bytes));
    let words = |c: &usize| {
        let words = || cells[*c].split(|letter: char| !letter.is_alphanumeric());
        let of = words().filter_map(|word| AMOUNTS.iter().find(|(name, _)| *name == word).map(|(_, bytes)| *bytes));
        of.reduce(f64::max).map(|bytes| (*c, bytes))
    };
    let first = AMOUNTS.iter().find_map(|(word, bytes)| Some((at(word)?, *bytes))).filter(|(c, _)| others.contains(c));
    let amount = first.or_else(|| others.iter().find_map(called)).or_else(|| others.iter().find_map(words));
    // Such words may be tasks of a table, too.
    if ends.is_none() && (amount.is_none() || cells.len() > 4) {
        return None;
    }
    let unnamed = if amount.is_none() { others.iter().map(|&c| (c, cells[c].clone())).collect() } else { Vec::new() };
    Some(Head { separator, source, target, amount, unnamed, width: cells.len() })
}

/// Reads an edge list: O(text + entries log entries).
///
/// # Errors
/// A line with another number of cells than the head, or a rank or amount out of range.
pub(super) fn parse(path: &str, text: &str) -> Result<Read> {
    let mut lines = Lines::new(path, text);
    let head = lines
        .by_ref()
        .find(|line| !is_comment(line))
        .and_then(head)
        .ok_or_else(|| lines.error("no head").hint(HINT))?;
    let amount_at = match (&head.amount, &head.unnamed[..]) {
        (Some(known), _) => Some(*known),
        (None, []) => None,
        (None, [(only, _)]) => Some((*only, 1.0)),
        (None, several) => {
            let names: Vec<&str> = several.iter().map(|(_, name)| &name[..]).collect();
            let text = format!("no column of the header is an amount: {}", names.join(", "));
            return Err(lines.error(text).hint("call the one that is `bytes`"));
        }
    };
    let edges = Edges { head: &head, amount_at, lines };
    let Found { tasks, entries, note } = match edges.clone().of_ranks()? {
        Some(found) => found,
        None => edges.clone().of_names()?,
    };
    let mut notes: Vec<String> = note.into_iter().collect();
    match (amount_at, &head.unnamed[..]) {
        (None, _) => notes.push("the header has no column for an amount: each line counts 1 byte".to_string()),
        (Some(_), [(_, name)]) => notes.push(format!("bytes are what stands in column `{name}`")),
        (Some((_, bytes)), _) if bytes != 1.0 => {
            notes.push(format!("amounts are in units of {bytes} bytes, by their column"))
        }
        _ => {}
    }
    let demand = Demand::new(tasks, Unit::Bytes, entries, Vec::new()).map_err(|e| e.at(&edges.lines.place()))?;
    Ok(Read { demand, notes })
}

/// The lines below a head.
#[derive(Clone)]
struct Edges<'a> {
    head: &'a Head,
    amount_at: Option<(usize, f64)>,
    lines: Lines<'a>,
}

/// What lines say.
struct Found {
    tasks: u32,
    entries: Vec<(u32, u32, f64)>,
    note: Option<String>,
}

impl<'a> Edges<'a> {
    /// The ends and the amount of the next line.
    fn next(&mut self) -> Result<Option<([Cow<'a, str>; 2], f64)>> {
        let Some(line) = self.lines.find(|line| !is_comment(line)) else { return Ok(None) };
        let (lines, head) = (&self.lines, self.head);
        let mut cells = head.separator.split(line);
        if cells.len() != head.width {
            return Err(lines.error(format!("{} fields, expected {} as in the header", cells.len(), head.width)));
        }
        let bytes = match self.amount_at.and_then(|(at, bytes)| Some((cells.get(at)?, bytes))) {
            Some((word, bytes)) => bytes * amount(lines, word)?,
            None => 1.0,
        };
        let mut end = |at: usize| cells.get_mut(at).map(std::mem::take).filter(|name| !name.is_empty());
        match (end(head.source), end(head.target)) {
            (Some(source), Some(target)) => Ok(Some(([source, target], bytes))),
            _ => Err(lines.error("an end of the pair is empty").hint(HINT)),
        }
    }

    /// Lines whose ends are ranks; `None` where one has a name.
    fn of_ranks(mut self) -> Result<Option<Found>> {
        let (mut entries, mut tasks, mut from_one, mut refused) = (Vec::new(), 0, true, None);
        while let Some((ends, bytes)) = self.next()? {
            let mut ranks = [0; 2];
            for (word, at) in ends.iter().zip(&mut ranks) {
                match rank(word).filter(|&rank| rank < MAX_TASKS) {
                    Some(rank) => *at = rank,
                    None if word.parse::<f64>().is_err() => return Ok(None),
                    // Where a name is still to come these are names, too.
                    None => {
                        let message = format!("found {}, expected a rank from 0 to {}", quote(word), MAX_TASKS - 1);
                        refused.get_or_insert_with(|| self.lines.error(message));
                    }
                }
            }
            tasks = tasks.max(ranks[0] + 1).max(ranks[1] + 1);
            from_one &= !ranks.contains(&0);
            if bytes > 0.0 {
                entries.push((ranks[0], ranks[1], bytes));
            }
        }
        if tasks == 0 {
            return Err(self.lines.error("a header without a line below it").hint(HINT));
        }
        let note = from_one.then(|| "rank 0 is in no line: ranks count from 0".to_string());
        refused.map_or(Ok(Some(Found { tasks, entries, note })), Err)
    }

    /// Lines whose ends are names: tasks in their natural order.
    fn of_names(self) -> Result<Found> {
        let mut names: FxHashSet<Cow<'_, str>> = FxHashSet::default();
        let mut lines = self.clone();
        while let Some((ends, _)) = lines.next()? {
            names.extend(ends);
            if names.len() > MAX_NAMES {
                return Err(lines.lines.error(format!("more than {MAX_NAMES} names")));
            }
        }
        let mut names: Vec<Cow<'_, str>> = names.into_iter().collect();
        names.sort_unstable_by(|a, b| natural_order(a, b));
        let index: FxHashMap<&str, u32> = names.iter().map(|name| &**name).zip(0..).collect();
        let task = |word: &str| index.get(word).copied().unwrap_or_default();
        let (mut lines, mut entries) = (self, Vec::new());
        while let Some(([source, target], bytes)) = lines.next()? {
            if bytes > 0.0 {
                entries.push((task(&source), task(&target), bytes));
            }
        }
        let note = format!("tasks are the names in natural order: {}", few(names.iter().map(|name| &**name)));
        Ok(Found { tasks: names.len() as u32, entries, note: Some(note) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_names_the_columns() {
        let read = parse("r", "src,dst,msgs,Bytes\n2,0,1,9.5\n0,1,1,3\n").expect("table");
        assert_eq!(read.demand.entries(), [(0, 1, 3.0), (2, 0, 9.5)]);
        assert!(read.notes.is_empty());
        // What pandas' to_csv writes of a frame, with its index and ranks that had gaps.
        let pandas = parse("r", ",source,target,weight\n0,0.0,1.0,3.0\n1,2.0,0.0,9.5\n").expect("pandas");
        assert_eq!(pandas, read);
        for (head, unit) in [
            ("src_rank,dst_rank,volume_bytes", 1.0),
            ("rank,peer,bytes_sent", 1.0),
            ("source_rank,dest_rank,bytes", 1.0),
            ("Sender Rank,Receiver Rank,Total Volume (Bytes)", 1.0),
            ("u,v,weight", 1.0),
            ("i,j,w", 1.0),
            ("row,col,val", 1.0),
            ("node1,node2,weight", 1.0),
            ("src,dst,Size (B)", 1.0),
            ("src,dst,kbytes", 1e3),
            ("src,dst,weight_mb", 1e6),
            ("src,dst,GiB", 1073741824.0),
        ] {
            let read = parse("r", &format!("{head}\n2,0,9.5\n0,1,3\n")).expect(head);
            assert_eq!(read.demand.entries(), [(0, 1, 3.0 * unit), (2, 0, 9.5 * unit)], "{head}");
            assert_eq!(read.notes.len(), usize::from(unit != 1.0), "{head}: {:?}", read.notes);
        }
        let other = parse("r", "src,dst,msgs\n0,1,7\n").expect("one other column");
        assert_eq!(
            (other.demand.entries(), &other.notes[0][..]),
            (&[(0, 1, 7.0)][..], "bytes are what stands in column `msgs`")
        );
        assert!(!begins(",u,v,x") && !begins("u,v,w,x,weight"), "tasks of a table");
        for text in [
            "dst\tsrc\tbytes\r\n0\t2\t9.5\r\n1\t0\t3\r\n",
            "From To Volume\n 2 0 9.5\n 0  1 3\n",
            "\"Source Rank\";Dest;Size\n2;0;9.5\n0;1;3\n",
        ] {
            assert_eq!(parse("r", text).expect(text), read, "{text}");
        }
        assert!(begins("dst, src, bytes") && !begins("0,1,2") && !begins("src,0,1"));
        let bare = parse("r", "src,dst\n0,1\n0,1\n").expect("bare");
        assert_eq!(bare.demand.entries(), [(0, 1, 2.0)]);
        assert!(bare.notes[0].ends_with("each line counts 1 byte"), "{:?}", bare.notes);
    }

    #[test]
    fn names_become_tasks_in_natural_order() {
        let read = parse("r", "source,target,bytes\nn10,n2,5\nn2,n1,7\n").expect("names");
        assert_eq!(read.demand.entries(), [(1, 0, 7.0), (2, 1, 5.0)]);
        assert_eq!(read.notes, ["tasks are the names in natural order: `n1`, `n2`, `n10`"]);
        let one = parse("r", "src,dst,bytes\n1,2,5\n").expect("from 1");
        assert_eq!(one.notes, ["rank 0 is in no line: ranks count from 0"]);
    }

    #[test]
    fn errors_name_the_line() {
        let amounts = "amounts are bytes, whole or decimal, without a unit";
        for (text, error) in [
            (
                "src,dst,msgs,when\n0,1,2,3\n",
                "r:1: no column of the header is an amount: msgs, when; call the one that is `bytes`".into(),
            ),
            ("src,dst,bytes\n0,1\n", "r:2: 2 fields, expected 3 as in the header".into()),
            ("src,dst,bytes\n", format!("r:1: a header without a line below it; {HINT}")),
            ("src,dst,bytes\n\n0,4194304,1\n", "r:3: found `4194304`, expected a rank from 0 to 4194303".into()),
            ("src,dst,bytes\n0,1,1\n0,-1,1\n", "r:3: found `-1`, expected a rank from 0 to 4194303".into()),
            ("src,dst,bytes\n0,1.5,1\n", "r:2: found `1.5`, expected a rank from 0 to 4194303".into()),
            ("src,dst,bytes\n0,,1\n", format!("r:2: an end of the pair is empty; {HINT}")),
            ("src,dst,bytes\n0,1,1kB\n", format!("r:2: found `1kB`, expected an amount from 0 to 1e30; {amounts}")),
        ] {
            assert_eq!(parse("r", text).expect_err(text).to_string(), error);
        }
    }
}
