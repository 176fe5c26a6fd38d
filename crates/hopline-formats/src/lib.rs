//! Files told apart by their content: one list of all that is read, and the rarer forms of networks, which the library does
//! without (GraphML, DOT, Slurm's topologies, `iblinkinfo`, UFM's links, topograph's models, InfraGraph). [`AnyForm`] lets
//! the library read them, [`FABRIC_EXPORTS`] writes; [`resolve`] takes paths where a scenario expects a kind.
//!
//! To add a form: one file, and one line in [`FABRIC_IMPORTS`], [`FABRIC_EXPORTS`] or [`READERS`].

mod dot;
mod exports;
mod files;
mod graph;
mod graphml;
mod iblinkinfo;
mod imports;
mod infragraph;
mod readers;
mod resolve;
mod slurm_topology;
mod topograph;
mod ufm_links;
mod yaml;

pub use exports::{FABRIC_EXPORTS, exports};
pub use files::{AnyForm, translated};
pub use imports::FABRIC_IMPORTS;
pub use readers::{Content, Form, READERS, Reader, Role, Spec, form_of};
pub use resolve::resolve;
