//! Decision files of communication libraries: which algorithm for which size.
//! One library is one file here.

mod mpich;
mod nccl;
mod openmpi;
mod ucc;

use crate::entry::{Entry, Listed};
use crate::error::{Error, Result, suggest};

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
    /// Radix of its tree, where it has one.
    pub k: u32,
}

impl Decisions {
    /// The fastest algorithm of each size, out of those that the library of `form` has: each from its size on, the first from
    /// 0. Algorithms of a size are rules with the seconds that they take; where the library has none of them the fastest stays,
    /// for [`write()`] to name.
    ///
    /// # Errors
    /// No form has that name.
    pub fn fastest(
        form: &str,
        operation: &str,
        (ranks, hosts): (u32, u32),
        mut sizes: Vec<Vec<(Rule, f64)>>,
    ) -> Result<Decisions> {
        let form = tuning(form)?;
        sizes.sort_by_key(|tried| tried.first().map_or(0, |(rule, _)| rule.from));
        let mut rules: Vec<Rule> = Vec::new();
        for tried in &sizes {
            let offered = |tried: &&(Rule, f64)| (form.offers)(operation, ranks, &tried.0);
            let least = |a: &&(Rule, f64), b: &&(Rule, f64)| a.1.total_cmp(&b.1);
            let best = tried.iter().filter(offered).min_by(least).or(tried.iter().min_by(least));
            let Some((best, _)) = best else { continue };
            if rules.last().is_none_or(|last| last.algorithm != best.algorithm) {
                rules.push(Rule { from: if rules.is_empty() { 0 } else { best.from }, ..best.clone() });
            }
        }
        Ok(Decisions { operation: operation.to_string(), ranks, hosts, rules })
    }
}

/// One library's form.
pub struct Tuning {
    entry: Entry,
    write: fn(&Decisions) -> Result<String>,
    /// Whether the library has the algorithm of a rule for an operation of so many ranks.
    offers: fn(&str, u32, &Rule) -> bool,
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
             reduce-scatter count all ranks). A k-nomial broadcast with another radix than 4 needs the option that the file \
             names beside it; a reduction is binomial (--k 2).",
            "openmpi=rules.conf",
        ),
        write: openmpi::classic,
        offers: openmpi::offers,
    },
    Tuning {
        entry: form(
            "openmpi-json",
            "Open MPI 6's tuned component, rules as JSON",
            "Version 3 of the rules, first match; the same option as for classic rules.",
            "openmpi-json=rules.json",
        ),
        write: openmpi::json,
        offers: openmpi::offers,
    },
    Tuning {
        entry: form(
            "mpich",
            "MPICH's selection of collectives, JSON",
            "For MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, with MPIR_CVAR_DEVICE_COLLECTIVES=none: else MPICH splits an operation \
             by hosts before it looks. The file takes the place of MPICH's table for all collectives, so it names them all; those \
             beside this operation change algorithms at the sizes that MPICH's authors publish. Communicators of another size \
             than this one too. MPICH's binomial trees are --k 2.",
            "mpich=selection.json",
        ),
        write: mpich::write,
        offers: mpich::offers,
    },
    Tuning {
        entry: form(
            "ucc",
            "UCC's tuning string",
            "One line for the environment: UCC_TL_UCP_TUNE, ranges of sizes for host memory and teams of exactly this size.",
            "ucc=ucc.env",
        ),
        write: ucc::write,
        offers: ucc::offers,
    },
    Tuning {
        entry: form(
            "nccl",
            "NCCL's example tuner plugin, CSV",
            "For NCCL_TUNER_CONFIG_FILE with the example plugin; rings, and trees for all-reduce, with protocol simple, channels \
             left to NCCL. Sizes of allgather and reduce-scatter count all ranks.",
            "nccl=nccl_tuner.conf",
        ),
        write: nccl::write,
        offers: nccl::offers,
    },
];

fn tuning(form: &str) -> Result<&'static Tuning> {
    TUNINGS.iter().find(|t| t.entry.name == form).ok_or_else(|| {
        Error::input(format!("no decision file is called `{form}`"))
            .hint(suggest(form, TUNINGS.iter().map(|t| t.entry.name)))
    })
}

/// Whether a form is one of these.
///
/// # Errors
/// No form has that name.
pub fn check_form(form: &str) -> Result<()> {
    tuning(form).map(drop)
}

/// Whether decisions may rest on a model whose keys were given in these words, such as `L=770,o=400`.
///
/// # Errors
/// Neither L nor o is among them: a library would obey times of messages that cost nothing.
pub fn check_latency(form: &str, given: &str) -> Result<()> {
    if given.split(',').any(|key| key.starts_with("L=") || key.starts_with("o=")) {
        return Ok(());
    }
    Err(Error::input(format!("the file for {form} would rest on messages without latency"))
        .hint("give what a message takes on your machine in ns, such as L=770,o=400; L=0 says that 0 is meant"))
}

/// Whether the library of a form has the algorithm of a rule for an operation of so many ranks.
///
/// # Errors
/// No form has that name.
pub fn offers(form: &str, operation: &str, ranks: u32, rule: &Rule) -> Result<bool> {
    Ok((tuning(form)?.offers)(operation, ranks, rule))
}

/// Decisions in the form of a library.
///
/// # Errors
/// No form has that name, or the library has no such operation or algorithm; the error names it.
pub fn write(form: &str, decisions: &Decisions) -> Result<String> {
    (tuning(form)?.write)(decisions)
}

/// The library cannot choose that operation or algorithm.
fn lacks(library: &str, what: &str) -> Error {
    Error::input(format!("{library} has no `{what}` to choose")).hint("name the algorithms to compare")
}

/// The end of each rule: one less than the beginning of the next.
fn ends(d: &Decisions) -> impl Iterator<Item = (&Rule, Option<u64>)> {
    let next = d.rules.iter().skip(1).map(|r| Some(r.from - 1)).chain([None]);
    d.rules.iter().zip(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decisions(operation: &str, algorithms: [&str; 2]) -> Decisions {
        let rule = |(from, name): (u64, &str)| Rule { from, algorithm: name.into(), segment: 0, k: 2 };
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
        let doubling = Rule { from: 0, algorithm: "allgather-doubling".into(), segment: 0, k: 2 };
        let offered = |ranks: u32| offers("mpich", "allgather", ranks, &doubling).expect("a form");
        assert!(offered(64) && !offered(63), "MPICH ends a program that doubles with 63 ranks");
        let d = decisions("broadcast", ["knomial", "scatter-ring"]);
        let json: serde_json::Value = serde_json::from_str(&write("mpich", &d).expect("mpich")).expect("valid");
        let chosen = &json["comm_type=intra"]["collective=bcast"]["comm_size<=64"]["avg_msg_size<=4095"];
        assert!(chosen["algorithm=MPIR_Bcast_intra_binomial"].is_object());
        assert_eq!(
            write("ucc", &d).expect("ucc"),
            "UCC_TL_UCP_TUNE=bcast:0-4096:host:[64-64]:inf:@knomial#bcast:4096-inf:host:[64-64]:inf:@sag_knomial\n"
        );
        let d = decisions("allgather", ["allgather-ring", "allgather-ring"]);
        let text = write("nccl", &d).expect("nccl");
        // The plugin is asked for what all ranks hold together, in 64 bits.
        assert!(text.contains("allgather,0,262143,ring,simple,-1,8,64,-1,-1\nallgather,262144,18446744073709551615,"));
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
