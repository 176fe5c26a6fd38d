//! What a command answers: a page where one is asked for, and what is printed.

use crate::args::{Common, Format};
use crate::documents::Outcome;
use crate::output;
use crate::page::{self, Job, Shown};
use hopline::error::Result;
use hopline::scenario::Scenario;
use hopline_report::Text;

/// Writes and prints an outcome.
pub(crate) fn outcome<T: Outcome>(
    common: &Common,
    scenario: Option<&Scenario>,
    outcome: &T,
    text: impl FnOnce(&T) -> Text,
) -> Result<()> {
    report(common, scenario, outcome)?;
    output::show(common, scenario, outcome, text)
}

/// Writes the page of an outcome, where one is asked for.
pub(crate) fn report<T: Outcome>(common: &Common, scenario: Option<&Scenario>, outcome: &T) -> Result<()> {
    match &common.report {
        Some(path) => page::write(path, vec![Shown::of(output::value(&common.asked, scenario, outcome)?)]),
        None => Ok(()),
    }
}

/// The same of a job that is at hand: its page need not compute it again, and its text has a picture of its loads.
pub(crate) fn job<T: Outcome>(
    common: &Common,
    scenario: &Scenario,
    outcome: &T,
    text: impl FnOnce(&T, Text) -> Text,
    job: Job,
) -> Result<()> {
    let spread = if common.format == Format::Text { job.spread()? } else { Text::new() };
    if let Some(path) = &common.report {
        let document = output::value(&common.asked, Some(scenario), outcome)?;
        page::write(path, vec![Shown { document, job: Ok(Some(job)), fabric: None, before: None }])?;
    }
    output::show(common, Some(scenario), outcome, |o| text(o, spread))
}
