//! Options that say where tasks must and must not sit.

use clap::Args;
use hopline::error::Place;
use hopline::scenario::Scenario;

/// Pins, forbidden slots, capacities; each replaces the key of that name.
#[derive(Debug, Args)]
pub(crate) struct Limits {
    /// Keep tasks in their slots: 0=17,1=n001,2=n002:3, or a file of such words
    #[arg(long, value_name = "TASK=SLOT")]
    pin: Option<String>,
    /// Put no task there: hosts, slot numbers or HOST:SLOT, such as n001,n[004-006],17,n002:3
    #[arg(long, value_name = "HOSTS|SLOTS")]
    forbid: Option<String>,
    /// Put at most so many tasks there, on its adapters in turn: n001=2,n[004-006]=3
    #[arg(long, value_name = "HOST=N")]
    capacity: Option<String>,
}

impl Limits {
    /// Whether any of them is given.
    pub(super) fn given(&self) -> bool {
        [&self.pin, &self.forbid, &self.capacity].iter().any(|o| o.is_some())
    }

    /// Puts what is given into a scenario.
    pub(super) fn add_to(&self, scenario: &mut Scenario) {
        let limits = &mut scenario.limits;
        let keys = [
            ("--pin", &self.pin, &mut limits.pin),
            ("--forbid", &self.forbid, &mut limits.forbid),
            ("--capacity", &self.capacity, &mut limits.capacity),
        ];
        for (option, given, kept) in keys {
            if let Some(text) = given {
                *kept = Some((text.clone(), Place::new(option, 0)));
            }
        }
    }
}
