//! A machine: a fabric with its routing.

use crate::array::Array;
use crate::call::Inputs;
use crate::error::raised;
use hopline::entry::Listed as _;
use hopline::error::{Error, Place};
use hopline::id::VertexId;
use hopline::params::{Params, find};
use hopline::plan::Network;
use hopline::run;
use hopline_cli::embed;
use hopline_formats::FABRIC_EXPORTS;
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// A machine that is built.
#[pyclass(frozen, module = "hopline._hopline")]
pub(crate) struct Machine(Network);

#[pymethods]
impl Machine {
    /// The machine of `fabric show`'s words.
    #[new]
    fn new(py: Python<'_>, words: Vec<String>, files: BTreeMap<String, Vec<u8>>) -> PyResult<Machine> {
        let built = py.detach(|| embed::network(&words, &Inputs::new(files)));
        built.map(Machine).map_err(|e| raised(py, &e))
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.fabric.name()
    }

    #[getter]
    fn routing(&self) -> String {
        self.0.routing_spec()
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }

    #[getter]
    fn endpoints(&self) -> u32 {
        self.0.fabric.endpoints()
    }

    #[getter]
    fn switches(&self) -> u32 {
        self.0.fabric.switches()
    }

    #[getter]
    fn links(&self) -> usize {
        self.0.fabric.links()
    }

    #[getter]
    fn slots(&self) -> u32 {
        self.0.fabric.hosts().slots()
    }

    /// Names of the hosts, in their order.
    fn hosts(&self) -> Vec<&str> {
        let hosts = self.0.fabric.hosts();
        (0..hosts.len()).map(|h| hosts.name(hopline::id::HostId(h))).collect()
    }

    /// Names of endpoints and switches, by their numbers.
    fn vertices(&self) -> Vec<&str> {
        (0..self.0.fabric.vertices()).map(|v| self.0.fabric.vertex_name(VertexId(v))).collect()
    }

    /// The vertex that every link starts from.
    fn sources(&self) -> Array {
        self.0.fabric.link_ids().map(|link| self.0.fabric.source(link).0).collect::<Vec<u32>>().into()
    }

    /// The vertex that every link leads to.
    fn targets(&self) -> Array {
        self.0.fabric.link_ids().map(|link| self.0.fabric.target(link).0).collect::<Vec<u32>>().into()
    }

    /// The class of every link.
    fn classes(&self) -> Vec<&str> {
        self.0.fabric.link_ids().map(|link| self.0.fabric.class_of(link).name.as_str()).collect()
    }

    /// The bandwidth of every link in GB/s; infinite where it has no limit.
    fn bandwidths(&self) -> Array {
        let of = |link| self.0.fabric.class_of(link).bandwidth.map_or(f64::INFINITY, |b| b.as_gb_s());
        self.0.fabric.link_ids().map(of).collect::<Vec<f64>>().into()
    }

    /// The fabric in a form that other tools read.
    fn export(&self, py: Python<'_>, form: &str) -> PyResult<String> {
        let form = find("form of a fabric", FABRIC_EXPORTS, &Params::new(form, Place::new("export", 0)));
        form.and_then(|form| run::export(&self.0, form)).map_err(|e: Error| raised(py, &e))
    }

    /// Forms that [`Machine::export`] knows.
    #[staticmethod]
    fn forms() -> Vec<&'static str> {
        FABRIC_EXPORTS.iter().map(|form| form.entry().name).collect()
    }
}
