//! The verdict: what explains the numbers, whom it may be taken for, and what has been shown to be good.

use crate::evidence::{Alternative, Candidate, Evidence, Fault, Gain, Part, State, candidates};
use crate::flows::{Flows, gather};
use crate::measured::{Batch, Kind};
use crate::model::combined;
use crate::names::Names;
use crate::outcome::{BlameOutcome, Checked, LinkEnds, SlowPair, Suspect, Verdict};
use crate::plan::splitting;
use crate::readers::{Source, read};
use hopline::error::{Error, Place, Result};
use hopline::fabric::Fabric;
use hopline::id::LinkId;
use hopline::plan::Network;

/// Candidates this close to the best one (natural logarithm) are told beside it.
const CLOSE: f64 = 2.9;
/// A number that lies so many deviations off is no noise.
const NO_NOISE: f64 = 4.5;
/// Pairs that are shown as evidence.
const SHOWN: usize = 5;
/// The rate left at which a fault should be seen where one says that there is none.
const SEEN: f64 = 0.7;

/// Names the slow parts of a network from the texts of files (path, content).
///
/// # Errors
/// A file is of no known format or damaged, or nothing was measured on this fabric.
pub fn blame(network: &Network, files: &[(String, String)]) -> Result<BlameOutcome> {
    let names = Names::new(network);
    let known = |word: &str| names.host(word).is_some();
    let mut batches = Vec::new();
    for (path, text) in files {
        batches.push(read(&Source { path, text, known: &known })?);
    }
    if batches.iter().all(|b| b.samples.iter().all(|s| s.value.is_none())) {
        let place = Place::new(files.first().map_or("--measured", |(path, _)| path.as_str()), 0);
        return Err(Error::input("no measured rate or latency")
            .at(&place)
            .hint("give also what the benchmark printed"));
    }
    let fabric = &network.fabric;
    let mut answers = Vec::new();
    for latency in [false, true] {
        if batches.iter().any(|b| b.samples.iter().any(|s| (s.kind == Kind::Latency) == latency && s.value.is_some())) {
            let flows = gather(network, &names, &batches, latency)?;
            answers.push(one_metric(network, &names, &batches, flows)?);
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
    first.notes.extend(odd_cables(fabric));
    Ok(first)
}

const KINDS: [&str; 5] = ["blame", "ambiguous", "suspect", "nothing", "undetectable"];

/// Parallel cables of different speed: those may have come up with fewer lanes, and no measurement shows it.
fn odd_cables(fabric: &Fabric) -> Vec<String> {
    let mut odd = Vec::new();
    for l in fabric.link_ids().filter(|&l| l < fabric.reverse(l) && !fabric.is_host_link(l)) {
        let beside = fabric.out_links(fabric.source(l)).filter(|&o| fabric.target(o) == fabric.target(l));
        if beside.filter_map(|o| fabric.class_of(o).bandwidth).max() > fabric.class_of(l).bandwidth {
            odd.push(fabric.cable_name(l));
        }
    }
    match odd.len() {
        0 => Vec::new(),
        n => vec![format!(
            "cables slower than those beside them, already in the fabric as it was read: {n} ({}, ...)",
            odd[0]
        )],
    }
}

/// The answer of all rates, or of all latencies.
fn one_metric(network: &Network, names: &Names, batches: &[Batch], mut flows: Flows) -> Result<BlameOutcome> {
    let fabric = &network.fabric;
    let mut crossed = vec![false; fabric.links()];
    (0..flows.flows.len() as u32).for_each(|f| flows.way(f).iter().for_each(|(l, _)| crossed[*l as usize] = true));
    let errors: Vec<_> = batches.iter().flat_map(|b| &b.errors).collect();
    let candidates = candidates(fabric, &crossed, names, &errors);
    if ran_apart(&flows) {
        flows.apart();
        flows.notes.push(
            "the rates are those of pairs that ran one after the other, not together as the rounds say".to_string(),
        );
    }
    let evidence = Evidence::new(&flows, &candidates);
    let faults = evidence.faults();
    let state = evidence.state(&faults);
    let mut suspects = Vec::new();
    let mut sure = 0;
    for (at, fault) in faults.iter().enumerate() {
        let others: Vec<Fault> = faults.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, f)| f.clone()).collect();
        let without = evidence.state(&others);
        let all = evidence.alternatives(&without);
        let close = close(&evidence, fabric, &all, Some(fault.candidate), &others);
        sure += u32::from(close.len() == 1);
        suspects.extend(describe(&evidence, fabric, &without, &all, &close, at as u32 + 1));
    }
    let exposed = exposed(&evidence, &state);
    let mut checked = check(&evidence, &state, &exposed);
    checked.links_crossed = crossed.iter().filter(|c| **c).count() as u32;
    checked.links_not_shown = checked.links_crossed.saturating_sub(checked.links_at_full_rate);
    let mut kind = match (faults.len(), sure) {
        (0, _) => "nothing",
        (_, 0) => "ambiguous",
        _ => "blame",
    };
    if faults.is_empty() {
        let off = (0..flows.rows.len()).any(|row| evidence.slowness(&state, row) > NO_NOISE);
        let all = if off { evidence.alternatives(&state) } else { Vec::new() };
        let close = close(&evidence, fabric, &all, None, &[]);
        // A stray whose links others have cleared makes nobody a suspect.
        let on_it = |c: usize| {
            let mut rows = candidates[c].links.iter().flat_map(|l| evidence.rows_on(*l));
            rows.any(|row| evidence.slowness(&state, row as usize) > NO_NOISE)
        };
        if close.first().is_some_and(|c| c.1.nats > 5.0 && on_it(c.0)) {
            kind = "suspect";
            suspects = describe(&evidence, fabric, &state, &all, &close, 1);
        } else if !shows(&exposed) {
            kind = "undetectable";
        }
    }
    let sets: Vec<Vec<u32>> = suspects.iter().map(|s: &(Suspect, usize)| candidates[s.1].links.clone()).collect();
    let next = if matches!(kind, "ambiguous" | "suspect") { splitting(network, &flows, &sets)? } else { Vec::new() };
    let suspects: Vec<Suspect> = suspects.into_iter().map(|(s, _)| s).collect();
    let sentence = sentence(kind, &suspects, &checked);
    let notes = flows.notes.clone();
    let verdict = Verdict { kind: kind.to_string(), sentence };
    Ok(BlameOutcome { fabric: fabric.name().to_string(), verdict, suspects, checked, next, notes })
}

