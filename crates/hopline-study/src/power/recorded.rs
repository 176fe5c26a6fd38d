//! Links that recorded programs use, beside our reconstructions on as many ranks.

use super::links::{mesh, percs_of, used};
use super::{DIRECT, applications::torus, ours};
use crate::machine::Machine;
use crate::{Finding, Key};
use hopline::error::Result;
use hopline::files::Memory;
use hopline::format::matrix;

/// A recording, and the schedule that stands for its program elsewhere in this study.
struct Program {
    name: &'static str,
    ranks: u32,
    matrix: &'static [u8],
    reconstruction: Option<&'static str>,
}

const fn program(
    name: &'static str,
    ranks: u32,
    matrix: &'static [u8],
    reconstruction: Option<&'static str>,
) -> Program {
    Program { name, ranks, matrix, reconstruction }
}

/// Made by testdata/programs/record.sh with the MPI layer.
const PROGRAMS: [Program; 8] = [
    program(
        "LAMMPS, melt",
        64,
        include_bytes!("../../data/recorded/lammps-melt-64.csv.xz"),
        Some("halo-steps:grid=4x4x4,steps=1"),
    ),
    program(
        "CG's messages",
        64,
        include_bytes!("../../data/recorded/cg-64.csv.xz"),
        Some("cg:class=A,iterations=1,ranks=64"),
    ),
    program("FT's messages", 64, include_bytes!("../../data/recorded/ft-64.csv.xz"), Some("ft:class=A,ranks=64")),
    program("hpcc", 16, include_bytes!("../../data/recorded/hpcc-16.csv.xz"), None),
    program("ScaLAPACK LU", 16, include_bytes!("../../data/recorded/lu-16.csv.xz"), None),
    program("PT-Scotch", 16, include_bytes!("../../data/recorded/dgord-16.csv.xz"), None),
    program("ABySS", 8, include_bytes!("../../data/recorded/abyss-8.csv.xz"), None),
    program(
        "LAMMPS, small melt",
        8,
        include_bytes!("../../data/recorded/lammps-small-8.csv.xz"),
        Some("halo-steps:grid=2x2x2,steps=1"),
    ),
];

/// Percent of the links on the three networks.
pub(super) fn programs() -> Result<Vec<Finding>> {
    let item = "Figure 5 from recordings: percent of links used";
    let mut findings = Vec::new();
    for program in &PROGRAMS {
        let percs = Machine::new(&percs_of(program.ranks, 1))?;
        let torus = Machine::new(&torus(program.ranks))?;
        let files = Memory([(program.name.to_string(), program.matrix.to_vec())].into());
        let mut jobs = vec![("recorded", matrix::read(&files, program.name)?.demand)];
        if let Some(spec) = program.reconstruction {
            jobs.push(("reconstructed", percs.schedule(spec)?.demand()?));
        }
        for (how, job) in &jobs {
            let row = [("program", Key::from(format!("{}, {} ranks, {how}", program.name, program.ranks).as_str()))];
            let share = |column: &str, percent: f64| ours(item, &row, column, percent);
            findings.push(share("full mesh", mesh(job, program.ranks, 1)));
            findings.push(share("PERCS", used(&percs, DIRECT, job)?));
            findings.push(share("PERCS, indirect", used(&percs, "indirect", job)?));
            findings.push(share("3-D torus", used(&torus, "dor", job)?));
        }
    }
    Ok(findings)
}
