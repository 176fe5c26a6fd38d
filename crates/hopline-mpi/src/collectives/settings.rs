//! What the environment says.

use super::delays::Source;
use super::operation::Operation;
use super::tree::Order;

/// What the environment says, the same on all ranks.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) operations: Vec<Operation>,
    pub(super) source: Source,
    pub(super) order: Order,
    pub(super) broadcasts: Broadcasts,
    pub(super) min_bytes: u64,
    pub(super) trials: u32,
    pub(super) forced: bool,
    /// Of the job's time, that finding better ways may cost.
    pub(super) percent: u64,
}

/// How broadcasts may go: `HOPLINE_BCAST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broadcasts {
    Tree,
    /// Scattered, then passed on round a ring.
    Scattered,
    /// What is predicted to be faster.
    Auto,
}

impl Broadcasts {
    fn read(word: Option<&str>) -> Result<Broadcasts, String> {
        match word {
            None | Some("auto") => Ok(Broadcasts::Auto),
            Some("tree") => Ok(Broadcasts::Tree),
            Some("scatter-allgather") => Ok(Broadcasts::Scattered),
            Some(word) => Err(format!("HOPLINE_BCAST: `{word}` is not known; tree, scatter-allgather and auto are")),
        }
    }
}

impl Settings {
    /// From the variables, by name; `None` where no collectives are wanted.
    ///
    /// # Errors
    /// What is not known, and what is.
    pub(super) fn read(text: impl Fn(&str) -> Option<String>) -> Result<Option<Settings>, String> {
        let Some(names) = text("HOPLINE_COLLECTIVES") else { return Ok(None) };
        let number = |name: &str, default: u64| text(name).and_then(|text| text.parse().ok()).unwrap_or(default);
        let forced = number("HOPLINE_FORCE", 0) != 0;
        let settings = Settings {
            operations: operations(&names)?,
            source: Source::read(text("HOPLINE_DELAYS").as_deref(), text("HOPLINE_SERVICE").as_deref())?,
            order: Order::read(text("HOPLINE_ORDER").as_deref())?,
            broadcasts: Broadcasts::read(text("HOPLINE_BCAST").as_deref())?,
            min_bytes: number("HOPLINE_MIN_BYTES", 16_384).max(1),
            trials: number("HOPLINE_TRIALS", 2) as u32,
            forced,
            percent: if forced { 100 } else { number("HOPLINE_BUDGET", 2) },
        };
        Ok((!settings.operations.is_empty()).then_some(settings))
    }

    /// True where ways and orders are free, as those are that are kept for later jobs.
    pub(super) fn is_free(&self) -> bool {
        self.order == Order::Auto && self.broadcasts == Broadcasts::Auto
    }
}

/// The operations of a list.
///
/// # Errors
/// The word that is none.
fn operations(names: &str) -> Result<Vec<Operation>, String> {
    let mut found = Vec::new();
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        match Operation::ALL.into_iter().find(|operation| operation.name() == name) {
            Some(operation) => found.push(operation),
            None if name == "all" => found.extend(Operation::ALL),
            None => {
                let known = Operation::ALL.map(Operation::name).join(", ");
                return Err(format!("HOPLINE_COLLECTIVES: `{name}` is not known; {known} and all are"));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_named_as_mpi_names_them() {
        assert_eq!(operations("bcast, reduce"), Ok(vec![Operation::Bcast, Operation::Reduce]));
        assert_eq!(operations("all").map(|all| all.len()), Ok(7));
        assert_eq!(operations(""), Ok(Vec::new()));
        assert!(operations("bcast,scan").is_err_and(|why| why.contains("`scan` is not known; bcast, ")));
    }

    #[test]
    fn words_that_are_not_known_are_refused_by_name() {
        let read = |name: &'static str, word: &'static str| {
            Settings::read(move |asked| match asked {
                "HOPLINE_COLLECTIVES" => Some("bcast".to_string()),
                asked => (asked == name).then(|| word.to_string()),
            })
        };
        for (name, words) in
            [("HOPLINE_ORDER", ["dft", "bft", "auto"]), ("HOPLINE_BCAST", ["tree", "scatter-allgather", "auto"])]
        {
            assert!(words.iter().all(|word| matches!(read(name, word), Ok(Some(_)))), "{name}");
            assert!(read(name, "").is_err_and(|why| why.starts_with(&format!("{name}: `` is not known; "))));
        }
        assert!(read("HOPLINE_ORDER", "auto").is_ok_and(|found| found.is_some_and(|found| found.is_free())));
        assert!(read("HOPLINE_ORDER", "dft").is_ok_and(|found| found.is_some_and(|found| !found.is_free())));
        assert!(Settings::read(|_| None).is_ok_and(|found| found.is_none()), "not asked for");
    }
}
