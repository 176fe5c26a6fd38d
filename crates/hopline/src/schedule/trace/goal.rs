//! GOAL as text: what LogGOPSim's schedgen writes and `txt2bin` reads; what that
//! writes is in [`binary`].
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//!   l1: calc 100
//!   l2: send 8b to 1 tag 5
//!   l2 requires l1
//! }
//! rank 1 {
//!   l1: recv 8b from 0 tag 5
//! }
//! ```
//!
//! `irequires` waits only for the beginning. `cpu N` and `nic N` are read and
//! left out: a rank has one processor and one adapter here. Source:
//! <https://github.com/spcl/LogGOPSim>, `txt2bin.re` and `Goal.hpp`.

pub mod binary;

use super::super::{Builder, Limit, Made, OpId, Schedule, What};
use super::{COMPUTE, factor, scaled};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::files::{read_bytes, text_of};
use crate::format::lines::Lines;
use crate::params::Reader;
use crate::traffic::Context;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "goal",
    summary: "a GOAL schedule, text or binary: LogGOPSim, ATLAHS",
    doc: "Ranks, and for each its operations with labels: calc NANOSECONDS, send BYTESb to RANK tag TAG, recv BYTESb from \
          RANK tag TAG; `a requires b` and `a irequires b` (b has begun). The words cpu and nic are left out: a rank has one \
          processor and one adapter. A receive names its sender and its tag.\n\
          The binary form is what txt2bin writes; a file is recognised by its first bytes.\n\
          Source: github.com/spcl/LogGOPSim.",
    example: "goal:file=testdata/schedules/ping-pong.goal",
    params: &[param("file", "path", "", "the schedule"), COMPUTE],
};

/// The largest number of ranks of a file.
const MOST_RANKS: u32 = 1 << 22;

/// As many a file of any size may have; a larger one has no more ranks than bytes, so that a few words cannot ask for all
/// memory.
const FEW_RANKS: usize = 1 << 12;

/// What is told of files that name several processors.
const ONE_EACH: &str = "the processors and adapters that the schedule names are left out: a rank has one of each";

pub(in crate::schedule) fn make(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    let (path, factor): (String, f64) = (reader.need("file")?, factor(reader)?);
    let bytes = read_bytes(context.files, &path)?;
    let made = match binary::is(&bytes) {
        true => binary::parse_within(&path, &bytes, limit),
        false => parse_within(&path, &text_of(&path, bytes)?, limit),
    };
    Ok(scaled(made?, factor))
}

/// What stands on a line of a rank.
enum Line<'a> {
    Op { label: &'a str, what: What, amount: u64, peer: u32, tag: u32 },
    Edge { later: &'a str, earlier: &'a str, begun: bool },
}

/// An operation with its label, and edges by place: (later, earlier, begun).
#[derive(Default)]
struct Draft<'a> {
    ops: Vec<(What, u64, u32, u32)>,
    place: FxHashMap<&'a str, u32>,
    edges: Vec<(u32, u32, bool)>,
}

/// Reads GOAL: O(text). `path` is for errors.
///
/// # Errors
/// A line that is none of the format, a label that is not there, or a schedule
/// that [`Builder::finish`] refuses; with the line where there is one.
pub fn parse(path: &str, text: &str) -> Result<Made> {
    parse_within(path, text, Limit::default())
}

fn parse_within(path: &str, text: &str, limit: Limit) -> Result<Made> {
    let mut lines = Lines::new(path, text);
    let (mut builder, mut rank, mut draft) = (None::<Builder>, None::<u32>, Draft::default());
    let mut left_out = false;
    while let Some(line) = lines.next() {
        let line = line.split("//").next().unwrap_or("").trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        match (&words[..], builder.as_mut(), rank) {
            ([], ..) => {}
            (["num_ranks", n], None, _) => {
                let n: u32 = n.parse().map_err(|_| lines.error(format!("`{n}` ranks, expected a number")))?;
                let most = text.len().clamp(FEW_RANKS, MOST_RANKS as usize);
                if n == 0 || n as usize > most {
                    return Err(
                        lines.error(format!("{n} ranks in a text of {} bytes, expected 1 to {most}", text.len()))
                    );
                }
                builder = Some(Builder::within(n, limit));
            }
            (["rank", n, "{"], Some(b), None) => {
                let n = n.parse().ok().filter(|&n| n < b.ranks());
                rank = Some(n.ok_or_else(|| lines.error(format!("`{line}`, expected a rank below {}", b.ranks())))?);
            }
            (["}"], Some(b), Some(r)) => {
                std::mem::take(&mut draft).add_to(b, r).map_err(|e| e.at(&lines.place()))?;
                rank = None;
            }
            (_, Some(_), Some(_)) => {
                left_out |= words.iter().any(|w| *w == "cpu" || *w == "nic");
                let read = line_of(&words).ok_or_else(|| {
                    lines.error(format!("`{line}`, expected an operation or a requirement")).hint(
                        "such as `l1: send 8b to 1 tag 5`, `l2: recv 8b from 0 tag 5`, `l3: calc 100`, `l2 requires l1`",
                    )
                })?;
                draft.take(read, &lines)?;
            }
            _ => return Err(lines.error(format!("`{line}`, expected num_ranks, then ranks in braces"))),
        }
    }
    let Some(builder) = builder else { return Err(lines.error("no `num_ranks`, expected a GOAL schedule")) };
    if rank.is_some() {
        return Err(lines.error("the last rank has no closing brace"));
    }
    let schedule = builder.finish().map_err(|e| e.at(&crate::error::Place::new(path, 0)))?;
    Ok(Made { schedule, notes: if left_out { vec![ONE_EACH.to_string()] } else { Vec::new() } })
}

