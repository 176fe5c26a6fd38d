//! Decision files of communication libraries: which algorithm for which size.
//!
//! Sources: Open MPI, `docs/tuning-apps/coll-tuned.rst`; MPICH,
//! `src/mpi/coll/coll_selection.json`; UCC, `docs/user_guide.md`; NCCL,
//! `plugins/tuner/example/README.md`.

use crate::entry::{Entry, Listed};
use crate::error::{Error, Result, suggest};
use std::fmt::Write as _;

/// What was found best for one operation on one communicator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decisions {
    /// The operation, as `hopline collective` names it.
    pub operation: String,
    /// Ranks, and hosts that they run on.
    pub ranks: u32,
    /// Hosts.
    pub hosts: u32,
    /// Algorithms by size as the operation counts it: each from its own size up to the next one's, ascending.
    pub rules: Vec<Rule>,
}

/// From this size on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The smallest size in bytes.
    pub from: u64,
    /// The algorithm, as `hopline list collective` names it.
    pub algorithm: String,
    /// Bytes of its segments; 0 for none.
    pub segment: u64,
}

/// One library's form.
pub struct Tuning {
    entry: Entry,
    write: fn(&Decisions) -> Result<String>,
}

impl Listed for Tuning {
    fn entry(&self) -> &Entry {
        &self.entry
    }
}

const fn form(name: &'static str, summary: &'static str, doc: &'static str, example: &'static str) -> Entry {
    Entry { name, summary, doc, example, params: &[] }
}

/// All forms.
pub const TUNINGS: &[Tuning] = &[
    Tuning {
        entry: form(
            "openmpi",
            "Open MPI's tuned component, classic rules",
            "For mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE. One communicator size: \
             Open MPI uses it for larger ones too. Sizes are those of its table of collectives (alltoall, allgather and \
             reduce-scatter count all ranks).",
            "openmpi=rules.conf",
        ),
        write: openmpi,
    },
    Tuning {
        entry: form(
            "openmpi-json",
            "Open MPI 6's tuned component, rules as JSON",
            "Version 3 of the rules, first match; the same option as for classic rules.",
            "openmpi-json=rules.json",
        ),
        write: openmpi_json,
    },
    Tuning {
        entry: form(
            "mpich",
            "MPICH's selection of collectives, JSON",
            "For MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE. It replaces MPICH's own selection for this operation; others are left to \
             MPICH.",
            "mpich=selection.json",
        ),
        write: mpich,
    },
    Tuning {
        entry: form(
            "ucc",
            "UCC's tuning string",
            "One line for the environment: UCC_TL_UCP_TUNE, ranges of sizes for host memory and teams of exactly this size.",
            "ucc=ucc.env",
        ),
        write: ucc,
    },
    Tuning {
        entry: form(
            "nccl",
            "NCCL's example tuner plugin, CSV",
            "For NCCL_TUNER_CONFIG_FILE with the example plugin; ring and tree with protocol simple, channels left to NCCL.",
            "nccl=nccl_tuner.conf",
        ),
        write: nccl,
    },
];

/// Decisions in the form of a library.
///
/// # Errors
/// No form has that name, or the library has no such operation or algorithm; the error names it.
pub fn write(form: &str, decisions: &Decisions) -> Result<String> {
    let Some(tuning) = TUNINGS.iter().find(|t| t.entry.name == form) else {
        return Err(Error::input(format!("no decision file is called `{form}`"))
            .hint(suggest(form, TUNINGS.iter().map(|t| t.entry.name))));
    };
    (tuning.write)(decisions)
}

fn unknown(library: &str, what: &str) -> Error {
    Error::input(format!("{library} has no `{what}` to choose")).hint("name the algorithms to compare with --algorithm")
}

/// Id in Open MPI's table, name, and what multiplies a size there.
fn openmpi_operation(d: &Decisions) -> Result<(u32, &'static str, u64)> {
    let all = u64::from(d.ranks);
    Ok(match d.operation.as_str() {
        "allgather" => (0, "allgather", all),
        "allreduce" => (2, "allreduce", 1),
        "alltoall" => (3, "alltoall", all),
        "barrier" => (6, "barrier", 1),
        "broadcast" => (7, "bcast", 1),
        "reduce" => (11, "reduce", 1),
        "reduce-scatter" => (12, "reduce_scatter", all),
        other => return Err(unknown("Open MPI", other)),
    })
}

