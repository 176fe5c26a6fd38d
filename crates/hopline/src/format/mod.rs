//! Files in and out: one file per format. Readers get text with its path and
//! answer plain data; every error names `path:line`, what was expected, and
//! what to do. Writers answer a `String`: the caller writes it, whole or not at all.

mod dense_csv;
pub mod hostfile;
pub mod hostlist;
pub mod ibnetdiscover;
pub mod infiniband;
pub mod lft;
pub(crate) mod lines;
pub mod matrix;
mod matrix_market;
mod metis;
mod npy;
pub mod placement;
pub mod rankfile;
mod recorded_csv;
pub mod workload;

mod export;

pub use export::{EXPORTS, Export};
