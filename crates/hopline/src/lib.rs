//! Hopline library (tour written below once all modules stand).
#![warn(missing_docs)]
pub mod demand;
pub mod entry;
pub mod error;
pub mod fabric;
pub mod files;
pub mod format;
pub mod id;
pub mod params;
pub mod rng;
pub mod unit;
