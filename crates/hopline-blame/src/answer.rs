//! The verdict: what explains the numbers, whom it may be taken for, and what has been shown to be good.

mod checked;
mod dead;
mod ratios;
mod rounds;
mod sentence;
mod suspects;

use crate::evidence::{Alternative, Evidence, Fault, Gain, State, candidates};
use crate::flows::{Flows, gather};
use crate::measured::{Batch, Quantity, Sample, name_ranks};
use crate::names::Names;
use crate::outcome::{BlameOutcome, Suspect, Verdict};
use crate::plan::splitting;
use crate::readers::{SAMPLE, Source, read};
use crate::routes::Assumed;
use crate::siblings::slower_than_siblings;
use crate::snapshots::errors;
use crate::thin::{LONG, Thinning};
use checked::{check, exposed, shows};
use dead::dead;
use hopline::error::{Error, Place, Result};
use hopline::fabric::Fabric;
use hopline::files::check_room;
use hopline::plan::Network;
use ratios::ratios;
use rounds::ran_apart;
use sentence::{Beside, sentence};
use std::cell::Cell;
use suspects::{Diagnosis, close, describe};

/// A number that lies so many deviations off is no noise.
const NO_NOISE: f64 = 4.5;
/// The same where other numbers of the part are missing, which would have told.
const NO_NOISE_ALONE: f64 = 3.5;
/// From fewer numbers nobody can tell what is usual.
const LEAST: usize = 3;
/// What a part must gain that a single number makes a suspect, and how little of its rate it may have left.
const SELDOM: f64 = 5.0;
const FAR: f64 = 0.9;

/// Names the slow parts of a network from the texts of files (path, content).
///
/// # Errors
/// A file is of no known format or damaged, or nothing was measured on this fabric.
pub fn blame(network: &Network, files: &[(String, String)]) -> Result<BlameOutcome> {
    let names = Names::new(network);
    let mut batches = Vec::new();
    for (path, text) in files {
        batches.push(batch(network, &names, path, text)?);
    }
    name_ranks(&mut batches)?;
    if batches.iter().all(|b| b.samples.iter().all(|s| s.value.is_none())) {
        let place = Place::new(files.first().map_or("--measured", |(path, _)| path.as_str()), 0);
        return Err(Error::input("no measured rate or latency")
            .at(&place)
            .hint("give also what the benchmark printed"));
    }
    let fabric = &network.fabric;
    let mut answers = Vec::new();
    for latency in [false, true] {
        if batches
            .iter()
            .any(|b| b.samples.iter().any(|s| (s.kind == Quantity::Latency) == latency && s.value.is_some()))
        {
            answers.push(by_lids(network, &names, &batches, latency)?);
        }
    }
    let rank = |o: &BlameOutcome| KINDS.iter().position(|k| *k == o.verdict.kind).unwrap_or(KINDS.len());
    answers.sort_by_key(rank);
    let mut answers = answers.into_iter();
    let Some(mut first) = answers.next() else { return Err(Error::input("nothing was measured")) };
    first.notes.splice(0..0, batches.iter().flat_map(|b| b.notes.clone()));
    if answers.next().is_some() {
        first.notes.push("rates and latencies were looked at on their own; this is the stronger answer".to_string());
    }
    first.notes.extend(slower_than_siblings(fabric));
    Ok(first)
}

/// All numbers of a file, or of a very long one as many as are needed.
fn batch(network: &Network, names: &Names, path: &str, text: &str) -> Result<Batch> {
    let known = |word: &str| names.host(word).is_some();
    let (numbers, whole) = (Cell::new(0), Cell::new(text.len() <= LONG));
    if whole.get() {
        let keep = |_: &Sample| {
            numbers.set(numbers.get() + 1);
            whole.set(whole.get() && check_room(path, text.len(), numbers.get(), SAMPLE).is_ok());
            whole.get()
        };
        let batch = read(&Source { path, text, known: &known, keep: &keep })?;
        if whole.get() {
            return Ok(batch);
        }
    }
    let thinning = Thinning::new(network, names, path, text)?;
    let mut batch = read(&Source { path, text, known: &known, keep: &|sample| thinning.keeps(sample) })?;
    batch.notes.extend(thinning.note(path));
    batch.unknown = thinning.unknown();
    Ok(batch)
}

const KINDS: [&str; 5] = ["blame", "ambiguous", "suspect", "nothing", "undetectable"];

/// So much likelier one is than the other, in natural logarithms, that the other is not thought of.
const LIKELIER: f64 = 6.0;

