//! `hopline flits`.

mod over_time;

use super::one_routing;
use crate::answer;
use crate::args::{Common, FlitsOptions, Format, Job, Keeping};
use crate::inputs::Disk;
use crate::progress::{Bar, Interrupt};
use crate::{output, ranks};
use hopline::error::{Error, Place, Result};
use hopline::event::{Observer, Silent};
use hopline::files::Files;
use hopline::flits::{Exchanged, Options, Process};
use hopline::params::{Params, Value};
use hopline::peers::agree;
use hopline::plan::Plan;
use hopline::power::Model;
use hopline::run::{self, FlitsOutcome, Keep};
use hopline::scenario::Scenario;
use hopline_report as report;
use std::io::{ErrorKind, Read as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

pub(super) fn run(
    job: &Job,
    options: &FlitsOptions,
    keeping: Keeping,
    series: Option<&str>,
    common: &Common,
) -> Result<ExitCode> {
    let peers = ranks::peers()?;
    let is_first = peers.rank() == 0;
    let Prepared { scenario, options, plan, model } =
        agree(&*peers, prepare(job, options, series.is_some(), common, &Disk))?;
    let interrupt = ranks::interrupt(&*peers)?;
    let kept = keeping.checkpoint.clone();
    // The first process keeps, and tells how far all are.
    let mut keep: Box<dyn Keep> = match keeping.checkpoint {
        Some(path) if is_first => Box::new(File::new(path, keeping.checkpoint_every, &interrupt)),
        _ => Box::new(run::Forget),
    };
    let mut observer: Box<dyn Observer> = if is_first { Box::new(Bar::new().or(&interrupt)) } else { Box::new(Silent) };
    let start = Instant::now();
    let (outcome, told) = match run::flits_among(&plan, &options, &peers, &mut *keep, &mut *observer) {
        // Nothing to show, but perhaps to go on from.
        Err(e) if interrupt.came() && e.is_stopped() => {
            drop(observer);
            output::complain(&match &kept {
                Some(path) if Path::new(path).exists() => {
                    e.hint(format!("its state is kept in {path}: the same command goes on from there"))
                }
                _ => e,
            });
            return Ok(interrupt.code().unwrap_or(ExitCode::FAILURE));
        }
        other => other?,
    };
    interrupt.tell(start, "the loads that were done");
    if !is_first {
        return Ok(ExitCode::SUCCESS);
    }
    let outcome = outcome.with_energy(&model, &options, scenario.power.as_ref());
    if let Some(path) = series {
        output::save(&[(path, over_time::csv(&outcome, &plan.network.fabric))])?;
        output::say(&format!("wrote {path}: loads, queues and latencies over time"));
    }
    answer::outcome(common, Some(&scenario), &outcome, report::flits)?;
    if common.format == Format::Text && options.interval.is_some() && series.is_none() && common.report.is_none() {
        output::say("note: intervals are in --series, --report and --format json; the text has none");
    }
    // A checkpoint may be of the very end.
    if told.windows > 0 {
        output::say(&shared(peers.size(), &told));
    }
    Ok(interrupt.code().unwrap_or_else(|| code(&outcome)))
}

fn code(outcome: &FlitsOutcome) -> ExitCode {
    let stuck = outcome.points.iter().any(|p| p.deadlock.is_some());
    if stuck { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// What processes told each other, in one line.
fn shared(processes: u32, told: &Exchanged) -> String {
    if told.messages == 0 {
        return format!("hopline: of {processes} processes one did all: nothing in this run can be shared out");
    }
    let each = told.bytes / told.messages;
    let (windows, messages) = (told.windows, told.messages);
    format!("hopline: {processes} processes, {windows} windows, {messages} messages of {each} bytes on average")
}

/// What was asked for, and its answer.
pub(super) fn evaluate(
    job: &Job,
    options: &FlitsOptions,
    keep: &mut dyn Keep,
    common: &Common,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<(Scenario, FlitsOutcome)> {
    let Prepared { scenario, options, plan, model } = prepare(job, options, false, common, files)?;
    let outcome = run::flits(&plan, &options, keep, observer)?;
    let outcome = outcome.with_energy(&model, &options, scenario.power.as_ref());
    Ok((scenario, outcome))
}

/// What was asked for, and the plan of it.
struct Prepared {
    scenario: Scenario,
    options: Options,
    plan: Plan,
    /// Watts of links.
    model: Model,
}

/// With `records` there are intervals, a hundred where no length is given.
fn prepare(job: &Job, given: &FlitsOptions, records: bool, common: &Common, files: &dyn Files) -> Result<Prepared> {
    let mut scenario = job.scenario(common)?;
    one_routing(&scenario, "flits")?;
    if scenario.mappings.len() > 1 {
        return Err(Error::input("`hopline flits` takes one mapping").hint("`hopline map` compares several"));
    }
    let mut keys = given.merge(&scenario)?;
    let mut options = Options::read(&keys)?;
    if records && options.interval.is_none() {
        let hundredth = (options.warmup + options.cycles).div_ceil(100);
        keys.push("interval", Value::Int(hundredth.into()), Place::new("--series", 0))?;
        options = Options::read(&keys)?;
    }
    let unused = unused(&keys, &options);
    let watts = given.power(&scenario)?;
    scenario.flits = Some(keys);
    let mut plan = match options.fail_at {
        Some(_) => Plan::failing(&scenario, files)?,
        None => Plan::simulated(&scenario, files)?,
    };
    plan.notes.extend(unused);
    let model = watts.as_ref().map_or(Ok(Model::default()), |keys| Model::read(keys, files))?;
    model.check(&plan.network.fabric)?;
    scenario.power = watts;
    Ok(Prepared { scenario, options, plan, model })
}

/// Says which keys an exchange does not ask.
fn unused(keys: &Params, options: &Options) -> Option<String> {
    let Process::Exchange { .. } = options.process else { return None };
    let given = ["load", "warmup", "cycles", "until"].into_iter().filter(|key| keys.place_of(key).is_some());
    let given = given.collect::<Vec<_>>().join(", ");
    (!given.is_empty()).then(|| format!("an exchange goes on until all has arrived: {given} changed nothing"))
}

/// Nobody writes a draft for so long.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The state of a run in a file, which is replaced as a whole.
struct File {
    path: String,
    every: Duration,
    last: Instant,
    /// What ends the run, too.
    interrupt: Interrupt,
}

impl File {
    fn new(path: String, every: Duration, interrupt: &Interrupt) -> File {
        File { path, every, last: Instant::now(), interrupt: interrupt.clone() }
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
        let path = Path::new(&self.path);
        let written = match state {
            Some(state) => hopline_disk::replace(path, |to| to.write_all(state)),
            None => {
                let draft = hopline_disk::draft_of(path);
                std::fs::write(&draft, []).and_then(|()| std::fs::remove_file(&draft))
            }
        };
        written.map_err(|e| self.fail(&e))
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
        hopline_disk::remove_drafts(Path::new(&self.path), ABANDONED);
        Ok(kept)
    }

    fn place(&self) -> Option<Place> {
        Some(Place::new(&self.path, 0))
    }

    fn is_due(&mut self) -> bool {
        self.interrupt.came() || self.last.elapsed() >= self.every
    }

    fn save(&mut self, state: &[u8]) -> Result<()> {
        self.publish(Some(state))?;
        self.last = Instant::now();
        Ok(())
    }
}
