//! Where each task runs, in one of three forms, told apart by the first line
//! that is no comment; `#` begins a comment anywhere in a line.
//!
//! ```text
//! 3 17                     Hopline's own: task and slot, or one slot a line
//! rank 3=node002 slot=1    an Open MPI rankfile; the slot may be left out
//! node002                  one host name a line, as for `mpirun --map-by seq`
//! ```
//!
//! Where a line names no task, the i-th line is that of task i, from 0.

use super::lines::Lines;
use super::matrix::quote;
use crate::error::{Error, Place, Result};

/// Where a task runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A slot of the allocation, from 0.
    Slot(u32),
    /// A host, and the slot on it where the file says it.
    Host {
        /// As the file spells it.
        name: String,
        /// From 0 on each host.
        slot: Option<u32>,
    },
}

/// One task of a placement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Where it runs.
    pub target: Target,
    /// The line that says so, from 1.
    pub line: u32,
}

/// Reads a placement: the i-th answer is task i. Whether hosts and slots exist,
/// and whether two tasks share one, is for the caller to check. `path` is for
/// errors. O(text + tasks log tasks).
///
/// # Errors
/// A line of another form than the first, no line at all, a task that is there
/// twice or not at all.
pub fn parse(path: &str, text: &str) -> Result<Vec<Placed>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = Lines::new(path, text);
    let mut form = None;
    let mut tasks = Vec::new();
    while let Some(line) = lines.next() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let (read, expected) = *form.get_or_insert_with(|| form_of(line));
        let Some((task, target)) = read(line) else {
            return Err(lines
                .error(format!("found {}, expected {expected}", quote(line)))
                .hint("every line is `task slot`, or every line a slot, a host name or `rank 3=node002 slot=1`"));
        };
        // More lines than u32 holds cannot be complete: the check below sees it.
        let task = task.unwrap_or(u32::try_from(tasks.len()).unwrap_or(u32::MAX));
        tasks.push((task, Placed { target, line: lines.number() }));
    }
    if tasks.is_empty() {
        return Err(lines.error("no task is placed").hint("a placement has one line for each task"));
    }
    in_order(path, tasks)
}

/// How to read a line of it, to a task if it names one and a target, and what it is called.
type Form = (fn(&str) -> Option<(Option<u32>, Target)>, &'static str);

fn form_of(first: &str) -> Form {
    let mut words = first.split_whitespace();
    if rank_line(first).is_some() || first.starts_with("rank ") {
        (rank_line, "a line such as `rank 3=node002 slot=1`")
    } else if words.next().is_none_or(|word| word.parse::<i64>().is_err()) {
        (host_line, "a host name alone on its line")
    } else if words.next().is_none() {
        (slot_line, "a slot")
    } else {
        (task_line, "a task and its slot")
    }
}

fn slot_line(line: &str) -> Option<(Option<u32>, Target)> {
    Some((None, Target::Slot(line.parse().ok()?)))
}

fn task_line(line: &str) -> Option<(Option<u32>, Target)> {
    let (task, slot) = line.split_once(char::is_whitespace)?;
    Some((Some(task.parse().ok()?), Target::Slot(slot.trim_start().parse().ok()?)))
}

fn host_line(line: &str) -> Option<(Option<u32>, Target)> {
    let name = line.chars().all(|c| c.is_alphanumeric() || "._-:".contains(c));
    name.then(|| (None, Target::Host { name: line.to_string(), slot: None }))
}

fn rank_line(line: &str) -> Option<(Option<u32>, Target)> {
    let (task, place) = line.strip_prefix("rank")?.split_once('=')?;
    let mut words = place.split_whitespace();
    let name = words.next()?.to_string();
    let slot = match words.next() {
        Some(word) => Some(word.strip_prefix("slot=")?.parse().ok()?),
        None => None,
    };
    words.next().is_none().then_some((Some(task.trim().parse().ok()?), Target::Host { name, slot }))
}

/// The tasks by number; each of `0..n` must be there once.
fn in_order(path: &str, mut tasks: Vec<(u32, Placed)>) -> Result<Vec<Placed>> {
    tasks.sort_by_key(|t| t.0);
    let mut before = 0;
    for (expected, (task, placed)) in tasks.iter().enumerate() {
        let error = |message| Err(Error::input(message).at(&Place::new(path, placed.line)));
        if (*task as usize) < expected {
            return error(format!("task {task} is placed twice, first on line {before}"));
        }
        if *task as usize > expected {
            return error(format!("task {task} is placed, but task {expected} is not"))
                .map_err(|e| e.hint(format!("the {} lines must place the tasks from 0 without a gap", tasks.len())));
        }
        before = placed.line;
    }
    Ok(tasks.into_iter().map(|t| t.1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str, slot: Option<u32>, line: u32) -> Placed {
        Placed { target: Target::Host { name: name.into(), slot }, line }
    }

    #[test]
    fn every_form_is_read() {
        let slot = |slot, line| Placed { target: Target::Slot(slot), line };
        assert_eq!(parse("p", "# mine\n1 4\n\n0\t7 # here\n"), Ok(vec![slot(7, 4), slot(4, 2)]));
        assert_eq!(parse("p", "4\r\n7\r\n"), Ok(vec![slot(4, 1), slot(7, 2)]));
        assert_eq!(
            parse("p", "rank 1=node-1 slot=0\nrank 0 = node2.site\nrank 2=10.0.0.7 slot=1\n"),
            Ok(vec![host("node2.site", None, 2), host("node-1", Some(0), 1), host("10.0.0.7", Some(1), 3)])
        );
        assert_eq!(
            parse("p", "node1\n0a\nnode1"),
            Ok(vec![host("node1", None, 1), host("0a", None, 2), host("node1", None, 3)])
        );
        assert_eq!(parse("p", "rank7\n"), Ok(vec![host("rank7", None, 1)]), "a host may be called so");
    }

    #[test]
    fn errors_name_the_line() {
        let forms = "every line is `task slot`, or every line a slot, a host name or `rank 3=node002 slot=1`";
        for (text, error) in [
            ("0 1\n1\n", format!("p:2: found `1`, expected a task and its slot; {forms}")),
            ("0 1 2\n", format!("p:1: found `0 1 2`, expected a task and its slot; {forms}")),
            ("0\n-1\n", format!("p:2: found `-1`, expected a slot; {forms}")),
            ("0,1\n", format!("p:1: found `0,1`, expected a host name alone on its line; {forms}")),
            ("a\nb slots=2\n", format!("p:2: found `b slots=2`, expected a host name alone on its line; {forms}")),
            (
                "rank 0=a slot=0:1\n",
                format!("p:1: found `rank 0=a slot=0:1`, expected a line such as `rank 3=node002 slot=1`; {forms}"),
            ),
            ("0 1\n1 2\n0 3\n", "p:3: task 0 is placed twice, first on line 1".into()),
            (
                "rank 0=a slot=0\nrank 2=a slot=1\n",
                "p:2: task 2 is placed, but task 1 is not; the 2 lines must place the tasks from 0 without a gap"
                    .into(),
            ),
            ("# nothing\n", "p:1: no task is placed; a placement has one line for each task".into()),
        ] {
            assert_eq!(parse("p", text).expect_err(text).to_string(), error);
        }
    }
}
