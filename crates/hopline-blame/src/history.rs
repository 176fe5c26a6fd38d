//! What answers of many days say together.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Answers that were kept.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct HistoryOutcome {
    /// All of them, the oldest first.
    pub answers: Vec<Kept>,
    /// Who was suspected, those of the last answer first, then by how often.
    pub parts: Vec<Suspected>,
    /// What was left out.
    pub notes: Vec<String>,
}

/// An answer that was kept.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Kept {
    /// When it was given, UTC.
    pub time: String,
    /// Its verdict: `blame`, `ambiguous`, `suspect`, `nothing` or `undetectable`.
    pub kind: String,
    /// The same in a sentence.
    pub sentence: String,
    /// The names of its suspects.
    pub suspects: Vec<String>,
}

/// A part that was suspected.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Suspected {
    /// Its name.
    pub name: String,
    /// How many answers suspect it.
    pub times: u32,
    /// The first of them, UTC.
    pub first: String,
    /// The last of them, UTC.
    pub last: String,
    /// Whether the last answer of all does.
    pub still: bool,
}

impl HistoryOutcome {
    /// Counts who was suspected. O(suspects log suspects).
    pub fn new(answers: Vec<Kept>, notes: Vec<String>) -> HistoryOutcome {
        let mut parts: BTreeMap<&str, Suspected> = BTreeMap::new();
        for (at, answer) in (1..).zip(&answers) {
            // A part may be a suspect of two faults.
            let names: std::collections::BTreeSet<&str> = answer.suspects.iter().map(String::as_str).collect();
            for name in names {
                let time = || answer.time.clone();
                let fresh = || Suspected { name: name.into(), times: 0, first: time(), last: time(), still: false };
                let part = parts.entry(name).or_insert_with(fresh);
                (part.times, part.last, part.still) = (part.times + 1, time(), at == answers.len());
            }
        }
        let mut parts: Vec<Suspected> = parts.into_values().collect();
        parts.sort_by(|a, b| b.still.cmp(&a.still).then(b.times.cmp(&a.times)).then(a.name.cmp(&b.name)));
        HistoryOutcome { answers, parts, notes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_still_suspected_stands_first() {
        let kept = |time: &str, suspects: &[&str]| Kept {
            time: time.into(),
            kind: "blame".into(),
            sentence: String::new(),
            suspects: suspects.iter().map(|s| s.to_string()).collect(),
        };
        let told = HistoryOutcome::new(vec![kept("1", &["a", "a"]), kept("2", &["a"]), kept("3", &["b"])], vec![]);
        let parts: Vec<(&str, u32, &str, bool)> =
            told.parts.iter().map(|p| (p.name.as_str(), p.times, p.last.as_str(), p.still)).collect();
        assert_eq!(parts, [("b", 1, "3", true), ("a", 2, "2", false)]);
    }
}
