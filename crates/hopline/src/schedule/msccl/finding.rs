//! What may be wrong with a program.

#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Fault {
    /// It is no program: numbers, connections or offsets that do not fit.
    Malformed,
    /// Steps wait for ever.
    Deadlock,
    /// Two steps touch a chunk, and nothing orders them.
    Race,
    /// A rank does not get what the collective owes it.
    Wrong,
    /// More than those that run it take.
    Limits,
}

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Finding {
    /// What it is.
    pub fault: Fault,
    /// The line of the file; 0 where it is of the whole.
    pub line: u32,
    /// GPU, block and step.
    pub place: String,
    /// What is wrong there.
    pub text: String,
}

impl Finding {
    pub(in crate::schedule) fn new(fault: Fault, line: u32, place: &str, text: String) -> Finding {
        Finding { fault, line, place: place.to_string(), text }
    }
}