/// The answer of all rates, or of all latencies, by the LIDs of ports that were most likely used. Where that makes a difference and
/// nothing tells which, nobody is blamed for certain.
fn by_lids(network: &Network, names: &Names, batches: &[Batch], latency: bool) -> Result<BlameOutcome> {
    let all = |assumed: Assumed| gather(network, names, batches, (latency, assumed));
    let first = all(Assumed::First)?;
    if !first.was_assumed {
        return Ok(one_metric(network, names, batches, (first, false))?.0);
    }
    let (answer, fit) = one_metric(network, names, batches, (first, false))?;
    let (other, other_fit) = one_metric(network, names, batches, (all(Assumed::All)?, false))?;
    let blamed = |o: &BlameOutcome| -> Vec<String> { o.suspects.iter().map(|s| s.name.clone()).collect() };
    let (mut answer, which) = match fit - other_fit {
        more if more > LIKELIER => (answer, "that each used its first fits best"),
        more if more < -LIKELIER => (other, "a spread over all fits best"),
        _ if blamed(&answer) == blamed(&other) => (answer, "which makes no difference here"),
        _ => {
            (one_metric(network, names, batches, (all(Assumed::First)?, true))?.0, "and both fit as well as each other")
        }
    };
    answer.notes.push(format!(
        "hosts have several LIDs, and no number says which were used; {which}: --routing table:lid=base (the first) or table:lid=spread \
         (all) tells it"
    ));
    Ok(answer)
}

/// The answer of all rates, or of all latencies, where nobody is certain of what is in doubt, and how well it fits.
fn one_metric(
    network: &Network,
    names: &Names,
    batches: &[Batch],
    (mut flows, in_doubt): (Flows, bool),
) -> Result<(BlameOutcome, f64)> {
    let fabric = &network.fabric;
    let mut crossed = vec![false; fabric.links()];
    (0..flows.flows.len() as u32).for_each(|f| flows.way(f).iter().for_each(|(l, _)| crossed[*l as usize] = true));
    let (errors, age) = errors(batches);
    flows.notes.extend(age);
    let candidates = candidates(fabric, (&crossed, flows.latency()), names, &errors);
    let without = rounds::without(&flows);
    if ran_apart(&flows) {
        flows.apart();
        flows.notes.push(
            "the rates are those of pairs that ran one after the other, not together as the rounds say".to_string(),
        );
    }
    let evidence = Evidence::new(&flows, &candidates);
    let mut faults = diagnoses(&evidence, fabric);
    let incomplete = rounds::incomplete(&flows, |f| evidence.nominal_rate(f));
    let chosen: Vec<Fault> = faults.iter().map(|fault| fault.fault.clone()).collect();
    let state = evidence.state(&chosen);
    let uneven = rounds::uneven(state.model.sharing);
    let in_doubt = in_doubt || !incomplete.is_empty() || uneven.is_some();
    faults.iter_mut().for_each(|fault| fault.by_chance |= in_doubt);
    let fit = evidence.fit(&state, &chosen);
    let mut suspects = Vec::new();
    for (fault, at) in faults.iter().zip(1..) {
        suspects.extend(describe(&evidence, fabric, fault, at));
    }
    let exposed = exposed(&evidence, &state);
    let mut kind = match &faults[..] {
        [] => "nothing",
        all if all.iter().all(|fault| fault.by_chance) => "suspect",
        all if all.iter().all(|fault| fault.close.len() > 1 || fault.by_chance) => "ambiguous",
        _ => "blame",
    };
    if let Some(slow) = seldom(&evidence, fabric, &state, &faults) {
        if faults.is_empty() {
            kind = "suspect";
        }
        suspects.extend(describe(&evidence, fabric, &slow, faults.len() as u32 + 1));
    } else if faults.is_empty() && (flows.rows.len() < LEAST || !shows(&exposed)) {
        kind = "undetectable";
    }
    let mut notes = flows.notes.clone();
    for (dead, pairs) in dead(&evidence, fabric, &chosen) {
        if faults.is_empty() {
            kind = "suspect";
        }
        let name = candidates[dead.fault.candidate].named(fabric).name;
        notes.push(format!("of {pairs} flows across {name} none has a result: is it dead?"));
        let fault = suspects.last().map_or(1, |(s, _)| s.fault + 1);
        suspects.extend(describe(&evidence, fabric, &dead, fault));
    }
    let latency = evidence.latency;
    let usual = state.model.efficiency;
    let unknown_rounds = !latency && rounds::shared(&flows, without, usual);
    if unknown_rounds {
        kind = "undetectable";
        suspects.clear();
    }
    let suspected = suspects.iter().flat_map(|(_, links)| links.iter().copied()).collect();
    let checked = check(&evidence, fabric, &state, (&crossed, &exposed), &suspected);
    let mut sets = unclear(&suspects);
    let mut in_doubt = suspects.iter().any(|(s, _)| !s.certain);
    if !unknown_rounds && !matches!(kind, "ambiguous" | "suspect") {
        let doubtful = evidence.doubtful(&state);
        in_doubt |= !doubtful.is_empty();
        sets.extend(doubtful);
    }
    let next = splitting(network, &flows, sets, in_doubt)?;
    let suspects: Vec<Suspect> = suspects.into_iter().map(|(s, _)| s).collect();
    let incomplete_rounds = !incomplete.is_empty();
    let is_uneven = uneven.is_some();
    let beside =
        Beside { checked: &checked, latency, next: &next, unknown_rounds, incomplete_rounds, uneven: is_uneven };
    let sentence = sentence(kind, &suspects, &beside);
    notes.extend(incomplete);
    notes.extend(uneven);
    if !latency {
        notes.extend(rounds::notes(&flows, without, usual));
    }
    let verdict = Verdict { kind: kind.to_string(), sentence };
    let matrix = ratios(&evidence, fabric);
    let measured = batches.iter().map(|b| b.path.clone()).collect();
    let (fabric, next) = (fabric.name().to_string(), next.rounds);
    Ok((BlameOutcome { fabric, measured, verdict, suspects, checked, matrix, next, notes }, fit))
}