/// Number and name of an algorithm.
fn openmpi_algorithm(name: &str) -> Result<(u32, &'static str)> {
    Ok(match name {
        "binomial" => (6, "binomial"),
        "knomial" => (7, "knomial"),
        "chain" => (3, "pipeline"),
        "scatter-doubling" => (8, "scatter_allgather"),
        "scatter-ring" => (9, "scatter_allgather_ring"),
        "reduce-knomial" => (5, "binomial"),
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
        other => return Err(unknown("Open MPI", other)),
    })
}

fn openmpi(d: &Decisions) -> Result<String> {
    let (id, name, scale) = openmpi_operation(d)?;
    let mut text = format!("1 # collectives\n{id} # {name}\n1 # communicator sizes\n{} # ranks\n", d.ranks);
    let _ = writeln!(text, "{} # sizes: bytes, algorithm, fan-out, segment", d.rules.len());
    for rule in &d.rules {
        let (number, name) = openmpi_algorithm(&rule.algorithm)?;
        let _ = writeln!(text, "{} {number} 0 {} # {name}", rule.from * scale, rule.segment);
    }
    Ok(text)
}

/// The end of each rule: one less than the beginning of the next.
fn ends(d: &Decisions) -> impl Iterator<Item = (&Rule, Option<u64>)> {
    let next = d.rules.iter().skip(1).map(|r| Some(r.from - 1)).chain([None]);
    d.rules.iter().zip(next)
}

