//! Traces and schedules in files, one format each.

pub(super) mod chakra;
pub mod goal;
pub mod smpi;
