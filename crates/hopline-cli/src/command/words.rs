//! `hopline completions | man | schema`: the command line about itself.

use crate::args::Args;
use crate::documents;
use crate::output;
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use hopline::error::{Error, Result};
use std::process::ExitCode;

pub(super) fn schema(name: &str) -> Result<ExitCode> {
    output::write(&documents::schema(name))?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn completions(shell: Shell) -> Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "hopline", &mut text);
    output::write(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::SUCCESS)
}

/// One page per command, into a directory.
pub(super) fn man(dir: &str) -> Result<ExitCode> {
    let fail = |e: std::io::Error| Error::failed(format!("{dir}: {e}"));
    std::fs::create_dir_all(dir).map_err(fail)?;
    let mut whole = Args::command().disable_help_subcommand(true);
    whole.build();
    let mut files = Vec::new();
    pages(whole, dir, &mut files).map_err(fail)?;
    output::save(&files.iter().map(|(path, page)| (path.as_str(), page)).collect::<Vec<_>>())?;
    Ok(ExitCode::SUCCESS)
}

/// The page of a command and those of its own, with the files that they go to.
fn pages(command: Command, dir: &str, all: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    for inner in command.get_subcommands().filter(|c| !c.is_hide_set()).cloned() {
        pages(inner, dir, all)?;
    }
    let usage = usage(&command);
    let (man, mut page) = (Man::new(command.override_usage(usage)), Vec::new());
    man.render(&mut page)?;
    all.push((format!("{dir}/{}", man.get_filename()), page));
    Ok(())
}

/// Every option with its value; one that must be given without brackets.
fn usage(command: &Command) -> String {
    let mut words = vec![command.get_bin_name().unwrap_or(command.get_name()).to_string()];
    let (places, options): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(|arg| !arg.is_hide_set()).partition(|arg| arg.is_positional());
    // `Display` writes an option as `--name <VALUE>` and a place as `<VALUE>` or `[VALUE]`.
    words.extend(options.iter().map(|arg| if arg.is_required_set() { arg.to_string() } else { format!("[{arg}]") }));
    words.extend(places.iter().map(|arg| arg.to_string()));
    if command.has_subcommands() {
        words.push("<COMMAND>".to_string());
    }
    words.join(" ")
}
