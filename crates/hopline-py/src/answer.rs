//! The answer of a command.

use crate::array::Array;
use crate::error::raised;
use hopline_cli::embed;
use pyo3::prelude::*;

/// What a command came to.
#[pyclass(frozen, module = "hopline._hopline")]
pub(crate) struct Answer {
    answer: embed::Answer,
    /// Ctrl-C came: the best so far.
    #[pyo3(get)]
    interrupted: bool,
}

impl Answer {
    pub(crate) fn new(answer: embed::Answer, interrupted: bool) -> Answer {
        Answer { answer, interrupted }
    }

    fn ask<'a, T: Send>(
        &'a self,
        py: Python<'_>,
        ask: impl FnOnce(&'a embed::Answer) -> hopline::error::Result<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| ask(&self.answer)).map_err(|e| raised(py, &e))
    }
}

#[pymethods]
impl Answer {
    /// The JSON document in one line.
    fn line(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, embed::Answer::line)
    }

    /// The JSON document as `--format json` prints it.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, embed::Answer::json)
    }

    /// The table as `--format csv` prints it.
    fn csv(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, embed::Answer::csv)
    }

    /// What the command prints, so many columns wide.
    #[pyo3(signature = (width=None))]
    fn text(&self, py: Python<'_>, width: Option<usize>) -> PyResult<String> {
        self.ask(py, |answer| answer.text(width))
    }

    /// The page that `--report` writes.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, embed::Answer::page)
    }

    /// That page's parts as a box for notebooks.
    fn fragment(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, embed::Answer::fragment)
    }

    /// What `--export FORM=FILE` writes.
    fn export(&self, py: Python<'_>, form: &str) -> PyResult<String> {
        self.ask(py, |answer| answer.export(form))
    }

    /// The load of every link.
    fn loads(slf: Bound<'_, Self>) -> PyResult<Option<Array>> {
        let loads = slf.get().ask(slf.py(), embed::Answer::loads)?;
        Ok(loads.map(|loads| Array::inside(loads, slf.clone().unbind().into_any())))
    }

    /// The slot of every task.
    fn slots(&self) -> Option<Array> {
        let mapping = self.answer.mapping()?;
        Some((0..mapping.tasks()).map(|task| mapping.slot(task).0).collect::<Vec<u32>>().into())
    }

    /// Names of all links.
    fn links(&self) -> Option<Vec<String>> {
        let fabric = &self.answer.plan()?.network.fabric;
        Some(fabric.link_ids().map(|link| fabric.link_name(link)).collect())
    }

    /// The host of every task.
    fn hosts(&self) -> Option<Vec<&str>> {
        let (plan, mapping) = (self.answer.plan()?, self.answer.mapping()?);
        Some(mapping.on_hosts(plan.network.fabric.hosts()).into_iter().map(|(host, _)| host).collect())
    }
}
