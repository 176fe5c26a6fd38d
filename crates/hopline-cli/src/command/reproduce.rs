//! `hopline reproduce`.

use crate::args::Common;
use crate::output;
use crate::progress::Bar;
use hopline::error::{Error, Result};
use hopline::report;
use hopline::study::{Options, reproduce};
use std::process::ExitCode;

/// Exit code where a number differs and no note says why.
const DIFFERS: u8 = 3;

pub(super) fn run(study: &str, quick: bool, out: Option<&str>, common: &Common) -> Result<ExitCode> {
    let options = Options { quick, seed: common.seed.unwrap_or(0) };
    let found = reproduce(study, &options, &mut Bar::new())?;
    if let Some(dir) = out {
        std::fs::create_dir_all(dir).map_err(|e| Error::failed(format!("{dir}: {e}")))?;
        let figures = found.figures.iter().map(|f| (format!("{dir}/{}.svg", f.name), report::svg(f)));
        let files: Vec<(String, String)> =
            figures.chain([(format!("{dir}/index.html"), report::page(&found))]).collect();
        output::save(&files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect::<Vec<_>>())?;
        output::say(&format!("wrote {} figures and {dir}/index.html", found.figures.len()));
    }
    output::outcome(common.format, &found, report::reproduction)?;
    Ok(if found.differing > 0 { ExitCode::from(DIFFERS) } else { ExitCode::SUCCESS })
}
