//! How a machine is assumed to route once parts are missing.

use super::assumed_paths;
use crate::routing::{self, Likeness};
use crate::topology::Topology;

/// What the tables that were read with a machine, if any, tell of the engine that made them.
pub struct AfterFaults {
    likeness: Option<Likeness>,
    /// Of a machine without tables.
    usual: &'static str,
}

impl AfterFaults {
    /// Looks at the tables: O(as [`likeness`](routing::likeness)).
    pub fn of(topology: &Topology) -> AfterFaults {
        let usual = Some(topology.default_routing()).filter(|own| routing::routes_anew(own)).unwrap_or("shortest");
        let Topology::File(file) = topology else { return AfterFaults { likeness: None, usual } };
        let likeness = file.tables().map(|(lids, tables)| routing::likeness(file.fabric(), &lids, &tables));
        AfterFaults { likeness, usual }
    }

    /// How it routes where nobody says: with tables as their engine, else as a subnet manager's usual engine; on other
    /// machines on minimal or shortest paths.
    pub fn routing(&self) -> &'static str {
        self.likeness.as_ref().map_or(self.usual, Likeness::engine)
    }

    /// What is assumed of the routes under a routing of that name.
    pub(super) fn note(&self, routing: &str) -> Option<String> {
        let spread = |paths| format!("routes are assumed after the fault: {paths} with ties spread evenly");
        let Some(is) = self.likeness.filter(|is| ["minhop", is.engine()].contains(&routing)) else {
            return assumed_paths(routing).map(spread);
        };
        let share = |n: u64| 100.0 * n as f64 / is.entries.max(1) as f64;
        let keeps = "as OpenSM repairs them: entries that still lie on a shortest way stay, the others take the least used port";
        Some(if routing == "up-down" {
            "the tables are those of up*/down* routing, which is run again after the fault; where it has a choice is not known, \
         so ties are spread evenly"
            .to_string()
        } else if share(is.same) > 99.95 {
            format!("the tables are what minhop would make, which is assumed to be run again after the fault, {keeps}")
        } else if is.shortest == is.entries {
            format!(
                "which engine made the tables is not known: all entries lie on shortest ways, {:.1} % are what minhop would \
             choose; after the fault minhop is assumed, {keeps}",
                share(is.same)
            )
        } else {
            format!(
                "which engine made the tables is not known, minhop it was not: {:.1} % of the entries lie off the shortest \
             ways; after the fault minhop is assumed, and before it too where both are compared",
                share(is.entries - is.shortest)
            )
        })
    }
}
