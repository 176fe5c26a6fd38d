//! Open MPI's tuned component: classic rules and JSON. Sources:
//! `docs/tuning-apps/coll-tuned.rst`, `tuned_dynamic_file_schema.json`,
//! `ompi/mca/coll/base/coll_base_functions.h` (numbers of collectives).

use super::{Decisions, Rule, ends, lacks};
use crate::error::Result;
use std::fmt::Write as _;

/// Radix that `coll_tuned_bcast_knomial_radix` has unless it is set.
const RADIX: u32 = 4;

/// A collective of the component.
struct Operation {
    /// Its number in classic rules.
    number: u32,
    /// Its name in JSON.
    name: &'static str,
    /// What multiplies a size: sizes of some count what all ranks hold.
    scale: u64,
}

fn operation(d: &Decisions) -> Result<Operation> {
    let all = u64::from(d.ranks);
    let (number, name, scale) = match d.operation.as_str() {
        "allgather" => (0, "allgather", all),
        "allreduce" => (2, "allreduce", 1),
        "alltoall" => (3, "alltoall", all),
        "barrier" => (6, "barrier", 1),
        "broadcast" => (7, "bcast", 1),
        "reduce" => (11, "reduce", 1),
        "reduce-scatter" => (12, "reducescatter", all),
        other => return Err(lacks("Open MPI", other)),
    };
    Ok(Operation { number, name, scale })
}

/// Number and name of an algorithm.
fn algorithm(rule: &Rule, ranks: u32) -> Option<(u32, &'static str)> {
    Some(match rule.algorithm.as_str() {
        "binomial" => (6, "binomial"),
        "knomial" => (7, "knomial"),
        "chain" => (3, "pipeline"),
        // Its way with other numbers of ranks is not the one that is predicted.
        "scatter-doubling" if ranks.is_power_of_two() => (8, "scatter_allgather"),
        "scatter-ring" => (9, "scatter_allgather_ring"),
        "reduce-knomial" if rule.k == 2 => (5, "binomial"),
        "allreduce-doubling" => (3, "recursive_doubling"),
        "allreduce-ring" => (4, "ring"),
        "rabenseifner" => (6, "rabenseifner"),
        "allgather-bruck" => (2, "bruck"),
        "allgather-doubling" => (3, "recursive_doubling"),
        "allgather-ring" => (4, "ring"),
        "reduce-scatter-halving" => (2, "recursive_halving"),
        "reduce-scatter-ring" => (3, "ring"),
        "linear" => (1, "linear"),
        "pairwise" => (2, "pairwise"),
        "bruck" => (3, "modified_bruck"),
        "dissemination" => (4, "bruck"),
        _ => return None,
    })
}

pub(super) fn offers(_: &str, ranks: u32, rule: &Rule) -> bool {
    algorithm(rule, ranks).is_some()
}

fn known(rule: &Rule, ranks: u32) -> Result<(u32, &'static str)> {
    algorithm(rule, ranks).ok_or_else(|| lacks("Open MPI", &rule.algorithm))
}

pub(super) fn classic(d: &Decisions) -> Result<String> {
    let Operation { number, name, scale } = operation(d)?;
    let mut text = format!("1 # collectives\n{number} # {name}\n1 # communicator sizes\n{} # ranks\n", d.ranks);
    let _ = writeln!(text, "{} # sizes: bytes, algorithm, fan-out, segment", d.rules.len());
    for rule in &d.rules {
        let (number, name) = known(rule, d.ranks)?;
        let _ = write!(text, "{} {number} 0 {} # {name}", rule.from * scale, rule.segment);
        text.push_str(&if rule.algorithm == "knomial" && rule.k != RADIX {
            format!(", with --mca coll_tuned_bcast_knomial_radix {}\n", rule.k)
        } else {
            "\n".to_string()
        });
    }
    Ok(text)
}

pub(super) fn json(d: &Decisions) -> Result<String> {
    let Operation { name, scale, .. } = operation(d)?;
    let mut rules = Vec::new();
    for (rule, end) in ends(d) {
        let end = end.map_or("\"inf\"".to_string(), |e| ((e + 1) * scale - 1).to_string());
        let algorithm = known(rule, d.ranks)?.1;
        let segment = if rule.segment > 0 { format!(", \"seg_size\": {}", rule.segment) } else { String::new() };
        rules.push(format!(
            "          {{\"msg_size_min\": {}, \"msg_size_max\": {end}, \"alg\": \"{algorithm}\"{segment}}}",
            rule.from * scale
        ));
    }
    Ok(format!(
        "{{\n  \"rule_file_version\": 3,\n  \"module\": \"tuned\",\n  \"collectives\": {{\n    \"{name}\": [\n      {{\n        \
         \"comm_size_min\": {0},\n        \"comm_size_max\": {0},\n        \"rules\": [\n{1}\n        ]\n      }}\n    ]\n  }}\n}}\n",
        d.ranks,
        rules.join(",\n")
    ))
}
