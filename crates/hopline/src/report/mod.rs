//! Outcomes as text for people. JSON needs no code here: outcomes serialise.

mod columns;
mod text;

pub use text::{check, explain, list, load, map, route, show};