/// Links of suspects that are not told from others, or from chance.
fn unclear(suspects: &[(Suspect, Vec<u32>)]) -> Vec<Vec<u32>> {
    let alone = |s: &Suspect| suspects.iter().filter(|(other, _)| other.fault == s.fault).count() == 1;
    let unclear = suspects.iter().filter(|(s, _)| !s.certain || !alone(s));
    unclear.map(|(_, links)| links.clone()).collect()
}

/// The faults with whom each may be taken for: those that are certain first, and of these the gravest.
fn diagnoses(evidence: &Evidence<'_>, fabric: &Fabric) -> Vec<Diagnosis> {
    let faults = evidence.faults();
    let diagnosis = |(at, fault): (usize, &Fault)| {
        let others: Vec<Fault> = faults.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, f)| f.clone()).collect();
        let state = evidence.state(&others);
        let all = evidence.alternatives(&state);
        let close = close(evidence, fabric, &all, fault.candidate, &others);
        let by_chance = all.iter().any(|a| a.candidate == fault.candidate && evidence.may_be_chance(&state, a));
        Diagnosis { fault: fault.clone(), state, all, close, by_chance }
    };
    let mut diagnoses: Vec<Diagnosis> = faults.iter().enumerate().map(diagnosis).collect();
    let gravity = |one: &Diagnosis| if evidence.latency { -one.fault.amount } else { one.fault.amount };
    diagnoses.sort_by(|a, b| a.by_chance.cmp(&b.by_chance).then(gravity(a).total_cmp(&gravity(b))));
    diagnoses
}

/// A pair that is far too slow, whose links were crossed too seldom to find out more.
fn seldom(evidence: &Evidence<'_>, fabric: &Fabric, state: &State, faults: &[Diagnosis]) -> Option<Diagnosis> {
    let slow = |row: usize, least: f64| evidence.slowness(state, row) > least;
    if !(0..evidence.flows.rows.len()).any(|row| slow(row, NO_NOISE_ALONE)) {
        return None;
    }
    let known: Vec<Fault> = faults.iter().map(|fault| fault.fault.clone()).collect();
    let all = evidence.alternatives(state);
    // A stray whose links others have cleared makes nobody a suspect.
    let far = |gain: &Gain| gain.nats > SELDOM && (evidence.latency || gain.amount <= FAR);
    let is_slow = |c: usize| {
        let links = &evidence.candidates[c].links;
        let mut own = links.iter().flat_map(|l| evidence.on(*l));
        let lacks = own.any(|(flow, _)| evidence.flows.flows[*flow as usize].row.is_none());
        let least = if lacks { NO_NOISE_ALONE } else { NO_NOISE };
        links.iter().flat_map(|l| evidence.rows_on(*l)).any(|row| slow(row as usize, least))
    };
    let &Alternative { candidate, gain, .. } = all.iter().find(|a| far(&a.gain) && is_slow(a.candidate))?;
    let close = close(evidence, fabric, &all, candidate, &known);
    Some(Diagnosis {
        fault: Fault { candidate, amount: gain.amount },
        state: evidence.state(&known),
        all,
        close,
        by_chance: true,
    })
}
