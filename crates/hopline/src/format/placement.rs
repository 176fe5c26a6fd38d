//! Where each task runs, in one of three forms, told apart by the first line
//! that is no comment; `#` begins a comment anywhere in a line.
//!
//! ```text
//! 3 17                     Hopline's own: task and slot, or one slot a line
//! rank 3=node002 slot=1    an Open MPI rankfile; the slot may be left out
//! node002                  one host name a line, as for `mpirun --map-by seq`
//! node002:4                the same for the next 4 tasks, as for `mpiexec.hydra -f`
//! ```
//!
//! Where no line names a task or a count, the i-th line is that of task i, from 0.

use super::lines::Lines;
use super::words::quote;
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

/// The most tasks of a placement: a mistyped count must not ask for all memory.
const MAX_TASKS: usize = 1 << 24;

/// Reads a placement: the i-th answer is task i. Whether hosts and slots exist,
/// and whether two tasks share one, is for the caller to check. `path` is for
/// errors. O(text + tasks log tasks).
///
/// # Errors
/// A line of another form than the first, no line at all, a task that is there
/// twice or not at all, more than 16,777,216 tasks.
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
        let Some((task, target, count)) = read(line) else {
            return Err(lines
                .error(format!("found {}, expected {expected}", quote(line)))
                .hint("every line is `task slot`, or every line a slot, a host name or `rank 3=node002 slot=1`"));
        };
        if count > MAX_TASKS - tasks.len() {
            return Err(lines.error("more than 16,777,216 tasks are placed"));
        }
        let placed = Placed { target, line: lines.number() };
        let task = task.unwrap_or(tasks.len() as u32);
        tasks.extend((0..count as u32).map(|i| (task.saturating_add(i), placed.clone())));
    }
    if tasks.is_empty() {
        return Err(lines.error("no task is placed").hint("a placement has one line for each task"));
    }
    in_order(path, tasks)
}

/// What a line says: its first task if it names one, the target, for how many tasks.
type Read = Option<(Option<u32>, Target, usize)>;

/// How to read a line of it, and what it is called.
type Form = (fn(&str) -> Read, &'static str);

fn form_of(first: &str) -> Form {
    let mut words = first.split_whitespace();
    if rank_line(first).is_some() || first.starts_with("rank ") {
        (rank_line, "a line such as `rank 3=node002 slot=1`")
    } else if words.next().is_none_or(|word| word.parse::<i64>().is_err()) {
        (host_line, "a host name alone on its line, or with a count as `node002:4`")
    } else if words.next().is_none() {
        (slot_line, "a slot")
    } else {
        (task_line, "a task and its slot")
    }
}

fn slot_line(line: &str) -> Read {
    Some((None, Target::Slot(line.parse().ok()?), 1))
}

fn task_line(line: &str) -> Read {
    let (task, slot) = line.split_once(char::is_whitespace)?;
    Some((Some(task.parse().ok()?), Target::Slot(slot.trim_start().parse().ok()?), 1))
}

fn host_line(line: &str) -> Read {
    // An address such as fe80::1 has several colons, and no count.
    let (name, count) = match line.split_once(':') {
        Some((name, count)) if !count.contains(':') => (name, count.parse().ok().filter(|&n| n > 0)?),
        _ => (line, 1),
    };
    let proper = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "._-:".contains(c));
    proper.then(|| (None, Target::Host { name: name.to_string(), slot: None }, count))
}

fn rank_line(line: &str) -> Read {
    let (task, place) = line.strip_prefix("rank")?.split_once('=')?;
    let mut words = place.split_whitespace();
    let name = words.next()?.to_string();
    let slot = match words.next() {
        Some(word) => Some(word.strip_prefix("slot=")?.parse().ok()?),
        None => None,
    };
    words.next().is_none().then_some((Some(task.trim().parse().ok()?), Target::Host { name, slot }, 1))
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

/// The hosts of the tasks, for the tests of what is written in these forms.
#[cfg(test)]
pub(super) fn hosts_of(text: &str) -> Vec<String> {
    let name = |placed: Placed| match placed.target {
        Target::Host { name, .. } => name,
        Target::Slot(slot) => format!("slot {slot}"),
    };
    parse("own", text).expect("own file").into_iter().map(name).collect()
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
        assert_eq!(
            parse("p", "# machines\nnode2:2\nnode1\nfe80::1\n"),
            Ok(vec![host("node2", None, 2), host("node2", None, 2), host("node1", None, 3), host("fe80::1", None, 4)])
        );
    }

    #[test]
    fn errors_name_the_line() {
        let forms = "every line is `task slot`, or every line a slot, a host name or `rank 3=node002 slot=1`";
        let host = "a host name alone on its line, or with a count as `node002:4`";
        for (text, error) in [
            ("0 1\n1\n", format!("p:2: found `1`, expected a task and its slot; {forms}")),
            ("0 1 2\n", format!("p:1: found `0 1 2`, expected a task and its slot; {forms}")),
            ("0\n-1\n", format!("p:2: found `-1`, expected a slot; {forms}")),
            ("a:0\n", format!("p:1: found `a:0`, expected {host}; {forms}")),
            ("a\n:2\n", format!("p:2: found `:2`, expected {host}; {forms}")),
            ("a:1\nb:16777216\n", "p:2: more than 16,777,216 tasks are placed".into()),
            ("a:99999999999999999999\n", format!("p:1: found `a:99999999999999999999`, expected {host}; {forms}")),
            ("0,1\n", format!("p:1: found `0,1`, expected {host}; {forms}")),
            ("a\nb slots=2\n", format!("p:2: found `b slots=2`, expected {host}; {forms}")),
            (
                "rank 0=a slot=0:1\n",
                format!("p:1: found `rank 0=a slot=0:1`, expected a line such as `rank 3=node002 slot=1`; {forms}"),
            ),
            ("rank 4294967295=a\n", "p:1: task 4294967295 is placed, but task 0 is not; the 1 lines must place the tasks from 0 without a gap".into()),
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
