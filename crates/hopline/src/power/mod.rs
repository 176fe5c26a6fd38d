//! Power of links: which cables a job never uses, which stay on all the same,
//! and what switching the rest off saves.
//!
//! Totoni and Kale, "Power and performance optimization of multi-level exascale
//! networks", section IV; shares of links and network after Soteriou and Peh,
//! IEEE TPDS 18 (2007).
//!
//! A cable is switched as a whole, both directions at once. A link from a
//! router to itself is no cable, and neither is a link without a bandwidth.

mod bisection;
mod effect;
mod energy;
mod keep;
mod model;
pub mod policy;
mod saving;
pub mod slack;
mod table;
mod watts;

pub use bisection::across as bisection;
pub use effect::Effect;
pub use energy::{ClassEnergy, Energy, WattsOverTime};
pub use keep::{Keep, Lit, SwitchCount, dark_on_routes, light};
pub use model::{ENTRY as MODEL, Model, no_params};
pub use saving::{ClassPower, Power};
pub use watts::Watts;

use crate::fabric::Fabric;
use crate::id::LinkId;

/// Whether a link is one direction of a cable that takes power.
pub fn is_cable(fabric: &Fabric, link: LinkId) -> bool {
    fabric.source(link) != fabric.target(link) && fabric.class_of(link).bandwidth.is_some()
}

/// Every cable once: the direction with the lower number.
pub fn cables(fabric: &Fabric) -> impl Iterator<Item = LinkId> + '_ {
    fabric.link_ids().filter(|&l| l < fabric.reverse(l) && is_cable(fabric, l))
}
