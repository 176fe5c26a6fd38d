//! `hopline sweep`, `sweep show` and `sweep merge`.

mod apart;
mod curve;
mod dry_run;
mod estimate;
mod launch;
mod point;
mod show;
mod swept;

use crate::answer;
use crate::args::{Common, Format, SweepArgs, SweepCommand, SweepOptions};
use crate::inputs::Disk;
use crate::output;
use crate::page;
use crate::progress::Bar;
use hopline::error::{Error, Place, Result};
use hopline::event::{Event, Observer as _};
use hopline::files::read_text;
use hopline::params::{Params, Value, split_specs};
use hopline::scenario::Scenario;
use hopline_sweep::grid::{Grid, Point};
use hopline_sweep::inputs::Digests;
use hopline_sweep::pool::{self, Budget};
use hopline_sweep::shard::Shard;
use hopline_sweep::store::{Plan, Store, replace};
use hopline_sweep::values::written;
use hopline_sweep::{name, outcome, table};
use std::collections::HashSet;
use std::process::ExitCode;
use std::sync::Mutex;
use swept::Swept;

pub(super) fn run(args: &SweepArgs, common: &Common) -> Result<ExitCode> {
    match &args.command {
        Some(SweepCommand::Show { dir, curve: Some(curve), over, output: Some(path), .. }) => {
            page::check_target(path, page::SVG)?;
            let figure = curve::figure(&outcome::outcome(&Store::read(dir)?)?, curve, over.as_deref())?;
            output::save(&[(path, hopline_report::svg(&figure))])?;
            output::say(&format!("wrote {path}: {} curves of {curve}", figure.series.len()));
            Ok(ExitCode::SUCCESS)
        }
        Some(SweepCommand::Show { dir, by, .. }) => show::run(dir, by.as_deref(), common),
        Some(SweepCommand::Merge { dirs }) => merge(dirs, common),
        None => sweep(&args.options, common),
    }
}

/// A sweep whose points are known.
struct Sweep {
    text: String,
    base: Scenario,
    grid: Grid,
    swept: Swept,
    points: Vec<Point>,
    /// Their names.
    names: Vec<String>,
}

impl Sweep {
    fn read(options: &SweepOptions, common: &Common) -> Result<Sweep> {
        let path = options.scenario.as_deref().unwrap_or_default();
        let text = read_text(&Disk, path)?;
        let mut base = common.seeded(Scenario::from_toml(path, &text)?);
        let mut keys = base.sweep.take().unwrap_or_else(|| Params::new("sweep", Place::new(path, 0)));
        for word in &options.set {
            set(&mut keys, word)?;
        }
        let grid = Grid::read(&keys)?;
        let swept = Swept::of(&grid)?;
        let points = grid.points(&base)?;
        let named = |point| name::name(&grid.command, env!("CARGO_PKG_VERSION"), &grid.request(point, &base)?);
        let names = points.iter().map(named).collect::<Result<Vec<_>>>()?;
        Ok(Sweep { text, base, grid, swept, points, names })
    }

    /// Numbers of the points of a part that are to be computed, each once.
    fn to_do(&self, store: Option<&Store>, shard: Option<Shard>, again: bool) -> Vec<usize> {
        let (digests, mut seen) = (Digests::default(), HashSet::new());
        let finished = |name: &str| {
            let state = store.and_then(|store| store.state(name));
            state.is_some_and(|state| !(state.failed && again) && digests.still(state.inputs))
        };
        let own = (0..self.points.len()).filter(|&n| shard.is_none_or(|shard| shard.has(n)));
        own.filter(|&n| seen.insert(&self.names[n]) && !finished(&self.names[n])).collect()
    }
}

/// `KEY=VALUES` in place of what the scenario says of the key: numbers, ranges and specs with commas between them.
fn set(keys: &mut Params, word: &str) -> Result<()> {
    let place = Place::new("--set", 0);
    let Some((key, values)) = word.split_once('=').filter(|(key, _)| !key.trim().is_empty()) else {
        return Err(Error::input(format!("`{word}` sets no key")).at(&place).hint("write --set topology.nd=1,2,4"));
    };
    let key = key.trim();
    let place = Place::new(format!("--set {key}"), 0);
    let value = match key {
        "command" | "where" => Value::Text(values.to_string()),
        _ => Value::List(split_specs(values, &place)?.iter().map(|one| Value::Text(one.clone())).collect()),
    };
    keys.replace(key, value, place)
}

fn sweep(options: &SweepOptions, common: &Common) -> Result<ExitCode> {
    let shard =
        options.shard.as_deref().map(str::parse::<Shard>).transpose().map_err(|e| e.at(&Place::new("--shard", 0)))?;
    let budget = Budget { threads: rayon::current_num_threads(), bytes: estimate::memory(options.memory.as_deref())? };
    let sweep = Sweep::read(options, common)?;
    if options.dry_run {
        return dry_run::run(&sweep, options, common);
    }
    let dir = options.out.as_deref().unwrap_or_default();
    let store = Store::open(dir)?;
    if let Some(name) = &options.point {
        return apart::child(&sweep, &store, name);
    }
    Plan::new(&sweep.grid, env!("CARGO_PKG_VERSION"), &sweep.points, &sweep.names).write(store.dir())?;
    let scenario = keep_scenario(&sweep, &store)?;
    if let Some(launcher) = options.launch {
        return launch::run(&sweep, &store, &scenario, launcher, options, common);
    }
    let to_do = sweep.to_do(Some(&store), shard, options.retry_failed);
    let apart = apart::Apart::new(&scenario, options, common);
    compute(&sweep, &store, &to_do, budget, &apart)?;
    finished(&Store::read(dir)?, shard.is_some(), common)
}

