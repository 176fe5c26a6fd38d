//! Shares of links by the size of the job: BT, whose shares are printed, by nodes;
//! and CG, of which the paper says that it uses less of PERCS than of a full
//! mesh, beside it by nodes and ranks of a node.

use super::links::{busy, mesh, percs_of, rounds_to, used};
use super::{DIRECT, ours};
use crate::machine::Machine;
use crate::{Finding, Key, Options};
use hopline::error::Result;

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
pub(super) fn by_ranks(options: &Options) -> Result<Vec<Finding>> {
    let jobs: &[(u32, u32)] = if options.quick { &QUICK } else { &FULL };
    let mut findings = Vec::new();
    for (&(nodes, each), kernel) in jobs.iter().flat_map(|job| ["CG", "BT"].map(|kernel| (job, kernel))) {
        let ranks = if kernel == "CG" { nodes * each } else { (nodes * each).isqrt().pow(2) };
        let machine = Machine::new(&percs_of(nodes, each))?;
        let spec = format!("{}:class=A,iterations=1,ranks={ranks}", kernel.to_lowercase());
        let job = machine.schedule(&spec)?.demand()?;
        let (used, all) = busy(&machine, DIRECT, &job)?;
        let outside = u64::from(nodes) * D_LINKS + u64::from(nodes) * 31;
        let row = [("kernel", Key::from(kernel)), ("nodes", nodes.into()), ("ranks of a node", each.into())];
        let share = |of: u64| 100.0 * used as f64 / of.max(1) as f64;
        let mesh = mesh(&job, nodes, each);
        findings.push(ours(ITEM, &row, "full mesh", mesh));
        findings.push(ours(ITEM, &row, "PERCS", share(all)));
        findings.push(ours(ITEM, &row, "PERCS with 16 D links a hub", share(outside)));
    }
    Ok(findings)
}

/// Nodes and ranks of a node, of a square number of ranks or just above one.
const BT: [(u32, u32, u32); 9] = [
    (64, 1, 64),
    (81, 1, 81),
    (100, 1, 100),
    (79, 13, 1024),
    (73, 4, 289),
    (144, 1, 144),
    (256, 1, 256),
    (400, 1, 400),
    (1024, 1, 1024),
];

/// What BT uses at other sizes: the share of a full mesh says how many nodes the paper's run had.
pub(super) fn by_nodes(options: &Options) -> Result<Vec<Finding>> {
    let sizes = if options.quick { &BT[..5] } else { &BT[..] };
    let item = "BT by nodes and ranks";
    let mut findings = Vec::new();
    for &(nodes, each, ranks) in sizes {
        let machine = Machine::new(&percs_of(nodes, each))?;
        let job = machine.schedule(&format!("bt:class=A,iterations=1,ranks={ranks}"))?.demand()?;
        let row = [("nodes", Key::from(nodes)), ("ranks", ranks.into())];
        findings.push(ours(item, &row, "full mesh", mesh(&job, nodes, each)));
        findings.push(ours(item, &row, "PERCS", used(&machine, DIRECT, &job)?));
    }
    findings.push(ours(
        item,
        &[],
        "numbers of ranks to 1,024 and of a node to 32 with both 7.7 and 14.2",
        both()? as f64,
    ));
    Ok(findings)
}

/// How many jobs of BT use 7.7 % of a full mesh and 14.2 % of PERCS.
fn both() -> Result<usize> {
    let mut found = 0;
    for (side, each) in (4..=32u32).flat_map(|side| (1..=32).map(move |each| (side, each))) {
        let (ranks, nodes) = (side * side, (side * side).div_ceil(each));
        // A node that talks with all others, or with one of them, is no 7.7 %.
        if !(32..=128).contains(&nodes) {
            continue;
        }
        let machine = Machine::new(&percs_of(nodes, each))?;
        let job = machine.schedule(&format!("bt:class=A,iterations=1,ranks={ranks}"))?.demand()?;
        let is_mesh = rounds_to(mesh(&job, nodes, each), 7.7);
        found += usize::from(is_mesh && rounds_to(used(&machine, DIRECT, &job)?, 14.2));
    }
    Ok(found)
}