fn openmpi_json(d: &Decisions) -> Result<String> {
    let (_, name, scale) = openmpi_operation(d)?;
    let mut rules = Vec::new();
    for (rule, end) in ends(d) {
        let end = end.map_or("\"inf\"".to_string(), |e| ((e + 1) * scale - 1).to_string());
        let algorithm = openmpi_algorithm(&rule.algorithm)?.1;
        let segment = if rule.segment > 0 { format!(", \"segsize\": {}", rule.segment) } else { String::new() };
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

fn mpich(d: &Decisions) -> Result<String> {
    let operation = match d.operation.as_str() {
        "broadcast" => "bcast",
        "reduce-scatter" => "reduce_scatter_block",
        other => other,
    };
    let algorithm = |name: &str| {
        Ok(match name {
            "knomial" | "binomial" => "Bcast_intra_binomial",
            "scatter-doubling" => "Bcast_intra_scatter_recursive_doubling_allgather",
            "scatter-ring" => "Bcast_intra_scatter_ring_allgather",
            "reduce-knomial" => "Reduce_intra_binomial",
            "allreduce-doubling" => "Allreduce_intra_recursive_doubling",
            "rabenseifner" => "Allreduce_intra_reduce_scatter_allgather",
            "allreduce-ring" => "Allreduce_intra_ring",
            "allgather-bruck" => "Allgather_intra_brucks",
            "allgather-doubling" => "Allgather_intra_recursive_doubling",
            "allgather-ring" => "Allgather_intra_ring",
            "reduce-scatter-halving" => "Reduce_scatter_block_intra_recursive_halving",
            "pairwise" => "Alltoall_intra_pairwise",
            "linear" => "Alltoall_intra_scattered",
            "bruck" => "Alltoall_intra_brucks",
            "dissemination" => "Barrier_intra_k_dissemination",
            other => return Err(unknown("MPICH", other)),
        })
    };
    let mut sizes = Vec::new();
    for (rule, end) in ends(d) {
        let size = end.map_or("=any".to_string(), |e| format!("<={e}"));
        sizes.push(format!(
            "        \"avg_msg_size{size}\": {{ \"algorithm=MPIR_{}\": {{}} }}",
            algorithm(&rule.algorithm)?
        ));
    }
    Ok(format!(
        "{{\n  \"collective={operation}\": {{\n    \"comm_type=intra\": {{\n      \"comm_size={}\": {{\n{}\n      }}\n    }}\n  }}\n}}\n",
        d.ranks,
        sizes.join(",\n")
    ))
}

fn ucc(d: &Decisions) -> Result<String> {
    let operation = match d.operation.as_str() {
        "broadcast" => "bcast",
        "reduce-scatter" => "reduce_scatter",
        "barrier" => return Err(unknown("UCC", "barrier")),
        other => other,
    };
    let algorithm = |name: &str| {
        Ok(match name {
            "knomial" | "binomial" | "reduce-knomial" | "allreduce-doubling" | "allgather-doubling" => "knomial",
            "scatter-ring" | "scatter-doubling" => "sag_knomial",
            "rabenseifner" => "sra_knomial",
            "allreduce-ring" | "allgather-ring" | "reduce-scatter-ring" => "ring",
            "reduce-scatter-halving" => "knomial",
            "allgather-bruck" | "bruck" => "bruck",
            "pairwise" => "pairwise",
            other => return Err(unknown("UCC", other)),
        })
    };
    let mut parts = Vec::new();
    for (rule, end) in ends(d) {
        let end = end.map_or("inf".to_string(), |e| (e + 1).to_string());
        let algorithm = algorithm(&rule.algorithm)?;
        parts.push(format!("{operation}:{}-{end}:host:[{1}-{1}]:inf:@{algorithm}", rule.from, d.ranks));
    }
    Ok(format!("UCC_TL_UCP_TUNE={}\n", parts.join("#")))
}

/// All sizes, as the plugin's reader takes them.
const NCCL_MOST: u64 = 4_294_967_295;

fn nccl(d: &Decisions) -> Result<String> {
    let operation = match d.operation.as_str() {
        "reduce-scatter" => "reducescatter",
        other @ ("broadcast" | "reduce" | "allgather" | "allreduce") => other,
        other => return Err(unknown("NCCL", other)),
    };
    let mut text =
        String::from("# collective,min,max,algorithm,protocol,channels,nodes,ranks,pipe operations,registered\n");
    for (rule, end) in ends(d) {
        let algorithm = match rule.algorithm.as_str() {
            "chain" | "scatter-ring" | "allreduce-ring" | "allgather-ring" | "reduce-scatter-ring" => "ring",
            "binomial" | "knomial" | "reduce-knomial" | "allreduce-doubling" | "rabenseifner" => "tree",
            other => return Err(unknown("NCCL", other)),
        };
        let (from, end) = (rule.from.min(NCCL_MOST), end.unwrap_or(NCCL_MOST).min(NCCL_MOST));
        let _ = writeln!(text, "{operation},{from},{end},{algorithm},simple,-1,{},{},-1,-1", d.hosts, d.ranks);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decisions(operation: &str, algorithms: [&str; 2]) -> Decisions {
        let rule = |(from, name): (u64, &str)| Rule { from, algorithm: name.into(), segment: 0 };
        let rules = [(0, algorithms[0]), (4096, algorithms[1])].into_iter().map(rule).collect();
        Decisions { operation: operation.into(), ranks: 64, hosts: 8, rules }
    }

    #[test]
    fn decisions_are_written_for_every_library() {
        let d = decisions("broadcast", ["binomial", "scatter-ring"]);
        let text = write("openmpi", &d).expect("openmpi");
        assert!(text.contains("\n0 6 0 0") && text.contains("\n4096 9 0 0"), "{text}");
        let json: serde_json::Value = serde_json::from_str(&write("openmpi-json", &d).expect("json")).expect("valid");
        let rules = &json["collectives"]["bcast"][0]["rules"];
        assert_eq!((&rules[0]["msg_size_max"], &rules[1]["alg"]), (&4095.into(), &"scatter_allgather_ring".into()));
        let json: serde_json::Value = serde_json::from_str(&write("mpich", &d).expect("mpich")).expect("valid");
        assert!(json["collective=bcast"]["comm_type=intra"]["comm_size=64"]["avg_msg_size<=4095"].is_object());
        assert_eq!(
            write("ucc", &d).expect("ucc"),
            "UCC_TL_UCP_TUNE=bcast:0-4096:host:[64-64]:inf:@knomial#bcast:4096-inf:host:[64-64]:inf:@sag_knomial\n"
        );
        assert!(write("nccl", &d).expect("nccl").contains("broadcast,4096,4294967295,ring,simple,-1,8,64,-1,-1"));
    }

    #[test]
    fn sizes_count_all_ranks_where_open_mpi_does() {
        let text = write("openmpi", &decisions("alltoall", ["bruck", "pairwise"])).expect("openmpi");
        assert!(text.contains("262144 2 0 0 # pairwise"), "{text}");
    }

    #[test]
    fn what_a_library_lacks_is_named() {
        let error = write("nccl", &decisions("alltoall", ["bruck", "pairwise"])).expect_err("nccl").to_string();
        assert!(error.starts_with("NCCL has no `alltoall` to choose"), "{error}");
        assert!(
            write("nccll", &decisions("reduce", ["linear", "linear"]))
                .expect_err("form")
                .to_string()
                .contains("`nccl`")
        );
    }
}
