//! The applications of section IV as schedules.

/// An application at a number of ranks that is a power of four.
pub(super) struct Application {
    pub(super) name: &'static str,
    /// Its schedule on so many ranks.
    pub(super) spec: fn(u32) -> String,
}

pub(super) const ALL: [Application; 10] = [
    Application { name: "NAMD", spec: |n| namd(n, SLABS) },
    Application { name: "MILC", spec: |n| format!("milc:grid={},steps=1", grid(n, 4)) },
    Application { name: "jacobi4d", spec: |n| format!("halo-steps:grid={},steps=1", grid(n, 4)) },
    Application { name: "BT", spec: |n| format!("bt:class=A,iterations=1,ranks={n}") },
    Application { name: "SP", spec: |n| format!("sp:class=A,iterations=1,ranks={n}") },
    Application { name: "CG", spec: |n| format!("cg:class=A,iterations=1,ranks={n}") },
    Application { name: "MG", spec: |n| format!("mg:class=C,iterations=1,ranks={n}") },
    Application { name: "LU", spec: |n| format!("lu:class=A,iterations=1,ranks={n}") },
    Application { name: "FT", spec: |n| format!("linear:bytes=1K,ranks={n}") },
    Application { name: "ISAM", spec: |n| format!("isam:ranks={n}") },
];

/// Slabs of NAMD's FFT: a property of its input, not of the number of ranks.
const SLABS: u32 = 64;

/// NAMD on a power of two of ranks, its FFT spread over so many slabs.
pub(super) fn namd(ranks: u32, slabs: u32) -> String {
    format!("namd:grid={},pme={},steps=1", grid(ranks, 3), (ranks / slabs).max(1))
}

/// Sizes of a grid of a power of two of tasks, as equal as powers of two allow.
pub(super) fn grid(tasks: u32, dimensions: u32) -> String {
    let bits = tasks.ilog2();
    let size = |d: u32| (1u32 << ((bits + dimensions - 1 - d) / dimensions)).to_string();
    (0..dimensions).map(size).collect::<Vec<_>>().join("x")
}

/// The torus on which such a grid of three dimensions is at home: a grid numbers its last dimension fastest, a torus
/// its first, so the extents stand the other way round.
pub(super) fn torus(tasks: u32) -> String {
    format!("torus:dims={}", grid(tasks, 3).split('x').rev().collect::<Vec<_>>().join("x"))
}

#[cfg(test)]
mod tests {
    use super::{grid, torus};
    use crate::machine::Machine;

    #[test]
    fn grids_have_all_tasks() {
        assert_eq!((grid(1024, 3), grid(256, 4), grid(1024, 4)), ("16x8x8".into(), "4x4x4x4".into(), "8x8x4x4".into()));
    }

    /// A halo on the grid is then carried by single links: each of them has some, and none has more.
    #[test]
    fn neighbours_in_the_grid_are_neighbours_on_its_torus() {
        let machine = Machine::new(&torus(256)).expect("a torus");
        let job = machine.schedule(&format!("halo-steps:grid={},bytes=1,steps=1", grid(256, 3)));
        let job = job.and_then(|s| s.demand()).expect("a job");
        let routing = machine.routing("dor").expect("a routing");
        let places = machine.places(&*routing, &job, "default", 0).expect("places");
        let loads = hopline::loads::evaluate(&job, &places, &*routing).expect("loads");
        assert!(loads.load.iter().all(|&bytes| bytes == 1.0), "{:?}", loads.load);
    }
}