/// Whether numbers fit pairs that ran alone much better than the rounds that they are said to be of.
fn ran_apart(flows: &Flows) -> bool {
    if flows.rounds.is_empty() {
        return false;
    }
    let filling = &mut crate::share::Filling::new(flows.links());
    let together = flows.rates(&vec![1.0; flows.links()], filling);
    let alone: Vec<f64> =
        (0..flows.flows.len() as u32).map(|f| crate::share::alone(flows.way(f), |l| flows.capacity(l))).collect();
    let spread = |rates: &[f64]| {
        let mut y: Vec<f64> = flows.rows.iter().map(|r| (r.value / combined(r, |f| rates[f as usize])).ln()).collect();
        y.sort_by(f64::total_cmp);
        let at = |part: f64| y.get((part * y.len() as f64) as usize).copied().unwrap_or(0.0);
        at(0.8) - at(0.2)
    };
    let (a, b) = (spread(&together), spread(&alone));
    b < 0.5 * a
}

/// Of all candidates those within reach of the best, one for each piece of hardware; `chosen` stands first.
fn close(
    evidence: &Evidence<'_>,
    fabric: &Fabric,
    all: &[Alternative],
    chosen: Option<usize>,
    others: &[Fault],
) -> Vec<(usize, Gain)> {
    let candidates = evidence.candidates;
    let Some(best) = all.iter().find(|a| chosen.is_none_or(|c| c == a.1)).copied() else { return Vec::new() };
    let mut kept: Vec<(usize, Gain)> = vec![(best.1, best.2)];
    for &(worth, c, gain) in all.iter().filter(|a| a.0 >= best.0 - CLOSE) {
        let one = |k: usize| candidates[c].is_one_with(&candidates[k], fabric);
        let wider = candidates[c].contains(&candidates[best.1]) || candidates[best.1].contains(&candidates[c]);
        let known = others.iter().any(|f| one(f.candidate));
        let switch = matches!(candidates[c].part, Part::Switch(_));
        let behind = switch && worth < best.0 - 1.3;
        let again = kept.iter().any(|(k, _)| one(*k));
        if worth.is_finite() && !again && !known && !wider && !behind {
            kept.push((c, gain));
        }
    }
    kept
}

