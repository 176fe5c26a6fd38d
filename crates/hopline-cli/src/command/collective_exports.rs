//! What the commands of collectives write beside their answer: orders of ranks, decisions, programs.

use crate::output;
use hopline::entry::Listed as _;
use hopline::error::{Error, Place, Result};
use hopline::format::{EXPORTS, Export, tuning};
use hopline::plan::Plan;
use hopline::run::CollectiveOutcome;
use hopline::schedule::collective::{Keys, named};
use hopline::schedule::msccl;

/// The launcher's form of that name, if it is one.
pub(super) fn launcher(form: &str) -> Option<&'static Export> {
    EXPORTS.iter().find(|e| e.entry().name == form)
}

/// Whether a form is one of a library's decisions, if it is one at all.
fn decides(form: &str) -> bool {
    launcher(form).is_none() && form != MSCCL
}

/// The order of ranks for a launcher, or the algorithms for a library's decisions.
pub(crate) fn written(form: &str, plan: &Plan, keys: &Keys, outcome: &CollectiveOutcome) -> Result<String> {
    match launcher(form) {
        Some(launcher) => launcher.write(&outcome.ordered.placement(&plan.network.fabric, &plan.slots)),
        None if form == MSCCL => program(plan, keys, outcome),
        None => tuning::write(form, &outcome.decisions(form, keys)?),
    }
}

/// What `--export` names, FORM=FILE each: forms with their files. A misspelt one fails before the work.
pub(super) fn asked(words: &[String]) -> Result<Vec<(&str, &str)>> {
    let place = Place::new("--export", 0);
    words
        .iter()
        .map(|word| {
            let (form, path) = word.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or_else(|| {
                Error::input(format!("`{word}` names no file")).at(&place).hint("such as openmpi=rules.conf")
            })?;
            if decides(form) {
                tuning::check_form(form).map_err(|e| e.at(&place))?;
            }
            Ok((form, path))
        })
        .collect()
}

/// Fails before the work where a library's decisions would rest on a model without latency.
pub(super) fn check_latency(asked: &[(&str, &str)], given: &str) -> Result<()> {
    asked
        .iter()
        .filter(|(form, _)| decides(form))
        .try_for_each(|(form, _)| tuning::check_latency(form, given).map_err(|e| e.at(&Place::new("--export", 0))))
}

/// Writes files of these forms; `written` answers the text of a form and what it is.
pub(super) fn save(asked: &[(&str, &str)], written: impl Fn(&str) -> Result<(String, String)>) -> Result<()> {
    let (mut files, mut said) = (Vec::new(), Vec::new());
    for (form, path) in asked {
        let (text, what) = written(form)?;
        files.push((*path, text));
        said.push(format!("wrote {path}{what}"));
    }
    output::save(&files)?;
    said.iter().for_each(|line| output::say(line));
    Ok(())
}

/// The form of programs for RCCL.
pub(super) const MSCCL: &str = "msccl";

/// The fastest algorithm of the largest size in the default order, as a program for RCCL.
fn program(plan: &Plan, keys: &Keys, outcome: &CollectiveOutcome) -> Result<String> {
    let size = outcome.largest().ok_or_else(|| Error::input("no size was looked at"))?;
    let keys = Keys { bytes: size.bytes, ..*keys };
    msccl::write(&named(&size.best_default.algorithm)?, &keys, plan.demand.tasks())
}
