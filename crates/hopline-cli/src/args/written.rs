//! The files that a command line asks to be written.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

/// Options that name one, alone or as FORM=FILE.
const WRITE: [&str; 5] = ["export", "output", "report", "series", "write"];

/// Options with their files, of the command that was asked for and its matches.
pub(super) fn files_of(command: &Command, matches: &ArgMatches) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for arg in command.get_arguments().filter(|arg| arg.get_long().is_some()) {
        let id = arg.get_id().as_str();
        if !WRITE.contains(&id) || matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        let has_form = arg.get_value_names().into_iter().flatten().any(|name| name.contains('='));
        for value in matches.get_raw(id).into_iter().flatten() {
            let value = value.to_string_lossy();
            let path = if has_form { value.split_once('=').map(|(_, path)| path) } else { Some(&*value) };
            files.extend(path.map(|path| (format!("--{}", arg.get_long().unwrap_or_default()), path.to_string())));
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Args;
    use clap::CommandFactory as _;

    /// They name a file that is read, or one of ours that is read and then written.
    const READ: [&str; 13] = [
        "answer",
        "ca",
        "certificate",
        "checkpoint",
        "config",
        "from",
        "key",
        "log",
        "measured",
        "pairs",
        "points",
        "token_file",
        "tokens",
    ];

    fn check(command: &Command) {
        for arg in command.get_arguments().filter(|arg| arg.get_long().is_some()) {
            let id = arg.get_id().as_str();
            let is_file = arg.get_value_names().into_iter().flatten().any(|name| name.ends_with("FILE"));
            let known = WRITE.contains(&id) != READ.contains(&id);
            assert!(is_file == known, "--{id} of {}: does it write a file?", command.get_name());
        }
        command.get_subcommands().for_each(check);
    }

    #[test]
    fn of_every_option_with_a_file_it_is_known_whether_it_writes() {
        let mut command = Args::command();
        command.build();
        check(&command);
    }

    #[test]
    fn files_stand_with_their_options() {
        let words = "hopline load --export dot=a=b --export graphml=c --report d";
        let args = Args::read(words.split(' ')).expect("words");
        let expected = [("--export", "a=b"), ("--export", "c"), ("--report", "d")];
        assert_eq!(args.common.written, expected.map(|(option, path)| (option.to_string(), path.to_string())));
    }
}
