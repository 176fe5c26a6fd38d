//! Nearest neighbours on a grid of any dimension.

use super::{BYTES, Context, Size, Traffic, WEIGHT, grid};
use crate::demand::Demand;
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::params::Reader;

pub(super) const ENTRY: Entry = Entry {
    name: "halo",
    summary: "nearest neighbours on a grid: 2-D 5-point, 3-D 7-point, ...",
    doc: "Task (i, j, ...) has row-major rank i*Q + j in a P x Q grid and sends to its two neighbours in every dimension, \
          1/(number of neighbours) each. With wrap=true the grid is a torus (the PERCS paper's tables); else tasks at the \
          border have fewer neighbours. In a wrapped dimension of extent 2 both neighbours are one task, which gets \
          twice as much; extent 1 has none.\nSource: the PERCS mapping paper, sections I and III.",
    example: "halo:grid=64x64",
    params: &[
        param("grid", "sizes", "the squarest of one task per slot", "tasks along each dimension"),
        param("wrap", "true|false", "true", "whether the ends of a dimension are neighbours"),
        WEIGHT,
        BYTES,
    ],
};

pub(super) fn make(reader: &Reader, context: &Context<'_>) -> Result<Traffic> {
    let grid = grid(reader, context, reader.or("wrap", true)?)?;
    let size = Size::read(reader)?;
    let tasks = grid.tasks().unwrap_or(0);
    let mut entries = Vec::with_capacity(tasks as usize * grid.sizes.len() * 2);
    let mut partners = Vec::new();
    for task in 0..tasks {
        partners.clear();
        grid.neighbours(task, |other| partners.push(other));
        let amount = size.amount(1.0 / partners.len() as f64);
        entries.extend(partners.iter().map(|&p| (task, p, amount)));
    }
    Ok(Demand::new(tasks, size.unit, entries, Vec::new())?.with_grid(grid).into())
}
