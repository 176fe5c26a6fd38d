//! Outcomes as text for people. JSON needs no code here: outcomes serialise.

mod columns;
mod text;
mod whatif;

pub use text::{check, explain, list, load, map, route, show};
pub use whatif::whatif;
