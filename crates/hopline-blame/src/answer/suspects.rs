//! Whom a fault may be taken for, with what speaks for it.

use crate::evidence::{Alternative, Candidate, Evidence, Fault, Gain, Named, State};
use crate::outcome::{GoodPair, LinkEnds, SlowPair, Suspect};
use hopline::fabric::Fabric;
use hopline::id::LinkId;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Candidates this close to the best one (natural logarithm) are told beside it.
const CLOSE: f64 = 2.9;
/// A switch that explains so much less than one of its links is not told.
const BEHIND: f64 = 1.3;
/// Pairs that are shown as evidence.
const SHOWN: usize = 5;
/// Good pairs that are shown to clear others.
const CLEARED: usize = 3;
/// What lies fewer deviations off is good.
const GOOD: f64 = 1.5;

/// A fault, whom it may be taken for, and what is known of it.
pub(super) struct Diagnosis {
    pub(super) fault: Fault,
    /// What the numbers say without it.
    pub(super) state: State,
    /// All parts in its place, the best first.
    pub(super) all: Vec<Alternative>,
    /// Those that may as well be it, itself first.
    pub(super) close: Vec<(usize, Gain)>,
    /// Whether chance makes numbers say so now and then.
    pub(super) by_chance: bool,
}

/// Of all candidates those within reach of the best, one for each piece of hardware; `chosen` stands first.
pub(super) fn close(
    evidence: &Evidence<'_>,
    fabric: &Fabric,
    all: &[Alternative],
    chosen: usize,
    others: &[Fault],
) -> Vec<(usize, Gain)> {
    let candidates = evidence.candidates;
    let Some(best) = all.iter().find(|a| a.candidate == chosen).copied() else { return Vec::new() };
    let mut kept: Vec<(usize, Gain)> = vec![(best.candidate, best.gain)];
    for &Alternative { worth, candidate: c, gain } in all.iter().filter(|a| a.worth >= best.worth - CLOSE) {
        let one = |k: usize| candidates[c].is_one_with(&candidates[k], fabric);
        let wider =
            candidates[c].contains(&candidates[best.candidate]) || candidates[best.candidate].contains(&candidates[c]);
        let known = others.iter().any(|f| one(f.candidate));
        let behind = candidates[c].is_switch() && worth < best.worth - BEHIND;
        let again = kept.iter().any(|(k, _)| one(*k));
        if worth.is_finite() && !again && !known && !wider && !behind {
            kept.push((c, gain));
        }
    }
    // Where flows spread over several links of a switch, it looks like each of them.
    let of_all = |a: &&Alternative| {
        let part = &candidates[a.candidate];
        part.is_switch() && kept.iter().all(|(k, _)| part.contains(&candidates[*k]))
    };
    if kept.len() > 1
        && let Some(switch) = all.iter().filter(|a| a.worth >= best.worth - BEHIND).find(of_all)
    {
        kept.push((switch.candidate, switch.gain));
    }
    kept
}

/// The suspects of one fault, with their links.
pub(super) fn describe(
    evidence: &Evidence<'_>,
    fabric: &Fabric,
    diagnosis: &Diagnosis,
    fault: u32,
) -> Vec<(Suspect, Vec<u32>)> {
    let Diagnosis { state, all, close, .. } = diagnosis;
    let worth = |(c, gain): &(usize, Gain)| gain.nats + evidence.candidates[*c].prior;
    let best = close.iter().map(worth).fold(f64::NEG_INFINITY, f64::max);
    // Nothing at all is an explanation, too.
    let total: f64 = close.iter().map(|c| (worth(c) - best).exp()).sum::<f64>() + (-best.max(0.0)).exp();
    let names = |c: usize| evidence.candidates[c].named(fabric);
    let mut suspects = Vec::new();
    for entry @ &(c, gain) in close {
        let candidate = &evidence.candidates[c];
        let Named { kind, name, mut direction } = names(c);
        // Directions that no number tells apart, as where both are added up.
        let mut links = candidate.links.clone();
        let mut is_told = true;
        for other in all.iter().filter(|other| other.worth > worth(entry) - 0.5) {
            let other = &evidence.candidates[other.candidate];
            if !candidate.is_switch() && other.is_one_with(candidate, fabric) {
                is_told &= other.links.len() == candidate.links.len();
                links.extend(&other.links);
            }
        }
        links.sort_unstable();
        links.dedup();
        if links.len() > candidate.links.len() || !is_told {
            direction = "either";
        }
        let mut same_as: Vec<String> = close.iter().filter(|(o, _)| *o != c).map(|(o, _)| names(*o).name).collect();
        if kind == "host" {
            let cables = links.iter().map(|l| fabric.link_name(LinkId(*l)));
            same_as.extend(cables);
        }
        let Crossing { slow, good, cleared_by } = crossing(evidence, fabric, state, candidate);
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
                certain: !diagnosis.by_chance,
                slow,
                cleared_others_by: good,
                cleared_by,
                errors: candidate.errors.clone(),
            },
            links,
        ));
    }
    suspects
}

