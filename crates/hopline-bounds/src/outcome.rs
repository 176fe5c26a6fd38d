//! The answer to "how fast can this collective be here, and how near do the usual algorithms come?".

use schemars::JsonSchema;
use serde::Serialize;

/// Least time of a collective, and that of the usual algorithms.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BoundOutcome {
    /// The fabric.
    pub fabric: String,
    /// Its routing; null where the fabric has links of one direction, along which messages take shortest ways.
    pub routing: Option<String>,
    /// The operation.
    pub operation: String,
    /// What a size counts.
    pub size_of: String,
    /// Number of ranks.
    pub ranks: u32,
    /// The rank that spreads or collects; null for operations without one.
    pub root: Option<u32>,
    /// What can be said.
    pub verdict: Verdict,
    /// What switches are taken to do beside passing on: `copy`, `reduce`; empty for plain ones.
    pub switches: Vec<String>,
    /// What no schedule can beat, and what proves it.
    pub bound: Proven,
    /// What a linear program proves beyond that; null where it was not solved: for other operations than allreduce and all-to-all,
    /// but allgather and reduce-scatter where a switch is unbalanced, and for too many ranks.
    pub program: Option<Programmed>,
    /// Seconds that the latency of links alone takes between some two ranks, whatever the routes; 0 where links have none.
    pub latency_s: f64,
    /// What no schedule can beat on the routes as they are; null where that is not worked out: for other operations than
    /// allgather, reduce-scatter and all-to-all, and for more than 64 ranks (of all-to-all only relays are left out then).
    pub tables: Option<Tables>,
    /// The usual algorithms on the routes, in each order of the ranks that was asked for; best first.
    pub algorithms: Vec<OnRoutes>,
    /// One for each size that was asked for.
    pub sizes: Vec<Sized>,
    /// What was assumed or left out.
    pub notes: Vec<String>,
}

/// What can be said.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Verdict {
    /// `optimal`: an algorithm is within 0.5 % of the bound; `gap`: none is; `bound`: no algorithm was looked at.
    pub kind: String,
    /// The same in a sentence.
    pub sentence: String,
    /// The best algorithm's seconds per GB over the bound's; null where none was looked at.
    pub of_bound: Option<f64>,
}

/// A bound with its certificate.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Proven {
    /// `cut`: what the ranks of a set own must leave it (or their results enter it); `separation`: two ranks that links keep apart;
    /// `pairs`: blocks between a set and the others; `volume`: what ranks must send, if only they add up; `volume-in`: what they must receive.
    pub kind: String,
    /// Seconds per GB (10^9 bytes) of the size.
    pub seconds_per_gb: f64,
    /// The same, exactly: a fraction in lowest terms.
    pub fraction: String,
    /// GB of data over time, as nccl-tests counts it: of all shards for allgather and reduce-scatter, else of the size.
    pub algbw_gb_s: f64,
    /// The ranks outside the certificate's set; empty for a volume.
    pub left_out: Vec<String>,
    /// Pieces that pass, one for a separation: of a GB each they take the sum of the links' time.
    pub pieces: u64,
    /// The links that they pass.
    pub links: Vec<Crossed>,
    /// What these take together, GB/s.
    pub sum_gb_s: f64,
}

/// A bound by linear programming.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Programmed {
    /// `flow`: blocks of all pairs at once on any routes, for any schedule; `trees`: of schedules that add up along trees of ranks
    /// and spread along others, on any routes.
    pub kind: String,
    /// Seconds per GB (10^9 bytes) of the size, as its proof has it.
    pub seconds_per_gb: f64,
    /// That over the bound of the cut.
    pub of_bound: f64,
    /// Seconds per GB of a flow that is known, as near as the search came; null for trees.
    pub reached_seconds_per_gb: Option<f64>,
    /// The same as `seconds_per_gb` if switches copied and added up; null for a flow.
    pub switches_reduce_and_copy_seconds_per_gb: Option<f64>,
    /// The proof of a flow: links with their part of all prices, dearest first. A byte on a link costs its part over its bandwidth;
    /// what the blocks of all pairs cost by cheapest ways is `seconds_per_gb`. Empty for trees.
    pub limiting: Vec<Limiting>,
    /// The proof of trees; empty for a flow. A link's price is, in the dearer phase, the weights of the sets that it leaves (where
    /// data are added up: enters), less the potential of where it starts, and the potential of where it ends. What the sets of
    /// a rank weigh together (the least of all ranks; of a shard all ranks' together), over all GB/s times prices, is
    /// `seconds_per_gb`.
    pub phases: Vec<PhaseProof>,
}

