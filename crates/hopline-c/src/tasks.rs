//! `hopline_tasks`: who sends how much to whom, as compressed sparse rows.

use crate::items;
use hopline::demand::{Demand, Unit};
use hopline::error::{Error, Result};

/// `hopline_tasks`.
#[repr(C)]
pub struct Tasks {
    /// Number of tasks.
    pub count: u32,
    /// `count + 1` offsets into `adjncy`.
    pub xadj: *const u64,
    /// Receivers, sender by sender.
    pub adjncy: *const u32,
    /// Bytes, or null.
    pub bytes: *const f64,
}

/// Rows of a sparse matrix: every (row, column, index of the cell).
///
/// # Safety
/// As the header says: `xadj` has `count + 1` items and `adjncy` as many as the last of them.
pub(crate) unsafe fn rows<'a>(
    count: u32,
    xadj: *const u64,
    adjncy: *const u32,
) -> Result<(usize, impl Iterator<Item = (u32, u32, usize)> + 'a)> {
    // SAFETY: the caller's promise.
    let xadj = unsafe { items(xadj, count as usize + 1, "xadj") }?;
    if xadj[0] != 0 || xadj.windows(2).any(|x| x[0] > x[1]) {
        return Err(Error::input("`xadj` does not rise from 0"));
    }
    let cells = usize::try_from(xadj[count as usize]).map_err(|_| Error::input("`xadj` is larger than memory"))?;
    // SAFETY: the caller's promise.
    let adjncy = unsafe { items(adjncy, cells, "adjncy") }?;
    if let Some(outside) = adjncy.iter().find(|&&to| to >= count) {
        return Err(Error::input(format!("`adjncy` has {outside}, expected numbers below {count}")));
    }
    let row = move |v: u32| (xadj[v as usize] as usize..xadj[v as usize + 1] as usize).map(move |i| (v, adjncy[i], i));
    Ok((cells, (0..count).flat_map(row)))
}

impl Tasks {
    /// The demand of the tasks.
    ///
    /// # Safety
    /// The arrays are as the header says.
    pub(crate) unsafe fn demand(&self) -> Result<Demand> {
        // SAFETY: the caller's promise.
        let (cells, rows) = unsafe { rows(self.count, self.xadj, self.adjncy) }?;
        let bytes = match self.bytes.is_null() {
            true => None,
            // SAFETY: the caller's promise.
            false => Some(unsafe { items(self.bytes, cells, "bytes") }?),
        };
        let entries = rows.map(|(from, to, i)| (from, to, bytes.map_or(1.0, |b| b[i]))).collect();
        Demand::new(self.count, Unit::Bytes, entries, Vec::new())
    }
}
