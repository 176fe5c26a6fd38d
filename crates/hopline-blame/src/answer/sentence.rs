//! The answer in a sentence.

use super::checked::SEEN;
use crate::outcome::{Checked, Suspect};
use crate::plan::Splitting;

/// What a sentence says beside the suspects.
pub(super) struct Beside<'a> {
    pub(super) checked: &'a Checked,
    pub(super) latency: bool,
    /// The pairs to measure next, and whether they tell all suspects apart.
    pub(super) next: &'a Splitting,
    /// Nobody knows which pairs ran together, and they seem to have done so.
    pub(super) unknown_rounds: bool,
    /// Hosts are missing from rounds that nothing lists.
    pub(super) incomplete_rounds: bool,
    /// Pairs that share links have less than fair shares.
    pub(super) uneven: bool,
}

pub(super) fn sentence(kind: &str, suspects: &[Suspect], beside: &Beside<'_>) -> String {
    let Beside { checked, latency, next, unknown_rounds, incomplete_rounds, uneven } = *beside;
    let covered = format!(
        "{} links seen at {}, {} crossed but not shown to have it",
        checked.links_at_usual_rate,
        if latency { "the usual latency" } else { "the usual rate" },
        checked.links_not_shown
    );
    let measure = if next.rounds.is_empty() { "" } else { ": measure the next round" };
    let left = |s: &Suspect| match (s.rate, s.extra_us) {
        (Some(rate), _) => format!("has {:.0} % of its rate", rate * 100.0),
        (_, extra) => format!("adds {:.2} us", extra.unwrap_or(0.0)),
    };
    let what = |s: &Suspect| match s.direction.as_str() {
        "send" => format!("host {} (what it sends)", s.name),
        "receive" => format!("host {} (what it receives)", s.name),
        _ => format!("{} {}", s.kind, s.name),
    };
    // Others that may be the same fault.
    let others = |s: &Suspect| suspects.iter().filter(|other| other.fault == s.fault).count() - 1;
    let or_others = |s: &Suspect| match others(s) {
        0 => String::new(),
        1 => " (or another part that looks the same)".to_string(),
        n => format!(" (or {n} other parts that look the same)"),
    };
    match (kind, suspects.first()) {
        ("blame", Some(_)) => {
            let mut faults: Vec<&Suspect> = Vec::new();
            suspects.iter().for_each(|s| {
                if faults.last().is_none_or(|f| f.fault != s.fault) {
                    faults.push(s)
                }
            });
            let tell = |s: &&Suspect| match s.certain {
                true => format!("{} {}{}", what(s), left(s), or_others(s)),
                false => format!("perhaps {} {}, too{}{measure}", what(s), left(s), or_others(s)),
            };
            faults.iter().map(tell).collect::<Vec<_>>().join("; ")
        }
        ("ambiguous", Some(s)) => format!(
            "one of {} parts that these measurements cannot tell apart {}: {} first{}",
            others(s) + 1,
            left(s),
            what(s),
            match (next.rounds.is_empty(), next.apart) {
                (true, _) => "; no pair tells them apart",
                (_, true) => "; the next round splits them",
                _ => "; the next round splits some of them",
            }
        ),
        ("suspect", Some(s)) if s.is_dead() => {
            let dead: Vec<String> = suspects
                .chunk_by(|a, b| a.fault == b.fault)
                .map(|fault| format!("{}{}", what(&fault[0]), or_others(&fault[0])))
                .collect();
            let ask = if dead.len() == 1 { "is it dead?" } else { "are they dead?" };
            format!("no pair that crosses {} has a result: {ask}", dead.join(", or "))
        }
        ("suspect", Some(s)) if incomplete_rounds => format!(
            "perhaps {} {}{}, but pairs are missing from rounds and may have slowed the others down: list who ran",
            what(s),
            left(s),
            or_others(s)
        ),
        ("suspect", Some(s)) if uneven => format!(
            "perhaps {} {}{}, but pairs that share links have less than fair shares, which may look the same",
            what(s),
            left(s),
            or_others(s)
        ),
        ("suspect", Some(s)) if others(s) == 0 => {
            let say = if s.slow.len() == 1 { "one number alone says" } else { "few numbers alone say" };
            format!("{say} that {} {}, which may be chance{measure}", what(s), left(s))
        }
        ("suspect", Some(s)) => format!(
            "a pair is slow, too seldom measured to blame one part: {} or {} others{measure}",
            what(s),
            others(s)
        ),
        ("undetectable", _) if unknown_rounds => format!(
            "the numbers are mostly {:.0} % of what lone pairs should get, and nobody says which pairs ran together",
            checked.usual * 100.0
        ),
        ("undetectable", _) => format!(
            "too few numbers, or too much noise ({:.1} %), to see a part that {}; {covered}",
            checked.noise * 100.0,
            match latency {
                true => format!("adds {:.0} % of the usual latency", -SEEN.ln() * 100.0),
                false => format!("has {:.0} % of its rate", SEEN * 100.0),
            }
        ),
        _ => format!("nothing to blame: {covered}"),
    }
}

impl Suspect {
    /// Whether nothing came through it.
    fn is_dead(&self) -> bool {
        self.rate == Some(0.0) && self.slow.is_empty()
    }
}
