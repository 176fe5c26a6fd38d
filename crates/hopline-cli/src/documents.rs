//! What commands print as JSON: an outcome with the names of its schema and command, and what was asked for.

use crate::inputs;
use flate2::read::GzDecoder;
use hopline::run::{
    CheckOutcome, CollectiveOutcome, CompareOutcome, DiffOutcome, EachOutcome, FlitsOutcome, HostsOutcome, LoadOutcome,
    MapOutcome, PowerOutcome, RecordOutcome, ReplayOutcome, RouteOutcome, ShowOutcome, SwitchesOutcome, WhatIfOutcome,
};
use hopline::scenario::{Scenario, ScenarioSpecs};
use hopline_blame::{BlameOutcome, ExpectOutcome, HistoryOutcome, PlanOutcome};
use hopline_bounds::{BoundOutcome, CheckedOutcome};
use hopline_study::Reproduction;
use hopline_sweep::outcome::{DryRun, SweepOutcome};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

/// An outcome of a command.
pub(crate) trait Outcome: Serialize {
    /// Name and version of what it looks like as JSON.
    const SCHEMA: &'static str;
    /// The command and its subcommand.
    const COMMAND: &'static str;
}

/// An outcome as it is printed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}")]
pub(crate) struct Document<'a, T> {
    /// Name and version of this form.
    schema: &'a str,
    /// The command that made it.
    command: &'a str,
    /// Version of the program.
    version: &'a str,
    /// The command line, but what only says how and where the result is written; empty where there was none.
    asked: &'a [String],
    /// What was asked for, in the keys of a scenario; null where the command takes none.
    scenario: Option<ScenarioSpecs>,
    /// With `--with-inputs` the files that were read, by path: packed with gzip and written in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<BTreeMap<String, String>>,
    #[serde(flatten)]
    outcome: &'a T,
}

impl<'a, T: Outcome> Document<'a, T> {
    /// The same with the files that were read, where these are kept.
    pub(crate) fn carrying_inputs(self) -> Self {
        Document { inputs: inputs::packed(), ..self }
    }

    pub(crate) fn new(asked: &'a [String], scenario: Option<&Scenario>, outcome: &'a T) -> Self {
        let (schema, command, version) = (T::SCHEMA, T::COMMAND, env!("CARGO_PKG_VERSION"));
        Document { schema, command, version, asked, scenario: scenario.map(ScenarioSpecs::from), inputs: None, outcome }
    }
}

macro_rules! outcomes {
    ($($name:literal $number:literal $command:literal $outcome:ty,)*) => {
        $(impl Outcome for $outcome {
            const SCHEMA: &'static str = concat!("hopline/", $name, "/", $number);
            const COMMAND: &'static str = $command;
        })*

        /// Names of the forms; `fabric` is that of a fabric's own file.
        pub(crate) const SCHEMAS: &[&str] = &[$($name,)* "fabric"];

        /// What results of one of them say: its name with its number, which a key that goes away or becomes another type raises.
        pub(crate) fn form(name: &str) -> Option<&'static str> {
            match name {
                $($name => Some(concat!("hopline/", $name, "/", $number)),)*
                _ => None,
            }
        }

        /// The schema of one of them, as a test writes it from the types below: what makes schemas is no part of the command.
        pub(crate) fn schema(name: &str) -> String {
            let packed: &[u8] = match name {
                $($name => include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".gz")),)*
                _ => include_bytes!(concat!(env!("OUT_DIR"), "/fabric.gz")),
            };
            io::read_to_string(GzDecoder::new(packed)).expect("text that `build.rs` packed")
        }

        #[cfg(test)]
        fn made(name: &str) -> schemars::Schema {
            match name {
                $($name => schemars::schema_for!(Document<'_, $outcome>),)*
                _ => schemars::schema_for!(hopline::format::fabric_json::Document<'_>),
            }
        }
    };
}

outcomes! {
    "load" 1 "load" LoadOutcome,
    "map" 1 "map" MapOutcome,
    "flits" 1 "flits" FlitsOutcome,
    "replay" 1 "replay" ReplayOutcome,
    "power" 1 "power" PowerOutcome,
    "collective" 1 "collective" CollectiveOutcome,
    "collective-bound" 1 "collective" BoundOutcome,
    "collective-check" 1 "collective check" CheckedOutcome,
    "compare" 1 "compare" CompareOutcome,
    "fabric-show" 1 "fabric show" ShowOutcome,
    "fabric-show-switches" 1 "fabric show" SwitchesOutcome,
    "fabric-show-hosts" 1 "fabric show" HostsOutcome,
    "fabric-route" 1 "fabric route" RouteOutcome,
    "fabric-check" 1 "fabric check" CheckOutcome,
    "fabric-diff" 1 "fabric diff" DiffOutcome,
    "fabric-whatif" 1 "fabric whatif" WhatIfOutcome,
    "fabric-whatif-each" 1 "fabric whatif" EachOutcome,
    "blame" 1 "blame" BlameOutcome,
    "blame-plan" 1 "blame plan" PlanOutcome,
    "blame-expect" 1 "blame expect" ExpectOutcome,
    "blame-history" 1 "blame history" HistoryOutcome,
    "record" 1 "record" RecordOutcome,
    "reproduce" 1 "reproduce" Reproduction,
    "sweep" 1 "sweep" SweepOutcome,
    "sweep-dry-run" 1 "sweep" DryRun,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `HOPLINE_BLESS=1` writes them anew.
    #[test]
    fn schemas_are_those_of_the_types() {
        for name in SCHEMAS {
            let made = serde_json::to_string_pretty(&made(name)).expect("JSON") + "\n";
            if std::env::var_os("HOPLINE_BLESS").is_some() {
                let path = format!("{}/schemas/{name}.json", env!("CARGO_MANIFEST_DIR"));
                std::fs::write(path, &made).expect("written");
            } else {
                assert!(schema(name) == made, "schemas/{name}.json: HOPLINE_BLESS=1 writes it anew");
            }
        }
    }
}
