//! Every reader of Hopline as a function of bytes: whatever these are, it refuses them or reads them, and does not panic.
//!
//! [`TARGETS`] is the list. A target names the files of the sources whose readers it enters ([`Target::reads`]);
//! `tests/readers.rs` looks through the sources and fails where a reader is in no target. Bodies are here once:
//! `tests/targets.rs` runs them on damaged seeds, `examples/soak.rs` does for as long as one likes, and `fuzz/` gives them to
//! libFuzzer.

mod damage;
mod fabrics;
mod jobs;
mod layer;
mod measured;
mod ours;
mod plain;
mod schedules;
mod seeds;
mod service;
mod state;

pub use damage::Random;
pub use plain::FILE_WAS_READ;
pub use seeds::{found, seeds};

/// Readers that are tried together.
pub struct Target {
    /// Its name, of letters, digits and `-`.
    pub name: &'static str,
    /// What is read, for people.
    pub about: &'static str,
    /// Files that it begins from: below `testdata/`, or texts that begin with `=`.
    pub seeds: &'static [&'static str],
    /// Files or folders of the sources whose readers it enters, as `CRATE/PATH` without `src` and `.rs`.
    pub reads: &'static [&'static str],
    /// What it begins from beside these, made by this version.
    pub made: fn() -> Vec<Vec<u8>>,
    /// Gives bytes to the readers; true where one of them took them. It panics on nothing but a fault.
    pub run: fn(&[u8]) -> bool,
}

/// All targets.
pub fn targets() -> impl Iterator<Item = &'static Target> {
    let lists: [&'static [Target]; 8] = [
        fabrics::TARGETS,
        jobs::TARGETS,
        schedules::TARGETS,
        measured::TARGETS,
        service::TARGETS,
        ours::TARGETS,
        state::TARGETS,
        layer::TARGETS,
    ];
    lists.into_iter().flatten()
}

/// The target of a name.
pub fn target(name: &str) -> Option<&'static Target> {
    targets().find(|target| target.name == name)
}
