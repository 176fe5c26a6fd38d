//! Section IV: links that an application uses, and what that saves.

use super::applications::Application;
use super::{DIRECT, ours};
use crate::machine::Machine;
use crate::{Finding, Key, Options, Published, Verdict};
use hopline::demand::Demand;
use hopline::error::{Place, Result};
use hopline::files::Disk;
use hopline::params::Params;
use hopline::power::{Keep, Model, Power, is_cable, light};

/// The size of the job, which the paper does not print.
pub(super) const NODES: &str = "the paper prints neither nodes nor ranks of a node: on 79 nodes with 13 of 1,024 ranks each BT uses 7.7 % of a full mesh, \
    on 73 nodes with 4 of 289 ranks 14.2 % of PERCS, and no square number of ranks to 1,024 gives both, see `BT by nodes`";
/// Percent of the links that an application uses on the three networks.
pub(super) struct Use {
    pub(super) application: &'static Application,
    pub(super) mesh: f64,
    pub(super) percs: f64,
    pub(super) indirect: f64,
    pub(super) torus: f64,
    /// Percent of the machine's power saved on PERCS.
    pub(super) saved: f64,
}

/// Nodes of Figures 4 and 5, of one rank each.
pub(super) fn nodes(options: &Options) -> u32 {
    if options.quick { 256 } else { 1024 }
}

/// One of two values: that of --quick or that of the whole study.
pub(super) fn of_size([quick, whole]: [f64; 2], options: &Options) -> f64 {
    if options.quick { quick } else { whole }
}

/// The paper counts links: each takes the same watts, whatever its bandwidth.
pub(super) fn equal_links() -> Result<Model> {
    let equal = Params::from_spec("power:classes=[LL:on=5;LR:on=24;D:on=12]", &Place::new("study", 0))?;
    Model::read(&equal, &Disk)
}

/// Percent of the machine's power that is saved where unused cables are off.
pub(super) fn saved(machine: &Machine, job: &Demand) -> Result<f64> {
    let routing = machine.routing(DIRECT)?;
    let fabric = routing.fabric();
    let loads = hopline::loads::evaluate(job, &machine.places(&*routing, job, "default", 0)?, &*routing)?;
    let lit = light(fabric, &loads.load, Keep::default());
    Ok(100.0 * Power::new(fabric, &equal_links()?, &loads.load, &lit).machine_saving)
}

/// A machine of whole supernodes with that many ranks on a node.
pub(super) fn percs_of(nodes: u32, each: u32) -> String {
    format!("percs:ns={},nd=1,ll=24,lr=5,d=10,slots={each}", nodes.div_ceil(32))
}

/// Percent of the ordered pairs of `nodes` that talk, `each` consecutive ranks on one: the links of a full mesh.
pub(super) fn mesh(job: &Demand, nodes: u32, each: u32) -> f64 {
    let n = nodes as usize;
    let mut talk = vec![false; n * n];
    job.each_pair(|from, to, _| talk[(from / each) as usize * n + (to / each) as usize] = from / each != to / each);
    100.0 * talk.iter().filter(|&&t| t).count() as f64 / (n * (n - 1)).max(1) as f64
}

/// Percent of the cables' directions that carry anything.
pub(super) fn used(machine: &Machine, routing: &str, job: &Demand) -> Result<f64> {
    let (busy, count) = busy(machine, routing, job)?;
    Ok(100.0 * busy as f64 / count.max(1) as f64)
}

/// Directions of cables that carry anything, and how many there are.
pub(super) fn busy(machine: &Machine, routing: &str, job: &Demand) -> Result<(u64, u64)> {
    busy_under(machine, routing, "default", job)
}

pub(super) fn busy_under(machine: &Machine, routing: &str, mapping: &str, job: &Demand) -> Result<(u64, u64)> {
    let routing = machine.routing(routing)?;
    let fabric = routing.fabric();
    let places = machine.places(&*routing, job, mapping, 0)?;
    let loads = hopline::loads::evaluate(job, &places, &*routing)?;
    let links = fabric.link_ids().filter(|&l| is_cable(fabric, l));
    let (count, busy) = links.fold((0u64, 0u64), |(n, b), l| (n + 1, b + u64::from(loads.load[l.index()] > 0.0)));
    Ok((busy, count))
}

/// A percentage beside a printed one, to which it must round.
pub(super) fn percent(item: &str, row: &[(&'static str, Key)], column: &str, published: f64, computed: f64) -> Finding {
    let verdict = if rounds_to(computed, published) { Verdict::Match } else { Verdict::Differs };
    Finding { published: Some(Published::Number(published)), verdict, ..ours(item, row, column, computed) }
}

/// Whether a number is printed so, with one decimal place.
pub(super) fn rounds_to(computed: f64, printed: f64) -> bool {
    (computed - printed).abs() <= 0.05 + 1e-9
}
