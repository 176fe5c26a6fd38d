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

use super::words::quote;
use crate::error::{Error, Place, Result};

/// Where a task runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// A slot of the allocation, from 0.
    Slot(u32),
    /// A host, and the slot on it where the file says it.
    Host {
        /// As the file spells it.
        name: &'a str,
        /// From 0 on each host.
        slot: Option<u32>,
    },
}

/// One task of a placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed<'a> {
    /// Where it runs.
    pub target: Target<'a>,
    /// The line that says so, from 1.
    pub line: u32,
}

/// The most tasks of a placement: a mistyped count must not ask for all memory.
const MAX_TASKS: usize = 1 << 24;

/// A placement that was looked at: the text, and where in it the lines of the tasks stand unless they are in order.
#[derive(Debug, Clone)]
pub struct Placement {
    text: String,
    form: Form,
    tasks: u32,
    by_task: Option<Vec<At>>,
}

/// Where the line of a task stands.
#[derive(Debug, Clone, Copy)]
struct At {
    task: u32,
    line: u32,
    from: usize,
}

impl Placement {
    /// How many tasks are placed.
    pub fn tasks(&self) -> u32 {
        self.tasks
    }

    /// Where each task runs, from task 0 on. Lines are read anew. O(text).
    pub fn iter(&self) -> impl Iterator<Item = Placed<'_>> {
        let whole = self.by_task.is_none().then(|| said(&self.text));
        let single = self.by_task.iter().flatten().filter_map(|at| {
            let (_, line) = said(self.text.get(at.from..)?).next()?;
            Some((*at, line))
        });
        whole
            .into_iter()
            .flatten()
            .chain(single)
            .filter_map(|(at, said)| Some((at.line, (self.form.read)(said)?)))
            .flat_map(|(line, (_, target, count))| std::iter::repeat_n(Placed { target, line }, count))
    }
}

/// The lines that say something, without comments.
fn said(text: &str) -> impl Iterator<Item = (At, &str)> {
    let mut next = At { task: 0, line: 0, from: 0 };
    let lines = text.split_inclusive('\n').map(move |line| {
        let at = At { line: next.line + 1, ..next };
        next = At { from: next.from + line.len(), ..at };
        (at, line.split('#').next().unwrap_or_default().trim())
    });
    lines.filter(|(_, said)| !said.is_empty())
}

/// Reads a placement. Whether hosts and slots exist,
/// and whether two tasks share one, is for the caller to check. `path` is for
/// errors. O(text + tasks log tasks).
///
/// # Errors
/// A line of another form than the first, no line at all, a task that is there
/// twice or not at all, more than 16,777,216 tasks.
pub fn parse(path: &str, text: impl Into<String>) -> Result<Placement> {
    let mut text: String = text.into();
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    let error = |line: u32, message: String| Error::input(message).at(&Place::new(path, line));
    let Some((_, first)) = said(&text).next() else {
        let lines = text.lines().count() as u32;
        return Err(error(lines, "no task is placed".into()).hint("a placement has one line for each task"));
    };
    let form = form_of(first);
    let (mut tasks, mut in_order) = (0, true);
    for (at, line) in said(&text) {
        let Some((task, _, count)) = (form.read)(line) else {
            return Err(error(at.line, format!("found {}, expected {}", quote(line), form.expected))
                .hint("every line is `task slot`, or every line a slot, a host name or `rank 3=node002 slot=1`"));
        };
        if count > MAX_TASKS - tasks {
            return Err(error(at.line, "more than 16,777,216 tasks are placed".into()));
        }
        in_order &= task.is_none_or(|task| task as usize == tasks);
        tasks += count;
    }
    let by_task = if in_order { None } else { Some(in_order_of(path, &text, form)?) };
    Ok(Placement { text, form, tasks: tasks as u32, by_task })
}

/// What a line says: its task if it names one, the target, for how many tasks.
type Read<'a> = Option<(Option<u32>, Target<'a>, usize)>;

/// How to read a line, and what it is called.
#[derive(Debug, Clone, Copy)]
struct Form {
    read: for<'a> fn(&'a str) -> Read<'a>,
    expected: &'static str,
}