/// Least time on the routes as they are.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Tables {
    /// `relayed`: ranks may pass on what they have got; `direct`: every block goes straight from its source to its target.
    pub kind: String,
    /// Seconds per GB (10^9 bytes) of the size.
    pub seconds_per_gb: f64,
    /// That over the bound's: what the routes cost, whatever the schedule (of `direct` messages: whatever their order).
    pub of_bound: f64,
    /// Its proof: links with their part of all prices, dearest first. A byte on a link costs its part over its bandwidth, one
    /// between two ranks what the links of its route cost. Of all-to-all, what the blocks of all pairs cost by cheapest ways over
    /// ranks is `seconds_per_gb`.
    pub limiting: Vec<Limiting>,
    /// The rest of the proof of an allgather or a reduce-scatter: sets of ranks with weights. The weights of all sets that a message
    /// from one rank to another leaves (of a reduce-scatter: enters) are together at most what a byte on that way costs; ranks times weight, over all sets, are
    /// `seconds_per_gb`. Empty for others.
    pub sets: Vec<WeightedSet>,
    /// The same for direct messages, of all-to-all; null for other operations.
    pub direct_seconds_per_gb: Option<f64>,
}

/// A link that limits what routes can do.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Limiting {
    /// The link.
    pub link: String,
    /// GB/s; null where it has no part of its own in a linear program.
    pub gb_s: Option<f64>,
    /// Its part of all prices, 1 where it is the only one.
    pub part: f64,
}

/// What proves the time of trees while data spread, or while they are added up.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PhaseProof {
    /// Whether data are added up.
    pub adds: bool,
    /// Its sets.
    pub sets: Vec<NamedSet>,
    /// Potentials of switches that only pass on, where they are not 0.
    pub potentials: Vec<Potential>,
}

/// A set of ranks and switches.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct NamedSet {
    /// Their names.
    pub members: Vec<String>,
    /// Its weight.
    pub weight: f64,
}

/// The potential of a switch, or of several that unlimited links join.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Potential {
    /// Their names.
    pub members: Vec<String>,
    /// The potential.
    pub value: f64,
}

/// A set of ranks of a proof.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct WeightedSet {
    /// Its ranks.
    pub ranks: Vec<u32>,
    /// Its weight, seconds per GB.
    pub weight: f64,
}

/// A link of a certificate.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Crossed {
    /// Where it starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// GB/s.
    pub gb_s: f64,
}

/// An algorithm on the routes of the fabric.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct OnRoutes {
    /// Its name.
    pub algorithm: String,
    /// The order of the ranks: `default` or `optimised`.
    pub order: String,
    /// The rank at each place of that order; null for the default.
    pub ranks: Option<Vec<u32>>,
    /// Seconds per GB of the size: the sum over its steps of the time of the busiest link.
    pub seconds_per_gb: f64,
    /// That over the larger of the bound's and the program's.
    pub of_bound: f64,
    /// Seconds per GB of the link that is busiest over all steps: what is left if steps do not wait for each other.
    pub busiest_seconds_per_gb: f64,
    /// That link; null where no link has a bandwidth.
    pub hottest: Option<String>,
    /// Links of the bound's certificate, of all that leave (or enter) its set.
    pub tight_links: u64,
    /// How many of them it uses.
    pub tight_links_used: u64,
    /// Steps.
    pub steps: u64,
    /// Seconds of latency of all steps.
    pub latency_s: f64,
}

/// One size.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Sized {
    /// Bytes, as the operation counts them.
    pub bytes: u64,
    /// Least seconds: the largest of what the bound, the program and the latency say.
    pub bound_s: f64,
    /// Which one it is: `bound.kind`, `program.kind` or `latency`.
    pub bound_kind: String,
    /// Least seconds on the routes as they are, by `tables`; null where that is not known.
    pub bound_tables_s: Option<f64>,
    /// The algorithms, best first at this size.
    pub tried: Vec<Tried>,
}

/// An algorithm at a size.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Tried {
    /// Its name.
    pub algorithm: String,
    /// The order of the ranks.
    pub order: String,
    /// Predicted seconds: bandwidth and latency of its steps.
    pub time_s: f64,
    /// That over `bound_s`.
    pub of_bound: f64,
}
