//! `hopline flits`.

use super::one_routing;
use crate::args::{Common, FlitsOptions, Job};
use crate::output;
use crate::progress::Bar;
use hopline::error::{Error, Result};
use hopline::files::Disk;
use hopline::flits::Options;
use hopline::plan::Plan;
use hopline::{report, run};
use std::process::ExitCode;
use std::time::{Duration, Instant};

pub(super) fn run(job: &Job, options: &FlitsOptions, checkpoint: Option<String>, common: &Common) -> Result<ExitCode> {
    let scenario = job.scenario(common)?;
    one_routing(&scenario, "flits")?;
    if scenario.mappings.len() > 1 {
        return Err(Error::input("`hopline flits` takes one mapping").hint("`hopline map` compares several"));
    }
    let options = Options::read(&options.merge(&scenario)?)?;
    let plan = Plan::new(&scenario, &Disk)?;
    let outcome = match checkpoint {
        Some(path) => run::flits(&plan, &options, &mut File::new(path), &mut Bar::new())?,
        None => run::flits(&plan, &options, &mut run::Forget, &mut Bar::new())?,
    };
    output::outcome(common.format, &outcome, report::flits)?;
    let stuck = outcome.points.iter().any(|p| p.deadlock.is_some());
    Ok(if stuck { ExitCode::FAILURE } else { ExitCode::SUCCESS })
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
}

impl run::Keep for File {
    fn load(&mut self) -> Result<Option<Vec<u8>>> {
        match std::fs::read(&self.path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                // Better now than after the first half minute.
                let draft = self.draft();
                std::fs::write(&draft, []).and_then(|()| std::fs::remove_file(&draft)).map_err(|e| self.fail(&e))?;
                Ok(None)
            }
            Err(e) => Err(self.fail(&e)),
        }
    }

    fn is_due(&mut self) -> bool {
        self.last.elapsed() >= EVERY
    }

    fn save(&mut self, state: &[u8]) -> Result<()> {
        let draft = self.draft();
        std::fs::write(&draft, state).and_then(|()| std::fs::rename(&draft, &self.path)).map_err(|e| self.fail(&e))?;
        self.last = Instant::now();
        Ok(())
    }
}
