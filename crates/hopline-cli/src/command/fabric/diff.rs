//! `hopline fabric diff`: two looks at a machine, or a plan of its cables and the machine.

use crate::args::{Common, Diff, machine_params};
use hopline::error::{Error, Place, Result};
use hopline::event::Observer;
use hopline::files::{Files, read_text};
use hopline::format::ndt;
use hopline::plan::{Network, Plan};
use hopline::run::{self, DiffOutcome};
use hopline::scenario::Scenario;
use hopline_formats::resolve;

/// What was asked for of the machine now, and the differences.
pub(super) fn evaluate(
    options: &Diff,
    common: &Common,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<(Scenario, DiffOutcome)> {
    let mut now = scenario(&options.after, options, common, files)?;
    if let Some(text) = plan(&options.before, files) {
        let planned = ndt::parse(&options.before, &text)?;
        let outcome = run::diff_plan(&options.before, &planned, &Network::new(&now, files)?);
        now.traffic = None;
        return Ok((now, outcome));
    }
    if plan(&options.after, files).is_some() {
        return Err(Error::input("a plan of cables is no machine")
            .at(&Place::new(options.after.clone(), 0))
            .hint("give the plan first, then the machine"));
    }
    let was = scenario(&options.before, options, common, files)?;
    let before = Plan::new(&was, files)?;
    // A routing that knows no faults leaves the costs of missing parts open.
    let faulty = Network::as_after_faults(&was, files).and_then(|network| Plan::with_network(&was, files, network));
    // Where the job does not fit any more, the machines can be compared all the same.
    let job = Plan::new(&now, files);
    let bare;
    let after = match &job {
        Ok(job) => &job.network,
        Err(_) => {
            bare = Network::new(&now, files)?;
            &bare
        }
    };
    let outcome = run::diff(&before, faulty.ok().as_ref(), after, job.as_ref(), observer)?;
    Ok((now, outcome))
}

/// The text of a plan of cables.
fn plan(path: &str, files: &dyn Files) -> Option<String> {
    read_text(files, path).ok().filter(|text| ndt::is_plan(text))
}

/// The job on one of both.
fn scenario(machine: &str, options: &Diff, common: &Common, files: &dyn Files) -> Result<Scenario> {
    let scenario = Scenario::on(machine_params(machine)?);
    let scenario = scenario.traffic(options.traffic.as_deref().unwrap_or("alltoall"))?;
    let mut scenario = match &options.routing {
        Some(spec) => scenario.routing(spec)?,
        None => scenario,
    };
    resolve(&mut scenario, files)?;
    Ok(common.seeded(scenario))
}