/// The suspects of one fault, with their candidates.
fn describe(
    evidence: &Evidence<'_>,
    fabric: &Fabric,
    state: &State,
    all: &[Alternative],
    close: &[(usize, Gain)],
    fault: u32,
) -> Vec<(Suspect, usize)> {
    let worth = |(c, gain): &(usize, Gain)| gain.nats + evidence.candidates[*c].prior;
    let best = close.iter().map(worth).fold(f64::NEG_INFINITY, f64::max);
    // Nothing at all is an explanation, too.
    let total: f64 = close.iter().map(|c| (worth(c) - best).exp()).sum::<f64>() + (-best.max(0.0)).exp();
    let names = |c: usize| evidence.candidates[c].named(fabric);
    let mut suspects = Vec::new();
    for entry @ &(c, gain) in close {
        let candidate = &evidence.candidates[c];
        let (kind, name, mut direction) = names(c);
        // Directions that no number tells apart, as where both are added up.
        let mut links = candidate.links.clone();
        for (.., other, _) in all.iter().filter(|other| other.0 > worth(entry) - 0.5) {
            let other = &evidence.candidates[*other];
            if other.is_one_with(candidate, fabric) {
                links.extend(&other.links);
            }
        }
        links.sort_unstable();
        links.dedup();
        if links.len() > candidate.links.len() {
            direction = "either";
        }
        let mut same_as: Vec<String> = close.iter().filter(|(o, _)| *o != c).map(|(o, _)| names(*o).1).collect();
        if kind == "host" {
            let cables = links.iter().map(|l| fabric.link_name(LinkId(*l)));
            same_as.extend(cables);
        }
        let (slow, good) = crossing(evidence, fabric, state, candidate);
        suspects.push((
            Suspect {
                kind: kind.to_string(),
                name,
                rate: (!evidence.latency).then(|| round(gain.amount)),
                extra_us: evidence.latency.then(|| round(gain.amount)),
                confidence: round((worth(entry) - best).exp() / total),
                same_as,
                links: links.iter().map(|l| ends(fabric, LinkId(*l))).collect(),
                direction: direction.to_string(),
                fault,
                slow,
                cleared_others_by: good,
                errors: candidate.errors.clone(),
            },
            c,
        ));
    }
    suspects
}

fn round(x: f64) -> f64 {
    (x * 1000.0).round() / 1000.0
}

fn ends(fabric: &Fabric, link: LinkId) -> LinkEnds {
    let (a, b) = (fabric.source(link), fabric.target(link));
    LinkEnds {
        from: fabric.vertex_name(a).to_string(),
        from_guid: fabric.guid(a).map(|g| g.to_string()),
        from_port: fabric.port(link),
        to: fabric.vertex_name(b).to_string(),
        to_guid: fabric.guid(b).map(|g| g.to_string()),
        to_port: fabric.port(fabric.reverse(link)),
    }
}

/// The slowest pairs across a candidate, and how many good numbers cross a link of those pairs that is not its own.
fn crossing(evidence: &Evidence<'_>, fabric: &Fabric, state: &State, candidate: &Candidate) -> (Vec<SlowPair>, u32) {
    let mut rows: Vec<u32> = candidate.links.iter().flat_map(|l| evidence.rows_on(*l)).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.retain(|r| evidence.slowness(state, *r as usize) > 2.0);
    let mut beside: Vec<u32> = Vec::new();
    for &row in rows.iter().take(200) {
        for flow in evidence.flows.rows[row as usize].flows.clone() {
            for (l, _) in evidence.flows.way(flow).iter().filter(|(l, _)| !candidate.links.contains(l)) {
                beside.extend(
                    evidence.on(*l).iter().take(500).filter_map(|(f, _)| evidence.flows.flows[*f as usize].row),
                );
            }
        }
    }
    beside.sort_unstable();
    beside.dedup();
    let good = beside.iter().filter(|r| evidence.slowness(state, **r as usize) < 1.5).count() as u32;
    rows.sort_by(|a, b| evidence.slowness(state, *b as usize).total_cmp(&evidence.slowness(state, *a as usize)));
    let pair = |&row: &u32| {
        let r = &evidence.flows.rows[row as usize];
        let flow = &evidence.flows.flows[r.flows.start as usize];
        let rest = state.model.rest[row as usize];
        let usual = if evidence.latency { r.value / (1.0 + rest) } else { r.value / rest.exp() };
        let name = |v| fabric.vertex_name(v).to_string();
        SlowPair { from: name(flow.source), to: name(flow.target), measured: round(r.value), usual: round(usual) }
    };
    (rows.iter().take(SHOWN).map(pair).collect(), good)
}

