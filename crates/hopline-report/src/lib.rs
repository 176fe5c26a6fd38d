//! Outcomes as text for people, as one page that needs no network, and as pictures (SVG).

mod blame;
mod bounds;
mod chart;
mod checked;
mod collective;
mod columns;
mod compare;
mod diff;
mod drawing;
mod figure;
mod flits;
mod inventory;
mod lists;
mod load;
mod map;
mod names;
mod page;
mod picture;
mod policy;
mod power;
mod raster;
mod record;
mod reference;
mod replay;
mod screen;
mod shades;
mod show;
mod spread;
mod svg;
mod terms;
mod text;
mod whatif;
mod words;
mod wrap;

pub use blame::{blame, blame_history, blame_plan, expect};
pub use bounds::bounds;
pub use checked::checked;
pub use collective::collective;
pub use columns::{Column, Columns};
pub use compare::compare;
pub use diff::diff;
pub use drawing::{drawing, drawn};
pub use figure::{Figure, Point, Series};
pub use flits::flits;
pub use hopline::format::escape;
pub use inventory::{hosts, switches};
pub use lists::{explain, list};
pub use load::load;
pub use map::map;
pub use page::{
    FigureStyle, Job, NoPicture, Picture, Source, View, assumed, dot, figure, fragment, graphml, page, scenario_toml,
    sheet,
};
pub use picture::Drawing;
pub use power::power;
pub use record::record;
pub use reference::reference;
pub use replay::replay;
pub use screen::{Screen, plain};
pub use show::{check, route, show};
pub use spread::spread;
pub use svg::{inline, svg};
pub use terms::terms;
pub use text::Text;
pub use whatif::{each, whatif};
