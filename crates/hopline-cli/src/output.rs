//! The only place that prints.

pub(crate) mod csv;
mod options;
mod targets;

pub(crate) use options::spelled;
pub(crate) use targets::{Targets, check_input, guard};

use crate::args::{Common, Format};
use crate::documents::{Document, Outcome};
use hopline::error::{Error, Result};
use hopline::scenario::Scenario;
use hopline_report::{Screen, Text};
use serde::Serialize;
use serde_json::Value;
use std::io::{IsTerminal, Write};
use std::path::Path;

/// Prints an outcome: its text, itself as a JSON document, or its table as CSV. The scenario is what was asked for.
pub(crate) fn show<T: Outcome>(
    common: &Common,
    scenario: Option<&Scenario>,
    outcome: &T,
    text: impl FnOnce(&T) -> Text,
) -> Result<()> {
    match common.format {
        Format::Json => write(&pretty(&common.asked, scenario, outcome)?),
        _ => plain(common, outcome, text),
    }
}

/// What a command prints as JSON, in one line.
pub(crate) fn document<T: Outcome>(asked: &[String], scenario: Option<&Scenario>, outcome: &T) -> Result<String> {
    serde_json::to_string(&Document::new(asked, scenario, outcome)).map_err(unwritable)
}

/// The same as it is printed.
pub(crate) fn pretty<T: Outcome>(asked: &[String], scenario: Option<&Scenario>, outcome: &T) -> Result<String> {
    Ok(json(&Document::new(asked, scenario, outcome).carrying_inputs())? + "\n")
}

/// An outcome's table.
pub(crate) fn table<T: Serialize>(outcome: &T) -> Result<String> {
    csv::table(&json(outcome)?)
}

fn unwritable(e: serde_json::Error) -> Error {
    Error::failed(format!("cannot write JSON: {e}"))
}

/// An outcome as its document.
pub(crate) fn value<T: Outcome>(asked: &[String], scenario: Option<&Scenario>, outcome: &T) -> Result<Value> {
    let document = Document::new(asked, scenario, outcome);
    serde_json::to_value(document).map_err(unwritable)
}

/// The same of what is no command's outcome: JSON has nothing but itself.
pub(crate) fn plain<T: Serialize>(common: &Common, what: &T, text: impl FnOnce(&T) -> Text) -> Result<()> {
    write(&match common.format {
        Format::Text => {
            let text = text(what).render(screen(common.wide));
            if has_utf8(|name| std::env::var(name).ok()) { text } else { hopline_report::plain(&text) }
        }
        Format::Json => json(what)? + "\n",
        Format::Csv => {
            let json = json(what)?;
            csv::notes(&json).iter().for_each(|note| say(&format!("note: {note}")));
            common.table.as_ref().map_or_else(|| csv::table(&json), |name| csv::named(&json, name))?
        }
    })
}

/// Where standard output goes. `COLUMNS` counts before the terminal's own width; a file or a pipe without it
/// gets all that there is. `NO_COLOR` and `CLICOLOR_FORCE` are what other programs take them for.
fn screen(wide: bool) -> Screen {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    // Open MPI gives its processes a terminal of its own, whatever theirs leads to.
    let is_terminal = std::io::stdout().is_terminal() && set("OMPI_COMM_WORLD_SIZE").is_none();
    let given = set("COLUMNS").and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
    // Some terminals know their columns and say 0 rows.
    let size = || rustix::termios::tcgetwinsize(std::io::stdout()).ok().filter(|_| is_terminal);
    let own = || size().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
    let draws = is_terminal && set("TERM").is_none_or(|term| term != "dumb");
    let forced = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    Screen {
        width: if wide { None } else { given.or_else(own) },
        colour: set("NO_COLOR").is_none() && (draws || forced),
    }
}

/// Whether the locale has UTF-8, from its variables: a program without any prints it.
fn has_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).map(|locale| locale.to_lowercase());
    locale.is_none_or(|locale| locale.contains("utf-8") || locale.contains("utf8"))
}

fn json<T: Serialize>(outcome: &T) -> Result<String> {
    serde_json::to_string_pretty(outcome).map_err(unwritable)
}

/// Prints text; a closed pipe (`| head`) is no failure.
pub(crate) fn write(text: &str) -> Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::failed(format!("cannot print: {e}"))),
        _ => Ok(()),
    }
}

/// One line on stderr.
pub(crate) fn say(line: &str) {
    // Nobody is left to hear that stderr is closed.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The error line.
pub(crate) fn complain(error: &Error) {
    say(&format!("hopline: {}", options::spelled(error)));
}

/// Writes files whole, and all of them or none: drafts first, then renames.
pub(crate) fn save<T: AsRef<[u8]>>(files: &[(&str, T)]) -> Result<()> {
    if files.iter().any(|(path, _)| *path == "-") {
        let hint = "name a file, or /dev/stdout to have it printed before the answer";
        return Err(Error::input("`-` is no file to write").hint(hint));
    }
    let fail = |path: &str, e: std::io::Error| Error::failed(format!("{path}: {e}"));
    // A device such as /dev/stdout cannot be replaced by a rename.
    let special = |path: &str| Path::new(path).exists() && !Path::new(path).is_file();
    let (devices, plain): (Vec<_>, Vec<_>) = files.iter().partition(|(path, _)| special(path));
    for (path, text) in devices {
        std::fs::write(path, text).map_err(|e| fail(path, e))?;
    }
    let plain: Vec<_> = plain.into_iter().map(|(path, text)| (Path::new(path), text.as_ref())).collect();
    hopline_disk::replace_all(&plain).map_err(|e| fail(&e.path.to_string_lossy(), e.cause))
}
