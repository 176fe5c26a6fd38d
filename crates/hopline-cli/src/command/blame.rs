//! `hopline blame`, `blame plan`, `blame expect`.

mod export;
mod history;

use super::machine_of;
use crate::answer;
use crate::args::{BlameArgs, BlameCommand, BlameOptions, Common, PlanForm};
use crate::inputs::Disk;
use crate::output;
use hopline::error::{Error, Place, Result};
use hopline::files::{Files, join, read_text};
use hopline::format::{hostlist, launchable};
use hopline_blame::{Asked, PlanOptions, PlanOutcome};
use hopline_report as report;
use std::process::ExitCode;

pub(super) fn run(args: &BlameArgs, common: &Common) -> Result<ExitCode> {
    match &args.command {
        None => return blame(&args.options, common),
        Some(BlameCommand::Plan { machine, hosts, crossings, stop, rounds, answer: asked, export }) => {
            if !(0.0..=100.0).contains(stop) {
                return Err(Error::input(format!("{stop}: expected 0 to 100 percent")).at(&Place::new("--stop", 0)));
            }
            let beside = export.iter().filter(|(form, _)| *form == PlanForm::Superbench);
            beside.for_each(|(_, path)| output::guard("--export", &export::hosts_of(path)));
            let (scenario, network) = machine_of(machine, common, &Disk, "blame")?;
            let options = PlanOptions {
                hosts: hosts.as_deref().map(host_list).transpose()?.unwrap_or_default(),
                crossings: *crossings,
                stop: stop / 100.0,
                rounds: *rounds,
                seed: common.seed.unwrap_or(0),
            };
            let outcome = match asked {
                Some(path) => hopline_blame::follow_up(&network, path, &read_text(&Disk, path)?)?,
                None => hopline_blame::plan(&network, &options)?,
            };
            write(&outcome, &machine.given(), export)?;
            answer::outcome(common, Some(&scenario), &outcome, report::blame_plan)?;
        }
        Some(BlameCommand::Expect { machine, pairs, ring, alltoall, got }) => {
            let (scenario, network) = machine_of(machine, common, &Disk, "blame")?;
            let hosts = ring.as_ref().or(alltoall.as_ref()).map(|hosts| host_list(hosts)).transpose()?;
            let hosts = hosts.unwrap_or_default();
            let text = pairs.as_ref().map(|path| read_text(&Disk, path)).transpose()?.unwrap_or_default();
            let asked = match (pairs, ring) {
                (Some(path), _) => Asked::Pairs { path, text: &text },
                (_, Some(_)) => Asked::Ring(&hosts),
                _ => Asked::AllToAll(&hosts),
            };
            let mut outcome = hopline_blame::expected(&network, &asked)?;
            if let Some(got) = got {
                outcome = hopline_blame::judge(outcome, *got).map_err(|e| e.at(&Place::new("--got", 0)))?;
            }
            answer::outcome(common, Some(&scenario), &outcome, report::expect)?;
        }
        Some(BlameCommand::History { store }) => {
            answer::outcome(common, None, &history::read(store)?, report::blame_history)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Exit code 3 where something is blamed.
fn blame(options: &BlameOptions, common: &Common) -> Result<ExitCode> {
    let (scenario, network) = machine_of(&options.machine, common, &Disk, "blame")?;
    let (files, skipped) = measured(&options.measured)?;
    let mut outcome = hopline_blame::blame(&network, &files)?;
    outcome.notes.extend(skipped);
    if let Some(store) = &options.store {
        history::keep(store, &output::value(&common.asked, Some(&scenario), &outcome)?)?;
    }
    answer::outcome(common, Some(&scenario), &outcome, report::blame)?;
    let found = matches!(outcome.verdict.kind.as_str(), "blame" | "ambiguous");
    Ok(if found { ExitCode::from(3) } else { ExitCode::SUCCESS })
}

/// A file by its path, and its text.
type Measured = (String, String);

/// Texts of files; of a directory those that can be read as measurements, with a note on the others.
fn measured(paths: &[String]) -> Result<(Vec<Measured>, Vec<String>)> {
    let (mut files, mut skipped) = (Vec::new(), Vec::new());
    for path in paths {
        let Some(names) = Disk.list(path) else {
            files.push((path.clone(), read_text(&Disk, path)?));
            continue;
        };
        let before = files.len();
        for inner in names.iter().map(|name| join(path, name)).filter(|inner| Disk.list(inner).is_none()) {
            let text = read_text(&Disk, &inner)?;
            match hopline_blame::format_of(&text) {
                Some(_) => files.push((inner, text)),
                None => skipped.push(format!("{inner}: left out, not a measurement that is known")),
            }
        }
        if files.len() == before {
            let hint =
                "it takes what OSU, mpiGraph, perftest, nccl-tests, superbench, ClusterKit or iperf3 printed, and CSV";
            return Err(Error::input("no measurement in this directory").at(&Place::new(path, 0)).hint(hint));
        }
    }
    Ok((files, skipped))
}

/// `n[01-16]`, or the first words of a file's lines.
fn host_list(text: &str) -> Result<Vec<String>> {
    if !std::path::Path::new(text).is_file() {
        return hostlist::expand(text);
    }
    let lines = read_text(&Disk, text)?;
    let first = |line: &str| {
        line.split([' ', ':', '\t']).next().filter(|w| !w.is_empty() && !w.starts_with('#')).map(String::from)
    };
    Ok(lines.lines().filter_map(|line| first(line.trim())).collect())
}

/// Files for tools, all or none.
fn write(plan: &PlanOutcome, machine: &str, forms: &[(PlanForm, String)]) -> Result<()> {
    if !forms.is_empty() {
        launchable(plan.hosts.iter().map(String::as_str)).map_err(|e| e.at(&Place::new("--export", 0)))?;
    }
    let files: Vec<(String, String)> =
        forms.iter().flat_map(|(form, path)| export::files(plan, machine, *form, path)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    output::save(&files)?;
    files.iter().for_each(|(path, _)| output::say(&format!("wrote {path}")));
    Ok(())
}
