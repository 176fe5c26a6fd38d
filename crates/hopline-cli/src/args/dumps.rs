//! What names a machine: `--fabric`, and the two of `fabric diff`.

use hopline::entry::Listed;
use hopline::error::{Error, Place, Result};
use hopline::params::{Params, Value};
use std::path::Path;

/// The machine of `--fabric`: a path that is there, whatever its name holds, or
/// what stands behind `--topology file:`, with or without that word.
///
/// # Errors
/// It is another kind of topology, or its keys cannot be read.
pub(crate) fn file_params(text: &str) -> Result<Params> {
    let place = Place::new("--fabric", 0);
    if Path::new(text).exists() {
        let mut params = Params::new("file", place.clone());
        params.push("path", Value::Text(text.to_string()), place)?;
        return Ok(params);
    }
    let rest = text.strip_prefix("file:").unwrap_or(text);
    if is_topology(rest) {
        return Err(Error::input(format!("`{text}` is a topology and no file"))
            .at(&place)
            .hint("give it with --topology"));
    }
    Params::from_spec(&format!("file:{rest}"), &place)
}

/// A dump by its path, or a topology by its spec.
///
/// # Errors
/// Its keys cannot be read.
pub(crate) fn machine_params(text: &str) -> Result<Params> {
    match is_topology(text) && !Path::new(text).exists() {
        true => Params::from_spec(text, &Place::new("fabric diff", 0)),
        false => file_params(text),
    }
}

/// Whether it begins with the name of a topology.
fn is_topology(text: &str) -> bool {
    let kind = text.split(':').next().unwrap_or_default();
    hopline::topology::LIST.iter().any(|family| family.entry().name == kind)
}
