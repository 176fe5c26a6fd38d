//! Section V: an all-reduce for supernodes, made and measured as the all-to-all of section III.

use super::alltoall::{base, machine, run};
use super::ours;
use crate::{Finding, Key, Options};
use hopline::error::Result;
use hopline::replay::Record;
use rayon::prelude::*;

const ALGORITHMS: [&str; 4] = ["allreduce-ring", "allreduce-doubling", "rabenseifner", "allreduce-supernode"];

/// Milliseconds of an all-reduce over all cores of a supernode, and how often the supernode's is faster than the best other.
pub(super) fn times(options: &Options) -> Result<Vec<Finding>> {
    let (job, item) = (base(options), "Section V: milliseconds of an all-reduce in a supernode");
    let machine = machine(job)?;
    let mut findings = Vec::new();
    for bytes in [64 << 10, 1 << 20, 16 << 20] {
        let row = [("bytes", Key::Text(hopline::unit::bytes(bytes as f64)))];
        let time = |name: &&str| {
            let done = run(&machine, name, bytes, job, &Record::default())?;
            Ok(done.makespan() as f64 * 1e-9)
        };
        let times = ALGORITHMS.par_iter().map(time).collect::<Result<Vec<f64>>>()?;
        findings.extend(ALGORITHMS.iter().zip(&times).map(|(name, &ms)| ours(item, &row, name, ms)));
        let (own, others) = (times[3], &times[..3]);
        let best = others.iter().copied().fold(f64::INFINITY, f64::min);
        findings.push(ours(item, &row, "best other / supernode", best / own));
    }
    Ok(findings)
}
