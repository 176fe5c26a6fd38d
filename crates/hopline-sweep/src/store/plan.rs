//! `sweep.json`: which points a directory is to have, in which order.

use super::{failed, replace};
use crate::grid::{Grid, Point};
use hopline::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The form of this file.
    schema: String,
    /// Version of the program that unfolded the grid.
    pub version: String,
    /// The command that is run at every point.
    pub command: String,
    /// Keys of the parameters.
    pub parameters: Vec<String>,
    /// The points in the order of the grid.
    pub points: Vec<Planned>,
}

/// A point by its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    /// Its name.
    pub name: String,
    /// A value of each parameter.
    pub values: Vec<serde_json::Value>,
}

/// Who wrote it, in which form.
#[derive(Deserialize)]
struct Written {
    schema: String,
    version: String,
}

const SCHEMA: &str = "hopline/sweep-points/1";
const FILE: &str = "sweep.json";

impl Plan {
    /// The points of a grid, with their names.
    pub fn new(grid: &Grid, version: &str, points: &[Point], names: &[String]) -> Plan {
        let planned = |(point, name): (&Point, &String)| Planned {
            name: name.clone(),
            values: point.values.iter().map(crate::values::json).collect(),
        };
        Plan {
            schema: SCHEMA.into(),
            version: version.into(),
            command: grid.command.clone(),
            parameters: grid.parameters.iter().map(|p| p.name.clone()).collect(),
            points: points.iter().zip(names).map(planned).collect(),
        }
    }

    /// Puts it into a directory, unless it is there already: several processes may do the same.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, dir: &Path) -> Result<()> {
        let mut bytes = serde_json::to_vec(self).map_err(|e| Error::failed(format!("cannot write JSON: {e}")))?;
        bytes.push(b'\n');
        let path = dir.join(FILE);
        if fs::read(&path).is_ok_and(|stands| stands == bytes) {
            return Ok(());
        }
        replace(&path, |to| to.write_all(&bytes))
    }

    /// That of a directory.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn read(dir: &Path) -> Result<Plan> {
        let path = dir.join(FILE);
        let bytes = match fs::read(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::input(format!("{}: no sweep", dir.display()))
                    .hint("`hopline sweep SCENARIO --out DIR` fills a directory"));
            }
            read => read.map_err(|e| failed(&path, &e))?,
        };
        let damaged = |why: String| {
            Error::input(format!("{}: {why}", path.display()))
                .hint("run the sweep again: it goes on from what is there")
        };
        // First of all, since another form may hold anything else.
        let unreadable = |e: serde_json::Error| damaged(format!("is damaged: {e}")).caused_by(e);
        let written: Written = serde_json::from_slice(&bytes).map_err(unreadable)?;
        if written.schema != SCHEMA {
            let Written { schema, version } = written;
            let what = format!("{}: in the form `{schema}` of Hopline {version}, expected `{SCHEMA}`", path.display());
            return Err(Error::input(what).hint("use the version that wrote it, or another directory"));
        }
        let plan: Plan = serde_json::from_slice(&bytes).map_err(unreadable)?;
        if plan.points.iter().any(|point| point.values.len() != plan.parameters.len()) {
            return Err(damaged("has a point with more or fewer values than parameters".into()));
        }
        Ok(plan)
    }
}
