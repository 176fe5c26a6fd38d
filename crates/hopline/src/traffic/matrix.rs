//! A measured or planned communication matrix from a file.

use super::{Context, Traffic};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::format::matrix;
use crate::params::Reader;

pub(super) const ENTRY: Entry = Entry {
    name: "matrix",
    summary: "bytes between tasks from a file: tables, edge lists, recordings, METIS, Matrix Market, NumPy, SciPy",
    doc: "Row = sender. Forms, told apart by content, plain, gzip or xz: a dense N x N table of numbers; recorded lines \
          `p,src,dst,messages,bytes` (point to point), `a,src,dst,0,bytes` (all-to-all) and `r,src,dst,calls,bytes` (one-sided), all counted, lines `c,...` \
          and `t,...` (collectives, timings) left out and said; a METIS graph (an undirected edge of weight w is w bytes \
          each way); a Matrix Market matrix; an edge list with a head that names its columns (src or source, dst or target, bytes or \
          weight, ..., in any order, with commas, tabs, semicolons or blanks between them); a table with names in a head, a first \
          column or both, as pandas' to_csv writes frames and pivot tables (empty cells are 0); a NumPy array (`.npy`, or \
          alone in an `.npz`); a sparse matrix of scipy.sparse.save_npz (CSR, CSC, COO, BSR, DIA); \
          a directory that `hopline record` filled, as traffic recording. \
          Names that are ranks say which task is meant; others are numbered in the order of a table's columns, in an edge list \
          in natural order (n2 before n10), and a note says so.",
    example: "matrix:file=testdata/matrices/lammps-melt-64.csv",
    params: &[param("file", "path", "", "the file")],
};

pub(super) fn make(reader: &Reader, context: &Context<'_>) -> Result<Traffic> {
    let path: String = reader.need("file")?;
    let read = matrix::read(context.files, &path)?;
    Ok(Traffic { demand: read.demand, notes: read.notes })
}
