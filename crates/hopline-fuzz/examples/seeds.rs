//! Writes the seeds of a target as files, for libFuzzer: `cargo run -p hopline-fuzz --example seeds -- TARGET FOLDER`.

#![allow(clippy::print_stderr)]

use hopline_fuzz::{found, seeds, target};
use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let [name, folder] = &words[..] else {
        eprintln!("usage: seeds TARGET FOLDER");
        return ExitCode::from(2);
    };
    let Some(target) = target(name) else {
        eprintln!("{name}: no target of that name");
        return ExitCode::from(2);
    };
    let inputs = seeds(target).into_iter().chain(found(target).into_iter().map(|(_, bytes)| bytes));
    let write = || {
        fs::create_dir_all(folder)?;
        inputs.enumerate().try_for_each(|(number, bytes)| fs::write(format!("{folder}/{number:03}"), bytes))
    };
    match write() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{folder}: {e}");
            ExitCode::FAILURE
        }
    }
}
