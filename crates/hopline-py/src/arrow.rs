//! Tables by Arrow's C stream interface, which pandas, polars, pyarrow and DuckDB take without a library between:
//! <https://arrow.apache.org/docs/format/CStreamInterface.html>.

mod column;
mod ffi;

use column::Column;
use ffi::{ArrayStream, Shape};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::CString;
use std::sync::Arc;

/// Columns of one length with their names.
#[pyclass(frozen, module = "hopline._hopline")]
pub(crate) struct Table {
    columns: Arc<Vec<(CString, Column)>>,
    rows: usize,
}

#[pymethods]
impl Table {
    /// A table of columns: a name, and values that are numbers, words, truths or none.
    #[new]
    fn new(columns: Vec<(String, Vec<Bound<'_, PyAny>>)>) -> PyResult<Table> {
        let rows = columns.first().map_or(0, |column| column.1.len());
        if columns.iter().any(|column| column.1.len() != rows) {
            return Err(PyValueError::new_err("columns of different lengths"));
        }
        let made = columns.into_iter().map(|(name, values)| {
            let name = CString::new(name).map_err(|_| PyValueError::new_err("a name with a zero in it"))?;
            Ok((name, Column::new(&values)?))
        });
        Ok(Table { columns: Arc::new(made.collect::<PyResult<_>>()?), rows })
    }

    /// The table as a stream of one batch. Another schema that is asked for is the reader's to convert to.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let shape = Shape { columns: self.columns.clone(), rows: self.rows };
        PyCapsule::new_with_value(py, ArrayStream::new(shape), c"arrow_array_stream")
    }
}
