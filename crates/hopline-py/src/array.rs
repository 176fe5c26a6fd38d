//! Numbers that NumPy takes without copies, by its array interface.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Numbers of one type in a row, or in a table of so many columns. Read-only.
#[pyclass(frozen, module = "hopline._hopline")]
pub(crate) struct Array {
    numbers: Numbers,
    columns: Option<usize>,
}

/// Where they lie.
enum Numbers {
    F64(Vec<f64>),
    U32(Vec<u32>),
    U16(Vec<u16>),
    /// In another object, which must live as long.
    Elsewhere {
        address: usize,
        count: usize,
        _owner: Py<PyAny>,
    },
}

impl From<Vec<f64>> for Array {
    fn from(numbers: Vec<f64>) -> Array {
        Array { numbers: Numbers::F64(numbers), columns: None }
    }
}

impl From<Vec<u32>> for Array {
    fn from(numbers: Vec<u32>) -> Array {
        Array { numbers: Numbers::U32(numbers), columns: None }
    }
}

impl From<Vec<u16>> for Array {
    fn from(numbers: Vec<u16>) -> Array {
        Array { numbers: Numbers::U16(numbers), columns: None }
    }
}

impl Array {
    /// Numbers that a frozen object holds and never moves.
    pub(crate) fn inside(numbers: &[f64], owner: Py<PyAny>) -> Array {
        let (address, count) = (numbers.as_ptr() as usize, numbers.len());
        Array { numbers: Numbers::Elsewhere { address, count, _owner: owner }, columns: None }
    }

    /// The same as a table of so many columns.
    pub(crate) fn with_columns(self, columns: usize) -> Array {
        Array { columns: Some(columns), ..self }
    }

    fn view(&self) -> View {
        let (address, count, kind) = match &self.numbers {
            Numbers::F64(own) => (own.as_ptr() as usize, own.len(), "<f8"),
            Numbers::U32(own) => (own.as_ptr() as usize, own.len(), "<u4"),
            Numbers::U16(own) => (own.as_ptr() as usize, own.len(), "<u2"),
            Numbers::Elsewhere { address, count, .. } => (*address, *count, "<f8"),
        };
        View { address, count, kind }
    }
}

/// Numbers in memory.
struct View {
    address: usize,
    count: usize,
    /// NumPy's name of their type.
    kind: &'static str,
}

#[pymethods]
impl Array {
    #[getter(__array_interface__)]
    fn interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let View { address, count, kind } = self.view();
        let dict = PyDict::new(py);
        match self.columns {
            Some(columns) => dict.set_item("shape", (count / columns.max(1), columns))?,
            None => dict.set_item("shape", (count,))?,
        }
        dict.set_item("typestr", kind)?;
        dict.set_item("data", (address, true))?;
        dict.set_item("version", 3)?;
        Ok(dict)
    }

    fn __len__(&self) -> usize {
        self.view().count / self.columns.unwrap_or(1).max(1)
    }
}
