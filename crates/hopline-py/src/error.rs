//! Errors as exceptions, with the words of the command line.

use hopline::error::Error;
use hopline_cli::embed::message;
use pyo3::prelude::*;
use pyo3::types::PyModule;

/// `hopline.InputError` where an input is wrong, else `hopline.RunError`.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let name = if error.is_input() { "InputError" } else { "RunError" };
    exception(py, name, message(error))
}

/// An exception of the package.
pub(crate) fn exception(py: Python<'_>, name: &str, message: String) -> PyErr {
    let made = PyModule::import(py, "hopline._errors").and_then(|m| m.getattr(name)?.call1((message,)));
    made.map_or_else(|e| e, PyErr::from_value)
}
