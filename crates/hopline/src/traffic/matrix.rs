//! A measured or planned communication matrix from a file.

use super::{Context, Traffic};
#[cfg(doc)]
use crate::demand::Demand;
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::files::Files;
use crate::format::matrix;
use crate::params::{Params, Reader};

pub(super) const ENTRY: Entry = Entry {
    name: "matrix",
    summary: "bytes between tasks from a file: tables, edge lists, recordings, METIS, Matrix Market, NumPy, SciPy",
    doc: "Row = sender. Forms, told apart by content, plain, gzip or xz: a dense N x N table of numbers, where an empty cell between separators is 0; recorded lines \
          `p,src,dst,messages,bytes` (point to point), `a,src,dst,0,bytes` (all-to-all) and `r,src,dst,calls,bytes` (one-sided), all counted, lines `c,...` \
          and `t,...` (collectives, timings) left out and said; a METIS graph (an undirected edge of weight w is w bytes \
          each way); a Matrix Market matrix; an edge list with a head that names its columns (src or source, dst or target, bytes or \
          weight, ..., in any order, with commas, tabs, semicolons or blanks between them); a table with names in a head, a first \
          column or both, as pandas' to_csv writes frames and pivot tables (empty cells are 0; a square of numbers has names only where the first cell is empty \
          and first row and column count alike from 0 or 1); a NumPy array (`.npy`, or \
          alone in an `.npz`); a sparse matrix of scipy.sparse.save_npz (CSR, CSC, COO, BSR, DIA); \
          a directory that `hopline record` filled, as traffic recording. \
          Names that are ranks say which task is meant; others are numbered in the order of a table's columns, in an edge list \
          in natural order (n2 before n10), and a note says so.",
    example: "matrix:file=testdata/matrices/lammps-melt-64.csv",
    params: &[param("file", "path", "", "the file")],
};

/// A matrix from a file: see the list. Matrices of a program's own are made by [`Demand::new`] from their entries, or
/// by [`Demand::from_rows`].
///
/// ```
/// use hopline::{files::Memory, traffic::Matrix};
///
/// let files = Memory([("m.csv".to_string(), b"src,dst,bytes\n0,1,100\n1,0,50\n".to_vec())].into());
/// let demand = Matrix::open("m.csv", &files)?.demand()?;
/// assert_eq!(demand.entries(), [(0, 1, 100.0), (1, 0, 50.0)]);
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Matrix {
    path: String,
    traffic: Traffic,
}

impl Matrix {
    /// Reads a file, whatever its form.
    ///
    /// # Errors
    /// It cannot be read, or is no matrix; with the line.
    pub fn open(path: &str, files: &dyn Files) -> Result<Matrix> {
        let read = matrix::read(files, path)?;
        Ok(Matrix { path: path.to_string(), traffic: Traffic { demand: read.demand, notes: read.notes } })
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<Matrix> {
        Matrix::open(&reader.need::<String>("file")?, context.files)
    }

    pub(super) fn params(&self) -> Params {
        Params::named(ENTRY.name).with("file", &self.path[..])
    }

    pub(super) fn make(self) -> Result<Traffic> {
        Ok(self.traffic)
    }
}
