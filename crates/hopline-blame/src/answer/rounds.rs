//! Which pairs ran together: what is assumed of it, and what the numbers say.

use crate::flows::Flows;
use crate::model::combined;
use crate::share::{Filling, alone};

/// Pairs that ran alone mostly get a larger part of the rate; two that share a link get less than half of it.
const ALONE: f64 = 0.5;
/// Flows with less than this part of the rate that they have alone share a link.
const WHOLE: f64 = 0.99;
/// What slows all pairs alike is told below this part of the rate.
const USUAL: f64 = 0.7;
/// Pairs that share links have this part, at least, of what others have, where shares are fair.
const EVEN: f64 = 0.85;
/// Beyond this part of it the rates are of something else.
const TOO_MUCH: f64 = 1.1;

/// How many numbers are of pairs of which no round is known.
pub(super) fn without(flows: &Flows) -> usize {
    let alone = |f: u32| flows.flows[f as usize].round.is_none();
    flows.rows.iter().filter(|row| row.flows.clone().any(alone)).count()
}

/// Whether most numbers, `without` of them of unknown rounds, look as if pairs had shared links: what is usual is so little.
pub(super) fn shared(flows: &Flows, without: usize, usual: f64) -> bool {
    2 * without > flows.rows.len() && usual < ALONE
}

/// What a person should know of rounds and of what is usual.
pub(super) fn notes(flows: &Flows, without: usize, usual: f64) -> Vec<String> {
    let mut notes = Vec::new();
    if without > 0 {
        notes.push(format!("numbers without a round, whose pairs are taken to have run alone: {without}"));
    }
    if shared(flows, without, usual) {
        notes.push(
            "did pairs run together? give their rounds, by the column `round` of a CSV or a file of lines `round host host`; \
             a pair that ran alone is a round of its own"
                .to_string(),
        );
    }
    if usual < USUAL {
        let percent = usual * 100.0;
        notes.push(format!("only {percent:.0} % of the links' rates is usual: what slows all pairs alike is not seen"));
    }
    if usual > TOO_MUCH {
        notes.push(format!(
            "the usual rate is {usual:.2} times what the links can carry: are these Gbit/s or MB/s, or both directions added, or another fabric's?"
        ));
    }
    notes
}

/// What pairs that share links get beside others, where it is so much less than it should be that the others may only look slow: `sharing`
/// is the usual part of the one over that of the other.
pub(super) fn uneven(sharing: f64) -> Option<String> {
    (sharing < EVEN).then(|| {
        format!(
            "pairs that share links have {:.0} % of what fair shares would give them, beside pairs that share none: something that most of \
             them cross is slow, or the network shares worse than that; nobody is blamed for certain: measure rounds of `hopline blame plan`",
            sharing * 100.0
        )
    })
}

/// Rounds that a note names.
const NAMED: usize = 5;

/// What nothing says of who ran, a note for each file: hosts are missing from rounds whose pairs slow each other down, so that those may
/// be slow by what is missing. `nominal` is the rate of a flow where nothing is slow.
pub(super) fn incomplete(flows: &Flows, nominal: impl Fn(u32) -> f64) -> Vec<String> {
    let shares = |f: &u32| nominal(*f) < WHOLE * alone(flows.way(*f), |l| flows.capacity(l));
    let doubted = flows.incomplete.iter().filter(|file| {
        let rounds = file.rounds.iter().filter_map(|id| flows.rounds.get(*id as usize));
        rounds.flatten().any(shares)
    });
    let note = |file: &crate::listed::Incomplete| {
        if file.unlisted > 0 {
            return format!(
                "{}: {} of its numbers are of pairs that no list of rounds has, so that others may be missing there, and nobody is blamed for \
                 certain: give the whole list",
                file.path, file.unlisted
            );
        }
        let lacks: Vec<String> =
            file.lacks.iter().take(NAMED).map(|(round, hosts)| format!("round {round} lacks {hosts}")).collect();
        let more = if file.lacks.len() > NAMED { ", ..." } else { "" };
        format!(
            "{}: hosts of other rounds are missing in {} of its rounds ({}{more}); pairs without a result slow the others down all the same, so nobody is \
             blamed for certain: give who ran, by lines `round host host` or the tool's own configuration with its hostfile",
            file.path,
            file.lacks.len(),
            lacks.join(", ")
        )
    };
    doubted.map(note).collect()
}

/// Whether numbers fit pairs that ran alone much better than the rounds that they are said to be of.
pub(super) fn ran_apart(flows: &Flows) -> bool {
    if flows.rounds.is_empty() {
        return false;
    }
    let filling = &mut Filling::new(flows.links());
    let together = flows.rates(&vec![1.0; flows.links()], filling);
    let alone: Vec<f64> = (0..flows.flows.len() as u32).map(|f| alone(flows.way(f), |l| flows.capacity(l))).collect();
    let spread = |rates: &[f64]| {
        let mut y: Vec<f64> = flows.rows.iter().map(|r| (r.value / combined(r, |f| rates[f as usize])).ln()).collect();
        y.sort_by(f64::total_cmp);
        let at = |part: f64| y.get((part * y.len() as f64) as usize).copied().unwrap_or(0.0);
        at(0.8) - at(0.2)
    };
    let (a, b) = (spread(&together), spread(&alone));
    b < 0.5 * a
}