pub(super) fn round(x: f64) -> f64 {
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

/// What was measured across a candidate, and beside it.
struct Crossing {
    /// The slowest pairs across it.
    slow: Vec<SlowPair>,
    /// How many good numbers cross a link of those pairs that is not its own.
    good: u32,
    /// Some of these.
    cleared_by: Vec<GoodPair>,
}

fn crossing(evidence: &Evidence<'_>, fabric: &Fabric, state: &State, candidate: &Candidate) -> Crossing {
    let mut rows: Vec<u32> = candidate.links.iter().flat_map(|l| evidence.rows_on(*l)).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.retain(|r| evidence.slowness(state, *r as usize) > 2.0);
    // The other links of those pairs, and how many of these cross each.
    let mut others: BTreeMap<u32, u32> = BTreeMap::new();
    for &row in rows.iter().take(200) {
        for flow in evidence.flows.rows[row as usize].flows.clone() {
            let way = evidence.flows.way(flow).iter().filter(|(l, _)| !candidate.links.contains(l));
            way.for_each(|(l, _)| *others.entry(*l).or_default() += 1);
        }
    }
    let is_good = |row: u32| evidence.slowness(state, row as usize) < GOOD;
    let near = |link: u32| {
        let flows = evidence.on(link).iter().take(500);
        flows.filter_map(|(f, _)| Some((*f, evidence.flows.flows[*f as usize].row?)))
    };
    let mut good: Vec<u32> = others.keys().flat_map(|l| near(*l)).map(|(_, row)| row).collect();
    good.sort_unstable();
    good.dedup();
    good.retain(|row| is_good(*row));
    rows.sort_by(|a, b| evidence.slowness(state, *b as usize).total_cmp(&evidence.slowness(state, *a as usize)));
    let name = |v| fabric.vertex_name(v).to_string();
    // What was measured and what is usual.
    let values = |row: u32| {
        let (value, rest) = (evidence.flows.rows[row as usize].value, state.model.rest[row as usize]);
        let usual = if evidence.latency { value / (1.0 + rest) } else { value / rest.exp() };
        (round(value), round(usual))
    };
    let pair = |&row: &u32| {
        let flow = &evidence.flows.flows[evidence.flows.rows[row as usize].flows.start as usize];
        let (measured, usual) = values(row);
        SlowPair { from: name(flow.source), to: name(flow.target), measured, usual }
    };
    let mut shared: Vec<(u32, u32)> = others.into_iter().collect();
    shared.sort_by_key(|(link, slow)| (Reverse(*slow), *link));
    let (mut cleared, mut used) = (Vec::new(), Vec::new());
    for (link, _) in shared {
        if cleared.len() == CLEARED {
            break;
        }
        if let Some((flow, row)) = near(link).find(|(_, row)| is_good(*row) && !used.contains(row)) {
            used.push(row);
            let (flow, (measured, usual)) = (&evidence.flows.flows[flow as usize], values(row));
            let link = fabric.link_name(LinkId(link));
            cleared.push(GoodPair { from: name(flow.source), to: name(flow.target), measured, usual, link });
        }
    }
    Crossing { slow: rows.iter().take(SHOWN).map(pair).collect(), good: good.len() as u32, cleared_by: cleared }
}
