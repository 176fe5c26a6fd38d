//! Whether a program does what it says.

use super::finding::{Fault, Finding};
use super::layout::{Coll, Layout};
use super::run::{Wiring, order, room};
use super::{Program, clocks, content, form, rccl};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// What can be said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Verdict {
    /// `right`, `malformed`, `deadlock`, `race`, `wrong` or `limits`: the first of these that was found; `ends` where nothing
    /// was found and the result of its collective is not known.
    pub kind: String,
    /// The same in a sentence.
    pub sentence: String,
}

/// A program and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct MscclOutcome {
    /// Its file.
    pub file: String,
    /// Its name.
    pub name: String,
    /// What it does.
    pub collective: String,
    /// `Simple`, `LL` or `LL128`.
    pub protocol: String,
    /// What can be said.
    pub verdict: Verdict,
    /// What is wrong, gravest first; empty where nothing is.
    pub findings: Vec<Finding>,
    /// The rank that spreads or collects; 0 for collectives without one.
    pub root: u32,
    /// GPUs.
    pub gpus: u32,
    /// Chunks of the whole buffer.
    pub chunks: u32,
    /// Blocks of a GPU, most.
    pub blocks: u32,
    /// Steps of a block, most.
    pub steps: u32,
    /// Messages of all GPUs.
    pub messages: u64,
    /// What was assumed, or may matter.
    pub notes: Vec<String>,
}

impl MscclOutcome {
    /// Whether nothing is wrong.
    pub fn is_right(&self) -> bool {
        self.findings.is_empty()
    }
}

/// Findings told, most.
const SHOWN: usize = 20;

/// Reads and checks a file: its form, whether it ends, whether steps race, and what every GPU has in the end, with input and
/// output in one place and in two, as it says. See the functions behind it for what they cost; seconds for tens of thousands of
/// steps.
pub fn check(path: &str, text: &str) -> MscclOutcome {
    match super::read(path, text) {
        Ok(program) => {
            let mut outcome = of_program(path, &program);
            let refused = rccl::refusals(text, &program);
            if !refused.is_empty() {
                outcome.notes.push(format!("RCCL's own reader does not take {}", refused.join(", ")));
            }
            outcome
        }
        Err(e) => {
            let line = e.place().map_or(0, |place| place.line);
            let hint = e.advice().map_or(String::new(), |hint| format!(" ({hint})"));
            let finding = Finding::new(Fault::Malformed, line, "", format!("{}{hint}", e.message()));
            outcome(path, None, vec![finding], Vec::new())
        }
    }
}

/// Checks a program; `path` is only told.
pub(super) fn of_program(path: &str, program: &Program) -> MscclOutcome {
    let mut findings = form::faults(program);
    let (mut notes, mut root) = (Vec::new(), 0);
    // Too many blocks and steps do not keep it from being followed.
    let followed = |found: &Finding| found.fault == Fault::Limits;
    if findings.iter().all(followed) && !form::has_large_steps(program) {
        let wiring = Wiring::new(program);
        match order(program, &wiring, usize::MAX) {
            Err(deadlock) => findings.push(deadlock),
            Ok(in_order) => {
                let room = room(&program.protocol);
                if let Err(stuck) = order(program, &wiring, room) {
                    notes.push(format!(
                        "it needs connections with room for more than {room} messages of a step each: {} {}",
                        stuck.place, stuck.text
                    ));
                }
                for is_in_place in modes(program) {
                    let layout = content::rooted(program, &wiring, &in_order, Layout::new(program, is_in_place));
                    root = layout.root;
                    let races = clocks::races(program, &wiring, &in_order, &layout);
                    let wrong = content::faults(program, &wiring, &in_order, layout);
                    findings.extend(races.into_iter().chain(wrong).map(|found| told(found, program, is_in_place)));
                }
            }
        }
    }
    if Coll::named(&program.coll).is_none() {
        notes.push(format!("the result of a `{}` is not known, so that what GPUs get is not looked at", program.coll));
    }
    let (least, most) = program.bytes;
    if most > 0 && least > most {
        notes.push(format!("it is never chosen: minBytes {least} is more than maxBytes {most}"));
    }
    if !program.in_place && !program.out_of_place {
        notes.push("neither in place nor out of place: taken for out of place".into());
    }
    MscclOutcome { root, ..outcome(path, Some(program), findings, notes) }
}

/// In place or not, as the program may be run.
fn modes(program: &Program) -> Vec<bool> {
    let both = [(true, program.in_place), (false, program.out_of_place || !program.in_place)];
    both.into_iter().filter(|(_, may)| *may).map(|(mode, _)| mode).collect()
}

/// Says in which of two modes, where there are two.
fn told(found: Finding, program: &Program, is_in_place: bool) -> Finding {
    match modes(program).len() {
        1 => found,
        _ => {
            let mode = if is_in_place { "in place" } else { "out of place" };
            Finding { text: format!("{mode}: {}", found.text), ..found }
        }
    }
}

fn outcome(path: &str, program: Option<&Program>, mut findings: Vec<Finding>, mut notes: Vec<String>) -> MscclOutcome {
    findings.sort_by_key(|found| found.fault);
    let all = findings.len();
    findings.truncate(SHOWN);
    if all > SHOWN {
        notes.push(format!("{} more findings are not shown", all - SHOWN));
    }
    let blocks = || program.into_iter().flat_map(|program| &program.gpus).flat_map(|gpu| &gpu.blocks);
    let coll = program.map(|program| program.coll.as_str()).unwrap_or_default();
    let collective = Coll::named(coll).map_or(coll, |known| known.name()).to_string();
    MscclOutcome {
        file: path.to_string(),
        name: program.map_or(String::new(), |program| program.name.clone()),
        verdict: verdict(path, program, &collective, &findings),
        collective,
        protocol: program.map_or(String::new(), |program| program.protocol.clone()),
        findings,
        root: 0,
        gpus: program.map_or(0, |program| program.gpus.len() as u32),
        chunks: program.map_or(0, |program| program.chunks),
        blocks: program.and_then(|program| program.gpus.iter().map(|gpu| gpu.blocks.len() as u32).max()).unwrap_or(0),
        steps: blocks().map(|block| block.steps.len() as u32).max().unwrap_or(0),
        messages: blocks().flat_map(|block| &block.steps).filter(|step| step.kind.sends()).count() as u64,
        notes,
    }
}

fn verdict(path: &str, program: Option<&Program>, collective: &str, findings: &[Finding]) -> Verdict {
    let gpus = program.map_or(0, |program| program.gpus.len());
    let Some(first) = findings.first() else {
        let (kind, text) = match Coll::named(collective) {
            Some(_) => ("right", "every GPU gets what it must, whatever the timing"),
            None => ("ends", "it ends, and no steps race; what it must bring is not known"),
        };
        return Verdict { kind: kind.into(), sentence: format!("{collective} of {gpus} GPUs: {text}") };
    };
    let (kind, text) = match first.fault {
        Fault::Malformed => ("malformed", "This program cannot run"),
        Fault::Deadlock => ("deadlock", "It hangs"),
        Fault::Race => ("race", "What it brings depends on timing"),
        Fault::Wrong => ("wrong", "Some GPU does not get what it must"),
        Fault::Limits => ("limits", "It is larger than what runs it takes"),
    };
    let place = match (first.place.as_str(), first.line) {
        ("", 0) => String::new(),
        ("", line) => format!("{path}:{line}: "),
        (place, 0) => format!("{place} "),
        (place, line) => format!("{place} (line {line}) "),
    };
    Verdict { kind: kind.into(), sentence: format!("{text}: {place}{}", first.text) }
}
