//! UCC's tuning string. Source: `docs/user_guide.md`.

use super::{Decisions, Rule, ends, lacks};
use crate::error::Result;

fn algorithm(operation: &str, rule: &Rule) -> Option<&'static str> {
    Some(match (operation, rule.algorithm.as_str()) {
        ("broadcast", "knomial") => "knomial",
        ("broadcast", "scatter-ring" | "scatter-doubling") => "sag_knomial",
        ("reduce", "reduce-knomial") => "knomial",
        ("allreduce", "allreduce-doubling") => "knomial",
        ("allreduce", "rabenseifner") => "sra_knomial",
        ("allgather", "allgather-doubling") => "knomial",
        ("allgather", "allgather-ring") => "ring",
        ("allgather", "allgather-bruck") => "bruck",
        ("reduce-scatter", "reduce-scatter-ring") => "ring",
        ("reduce-scatter", "reduce-scatter-halving") => "knomial",
        ("alltoall", "pairwise") => "pairwise",
        ("alltoall", "bruck") => "bruck",
        _ => return None,
    })
}

pub(super) fn offers(operation: &str, _: u32, rule: &Rule) -> bool {
    algorithm(operation, rule).is_some()
}

pub(super) fn write(d: &Decisions) -> Result<String> {
    let operation = match d.operation.as_str() {
        "broadcast" => "bcast",
        "reduce-scatter" => "reduce_scatter",
        "barrier" => return Err(lacks("UCC", "barrier")),
        other => other,
    };
    let mut parts = Vec::new();
    for (rule, end) in ends(d) {
        let end = end.map_or("inf".to_string(), |e| (e + 1).to_string());
        let algorithm = algorithm(&d.operation, rule).ok_or_else(|| lacks("UCC", &rule.algorithm))?;
        parts.push(format!("{operation}:{}-{end}:host:[{1}-{1}]:inf:@{algorithm}", rule.from, d.ranks));
    }
    Ok(format!("UCC_TL_UCP_TUNE={}\n", parts.join("#")))
}
