//! `hopline reproduce`.

use crate::args::Common;
use crate::output;
use crate::progress::Bar;
use hopline::error::{Error, Result};
use hopline::event::{Event, Observer as _};
use hopline::stats::Estimate;
use hopline_study::{NoPoints, Options, Points, page, point_line, read_points, reproduce_from, reproduction, work};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::process::ExitCode;

/// Exit code where a number differs and no note says why.
const DIFFERS: u8 = 3;

/// How a study is run, from the command line.
pub(crate) fn options(quick: bool, fresh: bool, data: Option<&str>, common: &Common) -> Options {
    Options { quick, seed: common.seed.unwrap_or(0), data: find_data(data), fresh }
}

pub(super) fn run(
    study: &str,
    options: &Options,
    out: Option<&str>,
    points: Option<&str>,
    common: &Common,
) -> Result<ExitCode> {
    let mut points: Box<dyn Points> = match points {
        Some(path) => Box::new(File::open(path)?),
        None => Box::new(NoPoints),
    };
    let (amount, of) = work(study, options, &*points)?;
    let mut bar = Bar::new();
    bar.event(Event::Work { amount, of });
    let found = reproduce_from(study, options, &mut *points, &mut bar)?;
    if let Some(dir) = out {
        std::fs::create_dir_all(dir).map_err(|e| Error::failed(format!("{dir}: {e}")))?;
        let figures = found.figures.iter().map(|f| (format!("{dir}/{}.svg", f.name), hopline_report::svg(f)));
        let drawings = found.drawings.iter().map(|d| (format!("{dir}/{}.svg", d.name()), hopline_report::drawing(d)));
        let files: Vec<(String, String)> =
            figures.chain(drawings).chain([(format!("{dir}/index.html"), page(&found))]).collect();
        output::save(&files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect::<Vec<_>>())?;
        output::say(&format!("wrote {} figures and {dir}/index.html", found.figures.len() + found.drawings.len()));
    }
    // A study has a page of its own, on the same parts.
    if let Some(path) = &common.report {
        output::save(&[(path, page(&found))])?;
        output::say(&format!("wrote {path}: open it in a browser, it needs no network"));
    }
    output::show(common, None, &found, reproduction)?;
    Ok(if found.differing > 0 { ExitCode::from(DIFFERS) } else { ExitCode::SUCCESS })
}

/// Where data that cannot be redistributed is looked for: as given, as the environment says, beside the repository.
fn find_data(given: Option<&str>) -> Option<String> {
    let beside = || Some("../shared/data".to_string()).filter(|dir| std::path::Path::new(dir).is_dir());
    given.map(String::from).or_else(|| std::env::var("HOPLINE_DATA").ok()).or_else(beside)
}

/// Points in a file, a line each.
struct File {
    path: String,
    file: std::fs::File,
    known: BTreeMap<String, Estimate>,
}

impl File {
    /// Reads what is there; what was not written whole is cut off.
    fn open(path: &str) -> Result<File> {
        let fail = |e: std::io::Error| Error::failed(format!("{path}: {e}"));
        let text = match std::fs::read_to_string(path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => read.map_err(fail)?,
        };
        let known = read_points(&text, path)?;
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(fail)?;
        file.set_len(text.rfind('\n').map_or(0, |end| end as u64 + 1)).map_err(fail)?;
        Ok(File { path: path.to_string(), file, known })
    }
}

impl Points for File {
    fn find(&self, command: &str) -> Option<Estimate> {
        self.known.get(command).copied()
    }

    fn keep(&mut self, command: &str, value: Estimate) -> Result<()> {
        let line = point_line(command, value);
        self.file.write_all(line.as_bytes()).map_err(|e| Error::failed(format!("{}: {e}", self.path)))?;
        self.known.insert(command.to_string(), value);
        Ok(())
    }
}
