//! What moves the least share of unused links, which is NAMD's: one convention after the other is another one.

use super::applications::namd;
use super::links::{busy, percs_of};
use super::{DIRECT, ours};
use crate::machine::Machine;
use crate::{Finding, Key};
use hopline::error::Result;
use rayon::prelude::*;

/// A way to count, as unlike the first one as its name says.
struct Convention {
    name: &'static str,
    nodes: u32,
    /// Ranks of a node.
    each: u32,
    slabs: u32,
    routing: &'static str,
    /// Links that count though no message could use them, by supernodes.
    more: fn(u64) -> u64,
}

const BASE: Convention = Convention {
    name: "1,024 nodes of one rank, 64 slabs",
    nodes: 1024,
    each: 1,
    slabs: 64,
    routing: DIRECT,
    more: |_| 0,
};

const CONVENTIONS: [Convention; 13] = [
    BASE,
    Convention { name: "one slab", slabs: 1, ..BASE },
    Convention { name: "68 slabs, one rank in 15", slabs: 68, ..BASE },
    Convention { name: "128 slabs", slabs: 128, ..BASE },
    Convention { name: "256 slabs, one rank in 4", slabs: 256, ..BASE },
    Convention { name: "256 nodes of one rank", nodes: 256, ..BASE },
    Convention { name: "512 nodes of one rank", nodes: 512, ..BASE },
    Convention { name: "512 nodes of 2 ranks", nodes: 512, each: 2, ..BASE },
    Convention { name: "256 nodes of 4 ranks", nodes: 256, each: 4, ..BASE },
    Convention { name: "64 nodes of 16 ranks", nodes: 64, each: 16, ..BASE },
    Convention { name: "striped inside supernodes", routing: "direct", ..BASE },
    // Each hub has 16 D links, of which 31 a supernode lead to others here.
    Convention { name: "with D links that lead nowhere", more: |ns| 32 * 16 * ns - ns * (ns - 1), ..BASE },
    Convention { name: "with D links of a supernode to itself", more: |ns| ns, ..BASE },
];

/// Percent of PERCS links that NAMD never uses. The paper prints 52.4 for the application that uses most.
pub(super) fn least() -> Result<Vec<Finding>> {
    let unused = |c: &Convention| {
        let machine = Machine::new(&percs_of(c.nodes, c.each))?;
        let job = machine.schedule(&namd(c.nodes * c.each, c.slabs))?.demand()?;
        let (used, all) = busy(&machine, c.routing, &job)?;
        let all = all + (c.more)(u64::from(c.nodes / 32));
        let row = [("convention", Key::from(c.name))];
        let unused = 100.0 * (1.0 - used as f64 / all as f64);
        Ok(ours("Least unused by convention: percent of PERCS links that NAMD never uses", &row, "PERCS", unused))
    };
    CONVENTIONS.par_iter().map(unused).collect()
}
