//! What the paper leaves open, and what becomes of it: perfect colourings with
//! sides of four tasks (section IV-C's remark), a careful mapping of quads to
//! nodes (its future work).

use super::{cell, class, grid, machine};
use crate::error::Result;
use crate::study::{Finding, Options};
use rayon::prelude::*;

const FOUR: &str = "coloring:block=4x4";
const BRICKS: &str = "coloring:block=4x8,bricks=true";

/// Direct routing, Halo: mappings by their heads.
struct Table {
    item: &'static str,
    systems: &'static [(u32, u32)],
    columns: &'static [(&'static str, &'static str)],
    /// The throughput of D links alone, instead of all links.
    d_only: bool,
}

const TABLES: [Table; 2] = [
    Table {
        item: "Beyond section IV-C: D links alone, Halo, direct, over n_d",
        systems: &[(32, 1), (64, 1), (128, 1), (256, 1), (512, 1)],
        columns: &[("MOD CLR", "mod-coloring"), ("4x4", FOUR), ("bricks 4x8", BRICKS)],
        d_only: true,
    },
    Table {
        item: "Beyond Table I: Halo, 32 supernodes, direct",
        systems: &[(32, 1), (32, 2), (32, 4), (32, 8), (32, 16)],
        columns: &[
            ("MOD CLR", "mod-coloring"),
            ("MOD CLR, inner", "inner-search:of=mod-coloring,evaluations=300000"),
            ("bricks, inner", "inner-search:of=[coloring:block=4x8,bricks=true],evaluations=300000"),
        ],
        d_only: false,
    },
];

/// Nothing of these is published.
pub(super) fn findings(options: &Options) -> Result<Vec<Finding>> {
    let tables = if options.quick { &TABLES[..1] } else { &TABLES[..] };
    let cells = tables.iter().flat_map(|t| t.systems.iter().map(move |s| (t, *s)));
    let cells: Vec<_> = cells.filter(|(_, (ns, _))| !options.quick || *ns <= 64).collect();
    let rows: Result<Vec<Vec<Finding>>> = cells.par_iter().map(|&(t, system)| row(t, system, options)).collect();
    Ok(rows?.into_iter().flatten().collect())
}

fn row(table: &Table, (ns, nd): (u32, u32), options: &Options) -> Result<Vec<Finding>> {
    let (machine, (p, q)) = (machine(ns, nd)?, grid(ns));
    let (routing, job) = (machine.routing("direct")?, machine.job(&format!("halo:grid={p}x{q}"))?);
    let columns = table.columns.iter();
    columns
        .map(|(head, mapping)| {
            let summary = machine.evaluate(&*routing, &job, mapping, options.seed)?;
            let (all, limit) = cell(&summary);
            let key = if table.d_only { ("ns", ns) } else { ("nd", nd) };
            Ok(Finding {
                computed: Some(if table.d_only { class(&summary, "D") } else { all }),
                bottleneck: (!table.d_only).then(|| limit.to_string()),
                ..Finding::new(table.item, &[(key.0, key.1.into())], *head)
            })
        })
        .collect()
}
