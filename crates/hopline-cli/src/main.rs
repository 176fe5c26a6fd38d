//! `hopline`: which links will a job overload, and which rank order avoids it?
//!
//! Exit codes: 0 done; 1 the run failed; 2 the command line or an input is
//! wrong; 3 a check found something.

use std::process::ExitCode;

fn main() -> ExitCode {
    hopline_cli::run(std::env::args_os())
}
