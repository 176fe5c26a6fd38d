//! The answer in a sentence.

use super::checked::SEEN;
use crate::outcome::{Checked, Suspect};

pub(super) fn sentence(kind: &str, suspects: &[Suspect], checked: &Checked) -> String {
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
    // Others that may be the same fault.
    let beside = |s: &Suspect| suspects.iter().filter(|other| other.fault == s.fault).count() - 1;
    match (kind, suspects.first()) {
        ("blame", Some(_)) => {
            let mut faults: Vec<&Suspect> = Vec::new();
            suspects.iter().for_each(|s| {
                if faults.last().is_none_or(|f| f.fault != s.fault) {
                    faults.push(s)
                }
            });
            let tell = |s: &&Suspect| match s.certain {
                true => format!("{} {}", what(s), left(s)),
                false => format!("perhaps {} {}, too: measure the next round", what(s), left(s)),
            };
            faults.iter().map(tell).collect::<Vec<_>>().join("; ")
        }
        ("ambiguous", Some(s)) => format!(
            "one of {} parts that these measurements cannot tell apart {}: {} first; the next round splits them",
            beside(s) + 1,
            left(s),
            what(s)
        ),
        ("suspect", Some(s)) if suspects.iter().all(|other| other.fault != s.fault || other.name == s.name) => {
            format!("two numbers alone say that {} {}, which may be chance: measure the next round", what(s), left(s))
        }
        ("suspect", Some(s)) => format!(
            "a pair is slow, too seldom measured to blame one part: {} or {} others; measure the next round",
            what(s),
            beside(s)
        ),
        ("undetectable", _) => format!(
            "too few numbers, or too much noise ({:.1} %), to see a part with {:.0} % of its rate; {covered}",
            checked.noise * 100.0,
            SEEN * 100.0
        ),
        _ => format!("nothing to blame: {covered}"),
    }
}