fn line_of<'a>(words: &[&'a str]) -> Option<Line<'a>> {
    match words {
        [later, "requires", earlier] => Some(Line::Edge { later, earlier, begun: false }),
        [later, "irequires", earlier] => Some(Line::Edge { later, earlier, begun: true }),
        [label, "calc", amount, ..] => {
            let amount = amount.parse().ok()?;
            Some(Line::Op { label: label.strip_suffix(':')?, what: What::Compute, amount, peer: 0, tag: 0 })
        }
        [label, verb, bytes, joint, peer, rest @ ..] => {
            let what = match (*verb, *joint) {
                ("send", "to") => What::Send,
                ("recv", "from") => What::Recv,
                _ => return None,
            };
            let amount = bytes.strip_suffix('b').unwrap_or(bytes).parse().ok()?;
            let tag = match rest.iter().position(|w| *w == "tag") {
                // The highest one stands for any.
                Some(at) => rest.get(at + 1)?.parse().ok().filter(|&tag| tag != u32::MAX)?,
                None => 0,
            };
            Some(Line::Op { label: label.strip_suffix(':')?, what, amount, peer: peer.parse().ok()?, tag })
        }
        _ => None,
    }
}

impl<'a> Draft<'a> {
    fn take(&mut self, line: Line<'a>, lines: &Lines<'_>) -> Result<()> {
        match line {
            Line::Op { label, what, amount, peer, tag } => {
                if self.place.insert(label, self.ops.len() as u32).is_some() {
                    return Err(lines.error(format!("label `{label}` stands twice")));
                }
                self.ops.push((what, amount, peer, tag));
            }
            Line::Edge { later, earlier, begun } => {
                let find = |label: &str| {
                    let place = self.place.get(label).copied();
                    place.ok_or_else(|| lines.error(format!("no operation has the label `{label}`")))
                };
                let edge = (find(later)?, find(earlier)?, begun);
                self.edges.push(edge);
            }
        }
        Ok(())
    }

    /// Adds the operations so that each stands behind those that it requires,
    /// else in order of the file.
    fn add_to(self, builder: &mut Builder, rank: u32) -> Result<()> {
        let n = self.ops.len();
        let (mut needs, mut after) = (vec![0u32; n], vec![Vec::new(); n]);
        for &(later, earlier, _) in &self.edges {
            needs[later as usize] += 1;
            after[earlier as usize].push(later);
        }
        let mut ready: std::collections::BTreeSet<u32> = (0..n as u32).filter(|&i| needs[i as usize] == 0).collect();
        let mut ids: Vec<Option<OpId>> = vec![None; n];
        while let Some(i) = ready.pop_first() {
            let (what, amount, peer, tag) = self.ops[i as usize];
            ids[i as usize] = Some(match what {
                What::Send => builder.send(rank, peer, amount, tag),
                What::Recv => builder.recv(rank, peer, amount, tag),
                What::Compute => builder.compute(rank, amount),
            });
            for &next in &after[i as usize] {
                needs[next as usize] -= 1;
                if needs[next as usize] == 0 {
                    ready.insert(next);
                }
            }
        }
        for (later, earlier, begun) in self.edges {
            let (Some(later), Some(earlier)) = (ids[later as usize], ids[earlier as usize]) else {
                return Err(crate::error::Error::input(format!("operations of rank {rank} require each other")));
            };
            if begun { builder.requires_begun(later, earlier) } else { builder.requires(later, earlier) }
        }
        Ok(())
    }
}