/// For every link that a number depends on: how much evidence (natural logarithm) a fault of it would have left.
fn exposed(evidence: &Evidence<'_>, state: &State) -> Vec<(u32, f64)> {
    let mut found = Vec::new();
    for link in 0..evidence.flows.links() as u32 {
        let mut nats = 0.0;
        for group in evidence.together(link) {
            let load: f64 = group.iter().map(|(f, share)| evidence.nominal_rate(*f) * f64::from(*share)).sum();
            if !evidence.latency && load < 0.95 * evidence.flows.capacity(link) {
                continue;
            }
            for (f, share) in group {
                if let Some(row) = evidence.flows.flows[*f as usize].row {
                    let part = f64::from(*share) / evidence.flows.rows[row as usize].flows.len().max(1) as f64;
                    let z = SEEN.ln() * part.max(0.02) / state.model.sigma[row as usize];
                    nats += 0.5 * z * z;
                }
            }
        }
        if nats > 0.0 {
            found.push((link, nats));
        }
    }
    found
}

/// Whether a fault would be seen on most links that numbers depend on.
fn shows(exposed: &[(u32, f64)]) -> bool {
    let mut nats: Vec<f64> = exposed.iter().map(|(_, n)| *n).collect();
    nats.sort_by(f64::total_cmp);
    nats.get(nats.len() / 2).is_some_and(|middle| *middle > 9.2)
}

fn check(evidence: &Evidence<'_>, state: &State, exposed: &[(u32, f64)]) -> Checked {
    let good = |row: u32| evidence.slowness(state, row as usize) < 2.0;
    let full = exposed.iter().filter(|(link, _)| evidence.rows_on(*link).any(good));
    let mut sigma = state.model.sigma.clone();
    sigma.sort_by(f64::total_cmp);
    Checked {
        measurements: evidence.flows.rows.len() as u32,
        flows: evidence.flows.flows.len() as u32,
        links_at_full_rate: full.count() as u32,
        usual: round(state.model.efficiency),
        noise: round(sigma.get(sigma.len() / 2).copied().unwrap_or(0.0)),
        ..Checked::default()
    }
}

fn sentence(kind: &str, suspects: &[Suspect], checked: &Checked) -> String {
    let covered = format!(
        "{} links seen at full rate, {} crossed but not shown to have it",
        checked.links_at_full_rate, checked.links_not_shown
    );
    let left = |s: &Suspect| match (s.rate, s.extra_us) {
        (Some(rate), _) => format!("has {:.0} % of its rate", rate * 100.0),
        (_, extra) => format!("adds {:.2} us", extra.unwrap_or(0.0)),
    };
    let what = |s: &Suspect| match s.direction.as_str() {
        "send" => format!("host {} (what it sends)", s.name),
        "receive" => format!("host {} (what it receives)", s.name),
        _ => format!("{} {}", s.kind, s.name),
    };
    match (kind, suspects.first()) {
        ("blame", Some(_)) => {
            let mut faults: Vec<&Suspect> = Vec::new();
            suspects.iter().for_each(|s| {
                if faults.last().is_none_or(|f| f.fault != s.fault) {
                    faults.push(s)
                }
            });
            let told: Vec<String> = faults.iter().map(|s| format!("{} {}", what(s), left(s))).collect();
            told.join("; ")
        }
        ("ambiguous", Some(s)) => format!(
            "one of {} parts that these measurements cannot tell apart {}: {} first; the next round splits them",
            suspects.len(),
            left(s),
            what(s)
        ),
        ("suspect", Some(s)) => format!(
            "a pair is slow, too seldom measured to blame one part: {} or {} others; measure the next round",
            what(s),
            suspects.len() - 1
        ),
        ("undetectable", _) => format!(
            "too few numbers, or too much noise ({:.1} %), to see a part with {:.0} % of its rate; {covered}",
            checked.noise * 100.0,
            SEEN * 100.0
        ),
        _ => format!("nothing to blame: {covered}"),
    }
}
