//! Recordings of a run, in world ranks:
//!
//! ```text
//! p,src,dst,messages,bytes                   point to point
//! a,src,dst,0,bytes                          what all-to-all calls send, pair by pair
//! r,src,dst,calls,bytes                      one-sided calls, in the direction of the bytes
//! c,rank,op,commsize,root,calls,bytes        collective calls: they name no pair
//! t,rank,size,calls,seconds                  time in MPI
//! ```

use super::contents::{MAX_TASKS, Read};
use crate::demand::{Demand, Unit};
use crate::error::Result;
use crate::format::lines::Lines;
use crate::format::words::{amount, is_comment, quote};
use crate::unit;

const LINES: &str = "lines are p,src,dst,messages,bytes or a,src,dst,0,bytes or r,src,dst,calls,bytes or \
                     c,rank,op,commsize,root,calls,bytes or t,rank,size,calls,seconds";

/// True where a text with this first line is a recording.
pub(super) fn begins(first: &str) -> bool {
    // A number follows the letter; names of columns may be letters, too.
    let number = |rest: &str| rest.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '-');
    first.split_once(',').is_some_and(|(word, rest)| matches!(word.trim(), "p" | "a" | "r" | "c" | "t") && number(rest))
}

/// What the lines add up to.
#[derive(Default)]
struct Sums<'a> {
    /// The highest rank seen, plus 1.
    tasks: u32,
    entries: Vec<(u32, u32, f64)>,
    /// Operation, calls and bytes of each `c` line.
    collectives: Vec<(&'a str, u64, f64)>,
    /// `a` lines are there: they hold what all-to-all calls send.
    spelled_out: bool,
}

/// Reads a recording: O(text + entries log entries). Ranks are all below the
/// highest that any line names.
///
/// # Errors
/// A line of another shape, or a rank or amount out of range.
pub(super) fn parse(path: &str, text: &str) -> Result<Read> {
    let mut lines = Lines::new(path, text);
    let mut sums = Sums::default();
    let mut fields = Vec::new();
    while let Some(line) = lines.next() {
        if is_comment(line) {
            continue;
        }
        fields.clear();
        fields.extend(line.split(',').map(str::trim));
        sums.add_lettered(&lines, &fields)?;
    }
    let notes = sums.notes();
    let demand = Demand::new(sums.tasks, Unit::Bytes, sums.entries, Vec::new()).map_err(|e| e.at(&lines.place()))?;
    Ok(Read { demand, notes })
}

impl<'a> Sums<'a> {
    fn add_lettered(&mut self, lines: &Lines<'_>, fields: &[&'a str]) -> Result<()> {
        match *fields {
            [kind @ ("p" | "a" | "r"), src, dst, messages, bytes] => {
                amount(lines, messages)?;
                self.spelled_out |= kind == "a";
                self.add_pair(lines, src, dst, bytes)
            }
            ["c", rank, op, size, root, calls, bytes] => {
                self.rank(lines, rank)?;
                count(lines, size)?;
                // -1 where the operation has no root.
                if root != "-1" {
                    count(lines, root)?;
                }
                self.collectives.push((op, count(lines, calls)?, amount(lines, bytes)?));
                Ok(())
            }
            ["t", rank, size, calls, seconds] => {
                self.rank(lines, rank)?;
                count(lines, size)?;
                count(lines, calls)?;
                amount(lines, seconds).map(|_| ())
            }
            _ => {
                let kind = quote(fields.first().copied().unwrap_or_default());
                Err(lines.error(format!("{} fields after {kind}", fields.len().saturating_sub(1))).hint(LINES))
            }
        }
    }

    fn add_pair(&mut self, lines: &Lines<'_>, src: &str, dst: &str, bytes: &str) -> Result<()> {
        let entry = (self.rank(lines, src)?, self.rank(lines, dst)?, amount(lines, bytes)?);
        self.entries.push(entry);
        Ok(())
    }

    fn rank(&mut self, lines: &Lines<'_>, word: &str) -> Result<u32> {
        let rank = word.parse().ok().filter(|&rank| rank < MAX_TASKS).ok_or_else(|| {
            lines.error(format!("found {}, expected a rank from 0 to {}", quote(word), MAX_TASKS - 1))
        })?;
        self.tasks = self.tasks.max(rank + 1);
        Ok(rank)
    }

    fn notes(&self) -> Vec<String> {
        let left_out = |op: &str| !(self.spelled_out && op.starts_with("alltoall"));
        let (mut calls, mut bytes) = (0u64, 0.0);
        for &(_, c, b) in self.collectives.iter().filter(|(op, ..)| left_out(op)) {
            calls = calls.saturating_add(c);
            bytes += b;
        }
        let note = || format!("{calls} collective calls ({}) name no receivers and are left out", unit::bytes(bytes));
        if calls > 0 { vec![note()] } else { Vec::new() }
    }
}

fn count(lines: &Lines<'_>, word: &str) -> Result<u64> {
    word.parse().map_err(|_| lines.error(format!("found {}, expected a whole number", quote(word))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_added_up_and_collectives_counted() {
        let text = "# run 7\np,0,1,3,100\na,0,1,0,50\na,1,1,0,8\nc,0,allreduce,4,-1,75,744\n\
                    c,2,alltoall,4,-1,2,64\nc,0,bcast,4,0,5,256\nt,3,4,10,0.25\n";
        let read = parse("r", text).expect("recording");
        assert_eq!(read.demand.tasks(), 4, "the t line names rank 3");
        assert_eq!(read.demand.entries(), [(0, 1, 150.0), (1, 1, 8.0)]);
        assert_eq!(read.notes, ["80 collective calls (1.00 kB) name no receivers and are left out"]);
        let alone = parse("r", "c,2,alltoall,4,-1,2,64\n").expect("no a lines");
        assert_eq!(alone.notes, ["2 collective calls (64 B) name no receivers and are left out"]);
    }

    #[test]
    fn errors_name_the_line() {
        let amounts = "amounts are bytes, whole or decimal, without a unit";
        for (text, error) in [
            ("p,0,1,1,1\np,0,1,1\n", format!("r:2: 3 fields after `p`; {LINES}")),
            ("p,0,1,1,1\nx,0,1,1,1\n", format!("r:2: 4 fields after `x`; {LINES}")),
            ("p,0,1,1,1\nsrc,dst,bytes\n", format!("r:2: 2 fields after `src`; {LINES}")),
            ("p,0,4194304,1,1\n", "r:1: found `4194304`, expected a rank from 0 to 4194303".into()),
            ("p,-1,0,1,1\n", "r:1: found `-1`, expected a rank from 0 to 4194303".into()),
            ("p,0,1,1,-5\n", format!("r:1: found `-5`, expected an amount from 0 to 1e30; {amounts}")),
            ("c,0,bcast,4,x,5,256\n", "r:1: found `x`, expected a whole number".into()),
        ] {
            assert_eq!(parse("r", text).expect_err(text).to_string(), error);
        }
    }
}
