//! Answers that are kept, and what they say together.

use crate::output;
use hopline::error::{Error, Place, Result};
use hopline_blame::{HistoryOutcome, Kept};
use hopline_service::blamed::{self, Blamed};
use serde_json::Value;
use std::path::Path;
use std::time::SystemTime;

/// Keeps an answer under the present time.
pub(super) fn keep(store: &str, answer: &Value) -> Result<()> {
    let path = blamed::path(Path::new(store), SystemTime::now());
    blamed::folder(Path::new(store))?;
    let path = path.display().to_string();
    output::save(&[(&path, format!("{answer:#}\n"))])?;
    output::say(&format!("wrote {path}"));
    Ok(())
}

/// All answers of a store, the oldest first.
pub(super) fn read(store: &str) -> Result<HistoryOutcome> {
    let names = blamed::names(Path::new(store));
    let mut notes = Vec::new();
    let mut answers = Vec::new();
    for name in &names {
        match Blamed::read(Path::new(store), name) {
            Some(b) => answers.push(Kept {
                time: b.when().to_string(),
                kind: b.kind,
                sentence: b.sentence,
                suspects: b.suspects,
            }),
            None => notes.push(format!("{name}: left out, no answer of `hopline blame` that this version reads")),
        }
    }
    if answers.is_empty() {
        return Err(Error::input("no answer is kept here")
            .at(&Place::new(store, 0))
            .hint("`hopline blame --measured FILE --store DIR` keeps one"));
    }
    Ok(HistoryOutcome::new(answers, notes))
}
