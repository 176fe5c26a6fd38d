//! The command `hopline` as a library: the same answers for a program that shows them itself.
//!
//! [`run`] is the command whole; [`embed::answer`] is what one command line comes to, as an object. The Python package
//! has both.

mod answer;
mod answered;
mod args;
mod command;
mod documents;
pub mod embed;
mod inputs;
mod lists;
mod output;
mod page;
mod progress;
mod ranks;

use signal_hook::consts::SIGXFSZ;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

/// Runs the command line; the first argument is the program's name. Help, and what clap refuses, ends the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = match args::Args::read(arguments) {
        Ok(args) => args,
        Err(e) if ranks::is_first() => e.exit(),
        Err(_) => return ExitCode::SUCCESS,
    };
    // Where files may not grow (`ulimit -f`) a write then fails, as on a full disk, and its draft goes.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    let speaks = ranks::speaks(&args.command);
    match command::run(args) {
        _ if !speaks => ExitCode::SUCCESS,
        Ok(code) => code,
        Err(e) => {
            output::complain(&e);
            ExitCode::from(if e.is_input() { 2 } else { 1 })
        }
    }
}