/// The schedule as GOAL text. Bodies are written out play by play, each behind
/// the one before it; O(plays).
pub fn write(schedule: &Schedule) -> String {
    let mut text = format!("num_ranks {}\n", schedule.ranks());
    for rank in 0..schedule.ranks() {
        let _ = writeln!(text, "rank {rank} {{");
        each_play(schedule, rank, |at, play| write_play(&mut text, at, play));
        text.push_str("}\n");
    }
    text
}

/// The operations of a rank in one play, and (later, earlier, begun) among those of the whole run.
struct Part {
    ops: Vec<(What, u64, u32, u32)>,
    edges: Vec<(u64, u64, bool)>,
}

/// Tells the plays of a rank in order, each with the operations before it. The first operations
/// of a play require the last ones of the play before.
fn each_play(schedule: &Schedule, rank: u32, mut tell: impl FnMut(u64, Part)) {
    let (mut base, mut last) = (0u64, Vec::new());
    for body in schedule.program().iter().flat_map(|play| std::iter::repeat_n(play.body, play.times as usize)) {
        let own = schedule.of(body, rank);
        if own.is_empty() {
            continue;
        }
        let number = |op: u32| base + u64::from(op - own.start);
        let (mut part, mut ends) = (Part { ops: Vec::new(), edges: Vec::new() }, Vec::new());
        for op in own.clone() {
            let o = &schedule.ops()[op as usize];
            part.ops.push((o.what, o.amount, o.peer, schedule.tag(op)));
            part.edges.extend(schedule.after(op).map(|(next, begun)| (number(next), number(op), begun)));
            if schedule.needs(op) == 0 {
                part.edges.extend(last.iter().map(|&before| (number(op), before, false)));
            }
            if !schedule.after(op).any(|(_, begun)| !begun) {
                ends.push(number(op));
            }
        }
        tell(base, part);
        (base, last) = (base + own.len() as u64, ends);
    }
}

fn write_play(text: &mut String, base: u64, play: Part) {
    for (label, (what, amount, peer, tag)) in (base + 1..).zip(play.ops) {
        let _ = match what {
            What::Compute => writeln!(text, "l{label}: calc {amount}"),
            What::Send => writeln!(text, "l{label}: send {amount}b to {peer} tag {tag}"),
            What::Recv => writeln!(text, "l{label}: recv {amount}b from {peer} tag {tag}"),
        };
    }
    for (later, earlier, begun) in play.edges {
        let word = if begun { "irequires" } else { "requires" };
        let _ = writeln!(text, "l{} {word} l{}", later + 1, earlier + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Volume;

    const TEXT: &str = "num_ranks 2\n\nrank 0 {\n l2: send 10b to 1 tag 5 cpu 0 nic 0\n l1: calc 100\n l2 requires l1\n}\n\
                        rank 1 {\n l1: recv 10b from 0 tag 5\n l2: calc 7 cpu 1\n l2 irequires l1\n}\n";

    #[test]
    fn goal_is_read_and_written() {
        let made = parse("a.goal", TEXT).expect("goal");
        assert_eq!(made.notes.len(), 1);
        let s = made.schedule;
        assert_eq!((s.ranks(), s.volume()), (2, Volume { messages: 1, bytes: 10 }));
        assert_eq!(s.ops()[0].what, What::Compute, "what is required stands first");
        let again = parse("b.goal", &write(&s)).expect("own text").schedule;
        assert_eq!(again, s);
        let twice = parse("c.goal", &write(&s.clone().repeat(2).expect("twice"))).expect("own text").schedule;
        assert_eq!(twice.volume(), Volume { messages: 2, bytes: 20 });
    }

    #[test]
    fn a_few_words_have_few_ranks() {
        assert_eq!(parse("a", "num_ranks 4096").expect("silent ranks").schedule.ranks(), 4096);
        let error = parse("a", "num_ranks 4000000").expect_err("too many").to_string();
        assert!(error.contains("4000000 ranks in a text of 17 bytes, expected 1 to 4096"), "{error}");
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| parse("a.goal", text).expect_err("wrong").to_string();
        assert!(error("num_ranks 2\nrank 2 {\n}\n").starts_with("a.goal:2: "));
        assert!(error("num_ranks 1\nrank 0 {\n l1: cal 1\n}\n").starts_with("a.goal:3: "));
        assert!(
            error("num_ranks 1\nrank 0 {\n l1: calc 1\n l1 requires l9\n}\n")
                .contains("no operation has the label `l9`")
        );
        assert!(error("num_ranks 2\nrank 0 {\n l1: send 1b to 1 tag 1\n}\n").contains("never receives"));
        assert!(error("num_ranks 1\nrank 0 {\n").contains("no closing brace"));
        assert!(error("").contains("num_ranks"));
    }
}
