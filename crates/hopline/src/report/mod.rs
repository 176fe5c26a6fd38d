//! Outcomes as text for people. JSON needs no code here: outcomes serialise.

mod collective;
mod columns;
mod drawing;
mod flits;
mod page;
mod policy;
mod power;
mod record;
mod reference;
mod replay;
mod shades;
mod study;
mod svg;
mod text;
mod whatif;

pub use collective::collective;
pub use drawing::drawing;
pub use flits::flits;
pub use page::page;
pub use power::power;
pub use record::record;
pub use reference::reference;
pub use replay::replay;
pub use study::reproduction;
pub use svg::svg;
pub use text::{check, explain, list, load, map, route, show};
pub use whatif::whatif;
