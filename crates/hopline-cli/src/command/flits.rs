//! `hopline flits`.

mod over_time;

use super::one_routing;
use crate::answer;
use crate::args::{Common, FlitsOptions, Job};
use crate::output;
use crate::progress::Bar;
use hopline::error::{Error, Place, Result};
use hopline::event::Observer;
use hopline::files::{Disk, Files};
use hopline::flits::Options;
use hopline::params::Value;
use hopline::plan::Plan;
use hopline::run::{self, FlitsOutcome, Keep};
use hopline::scenario::Scenario;
use hopline_report as report;
use std::io::{ErrorKind, Read as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};

pub(super) fn run(
    job: &Job,
    options: &FlitsOptions,
    checkpoint: Option<String>,
    series: Option<&str>,
    common: &Common,
) -> Result<ExitCode> {
    let (mut bar, records) = (Bar::new(), series.is_some());
    let (scenario, plan, outcome) = match checkpoint {
        Some(path) => evaluate(job, options, records, &mut File::new(path), common, &Disk, &mut bar)?,
        None => evaluate(job, options, records, &mut run::Forget, common, &Disk, &mut bar)?,
    };
    if let Some(path) = series {
        output::save(&[(path, over_time::csv(&outcome, &plan.network.fabric))])?;
        output::say(&format!("wrote {path}: loads, queues and latencies over time"));
    }
    answer::outcome(common, Some(&scenario), &outcome, report::flits)?;
    let stuck = outcome.points.iter().any(|p| p.deadlock.is_some());
    Ok(if stuck { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// What was asked for, as it was planned, and its answer; with `records` there are intervals, a hundred where no length is
/// given.
pub(super) fn evaluate(
    job: &Job,
    options: &FlitsOptions,
    records: bool,
    keep: &mut dyn Keep,
    common: &Common,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<(Scenario, Plan, FlitsOutcome)> {
    let mut scenario = job.scenario(common)?;
    one_routing(&scenario, "flits")?;
    if scenario.mappings.len() > 1 {
        return Err(Error::input("`hopline flits` takes one mapping").hint("`hopline map` compares several"));
    }
    let mut keys = options.merge(&scenario)?;
    let mut options = Options::read(&keys)?;
    if records && options.interval.is_none() {
        let hundredth = (options.warmup + options.cycles).div_ceil(100);
        keys.push("interval", Value::Int(hundredth.into()), Place::new("--series", 0))?;
        options = Options::read(&keys)?;
    }
    scenario.flits = Some(keys);
    let plan = Plan::new(&scenario, files)?;
    let outcome = run::flits(&plan, &options, keep, observer)?;
    Ok((scenario, plan, outcome))
}

/// How often the state is kept.
const EVERY: Duration = Duration::from_secs(30);

/// The state of a run in a file, which is replaced as a whole.
struct File {
    path: String,
    last: Instant,
}

impl File {
    fn new(path: String) -> File {
        File { path, last: Instant::now() }
    }

    fn draft(&self) -> String {
        format!("{}.part", self.path)
    }

    fn fail(&self, e: &std::io::Error) -> Error {
        Error::failed(format!("{}: {e}", self.path))
    }

    /// The file whole, if it begins as it must: else its size may be anything.
    fn read(&self, head: &[u8]) -> Result<Vec<u8>> {
        let read = || {
            let mut file = std::fs::File::open(&self.path)?;
            let mut bytes = Vec::new();
            file.by_ref().take(head.len() as u64).read_to_end(&mut bytes)?;
            if bytes == head {
                file.read_to_end(&mut bytes)?;
            }
            Ok(bytes)
        };
        read().map_err(|e| self.fail(&e))
    }

    /// Puts a state in the place of the file, or only tries whether that could be
    /// written. A draft that could not is removed.
    fn publish(&self, state: Option<&[u8]>) -> Result<()> {
        let draft = self.draft();
        let written = std::fs::write(&draft, state.unwrap_or_default()).and_then(|()| match state {
            Some(_) => std::fs::rename(&draft, &self.path),
            None => std::fs::remove_file(&draft),
        });
        written.map_err(|e| {
            // What is left of it is of no use, and may be what fills the disk.
            let _ = std::fs::remove_file(&draft);
            self.fail(&e)
        })
    }
}

impl Keep for File {
    fn load(&mut self, head: &[u8]) -> Result<Option<Vec<u8>>> {
        let kept = match std::fs::metadata(&self.path) {
            Ok(about) if about.is_file() => self.read(head).map(Some),
            // A device or a pipe might never end, and cannot be replaced as a whole.
            Ok(_) => Err(Error::failed(format!("{} is no regular file, so no state can be kept there", self.path))
                .hint("name a file that does not exist yet, or one that --checkpoint has written")),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(self.fail(&e)),
        }?;
        // Better now than after the first half minute.
        self.publish(None)?;
        Ok(kept)
    }

    fn is_due(&mut self) -> bool {
        self.last.elapsed() >= EVERY
    }

    fn save(&mut self, state: &[u8]) -> Result<()> {
        self.publish(Some(state))?;
        self.last = Instant::now();
        Ok(())
    }
}
