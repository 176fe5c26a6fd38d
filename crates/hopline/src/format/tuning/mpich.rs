//! MPICH's selection of collectives. Source: `src/mpi/coll/src/csel.c` (what a
//! file may say) and Thakur, Rabenseifner, Gropp, "Optimization of collective
//! communication operations in MPICH" (2005), for the sizes at which MPICH changes algorithms.
//!
//! A file takes the place of MPICH's whole table: a collective that it lacks ends the
//! program. So all collectives are written, with the choices of that paper.

use super::{Decisions, Rule, ends, lacks};
use crate::error::Result;

/// Conditions and algorithms, tried in order; the last has no condition.
type Choices = &'static [(&'static str, &'static str)];

/// A collective in MPICH's words.
struct Collective {
    name: &'static str,
    /// Within a communicator, blocking; `MPIR_Name_` goes before.
    blocking: Choices,
    /// Within a communicator, not blocking; `MPIR_Iname_` goes before.
    other: Choices,
    /// Between communicators, not blocking; the blocking form goes by it.
    between: &'static str,
}

/// The same algorithms blocking and not, by their common names.
macro_rules! both {
    ($name:literal, $between:literal, $(($when:literal, $what:literal)),+) => {
        Collective {
            name: $name,
            blocking: &[$(($when, concat!("intra_", $what))),+],
            other: &[$(($when, concat!("intra_sched_", $what))),+],
            between: concat!("inter_sched_", $between),
        }
    };
}

/// One algorithm of each kind.
const fn plain(name: &'static str, blocking: Choices, other: Choices, between: &'static str) -> Collective {
    Collective { name, blocking, other, between }
}

const BY_OTHER: Choices = &[("", "allcomm_nb")];
const LINEAR: Choices = &[("", "allcomm_sched_linear")];

const ALL: &[Collective] = &[
    both!("bcast", "flat", ("avg_msg_size<=12288", "binomial"), ("avg_msg_size=any", "scatter_ring_allgather")),
    both!("allgather", "local_gather_remote_bcast", ("total_msg_size<81920", "brucks"), ("total_msg_size=any", "ring")),
    both!(
        "allgatherv",
        "remote_gather_local_bcast",
        ("total_msg_size<81920", "brucks"),
        ("total_msg_size=any", "ring")
    ),
    both!(
        "reduce",
        "local_reduce_remote_send",
        ("is_op_built_in=no", "binomial"),
        ("count<pow2", "binomial"),
        ("avg_msg_size<=2048", "binomial"),
        ("avg_msg_size=any", "reduce_scatter_gather")
    ),
    both!(
        "allreduce",
        "remote_reduce_local_bcast",
        ("is_op_built_in=no", "recursive_doubling"),
        ("count<pow2", "recursive_doubling"),
        ("avg_msg_size<=2048", "recursive_doubling"),
        ("avg_msg_size=any", "reduce_scatter_allgather")
    ),
    both!(
        "reduce_scatter",
        "remote_reduce_local_scatterv",
        ("is_commutative=no", "recursive_doubling"),
        ("total_msg_size<524288", "recursive_halving"),
        ("total_msg_size=any", "pairwise")
    ),
    both!(
        "reduce_scatter_block",
        "remote_reduce_local_scatterv",
        ("is_commutative=no", "recursive_doubling"),
        ("total_msg_size<524288", "recursive_halving"),
        ("total_msg_size=any", "pairwise")
    ),
    plain(
        "alltoall",
        &[
            ("is_sendbuf_inplace=yes", "intra_pairwise_sendrecv_replace"),
            ("avg_msg_size<=256", "intra_brucks"),
            ("avg_msg_size<=32768", "intra_scattered"),
            ("avg_msg_size=any", "intra_pairwise"),
        ],
        &[
            ("is_sendbuf_inplace=yes", "intra_sched_inplace"),
            ("avg_msg_size<=256", "intra_sched_brucks"),
            ("avg_msg_size<=32768", "intra_sched_permuted_sendrecv"),
            ("avg_msg_size=any", "intra_sched_pairwise"),
        ],
        "inter_sched_pairwise_exchange",
    ),
    plain("alltoallv", BY_OTHER, IN_PLACE_OR_BLOCKED, "inter_sched_pairwise_exchange"),
    plain("alltoallw", BY_OTHER, IN_PLACE_OR_BLOCKED, "inter_sched_pairwise_exchange"),
    plain("barrier", &[("", "intra_dissemination")], &[("", "intra_sched_recursive_doubling")], "inter_sched_bcast"),
    both!("gather", "short", ("", "binomial")),
    both!("scatter", "linear", ("", "binomial")),
    plain("gatherv", BY_OTHER, LINEAR, "allcomm_sched_linear"),
    plain("scatterv", BY_OTHER, LINEAR, "allcomm_sched_linear"),
    plain("scan", BY_OTHER, &[("", "intra_sched_recursive_doubling")], ""),
    plain("exscan", BY_OTHER, &[("", "intra_sched_recursive_doubling")], ""),
    plain("neighbor_allgather", BY_OTHER, LINEAR, ""),
    plain("neighbor_allgatherv", BY_OTHER, LINEAR, ""),
    plain("neighbor_alltoall", BY_OTHER, LINEAR, ""),
    plain("neighbor_alltoallv", BY_OTHER, LINEAR, ""),
    plain("neighbor_alltoallw", BY_OTHER, LINEAR, ""),
];

const IN_PLACE_OR_BLOCKED: Choices =
    &[("is_sendbuf_inplace=yes", "intra_sched_inplace"), ("is_sendbuf_inplace=no", "intra_sched_blocked")];

