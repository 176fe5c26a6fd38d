//! Traffic made of other traffic: added up, scaled, multiplied.

use super::{Context, Traffic, build};
use crate::demand::{Block, Demand};
use crate::entry::{Entry, Param, param};
use crate::error::{Error, Result};
use crate::params::{Params, Reader, Specs};

pub(super) const SUM: Entry = Entry {
    name: "sum",
    summary: "several demands of one job at once",
    doc: "Task i sends to task j what it sends in all of them together. They must have as many tasks and the same unit; \
          the task grid is that of the first that has one.",
    example: "sum:of=[scale:of=halo,by=0.9;scale:of=uniform,by=0.1]",
    params: &[OF],
};

pub(super) const SCALE: Entry = Entry {
    name: "scale",
    summary: "a demand times a number",
    doc: "Every amount times `by`, a number above 0: iterations of a recorded step, or the weight of a part of a sum.",
    example: "scale:of=[matrix:testdata/matrices/lammps-melt-64.csv],by=100",
    params: &[ONE, param("by", "number", "", "the factor")],
};

pub(super) const PRODUCT: Entry = Entry {
    name: "product",
    summary: "the Kronecker product of demands: a pattern of patterns",
    doc: "Of A with nA tasks and B with nB: task i*nB+j sends A(i,k)*B(j,l) to task k*nB+l, for more than two from left to \
          right. product:of=[halo:grid=8x8;alltoall:tasks=16] is a halo of groups of 16 tasks in which every task of a \
          group sends to every task of the next. Give every pattern its size. In bytes where one of them is (the others \
          are parts of one), never two. Pairs of tasks are written out, at most 16,777,216 of them.\n\
          Source: Leskovec et al., Kronecker Graphs, JMLR 11 (2010), section 2.",
    example: "product:of=[halo:grid=8x8;alltoall:tasks=16]",
    params: &[OF],
};

const OF: Param = param("of", "specs", "", "two or more kinds of traffic with `;` between them, or a TOML array");
pub(super) const ONE: Param = param("of", "spec", "", "the traffic");

/// Nested kinds deeper than any that is meant, and shallow enough for the stack.
const MAX_DEPTH: usize = 200;

/// The most pairs of a product.
const MAX_PAIRS: u64 = 1 << 24;

/// More in all is refused, so that no sum of demands is infinite.
const MAX_TOTAL: f64 = 1e40;

pub(super) fn sum(reader: &Reader, context: &Context<'_>) -> Result<Traffic> {
    let mut parts = several(reader, context)?.into_iter();
    let (mut entries, mut blocks, mut notes, mut grid) = (Vec::new(), Vec::new(), Vec::new(), None);
    let mut size = None;
    for part in parts.by_ref() {
        let own = (part.demand.tasks(), part.demand.unit());
        let (tasks, unit) = *size.get_or_insert(own);
        if own.0 != tasks {
            let message = format!("demands of {tasks} and {} tasks cannot be added", own.0);
            return Err(reader
                .wrong("of", message)
                .hint("subset:of=[...],of_tasks=N puts a small one into a larger job"));
        }
        if own.1 != unit {
            let message = "a pattern and a demand in bytes cannot be added";
            return Err(reader.wrong("of", message).hint("patterns count parts of what a task sends"));
        }
        entries.extend_from_slice(part.demand.entries());
        blocks.extend_from_slice(part.demand.blocks());
        grid = grid.or_else(|| part.demand.grid().cloned());
        notes.extend(part.notes);
    }
    let (tasks, unit) = size.ok_or_else(|| reader.wrong("of", "nothing to add"))?;
    let demand = Demand::new(tasks, unit, entries, blocks)?;
    Ok(Traffic { demand: grid.into_iter().fold(demand, Demand::with_grid), notes })
}

pub(super) fn scale(reader: &Reader, context: &Context<'_>) -> Result<Traffic> {
    let by: f64 = reader.need("by")?;
    if !(1e-30..=1e30).contains(&by) {
        return Err(reader.wrong("by", format!("`by` is {by}, expected a number above 0 and at most 1e30")));
    }
    let Traffic { demand, notes } = one(reader, context)?;
    let entries = demand.entries().iter().map(|&(from, to, amount)| (from, to, amount * by)).collect();
    let blocks = demand.blocks().iter().map(|b| Block { amount: b.amount * by, ..b.clone() }).collect();
    let scaled = bounded(Demand::new(demand.tasks(), demand.unit(), entries, blocks), reader)?;
    Ok(Traffic { demand: demand.grid().cloned().into_iter().fold(scaled, Demand::with_grid), notes })
}

pub(super) fn product(reader: &Reader, context: &Context<'_>) -> Result<Traffic> {
    let mut parts = several(reader, context)?.into_iter();
    let first = parts.next().ok_or_else(|| reader.wrong("of", "nothing to multiply"))?;
    parts.try_fold(first, |left, right| {
        let demand = bounded(kronecker(&left.demand, &right.demand), reader)?;
        Ok(Traffic { demand, notes: [left.notes, right.notes].concat() })
    })
}

fn bounded(demand: Result<Demand>, reader: &Reader) -> Result<Demand> {
    let demand = demand.map_err(|e| e.at(reader.place()))?;
    let total = demand.total();
    if total <= MAX_TOTAL {
        Ok(demand)
    } else {
        Err(reader.wrong("of", format!("{total:.3e} in all, expected at most 1e40")))
    }
}

fn kronecker(a: &Demand, b: &Demand) -> Result<Demand> {
    use crate::demand::Unit::{Bytes, Units};
    let unit = match (a.unit(), b.unit()) {
        (Units, Units) => Units,
        (Bytes, Bytes) => {
            return Err(Error::input("bytes times bytes are no bytes")
                .hint("a product takes one demand in bytes at most, the others are patterns"));
        }
        _ => Bytes,
    };
    let tasks = a.tasks().checked_mul(b.tasks()).filter(|_| a.pairs().saturating_mul(b.pairs()) <= MAX_PAIRS);
    let tasks = tasks.ok_or_else(|| {
        Error::input(format!("a product of {} x {} pairs of tasks, expected at most {MAX_PAIRS}", a.pairs(), b.pairs()))
            .hint("give each pattern its size, such as alltoall:tasks=16")
    })?;
    let mut entries = Vec::new();
    a.each_pair(|i, k, x| b.each_pair(|j, l, y| entries.push((i * b.tasks() + j, k * b.tasks() + l, x * y))));
    Demand::new(tasks, unit, entries, Vec::new())
}

/// The traffic of `of`.
pub(super) fn one(reader: &Reader, context: &Context<'_>) -> Result<Traffic> {
    nested(reader, context, &reader.need::<String>("of")?)
}

/// The traffic of `of`, two kinds at least.
fn several(reader: &Reader, context: &Context<'_>) -> Result<Vec<Traffic>> {
    let Specs(specs) = reader.need("of")?;
    if specs.len() < 2 {
        let message = format!("`of` holds {} kind of traffic, expected two or more", specs.len());
        return Err(reader.wrong("of", message).hint("such as of=[halo:grid=8x8;uniform:tasks=64]"));
    }
    specs.iter().map(|spec| nested(reader, context, spec)).collect()
}

fn nested(reader: &Reader, context: &Context<'_>, spec: &str) -> Result<Traffic> {
    // Each kind within another takes a colon.
    if spec.matches(':').count() > MAX_DEPTH {
        return Err(reader.wrong("of", format!("more than {MAX_DEPTH} colons in one spec")));
    }
    build(&Params::from_spec(spec, reader.place_of("of"))?, context)
}
