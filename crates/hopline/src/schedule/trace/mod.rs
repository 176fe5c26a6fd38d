//! Traces and schedules in files, one format each.

pub mod goal;
pub mod smpi;
