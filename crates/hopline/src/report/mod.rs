//! Outcomes as text for people. JSON needs no code here: outcomes serialise.

mod columns;
mod reference;
mod text;
mod whatif;

pub use reference::reference;
pub use text::{check, explain, list, load, map, route, show};
pub use whatif::whatif;
