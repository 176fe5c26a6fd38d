//! "Design and Evaluation of Network Topology-/Speed-Aware Broadcast Algorithms
//! for InfiniBand Clusters" (Subramoni et al., Cluster 2011): Tables I to III,
//! Figures 3 and 6 to 9, and the claims in words.

mod application;
mod claims;
mod figure_6;
mod glenn;
mod model;
mod orders;
mod overhead;
mod ranger;
mod readings;
mod service;
mod stated;

use super::{Finding, Key, Options, Published, Reproduction, Verdict};
use crate::tell;
use hopline::entry::Entry;
use hopline::error::Result;
use hopline::event::{Event, Observer};
use ranger::{EQUAL, Ranger};

pub(super) const ENTRY: Entry = Entry {
    name: "broadcast",
    summary: "Network Topology-/Speed-Aware Broadcast Algorithms for InfiniBand Clusters (Subramoni et al.)",
    doc: "Figure 3's tree; Table I beside random allocations on Ranger; Table II beside predicted latencies. Figures 6 (a) and \
          6 (b): default, DFT, BFT and optimised orders by message size and by job size, over many allocations. Figures 7 and \
          8: Glenn's SDR and DDR trees, with the sizes that adapters send inline. Figure 9's application as a skeleton. Table \
          III: its four phases, and how they grow to 512 nodes. Ranger's cabling and tables are read from fabrics/ranger-2011 \
          of --data DIR, $HOPLINE_DATA or ../shared/data; where they are absent a fat tree of the same shape stands in, and \
          the notes say so. (--quick: fewer allocations and shorter searches.)\n\
          Source: the topology-aware broadcast paper.",
    example: "broadcast",
    params: &[],
};

const NOTES: [&str; 11] = [
    "predicted, not measured: the paper's figures have no table, so its words stand beside what is computed",
    "hosts: o = 400 ns, L = 770 ns (Table II: 1.57 us through one switch), 213 ns for every link between switches; messages \
     above 12 KB ask first; a link carries 1 GB/s (4x SDR), a node's shared memory 2 GB/s",
    "Glenn: an adapter that does not send a message inline fetches it from memory first; 300 ns for that are assumed, about a read \
     over PCI Express. The paper prints the inline sizes alone",
    "one leader on each node, the first host is the root. Leaders forward along the k-nomial tree with k = 4 below 64 KB, and \
     scatter and then pass parts round a ring from 64 KB on; then all cores of a node read what their leader writes",
    "a tree's rank serves the k-1 children of one distance together and waits for them before the next",
    "allocations are hosts drawn from all compute nodes, which gives the racks of Table I. A batch system lists them by name \
     or at random; the paper does not say which",
    "`saves` is the percent of the default time that an order saves; ± is the standard deviation over allocations",
    "a statement `up to x` is about the greatest mean of its cases, which must round to x",
    "Table I and Figures 6 and 9 are Ranger's: where its dump is not at hand nothing is published of the stand-in",
    "nothing else runs on the network; on Ranger other jobs did",
    "optimised: the best of the other orders, improved by exchanges of two places that are not slower",
];

/// The study whole.
pub(super) fn run(options: &Options, observer: &mut dyn Observer) -> Result<Reproduction> {
    let mut findings = stated::figure_3();
    let mut step = |what: &str| tell(observer, Event::Stage { what: what.into(), steps: 0 });
    step("Ranger")?;
    let ranger = Ranger::new(options.data.as_deref(), EQUAL)?;
    findings.extend(stated::table_1(&ranger, options));
    findings.extend(stated::table_2(&ranger)?);
    step("Figure 6 (a)")?;
    let by_size = figure_6::by_size(&ranger, options)?;
    findings.extend(figure_6::findings("Figure 6 (a): 1,024 ranks", &by_size));
    step("Figure 6 (b)")?;
    let by_job = figure_6::by_job(&ranger, options)?;
    findings.extend(figure_6::findings("Figure 6 (b): 1 MB", &by_job));
    findings.extend(claims::figure_6(&by_size, &by_job, ranger.real));
    let near = Ranger::new(options.data.as_deref(), [0; 3])?;
    findings.extend(claims::without_hops(&figure_6::small(&near, options)?));
    step("Figures 7 and 8")?;
    let glenn = glenn::cells(options)?;
    findings.extend(glenn::findings(&glenn));
    findings.extend(claims::glenn(&glenn));
    findings.extend(readings::findings(options)?);
    step("Figure 9")?;
    findings.extend(application::findings(&ranger, options)?);
    step("Table III")?;
    findings.extend(overhead::findings(&ranger)?);
    let (size, job) = (|c: &figure_6::Cell| bytes(c.bytes), |c: &figure_6::Cell| c.ranks.to_string());
    let mut figures = vec![
        figure_6::figure("figure-6a", "Figure 6 (a): 1,024 ranks, hosts listed at random", "bytes", &by_size, size),
        figure_6::figure("figure-6b", "Figure 6 (b): 1 MB, hosts listed at random", "ranks", &by_job, job),
    ];
    figures.extend(glenn::figures(&glenn));
    let fabric = match ranger.real {
        true => "Ranger is the real machine: cabling of 2011, forwarding tables by OpenSM's minhop engine",
        false => {
            "Ranger's dump is not at hand: a generated fat tree of its shape (84 racks of 4 chassis of 12 nodes) stands in for it \
                  in Tables I to III, Figures 6 and 9"
        }
    };
    let notes = [fabric].iter().chain(&NOTES).map(ToString::to_string).collect();
    Ok(Reproduction::new(&ENTRY, options, notes, findings, figures))
}

/// A size as specs write it: 64K, 1M.
fn bytes(n: u64) -> String {
    match n {
        n if n >= 1 << 20 => format!("{}M", n >> 20),
        n if n >= 1 << 10 => format!("{}K", n >> 10),
        n => n.to_string(),
    }
}

/// A printed number beside ours: they must be equal.
fn equal(item: &str, row: &[(&'static str, Key)], column: &str, published: f64, computed: f64) -> Finding {
    Finding {
        published: Some(Published::Number(published)),
        computed: Some(computed),
        verdict: if published == computed { Verdict::Match } else { Verdict::Differs },
        ..Finding::new(item, row, column)
    }
}

/// Standard errors within which a mean may lie from what is expected.
const FAR: f64 = 4.0;

/// A mean beside what the paper says in words, which `holds` or not.
fn stated(finding: Finding, words: &str, holds: bool) -> Finding {
    let verdict = if holds { Verdict::Match } else { Verdict::Differs };
    Finding { published: Some(Published::Text(words.to_string())), verdict, ..finding }
}

/// How far the mean of some samples may lie from that of others, where one of them has this standard deviation.
fn noise(spread: f64, samples: usize, others: u32) -> f64 {
    FAR * spread * (1.0 / samples as f64 + 1.0 / f64::from(others)).sqrt()
}
