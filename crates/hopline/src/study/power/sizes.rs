//! CG, of which the paper says that it uses less of PERCS than of a full mesh: by
//! nodes and ranks of a node, with BT beside it, whose shares are printed.

use super::links::{busy, percent};
use super::{DIRECT, ours};
use crate::demand::Demand;
use crate::error::Result;
use crate::study::machine::Machine;
use crate::study::{Finding, Key, Options};
use std::collections::BTreeSet;

/// Why CG is not below.
pub(super) const WHY: &str = "a pair inside a supernode is one link of both networks, and the full mesh has N/32 times as many: PERCS is \
    level on one supernode and above on more, for any ranks per node, as CG sums within rows of neighbouring ranks. It falls below \
    only where the D links that lead out of the job count as links, see `CG and BT by nodes and ranks of a node`";

const ITEM: &str = "Section IV: CG and BT by nodes and ranks of a node, percent of links used";

/// D links of a hub.
const D_LINKS: u64 = 16;

/// Nodes and ranks of a node.
const QUICK: [(u32, u32); 3] = [(32, 8), (64, 1), (64, 16)];
const FULL: [(u32, u32); 8] = [(32, 1), (32, 8), (64, 1), (64, 4), (64, 16), (128, 8), (256, 4), (1024, 1)];

/// Shares of a full mesh and of PERCS, and of PERCS with all D links of its hubs.
pub(super) fn by_job(options: &Options) -> Result<Vec<Finding>> {
    let jobs: &[(u32, u32)] = if options.quick { &QUICK } else { &FULL };
    let mut findings = Vec::new();
    for (&(nodes, each), kernel) in jobs.iter().flat_map(|job| ["CG", "BT"].map(|kernel| (job, kernel))) {
        let ranks = if kernel == "CG" { nodes * each } else { (nodes * each).isqrt().pow(2) };
        let machine = Machine::new(&format!("percs:ns={},nd=1,ll=24,lr=5,d=10,slots={each}", nodes.div_ceil(32)))?;
        let spec = format!("{}:class=A,iterations=1,ranks={ranks}", kernel.to_lowercase());
        let job = machine.schedule(&spec)?.demand()?;
        let (used, all) = busy(&machine, DIRECT, &job)?;
        let outside = u64::from(nodes) * D_LINKS + u64::from(nodes) * 31;
        let row = [("kernel", Key::from(kernel)), ("nodes", nodes.into()), ("ranks of a node", each.into())];
        let share = |of: u64| 100.0 * used as f64 / of.max(1) as f64;
        let mesh = mesh(&job, nodes, each);
        let printed = kernel == "BT" && (nodes, each) == (64, 16);
        let cell = |column: &str, published: f64, x: f64| match printed {
            true => percent(ITEM, &row, column, published, x),
            false => ours(ITEM, &row, column, x),
        };
        findings.push(cell("full mesh", 7.7, mesh));
        findings.push(cell("PERCS", 14.2, share(all)));
        findings.push(ours(ITEM, &row, "PERCS with 16 D links a hub", share(outside)));
    }
    Ok(findings)
}

/// Percent of the ordered pairs of nodes that talk, consecutive ranks on a node.
fn mesh(job: &Demand, nodes: u32, each: u32) -> f64 {
    let mut pairs = BTreeSet::new();
    job.each_pair(|from, to, _| {
        let pair = (from / each, to / each);
        if pair.0 != pair.1 {
            pairs.insert(pair);
        }
    });
    100.0 * pairs.len() as f64 / (f64::from(nodes) * f64::from(nodes - 1))
}
