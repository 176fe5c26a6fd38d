//! Files of other tools: what is read, what is written, and what tells them apart.
#![allow(clippy::unwrap_used)]

mod clusters;
#[path = "../../../hopline/tests/common/mod.rs"]
mod common;
mod exports;
mod imports;
mod readers;
