//! A job on a machine, for strategies that are written in Python.

use crate::array::Array;
use crate::call::Inputs;
use crate::error::{exception, raised};
use hopline::error::{Error, Result};
use hopline::fabric::metrics::hops_to;
use hopline::id::{SlotId, VertexId};
use hopline::mapping::Mapping;
use hopline::plan::Plan;
use hopline_cli::embed;
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// More pairs of tasks are not written one by one: 1.6 GB.
const MOST_PAIRS: u64 = 100_000_000;
/// More distances are not written into a table: 2 GB.
const MOST_DISTANCES: usize = 1_000_000_000;

/// What a strategy sees.
#[pyclass(frozen, module = "hopline._hopline")]
pub(crate) struct Problem(Plan);

impl Problem {
    fn mapping(&self, slots: Vec<u32>) -> Result<Mapping> {
        let (placed, tasks) = (slots.len(), self.0.demand.tasks());
        if placed != tasks as usize {
            return Err(Error::input(format!("{placed} tasks are placed, but the job has {tasks}")));
        }
        Mapping::new(slots.into_iter().map(SlotId).collect(), &self.0.network.fabric)
    }
}

#[pymethods]
impl Problem {
    /// The job of `load`'s words.
    #[new]
    fn new(py: Python<'_>, words: Vec<String>, files: BTreeMap<String, Vec<u8>>) -> PyResult<Problem> {
        let built = py.detach(|| embed::plan(&words, &Inputs::new(files)));
        built.map(Problem).map_err(|e| raised(py, &e))
    }

    #[getter]
    fn tasks(&self) -> u32 {
        self.0.demand.tasks()
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed
    }

    /// Extents of the grid that tasks stand in, row by row; none where they stand in none.
    #[getter]
    fn grid(&self) -> Option<Vec<u32>> {
        self.0.demand.grid().map(|grid| grid.sizes.clone())
    }

    /// Slots where tasks may sit, in the order of the launcher.
    fn slots(&self) -> Array {
        self.0.slots.iter().map(|slot| slot.0).collect::<Vec<u32>>().into()
    }

    /// The number of the host of each of these slots.
    fn hosts(&self) -> Array {
        let hosts = self.0.network.fabric.hosts();
        self.0.slots.iter().map(|&slot| hosts.host_of(slot).0).collect::<Vec<u32>>().into()
    }

    /// Who sends, who receives, and how much: one entry for each pair of tasks.
    fn pairs(&self, py: Python<'_>) -> PyResult<(Array, Array, Array)> {
        let (pairs, demand) = (self.0.demand.pairs(), &self.0.demand);
        if pairs > MOST_PAIRS {
            return Err(exception(py, "InputError", format!("{pairs} pairs of tasks, more than {MOST_PAIRS}")));
        }
        let (mut sources, mut targets, mut amounts) = (Vec::new(), Vec::new(), Vec::new());
        py.detach(|| {
            demand.each_pair(|source, target, amount| {
                sources.push(source);
                targets.push(target);
                amounts.push(amount);
            });
        });
        Ok((sources.into(), targets.into(), amounts.into()))
    }

    /// Links between the endpoints of any two slots, in their order; 65535 where there is no way.
    fn distances(&self, py: Python<'_>) -> PyResult<Array> {
        let (fabric, slots) = (&self.0.network.fabric, &self.0.slots);
        if slots.len() * slots.len() > MOST_DISTANCES {
            return Err(exception(py, "InputError", format!("{} slots are too many for a table", slots.len())));
        }
        let places: Vec<VertexId> = slots.iter().map(|&slot| fabric.hosts().endpoint_of(slot)).collect();
        let table = py.detach(|| {
            let mut table = Vec::with_capacity(places.len() * places.len());
            for &place in &places {
                let hops = hops_to(fabric, place);
                table.extend(places.iter().map(|other| hops[other.index()]));
            }
            table
        });
        Ok(Array::from(table).with_columns(places.len()))
    }

    /// What a mapping, the slot of every task, comes to: its summary as JSON.
    fn score(&self, py: Python<'_>, slots: Vec<u32>) -> PyResult<String> {
        let scored = py.detach(|| {
            let summary = self.0.problem()?.summary(&self.mapping(slots)?)?;
            serde_json::to_string(&summary).map_err(|e| Error::failed(format!("cannot write JSON: {e}")))
        });
        scored.map_err(|e| raised(py, &e))
    }

    /// The load of every link under a mapping.
    fn loads(&self, py: Python<'_>, slots: Vec<u32>) -> PyResult<Array> {
        let loads = py.detach(|| self.0.problem()?.loads(&self.mapping(slots)?));
        loads.map(|loads| loads.load.into()).map_err(|e| raised(py, &e))
    }
}
