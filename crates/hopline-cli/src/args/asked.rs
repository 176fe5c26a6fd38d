//! What a command line asks for, as the words that ask for the same again.

use super::Args;
use super::written::files_of;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use std::ffi::OsString;

/// They change how and where a result is written, or how long it takes: the result is the same without them.
const SAME_WITHOUT: [&str; 13] = [
    "format",
    "table",
    "threads",
    "wide",
    "max_input",
    "with_inputs",
    "report",
    "export",
    "output",
    "checkpoint",
    "checkpoint_every",
    "series",
    "store",
];

impl Args {
    /// Reads a command line; the first word is the program's name.
    ///
    /// # Errors
    /// What clap refuses; help and version, too.
    pub(crate) fn read<W: Into<OsString> + Clone>(words: impl IntoIterator<Item = W>) -> Result<Args, clap::Error> {
        let mut command = Args::command();
        let mut matches = command.try_get_matches_from_mut(words)?;
        let (names, own, of) = innermost(&command, &matches);
        let (asked, written) = (words_of(names, own, of), files_of(own, of));
        let mut args = Args::from_arg_matches_mut(&mut matches).map_err(|e| e.format(&mut command))?;
        (args.common.asked, args.common.written) = (asked, written);
        Ok(args)
    }
}

/// The command that is asked for, with the names that lead to it.
fn innermost<'a>(command: &'a Command, matches: &'a ArgMatches) -> (Vec<String>, &'a Command, &'a ArgMatches) {
    let (mut command, mut matches, mut names) = (command, matches, Vec::new());
    while let Some((name, of)) = matches.subcommand() {
        let Some(own) = command.find_subcommand(name) else { break };
        (command, matches) = (own, of);
        names.push(name.to_string());
    }
    (names, command, matches)
}

/// The words of a command line in the order of help: names, what stands in places, then options.
fn words_of(mut words: Vec<String>, command: &Command, matches: &ArgMatches) -> Vec<String> {
    let given = command.get_arguments().filter(|arg| {
        let id = arg.get_id().as_str();
        let is_same = arg.get_long().is_some() && SAME_WITHOUT.contains(&id);
        !is_same && matches.value_source(id) == Some(ValueSource::CommandLine)
    });
    let (mut options, mut last) = (Vec::new(), Vec::new());
    for arg in given {
        let raw = matches.get_raw(arg.get_id().as_str()).into_iter().flatten();
        let values = raw.map(|value| value.to_string_lossy().into_owned());
        match arg.get_long().map(|long| format!("--{long}")) {
            None if arg.is_last_set() => last.extend(values),
            None => words.extend(values),
            Some(name) if !arg.get_action().takes_values() => options.push(name),
            Some(name) => {
                for value in values {
                    match value.starts_with('-') {
                        true => options.push(format!("{name}={value}")),
                        false => options.extend([name.clone(), value]),
                    }
                }
            }
        }
    }
    words.extend(options);
    if !last.is_empty() {
        words.push("--".to_string());
        words.extend(last);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> String {
        let words = line.split(' ').filter(|word| !word.is_empty());
        Args::read(std::iter::once("hopline").chain(words)).expect(line).common.asked.join(" ")
    }

    #[test]
    fn words_are_in_the_order_of_help_and_ask_for_the_same_again() {
        let cases = [
            (
                "load --traffic alltoall --topology=torus:dims=4x4 --format json",
                "load --topology torus:dims=4x4 --traffic alltoall",
            ),
            ("--seed 3 fabric diff b a --list 5 --report x.html", "fabric diff b a --list 5 --seed 3"),
            ("fabric whatif job.toml --each link --threads 2", "fabric whatif job.toml --each link"),
            (
                "power --policy static,learn --connected --schedule x:",
                "power --schedule x: --connected --policy static,learn",
            ),
            ("blame --fabric f --measured a b --measured c", "blame --fabric f --measured a --measured b --measured c"),
            (
                "collective bcast --bound --topology t --switches copy,reduce",
                "collective bcast --topology t --bound --switches copy --switches reduce",
            ),
            ("record run --out d -- mpirun -n 2 ./a", "record run --out d -- mpirun -n 2 ./a"),
            ("blame history kept", "blame history kept"),
            ("load", "load"),
        ];
        for (line, words) in cases {
            assert_eq!(asked(line), words);
            assert_eq!(asked(words), words, "of its own words");
        }
    }
}
