//! "Power and performance optimization of multi-level exascale networks"
//! (Totoni and Kale): the all-to-all inside a supernode (section III, Figures 1
//! to 3), link use and savings (section IV, Figures 4 and 5), and the all-reduce of
//! its future work (section V).

mod allreduce;
mod alltoall;
mod applications;
mod claims;
mod conventions;
mod figures;
mod links;
mod phases;
mod policies;
mod recorded;
mod sizes;
mod switching;

use super::{Finding, Key, Options, Reproduction};
use crate::tell;
use hopline::entry::Entry;
use hopline::error::Result;
use hopline::event::{Event, Observer};

pub(super) const ENTRY: Entry = Entry {
    name: "power",
    summary: "Power and Performance Optimization of Multi-level Exascale Networks (Totoni, Kale)",
    doc: "Section III: pairwise exchange and the supernode algorithm on one supernode of 32 nodes with 32 cores by packet-level \
          replay: three links of a node over time (Figure 1), the sends of a phase (Figure 2), time against message size \
          (Figure 3), and the gain by nodes, cores, bandwidth of the hub, overhead, protocol and buffers. Section IV: the nodes that talk (Figure 4), links used on a full \
          mesh, PERCS and a 3-D torus (Figure 5), and what is saved. Section V: an all-reduce for supernodes. (--quick: 16 nodes of 16 cores and fewer sizes; 256 nodes \
          instead of 1,024.)\n\
          Source: the power paper.",
    example: "power",
    params: &[],
};

const NOTES: [&str; 9] = [
    "PERCS with LL 24, LR 5, D 10 and 192 GB/s from a node to its hub; buffers are unlimited where nothing else is said, and a copy inside a node runs at 10 \
     GB/s. Messages are cut into packets of 64 KB that are cut through",
    "theoretical peak, as the paper counts it: all links of a node busy all the time, so the time of the busiest link, without \
     hub and buffers",
    "the paper prints neither sizes of messages nor numbers of ranks for section IV, and its programs are not at hand: the \
     patterns are reconstructions (MILC and jacobi4d as 4-D stencils, NAMD as cutoff neighbours with an FFT of 64 slabs, ISAM as a \
     broadcast and a reduction, the NAS kernels from their sources), one rank per node, default mapping",
    "a printed percentage matches where ours rounds to it, and so does each end of a range; --quick has 256 nodes and the whole study \
     1,024, and what is computed in place of a printed number is stated for both",
    "links are directed; a full mesh has one for every ordered pair of nodes, PERCS one D link each way between two supernodes \
     (nd=1) and direct routing with one hop inside a supernode, the torus dimension-order routing on the grid of a 3-D job: its extents stand the other way round, as a torus numbers its first \
     dimension fastest and a grid its last. A supernode's D link to itself does not count",
    "saved of the machine: what `hopline power` saves where every link takes the same watts, links take 65 % of the network's power \
     and the network 40 % of the machine's",
    "FT is its transpose; the other NAS kernels run one iteration of class A, MG of class C; only who talks to whom matters \
     here",
    "recordings: LAMMPS (Lennard-Jones melts on 4 x 4 x 4 and 2 x 2 x 2 ranks), hpcc, ScaLAPACK's test of LU, PT-Scotch and ABySS as \
     Debian 12 has them, and a C program that sends what CG and FT send, under libhopline_mpi.so; point-to-point and all-to-all \
     calls, reductions and broadcasts are not counted. 8 and 16 ranks are on a part of a supernode, and all of its links count",
    "policies: see `hopline list policy`; 100 us to switch a cable on and 10 us to switch it off, steps of 2 ms of computation; \
     everything else a machine takes counts for as long as the job lasts; iterations=0 is hardware alone, without a guard",
];

/// The study whole.
pub(super) fn run(options: &Options, observer: &mut dyn Observer) -> Result<Reproduction> {
    let mut step = |what: &str| tell(observer, Event::Stage { what: what.into(), steps: 0 });
    step("Figure 1")?;
    let (mut findings, figure) = alltoall::over_time(options)?;
    let mut figures = figure;
    step("Figure 2")?;
    let (found, mut drawings) = phases::phase()?;
    findings.extend(found);
    step("Figure 3")?;
    let (found, figure) = alltoall::times(options)?;
    findings.extend(found);
    figures.push(figure);
    step("gain by parameters")?;
    findings.extend(alltoall::gains(options)?);
    step("Figures 4 and 5")?;
    let (found, drawn) = figures::study(options)?;
    findings.extend(found);
    drawings.extend(drawn);
    findings.extend(sizes::by_nodes(options)?);
    findings.extend(sizes::by_ranks(options)?);
    findings.extend(conventions::least()?);
    step("recorded programs")?;
    findings.extend(recorded::programs()?);
    step("policies")?;
    let (found, drawn) = policies::policies()?;
    findings.extend(found);
    figures.extend(drawn);
    findings.extend(switching::delays()?);
    step("an all-reduce")?;
    findings.extend(allreduce::times(options)?);
    let notes = NOTES.iter().map(ToString::to_string).collect();
    Ok(Reproduction { drawings, ..Reproduction::new(&ENTRY, options, notes, findings, figures) })
}

/// Direct routing: one hop inside a supernode, no intermediate supernode between two.
const DIRECT: &str = "direct:inside=single-hop";

/// A number that the paper does not have.
fn ours(item: &str, row: &[(&'static str, Key)], column: &str, computed: f64) -> Finding {
    Finding { computed: Some(computed), ..Finding::new(item, row, column) }
}
