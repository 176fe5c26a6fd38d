//! `hopline._hopline`: what the Python package has in Rust. It asks as the command line asks ([`hopline_cli::embed`]), so
//! its numbers are those of the command.

mod answer;
mod array;
mod arrow;
mod call;
mod error;
mod machine;
mod problem;

use pyo3::prelude::*;
use std::ffi::OsString;

/// The command `hopline`; its exit code.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let code = py.detach(|| hopline_cli::run(arguments));
    // An exit code tells its number to nobody but the system.
    (0..=u8::MAX).find(|&n| std::process::ExitCode::from(n) == code).unwrap_or(1)
}

/// The JSON schema of a form of results, as text; none where there is no such form.
#[pyfunction]
fn schema(name: &str) -> Option<String> {
    hopline_cli::embed::schema(name)
}

/// Names of the forms that have a schema.
#[pyfunction]
fn schemas() -> Vec<&'static str> {
    hopline_cli::embed::schemas().to_vec()
}

/// Names of the lists that are tables, in the order in which the first is taken.
#[pyfunction]
fn tables() -> Vec<&'static str> {
    hopline_cli::embed::tables()
}

/// What Python imports.
#[pymodule]
fn _hopline(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<answer::Answer>()?;
    module.add_class::<array::Array>()?;
    module.add_class::<arrow::Table>()?;
    module.add_class::<machine::Machine>()?;
    module.add_class::<problem::Problem>()?;
    module.add_function(wrap_pyfunction!(call::answer, module)?)?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(schemas, module)?)?;
    module.add_function(wrap_pyfunction!(tables, module)?)
}
