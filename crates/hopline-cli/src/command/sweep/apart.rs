//! Points that were under way when an earlier process was lost: each is computed by a process of its own, so that one
//! that takes its process down is known, recorded as failed, and takes no other point along.

use super::{Sweep, point, same_sweep};
use crate::args::{Common, SweepOptions};
use hopline::error::{Error, Result};
use hopline_sweep::inputs::{Digests, Inputs};
use hopline_sweep::store::{Cost, Record, Store};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::Instant;

/// The words of a process for one point, but for its name.
pub(super) struct Apart(Vec<String>);

impl Apart {
    /// Those of the same sweep; `kept` is its scenario where that came by standard input.
    pub(super) fn new(kept: &str, options: &SweepOptions, common: &Common) -> Apart {
        let scenario = options.scenario.as_deref().filter(|path| *path != "-").unwrap_or(kept);
        Apart(same_sweep(scenario, options.out.as_deref().unwrap_or_default(), options, common))
    }

    /// Has a point computed, which its process adds to a log of its own; what it is where that process is lost, too.
    ///
    /// # Errors
    /// No process can be started, or it does not know the point: the scenario has changed meanwhile.
    pub(super) fn compute(&self, name: &str, threads: usize) -> Result<Option<(Record, Cost)>> {
        let start = Instant::now();
        let ended = std::env::current_exe().and_then(|program| {
            let threads = threads.to_string();
            let more = ["--point", name, "--threads", threads.as_str()];
            let mut child = Command::new(program);
            child.args(&self.0).args(more).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()
        });
        let ended =
            ended.map_err(|e| Error::failed(format!("cannot start a process for a point: {e}")).caused_by(e))?;
        if ended.success() {
            return Ok(None);
        }
        let lost = lost(ended).ok_or_else(|| {
            Error::failed("a point that was under way earlier cannot be computed by a process of its own")
                .hint("has the scenario changed since the sweep began? run it again")
        })?;
        let error = format!("its process was ended {lost}, after an earlier one was lost while it computed this point");
        let record = Record { point: name.to_string(), inputs: Inputs::new(), document: None, error: Some(error) };
        Ok(Some((record, Cost { seconds: start.elapsed().as_secs_f64(), threads, process_peak_bytes: 0 })))
    }
}

/// How a process was lost, if it did not end by itself.
fn lost(ended: ExitStatus) -> Option<String> {
    use std::os::unix::process::ExitStatusExt as _;
    ended.signal().map(|signal| format!("by signal {signal}"))
}

/// What that process does.
///
/// # Errors
/// The sweep has no such point; it cannot be written.
pub(super) fn child(sweep: &Sweep, store: &Store, name: &str) -> Result<ExitCode> {
    let Some(number) = sweep.names.iter().position(|own| own == name) else {
        return Err(Error::input(format!("no point of this sweep is `{name}`")));
    };
    let writer = store.writer()?;
    let (record, cost) = point::compute(sweep, number, rayon::current_num_threads(), &Digests::default());
    writer.add(&record, cost)?;
    writer.finish()?;
    Ok(ExitCode::SUCCESS)
}
