//! The command of a sweep: which keys it takes, and what is asked of it at a point.

use super::super::document::{COMMANDS, with_scenario};
use crate::args::Args;
use clap::{Arg, ArgAction, Command, CommandFactory as _};
use hopline::error::{Error, Place, Result, suggest};
use hopline::params::Value;
use hopline::scenario::Scenario;
use hopline_sweep::grid::{Grid, Request};

/// Options that say how results are printed, write files, or ask for a time: no point is another one by them.
const NO_PARAMETERS: [&str; 15] = [
    "scenario",
    "format",
    "threads",
    "wide",
    "report",
    "max-input",
    "with-inputs",
    "help",
    "version",
    "export",
    "write",
    "checkpoint",
    "checkpoint-every",
    "search",
    "one-lane",
];

/// A command with its options.
pub(super) struct Swept {
    words: Vec<String>,
    arguments: Vec<Arg>,
}

/// What an option is called: `--NAME`, or the place of a word.
fn name(argument: &Arg) -> &str {
    argument.get_long().unwrap_or(argument.get_id().as_str())
}

impl Swept {
    /// The command that a grid names.
    ///
    /// # Errors
    /// It yields no numbers, or a parameter is neither a key of a scenario nor one of its options.
    pub(super) fn of(grid: &Grid) -> Result<Swept> {
        let command = grid.command.as_str();
        if !COMMANDS.contains(&command) {
            return Err(Error::input(format!("`{command}` cannot be swept"))
                .at(&grid.place)
                .hint(suggest(command, COMMANDS.into_iter())));
        }
        let words: Vec<String> = command.split_whitespace().map(String::from).collect();
        let mut own: Command = Args::command();
        own.build();
        for word in &words {
            own = own.find_subcommand(word).cloned().unwrap_or_default();
        }
        let arguments: Vec<Arg> = own.get_arguments().filter(|a| !NO_PARAMETERS.contains(&name(a))).cloned().collect();
        for parameter in &grid.parameters {
            let known = Scenario::has_key(&parameter.name) || arguments.iter().any(|a| name(a) == parameter.name);
            if !known {
                let own = arguments.iter().map(|a| name(a).to_string());
                let keys: Vec<String> =
                    own.chain(Scenario::keys().filter(|key| Scenario::has_key(key)).map(String::from)).collect();
                let text =
                    format!("`{}` is no key of a scenario, and no option of `hopline {command}`", parameter.name);
                let hint = match NO_PARAMETERS.contains(&parameter.name.as_str()) {
                    true => "it changes no result, or not in the same way twice: leave it out".to_string(),
                    false => suggest(&parameter.name, keys.iter().map(String::as_str)),
                };
                return Err(Error::input(text).at(&parameter.place).hint(hint));
            }
        }
        Ok(Swept { words, arguments })
    }

    /// The arguments of a point.
    ///
    /// # Errors
    /// An option cannot have that value; with the line of its key.
    pub(super) fn args(&self, request: &Request) -> Result<Args> {
        let mut words: Vec<String> = std::iter::once("hopline".to_string()).chain(self.words.iter().cloned()).collect();
        let (mut places, mut options) = (Vec::new(), Vec::new());
        for (parameter, value) in &request.options {
            let Some(argument) = self.arguments.iter().find(|a| name(a) == parameter.name) else { continue };
            match (argument.get_index(), argument.get_action(), value) {
                (Some(index), ..) => places.push((index, value.show())),
                (None, ArgAction::SetTrue, Value::Bool(true)) => options.push(format!("--{}", parameter.name)),
                (None, ArgAction::SetTrue, Value::Bool(false)) => {}
                (None, ..) => options.push(format!("--{}={}", parameter.name, value.show())),
            }
        }
        places.sort();
        words.extend(options);
        words.extend(places.into_iter().map(|(_, word)| word));
        let mut args = Args::read(words).map_err(|e| {
            // clap's first line says what is wrong; the rest is about the command line.
            let text = e.to_string();
            let text = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string();
            let to_blame = request.options.iter().find(|(p, _)| text.contains(&format!("--{}", p.name)));
            match to_blame {
                Some((parameter, _)) => Error::input(text).at(&parameter.place),
                None => Error::input(format!("`hopline {}`: {text}", self.words.join(" "))),
            }
        })?;
        with_scenario(&mut args, request.scenario.clone());
        Ok(args)
    }
}

/// An error whose place is an option that the sweep has set, at the line of its key.
pub(super) fn placed(error: Error, request: &Request) -> Error {
    let Some(Place { path, line: 0 }) = error.place() else { return error };
    let key = path.trim_start_matches("--");
    let Some((parameter, _)) = request.options.iter().find(|(p, _)| p.name == key) else { return error };
    let message = error.message().to_string();
    let moved = if error.is_input() { Error::input(message) } else { Error::failed(message) };
    let moved = moved.at(&parameter.place);
    match error.advice() {
        Some(advice) => moved.hint(advice),
        None => moved,
    }
}
