//! What the paper leaves open, and what becomes of it: perfect colourings with
//! sides of four tasks (section IV-C's remark), a careful mapping of quads to
//! nodes (its future work).

use super::{cell, class, grid, machine};
use crate::{Finding, Options};
use hopline::error::Result;
use rayon::prelude::*;

const FOUR: &str = "coloring:block=4x4";
const BRICKS: &str = "coloring:block=4x8,bricks=true";

/// What a cell shows.
#[derive(Clone, Copy)]
enum Shown {
    /// The throughput of D links alone.
    D,
    /// The throughput and the class that limits it.
    All,
    /// The throughput that no rearrangement inside supernodes exceeds.
    InnerBound,
}
use Shown::{All, D, InnerBound};

/// Direct routing, Halo: mappings by their heads.
struct Table {
    item: &'static str,
    /// The parameter that rows are named by.
    key: &'static str,
    systems: &'static [(u32, u32)],
    columns: &'static [(&'static str, &'static str, Shown)],
}

const TABLES: [Table; 4] = [
    Table {
        item: "Beyond section IV-C: D links alone, Halo, direct, over n_d",
        key: "ns",
        systems: &[(32, 1), (64, 1), (128, 1), (256, 1), (512, 1)],
        columns: &[("MOD CLR", "mod-coloring", D), ("4x4", FOUR, D), ("bricks 4x8", BRICKS, D)],
    },
    Table {
        item: "Beyond Table I: Halo, 32 supernodes, direct",
        key: "nd",
        systems: &[(32, 1), (32, 2), (32, 4), (32, 8), (32, 16)],
        columns: &[
            ("MOD CLR", "mod-coloring", All),
            ("inner", "inner-search:of=mod-coloring,evaluations=300000", All),
            ("no inner above", "mod-coloring", InnerBound),
            ("bricks, inner", "inner-search:of=[coloring:block=4x8,bricks=true],evaluations=300000", All),
            ("no inner, bricks, above", BRICKS, InnerBound),
        ],
    },
    Table {
        item: "Beyond Table I: Halo, 64 supernodes, direct",
        key: "nd",
        systems: &[(64, 1), (64, 2), (64, 4), (64, 8)],
        columns: &[("MOD CLR", "mod-coloring", All), ("4x4", FOUR, All), ("no inner above", FOUR, InnerBound)],
    },
    Table {
        item: "Beyond Table I: Halo, 64 supernodes, direct",
        key: "nd",
        // With 8 links 4x4 blocks have 160 GB/s as they are.
        systems: &[(64, 1), (64, 2), (64, 4)],
        columns: &[("4x4, inner", "inner-search:of=[coloring:block=4x4],evaluations=1000000", All)],
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
    let finding = |head, shown, mapping| {
        let finding = Finding::new(table.item, &[(table.key, if table.key == "ns" { ns } else { nd }.into())], head);
        if let InnerBound = shown {
            let computed = machine.inner_bound(&*routing, &job, mapping, "supernode")?;
            return Ok(Finding { computed, ..finding });
        }
        let summary = machine.evaluate(&*routing, &job, mapping, options.seed)?;
        let (all, limit) = cell(&summary);
        Ok(match shown {
            D => Finding { computed: Some(class(&summary, "D")), ..finding },
            _ => Finding { computed: Some(all), bottleneck: Some(limit.to_string()), ..finding },
        })
    };
    table.columns.iter().map(|&(head, mapping, shown)| finding(head, shown, mapping)).collect()
}