/// An operation of ours in MPICH's words.
struct Operation {
    /// The collectives that it is.
    names: &'static [&'static str],
    /// What is compared with a size; empty where it has none.
    measure: &'static str,
    /// What multiplies our size.
    scale: u64,
}

fn operation(d: &Decisions) -> Result<Operation> {
    let all = u64::from(d.ranks);
    let (names, measure, scale): (&[&str], _, _) = match d.operation.as_str() {
        "broadcast" => (&["bcast"], "avg_msg_size", 1),
        "reduce" => (&["reduce"], "avg_msg_size", 1),
        "allreduce" => (&["allreduce"], "avg_msg_size", 1),
        "alltoall" => (&["alltoall"], "avg_msg_size", 1),
        "allgather" => (&["allgather"], "total_msg_size", all),
        "reduce-scatter" => (&["reduce_scatter", "reduce_scatter_block"], "total_msg_size", all),
        "barrier" => (&["barrier"], "", 1),
        other => return Err(lacks("MPICH", other)),
    };
    Ok(Operation { names, measure, scale })
}

/// Doubling is for powers of two alone: with other numbers MPICH ends the program (allgather) or
/// has a way that is not the one that is predicted (broadcast).
fn algorithm(rule: &Rule, ranks: u32) -> Option<&'static str> {
    Some(match rule.algorithm.as_str() {
        "knomial" if rule.k == 2 => "intra_binomial",
        "scatter-doubling" if ranks.is_power_of_two() => "intra_scatter_recursive_doubling_allgather",
        "scatter-ring" => "intra_scatter_ring_allgather",
        "reduce-knomial" if rule.k == 2 => "intra_binomial",
        "allreduce-doubling" => "intra_recursive_doubling",
        "rabenseifner" => "intra_reduce_scatter_allgather",
        "allgather-bruck" => "intra_brucks",
        "allgather-doubling" if ranks.is_power_of_two() => "intra_recursive_doubling",
        "allgather-ring" => "intra_ring",
        "reduce-scatter-halving" => "intra_recursive_halving",
        "pairwise" => "intra_pairwise",
        "linear" => "intra_scattered",
        "bruck" => "intra_brucks",
        "dissemination" => "intra_dissemination",
        _ => return None,
    })
}

pub(super) fn offers(_: &str, ranks: u32, rule: &Rule) -> bool {
    algorithm(rule, ranks).is_some()
}

/// `"key": { ... }` at a depth.
fn node(depth: usize, key: &str, inside: &[String]) -> String {
    let pad = "  ".repeat(depth);
    if inside.is_empty() {
        return format!("{pad}\"{key}\": {{}}");
    }
    format!("{pad}\"{key}\": {{\n{}\n{pad}}}", inside.join(",\n"))
}

/// Conditions over algorithms of `prefix`.
fn choices(depth: usize, prefix: &str, choices: impl IntoIterator<Item = (String, &'static str)>) -> Vec<String> {
    let one = |(when, what): (String, &'static str)| {
        let leaf = |depth| node(depth, &format!("algorithm=MPIR_{prefix}_{what}"), &[]);
        if when.is_empty() { leaf(depth) } else { node(depth, &when, &[leaf(depth + 1)]) }
    };
    choices.into_iter().map(one).collect()
}

fn fixed(list: Choices) -> impl Iterator<Item = (String, &'static str)> {
    list.iter().map(|&(when, what)| (when.to_string(), what))
}

/// `bcast` as `Bcast`.
fn capital(name: &str) -> String {
    name[..1].to_uppercase() + &name[1..]
}

pub(super) fn write(d: &Decisions) -> Result<String> {
    let Operation { names, measure, scale } = operation(d)?;
    let mut rules = Vec::new();
    for (rule, end) in ends(d) {
        let name = algorithm(rule, d.ranks).ok_or_else(|| lacks("MPICH", &rule.algorithm))?;
        let when = match end {
            _ if measure.is_empty() => String::new(),
            Some(end) => format!("{measure}<={}", (end + 1) * scale - 1),
            None => format!("{measure}=any"),
        };
        rules.push((when, name));
    }
    if measure.is_empty() {
        rules.truncate(1);
    }
    let (mut within, mut between) = (Vec::new(), Vec::new());
    for c in ALL {
        let (name, other) = (capital(c.name), format!("I{}", c.name));
        let inside = if names.contains(&c.name) {
            // What an algorithm cannot do goes as in MPICH's own table: in place, few elements, operators of the user.
            let special =
                fixed(c.blocking).take_while(|(when, _)| when.starts_with("is_") || when.starts_with("count"));
            vec![
                node(3, &format!("comm_size<{}", d.ranks), &choices(4, &name, fixed(c.blocking))),
                node(3, &format!("comm_size<={}", d.ranks), &choices(4, &name, special.chain(rules.clone()))),
                node(3, "comm_size=any", &choices(4, &name, fixed(c.blocking))),
            ]
        } else {
            choices(3, &name, fixed(c.blocking))
        };
        within.push(node(2, &format!("collective={}", c.name), &inside));
        within.push(node(2, &format!("collective=i{}", c.name), &choices(3, &other, fixed(c.other))));
        if !c.between.is_empty() {
            between.push(node(2, &format!("collective={}", c.name), &choices(3, &name, fixed(BY_OTHER))));
            let only = [(String::new(), c.between)];
            between.push(node(2, &format!("collective=i{}", c.name), &choices(3, &other, only)));
        }
    }
    let both = [node(1, "comm_type=intra", &within), node(1, "comm_type=inter", &between)];
    Ok(format!("{{\n{}\n}}\n", both.join(",\n")))
}
