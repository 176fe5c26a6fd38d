//! Traffic made of other traffic: added up, scaled, multiplied.

use super::{Context, Pattern, Traffic};
use crate::demand::{Block, Demand};
use crate::entry::{Entry, Param, param};
use crate::error::{Error, Result};
use crate::params::{Params, Reader, Specs, Value};

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

/// Several demands of one job at once: see the list.
#[derive(Debug, Clone)]
pub struct Sum {
    of: Vec<Pattern>,
}

impl Sum {
    /// Of two or more.
    ///
    /// # Errors
    /// There are fewer.
    pub fn new(of: Vec<Pattern>) -> Result<Sum> {
        Ok(Sum { of: several(of)? })
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<Sum> {
        Sum::new(nested(reader, context)?)
    }

    pub(super) fn params(&self) -> Params {
        Params::named(SUM.name).with("of", specs(&self.of))
    }

    pub(super) fn make(self) -> Result<Traffic> {
        let (mut entries, mut blocks, mut notes, mut grid) = (Vec::new(), Vec::new(), Vec::new(), None);
        let mut size = None;
        for part in self.of {
            let part = part.traffic().map_err(inside)?;
            let own = (part.demand.tasks(), part.demand.unit());
            let (tasks, unit) = *size.get_or_insert(own);
            if own.0 != tasks {
                let message = format!("demands of {tasks} and {} tasks cannot be added", own.0);
                return Err(Error::argument("of", message)
                    .hint("subset:of=[...],of_tasks=N puts a small one into a larger job"));
            }
            if own.1 != unit {
                let message = "a pattern and a demand in bytes cannot be added";
                return Err(Error::argument("of", message).hint("patterns count parts of what a task sends"));
            }
            entries.extend_from_slice(part.demand.entries());
            blocks.extend_from_slice(part.demand.blocks());
            grid = grid.or_else(|| part.demand.grid().cloned());
            notes.extend(part.notes);
        }
        let (tasks, unit) = size.ok_or_else(|| Error::argument("of", "nothing to add"))?;
        let demand = Demand::new(tasks, unit, entries, blocks)?;
        Ok(Traffic { demand: grid.into_iter().fold(demand, Demand::with_grid), notes })
    }
}

/// A demand times a number: see the list.
#[derive(Debug, Clone)]
pub struct Scale {
    of: Box<Pattern>,
    by: f64,
}

impl Scale {
    /// Every amount times `by`.
    ///
    /// # Errors
    /// `by` is not from 1e-30 to 1e30.
    pub fn new(of: impl Into<Pattern>, by: f64) -> Result<Scale> {
        Ok(Scale { of: Box::new(of.into()), by: checked_factor(by)? })
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<Scale> {
        // What is wrong with the number is said before what is wrong with the traffic.
        let by = checked_factor(reader.need("by")?)?;
        Scale::new(one(reader, context)?, by)
    }

    pub(super) fn params(&self) -> Params {
        Params::named(SCALE.name).with("of", &self.of.to_string()[..]).with("by", self.by)
    }

    pub(super) fn make(self) -> Result<Traffic> {
        let (Traffic { demand, notes }, by) = (self.of.traffic().map_err(inside)?, self.by);
        let entries = demand.entries().iter().map(|&(from, to, amount)| (from, to, amount * by)).collect();
        let blocks = demand.blocks().iter().map(|b| Block { amount: b.amount * by, ..b.clone() }).collect();
        let scaled = bounded(Demand::new(demand.tasks(), demand.unit(), entries, blocks))?;
        Ok(Traffic { demand: demand.grid().cloned().into_iter().fold(scaled, Demand::with_grid), notes })
    }
}

fn checked_factor(by: f64) -> Result<f64> {
    if (1e-30..=1e30).contains(&by) {
        return Ok(by);
    }
    Err(Error::argument("by", format!("`by` is {by}, expected a number above 0 and at most 1e30")))
}

/// The Kronecker product of demands: see the list.
#[derive(Debug, Clone)]
pub struct Product {
    of: Vec<Pattern>,
}

impl Product {
    /// Of two or more.
    ///
    /// # Errors
    /// There are fewer.
    pub fn new(of: Vec<Pattern>) -> Result<Product> {
        Ok(Product { of: several(of)? })
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<Product> {
        Product::new(nested(reader, context)?)
    }

    pub(super) fn params(&self) -> Params {
        Params::named(PRODUCT.name).with("of", specs(&self.of))
    }

    pub(super) fn make(self) -> Result<Traffic> {
        let mut parts = self.of.into_iter().map(|part| part.traffic().map_err(inside));
        let first = parts.next().ok_or_else(|| Error::argument("of", "nothing to multiply"))??;
        parts.try_fold(first, |left, right| {
            let right = right?;
            let demand = bounded(kronecker(&left.demand, &right.demand))?;
            Ok(Traffic { demand, notes: [left.notes, right.notes].concat() })
        })
    }
}

fn bounded(demand: Result<Demand>) -> Result<Demand> {
    // Of no key alone: the whole of the spec is to blame.
    let demand = demand.map_err(|e| e.refusing("demand"))?;
    let total = demand.total();
    if total <= MAX_TOTAL {
        Ok(demand)
    } else {
        Err(Error::argument("of", format!("{total:.3e} in all, expected at most 1e40")))
    }
}

/// What is wrong inside `of` is wrong with that key.
pub(super) fn inside(error: Error) -> Error {
    if error.refused().is_some() { error.refusing("of") } else { error }
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
pub(super) fn one(reader: &Reader, context: &Context<'_>) -> Result<Pattern> {
    inner(reader, context, &reader.need::<String>("of")?)
}

/// All traffic of `of`.
fn nested(reader: &Reader, context: &Context<'_>) -> Result<Vec<Pattern>> {
    let Specs(specs) = reader.need("of")?;
    enough(specs.len())?;
    specs.iter().map(|spec| inner(reader, context, spec)).collect()
}

/// Two kinds at least.
fn several(of: Vec<Pattern>) -> Result<Vec<Pattern>> {
    enough(of.len())?;
    Ok(of)
}

fn enough(kinds: usize) -> Result<()> {
    if kinds < 2 {
        let message = format!("`of` holds {kinds} kind of traffic, expected two or more");
        return Err(Error::argument("of", message).hint("such as of=[halo:grid=8x8;uniform:tasks=64]"));
    }
    Ok(())
}

/// As `of` has them; what holds a separator of its own stands in brackets.
fn specs(of: &[Pattern]) -> Value {
    let spec = |pattern: &Pattern| match pattern.to_string() {
        spec if spec.contains(';') => format!("[{spec}]"),
        spec => spec,
    };
    Value::Text(of.iter().map(spec).collect::<Vec<_>>().join(";"))
}

fn inner(reader: &Reader, context: &Context<'_>, spec: &str) -> Result<Pattern> {
    // Each kind within another takes a colon.
    if spec.matches(':').count() > MAX_DEPTH {
        return Err(reader.wrong("of", format!("more than {MAX_DEPTH} colons in one spec")));
    }
    Pattern::read(&Params::from_spec(spec, reader.place_of("of"))?, context)
}