/// The words of another process of the same sweep.
fn same_sweep(scenario: &str, dir: &str, options: &SweepOptions, common: &Common) -> Vec<String> {
    let mut words: Vec<String> = ["sweep", scenario, "--out", dir].map(String::from).into();
    words.extend(options.set.iter().flat_map(|set| ["--set".to_string(), set.clone()]));
    words.extend(common.seed.iter().flat_map(|seed| ["--seed".to_string(), seed.to_string()]));
    words.extend(["--max-input".to_string(), common.max_input.0.to_string()]);
    words
}

/// Computes points and adds each to the log.
fn compute(sweep: &Sweep, store: &Store, to_do: &[usize], budget: Budget, apart: &apart::Apart) -> Result<()> {
    let (writer, digests, sizes) = (store.writer()?, Digests::default(), estimate::Sizes::default());
    let bar = Mutex::new((Bar::new(), 0));
    let tell = |more: u64| {
        if let Ok(mut bar) = bar.lock() {
            bar.1 += more;
            let done = bar.1;
            bar.0.event(Event::Progress(done));
        }
    };
    if let Ok(mut bar) = bar.lock() {
        bar.0.event(Event::Stage { what: "points".into(), steps: to_do.len() as u64 });
    }
    let bytes = |k: usize| {
        let name = &sweep.names[to_do[k]];
        if store.is_suspect(name) {
            // Alone, so that it takes no memory from others.
            return budget.bytes;
        }
        // Before the estimate, since what a point is about may already be too much for this process. A log that takes
        // nothing is told by the point itself.
        let _ = writer.begin(name);
        estimate::of(sweep, to_do[k], &sizes).map_or(0, |estimate| estimate.bytes)
    };
    let work = |k: usize, threads: usize| {
        let name = &sweep.names[to_do[k]];
        if store.is_suspect(name) {
            if let Some((record, cost)) = apart.compute(name, threads)? {
                writer.add(&record, cost)?;
            }
        } else {
            let (record, cost) = point::compute(sweep, to_do[k], threads, &digests);
            writer.add(&record, cost)?;
        }
        tell(1);
        Ok(())
    };
    pool::run(to_do.len(), budget, &bytes, &work)?;
    writer.finish()
}

/// Writes the tables where nothing is missing, and says what there is. Points that failed, or are missing where all should
/// be there, are no failure of this run, but no whole sweep either: exit code 3.
fn finished(store: &Store, is_part: bool, common: &Common) -> Result<ExitCode> {
    let missing = table::finish(store)?;
    let code = |failed: usize| match failed > 0 || (missing > 0 && !is_part) {
        true => ExitCode::from(3),
        false => ExitCode::SUCCESS,
    };
    if common.format != Format::Text {
        let outcome = outcome::outcome(store)?;
        answer::outcome(common, None, &outcome, show::text)?;
        return Ok(code(outcome.failed));
    }
    if common.report.is_some() {
        answer::report(common, None, &outcome::outcome(store)?)?;
    }
    let plan = Plan::read(store.dir())?;
    let failed: Vec<_> =
        plan.points.iter().filter(|point| store.state(&point.name).is_some_and(|state| state.failed)).collect();
    output::write(&show::summary(store, plan.points.len(), missing, failed.len(), is_part))?;
    if let Some(first) = failed.first()
        && let Some(error) = store.record(&first.name)?.and_then(|record| record.error)
    {
        let values: Vec<String> = first.values.iter().map(written).collect();
        let point: Vec<String> =
            plan.parameters.iter().zip(values).map(|(key, value)| format!("{key}={value}")).collect();
        output::say(&format!("{} failed, first {}: {error}", show::points(failed.len()), point.join(" ")));
    }
    Ok(code(failed.len()))
}

/// Copies what other directories have into the first.
fn merge(dirs: &[String], common: &Common) -> Result<ExitCode> {
    let (into, others) = dirs.split_first().ok_or_else(|| Error::input("no directory is given"))?;
    let store = Store::read(into)?;
    let plan = Plan::read(store.dir())?;
    for dir in others {
        let other = Store::read(dir)?;
        if Plan::read(other.dir())? != plan {
            return Err(Error::input(format!("{dir}: holds another sweep than {into}"))
                .hint("all parts have the same scenario, options and version of hopline"));
        }
        store.take(&other)?;
    }
    finished(&Store::read(into)?, false, common)
}

/// Keeps the scenario beside its results, for people, and for parts that wait while the file that was given changes.
fn keep_scenario(sweep: &Sweep, store: &Store) -> Result<String> {
    let path = store.dir().join("scenario.toml");
    replace(&path, |to| to.write_all(sweep.text.as_bytes()))?;
    Ok(path.to_string_lossy().into_owned())
}
