//! Names of points.

use crate::grid::Request;
use hopline::error::{Error, Result};
use hopline::scenario::ScenarioSpecs;
use sha2::{Digest, Sha256};

/// A name for what is asked: the same for the same command, options, scenario and version of the program, whatever
/// sweep asks for it. 32 hexadecimal digits.
///
/// # Errors
/// None that a scenario can cause.
pub fn name(command: &str, version: &str, request: &Request) -> Result<String> {
    let options: Vec<(&str, String)> = request.options.iter().map(|(p, v)| (p.name.as_str(), v.show())).collect();
    let asked = (version, command, ScenarioSpecs::from(&request.scenario), options);
    let text = serde_json::to_vec(&asked).map_err(|e| Error::failed(format!("cannot write JSON: {e}")).caused_by(e))?;
    Ok(digest(&text)[..32].to_string())
}

/// SHA-256 in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
