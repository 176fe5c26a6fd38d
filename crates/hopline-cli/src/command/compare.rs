//! `hopline compare`.

use crate::answer;
use crate::args::Common;
use crate::args::compare::CompareArgs;
use crate::inputs::Disk;
use crate::progress::Bar;
use hopline::error::Result;
use hopline::event::Observer;
use hopline::files::Files;
use hopline::run::{self, CompareOutcome};
use hopline_report as report;
use std::process::ExitCode;

pub(super) fn run(args: &CompareArgs, common: &Common) -> Result<ExitCode> {
    let outcome = evaluate(args, common, &Disk, &mut Bar::new())?;
    answer::outcome(common, None, &outcome, report::compare)?;
    Ok(ExitCode::SUCCESS)
}

/// Every machine with every job.
pub(super) fn evaluate(
    args: &CompareArgs,
    common: &Common,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<CompareOutcome> {
    run::compare(&args.scenarios(files)?, &args.options(common, files)?, files, observer)
}
