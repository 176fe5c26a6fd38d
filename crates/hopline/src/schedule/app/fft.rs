//! A 3-D FFT on a grid of pencils: transposes within rows, then within columns.

use super::super::{Builder, Bytes, Limit, Made};
use super::{COMPUTE, collective, compute};
use crate::demand::Grid;
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::params::{Reader, Sizes};
use crate::traffic::Context;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "fft",
    summary: "transposes of an FFT in pencils: alltoall in every row, then in every column",
    doc: "Ranks form a grid of P rows and Q columns (rank = i*Q + j). In every step the ranks of a row swap `bytes` pairwise, then \
          those of a column: the two transposes of a 3-D FFT in pencils, or the Transpose pattern of the PERCS paper.",
    example: "fft:grid=8x8,bytes=16K,steps=4",
    params: &[
        param("grid", "sizes", "", "rows and columns"),
        param("bytes", "bytes", "16K", "from each rank to each other of its row or column"),
        param("steps", "count", "1", "steps"),
        COMPUTE,
    ],
};

pub(in crate::schedule) fn make(reader: &Reader, _: &Context<'_>, limit: Limit) -> Result<Made> {
    let Sizes(sizes) = reader.need("grid")?;
    let ranks = super::super::ranks_of(reader, &Grid { sizes: sizes.clone(), wrap: false }, limit)?;
    let [rows, columns] = sizes[..] else { return Err(reader.wrong("grid", "expected a grid of rows and columns")) };
    let bytes = reader.or("bytes", Bytes(16384))?.0;
    let mut b = Builder::within(ranks, limit);
    compute(&mut b, reader.or("compute", 0)?);
    for i in 0..rows {
        let row: Vec<u32> = (0..columns).map(|j| i * columns + j).collect();
        collective(&mut b, "pairwise", &row, bytes)?;
    }
    for j in 0..columns {
        let column: Vec<u32> = (0..rows).map(|i| i * columns + j).collect();
        collective(&mut b, "pairwise", &column, bytes)?;
    }
    Ok(b.finish()?.repeat(reader.or("steps", 1)?)?.into())
}
