//! The file of NCCL's example tuner plugin. Source:
//! `plugins/tuner/example/README.md` and `plugin.c`; sizes are those that
//! `ncclGetAlgoInfo` asks for: all that a rank holds in the end or the beginning.

use super::{Decisions, Rule, ends, lacks};
use crate::error::Result;
use std::fmt::Write as _;

/// All sizes: the plugin reads 64 bits.
const MOST: u64 = u64::MAX;

/// NCCL has trees for all-reduce alone.
fn algorithm(rule: &Rule) -> Option<&'static str> {
    Some(match rule.algorithm.as_str() {
        "chain" | "scatter-ring" | "allreduce-ring" | "allgather-ring" | "reduce-scatter-ring" => "ring",
        "allreduce-doubling" | "rabenseifner" => "tree",
        _ => return None,
    })
}

pub(super) fn offers(_: &str, _: u32, rule: &Rule) -> bool {
    algorithm(rule).is_some()
}

pub(super) fn write(d: &Decisions) -> Result<String> {
    let all = u64::from(d.ranks);
    let (operation, scale) = match d.operation.as_str() {
        "reduce-scatter" => ("reducescatter", all),
        "allgather" => ("allgather", all),
        other @ ("broadcast" | "allreduce") => (other, 1),
        other => return Err(lacks("NCCL", other)),
    };
    let mut text =
        String::from("# collective,min,max,algorithm,protocol,channels,nodes,ranks,pipe operations,registered\n");
    for (rule, end) in ends(d) {
        let algorithm = algorithm(rule).ok_or_else(|| lacks("NCCL", &rule.algorithm))?;
        let (from, end) = (rule.from * scale, end.map_or(MOST, |e| (e + 1) * scale - 1));
        let _ = writeln!(text, "{operation},{from},{end},{algorithm},simple,-1,{},{},-1,-1", d.hosts, d.ranks);
    }
    Ok(text)
}
