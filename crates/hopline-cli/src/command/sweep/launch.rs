//! `hopline sweep --launch`: the parts of a sweep as jobs.

use super::dry_run::rate;
use super::estimate::{self, Sizes};
use super::{Sweep, same_sweep};
use crate::args::{Common, Launcher, SweepOptions};
use crate::output;
use hopline::error::{Error, Place, Result};
use hopline_sweep::launch::{Launch, hyperqueue, slurm};
use hopline_sweep::store::Store;
use std::path::PathBuf;
use std::process::ExitCode;

/// Seconds that a part takes, so that launching it costs little and losing it, too.
const PART: f64 = 600.0;
/// More parts are a burden to most launchers.
const MOST_PARTS: usize = 500;

pub(super) fn run(
    sweep: &Sweep,
    store: &Store,
    scenario: &str,
    launcher: Launcher,
    options: &SweepOptions,
    common: &Common,
) -> Result<ExitCode> {
    let to_do = sweep.to_do(Some(store), None, options.retry_failed);
    let parts = match options.parts {
        Some(0) => return Err(Error::input("0 parts compute nothing").at(&Place::new("--parts", 0))),
        Some(parts) => parts,
        None => parts(sweep, store, &to_do)?,
    };
    let dir = root(&store.dir().to_string_lossy())?;
    let program = std::env::current_exe().map_err(|e| Error::failed(format!("cannot find this program: {e}")))?;
    let word = |path: &PathBuf| path.to_string_lossy().into_owned();
    let scenario = root(scenario)?;
    let mut part = vec![word(&program)];
    part.extend(same_sweep(&word(&scenario), &word(&dir), options, common));
    part.extend(options.memory.iter().flat_map(|size| ["--memory".to_string(), size.clone()]));
    part.extend(options.retry_failed.then(|| "--retry-failed".to_string()));
    let merge = vec![word(&program), "sweep".into(), "merge".into(), word(&dir)];
    let launch = Launch { part, merge, dir, parts, words: options.words.clone() };
    let (what, dir) = (
        match launcher {
            Launcher::Slurm => {
                let jobs = slurm::submit(&launch)?;
                format!("job {} of {parts} parts, and job {} to merge them", jobs.array, jobs.merge)
            }
            Launcher::Hyperqueue => {
                format!("job {} of {parts} parts, and a task to merge them", hyperqueue::submit(&launch)?)
            }
        },
        store.dir().display(),
    );
    output::write(&format!(
        "submitted {what}: {} to compute; hopline sweep show {dir}\n",
        super::show::points(to_do.len())
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// A path from the root, since jobs may start anywhere.
fn root(path: &str) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|e| Error::failed(format!("{path}: {e}")))
}

/// As many parts as take about [`PART`] seconds each on one thread.
fn parts(sweep: &Sweep, store: &Store, to_do: &[usize]) -> Result<usize> {
    let sizes = Sizes::default();
    let work = |n: usize| estimate::of(sweep, n, &sizes).map(|e| e.work);
    let (rate, _) = rate(sweep, Some(store), to_do, &work)?;
    let time: Option<f64> = to_do.iter().map(|&n| Some(work(n)? * rate?)).sum();
    let parts = time.map_or(MOST_PARTS, |time| (time / PART).ceil() as usize);
    Ok(parts.clamp(1, MOST_PARTS).min(to_do.len().max(1)))
}
