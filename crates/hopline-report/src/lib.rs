//! Outcomes as text for people, curves and pictures as SVG. JSON needs no code here: outcomes serialise.

mod collective;
mod columns;
mod drawing;
mod figure;
mod flits;
mod inventory;
mod picture;
mod policy;
mod power;
mod record;
mod reference;
mod replay;
mod shades;
mod svg;
mod text;
mod whatif;

pub use collective::collective;
pub use columns::Columns;
pub use drawing::drawing;
pub use figure::{Figure, Point, Series};
pub use flits::flits;
pub use inventory::{hosts, switches};
pub use picture::Drawing;
pub use power::power;
pub use record::record;
pub use reference::reference;
pub use replay::replay;
pub use svg::{escape, svg};
pub use text::{check, explain, list, load, map, notes, route, show, wrap};
pub use whatif::{each, whatif};
