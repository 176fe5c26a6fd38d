//! Jobs that the paper's constructions leave out: smaller than the machine, and on grids whose sides are no powers of
//! two. What ours reach, beside the throughput that no mapping exceeds.

use super::{cell, machine};
use crate::{Finding, Options};
use hopline::error::Result;
use rayon::prelude::*;

const ITEM: &str = "Beyond section IV-C: Halo, 32 supernodes, n_d = 4, direct, grids of any shape, in GB/s";

/// Twenty grids of at most 4,096 tasks; --quick takes every fifth.
const GRIDS: [(u32, u32); 20] = [
    (48, 48),
    (60, 60),
    (30, 100),
    (37, 109),
    (7, 512),
    (56, 72),
    (63, 65),
    (50, 80),
    (45, 91),
    (24, 170),
    (20, 200),
    (16, 250),
    (12, 340),
    (40, 40),
    (33, 33),
    (29, 31),
    (25, 64),
    (64, 60),
    (53, 59),
    (36, 36),
];

const COLUMNS: [(&str, &str); 4] = [
    ("DEF", "default"),
    ("blocks, coloured", "coloring"),
    ("coloured, inner", "inner-search:of=coloring,evaluations=100000"),
    ("multilevel", "multilevel"),
];

/// Nothing of these is published.
pub(super) fn findings(options: &Options) -> Result<Vec<Finding>> {
    let machine = machine(32, 4)?;
    let routing = machine.routing("direct")?;
    let grids: Vec<_> = GRIDS.into_iter().step_by(if options.quick { 5 } else { 1 }).collect();
    let row = |&(p, q): &(u32, u32)| {
        let grid = format!("{p}x{q}");
        let job = machine.job(&format!("halo:grid={grid}"))?;
        let key = [("grid", grid.as_str().into())];
        let mut found = Vec::new();
        for (head, mapping) in COLUMNS {
            let finding = Finding::new(ITEM, &key, head);
            found.push(match machine.evaluate(&*routing, &job, mapping, options.seed) {
                Ok(summary) => {
                    let (throughput, limit) = cell(&summary);
                    Finding { computed: Some(throughput), bottleneck: Some(limit.to_string()), ..finding }
                }
                // Some grids have no blocks of a quarter node.
                Err(error) if error.is_input() => finding.remark(format!("does not exist: {error}")),
                Err(error) => return Err(error),
            });
        }
        found.push(Finding { computed: machine.bound(&*routing, &job)?, ..Finding::new(ITEM, &key, "none above") });
        Ok(found)
    };
    let rows: Result<Vec<Vec<Finding>>> = grids.par_iter().map(row).collect();
    Ok(rows?.concat())
}