fn form_of(first: &str) -> Form {
    let mut words = first.split_whitespace();
    if rank_line(first).is_some() || first.starts_with("rank ") {
        Form { read: rank_line, expected: "a line such as `rank 3=node002 slot=1`" }
    } else if words.next().is_none_or(|word| word.parse::<i64>().is_err()) {
        Form { read: host_line, expected: "a host name alone on its line, or with a count as `node002:4`" }
    } else if words.next().is_none() {
        Form { read: slot_line, expected: "a slot" }
    } else {
        Form { read: task_line, expected: "a task and its slot" }
    }
}

fn slot_line(line: &str) -> Read<'_> {
    Some((None, Target::Slot(line.parse().ok()?), 1))
}

fn task_line(line: &str) -> Read<'_> {
    let (task, slot) = line.split_once(char::is_whitespace)?;
    Some((Some(task.parse().ok()?), Target::Slot(slot.trim_start().parse().ok()?), 1))
}

fn host_line(line: &str) -> Read<'_> {
    // An address such as fe80::1 has several colons, and no count.
    let (name, count) = match line.split_once(':') {
        Some((name, count)) if !count.contains(':') => (name, count.parse().ok().filter(|&n| n > 0)?),
        _ => (line, 1),
    };
    let proper = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "._-:".contains(c));
    proper.then_some((None, Target::Host { name, slot: None }, count))
}

fn rank_line(line: &str) -> Read<'_> {
    let (task, place) = line.strip_prefix("rank")?.split_once('=')?;
    let mut words = place.split_whitespace();
    let name = words.next()?;
    let slot = match words.next() {
        Some(word) => Some(word.strip_prefix("slot=")?.parse().ok()?),
        None => None,
    };
    words.next().is_none().then_some((Some(task.trim().parse().ok()?), Target::Host { name, slot }, 1))
}

/// The lines by the tasks that they name; each of `0..n` must be there once.
fn in_order_of(path: &str, text: &str, form: Form) -> Result<Vec<At>> {
    let named = said(text).filter_map(|(at, line)| Some(At { task: (form.read)(line)?.0?, ..at }));
    let mut lines: Vec<At> = named.collect();
    lines.sort_unstable_by_key(|at| (at.task, at.line));
    let mut before = 0;
    for (expected, at) in lines.iter().enumerate() {
        let error = |message| Err(Error::input(message).at(&Place::new(path, at.line)));
        if (at.task as usize) < expected {
            return error(format!("task {} is placed twice, first on line {before}", at.task));
        }
        if at.task as usize > expected {
            return error(format!("task {} is placed, but task {expected} is not", at.task))
                .map_err(|e| e.hint(format!("the {} lines must place the tasks from 0 without a gap", lines.len())));
        }
        before = at.line;
    }
    Ok(lines)
}

/// The hosts of the tasks, for the tests of what is written in these forms.
#[cfg(test)]
pub(super) fn hosts_of(text: &str) -> Vec<String> {
    let name = |placed: Placed<'_>| match placed.target {
        Target::Host { name, .. } => name.to_string(),
        Target::Slot(slot) => format!("slot {slot}"),
    };
    parse("own", text).expect("own file").iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str, slot: Option<u32>, line: u32) -> Placed<'_> {
        Placed { target: Target::Host { name, slot }, line }
    }

    fn check(text: &str, expected: &[Placed<'_>]) {
        let placement = parse("p", text).expect(text);
        assert!(placement.iter().eq(expected.iter().copied()), "{placement:?}");
        assert_eq!(placement.tasks() as usize, expected.len());
    }

    #[test]
    fn every_form_is_read() {
        let slot = |slot, line| Placed { target: Target::Slot(slot), line };
        check("# mine\n1 4\n\n0\t7 # here\n", &[slot(7, 4), slot(4, 2)]);
        check("# mine\n0 4\n\n1\t7 # here\n", &[slot(4, 2), slot(7, 4)]);
        check("\u{feff}4\r\n7\r\n", &[slot(4, 1), slot(7, 2)]);
        check(
            "\u{feff}rank 1=node-1 slot=0\nrank 0 = node2.site\nrank 2=10.0.0.7 slot=1\n",
            &[host("node2.site", None, 2), host("node-1", Some(0), 1), host("10.0.0.7", Some(1), 3)],
        );
        check("node1\n0a\nnode1", &[host("node1", None, 1), host("0a", None, 2), host("node1", None, 3)]);
        // A host may be called so.
        check("rank7\n", &[host("rank7", None, 1)]);
        check(
            "# machines\nnode2:2\nnode1\nfe80::1\n",
            &[host("node2", None, 2), host("node2", None, 2), host("node1", None, 3), host("fe80::1", None, 4)],
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
