//! Traces and schedules in files, one format each.

pub(super) mod chakra;
pub mod goal;
pub(super) mod recording;
pub mod smpi;

use super::Made;
use crate::entry::{Param, param};
use crate::error::Result;
use crate::params::Reader;

/// How fast another machine computes.
const COMPUTE: Param =
    param("compute", "factor", "1", "computations take so many times as long: 0.5 on processors twice as fast");

/// The factor that [`COMPUTE`] names.
fn factor(reader: &Reader) -> Result<f64> {
    let factor: f64 = reader.or(COMPUTE.name, 1.0)?;
    if !(0.0..=1e6).contains(&factor) {
        return Err(reader.wrong(COMPUTE.name, format!("`compute` is {factor}, expected a factor from 0 to 1000000")));
    }
    Ok(factor)
}

/// What was read, with computations that take `factor` times as long.
fn scaled(made: Made, factor: f64) -> Made {
    Made { schedule: made.schedule.with_computations(factor), ..made }
}
