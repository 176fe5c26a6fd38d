//! `hopline`: which links will a job overload, and which rank order avoids it?
//!
//! Exit codes: 0 done; 1 the run failed; 2 the command line or an input is
//! wrong; 3 a check found something.

mod answer;
mod args;
mod command;
mod documents;
mod lists;
mod output;
mod page;
mod progress;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = args::Args::parse();
    match command::run(args) {
        Ok(code) => code,
        Err(e) => {
            output::complain(&e);
            ExitCode::from(if e.is_input() { 2 } else { 1 })
        }
    }
}
